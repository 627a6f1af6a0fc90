// The C and C++ mathematical functions on the device: clang's own headers over AMD's device library (OCML), which must come
// before <cmath> so that no constexpr function of the host's library is taken for them.
#ifndef CASSC_MATH_H
#define CASSC_MATH_H
#ifdef __CUDA_ARCH__
#include <__clang_cuda_math_forward_declares.h>
#include <cmath>
#include <cstdlib>
#include <stdlib.h>
#include <__clang_hip_libdevice_declares.h>
#define __HIPCC__ 1
#define OCML_BASIC_ROUNDED_OPERATIONS 1
#include <__clang_hip_math.h>
#include <__clang_hip_stdlib.h>
#include <__clang_hip_cmath.h>
#include <__clang_cuda_complex_builtins.h>
#undef __HIPCC__
#include "cassc/rounded_division.h"
#else
#include <__clang_cuda_math_forward_declares.h>
#include <cmath>
#include <cstdlib>
#include <stdlib.h>
#include "cassc/math_declarations.h"
#endif
#include <math.h>
#include "cassc/host_math.h"
#include <cstdint>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <type_traits>
#include <utility>
#endif
