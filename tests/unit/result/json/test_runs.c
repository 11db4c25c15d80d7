/* SPDX-License-Identifier: MIT */
#include "result/json/runs.h"

#include "test.h"

static void check(const char *text, const char *packed)
{
    json_t *wanted = json_loads(packed, 0, NULL), *got = runs_pack(json_loads(text, 0, NULL));
    assert_true(json_equal(got, wanted));
    json_t *rows = json_pack("{s:o}", "column", got), *values = json_loads(text, 0, NULL);
    runs_unpack(rows);
    assert_true(json_equal(json_object_get(rows, "column"), values));
    json_decref(rows);
    json_decref(values);
    json_decref(wanted);
}

TEST(few_values_are_runs)
{
    check("[7,7,7,7,7,7,7,7,7]", "{\"runs\": [7, 9]}");
    check(
        "[null,null,null,null,\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\",\"a\"]",
        "{\"runs\": [null, 4, \"a\", 13]}");
}

TEST(others_stay_arrays)
{
    check("[1,2,3,4,5,6,7,8]", "[1,2,3,4,5,6,7,8]");
    check("[1]", "[1]");
    check("[]", "[]");
}

/* What is wrong stays as it is, for the reader to reject. */
TEST(wrong_runs_are_left)
{
    static const char *const wrong[] = {"{\"runs\": 1}",
                                        "{\"runs\": [1]}",
                                        "{\"runs\": [1, -1]}",
                                        "{\"runs\": [1, 0]}",
                                        "{\"runs\": [1, \"2\"]}",
                                        "{\"runs\": [1, 1000000000000]}",
                                        "{\"runs\": [1, 65536, 2, 1]}",
                                        "{\"n\": [1]}"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        json_t *rows = json_pack("{s:o}", "column", json_loads(wrong[i], 0, NULL));
        runs_unpack(rows);
        assert_true(json_is_object(json_object_get(rows, "column")));
        json_decref(rows);
    }
}
