// Event management.
#include "api.h"

using namespace cassc::cuda;
namespace rt = cassc::rt;

namespace {

constexpr unsigned kAllFlags = rt::kEventBlockingSync | rt::kEventDisableTiming | rt::kEventInterprocess;

template <class Body>
Result with_event(Event* handle, Body&& body) {
  return in_context([&] {
    Event* event = nullptr;
    const Error error = rt::find_event(handle, &event);
    return error == Error::Success ? body(*event) : result_of(error);
  });
}

}  // namespace

CASSC_API Result cuEventCreate(Event** event, unsigned flags) {
  return in_context([&] {
    return event && !(flags & ~kAllFlags) ? result_of(rt::create_event(flags, event)) : Result::InvalidValue;
  });
}

CASSC_API Result cuEventDestroy_v2(Event* event) {
  return in_context([&] { return result_of(rt::destroy_event(event)); });
}
CASSC_API Result cuEventDestroy(Event* event) { return cuEventDestroy_v2(event); }

CASSC_API Result cuEventRecordWithFlags(Event* handle, Stream* stream_handle, unsigned flags) {
  return with_event(handle, [&](Event& event) {
    if (flags > 1) return Result::InvalidValue;
    Stream* stream = nullptr;
    const Error error = rt::find_stream(stream_handle, &stream);
    return result_of(error == Error::Success ? rt::record_event(event, *stream) : error);
  });
}
CASSC_API Result cuEventRecord(Event* event, Stream* stream) { return cuEventRecordWithFlags(event, stream, 0); }

CASSC_API Result cuEventQuery(Event* handle) {
  return with_event(handle, [](Event& event) { return result_of(rt::query_event(event)); });
}

CASSC_API Result cuEventSynchronize(Event* handle) {
  return with_event(handle, [](Event& event) { return result_of(rt::synchronize_event(event)); });
}

CASSC_API Result cuEventElapsedTime_v2(float* milliseconds, Event* start, Event* end_handle) {
  return with_event(start, [&](Event& first) {
    Event* end = nullptr;
    if (!milliseconds) return Result::InvalidValue;
    const Error error = rt::find_event(end_handle, &end);
    return result_of(error == Error::Success ? rt::elapsed_time(first, *end, milliseconds) : error);
  });
}
CASSC_API Result cuEventElapsedTime(float* milliseconds, Event* start, Event* end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}
