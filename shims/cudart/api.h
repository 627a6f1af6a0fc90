// What every entry point does before and after its own work.
#ifndef CASSC_CUDART_API_H
#define CASSC_CUDART_API_H
#include <new>

#include "abi.h"
#include "context.h"
#include "errors.h"

namespace cassc::cudart {

// Runs an entry point that needs no device and remembers its error for cudaGetLastError.
template <class Body>
Error without_device(Body&& body) {
  Error error;
  try {
    error = rt::in_host_function() ? Error::NotPermitted : body();
  } catch (const std::bad_alloc&) {
    error = Error::MemoryAllocation;
  } catch (...) {
    error = Error::Unknown;  // std::system_error: no thread could be started
  }
  rt::remember(error);
  return error;
}

// The same for one that needs the device: it is opened, and once it has faulted every call gives that error.
template <class Body>
Error api(Body&& body) {
  return without_device([&] {
    rt::Context& context = rt::Context::get();
    Error error = context.open(nullptr);
    context.use_runtime();
    if (error == Error::Success) error = context.state();
    return error == Error::Success ? body() : error;
  });
}

// With the stream of a handle.
template <class Body>
Error on_stream(Stream* handle, Body&& body) {
  return api([&] {
    Stream* stream = nullptr;
    const Error error = rt::find_stream(handle, &stream);
    return error == Error::Success ? body(*stream) : error;
  });
}

inline rt::Device& device() { return rt::Context::get().device(); }

}  // namespace cassc::cudart
#endif
