// Conversions between formats, sorting, and sums of compressed matrices (cuSPARSE manual, "Format Conversion", csrgeam2).
#include <algorithm>
#include <map>
#include <numeric>

#include "types.h"

namespace cassc::sparse {
namespace {

constexpr Status kDone = CUSPARSE_STATUS_SUCCESS, kInvalid = CUSPARSE_STATUS_INVALID_VALUE;

// Places 0 .. count - 1 in the order that less gives, equal ones as they are.
template <class Less>
std::vector<int> order_of(int count, Less less) {
  std::vector<int> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), less);
  return order;
}
void rearrange(int* data, const std::vector<int>& order) {
  if (!data) return;
  std::vector<int> old(data, data + order.size());
  for (size_t i = 0; i < order.size(); ++i) data[i] = old[static_cast<size_t>(order[i])];
}

// Sorts lines of compressed storage; the permutation goes the same way.
Status sort_lines(cusparseHandle_t handle, int lines, const cusparseMatDescr_t descr, const int* offsets, int* indices, int* permutation) {
  if (!descr || lines < 0 || !offsets || !indices) return kInvalid;
  return start(handle, [=, base = static_cast<int>(descr->base)] {
    for (int line = 0; line < lines; ++line) {
      const int begin = offsets[line] - base, count = offsets[line + 1] - offsets[line];
      int* at = indices + begin;
      const auto order = order_of(count, [&](int a, int b) { return at[a] < at[b]; });
      rearrange(at, order);
      rearrange(permutation ? permutation + begin : nullptr, order);
    }
  });
}

// Sorts pairs of indices by the first ones, then the second ones.
Status sort_pairs(cusparseHandle_t handle, int nnz, int* first, int* second, int* permutation) {
  if (nnz < 0 || (nnz && (!first || !second))) return kInvalid;
  return start(handle, [=] {
    const auto order = order_of(nnz, [&](int a, int b) { return std::pair(first[a], second[a]) < std::pair(first[b], second[b]); });
    rearrange(first, order);
    rearrange(second, order);
    rearrange(permutation, order);
  });
}

cusparseSpMatDescr csr(int m, int n, int nnz, const int* offsets, const int* indices, const void* values, cudaDataType type, int base) {
  return {CUSPARSE_FORMAT_CSR, m, n, nnz, {const_cast<int*>(offsets), CUSPARSE_INDEX_32I, base},
          {const_cast<int*>(indices), CUSPARSE_INDEX_32I, base}, {const_cast<void*>(values), type}};
}

// The columns of each row that A or B has, in order.
std::vector<std::map<int64_t, Number>> sum(const cusparseSpMatDescr& A, Number alpha, const cusparseSpMatDescr& B, Number beta) {
  std::vector<std::map<int64_t, Number>> rows(static_cast<size_t>(A.rows));
  for (const auto& [matrix, factor] : {std::pair(&A, alpha), std::pair(&B, beta)})
    each(*matrix, CUSPARSE_OPERATION_NON_TRANSPOSE, [&, matrix = matrix, factor = factor](int64_t r, int64_t c, int64_t i) {
      rows[static_cast<size_t>(r)][c] += matrix->values.data ? factor * matrix->values[i] : Number();
    });
  return rows;
}

template <cudaDataType type, class T>
Status csrgeam2(cusparseHandle_t handle, int m, int n, const T* alpha, const cusparseMatDescr_t descrA, int nnzA, const T* valuesA,
                const int* offsetsA, const int* indicesA, const T* beta, const cusparseMatDescr_t descrB, int nnzB, const T* valuesB,
                const int* offsetsB, const int* indicesB, const cusparseMatDescr_t descrC, T* valuesC, int* offsetsC, int* indicesC) {
  if (m < 0 || n < 0 || !alpha || !beta || !descrA || !descrB || !descrC || !offsetsA || !offsetsB || !offsetsC) return kInvalid;
  const auto A = csr(m, n, nnzA, offsetsA, indicesA, valuesA, type, descrA->base);
  const auto B = csr(m, n, nnzB, offsetsB, indicesB, valuesB, type, descrB->base);
  const auto C = csr(m, n, 0, offsetsC, indicesC, valuesC, type, descrC->base);
  return start(handle, [=, a = Factor(*handle, type, alpha), b = Factor(*handle, type, beta)] {
    int64_t i = 0, r = 0;
    for (const auto& row : sum(A, a.get(), B, b.get())) {
      C.first.set(r++, i);
      for (const auto& [column, value] : row) {
        C.second.set(i, column);
        C.values.set(i++, value);
      }
    }
    C.first.set(r, i);
  });
}

}  // namespace

