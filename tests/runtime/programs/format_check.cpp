// Prints what format_record (shims/runtime/output.cpp) makes of some device printf records, one line each.
#include <cstdio>
#include <cstring>

#include "output.h"

namespace {

std::vector<std::byte> packed;

template <class T>
void put(T value) {
  packed.resize((packed.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  packed.insert(packed.end(), bytes, bytes + sizeof value);
}

template <class... T>
void show(const char* format, T... values) {
  packed.clear();
  (put(values), ...);
  const std::string text = cassc::rt::format_record(format, packed, [](uint64_t address) {
    return std::string(reinterpret_cast<const char*>(address));
  });
  std::printf("[%s]\n", text.c_str());
}

uint64_t at(const char* text) { return reinterpret_cast<uint64_t>(text); }

}  // namespace

int main() {
  show("plain %% text");
  show("%d %i %u", -1, 2, 3u);
  show("%5d|%-5d|%05d|%+d|% d", 42, 42, 42, 42, 42);
  show("%x %X %#x %o", 255, 255, 255, 8);
  show("%*d|%-*d|%.*f", 6, 7, 6, 7, 2, 3.14159);
  show("%ld %lld %lu %llx", -1ll, 1ll << 40, 5ull, 0xabcdef0123ll);
  show("%f %.3f %10.2e %g %a", 1.5, 2.0 / 3, 12345.678, 1e-10, 1.0);
  show("%hhd %hd", 300, 70000);
  show("%c%c%c", int{'a'}, int{'b'}, int{'c'});
  show("%s|%10s|%-6s|%.2s", at("one"), at("two"), at("six"), at("cut"));
  show("%s", uint64_t{0});
  show("%p %p", uint64_t{0x7f001234}, uint64_t{0});
  show("%d %lf %d %lld", 1, 2.5, 3, 4ll);
  show("%zu %jd %td", uint64_t{7}, int64_t{-7}, int64_t{8});
  show("%d and %d", 1);
  show("%q %d", 5);
  show("ends with %");
  show("%5");
}
