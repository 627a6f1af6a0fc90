// The audit library of `cassc run` (rtld-audit(7)): NVIDIA's CUDA runtime never starts.
//
// A dynamic libcudart is replaced when the loader asks for it. In an object with a statically linked one, every entry
// point is overwritten by a jump to the function of the same name in our libcudart, after the loader has mapped the object
// and before any of its constructors runs.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "entries.h"
#include "front_end.h"

#define AUDIT_API extern "C" __attribute__((visibility("default")))

namespace cassc::redirect {
namespace {

constexpr int kNotSupported = 801;  // cudaErrorNotSupported

// Never destroyed: the loader calls us until the process is gone.
struct State {
  std::string folder;               // where our libraries are, with a slash at its end
  std::vector<const link_map*> ours, waiting;
  std::deque<std::string> replaced;  // paths handed to the loader must stay
};

State& state() {
  static auto* made = [] {
    auto* fresh = new State;
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&state), &info) && info.dli_fname) {
      const std::string self = info.dli_fname;
      fresh->folder = self.substr(0, self.rfind('/') + 1);
    }
    return fresh;
  }();
  return *made;
}

void complain(const char* object, const std::string& text) {
  std::fprintf(stderr, "cassc: %s: %s\n", *object ? object : "the program", text.c_str());
}

class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    const int file = open(*path ? path : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status {};
    if (fstat(file, &status) == 0 && status.st_size > 0) {
      void* address = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
      if (address != MAP_FAILED) bytes_ = {static_cast<const std::byte*>(address), static_cast<size_t>(status.st_size)};
    }
    close(file);
  }
  ~MappedFile() {
    if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  Bytes bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

const link_map* front_end(int major) {
  const std::string wanted = "/libcudart.so." + std::string(major == 11 ? "11.0" : std::to_string(major));
  for (const link_map* map : state().ours)
    if (std::string_view(map->l_name).ends_with(wanted)) return map;
  return nullptr;
}

// jmp [rip + 0] and the address: 14 bytes, for targets at any distance.
void write_jump(unsigned char* place, uint64_t target) {
  const std::array<unsigned char, 6> jump = {0xff, 0x25, 0, 0, 0, 0};
  std::memcpy(place, jump.data(), jump.size());
  std::memcpy(place + jump.size(), &target, sizeof target);
}

// mov eax, 801; ret
void write_refusal(unsigned char* place) {
  place[0] = 0xb8;
  const int code = kNotSupported;
  std::memcpy(place + 1, &code, sizeof code);
  place[5] = 0xc3;
}

bool protect(uint64_t first, uint64_t last, int protection) {
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t start = first / page * page;
  return mprotect(reinterpret_cast<void*>(start), (last - start + page - 1) / page * page, protection) == 0;
}

void redirect(const link_map* map, const StaticRuntime& runtime) {
  const link_map* library = front_end(runtime.major);
  if (!library)
    complain(map->l_name, "its CUDA runtime " + std::to_string(runtime.major) + " has no counterpart; every call is refused");
  uint64_t first = UINT64_MAX, last = 0, lowest = UINT64_MAX, highest = 0;
  std::vector<uint64_t> targets;
  for (const Entry& entry : runtime.entries) {
    const uint64_t target = library ? FrontEnd(library).find(entry.name) : 0;
    targets.push_back(target);
    first = std::min(first, entry.address);
    last = std::max(last, entry.address + entry.size);
    if (!target && library) continue;
    lowest = std::min(lowest, entry.address);
    highest = std::max(highest, entry.address);
  }
  if (!protect(map->l_addr + first, map->l_addr + last, PROT_READ | PROT_WRITE | PROT_EXEC)) {
    complain(map->l_name, "its statically linked CUDA runtime cannot be redirected: its code cannot be made writable");
    _exit(127);  // rather than let it look for NVIDIA's driver
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    const Entry& entry = runtime.entries[i];
    auto* place = reinterpret_cast<unsigned char*>(map->l_addr + entry.address);
    if (targets[i]) write_jump(place, targets[i]);
    // A function between the library's others is the library's too; elsewhere it is the program's own and so named.
    else if (entry.address > lowest && entry.address < highest) write_refusal(place);
  }
  protect(map->l_addr + first, map->l_addr + last, PROT_READ | PROT_EXEC);
}

// Libraries of NVIDIA's of which we may have a counterpart of the same name; and cassc's own that another build of it
// linked the program with, since a process has one libcassrt.
bool replaced(std::string_view base) {
  constexpr std::string_view names[] = {"libcuda.so",    "libcudart.so.",   "libcublas.so.",   "libcublasLt.so.",
                                        "libcufft.so.",  "libcurand.so.",   "libcusolver.so.", "libcusparse.so.",
                                        "libnvToolsExt.so.", "libcassc_",      "libcassrt.so"};
  return std::any_of(std::begin(names), std::end(names), [&](std::string_view name) { return base.starts_with(name); });
}

void examine(const link_map* map) {
  const MappedFile file(map->l_name);
  const char* tables = std::getenv("CASSC_REDIRECT_TABLES");
  const auto runtime = find_static_runtime(ElfFile(file.bytes()), tables ? tables : "");
  if (!runtime) return;
  if (runtime->entries.empty()) {
    complain(map->l_name, "its statically linked CUDA runtime has no symbols, and is of a version that is not known; "
                           "name its libcudart_static.a in CASSC_CUDART_STATIC");
    _exit(127);
  }
  redirect(map, *runtime);
}

}  // namespace
}  // namespace cassc::redirect

using cassc::redirect::state;

AUDIT_API unsigned la_version(unsigned version) { return std::min<unsigned>(version, LAV_CURRENT); }

AUDIT_API char* la_objsearch(const char* name, uintptr_t*, unsigned flag) {
  const std::string_view path = name;
  const std::string_view base = path.substr(path.rfind('/') + 1);
  if (flag != LA_SER_ORIG || !cassc::redirect::replaced(base)) return const_cast<char*>(name);
  const std::string ours = state().folder + std::string(base == "libcuda.so" ? "libcuda.so.1" : base);
  if (access(ours.c_str(), R_OK) != 0) return const_cast<char*>(name);
  state().replaced.push_back(ours);
  return state().replaced.back().data();
}

AUDIT_API unsigned la_objopen(link_map* map, Lmid_t space, uintptr_t*) {
  if (space != LM_ID_BASE) return 0;
  const std::string_view name = map->l_name;
  const bool is_ours = !state().folder.empty() && name.starts_with(state().folder);
  (is_ours ? state().ours : state().waiting).push_back(map);
  return 0;
}

AUDIT_API void la_activity(uintptr_t*, unsigned action) {
  if (action != LA_ACT_CONSISTENT) return;
  for (const link_map* map : std::exchange(state().waiting, {})) cassc::redirect::examine(map);
}

AUDIT_API unsigned la_objclose(uintptr_t*) { return 0; }
