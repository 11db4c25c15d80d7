/* SPDX-License-Identifier: MIT */
/* cmocka's skip() with a reason, which scripts/test shows. */
#ifndef TEST_SKIP_H
#define TEST_SKIP_H

#define SKIP_BECAUSE(reason)                                                                                 \
    do {                                                                                                     \
        print_message("skipped: %s\n", reason);                                                              \
        skip();                                                                                              \
    } while (0)

#endif
