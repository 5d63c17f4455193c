/* test_replay.c - kpred-train tune --replay on a table so small that its rows are known by heart
   SPDX-License-Identifier: MIT */
#include "harness/cases.h"

#define SPEC(rule, gpus, end)                                                      \
    "[kernel]\nname = four\n" rule "[data]\nformat = timed\n[fields]\ngpu = " gpus \
    "\nrows = size\n"                                                              \
    "[params]\na = 1 2\nb = 1 2\n[split]\nconfig = rows\n" end
#define ANY      "rule = unconstrained\n"
#define ONLY     "[restrict]\n"
#define HEAD     "gpu,rows,a,b,time_us\n"
#define FAILED   "X,8,2,1,failed\n"
#define TABLE    HEAD "X,8,1,1,100\nX,8,1,2,104\n" FAILED "X,8,2,2,200\nY,8,1,1,50\n"
#define OF(spec) "kpred-train tune " spec ".spec --replay four.csv --gpu X "
#define JSON     "kpred-train tune --replay four.json "
#define BY(spec) "kpred-train tune " spec ".spec --replay four.json --budget 3 --csv"

static const char *const files[][2] = {
    {"four.spec", SPEC(ANY, "X_1 Y_1", "")},
    {"model.spec", SPEC(ANY, "X Y", "")},
    {"legal.spec", SPEC("", "X_1 Y_1", ONLY "a + b > 2\n")},
    {"told.spec", SPEC("", "X_1 Y_1", ONLY "rows > 100\na + b > 2\n")},
    {"none.spec", SPEC("", "X_1 Y_1", ONLY "a > 2\n")},
    {"four.csv", TABLE},
    {"failed.csv", HEAD FAILED "Y,8,1,1,50\n"},
    {"none.csv", HEAD},
    {"units.csv", TABLE "X,8,1,1,100000\n"},
};

static const struct refusal refusals[] = {
    {"no tuple that ran", 1, "each of its 1 tuples failed",
     "kpred-train tune four.spec --replay failed.csv --gpu X"},
    {"no tuple", 1, "has no tuple", "kpred-train tune four.spec --replay none.csv"},
    {"no legal tuple", 1, "four.csv: none of its 4 tuples is legal by none.spec", OF("none")},
    {"a GPU that the model does not know", 1,
     "four.h: does not know gpu=A100, of which four.json is", JSON "--model four.h"},
    {"a value that the model does not know", 1, "does not know a=3, which wide.json has",
     "kpred-train tune --replay wide.json --model four.h"},
    {"two GPUs", 1, "a replay takes one problem, and --gpu one GPU",
     "kpred-train tune four.spec --replay four.csv"},
    {"an unknown GPU", 1, "has no row of --gpu Z, but of X and others",
     "kpred-train tune four.spec --replay four.csv --gpu Z"},
    {"another GPU", 1, "not of --gpu MI250X", JSON "--gpu MI250X"},
    {"times of two units", 1,
     "units.csv:7: the tuple took 100000 microseconds, and 100 in line 2: is one of them in",
     "kpred-train tune four.spec --replay units.csv --gpu X"},
    {"no seeds", 2, "seeds", JSON "--seeds 0"},
    {"CSV without a spec", 1, "name the SPEC", "kpred-train tune --replay four.csv"},
};

/* four.csv as a cache file of Kernel Tuner. Its tuples may have a third number, always 8. */
static void put_cache(const char *path, const char *device, int a, const char *last, int has_rows)
{
    const char *id = has_rows ? ",8" : "", *cell = has_rows ? "\"rows\": 8, " : "";
    put_text(path,
             "{\"device_name\": \"%s\", \"kernel_name\": \"four\", \"problem_size\": 8,\n"
             "\"tune_params_keys\": [\"a\", \"b\"%s], \"tune_params\": {\"a\": [1, %d],\n"
             "\"b\": [1, 2]%s}, \"objective\": \"time\", \"cache\": {\n"
             "\"1,1%s\": {%s\"a\": 1, \"b\": 1, \"time\": 0.1},\n"
             "\"1,2%s\": {%s\"a\": 1, \"b\": 2, \"time\": 0.104},\n"
             "\"%d,1%s\": {%s\"a\": %d, \"b\": 1, \"time\": \"RuntimeFailedConfig\"},\n"
             "\"%d,2%s\": {%s\"a\": %d, \"b\": 2, \"time\": %s}}}\n",
             device, has_rows ? ", \"rows\"" : "", a, has_rows ? ", \"rows\": [8]" : "", id, cell,
             id, cell, a, id, cell, a, a, id, cell, a, last);
}

/* Do both lines print the same, but for the names of tables in the first column? */
static int agree(const char *one, const char *other)
{
    RAN("%s", one);
    char *text = xstrdup(program.out.s), *p = text;
    const char *q = RAN("%s", other) == 0 ? program.out.s : "";
    while ((p = strchr(p, ',')) != NULL && (q = strchr(q, ',')) != NULL
           && strncmp(p, q, strcspn(p, "\n") + 1) == 0)
        p += strcspn(p, "\n"), q += strcspn(q, "\n");
    free(text);
    return p == NULL && *q == '\n' && q[1] == '\0';
}

