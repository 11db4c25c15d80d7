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
    text_add(out, "<div class=\"scroll\"><table>\n<thead><tr>");
    for (int i = 0; i < grid->column_count; i++)
        add_cell(out, "th", grid->column[i].heading, grid->column[i].number, false);
    text_add(out, "</tr></thead>\n<tbody>\n");
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

static void add_row(struct text *out, const char *title, const char *value)
{
    text_add(out, "<tr>");
    add_cell(out, "th", title, false, false);
    add_cell(out, "td", value, false, false);
    text_add(out, "</tr>\n");
}

static void add_fact(struct text *out, const struct record *record, const char *path, const char *title,
                     const char *unit)
{
    const struct fact *fact = record_fact_find(record, path);
    if (!fact || !cell_has_value(&fact->value))
        return;
    struct text value = {0};
    if (fact->value.type == CELL_REAL) {
        text_add_cell_human(&value, &fact->value, 2);
        if (unit)
            text_printf(&value, " %s", unit);
    } else {
        text_add_value(&value, &fact->value, unit);
    }
    char *shown = text_take(&value);
    add_row(out, title, shown);
    free(shown);
}

static void add_caches(struct text *out, const struct record *record)
{
    struct host_cache cache;
    for (int i = 0; subject_cache(record, i, &cache); i++) {
        struct text title = {0}, bytes = {0};
        text_printf(&title, "L%d %s cache", cache.level, cache.type);
        text_add_size_rounded(&bytes, cache.bytes);
        add_row(out, title.data, bytes.data);
        text_free(&title);
        text_free(&bytes);
    }
}

void html_machine(struct text *out, const struct record *record)
{
    text_add(out,
             "<section id=\"machine\">\n<h2>Machine and run</h2>\n<div class=\"scroll\"><table>\n<tbody>\n");
    for (size_t i = 0; i < sizeof(machine) / sizeof(machine[0]); i++)
        add_fact(out, record, machine[i].path, machine[i].title, machine[i].unit);
    add_caches(out, record);
    text_add(out, "</tbody>\n</table></div>\n</section>\n");
}
