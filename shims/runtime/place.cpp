// Where a device is, and what tells it from others.
#include <cstdio>

#include "device.h"

namespace cassc::rt {

void device_uuid(const DeviceFacts& facts, char* uuid) {
  constexpr size_t bytes = 16;
  const std::string seed = facts.gfx + "/" + std::to_string(facts.pci_bus);
  for (size_t i = 0; i < bytes; ++i) uuid[i] = i < seed.size() ? seed[i] : static_cast<char>('a' + i);
}

std::string pci_text(const DeviceFacts& facts) {
  char text[16];
  std::snprintf(text, sizeof text, "%04X:%02X:%02X.0", static_cast<unsigned>(facts.pci_domain) & 0xffff,
                static_cast<unsigned>(facts.pci_bus) & 0xff, static_cast<unsigned>(facts.pci_device) & 0xff);
  return text;
}

std::optional<bool> is_at(const DeviceFacts& facts, const char* pci) {
  unsigned domain = 0, bus = 0, slot = 0;
  if (std::sscanf(pci, "%x:%x:%x", &domain, &bus, &slot) != 3) {
    domain = 0;
    if (std::sscanf(pci, "%x:%x", &bus, &slot) != 2) return std::nullopt;
  }
  return static_cast<int>(domain) == facts.pci_domain && static_cast<int>(bus) == facts.pci_bus &&
         static_cast<int>(slot) == facts.pci_device;
}

}  // namespace cassc::rt
