/* SPDX-License-Identifier: MIT */
#include "engine/published.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/text.h"
#include "engine/engine_internal.h"

EMBED(cores_table, CORES_TSV);

const char *const basis_words[] = {"documented", "reported", "measured", "inferred"};

static struct {
    char **field;
    struct published *row;
    size_t count;
} table;

/* Parses the table once; it is never freed. */
static void parse_table(void)
{
    enum { CORES, QUANTITY, VALUE, UNIT, SMT, BASIS, SOURCE, DATE, COLUMNS };
    char *const *column = table.field = embedded_rows(cores_table, COLUMNS, &table.count);

    table.row = memory_zeroed(table.count, sizeof *table.row);
    for (struct published *row = table.row; row < table.row + table.count; row++, column += COLUMNS) {
        char *end;
        *row = (struct published){.cores = column[CORES],
                                  .quantity = column[QUANTITY],
                                  .unit = column[UNIT],
                                  .smt = column[SMT],
                                  .source = column[SOURCE],
                                  .date = column[DATE]};
        while (row->basis < INFERRED && strcmp(basis_words[row->basis], column[BASIS]) != 0)
            row->basis++;
        row->low = row->high = strtod(column[VALUE], &end);
        if (*end == '-')
            row->high = strtod(end + 1, &end);
        row->value = (row->low + row->high) / 2;
    }
}

static bool names_core(const char *cores, const char *core)
{
    const size_t length = strlen(core);
    for (const char *at = cores; at; at = strchr(at, ';') ? strchr(at, ';') + strlen("; ") : NULL)
        if (strncmp(at, core, length) == 0 && (at[length] == '\0' || at[length] == ';'))
            return true;
    return false;
}

const struct published *core_published(const char *core, const char *quantity, size_t n)
{
    static pthread_once_t parsed = PTHREAD_ONCE_INIT;
    pthread_once(&parsed, parse_table);
    for (const struct published *row = table.row; core && row < table.row + table.count; row++)
        if ((!quantity || strcmp(row->quantity, quantity) == 0) &&
            (strcmp(core, "*") == 0 || names_core(row->cores, core)) && n-- == 0)
            return row;
    return NULL;
}

static bool names_core_of(const char *cores, const char *vendor)
{
    const char *core;
    for (size_t n = 0; (core = cpu_vendor_core(vendor, n)) != NULL; n++)
        if (names_core(cores, core))
            return true;
    return false;
}

/* Sources differ by two entries about one core: Golden Cove's store buffer has 112 by Intel, 114 as
 * measured. */
bool published_has_double(const char *vendor, const char *quantity, double count)
{
    static const double NEAR = 2;
    const struct published *row;
    for (size_t n = 0; (row = core_published("*", quantity, n)) != NULL; n++)
        if (row->high >= 2 * count - NEAR && row->low <= 2 * count + NEAR &&
            names_core_of(row->cores, vendor))
            return true;
    return false;
}

struct published_range published_range(const char *core, const char *quantity)
{
    struct published_range range = {core ? AGREEMENT_MISSING : AGREEMENT_UNKNOWN, NAN, NAN};
    double low = NAN, high = NAN; /* of the common part of all ranges */
    const struct published *row;

    for (size_t n = 0; (row = core_published(core, quantity, n)) != NULL; n++) {
        range.least = fmin(range.least, row->low);
        range.most = fmax(range.most, row->high);
        low = fmax(low, row->low);
        high = fmin(high, row->high);
        const double apart =
            strstr(row->unit, "cycle") ? fmax(promise_core.relative * high, promise_core.absolute) : 1;
        range.agreement = low - high > apart + 1e-9 ? AGREEMENT_DISPUTED : AGREEMENT_PUBLISHED;
    }
    return range;
}

/* Only counts and cycles are compared: times and rates have another unit, and a bound is no value. */
static bool differs(const struct answer *answer, const char *core, const char *quantity)
{
    const double value = cell_number(&answer->value);
    const bool count = answer->value.type == CELL_INTEGER;
    const double share = answer->trust == TRUST_HIGH ? answer->within : MEDIUM;
    const double near = fmax(count ? answer->within_absolute : promise_core.absolute, share * fabs(value));
    const double least = fmin(value - near, cell_number(&answer->low)),
                 most = answer_is_bound(answer) ? INFINITY : fmax(value + near, cell_number(&answer->high));
    bool apart = !isnan(value) && (count || (answer->unit && strstr(answer->unit, "cycle")));
    size_t n = 0;
    for (const struct published *row; (row = core_published(core, quantity, n)) != NULL; n++)
        apart &= least > row->high || most < row->low;
    return apart && n > 0;
}

static struct cell cell_like(const struct cell *answer, double value)
{
    return answer->type == CELL_INTEGER && !isnan(value) ? INTEGER_CELL(value) : REAL_CELL(value);
}

void published_quote(struct record *record, const char *core, const char *key, const char *quantity)
{
    const struct published_range range = published_range(core, quantity);
    const struct published *row = core_published(core, quantity, 0);
    const struct answer *answer = record_answer_find(record, key, NULL);
    struct text source = {0};
    if (!core || !answer)
        return;
    if (row)
        text_printf(&source, "%s: %s, %s", basis_words[row->basis], row->source, row->date);
    const enum quote_agreement agreement =
        differs(answer, core, quantity) ? AGREEMENT_DIFFERS : range.agreement;
    record_quote(record, key,
                 (struct quote){.value = cell_like(&answer->value, row ? row->value : NAN),
                                .unit = row ? row->unit : NULL,
                                .source = source.data,
                                .agreement = agreement,
                                .least = cell_like(&answer->value, range.least),
                                .most = cell_like(&answer->value, range.most)});
    text_free(&source);
}
