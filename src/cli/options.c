/* SPDX-License-Identifier: MIT */
#include "cli/options.h"

#include <ctype.h>
#include <float.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/words.h"

/* What getopt_long returns for row i is LONG_BASE + i, out of the way of letters and of '?' and ':'. */
enum { LONG_BASE = 256 };

typedef enum status setter(const struct option_row *row, void *field, const char *text, struct fault *fault);

static enum status set_flag(const struct option_row *row, void *field, const char *text, struct fault *fault)
{
    *(bool *)field = true;
    return STATUS_OK;
}

static uint64_t bound_of(double max)
{
    return max > 0 ? (uint64_t)max : (uint64_t)INT64_MAX;
}

static enum status set_count(const struct option_row *row, void *field, const char *text, struct fault *fault)
{
    return parse_count(text, (uint64_t)row->min, bound_of(row->max), field, fault);
}

static enum status set_real(const struct option_row *row, void *field, const char *text, struct fault *fault)
{
    return parse_real(text, row->min, row->max > 0 ? row->max : DBL_MAX, field, fault);
}

/* Index of the choice, -1 with *fault set where there is no such one. */
static int choice_index(const struct option_row *row, const char *text, size_t length, struct fault *fault)
{
    char list[FAULT_TEXT / 2];
    for (int i = 0; row->choices[i]; i++) {
        if (strncmp(row->choices[i], text, length) == 0 && row->choices[i][length] == '\0')
            return i;
    }
    join_words(row->choices, list, sizeof(list));
    fault_set(fault, STATUS_USAGE, "%s is none of: %s", quote_span(text, length).text, list);
    return -1;
}

static enum status set_choice(const struct option_row *row, void *field, const char *text,
                              struct fault *fault)
{
    int index = choice_index(row, text, strlen(text), fault);
    if (index < 0)
        return STATUS_USAGE;
    *(int *)field = index;
    return STATUS_OK;
}

static enum status set_help(const struct option_row *row, void *field, const char *text, struct fault *fault)
{
    return set_choice(row, field, text ? text : row->choices[0], fault);
}

static enum status set_choices(const struct option_row *row, void *field, const char *text,
                               struct fault *fault)
{
    uint64_t set = 0;
    const bool all = strcmp(text, "all") == 0;
    for (int i = 0; all && row->choices[i]; i++)
        set |= UINT64_C(1) << i;
    for (const char *item = all ? NULL : text; item;) {
        const size_t length = strcspn(item, ",");
        int index = choice_index(row, item, length, fault);
        if (index < 0)
            return STATUS_USAGE;
        set |= UINT64_C(1) << index;
        item = item[length] ? item + length + 1 : NULL;
    }
    *(uint64_t *)field = set;
    return STATUS_OK;
}

/* The setter of a kind that is one parser. */
#define PARSED(name, parse)                                                                                  \
    static enum status name(const struct option_row *row, void *field, const char *text,                     \
                            struct fault *fault)                                                             \
    {                                                                                                        \
        return parse(text, field, fault);                                                                    \
    }
PARSED(set_sizes, parse_size_list)
PARSED(set_size, parse_size)
PARSED(set_cpus, parse_cpu_list)
PARSED(set_names, parse_name_list)

static enum status set_cpu(const struct option_row *row, void *field, const char *text, struct fault *fault)
{
    struct cpu_list *list = memory_zeroed(1, sizeof *list); /* large for a small stack */
    if (text && parse_cpu_list(text, list, fault) == STATUS_OK && list->count != 1)
        fault_set(fault, STATUS_USAGE, "%s is not one CPU", quote(text).text);
    *(struct cpu_choice *)field = (struct cpu_choice){.given = true, .named = text, .id = list->id[0]};
    free(list);
    return fault->status;
}

static enum status set_range(const struct option_row *row, void *field, const char *text, struct fault *fault)
{
    struct range range;
    enum status status = parse_range(text, &range, fault);
    if (status != STATUS_OK)
        return status;
    if (range.first < (uint64_t)row->min || range.last > bound_of(row->max))
        return fault_set(fault, STATUS_USAGE, "%s does not lie within %llu-%llu", quote(text).text,
                         (unsigned long long)row->min, (unsigned long long)bound_of(row->max));
    *(struct range *)field = range;
    return STATUS_OK;
}

static enum status set_text(const struct option_row *row, void *field, const char *text, struct fault *fault)
{
    if (*text == '\0')
        return fault_set(fault, STATUS_USAGE, "the argument is empty");
    *(const char **)field = text;
    return STATUS_OK;
}

