/* SPDX-License-Identifier: MIT */

#include "cli/options.h"

#include "test.h"

struct params {
    bool flag, other, kept;
    int help, mode, level;
    uint64_t count, rounds, set, size, dropped;
    double real;
    struct size_list sizes;
    struct cpu_list cpus;
    struct range range;
    struct name_list names;
    const char *text, *label, *single;
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
    {"single", 0, OPTION_TEXT, FIELD(single), .once = "use the other one", .argument = "S", .help = "h"},
    {"rounds", 'r', OPTION_COUNT, FIELD(rounds), .fallback = "3", .zero = "all", .min = 1, .argument = "N",
     .help = "h"},
    {"tasks", 't', OPTION_CHOICES, FIELD(set), .choices = tasks, .fallback = "all", .argument = "LIST",
     .help = "h"},
    {"size", 0, OPTION_SIZE, FIELD(size), .fallback = "4ki", .argument = "SIZE", .help = "h"},
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

struct attempt {
    struct params params;
    struct fault fault;
    enum status status;
    char *argv[ARGUMENTS_MAX];
    int argc, operands;
};

static struct option_parser parser_for(struct params *params)
{
    struct option_parser parser = {.help_command = "test --help", .who = "test"};
    options_add(&parser, (struct option_group){rows, params, .title = "Options", .honours = HONOURED});
    options_add(&parser, (struct option_group){.params = params, .title = "nothing"});
    return parser;
}

/* The words must be writable pointers for getopt, but it only moves them. */
static void attempt_words(struct attempt *attempt, const char *const *words)
{
    struct option_parser parser = parser_for(&attempt->params);
    attempt->argv[attempt->argc++] = (char *)"test";
    for (; *words; words++)
        attempt->argv[attempt->argc++] = (char *)*words;
    attempt->status =
        options_parse(&parser, attempt->argc, attempt->argv, &attempt->operands, &attempt->fault);
}

#define ATTEMPT(...)                                                                                         \
    struct attempt attempt = {0};                                                                            \
    attempt_words(&attempt, (const char *const[]){__VA_ARGS__, NULL})

TEST(every_kind_has_its_default)
{
    struct attempt attempt;
    memset(&attempt, 0xa5, sizeof(attempt));
    attempt.argc = 0;
    attempt.fault.status = STATUS_OK;
    attempt_words(&attempt, (const char *const[]){NULL});
    const struct params *params = &attempt.params;
    assert_int_equal(attempt.status, STATUS_OK);
    assert_false(params->flag);
    assert_int_equal(params->help, -1);
    assert_int_equal(params->mode, -1);
    assert_int_equal(params->level, 1);
    assert_true(params->count == 0 && params->rounds == 3);
    assert_true(params->set == 7 && params->size == 4096 && params->real == 0);
    assert_int_equal(params->sizes.count, 0);
    assert_true(params->cpus.all);
    assert_true(params->range.first == 1 && params->range.last == 140);
    assert_int_equal(params->names.count, 0);
    assert_null(params->text);
    assert_string_equal(params->label, "none");
}

TEST(every_kind_is_set)
{
    ATTEMPT("--flag", "--mode=slow", "--count", "9", "-t", "read,copy", "--size=1k", "--real=1.5", "-s4k,8k");
    const struct params *params = &attempt.params;
    assert_int_equal(attempt.status, STATUS_OK);
    assert_true(params->flag);
    assert_int_equal(params->mode, 1);
    assert_true(params->count == 9 && params->set == 5 && params->size == 1000 && params->real == 1.5);
    assert_int_equal(params->sizes.count, 2);
    assert_true(params->sizes.bytes[1] == 8000);
}

TEST(the_other_kinds_are_set)
{
    ATTEMPT("--cpus=1,0", "--range=2-500", "--names=a,b", "--text=x", "--label", "-");
    const struct params *params = &attempt.params;
    assert_int_equal(attempt.status, STATUS_OK);
    assert_false(params->cpus.all);
    assert_int_equal(params->cpus.count, 2);
    assert_int_equal(params->cpus.id[0], 1);
    assert_true(params->range.first == 2 && params->range.last == 500);
    assert_string_equal(params->names.name[1], "b");
    assert_string_equal(params->text, "x");
    assert_string_equal(params->label, "-");
}

TEST(a_cpu_may_be_left_out)
{
    ATTEMPT("--sibling", "operand");
    assert_int_equal(attempt.status, STATUS_OK);
    assert_true(attempt.params.sibling.given && !attempt.params.sibling.named);
    struct attempt named = {0}, several = {0};
    attempt_words(&named, (const char *const[]){"--sibling=3", NULL});
    assert_true(named.params.sibling.named);
    assert_int_equal(named.params.sibling.id, 3);
    attempt_words(&several, (const char *const[]){"--sibling=1-2", NULL});
    assert_int_equal(several.status, STATUS_USAGE);
    assert_non_null(strstr(several.fault.text, "not one CPU"));
}

TEST(clusters_and_operands)
{
    ATTEMPT("one", "-foc5", "two", "--", "--flag");
    assert_int_equal(attempt.status, STATUS_OK);
    assert_true(attempt.params.flag && attempt.params.other);
    assert_true(attempt.params.count == 5);
    assert_int_equal(attempt.argc - attempt.operands, 3);
    assert_string_equal(attempt.argv[attempt.operands], "one");
    assert_string_equal(attempt.argv[attempt.operands + 2], "--flag");
}

TEST(abbreviations_and_repeats)
{
    ATTEMPT("--fl", "--rou=4", "--rou=5", "--count=3", "--count=auto");
    assert_int_equal(attempt.status, STATUS_OK);
    assert_true(attempt.params.flag);
    assert_true(attempt.params.rounds == 5);
    assert_true(attempt.params.count == 0);
}

TEST(zero_has_a_word)
{
    ATTEMPT("--rounds=all");
    assert_int_equal(attempt.status, STATUS_OK);
    assert_true(attempt.params.rounds == 0);
}

TEST(help_takes_a_kind)
{
    ATTEMPT("--help=man");
    assert_int_equal(attempt.status, STATUS_OK);
    assert_int_equal(attempt.params.help, 1);
}

TEST(a_leading_parser_stops_at_an_operand)
{
    struct params params;
    struct fault fault = {0};
    char *argv[] = {(char *)"test", (char *)"-f", (char *)"ram", (char *)"--other", NULL};
    struct option_parser parser = parser_for(&params);
    int first;
    parser.leading = true;
    assert_int_equal(options_parse(&parser, 4, argv, &first, &fault), STATUS_OK);
    assert_int_equal(first, 2);
    assert_true(params.flag);
    assert_false(params.other);
}

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
        {{"--r"}, "could be --rounds or --real"},
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
        {{"--range=0-5"}, "1-500"},
        {{"--range=1-501"}, "1-500"},
        {{"--range=5-1"}, "--range: '5-1'"},
        {{"--text="}, "--text: the argument is empty"},
        {{"--help=html"}, "none of: text, man"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct attempt attempt = {0};
        attempt_words(&attempt, bad[i].words);
        assert_int_equal(attempt.status, STATUS_USAGE);
        assert_int_equal(attempt.fault.status, STATUS_USAGE);
        if (!strstr(attempt.fault.text, bad[i].said))
            fail_msg("'%s' does not say \"%s\"", attempt.fault.text, bad[i].said);
    }
}

