// libcufft's entry points (cuFFT manual). Which arguments are refused, and how, was measured on an H200.
#include <map>
#include <mutex>
#include <new>

#include "errors.h"
#include "hipfft.h"
#include "library_work.h"
#include "plan.h"

#define CASSC_API extern "C" __attribute__((visibility("default")))

using namespace cassc::fft;
namespace rt = cassc::rt;

namespace {

// cufftResult.
enum class Result : int {
  Success = 0, InvalidPlan = 1, AllocFailed = 2, InvalidType = 3, InvalidValue = 4, InternalError = 5, ExecFailed = 6,
  SetupFailed = 7, InvalidSize = 8, NotSupported = 16,
};

using Handle = int;

struct Entry {
  std::shared_ptr<const Plan> plan;    // null until one is made, and on a HIP device,
  std::shared_ptr<const HipPlan> hip;  // which has this one
  bool made() const { return plan || hip; }
  Type type() const { return hip ? hip->type() : plan->type(); }
  rt::Stream* stream = nullptr;
};

class Plans {
 public:
  Handle add() {
    const std::lock_guard lock(mutex_);
    while (all_.count(next_)) ++next_;
    all_[next_];
    return next_++;
  }
  bool erase(Handle handle) {
    const std::lock_guard lock(mutex_);
    return all_.erase(handle) != 0;
  }
  bool find(Handle handle, Entry& entry) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(handle);
    if (found == all_.end()) return false;
    entry = found->second;
    return true;
  }
  template <class Change>
  bool change(Handle handle, Change&& change) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(handle);
    if (found == all_.end()) return false;
    change(found->second);
    return true;
  }

 private:
  std::mutex mutex_;
  std::map<Handle, Entry> all_;
  Handle next_ = 1;
};

Plans& plans() {
  static auto* all = new Plans;
  return *all;
}

Result unsupported(const char* name) {
  rt::report(std::string(name) + " is not supported", true);
  return Result::NotSupported;
}

Result opened() {
  switch (rt::open_for_libraries()) {
    case rt::Error::Success: return Result::Success;
    case rt::Error::NotSupported: return hipfft().found() ? Result::Success : Result::NotSupported;
    default: return Result::SetupFailed;
  }
}

template <class Int>
std::optional<Layout> layout(int rank, const Int* embed, Int stride, Int distance) {
  if (!embed) return std::nullopt;
  Layout made{{}, static_cast<size_t>(stride), static_cast<size_t>(distance)};
  for (int i = 0; i < rank; ++i) made.embed.push_back(static_cast<size_t>(embed[i]));
  return made;
}

// Of advanced layouts only what cannot be followed is refused: nothing may lie before the array's start.
template <class Int>
bool sound(int rank, const Int* embed, Int stride, Int distance) {
  if (!embed) return true;
  for (int i = 1; i < rank; ++i)
    if (embed[i] <= 0) return false;
  return stride > 0 && distance >= 0;
}

template <class Int>
Result make(Handle handle, int rank, const Int* n, const Int* in, Int in_stride, Int in_distance, const Int* out, Int out_stride,
            Int out_distance, int type, Int batch, size_t* work) {
  Entry entry;
  if (!plans().find(handle, entry)) return Result::InvalidPlan;
  if (!is_type(type)) return Result::InvalidType;
  if (rank < 1 || rank > 3 || !n) return Result::InvalidValue;
  if (batch <= 0) return Result::InvalidSize;
  for (int i = 0; i < rank; ++i)
    if (n[i] <= 0) return Result::InvalidSize;
  if (!sound(rank, in, in_stride, in_distance) || !sound(rank, out, out_stride, out_distance)) return Result::InvalidValue;
  // One layout left out means both basic (cuFFT manual, cufftPlanMany).
  const bool basic = !in || !out;
  try {
    const auto source = basic ? std::nullopt : layout(rank, in, in_stride, in_distance);
    const auto target = basic ? std::nullopt : layout(rank, out, out_stride, out_distance);
    if (rt::open_for_libraries() == rt::Error::NotSupported) {
      const auto hip = std::make_shared<HipPlan>();
      const int status = hip->make(static_cast<Type>(type), {n, n + rank}, batch, source, target, work);
      if (status == 0) plans().change(handle, [&](Entry& found) { found.hip = hip; });
      return static_cast<Result>(status);
    }
    auto plan = std::make_shared<const Plan>(static_cast<Type>(type), std::vector<size_t>(n, n + rank),
                                             static_cast<size_t>(batch), source, target);
    plans().change(handle, [&](Entry& found) { found.plan = plan; });
  } catch (const std::bad_alloc&) {
    return Result::AllocFailed;
  }
  if (work) *work = 0;
  return Result::Success;
}

