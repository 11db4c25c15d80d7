# SPDX-License-Identifier: MIT
# Results of others are read, by root where a batch system checks its nodes: a fault of memory should end the program and lead
# nowhere. What is timed is in kernels of assembly, which none of this changes. scripts/figures looks for it in the executable.
include(CheckCSourceCompiles)
if(NOT SANITIZE AND NOT FUZZ) # these see more, and better without
  set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
  check_c_source_compiles("#include <string.h>\nint main(void) { return 0; }" FORTIFY_3)
  unset(CMAKE_REQUIRED_FLAGS)
  set(fortify 2)
  if(FORTIFY_3)
    set(fortify 3)
  endif()
  # Without optimization there is none, only a warning.
  target_compile_options(core PUBLIC
    "$<$<AND:$<COMPILE_LANGUAGE:C>,$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${fortify}>")
endif()
target_compile_options(core PUBLIC $<$<COMPILE_LANGUAGE:C>:-fstack-protector-strong>)
if(ISA STREQUAL x86_64)
  target_compile_options(core PUBLIC $<$<COMPILE_LANGUAGE:C>:-fcf-protection>) # the kernels' notes are in asm.h
endif()
target_link_options(core PUBLIC LINKER:-z,relro,-z,now)
if(NOT CMAKE_EXE_LINKER_FLAGS MATCHES "-static")
  target_compile_options(core PUBLIC $<$<COMPILE_LANGUAGE:C>:-fPIE>)
  target_link_options(core PUBLIC -pie)
endif()
