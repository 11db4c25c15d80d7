/* SPDX-License-Identifier: MIT */
#include <fcntl.h>

#include "fixture.h"

/* Shows progress on a terminal that the test opens, and returns the output; NULL where the machine offers no
 * terminal. */
static char *shown_on_terminal(bool wanted, bool in_report)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        return NULL;
    int terminal = open(ptsname(master), O_RDWR | O_NOCTTY), kept = dup(STDERR_FILENO);
    assert_true(terminal >= 0 && dup2(terminal, STDERR_FILENO) == STDERR_FILENO);
    struct progress *progress = progress_new(wanted);
    if (in_report)
        progress_part(progress, "ram", 1, 4, 60);
    for (int i = 0; i < 1000; i++)
        progress_show(progress, 0.25, 3725, "sizes\033");
    progress_free(progress);
    dup2(kept, STDERR_FILENO);
    close(kept);
    struct text text = {0};
    char part[4096];
    for (ssize_t got; (got = read(master, part, sizeof(part))) > 0;)
        text_add_bytes(&text, part, (size_t)got);
    close(terminal);
    close(master);
    return own_text(text_take(&text));
}

TEST(one_line_that_is_cleared)
{
    unsetenv("CI");
    setenv("TERM", "xterm", 1);
    char *got = shown_on_terminal(true, false);
    if (!got)
        SKIP_BECAUSE("no pseudo-terminal");
    assert_int_equal(strncmp(got, "\r\033[K 25 %  1h02m left  sizes", 28), 0);
    assert_null(strchr(got, '\n'));
    assert_string_equal(got + strlen(got) - 4, "\r\033[K");
    assert_has(shown_on_terminal(true, true), "\r\033[K 31 %  1h03m left  ram: sizes");
    assert_string_equal(shown_on_terminal(false, false), "");
    setenv("CI", "true", 1);
    assert_string_equal(shown_on_terminal(true, false), "");
    unsetenv("CI");
    setenv("TERM", "dumb", 1);
    assert_string_equal(shown_on_terminal(true, false), "");
}

TEST(no_terminal_no_progress)
{
    int kept = dup(STDERR_FILENO), none = open("/dev/null", O_WRONLY);
    dup2(none, STDERR_FILENO);
    struct progress *progress = progress_new(true);
    progress_show(progress, NAN, -1, NULL);
    progress_free(progress);
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(none);
    assert_null(progress);
}
