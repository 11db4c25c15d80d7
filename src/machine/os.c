/* SPDX-License-Identifier: MIT */
#include "machine/os.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

static FILE *open_below_root(const char *format, va_list arguments)
{
    char name[PATH_MAX], path[PATH_MAX];
    const char *root = getenv("UARCHPROBE_SYSROOT");
    int length = vsnprintf(name, sizeof(name), format, arguments);

    if (length < 0 || (size_t)length >= sizeof(name))
        return NULL;
    length = snprintf(path, sizeof(path), "%s%s", root ? root : "", name);
    return length < 0 || (size_t)length >= sizeof(path) ? NULL : fopen(path, "re");
}

FILE *sys_open(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    FILE *file = open_below_root(format, arguments);
    va_end(arguments);
    return file;
}

bool os_page_comes(void *page)
{
    enum { MASK_BYTES = 8 };
    return syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, page, MASK_BYTES) == 0;
}

void copy_trimmed(char *out, size_t size, const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    if (length >= size)
        length = size - 1;
    memcpy(out, text, length);
    out[length] = '\0';
}

static bool read_field(char *out, size_t size, const char *key, const char *format, va_list arguments)
{
    char line[4096];
    const size_t length = strlen(key);
    FILE *file = open_below_root(format, arguments);

    out[0] = '\0';
    while (file && !*out && fgets(line, sizeof(line), file)) {
        const char *rest = line + length;
        if (length == 0) {
            copy_trimmed(out, size, line);
            break;
        }
        if (strncmp(line, key, length) == 0 && (*rest == ':' || isspace((unsigned char)*rest)))
            copy_trimmed(out, size, rest + strspn(rest, ": \t"));
    }
    if (file)
        fclose(file);
    return out[0] != '\0';
}

bool sys_field(char *value, size_t size, const char *key, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool found = read_field(value, size, key, format, arguments);
    va_end(arguments);
    return found;
}

bool sys_field_number(uint64_t *value, const char *key, const char *format, ...)
{
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    bool found = read_field(text, sizeof(text), key, format, arguments);
    va_end(arguments);
    errno = 0;
    const unsigned long long number = strtoull(text, NULL, 10);
    if (!found || !isdigit((unsigned char)*text) || errno != 0)
        return false;
    *value = number;
    return true;
}

uint64_t os_memory(const char *key, uint64_t otherwise)
{
    uint64_t kib;
    return sys_field_number(&kib, key, "/proc/meminfo") ? kib * 1024 : otherwise;
}

/* Newer translators make up a cpuinfo of the ISA that they show, older ones let the host's through;
 * kernels before 6.1 do not name their own ISA elsewhere. */
bool os_emulated(const char *arch)
{
    char text[256];

    if (sys_line(text, sizeof(text), "/proc/sys/kernel/arch"))
        return strcmp(text, arch) != 0;
    const char *foreign = strcmp(arch, "aarch64") == 0 ? "vendor_id" : "CPU implementer";
    return sys_field(text, sizeof(text), foreign, "/proc/cpuinfo");
}

bool os_governor(int cpu, char *name, size_t size)
{
    return sys_line(name, size, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu);
}

bool os_turbo(bool *on)
{
    uint64_t value;

    if (sys_number(&value, "/sys/devices/system/cpu/intel_pstate/no_turbo"))
        *on = value == 0;
    else if (sys_number(&value, "/sys/devices/system/cpu/cpufreq/boost"))
        *on = value != 0;
    else
        return false;
    return true;
}

bool os_huge_pages(char *word, size_t size)
{
    char line[256], bracketed[32];

    if (!sys_line(line, sizeof(line), "/sys/kernel/mm/transparent_hugepage/enabled") ||
        sscanf(line, "%*[^[][%31[^]]]", bracketed) + sscanf(line, "[%31[^]]]", bracketed) < 1)
        return false;
    snprintf(word, size, "%s", bracketed);
    return true;
}

/* Of this program; NULL: it is static. */
static const char *loader_path(void)
{
    const ElfW(Phdr) *header = (const ElfW(Phdr) *)getauxval(AT_PHDR); /* lists itself before the loader */
    uintptr_t base = 0;
    for (unsigned long i = 0; header && i < getauxval(AT_PHNUM); i++) {
        if (header[i].p_type == PT_PHDR)
            base = (uintptr_t)header - header[i].p_vaddr;
        if (header[i].p_type == PT_INTERP)
            return (const char *)(base + header[i].p_vaddr);
    }
    return NULL;
}

uint64_t os_library_setting(const char *name)
{
    const char *loader = loader_path();
    char command[256], line[256];
    uint64_t value = 0;
    if (!loader ||
        snprintf(command, sizeof command, "'%s' --list-tunables 2>/dev/null", loader) >= (int)sizeof command)
        return 0;
    FILE *list = popen(command, "r");
    while (list && fgets(line, sizeof line, list))
        if (strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':')
            value = strtoull(line + strlen(name) + 1, NULL, 0);
    if (list)
        pclose(list);
    return value;
}

bool os_clocksource(char *name, size_t size)
{
    return sys_line(name, size, "/sys/devices/system/clocksource/clocksource0/current_clocksource");
}

bool os_isolated_cpus(char *list, size_t size)
{
    return sys_line(list, size, "/sys/devices/system/cpu/isolated");
}
