/* SPDX-License-Identifier: MIT */
#include "output/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/destination.h"
#include "result/subject.h"

static bool is_folder(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

bool folder_is_meant(const char *path)
{
    const size_t length = strlen(path);
    return (length > 0 && path[length - 1] == '/') || is_folder(path);
}

enum status folder_open(const char *path, const struct format *format, struct fault *fault)
{
    if (!format->write_table)
        return fault_set(fault, STATUS_USAGE,
                         "'%s' is a folder, which takes a file per table (-f tsv, csv, tsv_matrix, "
                         "csv_matrix) or picture (-f svg); %s is one document: name a file in it",
                         path, format->name);
    const int error = mkdir(path, 0777) == 0 ? 0 : errno;
    if (error && !is_folder(path))
        return fault_set(fault, STATUS_USAGE, "cannot make the folder '%s': %s", path, strerror(error));
    /* Found now rather than after minutes of measuring. */
    if (access(path, W_OK | X_OK) != 0)
        return fault_set(fault, STATUS_FAILED, "cannot write to the folder '%s': %s; choose another place",
                         path, strerror(errno));
    return STATUS_OK;
}

struct folder {
    const char *path;
    const struct format *format;
    struct text readme;
    struct fault *fault;
    struct destination **file; /* whole, but not yet in their places */
    size_t files;
};

/* Frees the text. */
static enum status write_file(struct folder *folder, const char *name, struct text *text)
{
    const size_t length = strlen(folder->path);
    struct text path = {0};
    text_printf(&path, "%s%s%s", folder->path, length > 0 && folder->path[length - 1] == '/' ? "" : "/",
                name);
    struct destination *file = destination_open(path.data, folder->fault);
    text_free(&path);
    if (file)
        destination_write(file, text->data ? text->data : "", text->length);
    text_free(text);
    if (!file)
        return folder->fault->status;
    if (!destination_settle(file))
        return destination_close(file, folder->fault);
    folder->file = memory_grow(folder->file, (folder->files + 1) * sizeof(struct destination *));
    folder->file[folder->files++] = file;
    return STATUS_OK;
}

/* Whole or not at all. */
static enum status put_in_place(struct folder *folder, enum status status)
{
    for (size_t i = 0; i < folder->files; i++) {
        if (status == STATUS_OK)
            status = destination_close(folder->file[i], folder->fault);
        else
            destination_discard(folder->file[i]);
    }
    free(folder->file);
    return status;
}

static void explain(struct folder *folder, const char *name, const struct table_spec *spec)
{
    static const char *const roles[] = {
        [ROLE_PARAMETER] = "varied", [ROLE_MEASURE] = "measured", [ROLE_LABEL] = "for the reader"};
    text_printf(&folder->readme, "\n## %s\n%s\n\n", name, spec->title ? spec->title : spec->name);
    if (spec->note)
        text_printf(&folder->readme, "%s\n\n", spec->note);
    text_add(&folder->readme, "| column | unit | |\n| --- | --- | --- |\n");
    for (int i = 0; i < spec->column_count; i++)
        text_printf(&folder->readme, "| %s | %s | %s |\n", spec->columns[i].title,
                    spec->columns[i].unit ? spec->columns[i].unit : "", roles[spec->columns[i].role]);
}

static enum status write_tables(struct folder *folder, const struct record *record, bool is_part)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < record->tables.count && status == STATUS_OK; i++) {
        const struct record_table *table = &record->tables.of[i];
        struct text name = {0}, text = {0};
        text_printf(&name, "%s%s%s%s", is_part ? fact_text(record, "run.command", "result") : "",
                    is_part ? "-" : "", table->spec->name, folder->format->extension);
        /* A table of a file that was loaded may have any name; none leads out of the folder. */
        for (char *at = name.data; (at = strchr(at, '/')); at++)
            *at = '_';
        folder->format->write_table(folder->format, table, &text);
        if (text.length > 0) {
            explain(folder, name.data, table->spec);
            status = write_file(folder, name.data, &text);
        }
        text_free(&text);
        text_free(&name);
    }
    for (size_t i = 0; i < record->children.count && status == STATUS_OK; i++)
        status = write_tables(folder, record->children.of[i], true);
    return status;
}

enum status folder_write(const char *path, const struct format *format, const struct record *record,
                         struct fault *fault)
{
    const struct style style = {0};
    struct folder folder = {.path = path, .format = format, .fault = fault};
    struct text answers = {0}, facts = {0};
    char *cpu = subject_cpu(record), *details = subject_details(record);
    text_printf(
        &folder.readme,
        "# %s\n%s\n\nEach table is a file of its own; findings.tsv has the key, value, unit, trust and "
        "state of each finding.\n",
        cpu, details);
    subject_free(cpu, details);
    enum status status = write_tables(&folder, record, false);
    if (record->tables.count + record->children.count == 0 && status == STATUS_OK) {
        struct text name = {0};
        text_printf(&name, "facts%s", format->extension);
        format->write(format, &style, record, &facts);
        status = write_file(&folder, name.data, &facts);
        text_free(&name);
    }
    findings_format.write(&findings_format, &style, record, &answers);
    if (status == STATUS_OK)
        status = write_file(&folder, "findings.tsv", &answers);
    if (status == STATUS_OK && format == &svg_format && record->children.count > 0) {
        struct text sheet = {0};
        svg_format.write(&svg_format, &style, record, &sheet);
        status = write_file(&folder, "sheet.svg", &sheet);
    }
    if (status == STATUS_OK)
        status = write_file(&folder, "README.md", &folder.readme);
    status = put_in_place(&folder, status);
    text_free(&answers);
    text_free(&folder.readme);
    return status;
}
