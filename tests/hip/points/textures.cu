// Textures of one, two and three dimensions, in layers, of linear and pitched memory; surfaces.
#include "check.h"
__global__ void k(cudaTextureObject_t t1, cudaTextureObject_t t3, cudaTextureObject_t la, cudaTextureObject_t lin,
                  cudaTextureObject_t p2, cudaSurfaceObject_t s2, cudaSurfaceObject_t s3, float* o) {
  int n = 0;
  auto put = [&](float v) { o[n++] = v; };
  put(tex1D<float>(t1, 2.5f));
  put(tex1D<float>(t1, 1.0f));
  put(tex3D<float>(t3, 1.5f, 0.5f, 1.5f));
  put(tex2DLayered<float>(la, 1.5f, 0.5f, 2));
  put(tex1Dfetch<int>(lin, 3));
  put(tex2D<float4>(p2, 1.5f, 1.5f).z);
  put(tex2DLod<float4>(p2, 0.5f, 0.5f, 0.f).x);
  surf2Dwrite(make_float2(5, 6), s2, 1 * sizeof(float2), 1);
  float2 f;
  surf2Dread(&f, s2, 1 * sizeof(float2), 1);
  put(f.x + f.y);
  surf3Dwrite(9.f, s3, 0, 1, 1);
  put(surf3Dread<float>(s3, 0, 1, 1));
  put(surf2Dread<float2>(s2, -8, 0, cudaBoundaryModeZero).x);
  put(tex1Dfetch<int>(lin, 99));
}
template <class T>
cudaTextureObject_t tex(cudaArray_t a, cudaTextureFilterMode f, bool norm = false) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  cudaTextureDesc d = {};
  for (auto& m : d.addressMode) m = cudaAddressModeClamp;
  d.filterMode = f;
  d.readMode = cudaReadModeElementType;
  d.normalizedCoords = norm;
  cudaTextureObject_t t = 0;
  CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr) == cudaSuccess);
  return t;
}
int main() {
  float h[64];
  for (int i = 0; i < 64; ++i) h[i] = i;
  auto fd = cudaCreateChannelDesc<float>();
  cudaArray_t a1, a3, al, a2, as2, as3;
  CHECK(cudaMallocArray(&a1, &fd, 8) == 0);
  CHECK(cudaMemcpy2DToArray(a1, 0, 0, h, 32, 32, 1, cudaMemcpyHostToDevice) == 0);
  CHECK(cudaMalloc3DArray(&a3, &fd, make_cudaExtent(2, 2, 2)) == 0);
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr(h, 8, 2, 2);
  p.dstArray = a3;
  p.extent = make_cudaExtent(2, 2, 2);
  p.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&p) == 0);
  CHECK(cudaMalloc3DArray(&al, &fd, make_cudaExtent(2, 2, 3), cudaArrayLayered) == 0);
  p = {};
  p.srcPtr = make_cudaPitchedPtr(h, 8, 2, 2);
  p.dstArray = al;
  p.extent = make_cudaExtent(2, 2, 3);
  p.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&p) == 0);
  int* l = managed<int>(8);
  for (int i = 0; i < 8; ++i) l[i] = i * 11;
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = l;
  r.res.linear.desc = cudaCreateChannelDesc<int>();
  r.res.linear.sizeInBytes = 32;
  cudaTextureDesc d = {};
  cudaTextureObject_t lin;
  CHECK(cudaCreateTextureObject(&lin, &r, &d, nullptr) == 0);
  float4* pp;
  size_t pitch;
  CHECK(cudaMallocPitch(&pp, &pitch, 2 * sizeof(float4), 2) == 0);
  CHECK(cudaMemcpy2D(pp, pitch, h, 32, 32, 2, cudaMemcpyHostToDevice) == 0);
  r = {};
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.devPtr = pp;
  r.res.pitch2D.desc = cudaCreateChannelDesc<float4>();
  r.res.pitch2D.width = 2;
  r.res.pitch2D.height = 2;
  r.res.pitch2D.pitchInBytes = pitch;
  cudaTextureObject_t p2;
  CHECK(cudaCreateTextureObject(&p2, &r, &d, nullptr) == 0);
  auto f2 = cudaCreateChannelDesc<float2>();
  CHECK(cudaMallocArray(&as2, &f2, 4, 4, cudaArraySurfaceLoadStore) == 0);
  CHECK(cudaMalloc3DArray(&as3, &fd, make_cudaExtent(2, 2, 2), cudaArraySurfaceLoadStore) == 0);
  cudaSurfaceObject_t s2, s3;
  r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = as2;
  CHECK(cudaCreateSurfaceObject(&s2, &r) == 0);
  r.res.array.array = as3;
  CHECK(cudaCreateSurfaceObject(&s3, &r) == 0);
  float* o = managed<float>(32);
  k<<<1, 1>>>(tex<float>(a1, cudaFilterModePoint), tex<float>(a3, cudaFilterModePoint),
              tex<float>(al, cudaFilterModePoint), lin, p2, s2, s3, o);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  float w[] = {2, 1, 5, 9, 33, 14, 0, 11, 9, 0, 0};
  for (int i = 0; i < 11; ++i)
    if (o[i] != w[i]) printf("%d: %g not %g\n", i, o[i], w[i]);
  k<<<1, 1>>>(tex<float>(a1, cudaFilterModeLinear), tex<float>(a3, cudaFilterModeLinear),
              tex<float>(al, cudaFilterModePoint), lin, p2, s2, s3, o);
  cudaDeviceSynchronize();
  CHECK(o[1] == 0.5f && o[0] == 2.f);
  done();
}
