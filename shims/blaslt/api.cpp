// libcublasLt's entry points (cuBLAS manual, "Using the cuBLASLt API"): products of column-major matrices with an epilogue, by
// the products of cuBLAS. There is one algorithm; layouts of Tensor Cores, scales of FP8 and auxiliary outputs are refused.
#include <cassc/lt_types.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "../blas/gemm.h"
#include "errors.h"

#define CASSC_API extern "C" __attribute__((visibility("default")))

using namespace cassc::blas;
namespace rt = cassc::rt;

struct cublasLtContext {};

namespace {

struct Layout {
  cudaDataType type;
  cublasLtOrder_t order = CUBLASLT_ORDER_COL;
  uint64_t rows, columns;
  int64_t ld;
  int32_t batch = 1;
  int64_t stride = 0;
};
struct Product {
  int32_t compute;
  cudaDataType scale;
  int32_t pointer_mode = CUBLASLT_POINTER_MODE_HOST;
  cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;
  int64_t bias_stride = 0;
  int32_t bias_type = -1;  // that of D
};
static_assert(sizeof(Layout) <= sizeof(cublasLtMatrixLayoutOpaque_t) && sizeof(Product) <= 11 * sizeof(uint64_t));  // CUDA 11's size

Layout& of(cublasLtMatrixLayoutOpaque_t* x) { return *reinterpret_cast<Layout*>(x); }
Product& of(cublasLtMatmulDescOpaque_t* x) { return *reinterpret_cast<Product*>(x); }

constexpr int kVersion = 130100;  // 13.1.0

template <class Opaque, class Value>
Status create(Opaque** place, Value value) {
  if (!place) return Status::InvalidValue;
  *place = new (std::nothrow) Opaque{};
  if (!*place) return Status::AllocFailed;
  std::memcpy(static_cast<void*>(*place), &value, sizeof value);
  return Status::Success;
}
template <class Opaque>
Status destroy(Opaque* object) {
  delete object;
  return Status::Success;
}

// The member that an attribute names.
struct Field {
  void* data = nullptr;
  size_t size = 0;
};
template <class T>
Field field(T& member) {
  return {&member, sizeof member};
}
Field field_of(cublasLtMatrixLayoutOpaque_t* layout, int attribute) {
  Layout& x = of(layout);
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE: return field(x.type);
    case CUBLASLT_MATRIX_LAYOUT_ORDER: return field(x.order);
    case CUBLASLT_MATRIX_LAYOUT_ROWS: return field(x.rows);
    case CUBLASLT_MATRIX_LAYOUT_COLS: return field(x.columns);
    case CUBLASLT_MATRIX_LAYOUT_LD: return field(x.ld);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: return field(x.batch);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET: return field(x.stride);
  }
  return {};
}
Field field_of(cublasLtMatmulDescOpaque_t* product, int attribute) {
  Product& x = of(product);
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE: return field(x.compute);
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE: return field(x.scale);
    case CUBLASLT_MATMUL_DESC_POINTER_MODE: return field(x.pointer_mode);
    case CUBLASLT_MATMUL_DESC_TRANSA: return field(x.a);
    case CUBLASLT_MATMUL_DESC_TRANSB: return field(x.b);
    case CUBLASLT_MATMUL_DESC_EPILOGUE: return field(x.epilogue);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return field(x.bias);
    case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE: return field(x.bias_stride);
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE: return field(x.bias_type);
  }
  return {};
}

template <class Opaque>
Status set(Opaque* object, int attribute, const void* value, size_t size, const char* what) {
  if (!object || !value) return Status::InvalidValue;
  const Field to = field_of(object, attribute);
  if (!to.data) {
    rt::report("cuBLASLt: attribute " + std::to_string(attribute) + " of a " + what + " is not supported", true);
    return Status::NotSupported;
  }
  if (size < to.size) return Status::InvalidValue;
  std::memcpy(to.data, value, to.size);
  return Status::Success;
}
template <class Opaque>
Status get(Opaque* object, int attribute, void* value, size_t size, size_t* written) {
  if (!object || (!value && size)) return Status::InvalidValue;
  const Field from = field_of(object, attribute);
  if (!from.data) return Status::NotSupported;
  if (written) *written = from.size;
  if (size && size < from.size) return Status::InvalidValue;
  if (size) std::memcpy(value, from.data, from.size);
  return Status::Success;
}

