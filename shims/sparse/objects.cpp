// Vectors and matrices (cuSPARSE manual, "Sparse Vector APIs" to "Dense Matrix APIs").
#include <new>

#include "types.h"

namespace cassc::sparse {
namespace {

constexpr Status kDone = CUSPARSE_STATUS_SUCCESS, kInvalid = CUSPARSE_STATUS_INVALID_VALUE;

template <class T>
Status give(T** place, T made) {
  if (!place) return kInvalid;
  *place = new (std::nothrow) std::remove_const_t<T>(std::move(made));
  return *place ? kDone : CUSPARSE_STATUS_ALLOC_FAILED;
}
template <class T>
Status destroy(const T* object) {
  delete object;
  return kDone;
}
template <class T, class Value>
void put(T* place, Value value) {
  if (place) *place = static_cast<T>(value);
}
void* mutable_(const void* pointer) { return const_cast<void*>(pointer); }

bool index_type(cusparseIndexType_t x) { return x >= CUSPARSE_INDEX_16U && x <= CUSPARSE_INDEX_64I; }
bool base_valid(cusparseIndexBase_t x) { return x == CUSPARSE_INDEX_BASE_ZERO || x == CUSPARSE_INDEX_BASE_ONE; }

Status make_matrix(const cusparseSpMatDescr** place, cusparseFormat_t format, int64_t rows, int64_t columns, int64_t nnz,
                   const void* first, const void* second, const void* values, cusparseIndexType_t first_type,
                   cusparseIndexType_t second_type, cusparseIndexBase_t base, cudaDataType type) {
  const bool sound = place && rows >= 0 && columns >= 0 && nnz >= 0 && index_type(first_type) && index_type(second_type) &&
                     base_valid(base) && bytes_of(type);
  if (!sound) return kInvalid;
  return give<const cusparseSpMatDescr>(place, {format, rows, columns, nnz, {mutable_(first), first_type, base},
                                                {mutable_(second), second_type, base}, {mutable_(values), type}});
}

template <class Pointer>
Status read_matrix(const cusparseSpMatDescr* m, cusparseFormat_t format, int64_t* rows, int64_t* columns, int64_t* nnz,
                   Pointer* first, Pointer* second, Pointer* values, cusparseIndexType_t* first_type,
                   cusparseIndexType_t* second_type, cusparseIndexBase_t* base, cudaDataType* type) {
  if (!m || m->format != format) return kInvalid;
  put(rows, m->rows), put(columns, m->columns), put(nnz, m->nnz);
  put(first, m->first.data), put(second, m->second.data), put(values, m->values.data);
  put(first_type, m->first.type), put(second_type, m->second.type), put(base, m->first.base), put(type, m->values.type);
  return kDone;
}

Status set_pointers(cusparseSpMatDescr* m, cusparseFormat_t format, void* first, void* second, void* values) {
  if (!m || m->format != format || !first || !second || !values) return kInvalid;
  m->first.data = first, m->second.data = second, m->values.data = values;
  return kDone;
}

template <class T, class Pointer>
Status get_values(const T* object, Pointer* values) {
  if (!object || !values) return kInvalid;
  *values = object->values.data;
  return kDone;
}
template <class T>
Status set_values(T* object, void* values) {
  if (!object || !values) return kInvalid;
  object->values.data = values;
  return kDone;
}

}  // namespace

Status CreateMatDescr(cusparseMatDescr_t* descr) { return give(descr, cusparseMatDescr{}); }
Status DestroyMatDescr(cusparseMatDescr_t descr) { return destroy(descr); }
Status DestroySpVec(cusparseConstSpVecDescr_t x) { return destroy(x); }
Status DestroyDnVec(cusparseConstDnVecDescr_t x) { return destroy(x); }
Status DestroySpMat(cusparseConstSpMatDescr_t A) { return destroy(A); }
Status DestroyDnMat(cusparseConstDnMatDescr_t A) { return destroy(A); }

Status CreateConstSpVec(cusparseConstSpVecDescr_t* x, int64_t size, int64_t nnz, const void* indices, const void* values,
                        cusparseIndexType_t indexType, cusparseIndexBase_t base, cudaDataType valueType) {
  if (!x || size < 0 || nnz < 0 || nnz > size || !index_type(indexType) || !base_valid(base) || !bytes_of(valueType)) return kInvalid;
  return give<const cusparseSpVecDescr>(x, {size, nnz, {mutable_(indices), indexType, base}, {mutable_(values), valueType}});
}
Status CreateConstDnVec(cusparseConstDnVecDescr_t* x, int64_t size, const void* values, cudaDataType valueType) {
  if (!x || size < 0 || !bytes_of(valueType)) return kInvalid;
  return give<const cusparseDnVecDescr>(x, {size, {mutable_(values), valueType}});
}
Status CreateConstDnMat(cusparseConstDnMatDescr_t* A, int64_t rows, int64_t columns, int64_t ld, const void* values,
                        cudaDataType valueType, cusparseOrder_t order) {
  const bool by_rows = order == CUSPARSE_ORDER_ROW;
  if (!A || rows < 0 || columns < 0 || ld < (by_rows ? columns : rows) || !bytes_of(valueType)) return kInvalid;
  if (!by_rows && order != CUSPARSE_ORDER_COL) return kInvalid;
  return give<const cusparseDnMatDescr>(A, {rows, columns, ld, {mutable_(values), valueType}, order});
}
// The same for objects that may be written; all are made by new of a type that is not const in truth.
Status CreateSpVec(cusparseSpVecDescr_t* x, int64_t size, int64_t nnz, void* indices, void* values, cusparseIndexType_t indexType,
                   cusparseIndexBase_t base, cudaDataType valueType) {
  return CreateConstSpVec(const_cast<cusparseConstSpVecDescr_t*>(x), size, nnz, indices, values, indexType, base, valueType);
}
Status CreateDnVec(cusparseDnVecDescr_t* x, int64_t size, void* values, cudaDataType valueType) {
  return CreateConstDnVec(const_cast<cusparseConstDnVecDescr_t*>(x), size, values, valueType);
}
Status CreateDnMat(cusparseDnMatDescr_t* A, int64_t rows, int64_t columns, int64_t ld, void* values, cudaDataType valueType,
                   cusparseOrder_t order) {
  return CreateConstDnMat(const_cast<cusparseConstDnMatDescr_t*>(A), rows, columns, ld, values, valueType, order);
}

#define COMPRESSED(Name, FORMAT)                                                                                              \
  Status CreateConst##Name(cusparseConstSpMatDescr_t* A, int64_t rows, int64_t columns, int64_t nnz, const void* offsets,     \
                           const void* indices, const void* values, cusparseIndexType_t offsetType,                           \
                           cusparseIndexType_t indexType, cusparseIndexBase_t base, cudaDataType valueType) {                 \
    return make_matrix(A, FORMAT, rows, columns, nnz, offsets, indices, values, offsetType, indexType, base, valueType);      \
  }                                                                                                                           \
  Status Create##Name(cusparseSpMatDescr_t* A, int64_t rows, int64_t columns, int64_t nnz, void* offsets, void* indices,      \
                      void* values, cusparseIndexType_t offsetType, cusparseIndexType_t indexType, cusparseIndexBase_t base,  \
                      cudaDataType valueType) {                                                                               \
    return make_matrix(const_cast<cusparseConstSpMatDescr_t*>(A), FORMAT, rows, columns, nnz, offsets, indices, values,       \
                       offsetType, indexType, base, valueType);                                                               \
  }                                                                                                                           \
  Status Name##Get(cusparseSpMatDescr_t A, int64_t* rows, int64_t* columns, int64_t* nnz, void** offsets, void** indices,     \
                   void** values, cusparseIndexType_t* offsetType, cusparseIndexType_t* indexType, cusparseIndexBase_t* base, \
                   cudaDataType* valueType) {                                                                                 \
    return read_matrix(A, FORMAT, rows, columns, nnz, offsets, indices, values, offsetType, indexType, base, valueType);      \
  }                                                                                                                           \
  Status Const##Name##Get(cusparseConstSpMatDescr_t A, int64_t* rows, int64_t* columns, int64_t* nnz, const void** offsets,   \
                          const void** indices, const void** values, cusparseIndexType_t* offsetType,                         \
                          cusparseIndexType_t* indexType, cusparseIndexBase_t* base, cudaDataType* valueType) {               \
    return read_matrix(A, FORMAT, rows, columns, nnz, offsets, indices, values, offsetType, indexType, base, valueType);      \
  }                                                                                                                           \
  Status Name##SetPointers(cusparseSpMatDescr_t A, void* offsets, void* indices, void* values) {                              \
    return set_pointers(A, FORMAT, offsets, indices, values);                                                                 \
  }
