# SPDX-License-Identifier: MIT
# What is installed, and the packages made of it: cpack -G "DEB;RPM;TGZ" in the build folder of the preset "portable", whose
# program needs the C library alone and so runs on other releases than that it was built on.
add_custom_command(TARGET uarchprobe POST_BUILD VERBATIM
  COMMAND sh ${PROJECT_SOURCE_DIR}/scripts/pages ${PROJECT_BINARY_DIR}/share ${CMAKE_CROSSCOMPILING_EMULATOR}
  $<TARGET_FILE:uarchprobe>)
install(TARGETS uarchprobe RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATAROOTDIR})
install(FILES docs/schema.json DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/uarchprobe)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")

# Whose code is in the program then.
foreach(library hwloc jansson cpuid)
  if(PORTABLE AND EXISTS /usr/share/doc/lib${library}-dev/copyright)
    install(FILES /usr/share/doc/lib${library}-dev/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright-${library})
  endif()
endforeach()

set(CPACK_PACKAGE_VENDOR uarchprobe)
set(CPACK_PACKAGE_CONTACT "the uarchprobe maintainers <maintainers@users.noreply.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "measures what data sheets leave out of a CPU")
string(CONCAT CPACK_PACKAGE_DESCRIPTION "Store buffer, memory bandwidth and latency, core-to-core latency and store-to-load "
  "forwarding, measured without root, counters or kernel modules. Each number says how far it can be trusted.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME uarchprobe-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE MIT)
# Folders that a distribution owns.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION /usr/share/man /usr/share/man/man1
    /usr/share/bash-completion /usr/share/bash-completion/completions
    /usr/share/zsh /usr/share/zsh/site-functions /usr/share/fish
    /usr/share/fish/vendor_completions.d)
include(CPack)
