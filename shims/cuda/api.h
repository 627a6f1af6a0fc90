// What every entry point does before and after its own work.
#ifndef CASSC_CUDA_API_H
#define CASSC_CUDA_API_H
#include <new>

#include "abi.h"
#include "context.h"
#include "../runtime/context.h"
#include "errors.h"

namespace cassc::cuda {

// The driver's number for an error of the runtime core: the numbers are shared, but for those that only the runtime API has.
Result result_of(Error error);

template <class Body>
Result guarded(Body&& body) {
  try {
    return rt::in_host_function() ? result_of(Error::NotPermitted) : body();
  } catch (const std::bad_alloc&) {
    return Result::OutOfMemory;
  } catch (...) {
    return Result::Unknown;  // std::system_error: no thread could be started
  }
}

// Needs cuInit, or a call of the runtime API before.
template <class Body>
Result after_init(Body&& body) {
  return guarded([&] { return initialized() ? body() : Result::NotInitialized; });
}

// Needs a context that is current, and a device that has not faulted.
template <class Body>
Result in_context(Body&& body) {
  return after_init([&] {
    if (!current_context()) return Result::InvalidContext;
    const Error state = rt::Context::get().state();
    return state == Error::Success ? body() : result_of(state);
  });
}

template <class Body>
Result on_stream(Stream* handle, Body&& body) {
  return in_context([&] {
    Stream* stream = nullptr;
    const Error error = rt::find_stream(handle, &stream);
    return error == Error::Success ? body(*stream) : result_of(error);
  });
}

inline rt::Device& device() { return rt::Context::get().device(); }
inline void* pointer_of(DevicePointer address) { return reinterpret_cast<void*>(address); }
inline DevicePointer address_of(const void* pointer) { return reinterpret_cast<DevicePointer>(pointer); }

}  // namespace cassc::cuda
#endif
