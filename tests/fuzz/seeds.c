/* SPDX-License-Identifier: MIT */
/* A harness without libFuzzer: seeds FOLDER tries each file of it. */
#include <dirent.h>

#include "fuzz.h"

static void try_file(const char *folder, const char *name)
{
    static uint8_t input[1 << 16];
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    require(file != NULL);
    const size_t size = fread(input, 1, sizeof(input), file);
    fclose(file);
    LLVMFuzzerTestOneInput(input, size);
    printf("ok %s\n", name);
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    require(folder != NULL);
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] != '.')
            try_file(argv[1], entry->d_name);
    }
    closedir(folder);
    return 0;
}