// A product that was asked for, as one of cuBLAS.
struct Plan {
  Shape shape;
  Types types;
  bool narrow;  // D has 16 bits: the epilogue is computed in float before D is rounded
};
Status plan(const Product& p, const Layout& a, const Layout& b, const Layout& c, const Layout& d, Plan& made) {
  made.shape = {p.a, p.b, static_cast<int64_t>(d.rows), static_cast<int64_t>(d.columns),
                static_cast<int64_t>(p.a == CUBLAS_OP_N ? a.columns : a.rows), a.ld, b.ld, d.ld};
  const Shape& s = made.shape;
  const bool fits = static_cast<int64_t>(p.a == CUBLAS_OP_N ? a.rows : a.columns) == s.m &&
                    static_cast<int64_t>(p.b == CUBLAS_OP_N ? b.columns : b.rows) == s.n &&
                    static_cast<int64_t>(p.b == CUBLAS_OP_N ? b.rows : b.columns) == s.k && c.rows == d.rows &&
                    c.columns == d.columns && c.ld >= s.m;
  if (!sound(s) || !fits || d.batch < 1) return Status::InvalidValue;
  for (const Layout* x : {&a, &b, &c, &d})
    if (x->order != CUBLASLT_ORDER_COL || (x->batch != d.batch && x->batch != 1)) return Status::NotSupported;
  const auto types = types_of(a.type, b.type, d.type, p.compute);
  if (!types || c.type != d.type || types->scalar != p.scale) return Status::NotSupported;
  made.types = *types;
  made.narrow = (d.type == CUDA_R_16F || d.type == CUDA_R_16BF) && p.compute != CUBLAS_COMPUTE_16F;
  switch (p.epilogue) {
    case CUBLASLT_EPILOGUE_DEFAULT: case CUBLASLT_EPILOGUE_RELU: case CUBLASLT_EPILOGUE_GELU: return Status::Success;
    case CUBLASLT_EPILOGUE_BIAS: case CUBLASLT_EPILOGUE_RELU_BIAS: case CUBLASLT_EPILOGUE_GELU_BIAS:
      return p.bias ? Status::Success : Status::InvalidValue;
  }
  return Status::NotSupported;
}

double epilogue(uint32_t which, double x) {
  if (which & CUBLASLT_EPILOGUE_RELU) return x > 0 ? x : 0;
  if (which & CUBLASLT_EPILOGUE_GELU) return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
  return x;
}

const void* item(const Layout& x, const void* data, int64_t i) {
  return static_cast<const char*>(data) + (x.batch > 1 ? i * x.stride * static_cast<int64_t>(bytes_of(x.type)) : 0);
}

// One product of a batch.
void multiply_one(const Plan& plan, const Product& p, const Layout& c, const Layout& d, cuDoubleComplex alpha, const void* A,
                  const void* B, cuDoubleComplex beta, const void* C, void* D, const void* bias) {
  Shape shape = plan.shape;
  Types types = plan.types;
  std::vector<float> wide;
  void* sums = D;
  if (plan.narrow) {
    wide.resize(static_cast<size_t>(shape.m * shape.n));
    sums = wide.data();
    shape.ldc = shape.m;
    types.c = CUDA_R_32F;
  }
  if (beta != 0.0 && sums != C)
    for (int64_t j = 0; j < shape.n; ++j)
      for (int64_t i = 0; i < shape.m; ++i) store(types.c, sums, i + j * shape.ldc, load(c.type, C, i + j * c.ld));
  multiply(shape, types, alpha, A, B, beta, sums);
  const bool plain = p.epilogue == CUBLASLT_EPILOGUE_DEFAULT;
  if (plain && !plan.narrow) return;
  const auto bias_type = p.bias_type < 0 ? d.type : static_cast<cudaDataType>(p.bias_type);
  for (int64_t j = 0; j < shape.n; ++j)
    for (int64_t i = 0; i < shape.m; ++i) {
      cuDoubleComplex x = load(types.c, sums, i + j * shape.ldc);
      if (p.epilogue & CUBLASLT_EPILOGUE_BIAS) x += load(bias_type, bias, i);
      store(d.type, D, i + j * d.ld, plain ? x : cuDoubleComplex(epilogue(p.epilogue, x.real()), x.imag()));
    }
}

