// What kernels leave for the host: device printf records and failed assertions.
#ifndef CASSC_RUNTIME_OUTPUT_H
#define CASSC_RUNTIME_OUTPUT_H
#include <memory>

#include "device.h"

namespace cassc::rt {

// Code objects that print export __cassc_printf: {u64 address of the buffer, u64 0}. The buffer is {u32 bytes reserved so
// far, u32 capacity, records}; a record is {u32 its size, u32 size of the arguments, u64 address of the format, arguments},
// a multiple of 8 bytes. Those that assert export __cassc_assert: {u32 claimed, u32 line, u64 message, u64 file, u64 function,
// u32 block[3], u32 thread[3]}.
class ModuleOutput final : public KernelOutput {
 public:
  // Null, with Success, when the module neither prints nor asserts. fifo_bytes: cudaLimitPrintfFifoSize.
  static Error attach(Device& device, DeviceModule& module, size_t fifo_bytes, std::unique_ptr<ModuleOutput>& output);
  ~ModuleOutput() override;
  Error collect() override;

 private:
  explicit ModuleOutput(Device& device) : device_(device) {}
  void print_records();
  bool print_assertion();
  std::string text_at(uint64_t address);

  Device& device_;
  uint64_t buffer_ = 0, assertion_ = 0;
  uint32_t capacity_ = 0;
};

// Where the arguments of a format come from, one after the other; false: there is none left.
class FormatArguments {
 public:
  virtual ~FormatArguments() = default;
  virtual bool integer(int& value) = 0;
  virtual bool wide(uint64_t& value) = 0;  // long, and pointers
  virtual bool real(double& value) = 0;
  virtual bool text(std::string& value) = 0;
};

// CUDA Programming Guide, "Formatted Output": flags # space 0 + -, width, precision, sizes h l ll, types d i u o x X f F g G a A
// e E c s p and %%. A conversion that is not one of these is printed as it stands.
std::string format_text(const std::string& format, FormatArguments& arguments);

// Formats as device printf does: CUDA's conversions, arguments at their natural alignment (4 or 8 bytes). text_at gives the
// string at a device address.
std::string format_record(const std::string& format, std::span<const std::byte> arguments,
                          const std::function<std::string(uint64_t)>& text_at);

}  // namespace cassc::rt
#endif
