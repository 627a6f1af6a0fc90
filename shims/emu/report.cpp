#include "report.h"

namespace cassc::emu {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    char escape[8];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(escape, sizeof escape, "\\u%04x", unsigned(c));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace

void Record::member(std::string_view name) {
  if (text_.size() > 1) text_ += ", ";
  text_ += quoted(name) + ": ";
}

Record& Record::add(std::string_view name, std::string_view text) {
  member(name);
  text_ += quoted(text);
  return *this;
}

Record& Record::add(std::string_view name, u64 number) {
  member(name);
  text_ += std::to_string(number);
  return *this;
}

Record& Record::add(std::string_view name, const u64* numbers, size_t count) {
  member(name);
  text_ += '[';
  for (size_t i = 0; i < count; ++i) text_ += (i ? ", " : "") + std::to_string(numbers[i]);
  text_ += ']';
  return *this;
}

void Journal::write(const Record& record) {
  const std::string line = record.text() + "\n";
  const std::lock_guard lock(mutex_);
  std::fwrite(line.data(), 1, line.size(), file_);
  std::fflush(file_);
}

}  // namespace cassc::emu
