/* SPDX-License-Identifier: MIT */
#include "output/conditions.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "result/subject.h"

/* Times as long as planned from which it says something. */
static const double LATE = 1.5;

char *conditions_text(const struct record *record)
{
    const double sibling = record_fact_number(record, "run.conditions.sibling_share");
    const double low = record_fact_number(record, "run.conditions.clock_ghz.p5");
    const double high = record_fact_number(record, "run.conditions.clock_ghz.p95");
    const double steal = record_fact_number(record, "run.conditions.steal_share");
    const double moves = record_fact_number(record, "run.conditions.placement_changes");
    const double seconds = record_fact_number(record, "run.measured_seconds");
    const double planned = record_fact_number(record, "run.planned_seconds");
    struct text text = {0};
    if (record_is_emulated(record))
        text_add(&text, ", emulated: no CPU's times");
    if (fact_is(record, "run.conditions.guest", true))
        text_printf(&text, ", %s guest", fact_text(record, "run.conditions.hypervisor", "a hypervisor's"));
    else if (fact_is(record, "run.conditions.guest", false))
        text_add(&text, ", no hypervisor");
    if (sibling >= 0)
        text_printf(&text, ", sibling busy %.0f %%", 100 * sibling);
    if (low > 0 && high > 0)
        text_printf(&text, high - low < 0.05 ? ", %.2f GHz" : ", %.2f to %.2f GHz", low, high);
    if (steal >= 0.005)
        text_printf(&text, ", %.0f %% stolen", 100 * steal);
    if (moves > 0)
        text_printf(&text, ", CPUs moved %.0f time%s", moves, moves == 1 ? "" : "s");
    if (planned > 0 && seconds > LATE * planned)
        text_printf(&text, ", took %.2g s, %.2g planned", seconds, planned);
    char *list = text_take(&text);
    text_add(&text, *list ? list + 2 : "");
    free(list);
    return text_take(&text);
}