/* With one launch, a run has the share of the tuple that came first. */
static int one_launch(void)
{
    const char *s = program.out.s;
    const size_t n[] = {count_of(s, ",1,1,0.00000\n"), count_of(s, ",1,1,0.50000\n"),
                        count_of(s, ",1,1,0.96154\n"), count_of(s, ",1,1,1.00000\n")};
    return strncmp(s, "table,strategy,start,seed,evals_5,evals_1,share\n", 48) == 0
           && count_of(s, "\nfour.csv,kpred,cold,") == 40 && count_lines(s) == 41 && n[0] > 0
           && n[1] > 0 && n[2] > 0 && n[3] > 0 && n[0] + n[1] + n[2] + n[3] == 40;
}

/* With four, each run has the best; some need all four, and some come within 5 percent earlier. */
static int four_launches(void)
{
    int n = 0, all = 0, earlier = 0, evals_5, evals_1;
    for (const char *p = program.out.s; (p = strstr(p, ",cold,")) != NULL; p++, n++) {
        if (sscanf(p, ",cold,%*d,%d,%d,1.00000", &evals_5, &evals_1) != 2 || evals_5 > evals_1
            || evals_1 > 4)
            return 0;
        all += evals_1 == 4;
        earlier += evals_5 < evals_1;
    }
    return n == 40 && all > 0 && earlier > 0 && count_of(program.out.s, ",1.00000\n") == 40;
}

/* Did each of five runs begin so, and with the best tuple? */
static int five(const char *start)
{
    return program.status == 0 && count_lines(program.out.s) == 6
           && count_of(program.out.s, start) == 5 && count_of(program.out.s, ",1,1,1.00000\n") == 5;
}

static void tables(void)
{
    RAN_CASE(RAN(OF("four") "--budget 1 --seeds 40 --csv") == 0 && one_launch(), "one launch");
    RAN_CASE(RAN(OF("four") "--budget 4 --seeds 40 --csv") == 0 && four_launches(),
             "four launches");
    RAN_CASE(agree(OF("four") "--budget 3 --csv", JSON "--budget 3 --csv"),
             "JSON and CSV are one table");
    /* All three that are legal are there then; (1, 1), the fastest of all, does not count. */
    RAN_CASE(agree(OF("legal") "--budget 3 --csv", BY("legal")) && count_lines(program.out.s) == 31
                 && count_of(program.out.s, ",1.00000\n") == 30,
             "what [restrict] forbids is no tuple");
    RAN_CASE(agree(BY("legal"), BY("told")), "a condition on what the table does not tell");
    RAN(JSON "--data other.json --seeds 5 --csv");
    RAN_CASE(five(",kpred,data,"), "another table is known");
    RAN(JSON "--data amd.json other.json --seeds 5 --csv"); /* the former says the contrary */
    RAN_CASE(five(",kpred,data,"), "a table of another vendor counts for less");
    RAN_CASE(RAN(JSON "--data four.json --csv") == 0 && count_of(program.out.s, ",cold,") == 30,
             "its own times are not known");
}

/* Its first tuple comes first, whatever the seed. */
static void a_model_is_known(void)
{
    static const char *const shares[] = {"1.00000", "0.96154", "0.00000", "0.50000"};
    int a = 0, b = 0;
    RAN("kpred-train train model.spec --data four.csv --split none --epochs 20 -o four.h");
    RAN("kpred predict four.h gpu=X rows=8 -k 1 --beam 8 --csv");
    RAN_CHECK(sscanf(program.out.s, "rank,probability,a,b\n1,%*[0-9.],%d,%d", &a, &b) == 2);
    REQUIRE(a >= 1 && a <= 2 && b >= 1 && b <= 2);
    RAN_CHECK(RAN(OF("model") "--model four.h --seeds 5 --budget 1 --csv") == 0);
    RAN_CHECK(count_of(program.out.s, ",model,") == 5
              && count_of(program.out.s, shares[2 * a + b - 3]) == 5);
    RAN(OF("model") "--model four.h --seeds 5 --budget 1 --csv --data other.json");
    RAN_CHECK(five(",data+model,"));
}

int main(void)
{
    program_begin();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        put_text(files[i][0], "%s", files[i][1]);
    put_cache("four.json", "NVIDIA A100", 2, "0.2", 0);
    put_cache("other.json", "NVIDIA A100", 2, "0.2", 0);
    put_cache("amd.json", "AMD Radeon PRO W6600", 2, "0.01", 0);
    put_cache("wide.json", "NVIDIA X", 3, "0.2", 1);
    tables();
    RUN(a_model_is_known);
    refuse_each(refusals, sizeof refusals / sizeof *refusals);
    return program_end();
}
