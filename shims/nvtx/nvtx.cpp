// libnvToolsExt, for programs that mark what they do for NVIDIA's profilers: without a profiler nothing is recorded, and
// the answers are those that NVIDIA's header gives then (NVTX 2 manual). NVTX 3 is a header that needs no library.
#include <cstdint>

#define NVTX(type, name, answer) \
  extern "C" __attribute__((visibility("default"))) type name() { return answer; }

constexpr int kNoPushPopTracking = -2;
inline void nothing() {}

NVTX(void, nvtxInitialize, nothing())
NVTX(void, nvtxMarkEx, nothing())
NVTX(void, nvtxMarkA, nothing())
NVTX(void, nvtxMarkW, nothing())
NVTX(uint64_t, nvtxRangeStartEx, 0)
NVTX(uint64_t, nvtxRangeStartA, 0)
NVTX(uint64_t, nvtxRangeStartW, 0)
NVTX(void, nvtxRangeEnd, nothing())
NVTX(int, nvtxRangePushEx, kNoPushPopTracking)
NVTX(int, nvtxRangePushA, kNoPushPopTracking)
NVTX(int, nvtxRangePushW, kNoPushPopTracking)
NVTX(int, nvtxRangePop, kNoPushPopTracking)
NVTX(void, nvtxNameCategoryA, nothing())
NVTX(void, nvtxNameCategoryW, nothing())
NVTX(void, nvtxNameOsThreadA, nothing())
NVTX(void, nvtxNameOsThreadW, nothing())
NVTX(void*, nvtxDomainCreateA, nullptr)
NVTX(void*, nvtxDomainCreateW, nullptr)
NVTX(void, nvtxDomainDestroy, nothing())
NVTX(void, nvtxDomainMarkEx, nothing())
NVTX(uint64_t, nvtxDomainRangeStartEx, 0)
NVTX(void, nvtxDomainRangeEnd, nothing())
NVTX(int, nvtxDomainRangePushEx, kNoPushPopTracking)
NVTX(int, nvtxDomainRangePop, kNoPushPopTracking)
NVTX(void*, nvtxDomainResourceCreate, nullptr)
NVTX(void, nvtxDomainResourceDestroy, nothing())
NVTX(void, nvtxDomainNameCategoryA, nothing())
NVTX(void, nvtxDomainNameCategoryW, nothing())
NVTX(void*, nvtxDomainRegisterStringA, nullptr)
NVTX(void*, nvtxDomainRegisterStringW, nullptr)
NVTX(void, nvtxNameCuDeviceA, nothing())
NVTX(void, nvtxNameCuDeviceW, nothing())
NVTX(void, nvtxNameCuContextA, nothing())
NVTX(void, nvtxNameCuContextW, nothing())
NVTX(void, nvtxNameCuStreamA, nothing())
NVTX(void, nvtxNameCuStreamW, nothing())
NVTX(void, nvtxNameCuEventA, nothing())
NVTX(void, nvtxNameCuEventW, nothing())
NVTX(void, nvtxNameCudaDeviceA, nothing())
NVTX(void, nvtxNameCudaDeviceW, nothing())
NVTX(void, nvtxNameCudaStreamA, nothing())
NVTX(void, nvtxNameCudaStreamW, nothing())
NVTX(void, nvtxNameCudaEventA, nothing())
NVTX(void, nvtxNameCudaEventW, nothing())