static const struct {
    setter *set;
    size_t bytes;    /* of the field */
    bool takes_auto; /* "auto" is all bits zero */
} kinds[] = {
    [OPTION_FLAG] = {set_flag, sizeof(bool), false},
    [OPTION_HELP] = {set_help, sizeof(int), false},
    [OPTION_COUNT] = {set_count, sizeof(uint64_t), true},
    [OPTION_REAL] = {set_real, sizeof(double), true},
    [OPTION_CHOICE] = {set_choice, sizeof(int), false},
    [OPTION_CHOICES] = {set_choices, sizeof(uint64_t), false},
    [OPTION_SIZES] = {set_sizes, sizeof(struct size_list), true},
    [OPTION_SIZE] = {set_size, sizeof(uint64_t), true},
    [OPTION_CPUS] = {set_cpus, sizeof(struct cpu_list), false},
    [OPTION_CPU] = {set_cpu, sizeof(struct cpu_choice), false},
    [OPTION_RANGE] = {set_range, sizeof(struct range), true},
    [OPTION_NAMES] = {set_names, sizeof(struct name_list), true},
    [OPTION_TEXT] = {set_text, sizeof(const char *), false},
};

/* The word for a field of all bits zero; NULL: there is none. */
static const char *zero_word(const struct option_row *row)
{
    const bool automatic = kinds[row->kind].takes_auto && row->fallback && strcmp(row->fallback, "auto") == 0;
    return automatic ? "auto" : row->zero;
}

static enum status option_set(const struct option_row *row, void *params, const char *text,
                              struct fault *fault)
{
    void *field = (char *)params + row->offset;
    struct fault inner = {0};
    const char *zero = zero_word(row);
    if (zero && strcmp(text, zero) == 0) {
        memset(field, 0, kinds[row->kind].bytes);
        return STATUS_OK;
    }
    if (kinds[row->kind].set(row, field, text, &inner) == STATUS_OK)
        return STATUS_OK;
    return fault_set(fault, inner.status, "--%s: %s%s%s", row->name, inner.text, zero ? ", or " : "",
                     zero ? zero : "");
}

void options_add(struct option_parser *parser, struct option_group group)
{
    if (group.rows)
        parser->group[parser->group_count++] = group;
}

static bool is_honoured(const struct option_group *group, const struct option_row *row)
{
    return row->honours == 0 || (group->honours & row->honours) != 0;
}

const struct option_row *option_next(const struct option_group *group, const struct option_row *after)
{
    const struct option_row *row = after ? after + 1 : group->rows;
    while (row->name && !is_honoured(group, row))
        row++;
    return row->name ? row : NULL;
}