TEST(what_replaces_nothing_is_taken_once)
{
    ATTEMPT("--single=a", "--single=b");
    assert_int_equal(attempt.status, STATUS_USAGE);
    assert_string_equal(attempt.fault.text, "--single is given twice: use the other one");
}

TEST(a_refused_value_changes_nothing)
{
    ATTEMPT("--rounds=7", "--rounds=x");
    assert_int_equal(attempt.status, STATUS_USAGE);
    assert_true(attempt.params.rounds == 7);
}

TEST(a_bad_default_is_a_fault)
{
    static const struct option_row broken[] = {
        {"size", 0, OPTION_SIZE, FIELD(size), .fallback = "much", .argument = "SIZE", .help = "h"}, {0}};
    struct params params;
    struct fault fault = {0};
    struct option_parser parser = {.help_command = "test --help"};
    options_add(&parser, (struct option_group){broken, &params, .title = "Options"});
    char *argv[] = {(char *)"test", NULL};
    int first;
    assert_int_equal(options_parse(&parser, 1, argv, &first, &fault), STATUS_USAGE);
    assert_non_null(strstr(fault.text, "'much'"));
}

static void assert_refused(const struct attempt *attempt)
{
    assert_int_equal(attempt->fault.status, STATUS_USAGE);
    assert_non_null(strstr(attempt->fault.text, "test does not take --dropped; it takes --flag --other"));
    assert_non_null(strstr(attempt->fault.text, "--kept"));
    assert_null(strstr(attempt->fault.text, "--label --kept --dropped"));
}

TEST(what_is_not_honoured_is_refused)
{
    static const char *const words[][3] = {
        {"--dropped", "3"}, {"--dropped=3"}, {"--drop", "3"}, {"-d", "3"}, {"-d3"}, {"--dropped"}, {"-d"}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        struct attempt attempt = {0};
        attempt_words(&attempt, words[i]);
        assert_refused(&attempt);
        assert_true(attempt.params.dropped == 5); /* what was not honoured has its default */
    }
}
