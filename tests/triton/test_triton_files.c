/* test_triton_files.c - files of Triton's configurations: names, the servers' own choices, bytes
   SPDX-License-Identifier: MIT */
#include "harness/cases.h"

#include "triton/triton.h"

static struct triton_name read_name(const char *path)
{
    struct triton_name name;
    if (triton_name_read(&name, path) != 0)
        program_stop(path);
    if (name.server == TRITON_N_SERVERS)
        name.server = TRITON_VLLM;
    return name;
}

static void see_name(const char *path, const char *want)
{
    struct triton_name n;
    char text[512];
    if (triton_name_read(&n, path) != 0) {
        CASE(0, "%s: is read", path);
        return;
    }
    snprintf(text, sizeof text, "%s %s %d %d %d %d %d %d %s %s",
             n.server == TRITON_N_SERVERS ? "?" : triton_servers[n.server],
             triton_families[n.kernel], (int)n.e, (int)n.n, (int)n.k, (int)n.block[0],
             (int)n.block[1], n.per_channel, n.device, n.dtype);
    CASE(strcmp(text, want) == 0, "%s: %s", path, text);
}

static void see_no_name(const char *path, const char *want)
{
    struct triton_name n;
    struct buf *why = new_text();
    CASE(triton_name_parse(&n, path, why) == -1 && begins(why->s, want), "%s: %s", path, why->s);
}

/* The first six members */
static void has_default(const char *path, const char *m, const char *expected)
{
    const struct triton_name name = read_name(path);
    struct triton_gpu gpu;
    struct triton_config c;
    const char *got = "none";
    if (triton_gpu_find(&gpu, name.device) == 0 && default_config(&c, &name, &gpu, atoi(m)))
        got = say("%d %d %d %d %d %d", c.v[0], c.v[1], c.v[2], c.v[3], c.v[4], c.v[5]);
    CASE(strcmp(got, expected) == 0, "%s, M %s: %s, not %s", path, m, expected, got);
}

/* As the original: {"M": {members}} with four blanks for each depth, and an end of line */
static void has_bytes(const char *path, char *values, const char *members)
{
    const struct triton_name name = read_name(path);
    struct choices c = {.n = 2};
    struct buf got = {0}, rows = {0}, wanted = {0};
    size_t n = 0;
    for (char *at = values, *end; *at != '\0' && n < TRITON_N_MEMBERS; at = end)
        c.v[0].config.v[n++] = (int32_t)strtol(at, &end, 10);
    c.v[1] = c.v[0];
    c.v[0].m = 1;
    c.v[1].m = 4096;
    for (size_t i = 0, k = 0; i < n; i++) {
        const size_t length = strlen(triton_members[i]);
        if (strncmp(members + k, triton_members[i], length) != 0)
            continue;
        buf_printf(&rows, "%s        \"%s\": %d", k != 0 ? ",\n" : "", triton_members[i],
                   c.v[0].config.v[i]);
        k += length + (members[k + length] == ' ');
    }
    buf_printf(&wanted, "{\n    \"1\": {\n%s\n    },\n    \"4096\": {\n%s\n    }\n}\n", rows.s,
               rows.s);
    triton_text(&got, &name, &c, NULL);
    CASE(strcmp(got.s, wanted.s) == 0, "%s: the bytes of its tuner", path);
    buf_free(&got);
    buf_free(&rows);
    buf_free(&wanted);
}

/* Far from the share that the rule asks for, which may change */
static void rule(void)
{
    static const struct {
        struct weighed w;
        enum choice_kind kind;
    } rows[] = {
        {{0, 0, 0, 1000, 1000}, CHOICE_MODEL},      {{0, 0, 0, 1000, 400}, CHOICE_CAUTIOUS},
        {{1, 1, 1000, 1000, 1000}, CHOICE_MODEL},   {{1, 1, 1000, 1000, 400}, CHOICE_CAUTIOUS},
        {{1, 0, 0, 1000, 1000}, CHOICE_MODEL},      {{1, 0, 10, 1000, 400}, CHOICE_CAUTIOUS},
        {{1, 0, 1000, 1000, 1000}, CHOICE_DEFAULT}, {{1, 0, 1 << 23, 1 << 23, 400}, CHOICE_DEFAULT},
        {{0, 0, 0, 1000, 990}, CHOICE_MODEL},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        CASE(choices_rule(&rows[i].w) == rows[i].kind, "the rule, row %zu", i);
}

static void see_case(const char *kind, char *const *c)
{
    if (strcmp(kind, "default") == 0)
        has_default(c[0], c[1], c[2]);
    else if (strcmp(kind, "tuner") == 0)
        has_bytes(c[0], c[1], c[2]);
    else if (strcmp(kind, "name") == 0)
        see_name(c[0], c[1]);
    else
        see_no_name(c[0], c[1]);
}

int main(void)
{
    program_begin();
    each_row("tests/triton/triton_files.cases", see_case);
    rule();
    return program_end();
}
