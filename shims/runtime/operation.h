// Work of a stream: what a call enqueues, and what a node of a graph holds.
#ifndef CASSC_RUNTIME_OPERATION_H
#define CASSC_RUNTIME_OPERATION_H
#include <variant>

#include "device.h"
#include "memory.h"
#include "registry.h"
#include "stream.h"

namespace cassc::rt {

struct Graph;

struct KernelCall {
  Kernel* kernel = nullptr;
  Dim3 grid, block;
  size_t dynamic_shared = 0;
  bool cooperative = false;
  std::vector<std::byte> arguments;  // the kernarg segment without hidden arguments
};

using HostFunction = void (*)(void*);
struct HostWork {
  HostFunction function = nullptr;
  void* data = nullptr;
};

struct Nothing {};
struct ChildGraph {
  std::shared_ptr<const Graph> graph;
};
struct EventRecord {
  Event* event = nullptr;
};
struct EventWait {
  Event* event = nullptr;
};
// The memory is there as long as the graph, so neither has anything to do when it runs.
struct MemoryAllocate {
  std::shared_ptr<GraphMemory> memory;
};
struct MemoryFree {
  void* pointer = nullptr;
};

// What a library of ours (libcublas and the like) does in the place of its kernels; graphs may run it again and again.
struct LibraryWork {
  std::shared_ptr<const std::function<void()>> run;
};

using Operation = std::variant<KernelCall, Copy, Fill, HostWork, ChildGraph, Nothing, EventWait, EventRecord, MemoryAllocate,
                               MemoryFree, LibraryWork>;

// Checks a launch and takes its arguments (one pointer for each parameter) as CUDA does before it returns.
CASSC_EXPORT Error prepare(const void* function, Dim3 grid, Dim3 block, void** arguments, size_t dynamic_shared,
                           bool cooperative, KernelCall& call);
// Copies and fills that were settled (memory.h), launches that were prepared. Captured when the stream is, otherwise
// started; with Wait::Yes also waited for.
CASSC_EXPORT Error submit(Stream& stream, const Operation& operation, Wait wait = Wait::No);
// The same, never captured.
Error perform(Stream& stream, const Operation& operation, Wait wait);

// The most bytes of dynamic shared memory that a launch of the kernel may ask for.
CASSC_EXPORT int dynamic_shared_limit(const Kernel& kernel);
// Blocks that fit on one multiprocessor at a time; 0 when not even one does.
CASSC_EXPORT int resident_blocks(const Kernel& kernel, int threads, size_t dynamic_shared);

// Limits of the hardware and of CUDA's launch (CUDA Programming Guide, "Compute Capabilities").
constexpr uint32_t kMaxThreads = 1024, kMaxBlockZ = 64, kMaxGridX = 0x7fffffff, kMaxGridYZ = 65535;
constexpr int kSharedPerBlock = 48 << 10;        // without asking
constexpr int kSharedPerBlockOptin = 64 << 10;   // the LDS of one workgroup
constexpr int kSharedPerMultiprocessor = 128 << 10;
constexpr int kThreadsPerMultiprocessor = 2048;  // 4 SIMDs of 16 waves of 32
constexpr int kBlocksPerMultiprocessor = 32;

}  // namespace cassc::rt
#endif