// cublasLtMatmulHeuristicResult_t.
struct Found {
  cublasLtMatmulAlgo_t algorithm;
  size_t workspace;
  Status state;
  float waves;
  int reserved[4];
};

}  // namespace

CASSC_API Status cublasLtCreate(cublasLtHandle_t* handle) {
  if (!handle) return Status::InvalidValue;
  switch (rt::open_for_libraries()) {
    case rt::Error::Success: break;
    case rt::Error::NotSupported:
      rt::report("cuBLASLt is not there for HIP devices; cuBLAS is, and CASSC_DEVICE=emu runs the program on the emulator", true);
      return Status::ArchMismatch;
    default: return Status::NotInitialized;
  }
  if (!have_backend()) return Status::NotInitialized;
  *handle = new (std::nothrow) cublasLtContext;
  return *handle ? Status::Success : Status::AllocFailed;
}
CASSC_API Status cublasLtDestroy(cublasLtHandle_t handle) {
  delete handle;
  return Status::Success;
}
CASSC_API size_t cublasLtGetVersion() { return kVersion; }
CASSC_API size_t cublasLtGetCudartVersion() { return 13000; }
CASSC_API Status cublasLtGetProperty(int which, int* value) {
  constexpr int values[] = {kVersion / 10000, kVersion / 100 % 100, kVersion % 100};
  if (which < 0 || which > 2 || !value) return Status::InvalidValue;
  *value = values[which];
  return Status::Success;
}
CASSC_API const char* cublasLtGetStatusName(int status) { return describe(status, true); }
CASSC_API const char* cublasLtGetStatusString(int status) { return describe(status, false); }

CASSC_API Status cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows, uint64_t columns, int64_t ld) {
  return create(layout, Layout{.type = type, .rows = rows, .columns = columns, .ld = ld});
}
// What the header's inline initialization of a program's own object calls.
CASSC_API Status cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t size, cudaDataType type, uint64_t rows,
                                                   uint64_t columns, int64_t ld) {
  if (!layout || size < sizeof(Layout)) return Status::InvalidValue;
  of(layout) = Layout{.type = type, .rows = rows, .columns = columns, .ld = ld};
  return Status::Success;
}
CASSC_API Status cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) { return destroy(layout); }
CASSC_API Status cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout, int attribute, const void* value, size_t size) {
  return set(layout, attribute, value, size, "matrix layout");
}
CASSC_API Status cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout, int attribute, void* value, size_t size, size_t* written) {
  return get(layout, attribute, value, size, written);
}
CASSC_API Status cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* product, int compute, cudaDataType scale) {
  return create(product, Product{.compute = compute, .scale = scale});
}
CASSC_API Status cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t product, size_t size, int compute, cudaDataType scale) {
  if (!product || size < sizeof(Product)) return Status::InvalidValue;
  of(product) = Product{.compute = compute, .scale = scale};
  return Status::Success;
}
CASSC_API Status cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t product) { return destroy(product); }
CASSC_API Status cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product, int attribute, const void* value, size_t size) {
  return set(product, attribute, value, size, "product");
}
CASSC_API Status cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t product, int attribute, void* value, size_t size, size_t* written) {
  return get(product, attribute, value, size, written);
}
// Preferences choose among algorithms, of which there is one.
CASSC_API Status cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) { return create(preference, 0); }
CASSC_API Status cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t, size_t) { return Status::Success; }
CASSC_API Status cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) { return destroy(preference); }
CASSC_API Status cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference, int, const void*, size_t) {
  return preference ? Status::Success : Status::InvalidValue;
}

