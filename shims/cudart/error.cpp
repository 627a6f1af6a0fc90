// Error handling.
#include "api.h"

using namespace cassc::cudart;
namespace rt = cassc::rt;

CASSC_API Error cudaGetLastError() { return rt::take_last_error(); }
CASSC_API Error cudaPeekAtLastError() { return rt::peek_last_error(); }
CASSC_API const char* cudaGetErrorName(Error error) { return rt::error_name(error); }
CASSC_API const char* cudaGetErrorString(Error error) { return rt::error_text(error); }
