// What kernels of HIP ask of the host while they run: text of printf and of assertions, memory for the device library's heap.
//
// AMD's device library (ockl: __ockl_hostcall_internal, __ockl_fprintf_*, __ockl_dm_*) puts a packet with eight words for each
// lane on a stack in device memory, sends an interrupt, and waits until the packet's control word is cleared.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "device.h"
#include "emulated.h"
#include "errors.h"
#include "output.h"

namespace rt = cassc::rt;
using rt::Error;

namespace {

constexpr uint32_t kLanes = 64, kWords = 8;
// Each wave has a packet from before its interrupt, which is answered at once, until just after it, so few are in use at a time.
constexpr uint64_t kPackets = 16384, kIndexMask = kPackets - 1;

struct Header {
  uint64_t next, active;
  uint32_t service, control;  // control: bit 0 until it is answered
};
struct Payload {
  uint64_t words[kLanes][kWords];
};
struct Buffer {
  uint64_t headers, payloads, doorbell, free_stack, ready_stack, index_mask;
};
// amd_signal_t, as far as kernels look: what is at the mailbox's address is written, and then the interrupt is sent.
struct alignas(64) Signal {
  int64_t kind, value;
  uint64_t mailbox;
  uint32_t event, unused;
  uint64_t times[2];
  uint64_t queue;
  uint32_t rest[2];
};

// The device library's heap of small blocks (its heap_t): zeros but for three addresses of the slabs of 2 MB at its start. It finds
// a block's slab by the address's upper bits, and takes blocks at multiples of a page for those that the host gave.
constexpr size_t kPageBytes = 4096;
constexpr size_t kHeapBytes = 131072, kHeapSlabs = 108544, kSlabBytes = 2 << 20, kFirstSlabs = 4;

enum Service : uint32_t { kPrintf = 2, kMemory = 3 };
enum MessageBit : uint64_t { kBegin = 1, kEnd = 2 };

// A message of printf: where it goes, the format, the arguments, each in words of its own; strings end with a zero.
class Message final : public rt::FormatArguments {
 public:
  void append(const uint64_t* words, uint64_t count) { words_.insert(words_.end(), words, words + count); }
  // Prints it. What printf returns.
  int print() {
    uint64_t target = 0;
    std::string format;
    if (!wide(target) || !text(format)) return -1;
    const std::string line = rt::format_text(format, *this);
    std::FILE* const stream = target == 0 ? stdout : stderr;
    return std::fwrite(line.data(), 1, line.size(), stream) == line.size() ? static_cast<int>(line.size()) : -1;
  }

  bool integer(int& value) override {
    uint64_t word = 0;
    if (!wide(word)) return false;
    value = static_cast<int>(word);
    return true;
  }
  bool wide(uint64_t& value) override {
    if (at_ == words_.size()) return false;
    value = words_[at_++];
    return true;
  }
  bool real(double& value) override {
    uint64_t word = 0;
    if (!wide(word)) return false;
    std::memcpy(&value, &word, sizeof value);
    return true;
  }
  bool text(std::string& value) override {
    if (at_ == words_.size()) return false;
    const char* begin = reinterpret_cast<const char*>(words_.data() + at_);
    const size_t most = (words_.size() - at_) * sizeof(uint64_t), length = strnlen(begin, most);
    value.assign(begin, length);
    at_ += std::min(length / sizeof(uint64_t) + 1, words_.size() - at_);
    return true;
  }

