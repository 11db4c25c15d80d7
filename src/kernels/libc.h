/* SPDX-License-Identifier: MIT */
/* Entries as kernel.h describes them; listed in kernels.def of every ISA. */
#pragma once

#include "uarchprobe/kernel.h"

kernel_entry copy_memcpy, write_memset, compare_memcmp, pingpong_cas_compiled;
