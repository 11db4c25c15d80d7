/* SPDX-License-Identifier: MIT */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

#include "output/svg/elements.h"
#include "result/subject.h"

enum {
    CELLS_MAX = 3000,
    CELLS_OPEN = 600
}; /* of a table on a page, and of one that has no picture and is not folded */

void html_element(struct text *out, const char *name, const char *class, const char *text)
{
    if (!*text)
        return;
    text_printf(out, "<%s%s%s%s>", name, class ? " class=\"" : "", class ? class : "", class ? "\"" : "");
    svg_escape(out, text);
    text_printf(out, "</%s>\n", name);
}

/* Most cells are numbers, so that it is the texts which have a class. */
static void add_cell(struct text *out, const char *name, const char *text, bool number, bool best)
{
    const bool heading = name[1] == 'h';
    const char *class = heading && number ? " class=\"n\"" : best ? " class=\"best\"" : "";
    text_printf(out, "<%s%s>", name, heading || number ? class : " class=\"x\"");
    svg_escape(out, text);
    text_printf(out, "</%s>", name);
}

void html_grid(struct text *out, const struct grid *grid)
{
    bool headed = false;
    for (int i = 0; i < grid->column_count; i++)
        headed |= *grid->column[i].heading != '\0';
    text_add(out, headed ? "<div class=\"scroll\"><table>\n<thead><tr>" : "<div class=\"scroll\"><table>\n");
    for (int i = 0; i < grid->column_count && headed; i++)
        add_cell(out, "th", grid->column[i].heading, grid->column[i].number, false);
    text_add(out, headed ? "</tr></thead>\n<tbody>\n" : "<tbody>\n");
    for (size_t row = 0; row < grid->row_count; row++) {
        text_add(out, "<tr>");
        for (int i = 0; i < grid->column_count; i++)
            add_cell(out, i < grid->label_columns ? "th" : "td", grid_at(grid, row, i)->text,
                     grid->column[i].number, grid_at(grid, row, i)->best);
        text_add(out, "</tr>\n");
    }
    text_add(out, "</tbody>\n</table></div>\n");
}

void html_table(struct text *out, const struct record_table *table)
{
    const struct view *view = &table->spec->view;
    const bool all_shown = view->shown <= 0 && view->state <= 0;
    size_t count = 0, cells = table->row_count;
    struct plot *plots = all_shown && cells > CELLS_MAX ? NULL : plots_of(table, &count);
    for (size_t i = 0; i < count; i++)
        cells = grid_cells(&plots[i]) + (i > 0 ? cells : 0);
    if (cells > CELLS_MAX)
        text_printf(out, "<p class=\"m\">%zu rows: too many for this page; %s.</p>\n", table->row_count,
                    table->row_count > ROWS_MOST ? "-f json has them" : "they are in its data");
    else if (count > 0)
        text_printf(out, "<details%s><summary>Table (%zu row%s)</summary>\n",
                    table->spec->view.kind == VIEW_LIST && cells <= CELLS_OPEN ? " open" : "",
                    table->row_count, table->row_count == 1 ? "" : "s");
    for (size_t i = 0; i < count && cells <= CELLS_MAX; i++) {
        struct grid grid = grid_of_plot(&plots[i]);
        html_element(out, "p", "m", grid.caption ? grid.caption : "");
        html_grid(out, &grid);
        grid_free(&grid);
    }
    text_add(out, count > 0 && cells <= CELLS_MAX ? "</details>\n" : "");
    plots_free(plots, count);
}

/* Titles are not in a document that was loaded. */
static const struct {
    const char *path, *title, *unit;
} machine[] = {
    {"host.cpu.brand", "CPU", NULL},
    {"host.cpu.codename", "code name", NULL},
    {"host.cpu.codename_note", "code name from", NULL},
    {"host.cpu.family", "family", NULL},
    {"host.cpu.model", "model", NULL},
    {"host.cpu.stepping", "stepping", NULL},
    {"host.cpu.microcode", "microcode", NULL},
    {"host.arch", "architecture", NULL},
    {"host.kernel", "kernel", NULL},
    {"host.hypervisor", "hypervisor", NULL},
    {"host.topology.packages", "packages", NULL},
    {"host.topology.numa_nodes", "NUMA nodes", NULL},
    {"host.topology.l3_groups", "L3 groups", NULL},
    {"host.topology.cores", "cores", NULL},
    {"host.topology.cpus", "CPUs", NULL},
    {"host.topology.allowed", "CPUs allowed", NULL},
    {"host.memory_bytes", "memory", "Byte"},
    {"host.page_size", "page size", "Byte"},
    {"host.thp", "transparent huge pages", NULL},
    {"host.governor", "governor", NULL},
    {"host.turbo", "turbo", NULL},
    {"clock.source", "clock", NULL},
    {"clock.resolution_ns", "clock resolution", "ns"},
    {"clock.core_ghz.median", "core clock, median", "GHz"},
    {"tool.version", "uarchprobe", NULL},
    {"tool.git", "commit", NULL},
    {"tool.compiler", "compiler", NULL},
    {"run.started", "started", NULL},
    {"run.seconds", "duration", "s"},
};

static void add_row(struct grid *grid, struct text *title, struct text *value)
{
    struct grid_cell *cell = &grid->cell[2 * grid->row_count++];
    cell[0].text = text_take(title);
    cell[1].text = text_take(value);
}

void html_machine(struct text *out, const struct record *record)
{
    enum { FACTS = sizeof(machine) / sizeof(machine[0]), CACHES_MOST = 16 };
    struct grid grid = grid_new(2, FACTS + CACHES_MOST);
    struct text title = {0}, value = {0};
    struct host_cache cache;
    grid.row_count = 0;
    grid.label_columns = 1;
    for (int i = 0; i < 2; i++)
        grid.column[i].heading = text_copy_valid("");
    for (size_t i = 0; i < FACTS; i++) {
        const struct fact *fact = record_fact_find(record, machine[i].path);
        if (!fact || !cell_has_value(&fact->value))
            continue;
        text_add(&title, machine[i].title);
        if (fact->value.type != CELL_REAL) {
            text_add_value(&value, &fact->value, machine[i].unit);
        } else {
            text_add_cell_human(&value, &fact->value, 2);
            text_printf(&value, "%s%s", machine[i].unit ? " " : "", machine[i].unit ? machine[i].unit : "");
        }
        add_row(&grid, &title, &value);
    }
    for (int i = 0; i < CACHES_MOST && subject_cache(record, i, &cache); i++) {
        text_printf(&title, "L%d %s cache", cache.level, cache.type);
        text_add_size_rounded(&value, cache.bytes);
        add_row(&grid, &title, &value);
    }
    text_add(out, "<section id=\"machine\">\n<h2>Machine and run</h2>\n");
    html_grid(out, &grid);
    text_add(out, "</section>\n");
    grid_free(&grid);
}
