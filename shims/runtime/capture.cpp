#include "capture.h"

#include <algorithm>
#include <thread>
#include <unordered_set>
#include <utility>

#include "graph.h"

namespace cassc::rt {

class Capture {
 public:
  CaptureMode mode = CaptureMode::Global;
  std::thread::id thread;
  uint64_t id = 0;
  std::unique_ptr<Graph> own;  // null when the nodes go into a graph of the program
  Graph* graph = nullptr;
  std::vector<const Node*> added;
  Stream* origin = nullptr;
  std::vector<Stream*> streams;
  bool spoiled = false;
};

namespace {

std::mutex& lock_of_captures() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

std::vector<std::shared_ptr<Capture>>& active() {
  static auto* all = new std::vector<std::shared_ptr<Capture>>;
  return *all;
}

thread_local CaptureMode thread_mode = CaptureMode::Global;

void join(Stream& stream, const std::shared_ptr<Capture>& capture, const std::vector<Node*>& frontier) {
  stream.capture = capture;
  capture->streams.push_back(&stream);
  stream.frontier = frontier;
}

void end(const std::shared_ptr<Capture>& capture) {
  for (Stream* stream : capture->streams) {
    stream->capture.reset();
    stream->frontier.clear();
  }
  std::erase(active(), capture);
}

// Every node must lead to where the origin stream ended.
bool joined(const Capture& capture) {
  std::unordered_set<const Node*> reached;
  std::vector<const Node*> open(capture.origin->frontier.begin(), capture.origin->frontier.end());
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (!known_node(node) || !reached.insert(node).second) continue;
    open.insert(open.end(), node->before.begin(), node->before.end());
  }
  return std::all_of(capture.added.begin(), capture.added.end(), [&](const Node* node) { return reached.count(node) != 0; });
}

}  // namespace

Error begin_capture(Stream& stream, CaptureMode mode, Graph* into, const std::vector<Node*>& frontier) {
  static uint64_t next_id = 1;
  if (static_cast<unsigned>(mode) > 2) return Error::InvalidValue;
  if (stream.legacy) return Error::StreamCaptureUnsupported;
  std::lock_guard lock(lock_of_captures());
  if (stream.capture) return Error::IllegalState;
  auto capture = std::make_shared<Capture>();
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->id = next_id++;
  capture->origin = &stream;
  if (!into) capture->own = std::make_unique<Graph>();
  capture->graph = into ? into : capture->own.get();
  for (const Node* node : frontier)
    if (!capture->graph->holds(node)) return Error::InvalidValue;
  active().push_back(capture);
  join(stream, capture, frontier);
  return Error::Success;
}

Error end_capture(Stream& stream, Graph** graph) {
  std::lock_guard lock(lock_of_captures());
  *graph = nullptr;
  const std::shared_ptr<Capture> capture = stream.capture;
  if (!capture) return Error::IllegalState;
  if (capture->origin != &stream) return Error::StreamCaptureUnmatched;
  if (capture->mode != CaptureMode::Relaxed && capture->thread != std::this_thread::get_id())
    return Error::StreamCaptureWrongThread;
  const bool whole = joined(*capture);
  end(capture);
  if (capture->spoiled) return Error::StreamCaptureInvalidated;
  if (!whole) return Error::StreamCaptureUnjoined;
  *graph = capture->own ? keep_graph(std::move(capture->own)) : capture->graph;
  return Error::Success;
}

Error follow(Stream& stream, const std::vector<Node*>& nodes, bool instead) {
  std::lock_guard lock(lock_of_captures());
  if (!stream.capture) return Error::IllegalState;
  if (stream.capture->spoiled) return Error::StreamCaptureInvalidated;
  for (const Node* node : nodes)
    if (!stream.capture->graph->holds(node)) return Error::InvalidValue;
  if (instead) stream.frontier.clear();
  for (Node* node : nodes)
    if (std::find(stream.frontier.begin(), stream.frontier.end(), node) == stream.frontier.end())
      stream.frontier.push_back(node);
  return Error::Success;
}

CaptureInfo capture_info(Stream& stream) {
  std::lock_guard lock(lock_of_captures());
  CaptureInfo info;
  if (!stream.capture) return info;
  info.status = stream.capture->spoiled ? CaptureStatus::Invalidated : CaptureStatus::Active;
  info.id = stream.capture->id;
  info.graph = stream.capture->graph;
  info.frontier = stream.frontier;
  return info;
}