Status SparseToDense_bufferSize(cusparseHandle_t, cusparseConstSpMatDescr_t, cusparseDnMatDescr_t, cusparseSparseToDenseAlg_t,
                                size_t* size) {
  return no_buffer(size);
}
Status SparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t A, cusparseDnMatDescr_t B, cusparseSparseToDenseAlg_t, void*) {
  if (!A || !B || A->rows != B->rows || A->columns != B->columns) return kInvalid;
  return start(handle, [A = *A, B = *B] {
    for (int64_t r = 0; r < B.rows; ++r)
      for (int64_t c = 0; c < B.columns; ++c) B.values.set(B.place(r, c), 0);
    each(A, CUSPARSE_OPERATION_NON_TRANSPOSE, [&](int64_t r, int64_t c, int64_t i) { B.values.set(B.place(r, c), A.values[i]); });
  });
}

// Visits the entries of a dense matrix that are not 0, in the order of the sparse one's format.
static void each_nonzero(const cusparseDnMatDescr& A, cusparseFormat_t format, const std::function<void(int64_t, int64_t, Number)>& visit) {
  const bool by_columns = format == CUSPARSE_FORMAT_CSC;
  const int64_t outer = by_columns ? A.columns : A.rows, inner = by_columns ? A.rows : A.columns;
  for (int64_t line = 0; line < outer; ++line)
    for (int64_t k = 0; k < inner; ++k) {
      const Number value = A.values[by_columns ? A.place(k, line) : A.place(line, k)];
      if (value != 0.0) visit(line, k, value);
    }
}
Status DenseToSparse_bufferSize(cusparseHandle_t, cusparseConstDnMatDescr_t, cusparseSpMatDescr_t, cusparseDenseToSparseAlg_t,
                                size_t* size) {
  return no_buffer(size);
}
// The number of entries is known when this returns, and the offsets are written.
Status DenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t A, cusparseSpMatDescr_t B, cusparseDenseToSparseAlg_t,
                              void*) {
  if (!A || !B || A->rows != B->rows || A->columns != B->columns) return kInvalid;
  return start_and_wait(handle, [A, B] {
    B->nnz = 0;
    std::vector<int64_t> counts(static_cast<size_t>(B->format == CUSPARSE_FORMAT_CSC ? A->columns : A->rows));
    each_nonzero(*A, B->format, [&](int64_t line, int64_t, Number) { ++counts[static_cast<size_t>(line)], ++B->nnz; });
    if (B->format == CUSPARSE_FORMAT_COO || !B->first.data) return;
    int64_t sum = 0;
    for (size_t line = 0; line <= counts.size(); ++line) {
      B->first.set(static_cast<int64_t>(line), sum);
      if (line < counts.size()) sum += counts[line];
    }
  });
}
Status DenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t A, cusparseSpMatDescr_t B, cusparseDenseToSparseAlg_t,
                             void*) {
  if (!A || !B || A->rows != B->rows || A->columns != B->columns) return kInvalid;
  return start(handle, [A = *A, B = *B] {
    int64_t i = 0;
    each_nonzero(A, B.format, [&](int64_t line, int64_t k, Number value) {
      if (B.format == CUSPARSE_FORMAT_COO) B.first.set(i, line);
      B.second.set(i, k);
      B.values.set(i++, value);
    });
  });
}

