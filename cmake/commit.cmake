# SPDX-License-Identifier: MIT
# GIT_COMMIT: the commit that this source folder is, asked again after each commit; empty in an unpacked archive, also in
# one that was unpacked inside another repository, whose commits are not ours.
set(GIT_COMMIT "")
execute_process(COMMAND git rev-parse --show-toplevel WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                OUTPUT_VARIABLE GIT_TOP OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(REAL_PATH "${PROJECT_SOURCE_DIR}" SOURCE_TOP)
if(GIT_TOP STREQUAL SOURCE_TOP)
  execute_process(COMMAND git describe --always --dirty --abbrev=12 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_VARIABLE GIT_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND git rev-parse --git-path logs/HEAD WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_VARIABLE GIT_LOG OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  get_filename_component(GIT_LOG "${GIT_LOG}" ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
  if(EXISTS "${GIT_LOG}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${GIT_LOG}")
  endif()
endif()