COMPRESSED(Csr, CUSPARSE_FORMAT_CSR)
COMPRESSED(Csc, CUSPARSE_FORMAT_CSC)

Status CreateConstCoo(cusparseConstSpMatDescr_t* A, int64_t rows, int64_t columns, int64_t nnz, const void* rowIndices,
                      const void* columnIndices, const void* values, cusparseIndexType_t indexType, cusparseIndexBase_t base,
                      cudaDataType valueType) {
  return make_matrix(A, CUSPARSE_FORMAT_COO, rows, columns, nnz, rowIndices, columnIndices, values, indexType, indexType, base, valueType);
}
Status CreateCoo(cusparseSpMatDescr_t* A, int64_t rows, int64_t columns, int64_t nnz, void* rowIndices, void* columnIndices,
                 void* values, cusparseIndexType_t indexType, cusparseIndexBase_t base, cudaDataType valueType) {
  return CreateConstCoo(const_cast<cusparseConstSpMatDescr_t*>(A), rows, columns, nnz, rowIndices, columnIndices, values, indexType,
                        base, valueType);
}
Status CooGet(cusparseSpMatDescr_t A, int64_t* rows, int64_t* columns, int64_t* nnz, void** rowIndices, void** columnIndices,
              void** values, cusparseIndexType_t* indexType, cusparseIndexBase_t* base, cudaDataType* valueType) {
  return read_matrix(A, CUSPARSE_FORMAT_COO, rows, columns, nnz, rowIndices, columnIndices, values, indexType, indexType, base, valueType);
}
Status ConstCooGet(cusparseConstSpMatDescr_t A, int64_t* rows, int64_t* columns, int64_t* nnz, const void** rowIndices,
                   const void** columnIndices, const void** values, cusparseIndexType_t* indexType, cusparseIndexBase_t* base,
                   cudaDataType* valueType) {
  return read_matrix(A, CUSPARSE_FORMAT_COO, rows, columns, nnz, rowIndices, columnIndices, values, indexType, indexType, base, valueType);
}
Status CooSetPointers(cusparseSpMatDescr_t A, void* rowIndices, void* columnIndices, void* values) {
  return set_pointers(A, CUSPARSE_FORMAT_COO, rowIndices, columnIndices, values);
}