Result make_dense(Handle handle, std::initializer_list<int> n, int type, int batch, size_t* work) {
  return make<int>(handle, static_cast<int>(n.size()), n.begin(), nullptr, 1, 0, nullptr, 1, 0, type, batch, work);
}

// A new plan by one of the functions above.
template <class Make>
Result create(Handle* handle, Make&& make) {
  if (!handle) return Result::InvalidValue;
  if (const Result result = opened(); result != Result::Success) return result;
  const Handle made = plans().add();
  const Result result = make(made);
  if (result != Result::Success) plans().erase(made);
  *handle = result == Result::Success ? made : 0;
  return result;
}

Result execute(const Entry& entry, void* in, void* out, int direction) {
  if (direction != kForward && direction != kInverse) return Result::InvalidValue;
  if (entry.hip) return static_cast<Result>(entry.hip->run(entry.stream, in, out, static_cast<Direction>(direction)));
  const auto work = [plan = entry.plan, in, out, direction] { plan->run(in, out, static_cast<Direction>(direction)); };
  switch (rt::enqueue(entry.stream, work)) {
    case rt::Error::Success: return Result::Success;
    case rt::Error::MemoryAllocation: return Result::AllocFailed;
    default: return Result::ExecFailed;
  }
}

Result execute(Handle handle, Type type, void* in, void* out, int direction) {
  Entry entry;
  if (!plans().find(handle, entry) || !entry.made()) return Result::InvalidPlan;
  if (entry.type() != type) return Result::InvalidType;
  return execute(entry, in, out, direction);
}

// Plans need no memory of the device.
Result no_work(size_t* size) {
  if (size) *size = 0;
  return size ? Result::Success : Result::InvalidValue;
}

// Numbers of cudaDataType that a transform is made of.
bool type_of(int in, int out, int execution, int& type) {
  constexpr int kR32 = 0, kR64 = 1, kC32 = 4, kC64 = 5;
  if (in == kC32 && out == kC32 && execution == kC32) type = static_cast<int>(Type::C2C);
  else if (in == kR32 && out == kC32 && execution == kC32) type = static_cast<int>(Type::R2C);
  else if (in == kC32 && out == kR32 && execution == kC32) type = static_cast<int>(Type::C2R);
  else if (in == kC64 && out == kC64 && execution == kC64) type = static_cast<int>(Type::Z2Z);
  else if (in == kR64 && out == kC64 && execution == kC64) type = static_cast<int>(Type::D2Z);
  else if (in == kC64 && out == kR64 && execution == kC64) type = static_cast<int>(Type::Z2D);
  else return false;
  return true;
}

}  // namespace

