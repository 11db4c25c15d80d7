# SPDX-License-Identifier: MIT
# Run by cpack on what it is about to pack: what Debian asks for of a package's files, and others do not.
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${share}/doc/uarchprobe/changelog "uarchprobe (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n
  * CHANGELOG.md says what is new.\n
 -- ${CPACK_PACKAGE_CONTACT}  ${today}\n")
file(GLOB packed ${share}/man/man1/*.1)
execute_process(COMMAND gzip -9n ${packed} ${share}/doc/uarchprobe/changelog COMMAND_ERROR_IS_FATAL ANY)
