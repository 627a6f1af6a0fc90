// Products and sums of vectors and matrices (cuSPARSE manual, "Generic API Functions").
#include <map>

#include "types.h"

// The product of two sparse matrices, between its steps.
struct cusparseSpGEMMDescr {
  bool computed = false;
  std::vector<std::map<int64_t, cassc::sparse::Number>> rows;
};

namespace cassc::sparse {
namespace {

constexpr Status kDone = CUSPARSE_STATUS_SUCCESS, kInvalid = CUSPARSE_STATUS_INVALID_VALUE;

// A batch is that of C: the matrices of A or B follow each other, or are one for all.
bool batched(const cusparseDnMatDescr& m, int count) { return m.batch == count || m.batch == 1; }
Values at(const cusparseDnMatDescr& m, int item) {
  const auto step = static_cast<int64_t>(bytes_of(m.values.type)) * (m.batch > 1 ? m.stride * item : 0);
  return {static_cast<char*>(m.values.data) + step, m.values.type};
}

void scale(const cusparseDnMatDescr& m, const Values& values, Number beta) {
  for (int64_t r = 0; r < m.rows; ++r)
    for (int64_t c = 0; c < m.columns; ++c) {
      const int64_t place = m.place(r, c);
      values.set(place, beta == 0.0 ? Number() : beta * values[place]);  // what was there is not read when beta is 0
    }
}

}  // namespace

Status Axpby(cusparseHandle_t handle, const void* alpha, cusparseConstSpVecDescr_t x, const void* beta, cusparseDnVecDescr_t y) {
  if (!alpha || !x || !beta || !y || x->size != y->size) return kInvalid;
  return start(handle, [a = Factor(*handle, y->values.type, alpha), b = Factor(*handle, y->values.type, beta), x = *x, y = *y] {
    for (int64_t i = 0; i < y.size; ++i) y.values.set(i, b.get() * y.values[i]);
    for (int64_t i = 0; i < x.nnz; ++i) y.values.set(x.indices[i], y.values[x.indices[i]] + a.get() * x.values[i]);
  });
}
Status Gather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x) {
  if (!x || !y || x->size != y->size) return kInvalid;
  return start(handle, [x = *x, y = *y] {
    for (int64_t i = 0; i < x.nnz; ++i) x.values.set(i, y.values[x.indices[i]]);
  });
}
Status Scatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y) {
  if (!x || !y || x->size != y->size) return kInvalid;
  return start(handle, [x = *x, y = *y] {
    for (int64_t i = 0; i < x.nnz; ++i) y.values.set(x.indices[i], x.values[i]);
  });
}
Status SpVV_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseConstSpVecDescr_t, cusparseConstDnVecDescr_t, const void*,
                       cudaDataType, size_t* size) {
  return no_buffer(size);
}
Status SpVV(cusparseHandle_t handle, cusparseOperation_t opX, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y, void* result,
            cudaDataType computeType, void*) {
  if (!x || !y || !result || !valid(opX) || x->size != y->size) return kInvalid;
  const auto work = [=, x = *x, y = *y] {
    Number sum;
    for (int64_t i = 0; i < x.nnz; ++i) sum += apply(opX, x.values[i]) * y.values[x.indices[i]];
    store(computeType, result, 0, sum);
  };
  return handle->mode == CUSPARSE_POINTER_MODE_DEVICE ? start(handle, work) : start_and_wait(handle, work);
}

