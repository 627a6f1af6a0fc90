// What kernels ask of the host, and textures: printf, malloc and free by AMD's device library, image samples.
#include <initializer_list>

#include "hip_interface.h"

using Float2 = float __attribute__((ext_vector_type(2)));
using Float4 = float __attribute__((ext_vector_type(4)));
using Int2 = int __attribute__((ext_vector_type(2)));
using Words = const unsigned __attribute__((address_space(4)))*;

extern "C" {
__device__ unsigned long __ockl_dm_alloc(unsigned long);
__device__ void __ockl_dm_dealloc(unsigned long);
__device__ Float4 __ockl_image_sample_2D(Words, Words, Float2);
__device__ Float4 __ockl_image_load_2D(Words, Int2);
__device__ void __ockl_image_store_2D(Words, Int2, Float4);
__device__ int __ockl_image_channel_data_type_2D(Words);
__device__ int __ockl_image_channel_order_2D(Words);
__device__ int printf(const char*, ...);

hipError_t hipMallocArray(void**, const void*, size_t, size_t, unsigned);
hipError_t hipFreeArray(void*);
hipError_t hipMemcpy2DToArray(void*, size_t, size_t, const void*, size_t, size_t, size_t, hipMemcpyKind);
hipError_t hipCreateTextureObject(void**, const void*, const void*, const void*);
hipError_t hipDestroyTextureObject(void*);
hipError_t hipCreateSurfaceObject(void**, const void*);
hipError_t hipDestroySurfaceObject(void*);
}

struct Format {
  int x, y, z, w, kind;
};
struct Resource {
  int type = 0;
  void* array = nullptr;
  char rest[48] = {};
};
struct Sampling {
  int address[3] = {1, 1, 1}, filter = 0, read = 0, srgb = 0;
  float border[4] = {};
  int normalized = 0;
  unsigned anisotropy = 0;
  int mipmap = 0;
  float bias = 0, least = 0, greatest = 0;
};

__global__ void speak(const char* word) {
  const unsigned t = thread();
  if (t % 16 == 3) printf("thread %2u of block %u: %s, %.3f, %lld, %c%%\n", t, block(), word, t * 0.5, -(1ll << 40), 'a' + int(t % 26));
}
// Small blocks come from slabs, large ones from the host.
__global__ void allocate(unsigned long* sums, unsigned long bytes) {
  auto* p = reinterpret_cast<unsigned*>(__ockl_dm_alloc(bytes));
  unsigned long sum = 0;
  if (p) {
    for (unsigned i = 0; i < bytes / 4; i++) p[i] = i + thread();
    for (unsigned i = 0; i < bytes / 4; i++) sum += p[i];
    __ockl_dm_dealloc(reinterpret_cast<unsigned long>(p));
  }
  sums[block() * 64 + thread()] = sum;
}
__global__ void sample(void* texture, float* out, float dx) {
  const auto words = (Words)reinterpret_cast<uintptr_t>(texture);
  out[thread()] = __ockl_image_sample_2D(words, words + 12, Float2{thread() % 8 + dx, thread() / 8 + 0.5f}).x;
}
// Each texel and what is known of its format, and then its double in its place.
__global__ void pass_over(void* surface, float* out) {
  const auto words = (Words)reinterpret_cast<uintptr_t>(surface);
  const Int2 at{int(thread() % 8), int(thread() / 8)};
  const Float4 texel = __ockl_image_load_2D(words, at);
  out[thread()] = texel.x + 1000 * __ockl_image_channel_data_type_2D(words) + 100000 * __ockl_image_channel_order_2D(words);
  __ockl_image_store_2D(words, at, texel * 2);
}

int main() {
  char* word;
  CHECK(hipMalloc(reinterpret_cast<void**>(&word), 8));
  CHECK(hipMemcpy(word, "hello", 6, hipMemcpyHostToDevice));
  speak<<<2, 32>>>(word);
  CHECK(hipDeviceSynchronize());

  unsigned long* sums;
  CHECK(hipMallocManaged(reinterpret_cast<void**>(&sums), 256 * 8, 1));
  for (unsigned long bytes : {64ul, 1024ul, 65536ul}) {
    allocate<<<4, 64>>>(sums, bytes);
    CHECK(hipDeviceSynchronize());
    const unsigned long n = bytes / 4;
    int wrong = 0;
    for (unsigned long i = 0; i < 256; i++) wrong += sums[i] != n * (n - 1) / 2 + n * (i % 64);
    std::printf("blocks of %lu: %d wrong\n", bytes, wrong);
  }

  float texels[4][8], *out;
  for (int i = 0; i < 32; i++) texels[i / 8][i % 8] = float(i * i);
  const Format format{32, 0, 0, 0, 2};
  Resource resource;
  Sampling sampling;
  void* texture;
  CHECK(hipMallocManaged(reinterpret_cast<void**>(&out), 32 * 4, 1));
  CHECK(hipMallocArray(&resource.array, &format, 8, 4, 0));
  CHECK(hipMemcpy2DToArray(resource.array, 0, 0, texels, 32, 32, 4, hipMemcpyHostToDevice));
  for (int linear = 0; linear < 2; linear++) {
    sampling.filter = linear;
    CHECK(hipCreateTextureObject(&texture, &resource, &sampling, nullptr));
    sample<<<1, 32>>>(texture, out, linear ? 1.0f : 0.7f);
    CHECK(hipDeviceSynchronize());
    CHECK(hipDestroyTextureObject(texture));
    std::printf("%s: %g %g %g\n", linear ? "linear" : "point", out[0], out[9], out[31]);
  }
  void* surface;
  CHECK(hipCreateSurfaceObject(&surface, &resource));
  for (int pass = 0; pass < 2; pass++) {
    pass_over<<<1, 32>>>(surface, out);
    CHECK(hipDeviceSynchronize());
    std::printf("surface: %g %g %g\n", out[0], out[9], out[31]);
  }
  CHECK(hipDestroySurfaceObject(surface));
  CHECK(hipFreeArray(resource.array));
}
