// Stand-ins for ROCm's mathematical libraries: each call is a line on stdout with its numbers; saxpy is computed.
#include <cstddef>
#include <cstdio>

namespace {

int object;  // what every handle points to

void word(const char* x) { std::printf("%s", x); }
void word(int x) { std::printf(" %d", x); }
void word(unsigned x) { std::printf(" %u", x); }
void word(long long x) { std::printf(" %lld", x); }
void word(unsigned long long x) { std::printf(" %llu", x); }
void word(size_t x) { std::printf(" %zu", x); }
void word(double x) { std::printf(" %g", x); }
void word(const void* x) { std::printf(x == &object ? " handle" : x ? " pointer" : " null"); }
void word(const long long* x) { std::printf(x ? " [%lld]" : " null", x ? x[0] : 0); }

template <class... A>
int record(A... a) {
  (word(a), ...);
  std::printf("\n");
  std::fflush(stdout);
  return 0;
}

int make(const char* name, void** handle) {
  *handle = &object;
  return record(name);
}

}  // namespace

#define STUB(name, parameters, arguments) \
  extern "C" int name parameters { return record arguments; }
#define PTR const void*

extern "C" int hipblasCreate(void** h) { return make("hipblasCreate", h); }
STUB(hipblasDestroy, (PTR h), ("hipblasDestroy", h))
STUB(hipblasSetStream, (PTR h, PTR s), ("hipblasSetStream", h, s))
STUB(hipblasSetPointerMode, (PTR h, int m), ("hipblasSetPointerMode", h, m))
STUB(hipblasSetAtomicsMode, (PTR h, int m), ("hipblasSetAtomicsMode", h, m))
extern "C" int hipblasSaxpy(PTR h, int n, const float* alpha, const float* x, int incx, float* y, int incy) {
  for (int i = 0; i < n; ++i) y[i * incy] += *alpha * x[i * incx];
  return record("hipblasSaxpy", h, n, static_cast<double>(*alpha), incx, incy);
}
STUB(hipblasDgemm, (PTR h, int a, int b, int m, int n, int k, const double* alpha, PTR, int lda, PTR, int ldb, const double* beta, PTR, int ldc),
     ("hipblasDgemm", h, a, b, m, n, k, *alpha, lda, ldb, *beta, ldc))
STUB(hipblasStrsm, (PTR h, int side, int uplo, int trans, int diag, int m, int n, PTR, PTR, int lda, PTR, int ldb),
     ("hipblasStrsm", h, side, uplo, trans, diag, m, n, lda, ldb))
STUB(hipblasCgemm, (PTR h, int a, int b, int m, int n, int k, PTR, PTR, int lda, PTR, int ldb, PTR, PTR, int ldc),
     ("hipblasCgemm", h, a, b, m, n, k, lda, ldb, ldc))
STUB(hipblasGemmEx_v2, (PTR h, int a, int b, int m, int n, int k, PTR, PTR, int at, int lda, PTR, int bt, int ldb, PTR, PTR, int ct, int ldc, int compute, int algo),
     ("hipblasGemmEx_v2", h, a, b, m, n, k, at, lda, bt, ldb, ct, ldc, compute, algo))
extern "C" int hipblasSscal_64(PTR, long long, PTR, PTR, long long) { return 7; }  // HIPBLAS_STATUS_NOT_SUPPORTED

extern "C" int hipsolverDnCreate(void** h) { return make("hipsolverDnCreate", h); }
STUB(hipsolverDnDestroy, (PTR h), ("hipsolverDnDestroy", h))
STUB(hipsolverDnSetStream, (PTR h, PTR s), ("hipsolverDnSetStream", h, s))
extern "C" int hipsolverDnSpotrf_bufferSize(PTR h, int uplo, int n, PTR, int lda, int* size) {
  *size = 77;
  return record("hipsolverDnSpotrf_bufferSize", h, uplo, n, lda);
}
STUB(hipsolverDnSpotrf, (PTR h, int uplo, int n, PTR, int lda, PTR, int lwork, PTR), ("hipsolverDnSpotrf", h, uplo, n, lda, lwork))
extern "C" int hipsolverDnCreateSyevjInfo(void** h) { return make("hipsolverDnCreateSyevjInfo", h); }
STUB(hipsolverDnDestroySyevjInfo, (PTR h), ("hipsolverDnDestroySyevjInfo", h))
STUB(hipsolverDnXsyevjSetTolerance, (PTR h, double x), ("hipsolverDnXsyevjSetTolerance", h, x))
STUB(hipsolverDnXsyevjSetMaxSweeps, (PTR h, int x), ("hipsolverDnXsyevjSetMaxSweeps", h, x))
STUB(hipsolverDnXsyevjSetSortEig, (PTR h, int x), ("hipsolverDnXsyevjSetSortEig", h, x))
STUB(hipsolverDnDsyevj, (PTR h, int jobz, int uplo, int n, PTR, int lda, PTR, PTR, int lwork, PTR, PTR info),
     ("hipsolverDnDsyevj", h, jobz, uplo, n, lda, lwork, info))

extern "C" int hipfftCreate(void** h) { return make("hipfftCreate", h); }
STUB(hipfftDestroy, (PTR h), ("hipfftDestroy", h))
STUB(hipfftSetStream, (PTR h, PTR s), ("hipfftSetStream", h, s))
extern "C" int hipfftMakePlanMany64(PTR h, int rank, long long* n, long long* in, long long is, long long id, long long* out,
                                    long long os, long long od, int type, long long batch, size_t* work) {
  *work = 4096;
  return record("hipfftMakePlanMany64", h, rank, n[rank - 1], static_cast<const long long*>(in), is, id,
                static_cast<const long long*>(out), os, od, type, batch);
}
STUB(hipfftExecC2C, (PTR h, PTR, PTR, int direction), ("hipfftExecC2C", h, direction))
STUB(hipfftExecD2Z, (PTR h, PTR, PTR), ("hipfftExecD2Z", h))

extern "C" int hiprandCreateGenerator(void** h, int type) {
  *h = &object;
  return record("hiprandCreateGenerator", type);
}
STUB(hiprandDestroyGenerator, (PTR h), ("hiprandDestroyGenerator", h))
STUB(hiprandSetStream, (PTR h, PTR s), ("hiprandSetStream", h, s))
STUB(hiprandSetPseudoRandomGeneratorSeed, (PTR h, unsigned long long s), ("hiprandSetPseudoRandomGeneratorSeed", h, s))
STUB(hiprandGenerateUniform, (PTR h, PTR, size_t n), ("hiprandGenerateUniform", h, n))
extern "C" int hiprandGenerateNormal(PTR h, PTR, size_t n, float mean, float deviation) {
  return record("hiprandGenerateNormal", h, n, static_cast<double>(mean), static_cast<double>(deviation));
}

extern "C" int hipsparseCreate(void** h) { return make("hipsparseCreate", h); }
STUB(hipsparseDestroy, (PTR h), ("hipsparseDestroy", h))
STUB(hipsparseSetStream, (PTR h, PTR s), ("hipsparseSetStream", h, s))
STUB(hipsparseSetPointerMode, (PTR h, int m), ("hipsparseSetPointerMode", h, m))
extern "C" int hipsparseCreateDnMat(void** h, long long rows, long long columns, long long ld, PTR, int type, int order) {
  *h = &object;
  return record("hipsparseCreateDnMat", rows, columns, ld, type, order);
}
STUB(hipsparseSpMV, (PTR h, int op, PTR, PTR a, PTR, PTR, PTR, int type, int algorithm, PTR buffer),
     ("hipsparseSpMV", h, op, a, type, algorithm, buffer))
