/* SPDX-License-Identifier: MIT */
/* Placement of memory on NUMA nodes, by the system calls themselves: no other part of libnuma is needed. */
#include <errno.h>
#include <linux/mempolicy.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "uarchprobe/topology.h"

enum { NODES_MAX = 1024, WORD_BITS = 8 * sizeof(unsigned long) };

static enum status refuse(int node, const char *reason, struct fault *fault)
{
    return fault_set(fault, STATUS_NO_RESOURCE, "cannot place memory on NUMA node %d: %s", node, reason);
}

enum status topology_bind_memory(void *address, uint64_t bytes, int node, struct fault *fault)
{
    unsigned long mask[NODES_MAX / WORD_BITS] = {0};
    int got = -1;

    if (node < 0 || node >= NODES_MAX)
        return refuse(node, "there is no such node", fault);
    mask[(size_t)node / WORD_BITS] = 1ul << ((size_t)node % WORD_BITS);
    /* The kernel reads one bit less than it is told. */
    if (syscall(SYS_mbind, address, bytes, MPOL_BIND, mask, (unsigned long)NODES_MAX + 1, 0) != 0) {
        /* A kernel without NUMA has one node, and everything is on it. */
        if (errno == ENOSYS && node == 0)
            return STATUS_OK;
        return refuse(node, errno == EINVAL ? "no such node, or not allowed here" : strerror(errno), fault);
    }
    *(volatile char *)address = 1;
    if (syscall(SYS_get_mempolicy, &got, NULL, 0ul, address, (unsigned long)(MPOL_F_NODE | MPOL_F_ADDR)) ==
            0 &&
        got != node)
        return refuse(node, "the kernel put its first page elsewhere", fault);
    return STATUS_OK;
}
