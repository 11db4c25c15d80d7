/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/glossary.h"
#include "engine/published.h"
#include "uarchprobe/experiment.h"

#include <fnmatch.h>

#include "../output/fixture.h"

static void assert_explained(const char *key)
{
    if (!explanation_find(key))
        fail_msg("nobody explains %s", key);
}

TEST(the_recorded_answers_are_explained)
{
    const struct record *record = record_at(TEST_DATA "/results/report.json");
    size_t count = 0;
    for (size_t i = 0; i < record->children.count; i++) {
        const struct record *child = record->children.of[i];
        for (size_t k = 0; k < child->answers.count; k++, count++)
            assert_explained(child->answers.of[k].key);
    }
    assert_true(count > 0);
}

/* Keys of runs that had all that the commands find: on guests of one, two and four CPUs, with and without siblings. */
TEST(the_answers_of_benches_are_explained)
{
    static const char *const keys[] = {"ram.L1.read",
                                       "ram.64 MiB.latency",
                                       "store_buffer.entries",
                                       "store_buffer.reorder_knee",
                                       "store_buffer.reorder_most_seen",
                                       "store_buffer.reorder_never_from",
                                       "store_buffer.reorder_merging",
                                       "cas.one_l3",
                                       "cas.llsc",
                                       "transfer.beyond_one_l3",
                                       "transfer_rmw.own_line",
                                       "placement.shared_core",
                                       "sharing.pad_read.one_l3",
                                       "sharing.times.distance_1",
                                       "sharing.beyond_one_l3",
                                       "readwrite.flagged.0_3",
                                       "stlf.fast_data_no_reuse",
                                       "stlf.grid.fa.8_4.64.distances",
                                       "stlf.grid.fa.8_4.64.page.page_crossing",
                                       "stlf.grid.fa.1_1.64.distances",
                                       "check.exit_code",
                                       "check.verdict",
                                       "compare.verdict",
                                       "compare.worse"};
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        assert_explained(keys[i]);
}

/* What it says of published values is of the same quantity. No row takes all keys of a command. */
TEST(each_metric_of_a_command_of_experiments_has_a_row_of_its_own)
{
    size_t count = 0;
    for (int c = 0; commands[c]; c++) {
        const struct experiment *const *experiment = commands[c]->experiments;
        char other[64];
        snprintf(other, sizeof other, "%s.foo", commands[c]->name);
        assert_true(!experiment || !explanation_find(other));
        for (; experiment && *experiment; experiment++)
            for (const struct metric *metric = (*experiment)->metrics; metric && metric->key; metric++) {
                const struct explanation *row = metric->label ? explanation_find(metric->key) : NULL;
                if (!metric->label)
                    continue;
                assert_explained(metric->key);
                if (metric->unit && !unit_is_known(metric->unit))
                    fail_msg("%s: %s is no unit", metric->key, metric->unit);
                if (!*row->typical || strcmp(row->quantity, metric->published ? metric->published : "") != 0)
                    fail_msg("%s: \"%s\" is published", metric->key, row->quantity);
                count++;
            }
    }
    assert_true(count > 60);
}

TEST(the_command_is_the_one_that_finds_it)
{
    assert_string_equal(explanation_find("ram.L2.copy")->command, "ram");
    assert_string_equal(explanation_find("trust")->command, "-");
    assert_null(explanation_find("nothing.of.the.kind"));
}

static bool fits(const char *list, const char *word)
{
    return explanation_find(word) && strcmp(explanation_find(word)->word, list) == 0;
}

/* The first row that fits counts: one behind a wider one would never be found, nor would a word that two rows have. A row refers its
 * reader to another row. */
TEST(every_row_is_whole_and_can_be_found)
{
    size_t count;
    const struct explanation *row = explanations(&count);
    assert_true(count > 120);
    for (size_t i = 0; i < count; i++) {
        bool is_command = strcmp(row[i].command, "-") == 0;
        for (int c = 0; commands[c]; c++)
            is_command |= strncmp(row[i].command, commands[c]->name, strcspn(row[i].command, " ")) == 0;
        if (!is_command || !*row[i].what ||
            (strchr(row[i].word, '.') && strchr(row[i].word, '*') && !*row[i].typical))
            fail_msg("%s", row[i].word);
        if (*row[i].quantity && !core_published("*", row[i].quantity, 0))
            fail_msg("%s: nothing is published of %s", row[i].word, row[i].quantity);
        for (int list = 0; list < 2; list++) {
            char words[1024], *rest = words, *word;
            snprintf(words, sizeof words, "%s", list ? row[i].see : row[i].word);
            while ((word = strsep(&rest, ";")) != NULL) {
                word += *word == ' ';
                if (*word && (list ? !explanation_find(word) : !fits(row[i].word, word)))
                    fail_msg("%s: %s", row[i].word, word);
            }
        }
    }
}
