// All of this is in cuda_runtime.h.
#include "cuda_runtime.h"
