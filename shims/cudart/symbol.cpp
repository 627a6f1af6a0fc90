// Variables of the device: __device__, __constant__ and __managed__, named by the address of their host shadow.
#include "copies.h"
#include "registry.h"

using namespace cassc::cudart;
namespace rt = cassc::rt;

namespace {

enum class Way { ToSymbol, FromSymbol };

// A copy between [symbol + offset, + bytes) and other memory; kinds that name the wrong side are refused as CUDA does.
Error copy_symbol(Stream* handle, Way way, const void* symbol, void* other, size_t bytes, size_t offset, CopyKind kind,
                  rt::Wait wait) {
  rt::Copy copy;
  const Error error = api([&] {
    rt::Variable* variable = nullptr;
    const Error found = rt::Registry::get().variable(symbol, &variable);
    if (found != Error::Success) return found;
    if (offset > variable->size || bytes > variable->size - offset) return Error::InvalidValue;
    const CopyKind host_kind = way == Way::ToSymbol ? CopyKind::HostToDevice : CopyKind::DeviceToHost;
    if (kind != host_kind && kind != CopyKind::DeviceToDevice && kind != CopyKind::Default)
      return Error::InvalidMemcpyDirection;
    void* inside = static_cast<char*>(variable->address) + offset;
    copy = way == Way::ToSymbol ? line(inside, other, bytes, kind) : line(other, inside, bytes, kind);
    return Error::Success;
  });
  return error == Error::Success ? copy_on(handle, copy, wait) : error;
}

template <class Body>
Error with_variable(const void* symbol, Body&& body) {
  return api([&] {
    rt::Variable* variable = nullptr;
    const Error error = rt::Registry::get().variable(symbol, &variable);
    return error == Error::Success ? body(*variable) : error;
  });
}

}  // namespace

CASSC_API Error cudaMemcpyToSymbol(const void* symbol, const void* source, size_t bytes, size_t offset, CopyKind kind) {
  return copy_symbol(nullptr, Way::ToSymbol, symbol, const_cast<void*>(source), bytes, offset, kind, rt::Wait::Yes);
}

CASSC_API Error cudaMemcpyToSymbolAsync(const void* symbol, const void* source, size_t bytes, size_t offset, CopyKind kind,
                                        Stream* stream) {
  return copy_symbol(stream, Way::ToSymbol, symbol, const_cast<void*>(source), bytes, offset, kind, rt::Wait::No);
}

CASSC_API Error cudaMemcpyFromSymbol(void* target, const void* symbol, size_t bytes, size_t offset, CopyKind kind) {
  return copy_symbol(nullptr, Way::FromSymbol, symbol, target, bytes, offset, kind, rt::Wait::Yes);
}

CASSC_API Error cudaMemcpyFromSymbolAsync(void* target, const void* symbol, size_t bytes, size_t offset, CopyKind kind,
                                          Stream* stream) {
  return copy_symbol(stream, Way::FromSymbol, symbol, target, bytes, offset, kind, rt::Wait::No);
}

CASSC_API Error cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return with_variable(symbol, [&](const rt::Variable& variable) {
    if (!pointer) return Error::InvalidValue;
    *pointer = variable.address;
    return Error::Success;
  });
}

CASSC_API Error cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return with_variable(symbol, [&](const rt::Variable& variable) {
    if (!bytes) return Error::InvalidValue;
    *bytes = variable.size;
    return Error::Success;
  });
}
