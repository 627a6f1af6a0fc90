// Descriptors of texture and surface objects in device memory, where the code of kernels reads them.
#ifndef CASSC_RUNTIME_TEXTURES_H
#define CASSC_RUNTIME_TEXTURES_H
#include <map>
#include <mutex>
#include <vector>

#include "device.h"
#include "types.h"

namespace cassc::rt {

// Code objects that fetch texels export __cassc_textures: {u64 address of the table, u64 0}. The table has slots of 128 bytes; a
// handle is the number of the slot where its descriptor begins. The first eight hold the 256 floats of sRGB bytes.
class CASSC_EXPORT TextureTable {
 public:
  static constexpr uint32_t kSlotBytes = 128;

  Error attach(Device& device, DeviceModule& module);
  // descriptor: as cassc/sass/textures/descriptor.py describes it. MemoryAllocation when the table is full.
  Error add(Device& device, const std::vector<std::byte>& descriptor, uint64_t& handle);
  void remove(uint64_t handle);
  void release(Device& device);

 private:
  static constexpr uint32_t kSlots = 1u << 16, kReserved = 8;

  Error make(Device& device);

  std::mutex mutex_;
  uint64_t address_ = 0;
  std::map<uint32_t, uint32_t> used_;  // first slot -> slots
  uint32_t next_ = kReserved;
};

}  // namespace cassc::rt
#endif
