// Stream management and capture.
#include "api.h"
#include "capture.h"

using namespace cassc::cuda;
namespace rt = cassc::rt;

CASSC_API Result cuStreamCreateWithPriority(Stream** stream, unsigned flags, int priority) {
  return in_context([&] {
    if (!stream || (flags & ~rt::kStreamNonBlocking)) return Result::InvalidValue;
    return result_of(rt::create_stream(flags, priority, stream));
  });
}
CASSC_API Result cuStreamCreate(Stream** stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, rt::kLeastPriority);
}

CASSC_API Result cuStreamDestroy_v2(Stream* stream) {
  return in_context([&] { return result_of(rt::destroy_stream(stream)); });
}
CASSC_API Result cuStreamDestroy(Stream* stream) { return cuStreamDestroy_v2(stream); }

CASSC_API Result cuStreamQuery(Stream* handle) {
  return on_stream(handle, [](Stream& stream) { return result_of(rt::query_stream(stream)); });
}

CASSC_API Result cuStreamSynchronize(Stream* handle) {
  return on_stream(handle, [](Stream& stream) { return result_of(rt::synchronize_stream(stream)); });
}

CASSC_API Result cuStreamWaitEvent(Stream* handle, Event* event_handle, unsigned flags) {
  return on_stream(handle, [&](Stream& stream) {
    if (flags > 1) return Result::InvalidValue;
    Event* event = nullptr;
    const Error error = rt::find_event(event_handle, &event);
    return result_of(error == Error::Success ? rt::wait_event(stream, *event) : error);
  });
}

CASSC_API Result cuStreamAddCallback(Stream* handle, StreamCallback callback, void* data, unsigned flags) {
  return on_stream(handle, [&](Stream& stream) {
    if (!callback || flags) return Result::InvalidValue;
    return result_of(rt::add_callback(stream, [=](Error error) { callback(handle, result_of(error), data); }));
  });
}

CASSC_API Result cuStreamGetFlags(Stream* handle, unsigned* flags) {
  return on_stream(handle, [&](const Stream& stream) {
    if (!flags) return Result::InvalidValue;
    *flags = stream.flags;
    return Result::Success;
  });
}

CASSC_API Result cuStreamGetPriority(Stream* handle, int* priority) {
  return on_stream(handle, [&](const Stream& stream) {
    if (!priority) return Result::InvalidValue;
    *priority = stream.priority;
    return Result::Success;
  });
}

CASSC_API Result cuStreamGetId(Stream* handle, unsigned long long* id) {
  return on_stream(handle, [&](const Stream& stream) {
    if (!id) return Result::InvalidValue;
    *id = stream.id;
    return Result::Success;
  });
}

CASSC_API Result cuStreamGetCtx(Stream* handle, DriverContext** context) {
  return on_stream(handle, [&](const Stream&) {
    if (!context) return Result::InvalidValue;
    *context = current_context();
    return Result::Success;
  });
}

CASSC_API Result cuStreamGetDevice(Stream* handle, int* index) {
  return on_stream(handle, [&](const Stream&) {
    if (!index) return Result::InvalidValue;
    *index = 0;
    return Result::Success;
  });
}

CASSC_API Result cuStreamBeginCapture_v2(Stream* handle, int mode) {
  return on_stream(handle, [&](Stream& stream) {
    if (mode < 0 || mode > 2) return Result::InvalidValue;
    return result_of(rt::begin_capture(stream, static_cast<rt::CaptureMode>(mode)));
  });
}
CASSC_API Result cuStreamBeginCapture(Stream* stream) { return cuStreamBeginCapture_v2(stream, 0); }

CASSC_API Result cuStreamEndCapture(Stream* handle, Graph** graph) {
  return on_stream(handle, [&](Stream& stream) {
    return graph ? result_of(rt::end_capture(stream, graph)) : Result::InvalidValue;
  });
}

CASSC_API Result cuStreamIsCapturing(Stream* handle, int* status) {
  return on_stream(handle, [&](Stream& stream) {
    if (!status) return Result::InvalidValue;
    *status = static_cast<int>(rt::capture_info(stream).status);
    return Result::Success;
  });
}

CASSC_API Result cuThreadExchangeStreamCaptureMode(int* mode) {
  return after_init([&] {
    if (!mode || *mode < 0 || *mode > 2) return Result::InvalidValue;
    *mode = static_cast<int>(rt::exchange_capture_mode(static_cast<rt::CaptureMode>(*mode)));
    return Result::Success;
  });
}
