#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/gates on small trees. $1: the root of the source tree.
set -u
root=$1
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
failed=0
mkdir -p "$tree/src/bench/ram" "$tree/scripts"
: >"$tree/scripts/exceptions.tsv"

# finds NAME GATE...: these gates find src/bench/ram/a.c, which is standard input, and no other does.
finds() {
    name=$1
    shift
    cat >"$tree/src/bench/ram/a.c"
    found=$(sh "$root/scripts/gates" --list "$tree" | cut -f1 | tr '\n' ' ')
    if [ "$found" = "${*:+$* }" ]; then
        echo "ok $name"
    else
        echo "not ok $name: found ${found:-nothing}"
        failed=1
    fi
}

# breaches NAME CODE COUNT: the exit code and the number of lines.
breaches() {
    found=$(sh "$root/scripts/gates" "$tree")
    code=$?
    if [ "$code" -eq "$2" ] && [ "$(printf '%s' "$found" | grep -c '')" -eq "$3" ]; then
        echo "ok $1"
    else
        echo "not ok $1: exit code $code"
        printf '%s\n' "$found" | sed 's/^/    /'
        failed=1
    fi
}

finds "nothing in a bench of rows" <<'END'
#include "clock.h"
/* clock_ticks() in a comment,
 * memory_map(x) in its second line. */
#define SIZES(n) 2 * (n)
static const struct metric metrics[] = {
    {.key = "a", .label = "verdict_of(x) in a text"}, {0}};
static const char *const names[] = {"a", NULL}, letters[] = "abc";
static enum status (*const ways[])(struct run *run, void (*take)(void)) = {one};
struct forward;
enum { A, B };
extern const struct command command;
const struct command command = {.name = "a"};
static bool run_all(struct ram *ram, void (*work)(void *context, int member))
{
    static const double SHARE = 0.5;
    my_clock_ticks();
    return strcmp(ram->monkey, names[0]) == 0;
}
END
finds "a thread, also over two lines" thread <<'END'
static void run(void)
{
    struct team *team =
        team_new(2);
}
END
finds "memory" memory <<'END'
static void run(void)
{
    memory_map(&one, &request, fault);
}
END
finds "clocks" clock <<'END'
static double now(void)
{
    return clock_now_ns() - (double)clock_ticks();
}
END
finds "grades" grade <<'END'
static void judge(void)
{
    answer.trust = verdict_capped(LIMITED_BY_NONE, LIMITED_BY_NONE).trust;
}
END
finds "keys that are formed" key <<'END'
static void add(void)
{
    record_answer(record, (struct answer){.label = "a",
                                          .key = record_text(record, "ram.%d", 1)});
    snprintf(map.key, sizeof map.key, "a.%u", 1);
}
END
finds "statics that change" static <<'END'
static const struct kernel *draw;
END
finds "... in a function" static <<'END'
static double load(void)
{
    static uint64_t state = 1;
    return 0;
}
END
finds "... and what all files see" static <<'END'
uint64_t turn;
END
finds "macros that fill members" macro <<'END'
#define EDGE(name, x)                                                                                        \
    {                                                                                                        \
        .key = name, .kind = METRIC_LEVEL_END, .last = x                                                           \
    }
END
finds "keys that are compared" strcmp <<'END'
static bool is_it(const struct answer *answer)
{
    return strcmp(answer->key, "a") == 0;
}
END
breaches "a file that is not in the list is a breach" 1 1
printf 'strcmp\tsrc/bench/ram/a.c\n' >"$tree/scripts/exceptions.tsv"
breaches "one in the list is none" 0 0
printf 'strcmp\tsrc/bench/ram/a.c\nclock\tsrc/bench/ram/a.c\nclock\tsrc/bench/ram/gone.c\n' >"$tree/scripts/exceptions.tsv"
breaches "a row whose file is clean, or gone, is a breach" 1 2
exit $failed
