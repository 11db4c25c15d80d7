/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "output/output.h"
#include "uarchprobe/clock.h"

/* Ten updates a second are enough for the eye; more would disturb the measurement. */
static const uint64_t PAUSE_NS = 100000000;

struct progress {
    uint64_t shown_ns; /* when it was last; 0: it never was */
    const char *part;  /* NULL: progress is that of the whole run */
    int index, count;
    double after_s;   /* time that later parts take */
    const char *turn; /* of several turns of the part that take equally long; NULL: it has one */
    int turns_over, turns;
};

struct progress *progress_new(bool wanted)
{
    const char *term = getenv("TERM"), *ci = getenv("CI");
    bool dumb = term && strcmp(term, "dumb") == 0;
    if (!wanted || !isatty(STDERR_FILENO) || dumb || (ci && *ci))
        return NULL;
    return memory_zeroed(1, sizeof(struct progress));
}

/* "1h02m", "2m05s", "7s". */
static void add_time(struct text *line, double seconds)
{
    const long whole = lround(fmin(fmax(seconds, 0), 359999)), minutes = whole / 60;
    if (minutes >= 60)
        text_printf(line, "%ldh%02ldm", minutes / 60, minutes % 60);
    else if (minutes > 0)
        text_printf(line, "%ldm%02lds", minutes, whole % 60);
    else
        text_printf(line, "%lds", whole);
}

void progress_show(struct progress *progress, double done, double eta_s, const char *what)
{
    const uint64_t now_ns = clock_now_ns();
    if (!progress || now_ns - progress->shown_ns < PAUSE_NS)
        return;
    progress->shown_ns = now_ns;
    double share = done > 1 ? 1 : done >= 0 ? done : 0; /* NaN: 0 */
    if (progress->turn) {
        const int left = progress->turns - progress->turns_over - 1;
        eta_s = eta_s >= 0 && share < 1 ? eta_s * (1 + left / (1 - share)) : eta_s;
        share = (progress->turns_over + share) / progress->turns;
    }
    if (progress->part) {
        share = (progress->index + share) / progress->count;
        eta_s = eta_s >= 0 ? eta_s + progress->after_s : eta_s;
    }
    struct text line = {0};
    text_printf(&line, "\r\033[K%3d %%", (int)(100 * share));
    if (eta_s >= 0) {
        text_add(&line, "  ");
        add_time(&line, eta_s);
        text_add(&line, " left");
    }
    if (progress->part)
        text_printf(&line, "  %s", progress->part);
    if (progress->turn)
        text_printf(&line, "%s%s", progress->part ? ": " : "  ", progress->turn);
    if (what) {
        text_add(&line, progress->part || progress->turn ? ": " : "  ");
        text_add_printable(&line, what);
    }
    ssize_t ignored = write(STDERR_FILENO, line.data, line.length);
    (void)ignored;
    text_free(&line);
}

void progress_part(struct progress *progress, const char *name, int index, int count, double after_s)
{
    if (!progress)
        return;
    progress->part = name;
    progress->index = index;
    progress->count = count;
    progress->after_s = after_s;
}

void progress_turn(struct progress *progress, const char *name, int over, int count)
{
    if (!progress)
        return;
    progress->turn = name;
    progress->turns_over = over;
    progress->turns = count;
}

void progress_free(struct progress *progress)
{
    if (!progress)
        return;
    if (progress->shown_ns > 0) {
        ssize_t ignored = write(STDERR_FILENO, "\r\033[K", 4);
        (void)ignored;
    }
    free(progress);
}
