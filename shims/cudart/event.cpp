// Event management.
#include "api.h"

using namespace cassc::cudart;
namespace rt = cassc::rt;

namespace {

template <class Body>
Error with_event(Event* handle, Body&& body) {
  return api([&] {
    Event* event = nullptr;
    const Error error = rt::find_event(handle, &event);
    return error == Error::Success ? body(*event) : error;
  });
}

}  // namespace

CASSC_API Error cudaEventCreateWithFlags(Event** event, unsigned flags) {
  return api([&] { return event ? rt::create_event(flags, event) : Error::InvalidValue; });
}

CASSC_API Error cudaEventCreate(Event** event) { return cudaEventCreateWithFlags(event, 0); }

CASSC_API Error cudaEventDestroy(Event* event) {
  return api([&] { return rt::destroy_event(event); });
}

CASSC_API Error cudaEventRecordWithFlags(Event* handle, Stream* stream_handle, unsigned flags) {
  return with_event(handle, [&](Event& event) {
    if (flags > 1) return Error::InvalidValue;
    Stream* stream = nullptr;
    const Error error = rt::find_stream(stream_handle, &stream);
    return error == Error::Success ? rt::record_event(event, *stream) : error;
  });
}

CASSC_API Error cudaEventRecord(Event* event, Stream* stream) { return cudaEventRecordWithFlags(event, stream, 0); }

CASSC_API Error cudaEventQuery(Event* handle) {
  return with_event(handle, [](Event& event) { return rt::query_event(event); });
}

CASSC_API Error cudaEventSynchronize(Event* handle) {
  return with_event(handle, [](Event& event) { return rt::synchronize_event(event); });
}

CASSC_API Error cudaEventElapsedTime(float* milliseconds, Event* start, Event* end_handle) {
  return with_event(start, [&](Event& first) {
    Event* end = nullptr;
    const Error error = rt::find_event(end_handle, &end);
    return error == Error::Success ? rt::elapsed_time(first, *end, milliseconds) : error;
  });
}

#if CASSC_CUDART_MAJOR <= 12
CASSC_API Error cudaEventElapsedTime_v2(float* milliseconds, Event* start, Event* end) {
  return cudaEventElapsedTime(milliseconds, start, end);
}
#endif
