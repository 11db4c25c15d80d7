# SPDX-License-Identifier: MIT
# Untested. From a checkout: spack dev-build uarchprobe@main, with this file in a repository of packages.
from spack.package import *


class Uarchprobe(CMakePackage):
    """Measures what data sheets leave out of a CPU: store buffer, memory, core-to-core latency, forwarding."""

    license("MIT")

    version("main", branch="main")

    depends_on("c", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2.4:")
    depends_on("jansson@2.13:")
    depends_on("libcpuid@0.6.2:", when="target=x86_64:")

    requires("target=x86_64:", "target=aarch64:", policy="one_of")

    def cmake_args(self):
        return [self.define("BUILD_TESTING", False)]
