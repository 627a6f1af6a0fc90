// Stream management, without capture (capture.cpp).
#include "stream.h"

#include <algorithm>
#include <cstring>

#include "api.h"

using namespace cassc::cudart;
namespace rt = cassc::rt;

namespace {

// What a stream can have (cudaStreamAttribute...): access policy, synchronization policy, priority, memory domains.
constexpr int kPriorityAttribute = 8;
constexpr int kStreamAttributes[] = {1, 3, kPriorityAttribute, 9, 10};

bool of_streams(int attribute) {
  return std::find(std::begin(kStreamAttributes), std::end(kStreamAttributes), attribute) != std::end(kStreamAttributes);
}

}  // namespace

CASSC_API Error cudaStreamCreateWithPriority(Stream** stream, unsigned flags, int priority) {
  return api([&] { return stream ? rt::create_stream(flags, priority, stream) : Error::InvalidValue; });
}

CASSC_API Error cudaStreamCreateWithFlags(Stream** stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

CASSC_API Error cudaStreamCreate(Stream** stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }

CASSC_API Error cudaStreamDestroy(Stream* stream) {
  return api([&] { return rt::destroy_stream(stream); });
}

CASSC_API Error cudaStreamQuery(Stream* handle) {
  return on_stream(handle, [](Stream& stream) { return rt::query_stream(stream); });
}

CASSC_API Error cudaStreamSynchronize(Stream* handle) {
  return on_stream(handle, [](Stream& stream) { return rt::synchronize_stream(stream); });
}

CASSC_API Error cudaStreamWaitEvent(Stream* handle, Event* event_handle, unsigned flags) {
  return on_stream(handle, [&](Stream& stream) {
    if (flags > 1) return Error::InvalidValue;
    Event* event = nullptr;
    const Error error = rt::find_event(event_handle, &event);
    return error == Error::Success ? rt::wait_event(stream, *event) : error;
  });
}

CASSC_API Error cudaStreamAddCallback(Stream* handle, StreamCallback callback, void* data, unsigned flags) {
  return on_stream(handle, [&](Stream& stream) {
    if (!callback || flags != 0) return Error::InvalidValue;
    return rt::add_callback(stream, [=](Error state) { callback(handle, state, data); });
  });
}

CASSC_API Error cudaStreamGetFlags(Stream* handle, unsigned* flags) {
  return on_stream(handle, [&](const Stream& stream) {
    if (!flags) return Error::InvalidValue;
    *flags = stream.flags;
    return Error::Success;
  });
}

CASSC_API Error cudaStreamGetPriority(Stream* handle, int* priority) {
  return on_stream(handle, [&](const Stream& stream) {
    if (!priority) return Error::InvalidValue;
    *priority = stream.priority;
    return Error::Success;
  });
}

CASSC_API Error cudaStreamGetId(Stream* handle, unsigned long long* id) {
  return on_stream(handle, [&](const Stream& stream) {
    if (!id) return Error::InvalidValue;
    *id = stream.id;
    return Error::Success;
  });
}

CASSC_API Error cudaStreamGetDevice(Stream* handle, int* index) {
  return on_stream(handle, [&](const Stream&) {
    if (!index) return Error::InvalidValue;
    *index = 0;
    return Error::Success;
  });
}

// Managed memory is visible to every stream and to the host at all times, so there is nothing to attach.
CASSC_API Error cudaStreamAttachMemAsync(Stream* handle, void* pointer, size_t, unsigned flags) {
  return on_stream(handle, [&](const Stream&) {
    const auto allocation = rt::Context::get().allocations.find(pointer);
    const bool one_flag = flags == 1 || flags == 2 || flags == 4;
    return allocation && allocation->type() == rt::MemoryType::Managed && one_flag ? Error::Success : Error::InvalidValue;
  });
}

CASSC_API Error cudaStreamGetAttribute(Stream* handle, int attribute, AttributeValue* value) {
  return on_stream(handle, [&](const Stream& stream) {
    if (!value || !of_streams(attribute)) return Error::InvalidValue;
    const auto found = stream.attributes.find(attribute);
    *value = found == stream.attributes.end() ? AttributeValue{} : found->second;
    if (attribute == kPriorityAttribute) std::memcpy(value->data(), &stream.priority, sizeof stream.priority);
    return Error::Success;
  });
}

CASSC_API Error cudaStreamSetAttribute(Stream* handle, int attribute, const AttributeValue* value) {
  return on_stream(handle, [&](Stream& stream) {
    if (!value || !of_streams(attribute)) return Error::InvalidValue;
    stream.attributes[attribute] = *value;
    if (attribute == kPriorityAttribute) std::memcpy(&stream.priority, value->data(), sizeof stream.priority);
    return Error::Success;
  });
}

CASSC_API Error cudaStreamCopyAttributes(Stream* target_handle, Stream* source_handle) {
  return on_stream(target_handle, [&](Stream& target) {
    Stream* source = nullptr;
    const Error error = rt::find_stream(source_handle, &source);
    if (error == Error::Success) target.attributes = source->attributes;
    return error;
  });
}
