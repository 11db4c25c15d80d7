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

/* Without line breaks and the padding after them, so that a sentence is found whole. */
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

/* In full, in the manual, in one line of the screen (tests/cli/test_screens.sh) and among the offers to a shell
 * (tests/cli/test_completion.sh). */
TEST(every_row_of_every_command_is_explained)
{
    for (int i = 0; commands[i]; i++) {
        char *text = printed(HELP_ALL, commands[i]), *brief = help_of(HELP_TEXT, commands[i]),
             *manual = printed(HELP_MAN, commands[i]), *words = offered(commands[i]->name, "--");
        const struct option_set set = command_options(commands[i], NULL, NULL);
        for (int r = 0; r < set.count; r++) {
            const struct option_row *row = set.of[r].row;
            char option[512];
            assert_says_row(text, row);
            assert_has(brief, row->name);
            snprintf(option, sizeof option, "--%s\t%s\n", row->name, row->help);
            assert_has(words, option);
            snprintf(option, sizeof option, "--%s=", row->name);
            for (int k = 0; row->choices && row->choices[k]; k++)
                assert_has(offered(commands[i]->name, option), row->choices[k]);
        }
        assert_int_equal(set.count + (commands[i]->experiments != NULL), occurrences(manual, ".TP"));
        assert_has(text, commands[i]->summary);
        for (int e = 0; e < COMMAND_EXAMPLES && commands[i]->examples[e]; e++)
            assert_has(text, commands[i]->examples[e]);
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

/* A letter or a name that is there twice would silently never reach its second row; a default is a typed text, and a wrong one would only show
 * when its command is run. */
TEST(names_are_there_once_and_defaults_can_be_parsed)
{
    static struct common common;
    for (int i = 0; commands[i]; i++) {
        void *params = calloc(1, commands[i]->params_size + 1);
        const struct option_set set = command_options(commands[i], params, &common);
        assert_true(set.count < OPTIONS_MAX);
        for (int r = 0; r < set.count; r++) {
            const struct option_row row = *set.of[r].row;
            assert_true(options_default((const struct option_row[]){row, {0}}, set.of[r].params));
            for (int s = 0; s < r; s++) {
                assert_string_not_equal(set.of[s].row->name, row.name);
                assert_true(!row.letter || set.of[s].row->letter != row.letter);
            }
        }
        free(params);
    }
}