Status SpMV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                       const void*, cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, size_t* size) {
  return no_buffer(size);
}
Status SpMV_preprocess(cusparseHandle_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                       const void*, cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, void*) {
  return kDone;
}
Status SpMV(cusparseHandle_t handle, cusparseOperation_t opA, const void* alpha, cusparseConstSpMatDescr_t A,
            cusparseConstDnVecDescr_t x, const void* beta, cusparseDnVecDescr_t y, cudaDataType computeType, cusparseSpMVAlg_t, void*) {
  if (!alpha || !A || !x || !beta || !y || !valid(opA)) return kInvalid;
  if (x->size != columns_of(*A, opA) || y->size != rows_of(*A, opA)) return kInvalid;
  return start(handle, [=, a = Factor(*handle, computeType, alpha), b = Factor(*handle, computeType, beta), A = *A, x = *x, y = *y] {
    std::vector<Number> sums(static_cast<size_t>(y.size));
    each(A, opA, [&](int64_t r, int64_t c, int64_t i) { sums[static_cast<size_t>(r)] += apply(opA, A.values[i]) * x.values[c]; });
    const Number alpha = a.get(), beta = b.get();
    for (int64_t r = 0; r < y.size; ++r)
      y.values.set(r, alpha * sums[static_cast<size_t>(r)] + (beta == 0.0 ? Number() : beta * y.values[r]));
  });
}

Status SpMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                       cusparseConstDnMatDescr_t, const void*, cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t, size_t* size) {
  return no_buffer(size);
}
Status SpMM_preprocess(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                       cusparseConstDnMatDescr_t, const void*, cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t, void*) {
  return kDone;
}
Status SpMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void* alpha, cusparseConstSpMatDescr_t A,
            cusparseConstDnMatDescr_t B, const void* beta, cusparseDnMatDescr_t C, cudaDataType computeType, cusparseSpMMAlg_t, void*) {
  if (!alpha || !A || !B || !beta || !C || !valid(opA) || !valid(opB)) return kInvalid;
  if (C->rows != rows_of(*A, opA) || C->columns != columns_of(*B, opB) || columns_of(*A, opA) != rows_of(*B, opB)) return kInvalid;
  if (!batched(*B, C->batch)) return kInvalid;
  return start(handle, [=, a = Factor(*handle, computeType, alpha), b = Factor(*handle, computeType, beta), A = *A, B = *B, C = *C] {
    for (int item = 0; item < C.batch; ++item) {
      const Values from = at(B, item), to = at(C, item);
      std::vector<Number> sums(static_cast<size_t>(C.rows * C.columns));
      each(A, opA, [&](int64_t r, int64_t k, int64_t i) {
        const Number value = apply(opA, A.values[i]);
        for (int64_t c = 0; c < C.columns; ++c)
          sums[static_cast<size_t>(r * C.columns + c)] += value * apply(opB, from[opB ? B.place(c, k) : B.place(k, c)]);
      });
      scale(C, to, b.get());
      const Number alpha = a.get();
      for (int64_t r = 0; r < C.rows; ++r)
        for (int64_t c = 0; c < C.columns; ++c) {
          const int64_t place = C.place(r, c);
          to.set(place, to[place] + alpha * sums[static_cast<size_t>(r * C.columns + c)]);
        }
    }
  });
}

Status SDDMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*, cusparseConstDnMatDescr_t,
                        cusparseConstDnMatDescr_t, const void*, cusparseSpMatDescr_t, cudaDataType, cusparseSDDMMAlg_t, size_t* size) {
  return no_buffer(size);
}
Status SDDMM_preprocess(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*, cusparseConstDnMatDescr_t,
                        cusparseConstDnMatDescr_t, const void*, cusparseSpMatDescr_t, cudaDataType, cusparseSDDMMAlg_t, void*) {
  return kDone;
}
Status SDDMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void* alpha, cusparseConstDnMatDescr_t A,
             cusparseConstDnMatDescr_t B, const void* beta, cusparseSpMatDescr_t C, cudaDataType computeType, cusparseSDDMMAlg_t, void*) {
  if (!alpha || !A || !B || !beta || !C || !valid(opA) || !valid(opB)) return kInvalid;
  if (C->rows != rows_of(*A, opA) || C->columns != columns_of(*B, opB) || columns_of(*A, opA) != rows_of(*B, opB)) return kInvalid;
  if (A->batch != 1 || B->batch != 1) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return start(handle, [=, a = Factor(*handle, computeType, alpha), b = Factor(*handle, computeType, beta), A = *A, B = *B, C = *C] {
    const int64_t inner = columns_of(A, opA);
    each(C, CUSPARSE_OPERATION_NON_TRANSPOSE, [&](int64_t r, int64_t c, int64_t i) {
      Number sum;
      for (int64_t k = 0; k < inner; ++k)
        sum += apply(opA, A.values[opA ? A.place(k, r) : A.place(r, k)]) * apply(opB, B.values[opB ? B.place(c, k) : B.place(k, c)]);
      C.values.set(i, a.get() * sum + b.get() * C.values[i]);
    });
  });
}