Status ConstSpVecGet(cusparseConstSpVecDescr_t x, int64_t* size, int64_t* nnz, const void** indices, const void** values,
                     cusparseIndexType_t* indexType, cusparseIndexBase_t* base, cudaDataType* valueType) {
  if (!x) return kInvalid;
  put(size, x->size), put(nnz, x->nnz), put(indices, x->indices.data), put(values, x->values.data);
  put(indexType, x->indices.type), put(base, x->indices.base), put(valueType, x->values.type);
  return kDone;
}
Status SpVecGet(cusparseSpVecDescr_t x, int64_t* size, int64_t* nnz, void** indices, void** values, cusparseIndexType_t* indexType,
                cusparseIndexBase_t* base, cudaDataType* valueType) {
  return ConstSpVecGet(x, size, nnz, const_cast<const void**>(indices), const_cast<const void**>(values), indexType, base, valueType);
}
Status SpVecGetIndexBase(cusparseConstSpVecDescr_t x, cusparseIndexBase_t* base) {
  return ConstSpVecGet(x, nullptr, nullptr, nullptr, nullptr, nullptr, base, nullptr);
}
Status ConstDnVecGet(cusparseConstDnVecDescr_t x, int64_t* size, const void** values, cudaDataType* valueType) {
  if (!x) return kInvalid;
  put(size, x->size), put(values, x->values.data), put(valueType, x->values.type);
  return kDone;
}
Status DnVecGet(cusparseDnVecDescr_t x, int64_t* size, void** values, cudaDataType* valueType) {
  return ConstDnVecGet(x, size, const_cast<const void**>(values), valueType);
}
Status ConstDnMatGet(cusparseConstDnMatDescr_t A, int64_t* rows, int64_t* columns, int64_t* ld, const void** values,
                     cudaDataType* valueType, cusparseOrder_t* order) {
  if (!A) return kInvalid;
  put(rows, A->rows), put(columns, A->columns), put(ld, A->ld), put(values, A->values.data), put(valueType, A->values.type);
  put(order, A->order);
  return kDone;
}
Status DnMatGet(cusparseDnMatDescr_t A, int64_t* rows, int64_t* columns, int64_t* ld, void** values, cudaDataType* valueType,
                cusparseOrder_t* order) {
  return ConstDnMatGet(A, rows, columns, ld, const_cast<const void**>(values), valueType, order);
}
Status SpVecGetValues(cusparseSpVecDescr_t x, void** values) { return get_values(x, values); }
Status ConstSpVecGetValues(cusparseConstSpVecDescr_t x, const void** values) { return get_values(x, values); }
Status SpVecSetValues(cusparseSpVecDescr_t x, void* values) { return set_values(x, values); }
Status DnVecGetValues(cusparseDnVecDescr_t x, void** values) { return get_values(x, values); }
Status ConstDnVecGetValues(cusparseConstDnVecDescr_t x, const void** values) { return get_values(x, values); }
Status DnVecSetValues(cusparseDnVecDescr_t x, void* values) { return set_values(x, values); }
Status SpMatGetValues(cusparseSpMatDescr_t A, void** values) { return get_values(A, values); }
Status ConstSpMatGetValues(cusparseConstSpMatDescr_t A, const void** values) { return get_values(A, values); }
Status SpMatSetValues(cusparseSpMatDescr_t A, void* values) { return set_values(A, values); }
Status DnMatGetValues(cusparseDnMatDescr_t A, void** values) { return get_values(A, values); }
Status ConstDnMatGetValues(cusparseConstDnMatDescr_t A, const void** values) { return get_values(A, values); }
Status DnMatSetValues(cusparseDnMatDescr_t A, void* values) { return set_values(A, values); }

