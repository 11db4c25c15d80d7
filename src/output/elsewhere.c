/* SPDX-License-Identifier: MIT */
#include "output/elsewhere.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static char *name_of(const char *extension)
{
    const char *folder = getenv("TMPDIR");
    struct text name = {0};
    text_printf(&name, "%s/uarchprobe-XXXXXX%s", folder && *folder ? folder : P_tmpdir, extension);
    return text_take(&name);
}

char *elsewhere_file(const char *extension, int *descriptor)
{
    char *path = name_of(extension);
    *descriptor = mkostemps(path, (int)strlen(extension), O_CLOEXEC);
    if (*descriptor >= 0)
        return path;
    free(path);
    return NULL;
}

char *elsewhere_folder(void)
{
    char *path = name_of("");
    if (mkdtemp(path))
        return path;
    free(path);
    return NULL;
}