Status SpGEMM_createDescr(cusparseSpGEMMDescr_t* product) {
  if (!product) return kInvalid;
  *product = new cusparseSpGEMMDescr;
  return kDone;
}
Status SpGEMM_destroyDescr(cusparseSpGEMMDescr_t product) {
  delete product;
  return kDone;
}
Status SpGEMM_workEstimation(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                             cusparseConstSpMatDescr_t, const void*, cusparseSpMatDescr_t, cudaDataType, cusparseSpGEMMAlg_t,
                             cusparseSpGEMMDescr_t product, size_t* size, void*) {
  return product ? no_buffer(size) : kInvalid;
}
// The number of entries of C is known when this returns; C's indices and values are written by the copy. It is computed at
// the first call, with or without a buffer.
Status SpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void* alpha,
                      cusparseConstSpMatDescr_t A, cusparseConstSpMatDescr_t B, const void*, cusparseSpMatDescr_t C,
                      cudaDataType computeType, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t product, size_t* size, void*) {
  if (!alpha || !A || !B || !C || !product || !size) return kInvalid;
  if (opA || opB || C->format != CUSPARSE_FORMAT_CSR) return CUSPARSE_STATUS_NOT_SUPPORTED;
  if (C->rows != A->rows || C->columns != B->columns || A->columns != B->rows) return kInvalid;
  *size = 0;
  if (product->computed) return kDone;
  const Factor factor(*handle, computeType, alpha);
  const Status status = start_and_wait(handle, [=] {
    std::vector<std::vector<std::pair<int64_t, Number>>> b(static_cast<size_t>(B->rows));
    each(*B, opB, [&](int64_t k, int64_t c, int64_t i) { b[static_cast<size_t>(k)].push_back({c, B->values[i]}); });
    product->rows.assign(static_cast<size_t>(A->rows), {});
    each(*A, opA, [&](int64_t r, int64_t k, int64_t i) {
      const Number value = factor.get() * A->values[i];
      for (const auto& [c, other] : b[static_cast<size_t>(k)]) product->rows[static_cast<size_t>(r)][c] += value * other;
    });
  });
  if (status != kDone) return status;
  product->computed = true;
  C->nnz = 0;
  for (const auto& row : product->rows) C->nnz += static_cast<int64_t>(row.size());
  return kDone;
}
// beta times the entries that C has already is added; they have the places of the product.
Status SpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                   cusparseConstSpMatDescr_t, const void* beta, cusparseSpMatDescr_t C, cudaDataType computeType, cusparseSpGEMMAlg_t,
                   cusparseSpGEMMDescr_t product) {
  if (!C || !beta || !product || !product->computed) return kInvalid;
  return start(handle, [b = Factor(*handle, computeType, beta), C = *C, rows = product->rows] {
    int64_t i = 0;
    for (int64_t r = 0; r < C.rows; ++r) {
      C.first.set(r, i);
      for (const auto& [column, value] : rows[static_cast<size_t>(r)]) {
        C.second.set(i, column);
        C.values.set(i, b.get() == 0.0 ? value : value + b.get() * C.values[i]);
        ++i;
      }
    }
    C.first.set(C.rows, i);
  });
}

}  // namespace cassc::sparse
