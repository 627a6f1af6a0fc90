#include "signature.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace cassc::redirect {
namespace {

constexpr uint64_t kAlignment = 16;

struct Skip {
  uint64_t offset, length;
};

struct Anchor {
  uint64_t offset = 0, length = 0, hash = 0;
  std::vector<Skip> skips;  // ascending
};

struct Function {
  std::string name;
  uint64_t offset, size;
};

struct Table {
  int major = 0;
  std::vector<Anchor> anchors;
  std::vector<Function> functions;
};

std::optional<Table> read_table(const std::string& path) {
  std::ifstream file(path);
  std::string line, word;
  if (!std::getline(file, line) || line != "cassc-redirect 1") return std::nullopt;
  Table table;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    words >> word >> std::hex;
    if (word == "version") {
      words >> std::dec >> table.major;
    } else if (word == "anchor") {
      Anchor anchor;
      words >> anchor.offset >> anchor.length >> anchor.hash;
      char dash = 0;
      for (Skip skip{}; words >> skip.offset >> dash >> skip.length;) anchor.skips.push_back(skip);
      table.anchors.push_back(anchor);
    } else if (word == "function") {
      Function function{};
      words >> function.name >> function.offset >> function.size;
      table.functions.push_back(function);
    }
  }
  if (table.anchors.empty() || table.functions.empty()) return std::nullopt;
  return table;
}

bool matches(const Anchor& anchor, Bytes code) {
  if (code.size() < anchor.length) return false;
  uint64_t hash = 0xcbf29ce484222325, position = 0;
  const auto absorb = [&](uint64_t end) {
    for (; position < end; ++position) hash = (hash ^ std::to_integer<uint64_t>(code[position])) * 0x100000001b3;
  };
  for (const Skip& skip : anchor.skips) {
    absorb(std::min(skip.offset, anchor.length));
    position = std::max(position, skip.offset + skip.length);
  }
  absorb(anchor.length);
  return hash == anchor.hash;
}

// Where the library's code starts in a stretch of code: all anchors must agree.
std::optional<uint64_t> find_start(const Table& table, const CodeStretch& code) {
  const Anchor& first = table.anchors.front();
  const uint64_t misaligned = (kAlignment - code.address % kAlignment) % kAlignment;
  for (uint64_t place = misaligned; place < code.bytes.size(); place += kAlignment) {
    if (place < first.offset || !matches(first, code.bytes.subspan(place))) continue;
    const uint64_t start = place - first.offset;
    bool all = true;
    for (const Anchor& anchor : table.anchors)
      all = all && start + anchor.offset <= code.bytes.size() && matches(anchor, code.bytes.subspan(start + anchor.offset));
    if (all) return start;
  }
  return std::nullopt;
}

}  // namespace

StaticRuntime find_by_signature(const ElfFile& file, std::string_view tables) {
  StaticRuntime found;
  while (!tables.empty()) {
    const size_t colon = std::min(tables.find(':'), tables.size());
    const std::string path(tables.substr(0, colon));
    tables.remove_prefix(std::min(colon + 1, tables.size()));
    const auto table = read_table(path);
    if (!table) continue;
    for (const CodeStretch& code : file.code()) {
      const auto start = find_start(*table, code);
      if (!start) continue;
      found.major = table->major;
      for (const Function& function : table->functions) {
        const uint64_t size = (function.size + kAlignment - 1) / kAlignment * kAlignment;
        if (*start + function.offset + size <= code.bytes.size())
          found.entries.push_back({function.name, code.address + *start + function.offset, size});
      }
      return found;
    }
  }
  return found;
}

}  // namespace cassc::redirect
