// What the mathematical libraries (libcublas, libcufft, ...) need of the runtime: their work is done by the host, in the
// order of a stream, on memory that host and device share.
#ifndef CASSC_RUNTIME_LIBRARY_WORK_H
#define CASSC_RUNTIME_LIBRARY_WORK_H
#include <functional>
#include <string>
#include <vector>

#include "stream.h"

namespace cassc::rt {

// Opens the device. NotSupported where its memory is not the host's (a HIP device).
CASSC_EXPORT Error open_for_libraries();
// Puts work on the stream of a handle, as a kernel launch would be; captured when the stream is. The stream may have been
// destroyed: InvalidResourceHandle.
CASSC_EXPORT Error enqueue(Stream* handle, std::function<void()> work);
// The same, and waits for it. A captured stream cannot be waited for: StreamCaptureUnsupported.
CASSC_EXPORT Error enqueue_and_wait(Stream* handle, std::function<void()> work);

// On a HIP device: the stream of a handle as ROCm's libraries know it. They cannot be captured in a graph of ours:
// StreamCaptureUnsupported.
CASSC_EXPORT Error native_stream(Stream* handle, void** native);

// Opens the first of these that is there; a name with a slash is a path, which may hold wildcards (glob(7)) and starts
// from the folder of our libraries unless it is absolute. Null when none is there.
CASSC_EXPORT void* open_first(const std::vector<std::string>& names);

}  // namespace cassc::rt
#endif
