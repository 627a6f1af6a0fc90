#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "program.h"

namespace cassc::rtc {
namespace {

namespace fs = std::filesystem;

class Scratch {
 public:
  Scratch() {
    const char* base = std::getenv("TMPDIR");
    std::string name = std::string(base && *base ? base : "/tmp") + "/cassc-rtc-XXXXXX";
    if (mkdtemp(name.data())) path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

bool write(const fs::path& file, const std::string& text) {
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  return static_cast<bool>(std::ofstream(file, std::ios::binary) << text);
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string lines(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& line : all) text += line + "\n";
  return text;
}

// Without what makes this process one of `cassc run`.
std::vector<char*> plain_environment() {
  std::vector<char*> kept;
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with("LD_AUDIT=") && !text.starts_with("LD_PRELOAD=")) kept.push_back(*variable);
  }
  kept.push_back(nullptr);
  return kept;
}

// Its exit status, negative when it was not started.
int run(const fs::path& folder) {
  const char* named = std::getenv("CASSC_RTC");
  const std::string line = std::string(named && *named ? named : "cassc rtc") + " \"$0\"";
  const std::string place = folder.string();
  const char* arguments[] = {"sh", "-c", line.c_str(), place.c_str(), nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, "/bin/sh", nullptr, nullptr, const_cast<char**>(arguments), plain_environment().data())) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

Result compile(Program& program, const std::vector<std::string>& options) {
  const Scratch scratch;
  const fs::path& folder = scratch.path();
  if (folder.empty()) return Result::InternalError;
  bool written = write(folder / "source.cu", program.source) && write(folder / "name", program.name) &&
                 write(folder / "options", lines(options)) && write(folder / "expressions", lines(program.expressions));
  for (const auto& [name, text] : program.headers) {
    const fs::path inside = fs::path(name).lexically_normal();
    if (inside.is_absolute() || inside.string().starts_with("..")) {
      program.log = "cassc: the header name '" + name + "' leaves the program's folder";
      return Result::InvalidInput;
    }
    written = written && write(folder / "headers" / inside, text);
  }
  if (!written) return Result::InternalError;
  const int status = run(folder);
  program.log = read(folder / "log");
  program.ptx = read(folder / "ptx");
  program.cubin = read(folder / "cubin");
  program.lowered.clear();
  std::ifstream names(folder / "lowered");
  std::string name;
  for (const std::string& expression : program.expressions)
    if (std::getline(names, name)) program.lowered[expression] = name;
  program.compiled = status == 0;
  switch (status) {
    case 0: return Result::Success;
    case static_cast<int>(Result::InvalidOption): return Result::InvalidOption;
    case static_cast<int>(Result::Compilation): return Result::Compilation;
    default:
      if (program.log.empty())
        program.log = "cassc: NVRTC needs the command 'cassc' on PATH, or 'cassc run' to start the program\n";
      return Result::InternalError;
  }
}

}  // namespace cassc::rtc
