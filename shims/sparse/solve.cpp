// Triangular systems: op(A) y = alpha x for a vector, op(A) C = alpha op(B) for a dense matrix.
#include <algorithm>

#include "types.h"

struct cusparseSpSVDescr {};
struct cusparseSpSMDescr {};

namespace cassc::sparse {
namespace {

constexpr Status kDone = CUSPARSE_STATUS_SUCCESS, kInvalid = CUSPARSE_STATUS_INVALID_VALUE;

// The triangle that the matrix's attributes name, row by row.
class Triangle {
 public:
  Triangle(const cusparseSpMatDescr& A, cusparseOperation_t op) : rows_(static_cast<size_t>(A.rows)), diagonal_(rows_.size()) {
    const bool lower = (A.fill == CUSPARSE_FILL_MODE_LOWER) != (op != CUSPARSE_OPERATION_NON_TRANSPOSE);
    const bool unit = A.diagonal == CUSPARSE_DIAG_TYPE_UNIT;
    if (unit) std::fill(diagonal_.begin(), diagonal_.end(), Number(1));
    each(A, op, [&](int64_t r, int64_t c, int64_t i) {
      const Number value = apply(op, A.values[i]);
      if (r == c && !unit) diagonal_[static_cast<size_t>(r)] = value;
      if (lower ? c < r : c > r) rows_[static_cast<size_t>(r)].push_back({c, value});
    });
    forward_ = lower;
  }

  // Overwrites the right side with the solution. A zero on the diagonal gives infinities, as on the device.
  void solve(std::vector<Number>& x) const {
    const auto count = static_cast<int64_t>(rows_.size());
    for (int64_t i = 0; i < count; ++i) {
      const auto r = static_cast<size_t>(forward_ ? i : count - 1 - i);
      Number sum = x[r];
      for (const auto& [c, value] : rows_[r]) sum -= value * x[static_cast<size_t>(c)];
      x[r] = sum / diagonal_[r];
    }
  }

 private:
  std::vector<std::vector<std::pair<int64_t, Number>>> rows_;
  std::vector<Number> diagonal_;
  bool forward_ = true;
};

}  // namespace

#define DESCRIPTOR(Name)                                             \
  Status Name##_createDescr(cusparse##Name##Descr_t* solution) {     \
    if (!solution) return kInvalid;                                  \
    *solution = new cusparse##Name##Descr;                           \
    return kDone;                                                    \
  }                                                                  \
  Status Name##_destroyDescr(cusparse##Name##Descr_t solution) {     \
    delete solution;                                                 \
    return kDone;                                                    \
  }
DESCRIPTOR(SpSV)
DESCRIPTOR(SpSM)

Status SpSV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                       cusparseDnVecDescr_t, cudaDataType, cusparseSpSVAlg_t, cusparseSpSVDescr_t, size_t* size) {
  return no_buffer(size);
}
Status SpSV_analysis(cusparseHandle_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                     cusparseDnVecDescr_t, cudaDataType, cusparseSpSVAlg_t, cusparseSpSVDescr_t, void*) {
  return kDone;
}
Status SpSV_solve(cusparseHandle_t handle, cusparseOperation_t opA, const void* alpha, cusparseConstSpMatDescr_t A,
                  cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType computeType, cusparseSpSVAlg_t,
                  cusparseSpSVDescr_t) {
  if (!alpha || !A || !x || !y || !valid(opA) || A->rows != A->columns || x->size != A->rows || y->size != A->rows) return kInvalid;
  return start(handle, [=, a = Factor(*handle, computeType, alpha), A = *A, x = *x, y = *y] {
    std::vector<Number> column(static_cast<size_t>(x.size));
    for (int64_t i = 0; i < x.size; ++i) column[static_cast<size_t>(i)] = a.get() * x.values[i];
    Triangle(A, opA).solve(column);
    for (int64_t i = 0; i < x.size; ++i) y.values.set(i, column[static_cast<size_t>(i)]);
  });
}

Status SpSM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                       cusparseConstDnMatDescr_t, cusparseDnMatDescr_t, cudaDataType, cusparseSpSMAlg_t, cusparseSpSMDescr_t,
                       size_t* size) {
  return no_buffer(size);
}
Status SpSM_analysis(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                     cusparseConstDnMatDescr_t, cusparseDnMatDescr_t, cudaDataType, cusparseSpSMAlg_t, cusparseSpSMDescr_t, void*) {
  return kDone;
}
Status SpSM_solve(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void* alpha,
                  cusparseConstSpMatDescr_t A, cusparseConstDnMatDescr_t B, cusparseDnMatDescr_t C, cudaDataType computeType,
                  cusparseSpSMAlg_t, cusparseSpSMDescr_t) {
  if (!alpha || !A || !B || !C || !valid(opA) || !valid(opB) || A->rows != A->columns) return kInvalid;
  if (C->rows != A->rows || rows_of(*B, opB) != A->rows || C->columns != columns_of(*B, opB)) return kInvalid;
  if (B->batch != 1 || C->batch != 1) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return start(handle, [=, a = Factor(*handle, computeType, alpha), A = *A, B = *B, C = *C] {
    const Triangle triangle(A, opA);
    std::vector<Number> column(static_cast<size_t>(C.rows));
    for (int64_t c = 0; c < C.columns; ++c) {
      for (int64_t r = 0; r < C.rows; ++r)
        column[static_cast<size_t>(r)] = a.get() * apply(opB, B.values[opB ? B.place(c, r) : B.place(r, c)]);
      triangle.solve(column);
      for (int64_t r = 0; r < C.rows; ++r) C.values.set(C.place(r, c), column[static_cast<size_t>(r)]);
    }
  });
}

}  // namespace cassc::sparse
