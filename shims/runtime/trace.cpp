#include "trace.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace cassc::rt {
namespace {

constexpr size_t kJump = 14, kRoom = 16, kStub = 32;

struct Hook {
  const TracedFunction* function;
  NameOfError name_of;
  uint64_t rest;  // of the function, behind the jump
};

// As the code below lays it down; what the caller pushed comes after it.
struct Frame {
  std::array<unsigned char, 128> vector_registers;
  uint64_t padding, integers[6], rax;
  uint64_t next;  // in: the hook; out: where to go on
  uint64_t caller;
};

// One call at a time of each thread: what a function calls itself is not the program's. Without a destructor, since the last
// calls come when those of the main thread's variables have run.
struct Call {
  const Hook* hook = nullptr;
  uint64_t caller = 0;
  std::array<char, 512> text{};
};
thread_local Call call;

void put(std::string& text, const char* format, unsigned long long value) {
  char number[24];
  std::snprintf(number, sizeof number, format, value);
  text += number;
}

// Arguments of the System V ABI: the first six integers lie in registers, the others behind the return address.
std::string arguments(const Frame& frame, std::string_view types) {
  const uint64_t* stack = &frame.caller + 1;
  std::string text;
  size_t used = 0;
  for (const char type : types) {
    if (!text.empty()) text += ", ";
    if (type == 'x') return text + "...";
    if (type == 'd' && used + 2 > std::size(frame.integers)) return text + "...";
    const uint64_t value = used < std::size(frame.integers) ? frame.integers[used] : stack[used - std::size(frame.integers)];
    ++used;
    const uint32_t low = static_cast<uint32_t>(value), high = static_cast<uint32_t>(value >> 32);
    switch (type) {
      case 'p': value ? put(text, "0x%llx", value) : void(text += "null"); break;
      case 'i': text += std::to_string(static_cast<int32_t>(low)); break;
      case 'l': text += "{" + std::to_string(static_cast<int32_t>(low)) + ", " + std::to_string(static_cast<int32_t>(high)) + "}"; break;
      case 'd':
        put(text, "{%llu", low);
        put(text, ", %llu", high);
        put(text, ", %llu}", static_cast<uint32_t>(frame.integers[used++]));
        break;
      default: put(text, "%llu", value);
    }
  }
  return text;
}

std::string result(const Hook& hook, char type, uint64_t value) {
  std::string text;
  switch (type) {
    case 'v': return "";
    case 'e': {
      const char* name = hook.name_of(static_cast<int>(value));
      return std::string(" = ") + (name ? name : std::to_string(static_cast<int>(value)));
    }
    case 'p': put(text, " = 0x%llx", value); break;
    case 'i': return " = " + std::to_string(static_cast<int32_t>(value));
    case 'u': put(text, " = %llu", value); break;
    default: break;
  }
  return text;
}

// What is not as expected stays as it is.
void patch(Hook& hook, unsigned char* stub, uint64_t entry) {
  auto* start = reinterpret_cast<unsigned char*>(hook.function->address);
  constexpr unsigned char branch_target[] = {0xf3, 0x0f, 0x1e, 0xfa};  // endbr64, with -fcf-protection
  if (std::equal(std::begin(branch_target), std::end(branch_target), start)) start += sizeof branch_target;
  if (!std::all_of(start, start + kRoom, [](unsigned char byte) { return byte == 0x90; })) return;
  hook.rest = reinterpret_cast<uint64_t>(start) + kRoom;
  auto jump = [](unsigned char* at, uint64_t target) {
    constexpr unsigned char code[] = {0xff, 0x25, 0, 0, 0, 0};  // jmp [rip]
    std::memcpy(at, code, sizeof code);
    std::memcpy(at + sizeof code, &target, sizeof target);
  };
  constexpr unsigned char load[] = {0x49, 0xbb}, push[] = {0x41, 0x53};  // movabs to r11; push r11
  const auto which = reinterpret_cast<uint64_t>(&hook);
  std::memcpy(stub, load, sizeof load);
  std::memcpy(stub + 2, &which, sizeof which);
  std::memcpy(stub + 10, push, sizeof push);
  jump(stub + 12, entry);
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE)), first = reinterpret_cast<uint64_t>(start) / page * page;
  auto* pages = reinterpret_cast<void*>(first);
  const size_t size = (reinterpret_cast<uint64_t>(start) + kJump - first + page - 1) / page * page;
  if (mprotect(pages, size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
  jump(start, reinterpret_cast<uint64_t>(stub));
  mprotect(pages, size, PROT_READ | PROT_EXEC);
}

}  // namespace

extern "C" __attribute__((visibility("hidden"))) void cassc_trace_return();
extern "C" __attribute__((visibility("hidden"))) void cassc_trace_entry();

extern "C" __attribute__((visibility("hidden"), used)) void cassc_trace_enter(Frame* frame) {
  const Hook& hook = *reinterpret_cast<const Hook*>(frame->next);
  frame->next = hook.rest;
  if (call.hook) return;
  call.hook = &hook;
  call.caller = frame->caller;
  std::snprintf(call.text.data(), call.text.size(), "%s(%s)", hook.function->name,
                arguments(*frame, hook.function->types + 1).c_str());
  frame->caller = reinterpret_cast<uint64_t>(&cassc_trace_return);
}

extern "C" __attribute__((visibility("hidden"), used)) uint64_t cassc_trace_leave(uint64_t value) {
  const Hook& hook = *call.hook;
  const std::string line = "cassc: [" + std::to_string(syscall(SYS_gettid)) + "] " + call.text.data() +
                           result(hook, hook.function->types[0], value) + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  call.hook = nullptr;
  return call.caller;
}

asm(R"(
  .text
  .hidden cassc_trace_entry
  .type cassc_trace_entry, @function
cassc_trace_entry:
  endbr64
  pushq %rax
  pushq %r9
  pushq %r8
  pushq %rcx
  pushq %rdx
  pushq %rsi
  pushq %rdi
  subq $136, %rsp
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  movq %rsp, %rdi
  call cassc_trace_enter
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  addq $136, %rsp
  popq %rdi
  popq %rsi
  popq %rdx
  popq %rcx
  popq %r8
  popq %r9
  popq %rax
  ret
  .size cassc_trace_entry, .-cassc_trace_entry

  .hidden cassc_trace_return
  .type cassc_trace_return, @function
cassc_trace_return:
  subq $8, %rsp
  pushq %rax
  pushq %rdx
  subq $40, %rsp
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movq %rax, %rdi
  call cassc_trace_leave
  movq %rax, 56(%rsp)
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  addq $40, %rsp
  popq %rdx
  popq %rax
  ret
  .size cassc_trace_return, .-cassc_trace_return
)");

void trace(const TracedFunction* functions, size_t count, NameOfError name_of) {
  const char* wanted = std::getenv("CASSC_TRACE");
  if (!wanted || !*wanted || std::string_view(wanted) == "0") return;
  void* memory = mmap(nullptr, count * kStub, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  auto* hooks = new Hook[count];  // as long as the library
  for (size_t i = 0; i < count; ++i) {
    hooks[i] = {&functions[i], name_of, 0};
    patch(hooks[i], static_cast<unsigned char*>(memory) + i * kStub, reinterpret_cast<uint64_t>(&cassc_trace_entry));
  }
  mprotect(memory, count * kStub, PROT_READ | PROT_EXEC);
}

}  // namespace cassc::rt
