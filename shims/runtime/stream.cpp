#include "stream.h"

#include <algorithm>
#include <atomic>

#include "capture.h"
#include "context.h"
#include "handles.h"

namespace cassc::rt {
namespace {

thread_local int per_thread_depth = 0;

Handles<Stream>& streams() {
  static auto* all = new Handles<Stream>;
  return *all;
}

Handles<Event>& events() {
  static auto* all = new Handles<Event>;
  return *all;
}

Error make_stream(unsigned flags, int priority, std::unique_ptr<Stream>& stream) {
  static std::atomic<uint64_t> next_id = 3;  // 1 and 2 are the default streams
  auto made = std::make_unique<Stream>();
  made->flags = flags;
  made->priority = std::clamp(priority, kGreatestPriority, kLeastPriority);
  made->id = next_id++;
  const Error error =
      Context::get().device().create_stream(!(flags & kStreamNonBlocking), made->priority, made->own);
  if (error != Error::Success) return Context::get().observe(error);
  made->device = made->own.get();
  stream = std::move(made);
  return Error::Success;
}

Stream* legacy_stream() {
  static auto* stream = [] {
    auto* made = new Stream;
    made->device = &Context::get().device().legacy_stream();
    made->legacy = true;
    made->id = 1;
    return made;
  }();
  return stream;
}

Error per_thread_stream(Stream** stream) {
  thread_local std::unique_ptr<Stream> mine;
  if (!mine) {
    const Error error = make_stream(0, 0, mine);
    if (error != Error::Success) return error;
  }
  *stream = mine.get();
  return Error::Success;
}

}  // namespace

PerThreadDefault::PerThreadDefault() { ++per_thread_depth; }
PerThreadDefault::~PerThreadDefault() { --per_thread_depth; }

Error find_stream(Stream* handle, Stream** stream) {
  const auto number = reinterpret_cast<uintptr_t>(handle);
  if (number == 2 || (number == 0 && per_thread_depth > 0)) return per_thread_stream(stream);
  if (number <= 1) {
    *stream = legacy_stream();
    return Error::Success;
  }
  *stream = handle;
  return streams().known(handle) ? Error::Success : Error::InvalidResourceHandle;
}

Error create_stream(unsigned flags, int priority, Stream** handle) {
  if (flags & ~kStreamNonBlocking) return Error::InvalidValue;
  std::unique_ptr<Stream> stream;
  const Error error = make_stream(flags, priority, stream);
  if (error != Error::Success) return error;
  *handle = streams().add(std::move(stream));
  return Error::Success;
}

Error destroy_stream(Stream* handle) {
  const auto stream = streams().take(handle);
  if (!stream) return Error::InvalidResourceHandle;
  leave_capture(*stream);
  return Error::Success;
}

Error query_stream(Stream& stream) {
  if (const Error error = refuse_while_captured(stream); error != Error::Success) return error;
  return Context::get().observe(Context::get().device().query(*stream.device));
}

Error synchronize_stream(Stream& stream) {
  if (const Error error = refuse_while_captured(stream); error != Error::Success) return error;
  return Context::get().observe(Context::get().device().synchronize(*stream.device));
}

Error synchronize_device() {
  if (const Error error = refuse_while_any_captured(); error != Error::Success) return error;
  return Context::get().observe(Context::get().device().synchronize());
}

Error add_callback(Stream& stream, std::function<void(Error)> function) {
  if (const Error error = refuse_while_captured(stream); error != Error::Success) return error;
  auto guarded = [function = std::move(function)](Error state) {
    in_host_function() = true;
    function(state);
    in_host_function() = false;
  };
  return Context::get().observe(Context::get().device().call(*stream.device, {std::move(guarded), true}));
}

Error find_event(Event* handle, Event** event) {
  *event = handle;
  return events().known(handle) ? Error::Success : Error::InvalidResourceHandle;
}

Error create_event(unsigned flags, Event** handle) {
  if (flags & ~(kEventBlockingSync | kEventDisableTiming | kEventInterprocess)) return Error::InvalidValue;
  if ((flags & kEventInterprocess) && !(flags & kEventDisableTiming)) return Error::InvalidValue;
  auto event = std::make_unique<Event>();
  event->flags = flags;
  const Error error = Context::get().device().create_event(!(flags & kEventDisableTiming), event->device);
  if (error != Error::Success) return Context::get().observe(error);
  *handle = events().add(std::move(event));
  return Error::Success;
}

Error destroy_event(Event* handle) {
  return events().take(handle) ? Error::Success : Error::InvalidResourceHandle;
}

Error record_event(Event& event, Stream& stream) {
  if (capture_record(event, stream)) return Error::Success;
  if (const Error error = check_legacy_use(stream); error != Error::Success) return error;
  const Error error = Context::get().device().record(*event.device, *stream.device);
  if (error == Error::Success) event.recorded = true;
  return Context::get().observe(error);
}

Error query_event(Event& event) {
  if (const Error error = refuse_captured_event(event); error != Error::Success) return error;
  if (!event.recorded) return Error::Success;
  return Context::get().observe(Context::get().device().query(*event.device));
}

Error synchronize_event(Event& event) {
  if (const Error error = refuse_captured_event(event); error != Error::Success) return error;
  if (!event.recorded) return Error::Success;
  return Context::get().observe(Context::get().device().synchronize(*event.device));
}

Error elapsed_time(Event& start, Event& end, float* milliseconds) {
  if (!milliseconds) return Error::InvalidValue;
  if (!start.recorded || !end.recorded || ((start.flags | end.flags) & kEventDisableTiming))
    return Error::InvalidResourceHandle;
  return Context::get().observe(Context::get().device().elapsed(*start.device, *end.device, milliseconds));
}

Error wait_event(Stream& stream, Event& event) {
  bool captured = false;
  if (const Error error = capture_wait(stream, event, captured); captured || error != Error::Success) return error;
  if (!event.recorded) return Error::Success;
  return Context::get().observe(Context::get().device().wait(*stream.device, *event.device));
}

}  // namespace cassc::rt
