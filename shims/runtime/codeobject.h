// What the runtime needs to know of an AMDGPU code object: kernels and where their arguments lie.
#ifndef CASSC_RUNTIME_CODEOBJECT_H
#define CASSC_RUNTIME_CODEOBJECT_H
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cassc::rt {

struct KernelArgument {
  uint32_t offset = 0, size = 0;  // bytes, in the kernarg segment
};

// The argument that the translation added for the workspace of the grid.
constexpr std::string_view kGridArgument = "__cassc_grid";

struct KernelMetadata {
  std::string name;
  std::vector<KernelArgument> arguments;  // explicit ones, in order
  std::optional<uint32_t> grid_argument;  // offset of kGridArgument, which is not among the arguments
  uint32_t explicit_size = 0;             // bytes up to the end of the last explicit argument, that one included
  uint32_t static_shared = 0;             // bytes of LDS
  uint32_t scratch = 0;                   // bytes for each work-item
  uint32_t max_threads = 1024;            // of a workgroup
  uint32_t registers = 0;                 // VGPRs
};

// Reads the note NT_AMDGPU_METADATA (LLVM, "User Guide for AMDGPU Backend", Code Object V3 and above Metadata). Nullopt, with
// one sentence in why, when the bytes are no code object or the metadata is broken.
std::optional<std::vector<KernelMetadata>> read_metadata(std::span<const std::byte> code_object, std::string& why);

}  // namespace cassc::rt
#endif