Status SpMatGetFormat(cusparseConstSpMatDescr_t A, cusparseFormat_t* format) {
  if (!A || !format) return kInvalid;
  *format = A->format;
  return kDone;
}
Status SpMatGetIndexBase(cusparseConstSpMatDescr_t A, cusparseIndexBase_t* base) {
  if (!A || !base) return kInvalid;
  put(base, A->first.base);
  return kDone;
}
Status SpMatGetSize(cusparseConstSpMatDescr_t A, int64_t* rows, int64_t* columns, int64_t* nnz) {
  if (!A) return kInvalid;
  put(rows, A->rows), put(columns, A->columns), put(nnz, A->nnz);
  return kDone;
}
Status SpMatGetAttribute(cusparseConstSpMatDescr_t A, cusparseSpMatAttribute_t attribute, void* data, size_t size) {
  if (!A || !data || size != sizeof(int)) return kInvalid;
  switch (attribute) {
    case CUSPARSE_SPMAT_FILL_MODE: return *static_cast<int*>(data) = A->fill, kDone;
    case CUSPARSE_SPMAT_DIAG_TYPE: return *static_cast<int*>(data) = A->diagonal, kDone;
  }
  return kInvalid;
}
Status SpMatSetAttribute(cusparseSpMatDescr_t A, cusparseSpMatAttribute_t attribute, void* data, size_t size) {
  if (!A || !data || size != sizeof(int)) return kInvalid;
  const int value = *static_cast<const int*>(data);
  switch (attribute) {
    case CUSPARSE_SPMAT_FILL_MODE: return A->fill = static_cast<cusparseFillMode_t>(value), kDone;
    case CUSPARSE_SPMAT_DIAG_TYPE: return A->diagonal = static_cast<cusparseDiagType_t>(value), kDone;
  }
  return kInvalid;
}
Status DnMatSetStridedBatch(cusparseDnMatDescr_t A, int count, int64_t stride) {
  if (!A || count < 1 || stride < 0) return kInvalid;
  A->batch = count, A->stride = stride;
  return kDone;
}
Status DnMatGetStridedBatch(cusparseConstDnMatDescr_t A, int* count, int64_t* stride) {
  if (!A) return kInvalid;
  put(count, A->batch), put(stride, A->stride);
  return kDone;
}

}  // namespace cassc::sparse
