/* SPDX-License-Identifier: MIT */

#include "cli/options.h"

#include "test.h"

struct params {
    bool flag, other, kept;
    int help, mode, level;
    uint64_t count, rounds, set, dropped;
    double real;
    struct size_list size, sizes;
    struct cpu_list cpus;
    struct range range;
    struct name_list names;
    const char *text, *label;
    struct cpu_choice sibling;
};

static const char *const modes[] = {"fast", "slow", NULL};
static const char *const kinds[] = {"text", "man", NULL};
static const char *const tasks[] = {"copy", "write", "read", NULL};

#define FIELD(name) .offset = offsetof(struct params, name)

/* Two common options: a command that has the first one only. */
enum { HONOURED = 1 << 0, REFUSED = 1 << 1 };

static const struct option_row rows[] = {
    {"flag", 'f', OPTION_FLAG, FIELD(flag), .help = "h"},
    {"other", 'o', OPTION_FLAG, FIELD(other), .help = "h"},
    {"help", 'h', OPTION_HELP, FIELD(help), .choices = kinds, .argument = "KIND", .help = "h"},
    {"mode", 'm', OPTION_CHOICE, FIELD(mode), .choices = modes, .argument = "MODE", .help = "h"},
    {"level", 0, OPTION_CHOICE, FIELD(level), .choices = modes, .fallback = "slow", .argument = "L",
     .help = "h"},
    {"count", 'c', OPTION_COUNT, FIELD(count), .fallback = "auto", .min = 1, .max = 9, .argument = "N",
     .help = "h"},
    {"rounds", 'r', OPTION_COUNT, FIELD(rounds), .fallback = "3", .zero = "all", .min = 1, .argument = "N",
     .help = "h"},
    {"tasks", 't', OPTION_CHOICES, FIELD(set), .choices = tasks, .fallback = "all", .argument = "LIST",
     .help = "h"},
    {"size", 0, OPTION_SIZES, FIELD(size), .fallback = "4ki", .argument = "SIZE", .help = "h"},
    {"real", 0, OPTION_REAL, FIELD(real), .fallback = "auto", .min = 0.5, .max = 2, .argument = "S",
     .help = "h"},
    {"sizes", 's', OPTION_SIZES, FIELD(sizes), .fallback = "auto", .argument = "LIST", .help = "h"},
    {"cpus", 0, OPTION_CPUS, FIELD(cpus), .fallback = "all", .argument = "LIST", .help = "h"},
    {"sibling", 0, OPTION_CPU, FIELD(sibling), .argument = "CPU", .help = "h"},
    {"range", 0, OPTION_RANGE, FIELD(range), .fallback = "1-140", .min = 1, .max = 500, .argument = "R",
     .help = "h"},
    {"names", 0, OPTION_NAMES, FIELD(names), .fallback = "auto", .argument = "LIST", .help = "h"},
    {"text", 0, OPTION_TEXT, FIELD(text), .argument = "TEXT", .help = "h"},
    {"label", 0, OPTION_TEXT, FIELD(label), .fallback = "none", .argument = "TEXT", .help = "h"},
    {"kept", 'k', OPTION_FLAG, FIELD(kept), .help = "h", .honours = HONOURED},
    {"dropped", 'd', OPTION_COUNT, FIELD(dropped), .fallback = "5", .argument = "N", .help = "h",
     .honours = REFUSED},
    {0},
};

enum { ARGUMENTS_MAX = 12 };

static struct params params;
static struct fault fault;
static char *argv[ARGUMENTS_MAX];
static int argc, operands;

static struct option_set set_of(const struct option_row *of)
{
    struct option_set set = {.command = "test"};
    options_add(&set, of, &params, "Options", HONOURED);
    options_add(&set, NULL, NULL, "nothing", 0);
    return set;
}

/* The words must be writable pointers for getopt, but it only moves them. */
static enum status attempt_words(const char *const *words)
{
    memset(&params, 0xa5, sizeof(params));
    struct option_set set = set_of(rows);
    fault = (struct fault){0};
    argc = 0;
    argv[argc++] = (char *)"test";
    for (; *words; words++)
        argv[argc++] = (char *)*words;
    return options_parse(&set, argc, argv, &operands, &fault);
}

#define ATTEMPT(...) attempt_words((const char *const[]){__VA_ARGS__, NULL})

TEST(every_kind_has_its_default)
{
    assert_int_equal(ATTEMPT(NULL), STATUS_OK);
    assert_false(params.flag);
    assert_int_equal(params.help, -1);
    assert_int_equal(params.mode, -1);
    assert_int_equal(params.level, 1);
    assert_true(params.count == 0 && params.rounds == 3 && params.dropped == 5);
    assert_true(params.set == 7 && params.size.bytes[0] == 4096 && params.real == 0);
    assert_int_equal(params.sizes.count, 0);
    assert_true(params.cpus.all);
    assert_true(params.range.first == 1 && params.range.last == 140);
    assert_int_equal(params.names.count, 0);
    assert_null(params.text);
    assert_string_equal(params.label, "none");
}

