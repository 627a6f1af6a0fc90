// Atomics of all types and scopes; additions of floats in global memory take no subnormals, those in shared memory do.
#include "check.h"
__global__ void k(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
  __shared__ int s[4];
  __shared__ float sf;
  if (threadIdx.x == 0) {
    s[0] = s[1] = 0;
    sf = 0;
  }
  __syncthreads();
  atomicAdd(&s[0], 1);
  atomicMax(&s[1], (int)threadIdx.x);
  atomicAdd(&sf, 0.5f);
  __syncthreads();
  if (threadIdx.x == 0) {
    i[0] = s[0];
    i[1] = s[1];
    f[0] = sf;
  }
  atomicAdd(i + 2, 2);
  atomicSub(i + 3, 1);
  atomicExch(i + 4, 5);
  atomicMin(i + 5, -(int)threadIdx.x);
  atomicMax(i + 6, threadIdx.x);
  atomicAnd(i + 7, ~(1 << threadIdx.x % 32));
  atomicOr(i + 8, 1 << threadIdx.x % 32);
  atomicXor(i + 9, 3);
  atomicCAS(i + 10, 0, 42);
  atomicInc(u, 9);
  atomicDec(u + 1, 9);
  atomicAdd(u + 2, 1u);
  atomicMin(u + 3, threadIdx.x);
  atomicAdd(l, 1ull << 33);
  atomicMax(l + 1, (unsigned long long)threadIdx.x << 40);
  atomicCAS(l + 2, 0ull, 7ull);
  atomicOr(l + 3, 1ull << threadIdx.x);
  atomicExch(l + 4, 3ull);
  atomicAdd(f + 1, 0.25f);
  atomicExch(f + 2, 2.f);
  atomicAdd(d, 0.125);
  atomicAdd_block(i + 11, 1);
  atomicAdd_system(i + 12, 1);
  atomicMax((long long*)l + 5, -5ll);
  atomicMin((long long*)l + 6, -(long long)threadIdx.x);
  // double by CAS
  unsigned long long* p = (unsigned long long*)(d + 1);
  unsigned long long old = *p, was;
  do {
    was = old;
    old = atomicCAS(p, was, __double_as_longlong(__longlong_as_double(was) + 1.0));
  } while (old != was);
  int* q = (int*)(f + 3);
  int o2 = *q, w2;
  do {
    w2 = o2;
    o2 = atomicCAS(q, w2, __float_as_int(fmaxf(__int_as_float(w2), (float)threadIdx.x)));
  } while (o2 != w2);
  if (threadIdx.x == 0) {
    f[4] = 1e-40f;
    atomicAdd(f + 4, 1e-40f);
    f[5] = 1e-38f * 2;
    atomicAdd(f + 5, -1.5e-38f);
    sf = 1e-40f;
    atomicAdd(&sf, 1e-40f);
    f[6] = sf;
  }
  unsigned short* h = (unsigned short*)(u + 4);
  atomicCAS(h, (unsigned short)0, (unsigned short)9);
}
int main() {
  int* i = managed<int>(16);
  unsigned* u = managed<unsigned>(16);
  auto* l = managed<unsigned long long>(16);
  float* f = managed<float>(16);
  double* d = managed<double>(4);
  i[7] = -1;
  u[3] = 100;
  l[5] = -9;
  u[1] = 3;
  k<<<1, 64>>>(i, u, l, f, d);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(i[0] == 64 && i[1] == 63 && f[0] == 32);
  CHECK(i[2] == 128 && i[3] == -64 && i[4] == 5 && i[5] == -63 && i[6] == 63 && i[7] == 0 && i[8] == -1 && i[9] == 0 &&
        i[10] == 42);
  CHECK(u[0] == 64 % 10);
  CHECK(u[1] == 9);
  CHECK(u[2] == 64 && u[3] == 0);
  CHECK(l[0] == 64ull << 33 && l[1] == 63ull << 40 && l[2] == 7 && l[3] == ~0ull && l[4] == 3);
  CHECK(f[1] == 16 && f[2] == 2 && d[0] == 8 && i[11] == 64 && i[12] == 64);
  CHECK((long long)l[5] == -5);
  CHECK((long long)l[6] == -63);
  CHECK(d[1] == 64);
  CHECK(f[3] == 63);
  CHECK(f[4] == 0);
  CHECK(f[5] == 0);
  CHECK(f[6] == 1e-40f * 2);
  CHECK((u[4] & 0xffff) == 9);
  if (u[1] != 9) printf("%u\n", u[1]);
  done();
}