CASSC_API Result cufftCreate(Handle* handle) {
  return create(handle, [](Handle) { return Result::Success; });
}
CASSC_API Result cufftPlan1d(Handle* handle, int n, int type, int batch) {
  return create(handle, [&](Handle made) { return make_dense(made, {n}, type, batch, nullptr); });
}
CASSC_API Result cufftPlan2d(Handle* handle, int nx, int ny, int type) {
  return create(handle, [&](Handle made) { return make_dense(made, {nx, ny}, type, 1, nullptr); });
}
CASSC_API Result cufftPlan3d(Handle* handle, int nx, int ny, int nz, int type) {
  return create(handle, [&](Handle made) { return make_dense(made, {nx, ny, nz}, type, 1, nullptr); });
}
CASSC_API Result cufftPlanMany(Handle* handle, int rank, int* n, int* in, int in_stride, int in_distance, int* out,
                               int out_stride, int out_distance, int type, int batch) {
  return create(handle, [&](Handle made) {
    return make<int>(made, rank, n, in, in_stride, in_distance, out, out_stride, out_distance, type, batch, nullptr);
  });
}

CASSC_API Result cufftMakePlan1d(Handle handle, int n, int type, int batch, size_t* work) {
  return make_dense(handle, {n}, type, batch, work);
}
CASSC_API Result cufftMakePlan2d(Handle handle, int nx, int ny, int type, size_t* work) {
  return make_dense(handle, {nx, ny}, type, 1, work);
}
CASSC_API Result cufftMakePlan3d(Handle handle, int nx, int ny, int nz, int type, size_t* work) {
  return make_dense(handle, {nx, ny, nz}, type, 1, work);
}
CASSC_API Result cufftMakePlanMany(Handle handle, int rank, int* n, int* in, int in_stride, int in_distance, int* out,
                                   int out_stride, int out_distance, int type, int batch, size_t* work) {
  return make<int>(handle, rank, n, in, in_stride, in_distance, out, out_stride, out_distance, type, batch, work);
}
CASSC_API Result cufftMakePlanMany64(Handle handle, int rank, long long* n, long long* in, long long in_stride,
                                     long long in_distance, long long* out, long long out_stride, long long out_distance,
                                     int type, long long batch, size_t* work) {
  return make<long long>(handle, rank, n, in, in_stride, in_distance, out, out_stride, out_distance, type, batch, work);
}
CASSC_API Result cufftXtMakePlanMany(Handle handle, int rank, long long* n, long long* in, long long in_stride,
                                     long long in_distance, int in_type, long long* out, long long out_stride,
                                     long long out_distance, int out_type, long long batch, size_t* work, int execution) {
  int type = 0;
  if (!type_of(in_type, out_type, execution, type)) return unsupported("cufftXtMakePlanMany with these element types");
  return make<long long>(handle, rank, n, in, in_stride, in_distance, out, out_stride, out_distance, type, batch, work);
}

CASSC_API Result cufftDestroy(Handle handle) { return plans().erase(handle) ? Result::Success : Result::InvalidPlan; }

CASSC_API Result cufftSetStream(Handle handle, rt::Stream* stream) {
  return plans().change(handle, [&](Entry& entry) { entry.stream = stream; }) ? Result::Success : Result::InvalidPlan;
}

CASSC_API Result cufftExecC2C(Handle handle, void* in, void* out, int direction) {
  return execute(handle, Type::C2C, in, out, direction);
}
CASSC_API Result cufftExecR2C(Handle handle, void* in, void* out) { return execute(handle, Type::R2C, in, out, kForward); }
CASSC_API Result cufftExecC2R(Handle handle, void* in, void* out) { return execute(handle, Type::C2R, in, out, kInverse); }
CASSC_API Result cufftExecZ2Z(Handle handle, void* in, void* out, int direction) {
  return execute(handle, Type::Z2Z, in, out, direction);
}
CASSC_API Result cufftExecD2Z(Handle handle, void* in, void* out) { return execute(handle, Type::D2Z, in, out, kForward); }
CASSC_API Result cufftExecZ2D(Handle handle, void* in, void* out) { return execute(handle, Type::Z2D, in, out, kInverse); }
CASSC_API Result cufftXtExec(Handle handle, void* in, void* out, int direction) {
  Entry entry;
  if (!plans().find(handle, entry) || !entry.made()) return Result::InvalidPlan;
  return execute(entry, in, out, direction);
}

