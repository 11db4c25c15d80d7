/* SPDX-License-Identifier: MIT */
#include "../fixture.h"

#include "output/human/human.h"
#include "output/page.h"

/* Only a result without answers shows all facts of the host. */
TEST(host_is_a_line_above_measurements)
{
    struct record *record = record_of(NULL);
    add_facts(record);
    add_curve(record);
    char *got = formatted(&human_format, record);
    assert_int_equal(strncmp(got, "Made up <CPU>", 13), 0);
    assert_lacks(got, "Family");
}

TEST(incomplete_run_is_reported)
{
    struct record *record = record_of(NULL);
    add_curve(record);
    FACT(record, "run.complete", BOOL_CELL(true));
    assert_lacks(formatted(&human_format, record), "Incomplete");
    FACT(record, "run.complete", BOOL_CELL(false));
    assert_has(formatted(&human_format, record), "Incomplete");
}

/* Counts the columns of a line without its colour sequences. */
static size_t shown_width(const char *line)
{
    struct text plain = {0};
    while (*line) {
        const size_t length = strcspn(line, "\033");
        text_add_bytes(&plain, line, length);
        line += length;
        line += *line ? strcspn(line, "m") + 1 : 0;
    }
    const size_t width = plain.data ? text_width(plain.data) : 0;
    text_free(&plain);
    return width;
}

/* Asserts that no line is wider than the terminal, and returns the number of lines. */
static size_t lines_within(const char *shown, int width)
{
    size_t lines = 0;
    for (const char *line = shown; *line; lines++) {
        const char *end = strchr(line, '\n');
        assert_non_null(end);
        char *copy = strndup(line, (size_t)(end - line));
        if (shown_width(copy) > (size_t)width)
            fail_msg("wider than %d: %s", width, copy);
        free(copy);
        line = end + 1;
    }
    return lines;
}

/* The default output of recorded results, whole and by command, fits a screen of 80 x 24. */
static void assert_fits(const struct record *record, struct style style)
{
    char *got = formatted_in(&human_format, record, style);
    const size_t lines = lines_within(got, 80);
    if (lines > 23)
        fail_msg("%zu lines and the prompt:\n%s", lines, got);
    assert_true(lines > 3);
    assert_has(got, ": -v   a page");
}

/* Answers and full output keep to the width; only tables of many columns are wider. */
static void assert_all_within(const struct record *record, bool color)
{
    for (int width = 40; width <= 140; width += 20) {
        for (int tables = 0; tables <= (width >= 80); tables++) {
            const struct style style = {.width = width, .color = color, .tables = tables > 0};
            char *got = formatted_in(&human_format, record, style);
            lines_within(got, width);
        }
    }
}

TEST(commands_fit_a_screen)
{
    const struct record *record = record_at(TEST_DATA "/results/report.json");
    for (int color = 0; color < 2; color++) {
        const struct style style = {.width = 80, .color = color > 0};
        assert_fits(record, style);
        for (size_t j = 0; j < record->children.count; j++)
            assert_fits(record->children.of[j], style);
        assert_all_within(record, color > 0);
    }
}

/* With many answers of several lines and a picture, answers are left out, and all fits the screen. */
TEST(many_answers_leave_room)
{
    struct record *record = record_of(NULL);
    add_curve(record);
    for (int i = 0; i < 60; i++)
        record_answer(record, (struct answer){.key = "a",
                                              .value = INTEGER_CELL(i),
                                              .trust = TRUST_LOW,
                                              .text = "a sentence that is so long that one line of a "
                                                      "terminal is not enough to hold all of it, so it "
                                                      "is broken"});
    assert_fits(record, (struct style){.width = 80});
    char *got = formatted_in(&human_format, record, (struct style){.width = 80});
    assert_has(got, "\nand ");
    assert_has(got, "stores");
}

/* Remarks below their rows take lines, too. */
TEST(many_rows_leave_room)
{
    for (int count = 1; count < 40; count++) {
        struct record *record = record_of(NULL);
        add_curve(record);
        for (int i = 0; i < count; i++) {
            char key[16];
            snprintf(key, sizeof(key), "key%d", i);
            record_answer(record,
                          (struct answer){.key = key,
                                          .value = INTEGER_CELL(i),
                                          .label = "a label that leaves no room behind the unit and value",
                                          .unit = "instructions",
                                          .remark = "some words that stand below"});
        }
        assert_fits(record, (struct style){.width = 80});
    }
}

