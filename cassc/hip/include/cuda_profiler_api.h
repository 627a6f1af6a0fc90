// Starting and stopping the profiler (CUDA Runtime API, "Profiler Control").
#ifndef CASSC_CUDA_PROFILER_API_H
#define CASSC_CUDA_PROFILER_API_H
#include "cuda_runtime_api.h"
#endif
