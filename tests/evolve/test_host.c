/* test_host.c - harnesses that are refused, by what they are and by what their kernel does
   SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* syscall, MAP_ANONYMOUS */
#include "harness/test.h"
#include "kernels.h"
#include "told.h"

static struct host *usual; /* compiled once for many tests */

#define TOP                       \
    "#include <kpred_evolve.h>\n" \
    "typedef void kernel(int n, const float *x, float *y, float *out, float *scratch);\n"
#define CALL                                                  \
    "static void call(const struct ev_case *c, ev_kernel *k)" \
    "{ ((kernel *)k)((int)c->size[0], c->at[0], c->at[1], c->at[2], c->at[3]); }\n"
#define SET_UP(body) "static void set_up(struct ev_case *c) { " body "}\n"
#define SHAPE        "static const struct ev_shape shapes[] = {{.size = {64}}};\n"
#define END                                                      \
    "EV_HARNESS(.set_up = set_up, .call = call, .sizes = \"n\"," \
    " EV_SHAPES(shapes));\n"

static void refused_host(const char *what, const char *text, const char *says)
{
    listen();
    struct host *h = host_of(text);
    const char *said = heard();
    EXPECT(h == NULL && strstr(said, says) != NULL && strstr(said, "h.c") != NULL, "%s: %.150s",
           what, said);
    host_close(h);
}

static void refused_hosts(void)
{
    struct host *h = NULL;
    refused_host("text that is no C", "int x = ;\n", "does not compile it");
    refused_host("clang's own message", "int x = ;\n", "h.c:1:9: error");
    refused_host("nothing", "int x;\n", "has no EV_HARNESS");
    refused_host("a version to come",
                 TOP SHAPE SET_UP("(void)c;") CALL
                 "const struct ev_harness ev_harness = {.version = 9, .set_up = set_up, .call = "
                 "call, EV_SHAPES(shapes)};\n",
                 "version 9, not 1");
    refused_host("no set_up", TOP SHAPE CALL "EV_HARNESS(.call = call, EV_SHAPES(shapes));\n",
                 "no .set_up");
    refused_host("no call",
                 TOP SHAPE SET_UP("(void)c;") "EV_HARNESS(.set_up = set_up, EV_SHAPES(shapes));\n",
                 "no .call");
    refused_host("no shapes",
                 TOP SET_UP("(void)c;") CALL
                 "EV_HARNESS(.set_up = set_up, .call = call, .sizes = \"n\");\n",
                 "no shapes");
    refused_host("17 shapes",
                 TOP
                 "static const struct ev_shape shapes[17] = {{.size = {1}}};\n" SET_UP("(void)c;")
                     CALL END,
                 "17 shapes, more than 16");
    refused_host("no names",
                 TOP SHAPE SET_UP("(void)c;") CALL
                 "EV_HARNESS(.set_up = set_up, .call = call, EV_SHAPES(shapes));\n",
                 ".sizes \"\"");
    refused_host("held-out cases alone",
                 TOP "static const struct ev_shape shapes[] = {{.size = {1}, .held_out = 1},"
                     "{.size = {2}, .untimed = 1}};\n" SET_UP("(void)c;") CALL END,
                 "timed and not held out");
    listen();
    CHECK(host_open(&h, "/nowhere/h.c", kernels_clang(), NULL) == -1 && h == NULL);
    CHECK(strstr(heard(), "/nowhere/h.c") != NULL);
    listen();
    char self[] = "tests/evolve/kernels.h";
    CHECK(host_open(&h, self, "no-such-compiler", NULL) == -1 && h == NULL);
    CHECK(strstr(heard(), "no-such-compiler") != NULL);
}

static void refused_trial(const char *what, kernel_type *reference, const char *says)
{
    const struct trial_code code = {NULL, kernels_compile,      NULL,
                                    NULL, (ev_kernel *)k_right, (ev_kernel *)reference};
    const struct trial_plan plan = kernels_plan(1, 1);
    struct trial *t = NULL;
    listen();
    const int rc = usual == NULL ? 1 : trial_open(&t, usual, &code, &plan);
    const char *said = heard();
    EXPECT(rc == -1 && t == NULL && strstr(said, says) != NULL && strstr(said, "h.c") != NULL,
           "%s: %.150s", what, said);
}

KERNEL(k_depends)
{
    const float before = out[1];
    k_right(n, x, y, out, scratch);
    out[1] = -before;
}

KERNEL(k_random)
{
    k_right(n, x, y, out, scratch);
    y[5] = (float)now_bits();
}

static void refused_kernels(void)
{
    refused_trial("crash", k_null, "case n=1000: the unmodified kernel crashes: Segm");
    refused_trial("system call", k_write, "makes a system call");
    refused_trial("exit", k_raw_exit_7, "with status 7");
    refused_trial("endless", k_endless, "takes longer than 1 s");
    refused_trial("random", k_random, "element 5 of buffer y differs between two runs");
    refused_trial("not written", k_depends, "element 1 of buffer out depends");
    refused_trial("beside its buffers", k_y_behind, "beside its buffers");
    refused_trial("another baseline", k_wrong, "the baseline's outputs are not those");
}

/* One harness for all of these, which takes what it does from the environment */
static const char bad_set_ups[] =
    "#include <stdlib.h>\n" TOP SHAPE "static void set_up(struct ev_case *c) {\n"
    "switch (getenv(\"BAD_SET_UP\")[0]) {\n"
    "case '0': ev_fill(c, ev_buffer(c, \"x\", EV_IN, 0, 4)); break;\n"
    "case '1': break;\n"
    "case '2': for (int i = 0; i < 20; i++) ev_buffer(c, \"b\", EV_OUT, 0, 4); break;\n"
    "case '3': ev_buffer(c, NULL, EV_OUT, 0, 4); break;\n"
    "case '4': ev_buffer(c, \"y\", EV_OUT, 9, 4); break;\n"
    "case '5': ev_within(c, \"z\", ev_buffer(c, \"y\", EV_OUT, 0, 4), 2, 3); break;\n"
    "case '6': ev_buffer(c, \"y\", EV_OUT, 0, (size_t)-1); break;\n"
    "case '7': *(volatile int *)c->at[0] = 1; break;\n"
    "case '8': while (c->size[0]); break;\n"
    "case '9': ev_within(c, \"z\", 5, 0, 1); break;\n"
    "}}\n" CALL END;

static void refused_set_ups(void)
{
    static const char *const says[] = {"case n=64: buffer 0 (x): none is written",
                                       "there are no buffers",
                                       "buffer 20 (?): is one too many",
                                       "buffer 0 (?): has no name",
                                       "buffer 0 (y): has a role or a type that is none",
                                       "buffer 1 (z): goes beyond",
                                       "buffer 0 (y): is too large",
                                       "set_up crashes",
                                       "set_up takes longer",
                                       "buffer 0 (?): lies in a buffer that is not there"};
    struct host *before = usual;
    usual = host_of(bad_set_ups);
    for (char c = '0'; c <= '9'; c++) {
        const char number[2] = {c, '\0'};
        setenv("BAD_SET_UP", number, 1);
        refused_trial(says[c - '0'], k_right, says[c - '0']);
    }
    host_close(usual);
    usual = before;
}

int main(void)
{
    usual = host_of(kernels_harness);
    RUN(refused_hosts);
    RUN(refused_set_ups);
    RUN(refused_kernels);
    host_close(usual);
    return test_end();
}