/* Where machine and conditions take a line each, the rest is a line shorter. */
TEST(a_long_name_of_the_machine_leaves_room)
{
    for (int count = 1; count < 40; count++) {
        struct record *record = record_of(NULL);
        FACT(record, "host.cpu.brand",
             TEXT_CELL("A processor whose name takes nearly a whole line of a terminal"));
        FACT(record, "run.conditions.guest", BOOL_CELL(true));
        FACT(record, "run.conditions.sibling_share", REAL_CELL(0.5));
        for (int i = 0; i < count; i++) {
            char key[16];
            snprintf(key, sizeof(key), "key%d", i);
            record_answer(record,
                          (struct answer){.key = key, .value = INTEGER_CELL(i), .label = key, .unit = "ns"});
        }
        assert_fits(record, (struct style){.width = 80});
    }
}

/* Only -v shows the grid of values for a busy sibling, next to the one for an idle sibling. */
TEST(a_grid_leaves_the_other_state_out)
{
    static const char *const keys[] = {"memory/L1/read", "memory/L1/write", "memory/L2/read",
                                       "memory/L2/write"};
    struct record *record = record_of(NULL);
    for (int of = STATE_IDLE; of <= STATE_ACTIVE; of++)
        for (int i = 0; i < 4; i++)
            record_answer(record, (struct answer){.key = keys[i],
                                                  .state = state_names[of],
                                                  .label = keys[i],
                                                  .sheet_cell = keys[i],
                                                  .unit = "Byte/s",
                                                  .value = REAL_CELL(of == STATE_IDLE ? 1e9 : 7e8),
                                                  .trust = TRUST_HIGH});
    char *got = formatted_in(&human_format, record, (struct style){.width = 80});
    assert_has(got, "L1");
    assert_null(strstr(got, keys[0]));
    assert_has(formatted_in(&human_format, record, (struct style){.width = 80, .tables = true}), keys[0]);
}

/* A screen with a table alone, such as that of `list`, holds as many of its rows as fit, and says how many it
 * leaves out. */
TEST(a_table_alone_fits_a_screen)
{
    enum {
        FIT = 20
    }; /* 23 lines less the title, the heading and the note; a row less with the line that counts the others */
    for (int rows = 1; rows < 40; rows++) {
        struct table_spec spec = list_spec;
        spec.note = "A note.";
        struct record *record = record_of(&spec);
        for (int i = 0; i < rows; i++)
            ROW(record, TEXT_CELL("kernel"), INTEGER_CELL(i), REAL_CELL(1));
        const struct style style = {.width = 80, .tables = true, .brief = true};
        char *screen = formatted_in(&human_format, record, style), left[32];
        assert_true(lines_within(screen, 80) <= 23);
        snprintf(left, sizeof left, "\nand %d more\n", rows - FIT + 1);
        assert_has(screen, "A note.");
        if (rows > FIT)
            assert_has(screen, left);
        else
            assert_lacks(screen, " more");
        assert_lacks(formatted_in(&human_format, record, (struct style){.width = 80, .tables = true}),
                     " more");
    }
}

/* Joins the lines of a name to one: a further line is indented by two. */
static char *unwrapped(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        const bool joins = strncmp(from, "\n  ", 3) == 0 && from[3] != ' ';
        *to++ = joins ? ' ' : *from;
        from += joins ? 2 : 0;
    }
    *to = 0;
    return text;
}

/* Of a result and its commands, with a remark in each row. Returns how many labels it saw. */
static size_t check_labels(const struct record *record)
{
    for (size_t i = 0; i < record->answers.count; i++)
        record->answers.of[i].remark = "differs; another method: 70";
    const struct page page = page_of(record, true);
    size_t seen = 0;
    for (size_t i = 0; i < page.count; i++)
        for (size_t j = 0; j < page.section[i].count; j++) {
            struct grid grid = page.section[i].block[j].grid;
            struct text out = {0};
            if (page.section[i].block[j].kind != BLOCK_ANSWERS)
                continue;
            grid.brief = true;
            human_grid(&(struct style){.width = 80}, 0, &grid, &out);
            char *drawn = unwrapped(own_text(text_take(&out)));
            for (size_t row = 0; row < grid.row_count; row++) {
                const char *label = grid_at(&grid, row, 0)->text;
                char line[200];
                snprintf(line, sizeof line, "\n%s  ", label);
                assert_has(drawn, line);
                assert_null(strstr(strstr(drawn, line) + 1, line));
                seen++;
            }
        }
    for (size_t i = 0; i < record->children.count; i++)
        seen += check_labels(record->children.of[i]);
    return seen;
}

TEST(each_label_is_whole_and_alone_at_80_columns)
{
    static const char *const files[] = {"/results/report.json",
                                        "/../../results/amd-25-17/genoa.kvm.2026-11-28.json",
                                        "/../../results/amd-26-2/turin.kvm.2026-11-23.json",
                                        "/../../results/intel-6-207/emerald-rapids.kvm.2026-11-22.json"};
    size_t seen = 0;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        char path[512];
        snprintf(path, sizeof path, "%s%s", TEST_DATA, files[i]);
        seen += check_labels(record_at(path));
    }
    assert_true(seen > 100);
}
