// Types that cross the C boundary of libcuda. Layouts are those of the CUDA driver API (CUDA Driver API manual, "Data types
// used by CUDA driver"; sizes and offsets checked against the toolkit's header by tests/runtime).
#ifndef CASSC_CUDA_ABI_H
#define CASSC_CUDA_ABI_H
#include <array>
#include <cstddef>
#include <cstdint>

#include "graph.h"
#include "operation.h"
#include "pool.h"
#include "registry.h"
#include "stream.h"
#include "trace.h"

#define CASSC_API extern "C" __attribute__((visibility("default"), CASSC_TRACED))

namespace cassc::cuda {

using rt::Dim3;
using rt::Error;
using rt::Event;
using rt::Graph;
using rt::GraphExec;
using rt::Kernel;
using rt::MemoryPool;
using rt::Node;
using rt::Stream;

// CUresult. The enumerators are those that this library gives itself; errors.def holds all numbers.
enum class Result : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidContext = 201,
  NoBinaryForGpu = 209,
  UnsupportedLimit = 215,
  PeerAccessUnsupported = 217,
  FileNotFound = 301,
  InvalidHandle = 400,
  NotFound = 500,
  PeerAccessNotEnabled = 705,
  PrimaryContextActive = 708,
  ContextIsDestroyed = 709,
  NotSupported = 801,
  Unknown = 999
};

using DevicePointer = unsigned long long;  // CUdeviceptr
constexpr int kDriverVersion = 13000;

enum MemoryKind : unsigned { kHost = 1, kDevice = 2, kArray = 3, kUnified = 4 };  // CUmemorytype

struct Memcpy2D {
  size_t source_x, source_y;
  unsigned source_kind;
  const void* source_host;
  DevicePointer source_device;
  void* source_array;
  size_t source_pitch, target_x, target_y;
  unsigned target_kind;
  void* target_host;
  DevicePointer target_device;
  void* target_array;
  size_t target_pitch, width, height;
};
static_assert(sizeof(Memcpy2D) == 128);

struct Memcpy3D {
  size_t source_x, source_y, source_z, source_level;
  unsigned source_kind;
  const void* source_host;
  DevicePointer source_device;
  void *source_array, *reserved0;
  size_t source_pitch, source_height, target_x, target_y, target_z, target_level;
  unsigned target_kind;
  void* target_host;
  DevicePointer target_device;
  void *target_array, *reserved1;
  size_t target_pitch, target_height, width, height, depth;
};
static_assert(sizeof(Memcpy3D) == 200);

struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    int number;
    unsigned dimensions[3];
    char bytes[64];
  };
};
static_assert(sizeof(LaunchAttribute) == 72);

struct LaunchConfig {
  unsigned grid[3], block[3], dynamic_shared;
  Stream* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};
static_assert(sizeof(LaunchConfig) == 56);

struct MemoryLocation {
  int type, id;
};
constexpr int kLocationDevice = 1;

struct PoolProperties {
  int allocation_type, handle_types;
  MemoryLocation location;
  void* security;
  size_t max_size;
  unsigned short usage;
  unsigned char reserved[54];
};
static_assert(sizeof(PoolProperties) == 88);

struct KernelNodeParameters {  // CUDA_KERNEL_NODE_PARAMS_v2
  Kernel* function;
  unsigned grid[3], block[3], dynamic_shared;
  void **arguments, **extra;
  void *kernel, *context;
};
static_assert(sizeof(KernelNodeParameters) == 72);

using StreamCallback = void (*)(Stream*, Result, void*);
using BlockToShared = size_t (*)(int);

}  // namespace cassc::cuda
#endif
