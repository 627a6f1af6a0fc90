// Fetches of every kind. nvcc -cubin -arch=sm_80 (sm_90) -o textures.sm_80.cubin textures.cu
extern "C" __global__ void fetches(unsigned long long first, float4* out) {
  const cudaTextureObject_t t = first + threadIdx.x / 2;  // in pairs: handles differ within a warp
  const float u = threadIdx.x * 0.37f - 3.0f, v = threadIdx.x * 0.11f - 0.5f, w = threadIdx.x * 0.05f;
  float4* o = out + threadIdx.x * 8;
  o[0] = tex2D<float4>(t, u, v);
  o[1] = tex3D<float4>(t, u, v, w);
  o[2] = tex2DLayered<float4>(t, u, v, threadIdx.x % 7);
  o[3] = texCubemap<float4>(t, u, v, w);
  o[4] = tex2DLod<float4>(t, v, u, w);
  o[5] = tex2Dgather<float4>(t, u, v, 1);
  o[6] = tex1Dfetch<float4>(t, (int)threadIdx.x - 2);
  o[7] = tex2DGrad<float4>(t, u, v, make_float2(w, 0.1f), make_float2(0.0f, w));
}

extern "C" __global__ void copies(unsigned long long handle, unsigned* out, int shift) {
  const int x = (threadIdx.x % 8 - 1) * 4, y = threadIdx.x / 8 - 1;
  out[threadIdx.x] = surf2Dread<unsigned>(handle, x, y, cudaBoundaryModeZero) +
                     surf2Dread<unsigned short>(handle, x, y, cudaBoundaryModeClamp);
  __syncthreads();
  surf2Dwrite(threadIdx.x + 1u, handle, x + shift, y, cudaBoundaryModeZero);
}

extern "C" __global__ void strict(unsigned long long handle, unsigned* out, int x) {
  out[threadIdx.x] = surf1Dread<unsigned>(handle, x, cudaBoundaryModeTrap);
}