 private:
  std::vector<uint64_t> words_;
  size_t at_ = 0;
};

class Hostcalls final : public rt::KernelServices {
 public:
  Error prepare(rt::EmulatedMemory& memory, uint64_t& hostcall_buffer, uint64_t& heap_address) override {
    memory_ = &memory;
    void *buffer = nullptr, *headers = nullptr, *payloads = nullptr, *signal = nullptr, *heap = nullptr, *slabs = nullptr;
    struct Wanted {
      void** pointer;
      size_t bytes, alignment;
    };
    const Wanted wanted[] = {{&buffer, sizeof(Buffer), 1}, {&headers, kPackets * sizeof(Header), 1},
                             {&payloads, kPackets * sizeof(Payload), 1}, {&signal, sizeof(Signal), 1},
                             {&heap, kHeapBytes, kPageBytes}, {&slabs, kFirstSlabs * kSlabBytes, kSlabBytes}};
    for (const auto& [pointer, bytes, alignment] : wanted)
      if (const Error error = memory.allocate(bytes, alignment, pointer); error != Error::Success) return error;
    const auto address = [](const void* pointer) { return reinterpret_cast<uint64_t>(pointer); };
    // Packets are named by index and, above it, a count that changes at each use; 0 names none.
    std::vector<Header> stack(kPackets);
    for (uint64_t i = 1; i < kPackets; ++i) stack[i].next = kPackets | (i - 1);
    stack[0].next = 0;
    const Buffer start{address(headers), address(payloads), address(signal), kPackets | (kPackets - 1), 0, kIndexMask};
    Signal doorbell{};
    doorbell.mailbox = address(signal) + offsetof(Signal, times);
    std::vector<std::byte> zeros(kHeapBytes);
    const uint64_t places[3] = {address(slabs), address(slabs) + kFirstSlabs * kSlabBytes, address(slabs)};
    std::memcpy(zeros.data() + kHeapSlabs, places, sizeof places);
    const std::pair<uint64_t, std::pair<const void*, size_t>> content[] = {
        {address(buffer), {&start, sizeof start}},
        {address(headers), {stack.data(), kPackets * sizeof(Header)}},
        {address(signal), {&doorbell, sizeof doorbell}},
        {address(heap), {zeros.data(), zeros.size()}}};
    for (const auto& [target, data] : content)
      if (const Error error = memory.poke(target, data.first, data.second); error != Error::Success) return error;
    buffer_ = static_cast<Buffer*>(buffer);
    hostcall_buffer = address(buffer);
    heap_address = address(heap);
    return Error::Success;
  }

  void interrupt() override {
    std::lock_guard lock(mutex_);
    uint64_t packet = std::atomic_ref(buffer_->ready_stack).exchange(0, std::memory_order_acquire);
    auto* const headers = reinterpret_cast<Header*>(buffer_->headers);
    auto* const payloads = reinterpret_cast<Payload*>(buffer_->payloads);
    while (packet) {
      Header& header = headers[packet & kIndexMask];
      Payload& payload = payloads[packet & kIndexMask];
      packet = header.next;  // before the wave may use it again
      for (uint32_t lane = 0; lane < kLanes; ++lane)
        if (header.active >> lane & 1) serve(header.service, payload.words[lane]);
      std::atomic_ref(header.control).fetch_and(~1u, std::memory_order_release);
    }
  }

 private:
  void serve(uint32_t service, uint64_t* words) {
    if (service == kPrintf) {
      print(words);
    } else if (service == kMemory) {
      allocate(words);
    } else {
      rt::report("a kernel asks for service " + std::to_string(service) + " of the host, which is not supported", true);
      words[0] = words[1] = 0;
    }
  }

  // Word 0: bits 0 and 1 begin and end a message, 5 to 7 are the number of words that follow, above 8 the message's name.
  void print(uint64_t* words) {
    const uint64_t description = words[0], count = description >> 5 & 7;
    uint64_t name = description >> 8;
    if (description & kBegin) name = ++messages_made_;
    const auto found = description & kBegin ? messages_.try_emplace(name).first : messages_.find(name);
    words[0] = (description & 0xfc) | name << 8;
    if (found == messages_.end()) return;
    found->second.append(words + 1, count);
    if (!(description & kEnd)) return;
    words[0] = static_cast<uint64_t>(static_cast<int64_t>(found->second.print()));
    messages_.erase(found);
  }

  void allocate(uint64_t* words) {
    void* pointer = reinterpret_cast<void*>(words[0]);
    if (pointer) {
      memory_->release(pointer);
      pointer = nullptr;
    } else if (words[1] && memory_->allocate(words[1], words[1] < kSlabBytes ? kPageBytes : kSlabBytes, &pointer) != Error::Success) {
      pointer = nullptr;
    }
    words[0] = reinterpret_cast<uint64_t>(pointer);
  }

  rt::EmulatedMemory* memory_ = nullptr;
  Buffer* buffer_ = nullptr;
  std::mutex mutex_;
  std::map<uint64_t, Message> messages_;
  uint64_t messages_made_ = 0;
};

const bool installed = [] {
  rt::kernel_services() = std::make_unique<Hostcalls>();
  return true;
}();

}  // namespace
