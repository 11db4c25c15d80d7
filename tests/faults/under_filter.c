/* SPDX-License-Identifier: MIT */
/* under_filter PROFILE PROGRAM [ARGUMENT...]: runs a program that may make no system call but those of a seccomp profile, as
 * containers read it. Others fail with EPERM, or, with UNDER_FILTER_KILL set, end the program. Exits with 77 where the kernel takes
 * no filter. */
#include <errno.h>
#include <jansson.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#else
#define THIS_ARCH AUDIT_ARCH_AARCH64
#endif

static const struct {
    const char *name;
    unsigned number;
} calls[] = {
#define CALL(name) {#name, __NR_##name},
#include "system_calls.def"
    {NULL, 0}};

enum { LENGTH_MAX = 2048 };
static struct sock_filter filter[LENGTH_MAX];
static unsigned short length;

static void add(unsigned short code, unsigned k, unsigned char yes, unsigned char no)
{
    if (length < LENGTH_MAX)
        filter[length++] = (struct sock_filter){code, yes, no, k};
}

/* A call that this architecture lacks needs no permission. */
static void allow(const char *name)
{
    for (size_t i = 0; name && calls[i].name; i++) {
        if (strcmp(calls[i].name, name) != 0)
            continue;
        add(BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, 1);
        add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    }
}

static void make_filter(const json_t *profile)
{
    json_t *group, *name;
    size_t i, k;
    const unsigned otherwise =
        getenv("UNDER_FILTER_KILL") ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM;
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    json_array_foreach(json_object_get(profile, "syscalls"), i, group)
        json_array_foreach(json_object_get(group, "names"), k, name) allow(json_string_value(name));
    add(BPF_RET | BPF_K, otherwise, 0, 0);
}

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *profile = argc > 2 ? json_load_file(argv[1], 0, &error) : NULL;
    if (!profile) {
        fprintf(stderr, "usage: under_filter PROFILE PROGRAM [ARGUMENT...]\n");
        return 99;
    }
    make_filter(profile);
    json_decref(profile);
    const struct sock_fprog given = {length, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &given, 0, 0) != 0) {
        fprintf(stderr, "no filter can be installed: %s\n", strerror(errno));
        return 77;
    }
    execv(argv[2], argv + 2);
    fprintf(stderr, "cannot run %s: %s\n", argv[2], strerror(errno));
    return 99;
}