CASSC_API Status cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t product, cublasLtMatrixLayout_t A,
                                                cublasLtMatrixLayout_t B, cublasLtMatrixLayout_t C, cublasLtMatrixLayout_t D,
                                                cublasLtMatmulPreference_t, int requested, Found* results, int* found) {
  if (!handle) return Status::NotInitialized;
  if (!product || !A || !B || !C || !D || requested < 1 || !results || !found) return Status::InvalidValue;
  *found = 0;
  Plan made;
  if (const Status status = plan(of(product), of(A), of(B), of(C), of(D), made); status != Status::Success) return status;
  results[0] = Found{};
  results[0].waves = 1;
  *found = 1;
  return Status::Success;
}

CASSC_API Status cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t product, const void* alpha, const void* A,
                                cublasLtMatrixLayout_t layout_a, const void* B, cublasLtMatrixLayout_t layout_b, const void* beta,
                                const void* C, cublasLtMatrixLayout_t layout_c, void* D, cublasLtMatrixLayout_t layout_d,
                                const cublasLtMatmulAlgo_t*, void*, size_t, rt::Stream* stream) {
  if (!handle) return Status::NotInitialized;
  if (!product || !alpha || !beta || !layout_a || !layout_b || !layout_c || !layout_d) return Status::InvalidValue;
  const Product p = of(product);
  const Layout a = of(layout_a), b = of(layout_b), c = of(layout_c), d = of(layout_d);
  Plan made;
  if (const Status status = plan(p, a, b, c, d, made); status != Status::Success) return status;
  if (!A || !B || !D) return Status::InvalidValue;
  cublasContext scalars;
  scalars.device_scalars = p.pointer_mode == CUBLASLT_POINTER_MODE_DEVICE;
  const auto work = [=, factor = Factor(scalars, p.scale, alpha), addend = Factor(scalars, p.scale, beta)] {
    for (int64_t i = 0; i < d.batch; ++i) {
      const auto step = i * p.bias_stride * static_cast<int64_t>(bytes_of(p.bias_type < 0 ? d.type : static_cast<cudaDataType>(p.bias_type)));
      multiply_one(made, p, c, d, factor.get(), item(a, A, i), item(b, B, i), addend.get(), item(c, C, i),
                   const_cast<void*>(item(d, D, i)), static_cast<const char*>(p.bias) + step);
    }
  };
  return status_of(rt::enqueue(stream, work));
}

CASSC_API Status cublasLtLoggerSetLevel(int) { return Status::Success; }
CASSC_API Status cublasLtLoggerSetMask(int) { return Status::Success; }
CASSC_API Status cublasLtLoggerForceDisable() { return Status::Success; }

#define UNSUPPORTED(name)                                 \
  CASSC_API __attribute__((weak)) Status name() {         \
    rt::report(#name " is not supported", true);          \
    return Status::NotSupported;                          \
  }
UNSUPPORTED(cublasLtHeuristicsCacheGetCapacity)
UNSUPPORTED(cublasLtHeuristicsCacheSetCapacity)
UNSUPPORTED(cublasLtLoggerOpenFile)
UNSUPPORTED(cublasLtLoggerSetCallback)
UNSUPPORTED(cublasLtLoggerSetFile)
UNSUPPORTED(cublasLtMatmulAlgoCapGetAttribute)
UNSUPPORTED(cublasLtMatmulAlgoCheck)
UNSUPPORTED(cublasLtMatmulAlgoConfigGetAttribute)
UNSUPPORTED(cublasLtMatmulAlgoConfigSetAttribute)
UNSUPPORTED(cublasLtMatmulAlgoGetIds)
UNSUPPORTED(cublasLtMatmulAlgoInit)
UNSUPPORTED(cublasLtMatmulPreferenceGetAttribute)
UNSUPPORTED(cublasLtMatrixTransform)
UNSUPPORTED(cublasLtMatrixTransformDescCreate)
UNSUPPORTED(cublasLtMatrixTransformDescDestroy)
UNSUPPORTED(cublasLtMatrixTransformDescGetAttribute)
UNSUPPORTED(cublasLtMatrixTransformDescInit_internal)
UNSUPPORTED(cublasLtMatrixTransformDescSetAttribute)
UNSUPPORTED(cublasLtDisableCpuInstructionsSetMask)
