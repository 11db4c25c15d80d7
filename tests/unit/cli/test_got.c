/* SPDX-License-Identifier: MIT */
#include "cli/got.h"

#include "../output/fixture.h"

static const struct cpu guest = {.hypervisor = "KVM"}, host = {.hypervisor = "none"};
static const struct topology four = {.cores = 4, .cpus = 4, .l3_groups = 1, .place_count = 4};
static const struct topology siblings = {.cores = 2, .cpus = 4, .l3_groups = 1, .place_count = 4};
static const struct topology one = {.cores = 1, .cpus = 1, .l3_groups = 1, .place_count = 1};

static struct record *add_part(struct record *record, const char *command)
{
    struct record *child = record_child_add(record);
    RECORD_FACTS(child, {"run.command", .value = TEXT_CELL(command)});
    return child;
}

static void add_buffer(struct record *record, double busy)
{
    struct record *child = add_part(record, "sb-capacity");
    RECORD_FACTS(child, {"run.sibling_active", .value = REAL_CELL(busy)});
}

static void add_pairs(struct record *record, int changes, double shared, int groups)
{
    struct record *child = add_part(record, "core-latency");
    RECORD_FACTS(child, {"run.seconds", .value = REAL_CELL(0.5)},
                 {"run.placement_changes", .value = INTEGER_CELL(changes)});
    record_finding(child, (struct finding){.key = "transfer.one_l3", .value = REAL_CELL(80)});
    if (shared > 0)
        record_finding(child, (struct finding){.key = "placement.shared_core", .value = REAL_CELL(shared)});
    if (groups > 0)
        record_finding(child, (struct finding){.key = "placement.hidden_l3", .value = INTEGER_CELL(groups)});
}

static void assert_answers(const struct record *record, const char *const begins[4])
{
    static const char *const paths[] = {"got.whole_core", "got.share_cores", "got.moved", "got.as_claimed"};
    for (int i = 0; i < 4; i++) {
        const char *answer = cell_text(&record_fact_find(record, paths[i])->value);
        if (strncmp(answer, begins[i], strlen(begins[i])) != 0)
            fail_msg("%s: '%s' does not begin with '%s'", paths[i], answer, begins[i]);
    }
}

#define ANSWERS(record, cpu, topology, ...)                                                                  \
    got_record(record, cpu, topology);                                                                       \
    assert_answers(record, (const char *const[4]){__VA_ARGS__});                                             \
    record_free(record)

static void nothing_measured_tells_nothing(void **state)
{
    struct record *record = record_new();
    ANSWERS(record, &guest, &four, "cannot tell", "cannot tell", "cannot tell", "cannot tell");
}

static void a_busy_neighbour_is_half_a_core(void **state)
{
    struct record *record = record_new();
    add_buffer(record, 0.7);
    add_pairs(record, 0, 0, 0);
    ANSWERS(record, &guest, &four, "no, one thread of it: a neighbour on the other was busy 70 %",
            "no, not within 0.5 s", "no, not within", "no: 4 cores");
}

static void a_quiet_guest_proves_nothing(void **state)
{
    struct record *record = record_new();
    add_buffer(record, 0);
    add_pairs(record, 0, 0, 0);
    ANSWERS(record, &guest, &four, "cannot tell", "no", "no", "yes, as far as seen");
}

static void a_quiet_machine_is_what_it_shows(void **state)
{
    struct record *record = record_new();
    add_buffer(record, 0);
    add_pairs(record, 0, 0, 0);
    ANSWERS(record, &host, &four, "yes", "no", "no: there is no hypervisor", "yes");
}

static void shown_siblings_are_threads(void **state)
{
    struct record *record = record_new();
    add_buffer(record, 0.2);
    add_pairs(record, 0, 0, 0);
    ANSWERS(record, &host, &siblings, "no, a CPU is a thread of a core, as shown; the other was busy 20 %",
            "yes, SMT siblings do", "no", "yes");
}

static void a_host_that_moves_and_hides_is_named(void **state)
{
    struct record *record = record_new();
    add_buffer(record, 0);
    add_pairs(record, 6, 0.016, 2);
    ANSWERS(record, &guest, &four, "cannot tell", "yes, two shown as separate cores were on one in 1.6 %",
            "yes, pairs changed their distance 6 times",
            "no: 4 cores, 1 L3 are shown; found: cores that are one, at");
}

static void one_cpu_has_no_pairs(void **state)
{
    struct record *record = record_new();
    add_buffer(record, NAN);
    add_part(record, "core-latency");
    ANSWERS(record, &guest, &one, "cannot tell", "no: there is one CPU", "cannot tell", "cannot tell");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_measured_tells_nothing),
        cmocka_unit_test(a_busy_neighbour_is_half_a_core),
        cmocka_unit_test(a_quiet_guest_proves_nothing),
        cmocka_unit_test(a_quiet_machine_is_what_it_shows),
        cmocka_unit_test(shown_siblings_are_threads),
        cmocka_unit_test(a_host_that_moves_and_hides_is_named),
        cmocka_unit_test(one_cpu_has_no_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
