# cassc_library(name PREFIX prefix SONAMES names SOURCES files): one library under each of NVIDIA's sonames, whose symbols
# have the soname as their version, as NVIDIA's do; and as libcassc_NAME, the same without a soname, which a program that
# is linked with it finds by its path (as with libcassc_cudart).
function(cassc_library name)
  cmake_parse_arguments(LIB "" "PREFIX" "SONAMES;SOURCES" ${ARGN})
  add_library(${name}_code OBJECT ${LIB_SOURCES})
  target_compile_options(${name}_code PRIVATE -Wall -Wextra -Wpedantic)
  target_link_libraries(${name}_code PRIVATE cassc_rt)
  foreach(soname IN LISTS LIB_SONAMES)
    string(REGEX REPLACE "^lib(.*)\\.so\\..*$" "\\1" output ${soname})
    string(REGEX REPLACE "^lib.*(\\.so\\..*)$" "\\1" suffix ${soname})
    set(script ${CMAKE_CURRENT_BINARY_DIR}/${soname}.map)
    file(CONFIGURE OUTPUT ${script} CONTENT "${soname} {\n  global: ${LIB_PREFIX}*;\n  local: *;\n};\n" @ONLY)
    foreach(file ${output} cassc_${output})
      string(REGEX REPLACE "[^A-Za-z0-9]" "_" target ${file}${suffix})
      add_library(${target} SHARED $<TARGET_OBJECTS:${name}_code> $<TARGET_OBJECTS:cassc_same_build>)
      target_link_libraries(${target} PRIVATE cassc_rt ${CMAKE_DL_LIBS})
      target_link_options(${target} PRIVATE -Wl,--version-script=${script} -Wl,-z,defs)
      set_target_properties(${target} PROPERTIES
        OUTPUT_NAME ${file} SUFFIX ${suffix} NO_SONAME ON LINKER_LANGUAGE CXX LINK_DEPENDS ${script}
        BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN"
        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
      install(TARGETS ${target} LIBRARY DESTINATION ${CASSC_LIBDIR})
    endforeach()
    string(REGEX REPLACE "[^A-Za-z0-9]" "_" target ${output}${suffix})
    target_link_options(${target} PRIVATE -Wl,-soname,${soname})
  endforeach()
endfunction()
