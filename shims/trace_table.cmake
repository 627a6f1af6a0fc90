# cassc_trace_table(file SOURCES sources NAMES names): a source file with the table of a front end's exported functions for
# CASSC_TRACE (runtime/trace.h). The forms of their calls are read off the definitions in the sources.
function(cassc_types_of parameters result)
  string(REGEX REPLACE "[\n\t ]+" " " parameters "${parameters}")
  string(REPLACE "," ";" parameters "${parameters}")
  set(types "")
  foreach(parameter IN LISTS parameters)
    if(parameter MATCHES "\\*|HostFunction|StreamCallback")
      string(APPEND types p)
    elseif(parameter MATCHES "^ ?(const )?(size_t|unsigned|uint64_t|uint32_t|DevicePointer)")
      string(APPEND types u)
    elseif(parameter MATCHES "^ ?(const )?(int|CopyKind|Error|long)")
      string(APPEND types i)
    elseif(parameter MATCHES "^ ?(rt::)?Dim3")
      string(APPEND types d)
    elseif(parameter MATCHES "^ ?rt::Place")
      string(APPEND types l)
    elseif(NOT parameter MATCHES "^ ?(void)?$")
      string(APPEND types x)
      break()
    endif()
  endforeach()
  set(${result} "${types}" PARENT_SCOPE)
endfunction()

function(cassc_trace_table file)
  cmake_parse_arguments(TABLE "" "ERROR_NAME" "SOURCES;NAMES" ${ARGN})
  foreach(source IN LISTS TABLE_SOURCES)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(READ ${source} text)
    string(REGEX MATCHALL "CASSC_API (const )?[A-Za-z:]+[ *]+[A-Za-z0-9_]+\\([^()]*\\) {" definitions "${text}")
    foreach(definition IN LISTS definitions)
      string(REGEX MATCH "CASSC_API (const )?([A-Za-z:]+[ *]+)([A-Za-z0-9_]+)\\(([^()]*)\\)" _ "${definition}")
      set(returned "${CMAKE_MATCH_2}")
      set(name ${CMAKE_MATCH_3})
      set(parameters "${CMAKE_MATCH_4}")
      if(returned MATCHES "\\*")
        set(types p)
      elseif(returned MATCHES "^(Error|Result) ")
        set(types e)
      elseif(returned MATCHES "^void ")
        set(types v)
      else()
        set(types u)
      endif()
      cassc_types_of("${parameters}" more)
      if(DEFINED types_of_${name} AND NOT types_of_${name} STREQUAL "${types}${more}")
        set(more x)  # not the same in all versions
      endif()
      set(types_of_${name} "${types}${more}")
    endforeach()
  endforeach()
  set(declarations "")
  set(rows "")
  foreach(name IN LISTS TABLE_NAMES)
    string(REGEX REPLACE "_pt[ds][sz]$" "" base ${name})
    if(DEFINED types_of_${base})
      set(types ${types_of_${base}})
    else()
      set(types ex)
    endif()
    string(APPEND declarations "void ${name}();\n")
    string(APPEND rows "    {\"${name}\", ${name}, \"${types}\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${file} CONTENT "#include \"trace.h\"

extern \"C\" {
${declarations}}

namespace cassc::rt {

const char* ${TABLE_ERROR_NAME}(int);

constexpr TracedFunction table[] = {
${rows}};

__attribute__((constructor(102))) static void start() { trace(table, sizeof table / sizeof *table, ${TABLE_ERROR_NAME}); }

}  // namespace cassc::rt
" @ONLY)
endfunction()
