#include "recorder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "context.h"
#include "digest.h"
#include "errors.h"

namespace cassc::rt {
namespace {

constexpr uint32_t kVersion = 1, kContainer = 1, kLaunch = 2, kSkipped = 3;
constexpr uint64_t kLaunches = 8, kBytes = 64 << 20;

uint64_t number(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

class Chunk {
 public:
  explicit Chunk(uint32_t kind) {
    u32(kind);
    u32(kVersion);
    u64(0);
  }
  void u32(uint32_t value) { raw(&value, sizeof value); }
  void u64(uint64_t value) { raw(&value, sizeof value); }
  void blob(std::span<const std::byte> bytes) {
    u64(bytes.size());
    raw(bytes.data(), bytes.size());
  }
  void text(const std::string& text) { blob(std::as_bytes(std::span(text))); }

  // One write for each chunk, so that several processes may share a file.
  bool append(int file) {
    const uint64_t size = bytes_.size() - kHead;
    std::memcpy(bytes_.data() + 8, &size, sizeof size);
    flock(file, LOCK_EX);
    std::span<const std::byte> rest = bytes_;
    while (!rest.empty()) {
      const ssize_t written = write(file, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) break;
      rest = rest.subspan(static_cast<size_t>(written));
    }
    flock(file, LOCK_UN);
    return rest.empty();
  }

 private:
  static constexpr size_t kHead = 16;
  void raw(const void* data, size_t size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), bytes, bytes + size);
  }
  std::vector<std::byte> bytes_;
};

struct Memory {
  std::string variable;
  uint64_t address = 0;
  std::vector<std::byte> before;
};

// What is reached from the parameters, from the module's variables, and from memory that is reached.
class Reach {
 public:
  Reach(Device& device, uint64_t most) : device_(device), most_(most) {}

  // False when there is too much.
  bool follow(const KernelCall& call) {
    for (const auto& variable : call.kernel->image->variables) {
      if (!variable->address || !variable->size) continue;
      if (!take(variable->name, reinterpret_cast<uint64_t>(variable->address), variable->size)) return false;
    }
    if (!scan(call.arguments)) return false;
    for (size_t next = 0; next < memories.size(); ++next) {
      const std::vector<std::byte> content = memories[next].before;  // a copy: the vector grows
      if (!scan(content)) return false;
    }
    return true;
  }
  std::vector<Memory> memories;

 private:
  bool scan(std::span<const std::byte> content) {
    for (size_t at = 0; at + 8 <= content.size(); at += 8) {
      uint64_t word = 0;
      std::memcpy(&word, content.data() + at, sizeof word);
      if (!word) continue;
      auto found = Context::get().allocations.find(reinterpret_cast<const void*>(word));
      // The end of an array is a pointer to it, too.
      if (!found) found = Context::get().allocations.find(reinterpret_cast<const void*>(word - 1));
      if (!found || found->origin == Origin::Symbol || found->origin == Origin::Array) continue;
      if (!take("", found->base, found->size)) return false;
    }
    return true;
  }
  bool take(const std::string& variable, uint64_t address, size_t size) {
    if (!taken_.insert(address).second) return true;
    if (size > most_ - used_) return false;
    used_ += size;
    Memory memory{variable, address, std::vector<std::byte>(size)};
    if (device_.peek(memory.before.data(), address, size) != Error::Success) return true;
    memories.push_back(std::move(memory));
    return true;
  }

  Device& device_;
  const uint64_t most_;
  uint64_t used_ = 0;
  std::set<uint64_t> taken_;
};

class Recorder {
 public:
  static Recorder& get() {
    static auto* recorder = new Recorder;
    return *recorder;
  }
  bool on() const { return file_ >= 0; }

  Error record(Device& device, const KernelCall& call, const std::function<Error()>& launch) {
    std::lock_guard lock(mutex_);
    const std::string digest = container(*call.kernel->image);
    if (++launches_[digest + call.kernel->name] > most_launches_) return launch();
    if (const Error error = device.synchronize(); error != Error::Success) return error;
    Reach reach(device, most_bytes_);
    if (!reach.follow(call)) {
      skip(call.kernel->name, "it reaches more than " + std::to_string(most_bytes_) + " bytes");
      return launch();
    }
    const Error started = launch();
    const Error status = started == Error::Success ? device.synchronize() : started;
    Chunk chunk(kLaunch);
    chunk.text(digest);
    chunk.text(call.kernel->name);
    chunk.u32(call.kernel->image->loaded_sm());
    for (const Dim3& dim : {call.grid, call.block})
      for (const uint32_t size : {dim.x, dim.y, dim.z}) chunk.u32(size);
    chunk.u32(static_cast<uint32_t>(call.dynamic_shared));
    chunk.u32(call.cooperative);
    chunk.u32(static_cast<uint32_t>(status));
    chunk.blob(call.arguments);
    chunk.u32(static_cast<uint32_t>(reach.memories.size()));
    for (const Memory& memory : reach.memories) {
      chunk.text(memory.variable);
      chunk.u64(memory.address);
      chunk.blob(memory.before);
      std::vector<std::byte> after(memory.before.size());
      const bool read = device.peek(after.data(), memory.address, after.size()) == Error::Success;
      const bool changed = read && after != memory.before;
      chunk.u32(changed);
      if (changed) chunk.blob(after);
    }
    append(chunk);
    return started;
  }

 private:
  Recorder() {
    const char* name = std::getenv("CASSC_RECORD");
    if (!name || !*name) return;
    file_ = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file_ < 0) rt::report(std::string("cannot record into ") + name + ": " + std::strerror(errno));
  }

  std::string container(const Image& image) {
    auto [known, fresh] = containers_.try_emplace(&image);
    if (!fresh) return known->second;
    known->second = sha256_hex(image.container());
    Chunk chunk(kContainer);
    chunk.text(known->second);
    chunk.blob(image.container());
    std::vector<FatEntry> translated;
    for (const FatEntry& entry : image.entries())
      if (entry.kind == kEntryBundle || entry.kind == kEntryVerdicts) translated.push_back(entry);
    chunk.u32(static_cast<uint32_t>(translated.size()));
    for (const FatEntry& entry : translated) {
      chunk.u32(entry.kind);
      chunk.u32(entry.sm);
      chunk.blob(entry.payload);
    }
    append(chunk);
    return known->second;
  }
  void skip(const std::string& kernel, const std::string& reason) {
    Chunk chunk(kSkipped);
    chunk.text(kernel);
    chunk.text(reason);
    append(chunk);
  }
  void append(Chunk& chunk) {
    if (file_ < 0 || chunk.append(file_)) return;
    rt::report(std::string("the recording ends here: ") + std::strerror(errno));
    close(file_);
    file_ = -1;
  }

  std::mutex mutex_;
  int file_ = -1;
  const uint64_t most_launches_ = number("CASSC_RECORD_LAUNCHES", kLaunches);
  const uint64_t most_bytes_ = number("CASSC_RECORD_BYTES", kBytes);
  std::map<const Image*, std::string> containers_;
  std::map<std::string, uint64_t> launches_;
};

}  // namespace

bool recording() { return Recorder::get().on(); }

Error record(Device& device, const KernelCall& call, const std::function<Error()>& launch) {
  return Recorder::get().record(device, call, launch);
}

}  // namespace cassc::rt
