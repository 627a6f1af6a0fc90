// Stream capture: calls become nodes of a graph (CUDA Programming Guide, "Creating a Graph Using Stream Capture").
#ifndef CASSC_RUNTIME_CAPTURE_H
#define CASSC_RUNTIME_CAPTURE_H
#include "operation.h"

namespace cassc::rt {

// Numbers of cudaStreamCaptureMode and cudaStreamCaptureStatus.
enum class CaptureMode : int { Global = 0, ThreadLocal = 1, Relaxed = 2 };
enum class CaptureStatus : int { None = 0, Active = 1, Invalidated = 2 };

struct CaptureInfo {
  CaptureStatus status = CaptureStatus::None;
  uint64_t id = 0;
  Graph* graph = nullptr;
  std::vector<Node*> frontier;
};

// into: a graph of the program that takes the nodes, the first ones after frontier; null: one that end_capture gives.
CASSC_EXPORT Error begin_capture(Stream& stream, CaptureMode mode, Graph* into = nullptr,
                                 const std::vector<Node*>& frontier = {});
CASSC_EXPORT Error end_capture(Stream& stream, Graph** graph);
// What the stream's next node follows: more nodes, or these instead.
CASSC_EXPORT Error follow(Stream& stream, const std::vector<Node*>& nodes, bool instead);
CASSC_EXPORT CaptureInfo capture_info(Stream& stream);
CASSC_EXPORT CaptureMode exchange_capture_mode(CaptureMode mode);  // of this thread

// Adds a node when the stream is captured. captured: it was, so the operation must not be run.
Error capture_operation(Stream& stream, const Operation& operation, bool& captured);
bool capture_record(Event& event, Stream& stream);  // true when it was captured
Error capture_wait(Stream& stream, Event& event, bool& captured);
// A failed call of a captured stream (a launch with a bad shape) spoils its capture.
CASSC_EXPORT void spoil_capture(Stream& stream);
CASSC_EXPORT void abandon(const Graph& graph);  // it is destroyed: captures into it are spoiled
void leave_capture(Stream& stream);  // the stream is destroyed

// Calls that must not be made during a capture: each spoils the captures that forbid it.
Error refuse_while_captured(Stream& stream);
Error refuse_while_any_captured();
Error refuse_captured_event(Event& event);
CASSC_EXPORT Error refuse_unsafe();  // cudaMalloc and other calls that may wait: by the mode of each capture
// Use of the legacy default stream while a stream that is ordered with it is captured.
Error check_legacy_use(Stream& stream);

}  // namespace cassc::rt
#endif
