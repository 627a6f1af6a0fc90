// Stream management: capture into graphs.
#include "capture.h"

#include "api.h"

using namespace cassc::cudart;
namespace rt = cassc::rt;

namespace {

// The frontier that cudaStreamGetCaptureInfo hands out is an array that lives until the thread's next call.
thread_local std::vector<Node*> shown_frontier;

Error show_capture(Stream* handle, int* status, unsigned long long* id, Graph** graph, const Node* const** frontier,
                   const EdgeData** edges, size_t* count) {
  return on_stream(handle, [&](Stream& stream) {
    if (!status) return Error::InvalidValue;
    const rt::CaptureInfo info = rt::capture_info(stream);
    *status = static_cast<int>(info.status);
    if (info.status != rt::CaptureStatus::Active) return Error::Success;
    shown_frontier = info.frontier;
    if (id) *id = info.id;
    if (graph) *graph = info.graph;
    if (frontier) *frontier = shown_frontier.data();
    if (edges) *edges = nullptr;
    if (count) *count = shown_frontier.size();
    return Error::Success;
  });
}

Error update_frontier(Stream* handle, Node* const* nodes, size_t count, unsigned flags) {
  return on_stream(handle, [&](Stream& stream) {
    constexpr unsigned add = 0, set = 1;  // cudaStreamAddCaptureDependencies, cudaStreamSetCaptureDependencies
    if ((count && !nodes) || (flags != add && flags != set)) return Error::InvalidValue;
    return rt::follow(stream, {nodes, nodes + count}, flags == set);
  });
}

}  // namespace

CASSC_API Error cudaStreamBeginCaptureToGraph(Stream* handle, Graph* graph, Node* const* nodes, const EdgeData*, size_t count,
                                              int mode) {
  return on_stream(handle, [&](Stream& stream) {
    if (!rt::known_graph(graph) || (count && !nodes)) return Error::InvalidValue;
    return rt::begin_capture(stream, static_cast<rt::CaptureMode>(mode), graph, {nodes, nodes + count});
  });
}

CASSC_API Error cudaStreamBeginCapture(Stream* handle, int mode) {
  return on_stream(handle, [&](Stream& stream) { return rt::begin_capture(stream, static_cast<rt::CaptureMode>(mode)); });
}

CASSC_API Error cudaStreamEndCapture(Stream* handle, Graph** graph) {
  return on_stream(handle, [&](Stream& stream) { return graph ? rt::end_capture(stream, graph) : Error::InvalidValue; });
}

CASSC_API Error cudaStreamIsCapturing(Stream* handle, int* status) {
  return show_capture(handle, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}

CASSC_API Error cudaThreadExchangeStreamCaptureMode(int* mode) {
  return without_device([&] {
    if (!mode || static_cast<unsigned>(*mode) > 2) return Error::InvalidValue;
    *mode = static_cast<int>(rt::exchange_capture_mode(static_cast<rt::CaptureMode>(*mode)));
    return Error::Success;
  });
}

#if CASSC_CUDART_MAJOR <= 12
CASSC_API Error cudaStreamUpdateCaptureDependencies(Stream* stream, Node* const* nodes, size_t count, unsigned flags) {
  return update_frontier(stream, nodes, count, flags);
}
CASSC_API Error cudaStreamUpdateCaptureDependencies_v2(Stream* stream, Node* const* nodes, const EdgeData*, size_t count,
                                                       unsigned flags) {
  return update_frontier(stream, nodes, count, flags);
}
CASSC_API Error cudaStreamGetCaptureInfo(Stream* stream, int* status, unsigned long long* id) {
  return show_capture(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}
CASSC_API Error cudaStreamGetCaptureInfo_v2(Stream* stream, int* status, unsigned long long* id, Graph** graph,
                                            const Node* const** frontier, size_t* count) {
  return show_capture(stream, status, id, graph, frontier, nullptr, count);
}
CASSC_API Error cudaStreamGetCaptureInfo_v3(Stream* stream, int* status, unsigned long long* id, Graph** graph,
                                            const Node* const** frontier, const EdgeData** edges, size_t* count) {
  return show_capture(stream, status, id, graph, frontier, edges, count);
}
#else
CASSC_API Error cudaStreamUpdateCaptureDependencies(Stream* stream, Node* const* nodes, const EdgeData*, size_t count,
                                                    unsigned flags) {
  return update_frontier(stream, nodes, count, flags);
}
CASSC_API Error cudaStreamGetCaptureInfo(Stream* stream, int* status, unsigned long long* id, Graph** graph,
                                         const Node* const** frontier, const EdgeData** edges, size_t* count) {
  return show_capture(stream, status, id, graph, frontier, edges, count);
}
#endif
