# SPDX-License-Identifier: MIT
# Untested. nix-build packaging/nix
{ pkgs ? import <nixpkgs> { } }:
pkgs.stdenv.mkDerivation {
  pname = "uarchprobe";
  version = builtins.head (builtins.match ".*project\\(uarchprobe VERSION ([0-9.]+) .*" (builtins.readFile ../../CMakeLists.txt));
  src = pkgs.lib.cleanSource ../..;
  nativeBuildInputs = [ pkgs.cmake pkgs.ninja pkgs.pkg-config ];
  buildInputs = [ pkgs.hwloc pkgs.jansson ];
  cmakeFlags = [ "-DBUILD_TESTING=OFF" "-DLIBCPUID=OFF" ];
  meta = {
    description = "Measures what data sheets leave out of a CPU";
    license = pkgs.lib.licenses.mit;
    platforms = [ "x86_64-linux" "aarch64-linux" ];
    mainProgram = "uarchprobe";
  };
}
