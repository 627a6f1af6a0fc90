#include "types.h"

namespace cassc::sparse {

using blas::element;

int64_t Indices::operator[](int64_t at) const {
  switch (type) {
    case CUSPARSE_INDEX_16U: return element<uint16_t>(data, at) - base;
    case CUSPARSE_INDEX_64I: return element<int64_t>(data, at) - base;
    default: return element<int32_t>(data, at) - base;
  }
}

void Indices::set(int64_t at, int64_t value) const {
  switch (type) {
    case CUSPARSE_INDEX_16U: element<uint16_t>(data, at) = static_cast<uint16_t>(value + base); break;
    case CUSPARSE_INDEX_64I: element<int64_t>(data, at) = value + base; break;
    default: element<int32_t>(data, at) = static_cast<int32_t>(value + base);
  }
}

void each(const cusparseSpMatDescr& m, cusparseOperation_t operation, const Visit& visit) {
  const auto give = [&](int64_t row, int64_t column, int64_t at) {
    if (operation) visit(column, row, at);
    else visit(row, column, at);
  };
  if (m.format == CUSPARSE_FORMAT_COO) {
    for (int64_t i = 0; i < m.nnz; ++i) give(m.first[i], m.second[i], i);
    return;
  }
  const bool csr = m.format == CUSPARSE_FORMAT_CSR;
  for (int64_t line = 0; line < (csr ? m.rows : m.columns); ++line)
    for (int64_t i = m.first[line]; i < m.first[line + 1]; ++i)
      if (csr) give(line, m.second[i], i);
      else give(m.second[i], line, i);
}

}  // namespace cassc::sparse
