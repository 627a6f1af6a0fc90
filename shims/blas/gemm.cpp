#include "gemm.h"

#include <cmath>
#include <vector>

#include "errors.h"

namespace cassc::blas {
namespace {

// Calls visit with a pointer to elements of this type.
template <class Visit>
void with_elements(cudaDataType type, const void* data, Visit&& visit) {
  switch (type) {
    case CUDA_R_32F: return visit(static_cast<const float*>(data));
    case CUDA_R_64F: return visit(static_cast<const double*>(data));
    case CUDA_C_32F: return visit(static_cast<const cuComplex*>(data));
    case CUDA_C_64F: return visit(static_cast<const cuDoubleComplex*>(data));
    case CUDA_R_16F: return visit(static_cast<const Half*>(data));
    case CUDA_R_16BF: return visit(static_cast<const BFloat*>(data));
    case CUDA_R_8I: return visit(static_cast<const int8_t*>(data));
    case CUDA_R_32I: return visit(static_cast<const int32_t*>(data));
  }
}

template <class To, class From>
To convert(From x) {
  if constexpr (std::is_same_v<From, Half> || std::is_same_v<From, BFloat>) return convert<To>(widen(x));
  else if constexpr (std::is_same_v<To, Half>) return to_half(static_cast<float>(x));
  else if constexpr (std::is_same_v<To, BFloat>) return to_bfloat(static_cast<float>(x));
  else if constexpr (std::is_same_v<To, int32_t>) return static_cast<int32_t>(static_cast<int64_t>(x));  // wraps round
  else if constexpr (kComplex<To>) return To(x);
  else return static_cast<To>(x);
}

// A matrix as dense numbers of type T.
template <class T>
std::vector<T> dense(cudaDataType type, const void* data, int64_t rows, int64_t columns, int64_t ld) {
  std::vector<T> made(static_cast<size_t>(rows * columns));
  with_elements(type, data, [&](const auto* elements) {
    using From = std::remove_cvref_t<decltype(*elements)>;
    if constexpr (!kComplex<From>)
      for (int64_t j = 0; j < columns; ++j)
        for (int64_t i = 0; i < rows; ++i) made[i + j * rows] = convert<T>(elements[i + j * ld]);
  });
  return made;
}

template <class T>
void write(cudaDataType type, void* data, const std::vector<T>& from, int64_t rows, int64_t columns, int64_t ld) {
  with_elements(type, data, [&](const auto* elements) {
    using To = std::remove_cvref_t<decltype(*elements)>;
    if constexpr (!kComplex<To>)
      for (int64_t j = 0; j < columns; ++j)
        for (int64_t i = 0; i < rows; ++i) const_cast<To*>(elements)[i + j * ld] = convert<To>(from[i + j * rows]);
  });
}

template <class T>
void gemm(const Shape& s, T alpha, const T* A, int64_t lda, const T* B, int64_t ldb, T beta, T* C, int64_t ldc) {
  cblas(std::string(1, kLetter<T>) + "gemm", kColumns, flag(s.a), flag(s.b), s.m, s.n, s.k, scalar(alpha), A, lda, B, ldb,
        scalar(beta), C, ldc);
}

template <class T>
void directly(const Shape& s, cuDoubleComplex alpha, const void* A, const void* B, cuDoubleComplex beta, void* C) {
  const auto factor = [](cuDoubleComplex x) {
    if constexpr (kComplex<T>) return T(x);
    else return static_cast<T>(x.real());
  };
  gemm<T>(s, factor(alpha), static_cast<const T*>(A), s.lda, static_cast<const T*>(B), s.ldb, factor(beta), static_cast<T*>(C),
          s.ldc);
}

// Through numbers of type T: float for the small floating-point types; double for integers, whose sums it holds exactly.
template <class T>
void converted(const Shape& s, const Types& t, T alpha, const void* A, const void* B, T beta, void* C) {
  const bool flat_a = s.a == CUBLAS_OP_N, flat_b = s.b == CUBLAS_OP_N;
  const int64_t rows_a = flat_a ? s.m : s.k, rows_b = flat_b ? s.k : s.n;
  const auto a = dense<T>(t.a, A, rows_a, flat_a ? s.k : s.m, s.lda);
  const auto b = dense<T>(t.b, B, rows_b, flat_b ? s.n : s.k, s.ldb);
  auto c = beta != 0 ? dense<T>(t.c, C, s.m, s.n, s.ldc) : std::vector<T>(static_cast<size_t>(s.m * s.n));
  gemm<T>(s, alpha, a.data(), std::max<int64_t>(rows_a, 1), b.data(), std::max<int64_t>(rows_b, 1), beta, c.data(), s.m);
  write(t.c, C, c, s.m, s.n, s.ldc);
}

}  // namespace

Factor::Factor(const cublasContext& handle, cudaDataType type, const void* pointer)
    : type_(type), later_(handle.device_scalars ? pointer : nullptr) {
  if (!handle.device_scalars) value_ = load(type, pointer, 0);
}

std::optional<Types> types_of(cudaDataType a, cudaDataType b, cudaDataType c, int compute) {
  switch (compute) {  // before CUDA 11 this was the data type
    case CUDA_R_32F: case CUDA_C_32F: case 69: case 74: case 75: case 77: case 78: compute = CUBLAS_COMPUTE_32F; break;
    case CUDA_R_64F: case CUDA_C_64F: case 71: case 79: compute = CUBLAS_COMPUTE_64F; break;
    case CUDA_R_16F: case 65: compute = CUBLAS_COMPUTE_16F; break;
    case CUDA_R_32I: case 73: compute = CUBLAS_COMPUTE_32I; break;
    default: break;
  }
  if (a != b) return std::nullopt;
  struct Row {
    int compute;
    cudaDataType ab, c, scalar;
  };
  static constexpr Row rows[] = {
      {CUBLAS_COMPUTE_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F},  {CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
      {CUBLAS_COMPUTE_32F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F},  {CUBLAS_COMPUTE_32F, CUDA_R_16F, CUDA_R_16F, CUDA_R_32F},
      {CUBLAS_COMPUTE_32F, CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F}, {CUBLAS_COMPUTE_32F, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F},
      {CUBLAS_COMPUTE_32F, CUDA_R_8I, CUDA_R_32F, CUDA_R_32F},   {CUBLAS_COMPUTE_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
      {CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},  {CUBLAS_COMPUTE_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
      {CUBLAS_COMPUTE_32I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I},
  };
  for (const Row& row : rows)
    if (row.compute == compute && row.ab == a && row.c == c)
      return Types{a, b, c, row.scalar, static_cast<cublasComputeType_t>(compute)};
  return std::nullopt;
}

bool sound(const Shape& s) {
  return valid(s.a) && valid(s.b) && s.m >= 0 && s.n >= 0 && s.k >= 0 && leads(s.lda, s.a == CUBLAS_OP_N ? s.m : s.k) &&
         leads(s.ldb, s.b == CUBLAS_OP_N ? s.k : s.n) && leads(s.ldc, s.m);
}

void multiply(const Shape& s, const Types& t, cuDoubleComplex alpha, const void* A, const void* B, cuDoubleComplex beta, void* C) {
  if (t.a == t.b && t.a == t.c) {
    switch (t.a) {
      case CUDA_R_32F: return directly<float>(s, alpha, A, B, beta, C);
      case CUDA_R_64F: return directly<double>(s, alpha, A, B, beta, C);
      case CUDA_C_32F: return directly<cuComplex>(s, alpha, A, B, beta, C);
      case CUDA_C_64F: return directly<cuDoubleComplex>(s, alpha, A, B, beta, C);
      default: break;
    }
  }
  if (t.compute == CUBLAS_COMPUTE_32I || t.a == CUDA_R_8I) converted<double>(s, t, alpha.real(), A, B, beta.real(), C);
  else converted<float>(s, t, static_cast<float>(alpha.real()), A, B, static_cast<float>(beta.real()), C);
}

Status multiply_all(cublasHandle_t h, const Shape& shape, const std::optional<Types>& types, const void* alpha, const void* beta,
                    int64_t count, bool none, std::function<Places(int64_t)> places) {
  if (!sound(shape) || !alpha || !beta || count < 0) return Status::InvalidValue;
  if (!types) {
    rt::report("a product of matrices of these element types is not supported by cuBLAS", true);
    return Status::NotSupported;
  }
  if (!shape.m || !shape.n || !count) return Status::Success;
  if (none) return Status::InvalidValue;
  return start(h, [=, t = *types, a = Factor(*h, types->scalar, alpha), b = Factor(*h, types->scalar, beta)] {
    for (int64_t i = 0; i < count; ++i) {
      const Places at = places(i);
      multiply(shape, t, a.get(), at.a, at.b, b.get(), at.c);
    }
  });
}

}  // namespace cassc::blas
