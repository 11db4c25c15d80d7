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

TEST(memory_is_weighed_before_it_is_taken)
{
    if (TEST_SLOW)
        SKIP_BECAUSE("millions of items take a minute here");
    assert_true(is_taken("{\"a\": [", "0", 1 << 22, "]}"));
    assert_false(is_taken("{\"a\": [", "0", 1 << 23, "]}"));
    assert_true(is_taken("{\"a\": [", "{}", 1 << 20, "]}"));
    assert_false(is_taken("{\"a\": [", "{}", 1 << 21, "]}"));
}

TEST(depth_is_bounded)
{
    struct text deep = {0};
    text_repeat(&deep, '[', 3000);
    assert_false(is_taken("{\"a\":", deep.data, 1, "}"));
    text_free(&deep);
}

AROUND_EACH(set_up, NULL)
