/* test_edits.c - lists of edits and their text
   SPDX-License-Identifier: MIT */
#include "evolve/edit.h"

#include "harness/test.h"

#include <stdlib.h>

static const char *const names_v[] = {"delete", "copy", "move"};
static const struct edit_names names = {names_v, 3};

static struct edits parsed(const char *text)
{
    struct edits list = {0};
    CHECK_OF(edits_parse(text, names, &list) == 0, text);
    return list;
}

static void prints_as_it_reads(void)
{
    static const char *const texts[] = {"-", "delete 7 0 0 00000000",
                                        "move 12 30 0 9f31c2aa; delete 7 0 0 00000000",
                                        "copy 4294967295 4294967295 65535 ffffffff"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct edits list = parsed(texts[i]);
        struct buf b = {0};
        edits_print(&list, names, &b);
        CHECK_TEXT(b.s, texts[i]);
        buf_free(&b);
        edits_free(&list);
    }
}

static void reads_the_numbers(void)
{
    struct edits list = parsed("copy 1 2 3 0000000a; move 4 5 6 ff");
    CHECK_EQ(list.n, 2);
    const struct edit copy = {1, 3, 1, 2, 10}, move = {2, 6, 4, 5, 255};
    CHECK(edit_equal(&list.v[0], &copy) && edit_equal(&list.v[1], &move));
    edits_free(&list);
}

static void refuses(void)
{
    static const char *const texts[] = {
        "",
        " ",
        "- ",
        "erase 1 2 0 00000000",
        "delet 1 2 0 00000000",
        "deletes 1 2 0 00000000",
        "delete",
        "delete 1 2 0",
        "delete 1 2 0 ",
        "delete 1 2 0 0000000g",
        "delete 1 2 0 0x1",
        "delete 1 2 0 100000000",
        "delete 1 2 65536 00000000",
        "delete 4294967296 2 0 00000000",
        "delete 99999999999999999999999 2 0 00000000",
        "delete -1 2 0 00000000",
        "delete +1 2 0 00000000",
        "delete 1  2 0 00000000",
        " delete 1 2 0 00000000",
        "delete 1 2 0 00000000 ",
        "delete 1 2 0 00000000;",
        "delete 1 2 0 00000000; ",
        "delete 1 2 0 00000000;delete 1 2 0 00000000",
        "delete 1 2 0 00000000; -",
        "delete 1 2 0 00000000\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct edits list = {0};
        CHECK_OF(edits_parse(texts[i], names, &list) == -1, texts[i]);
        CHECK(list.n == 0 && list.v == NULL);
        edits_free(&list);
    }
}

static void drops_and_copies(void)
{
    struct edits list = parsed("copy 1 2 3 0a; move 4 5 6 ff; delete 9 0 0 00"), other = {0};
    edits_copy(&other, &list);
    CHECK(edits_equal(&other, &list) && other.v != list.v);
    edits_drop(&other, 1);
    CHECK(other.n == 2 && other.v[0].what == 1 && other.v[1].what == 9);
    CHECK(!edits_equal(&other, &list) && !edits_hold(&other, &list.v[1]));
    CHECK(edits_hold(&other, &list.v[2]));
    edits_drop(&other, 2); /* there is none */
    CHECK_EQ(other.n, 2);
    edits_copy(&list, &other); /* into a longer one */
    CHECK(edits_equal(&other, &list));
    edits_add(&list, &list.v[0]); /* one of its own */
    CHECK(list.n == 3 && edit_equal(&list.v[2], &list.v[0]));
    edits_free(&list);
    edits_free(&other);
}

/* Each field, the order and the length count. */
static void hashes_differ(void)
{
    static const char *const texts[] = {
        "-",
        "copy 1 2 3 0a",
        "move 1 2 3 0a",
        "copy 2 2 3 0a",
        "copy 1 3 3 0a",
        "copy 1 2 4 0a",
        "copy 1 2 3 0b",
        "copy 1 2 3 0a; copy 1 2 3 0a",
        "copy 1 2 3 0a; move 1 2 3 0a",
        "move 1 2 3 0a; copy 1 2 3 0a",
    };
    enum { N = sizeof texts / sizeof *texts };
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            struct edits a = parsed(texts[i]), b = parsed(texts[j]);
            CHECK_EQ(edits_equal(&a, &b), i == j);
            CHECK_EQ(edits_hash(&a) == edits_hash(&b), i == j);
            edits_free(&a);
            edits_free(&b);
        }
}

int main(void)
{
    RUN(prints_as_it_reads);
    RUN(reads_the_numbers);
    RUN(refuses);
    RUN(drops_and_copies);
    RUN(hashes_differ);
    return test_end();
}
