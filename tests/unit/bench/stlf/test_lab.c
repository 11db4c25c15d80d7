/* SPDX-License-Identifier: MIT */

#include "bench/stlf/lab.h"

#include "test.h"

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
