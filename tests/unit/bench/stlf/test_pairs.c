/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "bench/stlf/stlf.h"

/* Two loads on one line would be two hits of one, and a page's end one more translation, wherever lines and pages end. */
TEST(every_load_has_a_line_of_one_page)
{
    static const long pages[] = {4096, 16384, 65536}, lines[] = {64, 128, 256};

    for (int p = 0; p < 3; p++) {
        unsigned char *page = aligned_alloc((size_t)pages[p], (size_t)pages[p]);
        assert_non_null(page);
        for (int l = 0; l < 3; l++) {
            const struct chase chain = stlf_chain(page, pages[p], lines[l]);
            bool taken[1024] = {false};
            unsigned char *node = page;

            assert_true(chain.count >= 16);
            chase_link(&chain);
            for (uint64_t i = 0; i < chain.count; i++, node = *(unsigned char **)(void *)node) {
                assert_true(node >= page && node + sizeof(void *) <= page + pages[p]);
                assert_false(taken[(node - page) / lines[l]]);
                taken[(node - page) / lines[l]] = true;
            }
            assert_ptr_equal(node, page);
        }
        free(page);
    }
}

static const struct kernel two = {.operation = OPERATION_FORWARD_FA};
static const struct kernel one = {.operation = OPERATION_FORWARD_SAME_BASE};

TEST(what_may_be_renamed_is_sampled_last)
{
    static const char a[] = "a", b[] = "b", c[] = "c";
    struct stlf_point point[] = {{&two, 0, 0, 64, 0, a, 0},
                                 {&two, 0, 2, 64, 0, b, 0},
                                 {&one, 0, 2, 64, 0, c, 0},
                                 {&two, 2, 0, 64, 0, b, 1},
                                 {&two, 4, 4, 64, 0, a, 1}};
    struct stlf_part part = {.point = point, .count = sizeof point / sizeof *point};
    static const size_t order[] = {1, 3, 0, 4, 2};
    stlf_arrange(&part);
    for (size_t i = 0; i < part.count; i++)
        assert_ptr_equal(part.order[i], &point[order[i]]);
    for (size_t i = 0; i < 3; i++) {
        assert_ptr_equal(part.series[i].name, part.order[i * 2]->series);
        assert_int_equal(part.series[i].last, i < 2 ? 2 : 1);
    }
    assert_null(part.series[3].name);
    free(part.order);
    free(part.series);
}
