// What checks and profiles find, as lines of JSON in a file: cassc renders them.
#pragma once
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

#include "machine.h"

namespace cassc::emu {

// One JSON object, written member by member.
class Record {
 public:
  explicit Record(std::string_view type) { add("type", type); }
  Record& add(std::string_view name, std::string_view text);
  Record& add(std::string_view name, u64 number);
  Record& add(std::string_view name, const u64* numbers, size_t count);
  std::string text() const { return text_ + "}"; }

 private:
  void member(std::string_view name);
  std::string text_ = "{";
};

// A file that several threads write whole lines to; each is there for a reader as soon as it is written.
class Journal {
 public:
  explicit Journal(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "ae")) {}
  ~Journal() { if (file_) std::fclose(file_); }
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  bool good() const { return file_ != nullptr; }
  const std::string& path() const { return path_; }
  void write(const Record& record);

 private:
  std::string path_;
  std::FILE* file_;
  std::mutex mutex_;
};

}  // namespace cassc::emu
