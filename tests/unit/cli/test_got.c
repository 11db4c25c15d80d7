/* SPDX-License-Identifier: MIT */
#include "cli/facts.h"

#include "../output/fixture.h"

static const struct cpu guest = {.hypervisor = "KVM"}, host = {.hypervisor = "none"};
static struct cpu_place four_cores[] = {
    {.id = 0}, {.id = 1, .core = 1}, {.id = 2, .core = 2}, {.id = 3, .core = 3}};
static struct cpu_place two_cores[] = {
    {.id = 0}, {.id = 1, .core = 1, .l3 = 1}, {.id = 2}, {.id = 3, .core = 1, .l3 = 1}};
static struct cpu_place unknown[] = {{.core = -1, .l3 = -1, .node = -1, .package = -1}};
static const struct topology four = {
    .cores = 4, .cpus = 4, .l3_groups = 1, .place_count = 4, .place = four_cores};
static const struct topology siblings = {
    .cores = 2, .cpus = 4, .l3_groups = 2, .place_count = 4, .place = two_cores};
static const struct topology one = {
    .cores = 1, .cpus = 1, .l3_groups = 1, .place_count = 1, .place = unknown};

static struct record *add_part(struct record *record, const char *command)
{
    struct record *child = record_child_add(record);
    RECORD_FACTS(child, {"run.command", .value = TEXT_CELL(command)});
    return child;
}

static void add_buffer(struct record *record, double busy)
{
    struct record *child = add_part(record, "sb-capacity");
    child->conditions = (struct conditions){.sibling_share = busy, .seconds = 1};
}

static void add_pairs(struct record *record, double seconds, int changes, double shared, int groups)
{
    struct record *child = add_part(record, "core-latency");
    RECORD_FACTS(child, {"run.seconds", .value = REAL_CELL(seconds)},
                 {"run.placement_changes", .value = INTEGER_CELL(changes)});
    found(child, "transfer.one_l3", REAL_CELL(80), NULL, TRUST_LOW);
    if (shared > 0)
        found(child, "placement.shared_core", REAL_CELL(shared), NULL, TRUST_LOW);
    if (groups > 0)
        found(child, "placement.hidden_l3", INTEGER_CELL(groups), NULL, TRUST_LOW);
}

static void assert_answers(const struct record *record, const char *const begins[4])
{
    static const char *const paths[] = {"got.whole_core", "got.share_cores", "got.moved", "got.as_claimed"};
    for (int i = 0; i < 4; i++) {
        const char *answer = value_of(record, paths[i]).text;
        if (strncmp(answer, begins[i], strlen(begins[i])) != 0)
            fail_msg("%s: '%s' does not begin with '%s'", paths[i], answer, begins[i]);
    }
}

#define ANSWERS(record, cpu, topology, ...)                                                                  \
    got_record(record, cpu, topology);                                                                       \
    assert_answers(record, (const char *const[4]){__VA_ARGS__})

TEST(nothing_measured_tells_nothing)
{
    struct record *record = record_of(NULL);
    ANSWERS(record, &guest, &four, "cannot tell", "cannot tell", "cannot tell", "cannot tell");
}

/* Half a second of pairs, and how busy a sibling was. */
TEST(answers_follow_from_what_was_measured)
{
    static const struct {
        const struct cpu *cpu;
        const struct topology *topology;
        double busy;
        int changes;
        double shared;
        int groups;
        const char *answers[4];
    } cases[] = {
        {&guest,
         &four,
         0.7,
         0,
         0,
         0,
         {"no, one thread of it: a neighbour on the other was busy 70 %", "not seen (0.5 s)",
          "not seen (0.5 s)", "no: 4 cores"}},
        {&guest, &four, 0, 0, 0, 0, {"cannot tell", "not seen", "not seen", "yes, as far as seen"}},
        {&host, &four, 0, 0, 0, 0, {"yes", "no", "no: there is no hypervisor", "yes"}},
        {&host,
         &siblings,
         0.2,
         0,
         0,
         0,
         {"no, a CPU is a thread of a core, as shown; the other was busy 20 %", "yes, SMT siblings do", "no",
          "yes"}},
        {&guest,
         &four,
         0,
         6,
         0.016,
         2,
         {"cannot tell", "yes, two shown as separate cores were on one in 1.6 %",
          "yes, pairs changed their distance 6 times",
          "no: 4 cores, 1 L3 are shown; found: cores that are one, at"}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct record *record = record_of(NULL);
        add_buffer(record, cases[i].busy);
        add_pairs(record, 0.5, cases[i].changes, cases[i].shared, cases[i].groups);
        got_record(record, cases[i].cpu, cases[i].topology);
        assert_answers(record, cases[i].answers);
    }
}

/* A host that moves CPUs is often not seen to within three seconds. */
TEST(no_takes_ten_seconds)
{
    for (int enough = 0; enough < 2; enough++) {
        struct record *record = record_of(NULL);
        add_buffer(record, 0);
        add_pairs(record, enough ? 10 : 9.9, 0, 0, 0);
        ANSWERS(record, &guest, &four, "cannot tell", enough ? "no," : "not seen",
                enough ? "no," : "not seen", "yes");
    }
}

/* Cut before a pair had its time, but not before one was seen to move. */
TEST(what_moved_was_looked_at)
{
    struct record *record = record_of(NULL), *child = add_part(record, "core-latency");
    RECORD_FACTS(child, {"run.seconds", .value = REAL_CELL(0.5)},
                 {"run.placement_changes", .value = INTEGER_CELL(3)});
    ANSWERS(record, &guest, &four, "cannot tell", "not seen",
            "yes, pairs changed their distance 3 times in 0.5 s", "cannot tell");
}

TEST(caches_are_those_of_data)
{
    static const struct topology cached = {
        .place_count = 1,
        .place = unknown,
        .cache_count = 3,
        .cache = {{1, 'd', 48 << 10, 64, 12, 1}, {1, 'i', 32 << 10, 64, 8, 1}, {2, 'u', 2 << 20, 64, 16, 1}}};
    struct record *record = record_of(NULL);
    got_record(record, &host, &cached);
    assert_string_equal(value_of(record, "got.caches").text, "L1 48 KiB, L2 2 MiB; lines of 64 bytes");
    got_record(record, &host, &one);
    assert_string_equal(value_of(record, "got.caches").text, "cannot tell: the system does not show them");
}

TEST(memory_is_that_of_one_and_of_all)
{
    struct record *record = record_of(NULL);
    struct record *ram = add_part(record, "ram");
    got_record(record, &host, &four);
    assert_string_equal(value_of(record, "got.memory").text, "not measured: run uarchprobe ram");
    found(ram, "ram.DRAM.read", REAL_CELL(0x1p34), NULL, TRUST_HIGH);
    found(ram, "ram.all.read", REAL_CELL(0x1p35), NULL, TRUST_LOW);
    got_record(record, &host, &four);
    assert_string_equal(value_of(record, "got.memory").text,
                        "16 GiB/s by one thread, 32 GiB/s by all 4 CPUs (low trust)");
}
