// Error texts, the calling thread's last error, and messages on stderr.
#ifndef CASSC_RUNTIME_ERRORS_H
#define CASSC_RUNTIME_ERRORS_H
#include <string>

#include "types.h"

namespace cassc::rt {

// As cudaGetErrorName and cudaGetErrorString: "unrecognized error code" for an unknown code.
CASSC_EXPORT const char* error_name(Error error);
CASSC_EXPORT const char* error_text(Error error);
CASSC_EXPORT const char* error_name_if_known(int number);  // null for an unknown one

// The error that cudaGetLastError would give this thread. remember() ignores success and "not ready".
CASSC_EXPORT void remember(Error error);
CASSC_EXPORT Error peek_last_error();
CASSC_EXPORT Error take_last_error();

// One line "cassc: <text>" on stderr. once: a text is printed the first time only.
CASSC_EXPORT void report(const std::string& text, bool once = false);

}  // namespace cassc::rt
#endif
