/* SPDX-License-Identifier: MIT */
/* Whole command lines, one word a line of the input: parameters within their bounds, or one line that says
 * why not. Built with -DFUZZ=ON, run by scripts/test. */
#include "cli/options.h"
#include "fuzz.h"

enum { WORDS_MAX = 32 };

struct params {
    bool flag;
    int help, mode;
    uint64_t count, set, size, refused;
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
    {"size", 'b', OPTION_SIZE, FIELD(size), .fallback = "4ki"},
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
    require(params->size > 0);
    require(params->refused == 7);
    require(params->real == 0 || (params->real >= 0.5 && params->real <= 2));
    require(params->sizes.count >= 0 && params->sizes.count <= SIZE_LIST_MAX);
    require(params->range.first >= 1 && params->range.last <= 500);
    require(params->names.count >= 0 && params->names.count <= NAME_LIST_MAX);
    require(!params->text || params->text[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct params params;
    struct fault fault = {0};
    struct option_parser parser = {.help_command = "fuzz --help", .who = "fuzz", .leading = size % 2 != 0};
    char *words[WORDS_MAX + 1];
    char *text = malloc(size + 1);
    int operands = -1;
    require(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    int count = split(text, words);
    options_add(&parser, (struct option_group){rows, &params, .title = "Options", .honours = 1});
    enum status status = options_parse(&parser, count, words, &operands, &fault);
    require(status == fault.status);
    require_fault(&fault);
    require(status == STATUS_OK ? operands >= 1 && operands <= count : status == STATUS_USAGE);
    check(&params);
    free(text);
    return 0;
}
