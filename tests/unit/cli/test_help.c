/* SPDX-License-Identifier: MIT */

#include "cli/help.h"

#include "test.h"

static char *help_of(enum help_kind kind, const struct command *command)
{
    static char *text; /* the stream keeps where they are */
    static size_t size;
    FILE *stream = open_memstream(&text, &size);
    help_print(stream, kind, command);
    fclose(stream);
    return own_text(text);
}

/* Without line breaks and the padding after them, so that a sentence can be looked for whole. */
static char *printed(enum help_kind kind, const struct command *command)
{
    char *text = help_of(kind, command), *out = text;
    for (const char *in = text; *in; in++) {
        if ((*in != '\n' && *in != ' ') || out == text || out[-1] != ' ')
            *out++ = *in == '\n' ? ' ' : *in;
    }
    *out = '\0';
    return text;
}

/* Each row that the command takes. */
#define FOR_ROWS(set, row)                                                                                   \
    for (int row##_ = 0; row##_ < (set).count; row##_++)                                                     \
        for (const struct option_row *row = (set).of[row##_].honoured ? (set).of[row##_].row : NULL; row;    \
             row = NULL)

static void assert_says_row(const char *text, const struct option_row *row)
{
    struct text note = {0};
    char name[64];
    snprintf(name, sizeof(name), "%s--%s", row->letter ? (char[]){'-', row->letter, ',', ' ', 0} : "",
             row->name);
    assert_has(text, name);
    help_option_text(row, &note);
    assert_has(text, note.data);
    assert_has(note.data, row->help);
    if (row->fallback && row->kind != OPTION_FLAG)
        assert_has(note.data, row->fallback);
    for (int i = 0; row->choices && row->choices[i]; i++)
        assert_has(note.data, row->choices[i]);
    text_free(&note);
}

TEST(every_row_of_every_command_is_explained)
{
    for (int i = 0; commands[i]; i++) {
        char *text = printed(HELP_ALL, commands[i]);
        const struct option_set set = command_options(commands[i], NULL, NULL);
        FOR_ROWS(set, row)
        {
            assert_says_row(text, row);
        }
        assert_has(text, commands[i]->summary);
        for (int e = 0; e < COMMAND_EXAMPLES && commands[i]->examples[e]; e++)
            assert_has(text, commands[i]->examples[e]);
    }
}

/* That it is a screen: tests/cli/test_screens.sh. */
TEST(help_names_every_option)
{
    for (int i = 0; commands[i]; i++) {
        char *text = help_of(HELP_TEXT, commands[i]);
        const struct option_set set = command_options(commands[i], NULL, NULL);
        FOR_ROWS(set, row)
        {
            assert_has(text, row->name);
        }
    }
}

TEST(the_manual_page_has_every_row)
{
    for (int i = 0; commands[i]; i++) {
        char *text = printed(HELP_MAN, commands[i]);
        const struct option_set set = command_options(commands[i], NULL, NULL);
        size_t rows = 0;
        FOR_ROWS(set, row)
        {
            rows++;
        }
        assert_int_equal(rows, occurrences(text, ".TP"));
    }
}

TEST(a_manual_page_escapes_what_roff_would_take)
{
    static const struct command command = {
        .name = "x", .summary = "a-b", .description = ".dot\n'quote\nback\\slash"};
    char *text = help_of(HELP_MAN, &command);
    assert_has(text, "\n\\&.dot\n\\&'quote\nback\\eslash\n");
    for (const char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        static const char *const macros[] = {".TP", ".B", ".SH", ".nf", ".fi"};
        bool known = line[1] != '.' && line[1] != '\'';
        for (size_t i = 0; i < COUNT_OF(macros); i++)
            known = known || strncmp(line + 1, macros[i], strlen(macros[i])) == 0;
        assert_true(known);
    }
}

/* A letter or a name that is there twice would silently never reach its second row. */
TEST(no_name_or_letter_is_there_twice)
{
    for (int i = 0; commands[i]; i++) {
        const struct option_set set = command_options(commands[i], NULL, NULL);
        const struct option_row *seen[OPTIONS_MAX];
        int count = 0;
        FOR_ROWS(set, row)
        {
            for (int s = 0; s < count; s++) {
                assert_string_not_equal(seen[s]->name, row->name);
                assert_true(!row->letter || seen[s]->letter != row->letter);
            }
            assert_true(count < OPTIONS_MAX);
            seen[count++] = row;
        }
    }
}

/* Defaults are typed texts; a wrong one would only show when its command is run. */
TEST(every_default_can_be_parsed)
{
    static struct common common;
    for (int i = 0; commands[i]; i++) {
        void *params = calloc(1, commands[i]->params_size + 1);
        struct option_set set = command_options(commands[i], params, &common);
        struct fault fault = {0};
        char *argv[] = {(char *)"x", NULL};
        int first;
        assert_int_equal(options_parse(&set, 1, argv, &first, &fault), STATUS_OK);
        free(params);
    }
}

static char *offered(const char *before, const char *word)
{
    static char *text;
    static size_t size;
    char *const words[] = {(char *)before, (char *)word};
    FILE *stream = open_memstream(&text, &size);
    completion_print(stream, 2, words);
    fclose(stream);
    return own_text(text);
}

/* What the shells make of it, tests/cli/test_completion.sh asks them. */
TEST(every_option_is_offered)
{
    for (int i = 0; commands[i]; i++) {
        const struct option_set set = command_options(commands[i], NULL, NULL);
        char *text = offered(commands[i]->name, "--");
        FOR_ROWS(set, row)
        {
            char option[512];
            snprintf(option, sizeof option, "--%s\t%s\n", row->name, row->help);
            assert_has(text, option);
            for (int k = 0; row->choices && row->choices[k]; k++) {
                snprintf(option, sizeof option, "--%s=", row->name);
                assert_has(offered(commands[i]->name, option), row->choices[k]);
            }
        }
    }
}
