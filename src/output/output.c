/* SPDX-License-Identifier: MIT */
/* Joins a record, a format and a destination. */
#include "output/output.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/destination.h"
#include "output/format.h"
#include "output/keys.h"
#include "output/page.h"
#include "output/scratch.h"
#include "result/subject.h"

const struct format *const formats[] = {
#define X(name) &name##_format,
    FORMAT_LIST(X)
#undef X
        NULL};

const char *const format_names[] = {
#define X(name) #name,
    FORMAT_LIST(X)
#undef X
        NULL};

int output_format(const char *name)
{
    int index = 0;
    while (strcmp(format_names[index], name) != 0)
        index++;
    return index;
}

const char *const color_names[] = {"auto", "always", "never", NULL};
enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct output {
    const struct format *format;
    struct style style;
    struct output_choice choice;
    struct record *record;
    struct destination *destination;
};

const struct format *format_of_path(const char *path)
{
    const char *name = strrchr(path, '/');
    const char *extension = strrchr(name ? name : path, '.');
    for (size_t i = 0; extension && formats[i]; i++)
        if (strcmp(formats[i]->extension, extension) == 0)
            return formats[i];
    return formats[0];
}

static int terminal_width(bool terminal, int descriptor)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    int width = columns ? atoi(columns) : 0;
    if (terminal && width <= 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    return width >= 40 ? width : 80;
}

/* Returns the variable, "" where it is not set. */
static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

static struct style style_of(const struct output_choice *choice)
{
    const bool terminal = !choice->path && isatty(STDOUT_FILENO);
    const char *depth = environment("COLORTERM"), *locale = environment("LC_ALL"), *term = getenv("TERM");
    locale = *locale ? locale : environment("LC_CTYPE");
    locale = *locale ? locale : environment("LANG");
    struct style style = {.color = choice->color == COLOR_ALWAYS,
                          .width = terminal_width(terminal, STDOUT_FILENO),
                          .pipe = !terminal && !getenv("COLUMNS"),
                          .tables = choice->tables,
                          .brief = choice->brief,
                          .true_color = strcmp(depth, "truecolor") == 0 || strcmp(depth, "24bit") == 0};
    if (choice->color == COLOR_AUTO)
        style.color = terminal && !*environment("NO_COLOR") && term && strcmp(term, "dumb") != 0;
    /* Many containers set no locale although the terminal takes UTF-8. */
    style.ascii = *locale && !strstr(locale, "UTF") && !strstr(locale, "utf");
    return style;
}

struct output *output_open(const struct output_choice *choice, struct record *record, struct fault *fault)
{
    struct destination *destination = destination_open(choice->path, fault);
    if (!destination)
        return NULL;
    struct output *output = memory_zeroed(1, sizeof(*output));
    *output = (struct output){.format = choice->format >= 0 ? formats[choice->format]
                                        : choice->path      ? format_of_path(choice->path)
                                                            : formats[0],
                              .style = style_of(choice),
                              .choice = *choice,
                              .record = record,
                              .destination = destination};
    return output;
}

/* Writes one line, which only a terminal may break. An error of standard error cannot be reported. */
static void report(const char *kind, const char *sentence)
{
    const size_t width = isatty(STDERR_FILENO) ? (size_t)terminal_width(true, STDERR_FILENO) : SIZE_MAX;
    struct text line = {0};
    text_printf(&line, "uarchprobe: %s", kind);
    text_add_wrapped(&line, spell_line(sentence), line.length, 2, width);
    text_add(&line, "\n");
    ssize_t ignored = write(STDERR_FILENO, line.data, line.length);
    (void)ignored;
    text_free(&line);
}

/* Reports each kind of warning once, for the first command of a report that has it; its page has all. Returns
 * how many conditions were left out because the line of conditions says them. */
static size_t report_warnings(const struct record *record, bool line, struct keys *reported)
{
    const size_t known = reported->count;
    size_t conditions = 0;
    for (size_t i = 0; i < record->warnings.count; i++) {
        const struct warning *warning = &record->warnings.of[i];
        if (line && page_is_condition(warning->code))
            conditions++;
        else if (keys_index(reported, TEXT_CELL(warning->code)) >= known)
            report("warning: ", warning->text);
    }
    for (size_t i = 0; i < record->children.count; i++)
        conditions += report_warnings(record->children.of[i], line, reported);
    return conditions;
}

static enum status write_to(struct destination *destination, const struct text *text, struct fault *fault)
{
    return destination_write(destination, text->data ? text->data : "", text->length, fault);
}

/* Writes elsewhere when the disk filled up meanwhile, or standard output takes nothing: the result took
 * minutes to measure. */
static enum status write_results(struct output *output, struct fault *fault)
{
    struct fault failed = {0}, ignored = {0};
    struct text text = {0};
    output->format->write(output->format, &output->style, output->record, &text);
    const enum status status = write_to(output->destination, &text, &failed);
    if (status != STATUS_OK) {
        const bool keep = output->choice.keep;
        char *path = NULL;
        struct destination *elsewhere = keep ? destination_elsewhere(output->format->extension, &path) : NULL;
        if (elsewhere && write_to(elsewhere, &text, &ignored) == STATUS_OK) {
            fault_set(fault, status, "%s; the results are in '%s' instead", failed.text, path);
        } else {
            if (path)
                unlink(path);
            const bool printed = keep && output->choice.path && fcntl(STDOUT_FILENO, F_GETFD) >= 0 &&
                                 write_to(destination_open(NULL, &ignored), &text, &ignored) == STATUS_OK;
            fault_set(fault, status, "%s; the results are %s", failed.text,
                      printed ? "on standard output instead" : "lost or incomplete");
        }
        free(path);
    }
    text_free(&text);
    return status;
}

/* To somebody who named a file and waits at a terminal the answer is shown, too. */
static bool show_screen(const struct output *output)
{
    struct output_choice choice = output->choice;
    struct fault ignored = {0};
    struct text screen = {0};
    choice.path = NULL;
    if (!isatty(STDOUT_FILENO) || !record_has_results(output->record))
        return false;
    const struct style style = style_of(&choice);
    human_format.write(&human_format, &style, output->record, &screen);
    const enum status status = write_to(destination_open(NULL, &ignored), &screen, &ignored);
    text_free(&screen);
    return status == STATUS_OK;
}

enum status output_close(struct output *output, struct fault *fault)
{
    const char *path = output->choice.path;
    const enum status status = write_results(output, fault);
    struct stat written;
    struct keys reported = {0};
    const char *conditions = page_conditions(output->record);
    const bool is_file = !output->choice.quiet && status == STATUS_OK && path && stat(path, &written) == 0 &&
                         S_ISREG(written.st_mode);
    const bool has_screen = is_file && show_screen(output);
    if (is_file && isatty(STDERR_FILENO)) {
        struct text size = {0};
        text_add_size_rounded(&size, (int64_t)written.st_size);
        report("", spell("wrote %s (%s)", path, scratch_text(&size)));
    }
    /* The first line of a screen already has the conditions. */
    if (!output->choice.quiet && report_warnings(output->record, *conditions != '\0', &reported) > 0 &&
        !has_screen && (output->format != &human_format || path))
        report("conditions: ", conditions);
    scratch_free();
    free(output);
    return status;
}

void output_discard(struct output *output)
{
    destination_discard(output->destination);
    free(output);
}
