// A program of NVRTC: its source and headers, what it was compiled to, and what the compiler said.
#ifndef CASSC_NVRTC_PROGRAM_H
#define CASSC_NVRTC_PROGRAM_H
#include <map>
#include <string>
#include <vector>

namespace cassc::rtc {

// nvrtcResult.
enum class Result : int {
  Success = 0, OutOfMemory = 1, ProgramCreationFailure = 2, InvalidInput = 3, InvalidProgram = 4, InvalidOption = 5,
  Compilation = 6, BuiltinOperationFailure = 7, NoNameExpressionsAfterCompilation = 8, NoLoweredNamesBeforeCompilation = 9,
  NameExpressionNotValid = 10, InternalError = 11,
};

struct Program {
  std::string name, source;
  std::map<std::string, std::string> headers;  // by the name that #include gives
  std::vector<std::string> expressions;

  bool compiled = false;
  std::string log, ptx, cubin;
  std::map<std::string, std::string> lowered;  // by expression
};

// Compiles in a child process: `cassc rtc FOLDER` (CASSC_RTC names another command), which reads source.cu, headers/,
// options and expressions, one a line, and writes log, ptx, cubin and lowered.
Result compile(Program& program, const std::vector<std::string>& options);

}  // namespace cassc::rtc
#endif
