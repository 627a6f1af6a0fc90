// Types that cross the C boundary of libcudart. Layouts are those of the CUDA runtime API (sizes and offsets checked against
// the toolkit's headers by tests/runtime); names follow it, without the prefix.
#ifndef CASSC_CUDART_ABI_H
#define CASSC_CUDART_ABI_H
#include <array>
#include <cstddef>
#include <cstdint>

#include "graph.h"
#include "operation.h"
#include "stream.h"
#include "trace.h"
#include "types.h"

// CASSC_CUDART_MAJOR is 11, 12 or 13: the library that is compiled.
#define CASSC_API extern "C" __attribute__((visibility("default"), CASSC_TRACED))

namespace cassc::cudart {

using rt::CopyKind;
using rt::Dim3;
using rt::Error;
using rt::Event;
using rt::Graph;
using rt::GraphExec;
using rt::Node;
using rt::Stream;

constexpr int kMajor = CASSC_CUDART_MAJOR;
constexpr int kRuntimeVersion = kMajor == 11 ? 11080 : kMajor == 12 ? 12090 : 13050;

struct Extent {
  size_t width, height, depth;
};
struct Position {
  size_t x, y, z;
};
struct PitchedPointer {
  void* pointer;
  size_t pitch, xsize, ysize;
};
struct ChannelFormat {
  int x, y, z, w, kind;
};
struct Array;  // cudaArray_t
struct Memcpy3DParameters {
  Array* source_array;
  Position source_position;
  PitchedPointer source;
  Array* target_array;
  Position target_position;
  PitchedPointer target;
  Extent extent;
  CopyKind kind;
};
static_assert(sizeof(Memcpy3DParameters) == 160);

struct Memcpy3DPeerParameters {
  Array* source_array;
  Position source_position;
  PitchedPointer source;
  int source_device;
  Array* target_array;
  Position target_position;
  PitchedPointer target;
  int target_device;
  Extent extent;
};
static_assert(sizeof(Memcpy3DPeerParameters) == 168);

struct FunctionAttributes {
  size_t shared_bytes, const_bytes, local_bytes;
  int max_threads, registers, ptx_version, binary_version, cache_mode_ca, max_dynamic_shared, carveout;
#if CASSC_CUDART_MAJOR >= 12
  int cluster_must_be_set, cluster_width, cluster_height, cluster_depth, cluster_policy, nonportable_cluster;
  int reserved[16];
#endif
};
static_assert(sizeof(FunctionAttributes) == (kMajor == 11 ? 56 : 144));

struct PointerAttributes {
  int type, device;
  void *device_pointer, *host_pointer;
#if CASSC_CUDART_MAJOR >= 13
  int64_t reserved[8];
#endif
};
static_assert(sizeof(PointerAttributes) == (kMajor <= 12 ? 24 : 88));

struct MemoryLocation {
  int type, id;
};
constexpr int kLocationDevice = 1;

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
  Dim3 grid, block;
  size_t dynamic_shared;
  Stream* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};
static_assert(sizeof(LaunchConfig) == 56);

struct KernelNodeParameters {
  const void* function;
  Dim3 grid, block;
  unsigned dynamic_shared;
  void** arguments;
  void** extra;
};
static_assert(sizeof(KernelNodeParameters) == 56);

struct MemsetParameters {
  void* target;
  size_t pitch;
  unsigned value, element;
  size_t width, height;
};
static_assert(sizeof(MemsetParameters) == 40);

struct HostNodeParameters {
  rt::HostFunction function;
  void* data;
};

struct EdgeData {
  unsigned char from_port, to_port, type, reserved[5];
};
static_assert(sizeof(EdgeData) == 8);

struct PoolProperties {
  int allocation_type, handle_types;
  MemoryLocation location;
  void* security;
  size_t max_size;
  unsigned short usage;
  unsigned char reserved[54];
};
static_assert(sizeof(PoolProperties) == 88);

struct InstantiateParameters {
  unsigned long long flags;
  Stream* upload;
  Node* error_node;
  int result;
};

using AttributeValue = std::array<char, 64>;  // union cudaLaunchAttributeValue
using StreamCallback = void (*)(Stream*, Error, void*);

struct MemAllocNodeParameters {
  PoolProperties properties;
  const void* access;
  size_t access_count, bytes;
  void* pointer;
};
static_assert(sizeof(MemAllocNodeParameters) == 120);

}  // namespace cassc::cudart
#endif
