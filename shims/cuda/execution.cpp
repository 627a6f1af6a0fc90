// Execution control.
#include <cstring>

#include "api.h"
#include "capture.h"

using namespace cassc::cuda;
namespace rt = cassc::rt;

namespace {

enum ExtraKey : uintptr_t { kEnd = 0, kBuffer = 1, kBufferSize = 2 };
enum LaunchAttributeId { kCooperative = 2, kClusterDimension = 4 };

// The parameters as one buffer, laid out as the kernel's: cuLaunchKernel's "extra".
Result pointers_into(const Kernel& kernel, void** extra, std::vector<void*>& pointers) {
  char* buffer = nullptr;
  size_t size = 0;
  for (; *extra; extra += 2) {
    const auto key = reinterpret_cast<uintptr_t>(extra[0]);
    if (key == kBuffer)
      buffer = static_cast<char*>(extra[1]);
    else if (key == kBufferSize)
      size = *static_cast<size_t*>(extra[1]);
    else
      return Result::InvalidValue;
  }
  if (!buffer || size < kernel.metadata.explicit_size) return Result::InvalidValue;
  for (const rt::KernelArgument& argument : kernel.metadata.arguments) pointers.push_back(buffer + argument.offset);
  return Result::Success;
}

Result launch(Kernel* handle, Dim3 grid, Dim3 block, unsigned dynamic_shared, Stream* stream_handle, void** arguments,
              void** extra, bool cooperative) {
  return on_stream(stream_handle, [&](Stream& stream) {
    Kernel* kernel = nullptr;
    if (const Error error = rt::Registry::get().kernel(handle, &kernel); error != Error::Success) return result_of(error);
    std::vector<void*> pointers;
    if (arguments && extra) return Result::InvalidValue;
    if (extra) {
      if (const Result bad = pointers_into(*kernel, extra, pointers); bad != Result::Success) return bad;
      arguments = pointers.data();
    }
    rt::KernelCall call;
    const Error error = rt::prepare(kernel, grid, block, arguments, dynamic_shared, cooperative, call);
    if (error == Error::Success) return result_of(rt::submit(stream, call));
    rt::spoil_capture(stream);
    return result_of(error);
  });
}

}  // namespace

CASSC_API Result cuLaunchKernel(Kernel* kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                unsigned block_y, unsigned block_z, unsigned dynamic_shared, Stream* stream, void** arguments,
                                void** extra) {
  return launch(kernel, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, dynamic_shared, stream, arguments, extra, false);
}

CASSC_API Result cuLaunchCooperativeKernel(Kernel* kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                           unsigned block_y, unsigned block_z, unsigned dynamic_shared, Stream* stream,
                                           void** arguments) {
  return launch(kernel, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, dynamic_shared, stream, arguments, nullptr, true);
}

CASSC_API Result cuLaunchKernelEx(const LaunchConfig* config, Kernel* kernel, void** arguments, void** extra) {
  if (!config || (config->attribute_count && !config->attributes)) return Result::InvalidValue;
  bool cooperative = false;
  for (unsigned i = 0; i < config->attribute_count; ++i) {
    const LaunchAttribute& attribute = config->attributes[i];
    if (attribute.id == kCooperative) cooperative = attribute.number != 0;
    const bool clusters = attribute.id == kClusterDimension && (attribute.dimensions[0] > 1 || attribute.dimensions[1] > 1 ||
                                                                attribute.dimensions[2] > 1);
    if (!clusters) continue;
    rt::report("thread block clusters are not supported", true);
    return Result::NotSupported;
  }
  return launch(kernel, {config->grid[0], config->grid[1], config->grid[2]},
                {config->block[0], config->block[1], config->block[2]}, config->dynamic_shared, config->stream, arguments, extra,
                cooperative);
}

CASSC_API Result cuLaunchHostFunc(Stream* handle, rt::HostFunction function, void* data) {
  return on_stream(handle, [&](Stream& stream) {
    return function ? result_of(rt::submit(stream, rt::HostWork{function, data})) : Result::InvalidValue;
  });
}
