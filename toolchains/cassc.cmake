# CMake toolchain file: cmake --toolchain cassc.cmake (CMAKE_TOOLCHAIN_FILE before CMake 3.21).
# The compiler is cassc under its name in the toolkit tree, so that every CMake from 3.18 on finds the toolkit beside it.
find_program(CASSC_PROGRAM cassc HINTS /usr/bin REQUIRED)
if(NOT CASSC_TOOLKIT)
  execute_process(
    COMMAND ${CASSC_PROGRAM} toolkit
    OUTPUT_VARIABLE toolkit OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "'${CASSC_PROGRAM} toolkit' failed")
  endif()
  set(CASSC_TOOLKIT ${toolkit} CACHE PATH "what 'cassc toolkit' prints")
endif()
set(CMAKE_CUDA_COMPILER ${CASSC_TOOLKIT}/bin/cassc)
set(CUDAToolkit_ROOT ${CASSC_TOOLKIT})
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CASSC_TOOLKIT)
