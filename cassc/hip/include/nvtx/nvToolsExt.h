// NVTX under its name of CUDA before 13.
#include "nvtx3/nvToolsExt.h"
