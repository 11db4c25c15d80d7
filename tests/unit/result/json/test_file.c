/* SPDX-License-Identifier: MIT */
#include "result/json/file.h"

#include "../../output/fixture.h"

static const char *path;

static int set_up(void **state)
{
    path = path_in(a_folder(), "file.json");
    return 0;
}

/* The only document of a file: head, `count` times item, which may print its number, separated by commas, tail. */
static bool is_taken(const char *head, const char *item, size_t count, const char *tail)
{
    struct json_file file = {.path = path};
    struct fault fault = {0};
    struct text text = {0};
    text_add(&text, head);
    for (size_t i = 0; i < count; i++) {
        text_add(&text, i ? "," : "");
        if (strchr(item, '%'))
            text_printf(&text, item, i);
        else
            text_add(&text, item);
    }
    text_add(&text, tail);
    file_write_bytes(path, text.data, text.length);
    json_t *document = json_file_next(&file, &fault);
    const bool taken = document && fault.status == STATUS_OK;
    assert_true(taken || (!document && fault.status == STATUS_USAGE && strstr(fault.text, path)));
    json_decref(document);
    if (file.file)
        fclose(file.file);
    text_free(&text);
    return taken;
}

TEST(items_of_lists_are_counted)
{
    if (TEST_SLOW)
        SKIP_BECAUSE("millions of items take a minute here");
    const size_t most = 1 << 22;
    assert_true(is_taken("{\"a\": [", "0", most, "]}"));
    assert_false(is_taken("{\"a\": [", "0", most + 1, "]}"));
    assert_true(is_taken("{\"a\": [", "\"\"", most / 2, "]}"));
    assert_false(is_taken("{\"a\": [", "\"\"", most / 2 + 1, "]}"));
}

TEST(members_and_objects_are_counted)
{
    if (TEST_SLOW)
        SKIP_BECAUSE("millions of items take a minute here");
    const size_t most = 1 << 19;
    assert_true(is_taken("{", "\"%zx\": 0", most, "}"));
    assert_false(is_taken("{", "\"%zx\": 0", most + 1, "}"));
    assert_true(is_taken("{\"a\": [", "{}", most - 2, "]}"));
    assert_false(is_taken("{\"a\": [", "{}", most - 1, "]}"));
    assert_true(is_taken("{\"a\": [", "[]", most - 2, "]}"));
    assert_false(is_taken("{\"a\": [", "[]", most - 1, "]}"));
}

TEST(what_is_in_texts_counts_for_nothing)
{
    assert_true(is_taken("{\"a\": \"\\\"", "{[,,,,,,,,", 1 << 20, "\"}"));
    assert_true(is_taken("{\"a\": \"", "\\\\\\\"[[", 1 << 10, "\"}"));
}

TEST(levels_are_counted)
{
    assert_true(is_taken("{\"a\":[[[[[[[[[[[[[[[", "%zu", 1, "]]]]]]]]]]]]]]]}"));
    assert_false(is_taken("{\"a\":[[[[[[[[[[[[[[[[", "%zu", 1, "]]]]]]]]]]]]]]]]}"));
}

AROUND_EACH(set_up, NULL)
