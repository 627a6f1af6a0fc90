// libnvrtc's entry points (NVRTC manual).
#include <cstddef>
#include <cstring>
#include <iterator>
#include <new>

#include "program.h"

#define CASSC_API extern "C" __attribute__((visibility("default")))

using namespace cassc::rtc;

namespace {

template <class Body>
Result guarded(Program* program, Body&& body) {
  if (!program) return Result::InvalidProgram;
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Result::OutOfMemory;
  } catch (...) {
    return Result::InternalError;
  }
}

// Results are handed out with a zero behind them when they are texts.
Result size_of(Program* program, size_t* size, std::string Program::*what, bool text) {
  return guarded(program, [&] {
    if (!size) return Result::InvalidInput;
    *size = (program->*what).size() + text;
    return Result::Success;
  });
}
Result copy(Program* program, char* to, std::string Program::*what, bool text) {
  return guarded(program, [&] {
    if (!to) return Result::InvalidInput;
    std::memcpy(to, (program->*what).c_str(), (program->*what).size() + text);
    return Result::Success;
  });
}

constexpr int kArchitectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

}  // namespace

CASSC_API const char* nvrtcGetErrorString(Result result) {
  switch (result) {
    case Result::Success: return "NVRTC_SUCCESS";
    case Result::OutOfMemory: return "NVRTC_ERROR_OUT_OF_MEMORY";
    case Result::ProgramCreationFailure: return "NVRTC_ERROR_PROGRAM_CREATION_FAILURE";
    case Result::InvalidInput: return "NVRTC_ERROR_INVALID_INPUT";
    case Result::InvalidProgram: return "NVRTC_ERROR_INVALID_PROGRAM";
    case Result::InvalidOption: return "NVRTC_ERROR_INVALID_OPTION";
    case Result::Compilation: return "NVRTC_ERROR_COMPILATION";
    case Result::BuiltinOperationFailure: return "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE";
    case Result::NoNameExpressionsAfterCompilation: return "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION";
    case Result::NoLoweredNamesBeforeCompilation: return "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION";
    case Result::NameExpressionNotValid: return "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID";
    case Result::InternalError: return "NVRTC_ERROR_INTERNAL_ERROR";
  }
  return "NVRTC_ERROR unknown";
}

CASSC_API Result nvrtcVersion(int* major, int* minor) {
  if (!major || !minor) return Result::InvalidInput;
  *major = CASSC_NVRTC_MAJOR;
  *minor = 0;
  return Result::Success;
}
CASSC_API Result nvrtcGetNumSupportedArchs(int* count) {
  if (count) *count = static_cast<int>(std::size(kArchitectures));
  return count ? Result::Success : Result::InvalidInput;
}
CASSC_API Result nvrtcGetSupportedArchs(int* architectures) {
  if (architectures) std::memcpy(architectures, kArchitectures, sizeof kArchitectures);
  return architectures ? Result::Success : Result::InvalidInput;
}

CASSC_API Result nvrtcCreateProgram(Program** program, const char* source, const char* name, int count,
                                    const char* const* headers, const char* const* names) {
  if (!program || !source || count < 0 || (count && (!headers || !names))) return Result::InvalidInput;
  try {
    auto* made = new Program{name && *name ? name : "default_program", source, {}, {}, false, {}, {}, {}, {}};
    for (int i = 0; i < count; ++i) made->headers[names[i]] = headers[i];
    *program = made;
    return Result::Success;
  } catch (const std::bad_alloc&) {
    return Result::OutOfMemory;
  }
}
CASSC_API Result nvrtcDestroyProgram(Program** program) {
  if (!program || !*program) return Result::InvalidProgram;
  delete *program;
  *program = nullptr;
  return Result::Success;
}

CASSC_API Result nvrtcAddNameExpression(Program* program, const char* expression) {
  return guarded(program, [&] {
    if (!expression) return Result::InvalidInput;
    if (program->compiled) return Result::NoNameExpressionsAfterCompilation;
    program->expressions.push_back(expression);
    return Result::Success;
  });
}
CASSC_API Result nvrtcGetLoweredName(Program* program, const char* expression, const char** name) {
  return guarded(program, [&] {
    if (!expression || !name) return Result::InvalidInput;
    if (!program->compiled) return Result::NoLoweredNamesBeforeCompilation;
    const auto found = program->lowered.find(expression);
    if (found == program->lowered.end()) return Result::NameExpressionNotValid;
    *name = found->second.c_str();
    return Result::Success;
  });
}

CASSC_API Result nvrtcCompileProgram(Program* program, int count, const char* const* options) {
  return guarded(program, [&] {
    if (count < 0 || (count && !options)) return Result::InvalidInput;
    return compile(*program, {options, options + count});
  });
}

CASSC_API Result nvrtcGetPTXSize(Program* program, size_t* size) { return size_of(program, size, &Program::ptx, true); }
CASSC_API Result nvrtcGetPTX(Program* program, char* ptx) { return copy(program, ptx, &Program::ptx, true); }
CASSC_API Result nvrtcGetCUBINSize(Program* program, size_t* size) { return size_of(program, size, &Program::cubin, false); }
CASSC_API Result nvrtcGetCUBIN(Program* program, char* cubin) { return copy(program, cubin, &Program::cubin, false); }
CASSC_API Result nvrtcGetProgramLogSize(Program* program, size_t* size) { return size_of(program, size, &Program::log, true); }
CASSC_API Result nvrtcGetProgramLog(Program* program, char* log) { return copy(program, log, &Program::log, true); }

// Link-time optimisation, OptiX, precompiled headers: none of them is there, and there is no option to ask for them.
#define NVRTC_MISSING(name) \
  CASSC_API __attribute__((weak)) Result name() { return Result::InvalidInput; }
NVRTC_MISSING(nvrtcGetLTOIRSize)
NVRTC_MISSING(nvrtcGetLTOIR)
NVRTC_MISSING(nvrtcGetOptiXIRSize)
NVRTC_MISSING(nvrtcGetOptiXIR)
NVRTC_MISSING(nvrtcGetPCHCreateStatus)
NVRTC_MISSING(nvrtcGetPCHHeapSize)
NVRTC_MISSING(nvrtcGetPCHHeapSizeRequired)
NVRTC_MISSING(nvrtcSetPCHHeapSize)
NVRTC_MISSING(nvrtcSetFlowCallback)
