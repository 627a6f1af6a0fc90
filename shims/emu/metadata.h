// The NT_AMDGPU_METADATA note of a code object: what the emulator needs to launch its kernels.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cassc::emu {

// How the emulator fills an argument that the program does not pass.
enum class Hidden : uint8_t {
  none, block_count, group_size, remainder, global_offset, grid_dims, dynamic_lds_size, private_base, shared_base, grid_sync, hostcall_buffer, heap, printf_buffer, zero
};

struct Argument {
  uint32_t offset = 0, size = 0;
  Hidden hidden = Hidden::none;
  uint8_t axis = 0;
};

struct KernelMetadata {
  std::string name, symbol;
  uint32_t kernarg_size = 0, group_size = 0, private_size = 0, max_workgroup = 1024, vgprs = 0, sgprs = 0;
  bool dynamic_stack = false;
  std::vector<Argument> arguments;
};

// False: not a well-formed metadata map; `why` says what is wrong.
bool read_metadata(const uint8_t* data, size_t size, std::vector<KernelMetadata>& kernels, std::string& why);

}  // namespace cassc::emu
