/* SPDX-License-Identifier: MIT */

#include "cli/help.h"

#include "test.h"

/* The text without line breaks and the padding after them, so that a sentence can be looked for whole. */
static char *printed(enum help_kind kind, const struct command *command)
{
    char *text = NULL;
    size_t size = 0, out = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    help_print(stream, kind, command);
    fclose(stream);
    for (size_t i = 0; i < size; i++) {
        char byte = text[i] == '\n' ? ' ' : text[i];
        if (byte != ' ' || out == 0 || text[out - 1] != ' ')
            text[out++] = byte;
    }
    text[out] = '\0';
    return text;
}

static void assert_says(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("help does not say \"%s\"", part);
}

static void assert_says_row(const char *text, const struct option_row *row)
{
    struct text note = {0};
    char name[64];
    snprintf(name, sizeof(name), "%s--%s", row->letter ? (char[]){'-', row->letter, ',', ' ', 0} : "",
             row->name);
    assert_says(text, name);
    help_option_text(row, &note);
    assert_says(text, note.data);
    assert_says(note.data, row->help);
    if (row->fallback && row->kind != OPTION_FLAG)
        assert_says(note.data, row->fallback);
    for (int i = 0; row->choices && row->choices[i]; i++)
        assert_says(note.data, row->choices[i]);
    text_free(&note);
}

TEST(every_row_of_every_command_is_explained)
{
    for (int i = 0; commands[i]; i++) {
        char *text = printed(HELP_TEXT, commands[i]);
        struct option_parser groups = help_groups(commands[i], NULL, NULL);
        for (int g = 0; g < groups.group_count; g++) {
            for (const struct option_row *row = NULL; (row = option_next(&groups.group[g], row));)
                assert_says_row(text, row);
        }
        assert_says(text, commands[i]->summary);
        for (int e = 0; e < COMMAND_EXAMPLES && commands[i]->examples[e]; e++)
            assert_says(text, commands[i]->examples[e]);
        free(text);
    }
}

TEST(the_manual_page_has_every_row)
{
    for (int i = 0; commands[i]; i++) {
        char *text = printed(HELP_MAN, commands[i]);
        struct option_parser groups = help_groups(commands[i], NULL, NULL);
        size_t rows = 0, paragraphs = 0;
        for (int g = 0; g < groups.group_count; g++) {
            for (const struct option_row *row = NULL; (row = option_next(&groups.group[g], row));)
                rows++;
        }
        for (const char *at = text; (at = strstr(at, ".TP")); at++)
            paragraphs++;
        assert_int_equal(rows, paragraphs);
        free(text);
    }
}

static bool is_line_starter(const char *line, const char *starter)
{
    return strncmp(line, starter, strlen(starter)) == 0;
}

TEST(a_manual_page_escapes_what_roff_would_take)
{
    static const struct command command = {
        .name = "x", .summary = "a-b", .description = ".dot\n'quote\nback\\slash"};
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    help_print(stream, HELP_MAN, &command);
    fclose(stream);
    assert_non_null(strstr(text, "\n\\&.dot\n\\&'quote\nback\\eslash\n"));
    for (const char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n'))
        assert_true((line[1] != '.' && line[1] != '\'') || is_line_starter(line + 1, ".TP") ||
                    is_line_starter(line + 1, ".B") || is_line_starter(line + 1, ".SH") ||
                    is_line_starter(line + 1, ".nf") || is_line_starter(line + 1, ".fi"));
    free(text);
}

/* A letter or a name that is there twice would silently never reach its second row. */
TEST(no_name_or_letter_is_there_twice)
{
    for (int i = 0; commands[i]; i++) {
        struct option_parser groups = help_groups(commands[i], NULL, NULL);
        const struct option_row *seen[OPTIONS_MAX];
        int count = 0;
        for (int g = 0; g < groups.group_count; g++) {
            for (const struct option_row *row = NULL; (row = option_next(&groups.group[g], row));) {
                for (int s = 0; s < count; s++) {
                    assert_string_not_equal(seen[s]->name, row->name);
                    assert_true(!row->letter || seen[s]->letter != row->letter);
                }
                assert_true(count < OPTIONS_MAX);
                seen[count++] = row;
            }
        }
    }
}

/* Defaults are typed texts; a wrong one would only show when its command is run. */
TEST(every_default_can_be_parsed)
{
    static struct common common;
    for (int i = 0; commands[i]; i++) {
        void *params = calloc(1, commands[i]->params_size + 1);
        struct option_parser groups = help_groups(commands[i], params, &common);
        struct fault fault = {0};
        char *argv[] = {(char *)"x", NULL};
        int first;
        assert_int_equal(options_parse(&groups, 1, argv, &first, &fault), STATUS_OK);
        free(params);
    }
}

/* A shell would complain about none of it; what it completes, tests/cli/test_completion.sh asks the shells. */
TEST(completions_have_every_row)
{
    for (enum help_kind kind = HELP_BASH; kind <= HELP_FISH; kind++) {
        char *text = printed(kind, NULL);
        for (int i = 0; commands[i]; i++) {
            struct option_parser groups = help_groups(commands[i], NULL, NULL);
            assert_says(text, commands[i]->name);
            for (int g = 0; g < groups.group_count; g++) {
                for (const struct option_row *row = NULL; (row = option_next(&groups.group[g], row));) {
                    assert_says(text, row->name);
                    for (int k = 0; row->choices && row->kind != OPTION_HELP && row->choices[k]; k++)
                        assert_says(text, row->choices[k]);
                }
            }
        }
        free(text);
    }
}
