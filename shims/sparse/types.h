// What cuSPARSE's objects hold. Numbers are computed as complex doubles, whatever type they are stored in.
#ifndef CASSC_SPARSE_TYPES_INTERNAL_H
#define CASSC_SPARSE_TYPES_INTERNAL_H
#include <functional>
#include <vector>

#include "../blas/element.h"
#include "library_work.h"

using cudaStream_t = cassc::rt::Stream*;
#include <cassc/sparse_types.h>

struct cusparseContext {
  cassc::rt::Stream* stream = nullptr;
  cusparsePointerMode_t mode = CUSPARSE_POINTER_MODE_HOST;
  void* hip = nullptr;  // hipSPARSE's handle, on a HIP device
};
struct cusparseMatDescr {
  cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
  cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
};

namespace cassc::sparse {

using Status = cusparseStatus_t;
using Number = std::complex<double>;
using blas::bytes_of;
using blas::load;
using blas::store;

struct Indices {
  void* data = nullptr;
  cusparseIndexType_t type = CUSPARSE_INDEX_32I;
  int64_t base = 0;
  int64_t operator[](int64_t at) const;  // counted from 0
  void set(int64_t at, int64_t value) const;
};
struct Values {
  void* data = nullptr;
  cudaDataType type = CUDA_R_32F;
  Number operator[](int64_t at) const { return load(type, data, at); }
  void set(int64_t at, Number value) const { store(type, data, at, value); }
};

}  // namespace cassc::sparse

struct cusparseSpVecDescr {
  int64_t size, nnz;
  cassc::sparse::Indices indices;
  cassc::sparse::Values values;
};
struct cusparseDnVecDescr {
  int64_t size;
  cassc::sparse::Values values;
};
struct cusparseSpMatDescr {
  cusparseFormat_t format;
  int64_t rows, columns, nnz;
  // Offsets of rows (CSR) or columns (CSC) and the other indices; of COO the rows' indices and the columns'.
  cassc::sparse::Indices first, second;
  cassc::sparse::Values values;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
};
struct cusparseDnMatDescr {
  int64_t rows, columns, ld;
  cassc::sparse::Values values;
  cusparseOrder_t order;
  int batch = 1;
  int64_t stride = 0;
  int64_t place(int64_t row, int64_t column) const { return order == CUSPARSE_ORDER_ROW ? row * ld + column : column * ld + row; }
};

namespace cassc::sparse {

// Visits the entries of a matrix, or of its (conjugated) transpose, as stored: visit(row, column, position).
using Visit = std::function<void(int64_t row, int64_t column, int64_t position)>;
void each(const cusparseSpMatDescr& matrix, cusparseOperation_t operation, const Visit& visit);
inline Number apply(cusparseOperation_t operation, Number x) {
  return operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? std::conj(x) : x;
}
inline bool valid(cusparseOperation_t x) { return x >= CUSPARSE_OPERATION_NON_TRANSPOSE && x <= CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE; }
inline int64_t rows_of(const auto& matrix, cusparseOperation_t x) { return x ? matrix.columns : matrix.rows; }
inline int64_t columns_of(const auto& matrix, cusparseOperation_t x) { return x ? matrix.rows : matrix.columns; }

// alpha or beta: read at the call from the host, when the work is done from the device.
class Factor {
 public:
  Factor(const cusparseContext& handle, cudaDataType type, const void* pointer)
      : type_(type), later_(handle.mode == CUSPARSE_POINTER_MODE_DEVICE ? pointer : nullptr) {
    if (!later_) value_ = load(type, pointer, 0);
  }
  Number get() const { return later_ ? load(type_, later_, 0) : value_; }

 private:
  cudaDataType type_;
  const void* later_;
  Number value_;
};

inline Status status_of(rt::Error error) {
  switch (error) {
    case rt::Error::Success: return CUSPARSE_STATUS_SUCCESS;
    case rt::Error::MemoryAllocation: return CUSPARSE_STATUS_ALLOC_FAILED;
    case rt::Error::NotSupported: return CUSPARSE_STATUS_NOT_SUPPORTED;
    default: return CUSPARSE_STATUS_EXECUTION_FAILED;
  }
}
template <class Work>
Status start(cusparseHandle_t handle, Work work) {
  return status_of(rt::enqueue(handle->stream, std::move(work)));
}
template <class Work>
Status start_and_wait(cusparseHandle_t handle, Work work) {
  return status_of(rt::enqueue_and_wait(handle->stream, std::move(work)));
}
// No function needs memory of the device.
inline Status no_buffer(size_t* size) {
  if (size) *size = 0;
  return size ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

#define SPARSE(symbol, parameters, arguments) Status symbol parameters;
#include <cassc/sparse_functions.def>
#undef SPARSE

}  // namespace cassc::sparse
#endif
