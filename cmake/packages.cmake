# SPDX-License-Identifier: MIT
# What is installed, and the packages made of it: cpack in the build folder of the preset "portable", whose program needs the C
# library alone and so runs on other releases than that it was built on, or of "static", whose program needs nothing.
add_custom_command(TARGET uarchprobe POST_BUILD VERBATIM
  COMMAND sh ${PROJECT_SOURCE_DIR}/scripts/pages ${PROJECT_BINARY_DIR}/share ${CMAKE_CROSSCOMPILING_EMULATOR}
  $<TARGET_FILE:uarchprobe>)
install(TARGETS uarchprobe RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATAROOTDIR})
install(FILES docs/schema.json DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/uarchprobe)
# The documents, and what they link to.
install(FILES README.md CHANGELOG.md SECURITY.md action.yml DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs packaging results DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The terms of all whose code is in the program.
file(READ LICENSE terms)
if(PORTABLE)
  set(contained hwloc jansson cpuid)
  if(STATIC)
    list(APPEND contained c6)
  endif()
  foreach(library ${contained})
    set(copyright ${CMAKE_SYSROOT}/usr/share/doc/lib${library}-dev/copyright)
    if(EXISTS ${copyright})
      file(READ ${copyright} text)
      string(APPEND terms "\n\nIt contains lib${library}, whose terms are:\n\n${text}")
    endif()
  endforeach()
endif()
file(WRITE ${PROJECT_BINARY_DIR}/copyright "${terms}")
install(FILES ${PROJECT_BINARY_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_PACKAGE_VENDOR uarchprobe)
# Whoever publishes a release answers for its packages.
if(PROJECT_URL MATCHES "^https://github\\.com/([^/]+)/")
  set(CPACK_PACKAGE_CONTACT "the uarchprobe maintainers <${CMAKE_MATCH_1}@users.noreply.github.com>")
else()
  set(CPACK_PACKAGE_CONTACT "the uarchprobe maintainers <maintainers@users.noreply.invalid>")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "measures what data sheets leave out of a CPU")
set(CPACK_PACKAGE_DESCRIPTION "Store buffer, memory bandwidth and latency, core-to-core latency and
store-to-load forwarding, measured without root, counters or kernel modules.
Each number says how far it can be trusted.")
set(CPACK_RPM_PACKAGE_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_PACKAGE_HOMEPAGE_URL "${PROJECT_URL}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_FILE_NAME uarchprobe-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
if(STATIC)
  string(APPEND CPACK_PACKAGE_FILE_NAME -static)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian.cmake)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE MIT)
# Folders that a distribution owns.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/share/man /usr/share/man/man1
    /usr/share/bash-completion /usr/share/bash-completion/completions
    /usr/share/zsh /usr/share/zsh/site-functions /usr/share/fish
    /usr/share/fish/vendor_completions.d)

# What can be made here: a tool that is missing leaves its package out, and not those after it.
set(CPACK_GENERATOR TGZ)
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
find_program(FILE_COMMAND file)
find_program(RPMBUILD rpmbuild)
if(DPKG_SHLIBDEPS AND FILE_COMMAND AND NOT STATIC AND NOT CMAKE_CROSSCOMPILING)
  list(APPEND CPACK_GENERATOR DEB)
endif()
if(RPMBUILD AND NOT STATIC AND NOT CMAKE_CROSSCOMPILING)
  list(APPEND CPACK_GENERATOR RPM)
endif()
include(CPack)
