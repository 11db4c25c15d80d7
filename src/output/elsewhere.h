/* SPDX-License-Identifier: MIT */
/* Where results go that cannot be written where they were asked for. */
#pragma once

/* Opens a file with that extension, or makes a folder, of a new name in $TMPDIR or /tmp, which nobody else can read. The path is the
 * caller's to free; NULL: none could be made. */
char *elsewhere_file(const char *extension, int *descriptor);
char *elsewhere_folder(void);
