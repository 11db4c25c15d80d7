/* SPDX-License-Identifier: MIT */
/* Whole command lines, one word a line of the input, and the input as the argument of each option: parameters within their bounds, or one
 * line that says why not. Built with -DFUZZ=ON, run by scripts/test. */
#include "cli/options.h"
#include "fuzz.h"

enum { WORDS_MAX = 32 };

struct params {
    bool flag;
    int help, mode;
    uint64_t count, set, refused;
    double real;
    struct size_list sizes;
    struct cpu_list cpus;
    struct range range;
    struct name_list names;
    const char *text;
};

static const char *const modes[] = {"fast", "slow", NULL};
static const char *const tasks[] = {"copy", "write", "read", NULL};

#define FIELD(name) .offset = offsetof(struct params, name)

static const struct option_row rows[] = {
    {"flag", 'F', OPTION_FLAG, FIELD(flag)},
    {"help", 'h', OPTION_HELP, FIELD(help), .choices = modes},
    {"mode", 'm', OPTION_CHOICE, FIELD(mode), .choices = modes, .fallback = "slow"},
    {"count", 'c', OPTION_COUNT, FIELD(count), .fallback = "auto", .min = 1, .max = 9},
    {"tasks", 't', OPTION_CHOICES, FIELD(set), .choices = tasks, .fallback = "all"},
    {"real", 'r', OPTION_REAL, FIELD(real), .fallback = "auto", .min = 0.5, .max = 2},
    {"sizes", 's', OPTION_SIZES, FIELD(sizes), .fallback = "auto"},
    {"cpus", 'p', OPTION_CPUS, FIELD(cpus), .fallback = "all"},
    {"range", 'g', OPTION_RANGE, FIELD(range), .fallback = "1-140", .min = 1, .max = 500},
    {"names", 'n', OPTION_NAMES, FIELD(names), .fallback = "auto"},
    {"text", 'x', OPTION_TEXT, FIELD(text)},
    {"kept", 'k', OPTION_FLAG, FIELD(flag), .honours = 1},
    {"refused", 'd', OPTION_COUNT, FIELD(refused), .fallback = "7", .honours = 2},
    {0},
};

static int split(char *text, char **words)
{
    int count = 0;
    words[count++] = text + strlen(text);
    for (char *word = strtok(text, "\n"); word && count < WORDS_MAX; word = strtok(NULL, "\n"))
        words[count++] = word;
    words[count] = NULL;
    return count;
}

static void check(const struct params *params)
{
    require(params->help >= -1 && params->help <= 1);
    require(params->mode == 0 || params->mode == 1);
    require(params->count <= 9);
    require(params->set > 0 && params->set <= 7);
    require(params->refused == 7);
    require(params->real == 0 || (params->real >= 0.5 && params->real <= 2));
    require(params->sizes.count >= 0 && params->sizes.count <= SIZE_LIST_MAX);
    require(params->range.first >= 1 && params->range.first <= params->range.last &&
            params->range.last <= 500);
    require(params->names.count >= 0 && params->names.count <= NAME_LIST_MAX);
    require(!params->text || params->text[0] != '\0');
}

/* A list that was refused may have been read in part. */
static void check_lists(const struct params *params)
{
    for (int i = 0; i < params->sizes.count; i++)
        require(params->sizes.bytes[i] > 0 && params->sizes.bytes[i] <= INT64_MAX);
    unsigned char seen[CPU_LIST_MAX] = {0};
    require(params->cpus.all == (params->cpus.count == 0) && params->cpus.count <= CPU_LIST_MAX);
    for (int i = 0; i < params->cpus.count; i++) {
        require(params->cpus.id[i] >= 0 && params->cpus.id[i] < CPU_LIST_MAX);
        require(!seen[params->cpus.id[i]]++);
    }
    for (int i = 0; i < params->names.count; i++)
        require(params->names.name[i][0] != '\0' && memchr(params->names.name[i], '\0', NAME_MAX_LENGTH));
}

static void try_words(int count, char **words, bool leading)
{
    static struct params params;
    struct fault fault = {0};
    struct option_set set = {.command = leading ? NULL : "fuzz"};
    int operands = -1;
    options_add(&set, rows, &params, "Options", 1);
    const enum status status = options_parse(&set, count, words, &operands, &fault);
    require(status == fault.status);
    require_fault(&fault);
    require(status == STATUS_OK ? operands >= 1 && operands <= count : status == STATUS_USAGE);
    check(&params);
    if (status == STATUS_OK)
        check_lists(&params);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *words[WORDS_MAX + 1], *text = malloc(size + 16);
    require(text != NULL);
    for (const struct option_row *row = rows; row->name; row++) {
        const int begin = snprintf(text, 16, "--%s=", row->name);
        memcpy(text + begin, data, size);
        text[(size_t)begin + size] = '\0';
        try_words(2, (char *[]){(char *)"fuzz", text, NULL}, false);
    }
    memcpy(text, data, size);
    text[size] = '\0';
    const int count = split(text, words);
    try_words(count, words, size % 2 != 0);
    free(text);
    return 0;
}
