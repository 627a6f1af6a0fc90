#include "translations.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "digest.h"
#include "errors.h"

namespace cassc::rt {
namespace {

std::span<const std::byte> map_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  struct stat status {};
  void* address = MAP_FAILED;
  if (fstat(file, &status) == 0 && status.st_size > 0)
    address = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (address == MAP_FAILED) return {};
  return {static_cast<const std::byte*>(address), static_cast<size_t>(status.st_size)};
}

// A new file beside path; its name, empty on failure.
std::string write_beside(const std::string& path, std::span<const std::byte> content) {
  std::string name = path + ".XXXXXX";
  const int file = mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return {};
  while (!content.empty()) {
    const ssize_t written = write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    content = content.subspan(static_cast<size_t>(written));
  }
  close(file);
  if (content.empty()) return name;
  unlink(name.c_str());
  return {};
}

// The environment for the translator: without what makes this process one of `cassc run`.
std::vector<char*> plain_environment() {
  std::vector<char*> kept;
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with("LD_AUDIT=") && !text.starts_with("LD_PRELOAD=")) kept.push_back(*variable);
  }
  kept.push_back(nullptr);
  return kept;
}

void translate(const char* command, std::span<const std::byte> container, const std::string& path,
               const std::string& kernel) {
  const std::string input = write_beside(path, container);
  if (input.empty()) {
    report("cannot write beside " + path + ": " + std::strerror(errno), true);
    return;
  }
  const std::string line = std::string(command) + " \"$0\" \"$1\" \"$2\"";
  const char* arguments[] = {"sh", "-c", line.c_str(), input.c_str(), path.c_str(), kernel.c_str(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawn(&child, "/bin/sh", nullptr, nullptr, const_cast<char**>(arguments), plain_environment().data());
  if (failed) report(std::string("the translator cannot be started: ") + std::strerror(failed), true);
  int status = 0;
  while (!failed && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  unlink(input.c_str());
}

}  // namespace

bool translates() { return std::getenv("CASSC_TRANSLATIONS") && std::getenv("CASSC_TRANSLATOR"); }

std::vector<FatEntry> find_translation(std::span<const std::byte> container, const std::string& kernel) {
  const char* folder = std::getenv("CASSC_TRANSLATIONS");
  if (!folder || container.empty()) return {};
  std::string path = std::string(folder) + "/" + sha256_hex(container);
  if (!kernel.empty()) path += "." + sha256_hex(std::as_bytes(std::span(kernel)));
  path += ".fatbin";
  std::span<const std::byte> found = map_file(path);
  const char* command = std::getenv("CASSC_TRANSLATOR");
  if (found.empty() && command) {
    translate(command, container, path, kernel);
    found = map_file(path);
  }
  return read_container(found);
}

}  // namespace cassc::rt
