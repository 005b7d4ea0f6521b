# Instruments targets of a project:
#
#   find_package(Pompeii REQUIRED)
#   pompeii_instrument(solver mesh)          # targets of C, C++ and Fortran
#
# Sources of these targets are compiled by `pompeii compile`, in front of the compiler and of a
# launcher such as ccache; POMPEII_OPTIONS holds its options. The targets are linked with the
# library, as `pompeii config --libs` says; a target of objects only, which is compiled elsewhere,
# does the same with target_link_libraries(... Pompeii::pomp).

get_filename_component(Pompeii_FOLDER "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
find_program(POMPEII_COMMAND pompeii HINTS "${Pompeii_FOLDER}/../../bin"
  DOC "The program that compiles instrumented")
set(POMPEII_OPTIONS "" CACHE STRING "Options of pompeii compile, separated by semicolons")

if(NOT POMPEII_COMMAND)
  set(Pompeii_FOUND FALSE)
  set(Pompeii_NOT_FOUND_MESSAGE
    "the program pompeii is not in PATH; set POMPEII_COMMAND to where it is")
  return()
endif()

if(NOT TARGET Pompeii::pomp)
  add_library(Pompeii::pomp INTERFACE IMPORTED GLOBAL)
  # Objects have weak routines of their own; a name that they lack makes the linker take the archive.
  set(_pompeii_executable
    "-Wl,-u,pomp_mpi_clock_ns"
    "-Wl,--dynamic-list=${Pompeii_FOLDER}/pomp.list"
    "${Pompeii_FOLDER}/libpomp.a"
    "-Wl,--push-state,--as-needed,-lpthread,-ldl,-lm,--pop-state")
  set(_pompeii_shared
    "-Wl,-rpath,${Pompeii_FOLDER}"
    "-Wl,--push-state,--as-needed,${Pompeii_FOLDER}/libpomp.so,--pop-state")
  set(_pompeii_is_executable "$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>")
  set_target_properties(Pompeii::pomp PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${Pompeii_FOLDER}"
    INTERFACE_LINK_LIBRARIES
      "$<${_pompeii_is_executable}:${_pompeii_executable}>;$<$<NOT:${_pompeii_is_executable}>:${_pompeii_shared}>")
  unset(_pompeii_executable)
  unset(_pompeii_shared)
  unset(_pompeii_is_executable)
endif()

function(pompeii_instrument)
  foreach(target IN LISTS ARGN)
    foreach(language C CXX Fortran)
      get_target_property(launcher ${target} ${language}_COMPILER_LAUNCHER)
      set(words ${POMPEII_COMMAND} compile --quiet ${POMPEII_OPTIONS} --)
      if(launcher)
        list(APPEND words ${launcher})
      endif()
      set_property(TARGET ${target} PROPERTY ${language}_COMPILER_LAUNCHER ${words})
    endforeach()
    # Not by target_link_libraries: a project uses that with or without PRIVATE, and not both.
    set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES Pompeii::pomp)
    # Sources may be preprocessed before they get to `pompeii compile`.
    set_property(TARGET ${target} APPEND PROPERTY COMPILE_DEFINITIONS _POMP=200110)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY" OR type STREQUAL "OBJECT_LIBRARY")
      set_property(TARGET ${target} APPEND PROPERTY
        INTERFACE_LINK_LIBRARIES $<LINK_ONLY:Pompeii::pomp>)
    endif()
  endforeach()
endfunction()