enum status options_default(const struct option_row *rows, void *params, struct fault *fault)
{
    for (const struct option_row *row = rows; row && row->name; row++) {
        void *field = (char *)params + row->offset;
        memset(field, 0, kinds[row->kind].bytes);
        if (row->kind == OPTION_CHOICE || row->kind == OPTION_HELP)
            *(int *)field = -1;
        if (row->fallback && option_set(row, params, row->fallback, fault) != STATUS_OK)
            return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* The rows of all groups in one line, as getopt_long wants them. Those that are not honoured are among them, so
 * that a known option is refused as such and not as an unknown one. */
struct table {
    struct {
        const struct option_row *row;
        void *params;
        bool honoured, given;
    } entry[OPTIONS_MAX];
    int count;
    struct option longs[OPTIONS_MAX + 1];
    char shorts[2 * OPTIONS_MAX + 3];
};

static int argument_mode(const struct option_row *row)
{
    if (row->kind == OPTION_HELP || row->kind == OPTION_CPU)
        return optional_argument;
    return row->kind == OPTION_FLAG ? no_argument : required_argument;
}

/* The short --help takes no argument, so that -h can stand first in a cluster. */
static void table_add(struct table *table, const struct option_group *group, const struct option_row *row,
                      char **shorts)
{
    int index = table->count++;
    table->entry[index].row = row;
    table->entry[index].params = group->params;
    table->entry[index].honoured = is_honoured(group, row);
    table->longs[index] = (struct option){row->name, argument_mode(row), NULL, LONG_BASE + index};
    if (!row->letter)
        return;
    *(*shorts)++ = row->letter;
    if (argument_mode(row) == required_argument)
        *(*shorts)++ = ':';
}

static void table_fill(struct table *table, const struct option_parser *parser)
{
    char *shorts = table->shorts;
    if (parser->leading)
        *shorts++ = '+';
    *shorts++ = ':';
    for (int g = 0; g < parser->group_count; g++) {
        const struct option_group *group = &parser->group[g];
        for (const struct option_row *row = group->rows; row->name && table->count < OPTIONS_MAX; row++)
            table_add(table, group, row, &shorts);
    }
}

/* Index of what getopt_long returned or left in optopt; -1: no row of ours. */
static int table_find(const struct table *table, int code)
{
    if (code >= LONG_BASE)
        return code - LONG_BASE;
    for (int i = 0; i < table->count; i++) {
        if (code > 0 && table->entry[i].row->letter == code)
            return i;
    }
    return -1;
}

/* The way out for an option that is none of the parser's: the name meant, who else takes it, or the help. */
static enum status unknown(const struct option_parser *parser, const char *shown, const char *meant,
                           const struct option_wanted *wanted, struct fault *fault)
{
    char takers[FAULT_TEXT / 2] = "";
    if (parser->others)
        parser->others(wanted, takers, sizeof(takers));
    if (takers[0])
        return fault_set(fault, STATUS_USAGE, "unknown option %s: it is an option of %s (see %s)", shown,
                         takers, parser->help_command);
    if (meant)
        return fault_set(fault, STATUS_USAGE, "unknown option %s: did you mean --%s? (%s lists them all)",
                         shown, meant, parser->help_command);
    return fault_set(fault, STATUS_USAGE, "unknown option %s (see %s)", shown, parser->help_command);
}

/* An abbreviation that begins more than one name, or a word that begins none. */
static enum status unknown_long(const struct table *table, const char *word,
                                const struct option_parser *parser, struct fault *fault)
{
    struct suggestion near = {.word = word + 2, .length = strcspn(word + 2, "=")};
    const char *begun = NULL;
    for (int i = 0; i < table->count; i++) {
        const char *name = table->entry[i].row->name;
        if (table->entry[i].honoured)
            suggestion_offer(&near, name);
        if (near.length == 0 || strncmp(name, near.word, near.length) != 0)
            continue;
        if (begun)
            return fault_set(fault, STATUS_USAGE, "option %s could be --%s or --%s: write more of it",
                             quote_span(word, near.length + 2).text, begun, name);
        begun = name;
    }
    return unknown(parser, quote_span(word, near.length + 2).text, near.best,
                   &(struct option_wanted){near.word, near.length, 0}, fault);
}

static enum status not_honoured(const struct table *table, const struct option_row *refused,
                                const struct option_parser *parser, struct fault *fault)
{
    char list[FAULT_TEXT - 120];
    size_t used = 0;
    list[0] = '\0';
    for (int i = 0; i < table->count && used < sizeof(list); i++) {
        if (table->entry[i].honoured)
            used += (size_t)snprintf(list + used, sizeof(list) - used, "%s--%s", used ? " " : "",
                                     table->entry[i].row->name);
    }
    return fault_set(fault, STATUS_USAGE, "%s does not take --%s; it takes %s", parser->who, refused->name,
                     list);
}

static enum status complain(const struct table *table, int code, const char *word,
                            const struct option_parser *parser, struct fault *fault)
{
    int index = table_find(table, optopt);
    const struct option_row *row = index < 0 ? NULL : table->entry[index].row;
    const char *help = parser->help_command;
    if (row && !table->entry[index].honoured)
        return not_honoured(table, row, parser, fault);
    if (row && code == ':')
        return fault_set(fault, STATUS_USAGE, "option --%s needs %s (%s explains it)", row->name,
                         row->argument ? row->argument : "an argument", help);
    if (row)
        return fault_set(fault, STATUS_USAGE, "option --%s takes no argument (%s explains it)", row->name,
                         help);
    if (optopt == 0)
        return unknown_long(table, word, parser, fault);
    char letter[] = "'-?'";
    if (optopt > 0 && optopt < 128 && isgraph(optopt))
        letter[2] = (char)optopt;
    return unknown(parser, letter, NULL, &(struct option_wanted){"", 0, letter[2]}, fault);
}

static enum status take(struct table *table, int index, const struct option_parser *parser,
                        struct fault *fault)
{
    const struct option_row *row = table->entry[index].row;
    if (!table->entry[index].honoured)
        return not_honoured(table, row, parser, fault);
    if (table->entry[index].given && row->once)
        return fault_set(fault, STATUS_USAGE, "--%s is given twice: %s", row->name, row->once);
    table->entry[index].given = true;
    if (row->tables && parser->tables)
        *parser->tables = true;
    if (parser->given && parser->given->count < GIVEN_MOST) {
        parser->given->of[parser->given->count].row = row;
        parser->given->of[parser->given->count++].text = row->kind == OPTION_FLAG ? NULL : optarg;
    }
    return option_set(row, table->entry[index].params, optarg, fault);
}

enum status options_parse(const struct option_parser *parser, int argc, char **argv, int *operands,
                          struct fault *fault)
{
    struct table table = {0};
    enum status status = STATUS_OK;
    int code;
    for (int g = 0; g < parser->group_count && status == STATUS_OK; g++)
        status = options_default(parser->group[g].rows, parser->group[g].params, fault);
    table_fill(&table, parser);
    optind = 0; /* starts getopt afresh */
    opterr = 0;
    while (status == STATUS_OK && (code = getopt_long(argc, argv, table.shorts, table.longs, NULL)) != -1) {
        int index = code == '?' || code == ':' ? -1 : table_find(&table, code);
        if (index < 0)
            return complain(&table, code, argv[optind - 1], parser, fault);
        status = take(&table, index, parser, fault);
        if (table.entry[index].row->kind == OPTION_HELP)
            break;
    }
    *operands = optind;
    return status;
}
