// A tone in noise: cuRAND makes the noise, a kernel adds the tone, cuFFT finds it, cuBLAS measures and projects.
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                   \
  do {                                                                                \
    const int status = static_cast<int>(call);                                        \
    if (status) {                                                                     \
      std::fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, status); \
      std::exit(1);                                                                   \
    }                                                                                 \
  } while (0)

__global__ void add_tone(float* signal, int n, int frequency) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) signal[i] = 0.25f * signal[i] + cosf(6.2831853f * static_cast<float>(frequency * i % n) / n);
}

__global__ void power(const cufftComplex* spectrum, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = spectrum[i].x * spectrum[i].x + spectrum[i].y * spectrum[i].y;
}

int main() {
  constexpr int n = 1000, half = n / 2 + 1, frequency = 123;
  float *signal, *powers;
  cufftComplex* spectrum;
  CHECK(cudaMalloc(&signal, n * sizeof(float)));
  CHECK(cudaMalloc(&powers, half * sizeof(float)));
  CHECK(cudaMalloc(&spectrum, half * sizeof(cufftComplex)));

  cudaStream_t stream;
  curandGenerator_t noise;
  cufftHandle plan;
  cublasHandle_t blas;
  CHECK(cudaStreamCreate(&stream));
  CHECK(curandCreateGenerator(&noise, CURAND_RNG_PSEUDO_PHILOX4_32_10));
  CHECK(curandSetPseudoRandomGeneratorSeed(noise, 1234));
  CHECK(curandSetStream(noise, stream));
  CHECK(cufftPlan1d(&plan, n, CUFFT_R2C, 1));
  CHECK(cufftSetStream(plan, stream));
  CHECK(cublasCreate(&blas));
  CHECK(cublasSetStream(blas, stream));

  // Nothing here waits but the results of cuBLAS: the order is the stream's.
  CHECK(curandGenerateNormal(noise, signal, n, 0.0f, 1.0f));
  add_tone<<<(n + 127) / 128, 128, 0, stream>>>(signal, n, frequency);
  float length = 0;
  CHECK(cublasSnrm2(blas, n, signal, 1, &length));
  CHECK(cufftExecR2C(plan, signal, spectrum));
  power<<<(half + 127) / 128, 128, 0, stream>>>(spectrum, powers, half);
  int largest = 0;
  CHECK(cublasIsamax(blas, half, powers, 1, &largest));
  std::printf("the tone is at %d, the signal's power is %.3f\n", largest - 1, length * length / n);

  // The signal as a matrix of 40 rows and 25 columns; its Gram matrix has the signal's power on the diagonal.
  float *gram, one = 1, none = 0;
  CHECK(cudaMalloc(&gram, 25 * 25 * sizeof(float)));
  CHECK(cublasSgemm(blas, CUBLAS_OP_T, CUBLAS_OP_N, 25, 25, 40, &one, signal, 40, signal, 40, &none, gram, 25));
  std::vector<float> host(25 * 25);
  CHECK(cudaMemcpyAsync(host.data(), gram, host.size() * sizeof(float), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  float trace = 0;
  for (int i = 0; i < 25; ++i) trace += host[26 * i];
  std::printf("the trace of its Gram matrix is %.3f of that\n", trace / (length * length));

  CHECK(curandDestroyGenerator(noise));
  CHECK(cufftDestroy(plan));
  CHECK(cublasDestroy(blas));
  return 0;
}
