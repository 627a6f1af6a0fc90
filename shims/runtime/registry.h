// What the host program registers: fat binaries, their kernels and variables; code objects are loaded at first use.
#ifndef CASSC_RUNTIME_REGISTRY_H
#define CASSC_RUNTIME_REGISTRY_H
#include <map>
#include <memory>
#include <string>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "codeobject.h"
#include "device.h"
#include "fatbin.h"
#include "output.h"

namespace cassc::rt {

class Image;

struct Kernel {
  Image* image = nullptr;
  std::string name;
  const void* stub = nullptr;
  int dynamic_shared_limit = 0;  // bytes, set by cudaFuncSetAttribute; 0: the default
  int carveout = -1;
  int reserved_shared = 0;  // bytes of the code object's LDS that CUDA keeps for itself and does not count
  // Valid once the image is loaded:
  Image* home = nullptr;  // whose code object holds it: the image, or a piece of it
  const DeviceKernel* device = nullptr;
  KernelMetadata metadata;
};

struct Variable {
  Image* image = nullptr;
  std::string name;
  const void* host = nullptr;  // its key: the address of the host's shadow
  void** managed = nullptr;    // the host's pointer to a __managed__ variable
  size_t size = 0;
  bool constant = false;
  void* address = nullptr;  // on the device, once the image is loaded
};

// One registered fat binary.
class CASSC_EXPORT Image {
 public:
  explicit Image(const void* wrapper);
  explicit Image(std::vector<std::byte> container);  // kept
  explicit Image(std::vector<FatEntry> translation);  // nothing else is looked for
  Error load(Device& device);  // the first time; later calls give the same answer
  // Loads what this kernel needs: the whole code object or, of a library so big that its kernels are translated one by one
  // as they are launched, the kernel's own.
  Error load(Device& device, Kernel& kernel);
  void unload();
  void add(std::unique_ptr<Variable> variable);
  // The SM of the translation, or of the code that would be translated; 0 where there is none.
  uint32_t sm();
  uint32_t loaded_sm() const { return loaded_sm_; }
  KernelOutput* output() const { return output_.get(); }
  DeviceModule* module() const { return module_.get(); }
  std::string refusal(const std::string& kernel) const;  // why it was not translated, empty when unknown
  std::string why_not() const;  // why it could not be loaded, in one sentence
  std::vector<std::string> kernel_names() const;  // of the loaded code object
  size_t constant_bytes() const;  // of all __constant__ variables
  std::span<const std::byte> container() const { return container_; }
  const std::vector<FatEntry>& entries() const { return entries_; }  // with those of a translation, once loaded

  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<std::unique_ptr<Variable>> variables;

 private:
  Error find_and_load(Device& device);
  bool comes_in_pieces() const;
  Error load_piece(Device& device, Kernel& kernel);
  void find_translation();
  Error bind(Device& device);
  friend class Registry;
  bool bind(Kernel& kernel);  // false: the code object does not hold it
  bool bind(Variable& variable);
  Error bind(Device& device, Variable& variable);  // and the host's pointer to it

  std::vector<std::byte> own_container_;
  std::span<const std::byte> container_;
  std::vector<FatEntry> entries_;
  bool translation_sought_ = false;
  std::mutex loading_;
  bool tried_ = false;
  Error result_ = Error::Success;
  uint32_t loaded_sm_ = 0;
  std::unique_ptr<DeviceModule> module_;
  std::unique_ptr<ModuleOutput> output_;
  std::vector<KernelMetadata> metadata_;
  bool whole_ = false;  // a kernel uses a variable, which all have to share
  std::map<std::string, std::unique_ptr<Image>> pieces_;  // by kernel
};

class CASSC_EXPORT Registry {
 public:
  static Registry& get();

  Image* add_image(const void* wrapper);
  Image* add_image(std::vector<std::byte> container);  // of a module that the program loads itself
  void add_kernel(Image* image, const void* stub, const char* name);
  void add_variable(Image* image, const void* host, void** managed, const char* name, size_t size, bool constant);
  void remove(Image* image);  // its library is unloaded, or the process ends

  // By host stub or by the handle that __cudaGetKernel gave; null when unknown.
  Kernel* find_kernel(const void* stub_or_handle);
  Variable* find_variable(const void* host);

  // The kernel with its code object loaded.
  Error kernel(const void* stub_or_handle, Kernel** kernel);
  Error variable(const void* host, Variable** variable);
  // The same by name, of a loaded image that registered none. SymbolNotFound when it holds none of the name.
  Error kernel_named(Image* image, const char* name, Kernel** kernel);
  Error variable_named(Image* image, const char* name, Variable** variable);
  Error load(Image* image);

  void unload();  // every code object; the registrations stay
  // Highest SM among the registered images (80: sm_80), 80 without any.
  uint32_t compute_capability();
  // The chip for which the program holds code objects: gfx1100 if it is among them or there are none.
  const char* wanted_chip();

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Image>> images_;
  std::unordered_map<const void*, Kernel*> kernels_;  // by stub and by handle
  std::unordered_map<const void*, Variable*> variables_;
};

}  // namespace cassc::rt
#endif