TEST(every_kind_is_set)
{
    assert_int_equal(ATTEMPT("--flag", "--mode=slow", "--count", "9", "-t", "read,copy", "--size=1k",
                             "--real=1.5", "-s4k,8k"),
                     STATUS_OK);
    assert_true(params.flag);
    assert_int_equal(params.mode, 1);
    assert_true(params.count == 9 && params.set == 5 && params.size.bytes[0] == 1000 && params.real == 1.5);
    assert_int_equal(params.sizes.count, 2);
    assert_true(params.sizes.bytes[1] == 8000);
    assert_int_equal(ATTEMPT("--cpus=1,0", "--range=2-500", "--names=a,b", "--text=x", "--label", "-",
                             "--rounds=all", "--help=man"),
                     STATUS_OK);
    assert_false(params.cpus.all);
    assert_int_equal(params.cpus.count, 2);
    assert_int_equal(params.cpus.id[0], 1);
    assert_true(params.range.first == 2 && params.range.last == 500);
    assert_string_equal(params.names.name[1], "b");
    assert_string_equal(params.text, "x");
    assert_string_equal(params.label, "-");
    assert_int_equal(params.help, 1);
    assert_true(params.rounds == 0);
}

TEST(a_cpu_may_be_left_out)
{
    assert_int_equal(ATTEMPT("--sibling", "operand"), STATUS_OK);
    assert_true(params.sibling.given && !params.sibling.named);
    assert_int_equal(ATTEMPT("--sibling=3"), STATUS_OK);
    assert_true(params.sibling.named);
    assert_int_equal(params.sibling.id, 3);
}

TEST(clusters_abbreviations_repeats_and_operands)
{
    assert_int_equal(ATTEMPT("one", "-foc5", "two", "--", "--flag"), STATUS_OK);
    assert_true(params.flag && params.other && params.count == 5);
    assert_int_equal(argc - operands, 3);
    assert_string_equal(argv[operands], "one");
    assert_string_equal(argv[operands + 2], "--flag");
    assert_int_equal(ATTEMPT("--fl", "--rou=4", "--rou=5", "--count=3", "--count=auto"), STATUS_OK);
    assert_true(params.flag && params.rounds == 5 && params.count == 0);
}

TEST(a_leading_parser_stops_at_an_operand)
{
    char *words[] = {(char *)"test", (char *)"-f", (char *)"ram", (char *)"--other", NULL};
    struct option_set set = set_of(rows);
    set.command = NULL;
    assert_int_equal(options_parse(&set, 4, words, &operands, &fault), STATUS_OK);
    assert_int_equal(operands, 2);
    assert_true(params.flag);
    assert_false(params.other);
}

/* The last ones are not honoured: the command has no such option. */
TEST(errors_name_the_way_out)
{
    static const struct {
        const char *words[3], *said;
    } bad[] = {
        {{"--conut=3"}, "did you mean --count?"},
        {{"--nonsense"}, "test --help"},
        {{"--nonsense=3"}, "'--nonsense'"},
        {{"-z"}, "'-z'"},
        {{"-fz"}, "'-z'"},
        {{"-\n"}, "'-?'"},
        {{"--flag=1"}, "--flag takes no argument"},
        {{"--count"}, "--count needs N"},
        {{"-c"}, "--count needs N"},
        {{"--count=0"}, "--count: '0' is not a whole number from 1 to 9, or auto"},
        {{"--count="}, "--count: ''"},
        {{"-c", "-1"}, "'-1'"},
        {{"--rounds=auto"}, "--rounds: 'auto' is not a whole number from 1 up, or all"},
        {{"--real=3"}, "from 0.5 to 2, or auto"},
        {{"--mode=quick"}, "'quick' is none of: fast, slow"},
        {{"--mode=fas"}, "none of: fast, slow"},
        {{"--mode=auto"}, "none of: fast, slow"},
        {{"--tasks=copy,,read"}, "'' is none of: copy, write, read"},
        {{"--tasks=copyy"}, "'copyy' is none of"},
        {{"--size=0"}, "--size: '0'"},
        {{"--sizes=64mi,,1gi"}, "'64mi,,1gi'"},
        {{"--cpus=0,0"}, "--cpus: CPU 0"},
        {{"--sibling=1-2"}, "'1-2' is not a whole number"},
        {{"--range=0-5"}, "1-500"},
        {{"--range=1-501"}, "1-500"},
        {{"--range=5-1"}, "--range: '5-1'"},
        {{"--text="}, "--text: the argument is empty"},
        {{"--help=html"}, "none of: text, man"},
        {{"--dropped=3"}, "test has no option '--dropped'"},
        {{"--drop", "3"}, "test has no option '--drop'"},
        {{"-d3"}, "test has no option '-d'"},
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_int_equal(attempt_words(bad[i].words), STATUS_USAGE);
        assert_int_equal(fault.status, STATUS_USAGE);
        assert_has(fault.text, bad[i].said);
        assert_true(params.dropped == 5); /* options not honoured have their default */
    }
    assert_int_equal(ATTEMPT("--rounds=7", "--rounds=x"), STATUS_USAGE);
    assert_true(params.rounds == 7); /* a refused option changes nothing */
}

TEST(a_bad_default_is_found)
{
    static const struct option_row broken[] = {
        {"size", 0, OPTION_SIZES, FIELD(size), .fallback = "much", .argument = "SIZE", .help = "h"}, {0}};
    assert_true(options_default(rows, &params));
    assert_false(options_default(broken, &params));
}
