/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "cli/invocation.h"
#include "output/output.h"

static struct invocation invocation;
static struct fault fault;

static int start(void **state)
{
    memset(&invocation, 0, sizeof(invocation));
    memset(&fault, 0, sizeof(fault));
    return 0;
}

static int end(void **state)
{
    invocation_free(&invocation);
    return 0;
}

static enum status parse(char *const *argv)
{
    int argc = 0;
    while (argv[argc])
        argc++;
    return invocation_parse(&invocation, argc, argv, &fault);
}

#define PARSE(...) parse((char *const[]){(char *)"uarchprobe", __VA_ARGS__, NULL})
#define WORD(text) ((char *)(text))

static char *first_command(void)
{
    return (char *)commands[0]->name;
}

TEST(a_command_has_its_defaults)
{
    assert_int_equal(PARSE(first_command()), STATUS_OK);
    assert_int_equal(invocation.common.format, -1);
    assert_null(invocation.common.output);
    assert_int_equal(invocation.operand_count, 0);
}

TEST(help_is_asked_for_in_three_ways)
{
    char *const first = first_command();
    char *const words[][2] = {{WORD("help"), first}, {first, WORD("--help=man")}, {WORD("-h"), NULL}};
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        start(state);
        assert_int_equal(PARSE(words[i][0], words[i][1]), STATUS_OK);
        assert_ptr_equal(invocation.command, i < 2 ? commands[0] : NULL);
        assert_int_equal(invocation.common.help, i == 1 ? HELP_MAN : HELP_TEXT);
        end(state);
    }
}

TEST(the_arguments_are_kept_as_typed)
{
    char *argv[] = {WORD("uarchprobe"), first_command(), WORD("--"), WORD("operand"), WORD("-q"), NULL};
    parse(argv);
    assert_ptr_equal(invocation.argv, argv);
    assert_int_equal(invocation.argc, 5);
    assert_string_equal(argv[3], "operand");
}

static void assert_usage(const char *said)
{
    assert_int_equal(fault.status, STATUS_USAGE);
    assert_has(fault.text, said);
}

TEST(an_unknown_command_gets_a_suggestion)
{
    char word[64] = "";
    strcat(strcat(word, commands[0]->name), "x");
    assert_int_equal(PARSE(word), STATUS_USAGE);
    assert_usage("did you mean");
    assert_usage(commands[0]->name);
}

TEST(an_operand_is_refused_where_none_is_taken)
{
    assert_null(commands[0]->operands);
    assert_int_equal(PARSE(first_command(), WORD("file")), STATUS_USAGE);
    assert_usage("'file'");
}

/* Nobody who reads files only can measure for a while. */
TEST(a_command_takes_what_its_row_names)
{
    for (int i = 0; commands[i]; i++) {
        char name[64];
        snprintf(name, sizeof(name), "%s", commands[i]->name);
        const bool takes = commands[i]->honours & HONOURS_REPEAT;
        start(state);
        assert_int_equal(PARSE(name, WORD("--repeat"), WORD("3"), WORD("--help")),
                         takes ? STATUS_OK : STATUS_USAGE);
        if (takes)
            assert_true(invocation.common.repeat == 3);
        else
            assert_usage("has no option '--repeat'");
        end(state);
    }
}

TEST(words_lose_folders)
{
    static const char *const cases[][2] = {{"/srv/me/x.json", "x.json"},
                                           {"x.json", "x.json"},
                                           {"../a/b/", "b/"},
                                           {"a//b", "b"},
                                           {"/", "/"},
                                           {"", ""},
                                           {"-", "-"},
                                           {"-q", "-q"},
                                           {"-o/srv/me/x", "-ox"},
                                           {"-oa/x", "-ox"},
                                           {"--from=/srv/me/x", "--from=x"},
                                           {"--quick", "--quick"},
                                           {"--", "--"},
                                           {"0-31:2", "0-31:2"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_string_equal(own_text(word_without_folders(cases[i][0])), cases[i][1]);
    }
}

AROUND_EACH(start, end)