CASSC_API Result cufftEstimate1d(int, int, int, size_t* size) { return no_work(size); }
CASSC_API Result cufftEstimate2d(int, int, int, size_t* size) { return no_work(size); }
CASSC_API Result cufftEstimate3d(int, int, int, int, size_t* size) { return no_work(size); }
CASSC_API Result cufftEstimateMany(int, int*, int*, int, int, int*, int, int, int, int, size_t* size) { return no_work(size); }
CASSC_API Result cufftGetSize1d(Handle, int, int, int, size_t* size) { return no_work(size); }
CASSC_API Result cufftGetSize2d(Handle, int, int, int, size_t* size) { return no_work(size); }
CASSC_API Result cufftGetSize3d(Handle, int, int, int, int, size_t* size) { return no_work(size); }
CASSC_API Result cufftGetSizeMany(Handle, int, int*, int*, int, int, int*, int, int, int, int, size_t* size) {
  return no_work(size);
}
CASSC_API Result cufftGetSizeMany64(Handle, int, long long*, long long*, long long, long long, long long*, long long, long long,
                                    int, long long, size_t* size) {
  return no_work(size);
}
CASSC_API Result cufftXtGetSizeMany(Handle, int, long long*, long long*, long long, long long, int, long long*, long long,
                                    long long, int, long long, size_t* size, int) {
  return no_work(size);
}
CASSC_API Result cufftGetSize(Handle handle, size_t* size) {
  Entry entry;
  return plans().find(handle, entry) ? no_work(size) : Result::InvalidPlan;
}

CASSC_API Result cufftSetWorkArea(Handle handle, void*) {
  Entry entry;
  return plans().find(handle, entry) ? Result::Success : Result::InvalidPlan;
}
CASSC_API Result cufftSetAutoAllocation(Handle handle, int) { return cufftSetWorkArea(handle, nullptr); }

CASSC_API Result cufftGetVersion(int* version) {
  if (version) *version = 12000;
  return version ? Result::Success : Result::InvalidValue;
}
CASSC_API Result cufftGetProperty(int which, int* value) {
  constexpr int values[] = {12, 0, 0};
  if (which < 0 || which > 2 || !value) return Result::InvalidValue;
  *value = values[which];
  return Result::Success;
}

// Several devices, callbacks in kernels, and properties of plans.
#define UNSUPPORTED(name) \
  CASSC_API __attribute__((weak)) Result name() { return unsupported(#name); }
UNSUPPORTED(cufftGetPlanPropertyInt64)
UNSUPPORTED(cufftSetPlanPropertyInt64)
UNSUPPORTED(cufftResetPlanProperty)
UNSUPPORTED(cufftXtClearCallback)
UNSUPPORTED(cufftXtExecDescriptor)
UNSUPPORTED(cufftXtExecDescriptorC2C)
UNSUPPORTED(cufftXtExecDescriptorC2R)
UNSUPPORTED(cufftXtExecDescriptorD2Z)
UNSUPPORTED(cufftXtExecDescriptorR2C)
UNSUPPORTED(cufftXtExecDescriptorZ2D)
UNSUPPORTED(cufftXtExecDescriptorZ2Z)
UNSUPPORTED(cufftXtFree)
UNSUPPORTED(cufftXtMakePlanGuru64)
UNSUPPORTED(cufftXtMalloc)
UNSUPPORTED(cufftXtMemcpy)
UNSUPPORTED(cufftXtQueryPlan)
UNSUPPORTED(cufftXtSetCallback)
UNSUPPORTED(cufftXtSetCallbackSharedSize)
UNSUPPORTED(cufftXtSetGPUs)
UNSUPPORTED(cufftXtSetJITCallback)
UNSUPPORTED(cufftXtSetWorkArea)
UNSUPPORTED(cufftXtSetWorkAreaPolicy)
