#include "output.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "errors.h"

namespace cassc::rt {
namespace {

struct PrintfHandle {
  uint64_t buffer, reserved;
};

struct BufferHeader {
  uint32_t written, capacity;
};

struct RecordHeader {
  uint32_t size, arguments;
  uint64_t format;
};

struct Assertion {
  uint32_t claimed, line;
  uint64_t message, file, function;
  uint32_t block[3], thread[3];
};

constexpr size_t kLongestText = 1 << 20;

class RecordArguments final : public FormatArguments {
 public:
  RecordArguments(std::span<const std::byte> bytes, const std::function<std::string(uint64_t)>& text_at)
      : bytes_(bytes), text_at_(text_at) {}
  bool integer(int& value) override { return take(value); }
  bool wide(uint64_t& value) override { return take(value); }
  bool real(double& value) override { return take(value); }
  bool text(std::string& value) override {
    uint64_t address = 0;
    if (!take(address)) return false;
    value = address ? text_at_(address) : "(null)";
    return true;
  }

 private:
  template <class T>
  bool take(T& value) {
    position_ = (position_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    if (position_ > bytes_.size() || bytes_.size() - position_ < sizeof(T)) return false;
    std::memcpy(&value, bytes_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return true;
  }

  std::span<const std::byte> bytes_;
  const std::function<std::string(uint64_t)>& text_at_;
  size_t position_ = 0;
};

template <class T>
void append(std::string& out, const std::string& conversion, T value) {
  const int length = std::snprintf(nullptr, 0, conversion.c_str(), value);
  if (length <= 0) return;
  const size_t old = out.size();
  out.resize(old + static_cast<size_t>(length) + 1);
  std::snprintf(out.data() + old, static_cast<size_t>(length) + 1, conversion.c_str(), value);
  out.resize(old + static_cast<size_t>(length));
}

}  // namespace

std::string format_text(const std::string& format, FormatArguments& arguments) {
  std::string out;
  for (size_t i = 0; i < format.size();) {
    if (format[i] != '%') {
      out += format[i++];
      continue;
    }
    const size_t begin = i++;
    std::string conversion = "%";
    auto copy_while = [&](const char* set) {
      while (i < format.size() && std::strchr(set, format[i])) conversion += format[i++];
    };
    auto copy_number = [&] {
      if (i < format.size() && format[i] == '*') {
        int value = 0;
        arguments.integer(value);
        conversion += std::to_string(value);
        ++i;
      } else {
        copy_while("0123456789");
      }
    };
    copy_while("#0 +-");
    copy_number();
    if (i < format.size() && format[i] == '.') {
      conversion += format[i++];
      copy_number();
    }
    std::string size;
    while (i < format.size() && std::strchr("hljzt", format[i])) size += format[i++];
    const char type = i < format.size() ? format[i++] : '\0';
    const bool wide = size == "l" || size == "ll" || size == "j" || size == "z" || size == "t";
    bool known = true, there = true;
    if (type == '%') {
      out += '%';
    } else if (type != '\0' && std::strchr("diuoxX", type)) {
      if (wide) {
        uint64_t value = 0;
        there = arguments.wide(value);
        if (there) append(out, conversion + "ll" + type, static_cast<long long>(value));
      } else {
        int value = 0;
        there = arguments.integer(value);
        if (there) append(out, conversion + size + type, value);
      }
    } else if (type == 'c') {
      int value = 0;
      there = arguments.integer(value);
      if (there) append(out, conversion + type, value);
    } else if (type != '\0' && std::strchr("fFgGaAeE", type)) {
      double value = 0;
      there = arguments.real(value);
      if (there) append(out, conversion + type, value);
    } else if (type == 'p') {
      uint64_t value = 0;
      there = arguments.wide(value);
      if (there) append(out, conversion + type, reinterpret_cast<void*>(value));
    } else if (type == 's') {
      std::string value;
      there = arguments.text(value);
      if (there) append(out, conversion + type, value.c_str());
    } else {
      known = false;
    }
    if (!known || !there) out += format.substr(begin, i - begin);
  }
  return out;
}

std::string format_record(const std::string& format, std::span<const std::byte> arguments,
                          const std::function<std::string(uint64_t)>& text_at) {
  RecordArguments source(arguments, text_at);
  return format_text(format, source);
}

Error ModuleOutput::attach(Device& device, DeviceModule& module, size_t fifo_bytes, std::unique_ptr<ModuleOutput>& output) {
  uint64_t printf_address = 0, assertion = 0, size = 0;
  const bool prints = module.global("__cassc_printf", printf_address, size) && size >= sizeof(PrintfHandle);
  const bool asserts = module.global("__cassc_assert", assertion, size) && size >= sizeof(Assertion);
  if (!prints && !asserts) return Error::Success;
  std::unique_ptr<ModuleOutput> made(new ModuleOutput(device));
  if (asserts) made->assertion_ = assertion;
  if (prints) {
    const uint32_t capacity = static_cast<uint32_t>(std::clamp<size_t>(fifo_bytes, 256, 1u << 30));
    void* buffer = nullptr;
    Error error = device.allocate(sizeof(BufferHeader) + capacity, false, &buffer);
    if (error != Error::Success) return error;
    made->buffer_ = reinterpret_cast<uint64_t>(buffer);
    made->capacity_ = capacity;
    // The area starts as zeros: a record that was reserved but did not fit is recognised by its size of 0.
    std::vector<std::byte> zeros(sizeof(BufferHeader) + capacity);
    const BufferHeader header{0, capacity};
    std::memcpy(zeros.data(), &header, sizeof header);
    error = device.poke(made->buffer_, zeros.data(), zeros.size());
    const PrintfHandle handle{made->buffer_, 0};
    if (error == Error::Success) error = device.poke(printf_address, &handle, sizeof handle);
    if (error != Error::Success) return error;
  }
  output = std::move(made);
  return Error::Success;
}

ModuleOutput::~ModuleOutput() {
  if (buffer_) device_.release(reinterpret_cast<void*>(buffer_));
}

Error ModuleOutput::collect() {
  if (buffer_) print_records();
  return assertion_ && print_assertion() ? Error::Assert : Error::Success;
}

void ModuleOutput::print_records() {
  BufferHeader header{};
  if (device_.peek(&header, buffer_, sizeof header) != Error::Success || header.written == 0) return;
  std::vector<std::byte> data(std::min(header.written, capacity_));
  const uint64_t begin = buffer_ + sizeof header;
  if (device_.peek(data.data(), begin, data.size()) != Error::Success) return;
  auto text = [this](uint64_t address) { return text_at(address); };
  for (size_t offset = 0; offset + sizeof(RecordHeader) <= data.size();) {
    RecordHeader record;
    std::memcpy(&record, data.data() + offset, sizeof record);
    if (record.size < sizeof record || record.size > data.size() - offset) break;
    const size_t room = record.size - sizeof record;
    const std::span<const std::byte> arguments(data.data() + offset + sizeof record, std::min<size_t>(record.arguments, room));
    const std::string line = format_record(text_at(record.format), arguments, text);
    std::fwrite(line.data(), 1, line.size(), stdout);
    offset += record.size;
  }
  std::fill(data.begin(), data.end(), std::byte{0});
  device_.poke(begin, data.data(), data.size());
  const BufferHeader empty{0, capacity_};
  device_.poke(buffer_, &empty, sizeof empty);
}

bool ModuleOutput::print_assertion() {
  Assertion a{};
  if (device_.peek(&a, assertion_, sizeof a) != Error::Success || a.claimed == 0) return false;
  std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
               text_at(a.file).c_str(), a.line, text_at(a.function).c_str(), a.block[0], a.block[1], a.block[2],
               a.thread[0], a.thread[1], a.thread[2], text_at(a.message).c_str());
  return true;
}

std::string ModuleOutput::text_at(uint64_t address) {
  std::string text;
  while (address && text.size() < kLongestText) {
    // Up to the next multiple of 64, so that a string at the end of an allocation is read whole.
    char chunk[64];
    size_t bytes = sizeof chunk - address % sizeof chunk;
    while (bytes && device_.peek(chunk, address, bytes) != Error::Success) bytes /= 2;
    if (!bytes) break;
    const char* end = static_cast<const char*>(std::memchr(chunk, 0, bytes));
    text.append(chunk, end ? static_cast<size_t>(end - chunk) : bytes);
    if (end) break;
    address += bytes;
  }
  return text;
}

}  // namespace cassc::rt
