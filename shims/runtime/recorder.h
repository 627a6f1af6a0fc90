// `cassc run --record`: launches written to a file, with the memory that they reach before and after.
#ifndef CASSC_RUNTIME_RECORDER_H
#define CASSC_RUNTIME_RECORDER_H
#include <functional>

#include "operation.h"

namespace cassc::rt {

// Whether $CASSC_RECORD names a file. Launches then run one by one.
bool recording();

// Runs `launch`, which starts the call on the device, and appends a record of it to the file. The first launches of each
// kernel are recorded ($CASSC_RECORD_LAUNCHES, 8 if not set), and of those that reach more than $CASSC_RECORD_BYTES
// (64 MiB if not set) only the name.
//
// The file is a sequence of chunks: u32 kind, u32 version (1), u64 bytes, content; all numbers little-endian. A text or
// blob is a u64 length and its bytes.
//   1, container: text SHA-256 of the fat binary, its bytes as a blob, u32 count of translated entries, for each: u32 kind,
//      u32 sm, blob.
//   2, launch: text SHA-256 of the container, text kernel, u32 sm, u32 grid[3], u32 block[3], u32 dynamic shared bytes,
//      u32 cooperative, u32 status (a cudaError), blob of the parameters, u32 count of memories, for each: text name (of a
//      variable, else empty), u64 address, blob before, u32 changed, and if it did, blob after.
//   3, not recorded: text kernel, text reason.
Error record(Device& device, const KernelCall& call, const std::function<Error()>& launch);

}  // namespace cassc::rt
#endif
