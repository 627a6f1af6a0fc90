// Streams and events as the API sees them.
#ifndef CASSC_RUNTIME_STREAM_H
#define CASSC_RUNTIME_STREAM_H
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "device.h"

namespace cassc::rt {

class Capture;
struct Node;

constexpr unsigned kStreamNonBlocking = 1;
constexpr unsigned kEventBlockingSync = 1, kEventDisableTiming = 2, kEventInterprocess = 4;

struct Stream {
  std::unique_ptr<DeviceStream> own;
  DeviceStream* device = nullptr;
  bool legacy = false;
  unsigned flags = 0;
  int priority = 0;
  uint64_t id = 0;
  std::map<int, std::array<char, 64>> attributes;  // cudaStreamSetAttribute: kept and given back, without effect
  // While it is captured (guarded by the lock of capture.cpp): the capture, and the nodes that the next one follows.
  std::shared_ptr<Capture> capture;
  std::vector<Node*> frontier;
};

struct Event {
  std::unique_ptr<DeviceEvent> device;
  unsigned flags = 0;
  bool recorded = false;
  // When the last record was captured: where it lies in the graph.
  std::shared_ptr<Capture> capture;
  std::vector<Node*> frontier;
};

// While one lives, this thread's handle 0 means the per-thread default stream (the _ptsz and _ptds entry points).
class CASSC_EXPORT PerThreadDefault {
 public:
  PerThreadDefault();
  ~PerThreadDefault();
};

// The stream of a handle: 0, cudaStreamLegacy (1), cudaStreamPerThread (2), or one that create_stream gave.
CASSC_EXPORT Error find_stream(Stream* handle, Stream** stream);
CASSC_EXPORT Error create_stream(unsigned flags, int priority, Stream** handle);
CASSC_EXPORT Error destroy_stream(Stream* handle);
CASSC_EXPORT Error query_stream(Stream& stream);
CASSC_EXPORT Error synchronize_stream(Stream& stream);
CASSC_EXPORT Error synchronize_device();
// cudaStreamAddCallback: called with the state of the device, after a fault too.
CASSC_EXPORT Error add_callback(Stream& stream, std::function<void(Error)> function);

CASSC_EXPORT Error find_event(Event* handle, Event** event);
CASSC_EXPORT Error create_event(unsigned flags, Event** handle);
CASSC_EXPORT Error destroy_event(Event* handle);
CASSC_EXPORT Error record_event(Event& event, Stream& stream);
CASSC_EXPORT Error query_event(Event& event);
CASSC_EXPORT Error synchronize_event(Event& event);
CASSC_EXPORT Error elapsed_time(Event& start, Event& end, float* milliseconds);
CASSC_EXPORT Error wait_event(Stream& stream, Event& event);

constexpr int kLeastPriority = 0, kGreatestPriority = -5;

}  // namespace cassc::rt
#endif