Status Xcoo2csr(cusparseHandle_t handle, const int* rowIndices, int nnz, int m, int* offsets, cusparseIndexBase_t base) {
  if (nnz < 0 || m < 0 || !offsets || (nnz && !rowIndices)) return kInvalid;
  return start(handle, [=] {
    std::fill(offsets, offsets + m + 1, 0);
    for (int i = 0; i < nnz; ++i) ++offsets[rowIndices[i] - base + 1];
    std::partial_sum(offsets, offsets + m + 1, offsets);
    for (int r = 0; r <= m; ++r) offsets[r] += base;
  });
}
Status Xcsr2coo(cusparseHandle_t handle, const int* offsets, int nnz, int m, int* rowIndices, cusparseIndexBase_t base) {
  if (nnz < 0 || m < 0 || !offsets || (nnz && !rowIndices)) return kInvalid;
  return start(handle, [=] {
    for (int r = 0; r < m; ++r) std::fill(rowIndices + (offsets[r] - base), rowIndices + (offsets[r + 1] - base), r + base);
  });
}
Status Csr2cscEx2_bufferSize(cusparseHandle_t, int, int, int, const void*, const int*, const int*, void*, int*, int*, cudaDataType,
                             cusparseAction_t, cusparseIndexBase_t, cusparseCsr2CscAlg_t, size_t* size) {
  return no_buffer(size);
}
Status Csr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz, const void* values, const int* offsets, const int* indices,
                  void* cscValues, int* cscOffsets, int* cscIndices, cudaDataType valueType, cusparseAction_t action,
                  cusparseIndexBase_t base, cusparseCsr2CscAlg_t, void*) {
  if (m < 0 || n < 0 || nnz < 0 || !offsets || !cscOffsets || (nnz && (!indices || !cscIndices)) || !bytes_of(valueType)) return kInvalid;
  const bool numeric = action == CUSPARSE_ACTION_NUMERIC;
  if (numeric && nnz && (!values || !cscValues)) return kInvalid;
  return start(handle, [=, A = csr(m, n, nnz, offsets, indices, values, valueType, base)] {
    std::vector<int> next(static_cast<size_t>(n) + 1);
    for (int i = 0; i < nnz; ++i) ++next[static_cast<size_t>(A.second[i]) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (int c = 0; c <= n; ++c) cscOffsets[c] = next[static_cast<size_t>(c)] + base;
    each(A, CUSPARSE_OPERATION_NON_TRANSPOSE, [&](int64_t r, int64_t c, int64_t i) {
      const int to = next[static_cast<size_t>(c)]++;
      cscIndices[to] = static_cast<int>(r) + base;
      if (numeric) store(valueType, cscValues, to, A.values[i]);
    });
  });
}

Status CreateIdentityPermutation(cusparseHandle_t handle, int n, int* permutation) {
  if (n < 0 || (n && !permutation)) return kInvalid;
  return start(handle, [=] { std::iota(permutation, permutation + n, 0); });
}
Status Xcoosort_bufferSizeExt(cusparseHandle_t, int, int, int, const int*, const int*, size_t* size) { return no_buffer(size); }
Status XcoosortByRow(cusparseHandle_t handle, int, int, int nnz, int* rowIndices, int* columnIndices, int* permutation, void*) {
  return sort_pairs(handle, nnz, rowIndices, columnIndices, permutation);
}
Status XcoosortByColumn(cusparseHandle_t handle, int, int, int nnz, int* rowIndices, int* columnIndices, int* permutation, void*) {
  return sort_pairs(handle, nnz, columnIndices, rowIndices, permutation);
}
Status Xcsrsort_bufferSizeExt(cusparseHandle_t, int, int, int, const int*, const int*, size_t* size) { return no_buffer(size); }
Status Xcsrsort(cusparseHandle_t handle, int m, int, int, const cusparseMatDescr_t descrA, const int* offsets, int* indices,
                int* permutation, void*) {
  return sort_lines(handle, m, descrA, offsets, indices, permutation);
}
Status Xcscsort_bufferSizeExt(cusparseHandle_t, int, int, int, const int*, const int*, size_t* size) { return no_buffer(size); }
Status Xcscsort(cusparseHandle_t handle, int, int n, int, const cusparseMatDescr_t descrA, const int* offsets, int* indices,
                int* permutation, void*) {
  return sort_lines(handle, n, descrA, offsets, indices, permutation);
}

Status Xcsrgeam2Nnz(cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descrA, int nnzA, const int* offsetsA,
                    const int* indicesA, const cusparseMatDescr_t descrB, int nnzB, const int* offsetsB, const int* indicesB,
                    const cusparseMatDescr_t descrC, int* offsetsC, int* nnz, void*) {
  if (m < 0 || n < 0 || !descrA || !descrB || !descrC || !offsetsA || !offsetsB || !offsetsC || !nnz) return kInvalid;
  const auto work = [=, base = static_cast<int>(descrC->base), A = csr(m, n, nnzA, offsetsA, indicesA, nullptr, CUDA_R_32F, descrA->base),
                     B = csr(m, n, nnzB, offsetsB, indicesB, nullptr, CUDA_R_32F, descrB->base)] {
    int count = 0, r = 0;
    for (const auto& row : sum(A, 0, B, 0)) {
      offsetsC[r++] = count + base;
      count += static_cast<int>(row.size());
    }
    offsetsC[r] = count + base;
    *nnz = count;
  };
  return handle->mode == CUSPARSE_POINTER_MODE_DEVICE ? start(handle, work) : start_and_wait(handle, work);
}

#define CSRGEAM2(letter, T, type)                                                                                                      \
  Status letter##csrgeam2_bufferSizeExt(cusparseHandle_t, int, int, const T*, const cusparseMatDescr_t, int, const T*,           \
                                        const int*, const int*, const T*, const cusparseMatDescr_t, int, const T*, const int*,   \
                                        const int*, const cusparseMatDescr_t, const T*, const int*, const int*, size_t* size) {  \
    return no_buffer(size);                                                                                                      \
  }                                                                                                                              \
  Status letter##csrgeam2(cusparseHandle_t handle, int m, int n, const T* alpha, const cusparseMatDescr_t descrA, int nnzA,      \
                          const T* valuesA, const int* offsetsA, const int* indicesA, const T* beta,                             \
                          const cusparseMatDescr_t descrB, int nnzB, const T* valuesB, const int* offsetsB,                      \
                          const int* indicesB, const cusparseMatDescr_t descrC, T* valuesC, int* offsetsC, int* indicesC, void*) { \
    return csrgeam2<type>(handle, m, n, alpha, descrA, nnzA, valuesA, offsetsA, indicesA, beta, descrB, nnzB, valuesB, offsetsB,       \
                    indicesB, descrC, valuesC, offsetsC, indicesC);                                                              \
  }
CSRGEAM2(S, float, CUDA_R_32F)
CSRGEAM2(D, double, CUDA_R_64F)
CSRGEAM2(C, cuComplex, CUDA_C_32F)
CSRGEAM2(Z, cuDoubleComplex, CUDA_C_64F)

}  // namespace cassc::sparse