CaptureMode exchange_capture_mode(CaptureMode mode) { return std::exchange(thread_mode, mode); }

Error capture_operation(Stream& stream, const Operation& operation, bool& captured) {
  {
    std::lock_guard lock(lock_of_captures());
    captured = stream.capture != nullptr;
    if (captured) {
      if (stream.capture->spoiled) return Error::StreamCaptureInvalidated;
      Node* node = stream.capture->graph->add(operation, stream.frontier);
      if (!node) return Error::Unknown;
      stream.capture->added.push_back(node);
      stream.frontier = {node};
      return Error::Success;
    }
  }
  return check_legacy_use(stream);
}

bool capture_record(Event& event, Stream& stream) {
  std::lock_guard lock(lock_of_captures());
  event.capture = stream.capture;
  event.frontier = stream.frontier;
  return stream.capture != nullptr;
}

Error capture_wait(Stream& stream, Event& event, bool& captured) {
  std::lock_guard lock(lock_of_captures());
  captured = false;
  const bool of_live_capture = event.capture && std::find(active().begin(), active().end(), event.capture) != active().end();
  if (!of_live_capture) {
    if (!stream.capture) return Error::Success;
    stream.capture->spoiled = true;
    return Error::StreamCaptureIsolation;
  }
  captured = true;
  if (stream.legacy) {
    event.capture->spoiled = true;
    return Error::StreamCaptureUnsupported;
  }
  if (!stream.capture) {
    join(stream, event.capture, event.frontier);
    return Error::Success;
  }
  if (stream.capture != event.capture) {
    stream.capture->spoiled = event.capture->spoiled = true;
    return Error::StreamCaptureMerge;
  }
  for (Node* node : event.frontier)
    if (std::find(stream.frontier.begin(), stream.frontier.end(), node) == stream.frontier.end())
      stream.frontier.push_back(node);
  return Error::Success;
}

void spoil_capture(Stream& stream) {
  std::lock_guard lock(lock_of_captures());
  if (stream.capture) stream.capture->spoiled = true;
}

void abandon(const Graph& graph) {
  std::lock_guard lock(lock_of_captures());
  for (const auto& capture : active()) {
    if (capture->graph != &graph) continue;
    capture->spoiled = true;
    capture->graph = nullptr;
  }
}

void leave_capture(Stream& stream) {
  std::lock_guard lock(lock_of_captures());
  if (!stream.capture) return;
  stream.capture->spoiled = true;
  std::erase(stream.capture->streams, &stream);
  if (stream.capture->origin == &stream) end(stream.capture);
}

Error refuse_while_captured(Stream& stream) {
  std::lock_guard lock(lock_of_captures());
  if (!stream.capture) return Error::Success;
  stream.capture->spoiled = true;
  return Error::StreamCaptureUnsupported;
}

Error refuse_while_any_captured() {
  std::lock_guard lock(lock_of_captures());
  for (const auto& capture : active()) capture->spoiled = true;
  return active().empty() ? Error::Success : Error::StreamCaptureUnsupported;
}

Error refuse_captured_event(Event& event) {
  std::lock_guard lock(lock_of_captures());
  if (!event.capture || std::find(active().begin(), active().end(), event.capture) == active().end())
    return Error::Success;
  event.capture->spoiled = true;
  return Error::CapturedEvent;
}

Error refuse_unsafe() {
  std::lock_guard lock(lock_of_captures());
  if (thread_mode == CaptureMode::Relaxed) return Error::Success;
  bool refused = false;
  for (const auto& capture : active()) {
    const bool ours = capture->thread == std::this_thread::get_id();
    const bool forbids = capture->mode == CaptureMode::Global ? ours || thread_mode == CaptureMode::Global
                                                              : capture->mode == CaptureMode::ThreadLocal && ours;
    if (!forbids) continue;
    capture->spoiled = true;
    refused = true;
  }
  return refused ? Error::StreamCaptureUnsupported : Error::Success;
}

Error check_legacy_use(Stream& stream) {
  if (!stream.legacy) return Error::Success;
  std::lock_guard lock(lock_of_captures());
  bool refused = false;
  for (const auto& capture : active()) {
    const bool ordered = std::any_of(capture->streams.begin(), capture->streams.end(),
                                     [](const Stream* s) { return !(s->flags & kStreamNonBlocking); });
    if (!ordered) continue;
    capture->spoiled = true;
    refused = true;
  }
  return refused ? Error::StreamCaptureImplicit : Error::Success;
}

}  // namespace cassc::rt
