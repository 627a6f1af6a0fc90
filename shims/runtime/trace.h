// CASSC_TRACE=1: one line on stderr for each call that a program makes of an interface.
//
// Each exported function begins with kTraceRoom bytes of no-operation (CASSC_TRACED). Where the variable is set, a jump takes
// their place as the library is loaded: it leads to code that notes the arguments, lets the function return to code that
// notes its result, and goes on behind the jump. Otherwise nothing happens.
#ifndef CASSC_RUNTIME_TRACE_H
#define CASSC_RUNTIME_TRACE_H
#include <cstddef>

#include "types.h"

namespace cassc::rt {

#define CASSC_TRACED patchable_function_entry(16)

struct TracedFunction {
  const char* name;
  void (*address)();
  // The result, then the parameters: p pointer, i int, u unsigned (64 bits), d Dim3, l two ints, e error, v nothing,
  // x anything else, where the list of arguments ends.
  const char* types;
};

using NameOfError = const char* (*)(int);

// name_of: null for a number that is no error.
CASSC_EXPORT void trace(const TracedFunction* functions, size_t count, NameOfError name_of);

}  // namespace cassc::rt
#endif
