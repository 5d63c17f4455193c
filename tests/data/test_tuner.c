/* test_tuner.c - small files of other tuners, from Kernel Tuner to Helion, as timed data
   SPDX-License-Identifier: MIT

   tuner.cases beside it has what is read of them and what is refused; test_readers.py reads whole
   ones. */
#include "data/sample.h"
#include "data/tuner.h"
#include "harness/cases.h"

#define INGEST     "kpred-train ingest "
#define HEAD       "gpu,problem_size_x,problem_size_y,bx,mode,time_us\n"
#define ROWS       "RTX_A4000,64,2,1,a,1500\nRTX_A4000,64,2,2,b,100\n"
#define SIZES      " --set problem_size_x=64 problem_size_y=2"
#define FAILED     "dropped 2 rows: a failed measurement (no time or speed, or one of 0)\n"
#define IGNORED    "the spec does not name one, which is always 1: ignored\n"
#define GIVES(...) (RAN(INGEST __VA_ARGS__) == 0 && strcmp(program.out.s, HEAD ROWS) == 0)

/* As pyATF and Triton write them, but for what is not read */
#define PYATF_ENTRY(bx, mode, valid, cost)                                            \
    "{\"configuration\": {\"bx\": " bx ", \"mode\": \"" mode "\"}, \"valid\": " valid \
    ", \"cost\": " cost "}"
#define CONFIG(bx, mode, maxnreg, times)               \
    "[{\"kwargs\": {\"bx\": " bx ", \"mode\": \"" mode \
    "\"}, \"num_warps\": 4, \"maxnreg\": " maxnreg     \
    ", \"pre_hook\": null, \"ir_override\": null}, " times "]"
#define TIMES(median) "[" median ", 0.01, 99]"

static void put_lists(void)
{
    put_text("pyatf.json",
             "{\"tuning_parameters\": [\n"
             "{\"name\": \"bx\", \"range\": {\"kind\": \"Interval\", \"start\": 1, \"end\": 9, "
             "\"step\": 1}},\n"
             "{\"name\": \"mode\", \"range\": {\"kind\": \"Set\", \"values\": [\"a\", \"b\", "
             "\"c\"]}}],\n"
             "\"history\": [\n%s,\n%s,\n%s],\n\"improvement_history\": []}\n",
             PYATF_ENTRY("1", "a", "true", "1.5"), PYATF_ENTRY("2", "b", "true", "0.1"),
             PYATF_ENTRY("2", "a", "false", "null"));
    put_text(
        "mm.autotune.json",
        "{\"key\": [64, 2, \"torch.float16\", \"torch.int8\"], \"configs_timings\": [%s, %s, %s]}",
        CONFIG("1", "a", "null", TIMES("1.5")), CONFIG("2", "b", "null", "0.1"),
        CONFIG("2", "a", "null", TIMES("Infinity")));
}

static void put_files(void)
{
    put_lists();
    CHANGED("line.json", text_of("cache.json"), "\n", "");
    CHANGED("unnamed.json", text_of("cache.json"), "NVIDIA RTX A4000", "");
    CHANGED("MI250X.json", text_of("unnamed.json"), "^\"kernel_name\"", "&");
    CHANGED("small.A4000_T4.json", text_of("t4.json"), "{\"results\"", "&");
    /* what Python writes, and several objectives */
    CHANGED("python.json", text_of("cache.json"), "1.5e0", "1.5e0 ", "^\"objective\"",
            "\"objective\": [\"GB/s\", \"time\"],", "[64, 2]", "[64.0, 2e0]", "{\"y\": null}",
            "[NaN, -Infinity,NaN]", "\"InvalidConfig\"", "-Infinity", "1e20", "NaN");
    put_text("T1.json", "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"bx\", "
                        "\"Values\": \"[1]\"}]}}");
    put_text("narrow.csv", "gpu,problem_size_x,bx,mode,time_us\nRTX_A4000,64,1,a,1500\n"
                           "RTX_A4000,64,2,b,100\n");
    put_text("two.spec", "%stwo = 2\n", text_of("tuner.spec"));
    put_text("own.spec", "%s[features]\nonehot gpu\n", text_of("tuner.spec"));
    CHANGED("more.spec", text_of("tuner.spec"), "^bx", "&\nby = 1 2");
    CHANGED("csv.spec", text_of("tuner.spec"), "= timed", "= csv");
}

static void notes(void)
{
    RAN_CHECK(GIVES("tuner.spec --data cache.json"));
    CHECK_TEXT(program.err.s, "kpred-train: cache.json: " IGNORED "kpred-train: " FAILED);
    RAN_CHECK(GIVES("tuner.spec --data python.json"));
    CHECK_TEXT(program.err.s, "kpred-train: python.json: " IGNORED "kpred-train: " FAILED);
    RAN_CHECK(GIVES("tuner.spec --data cache.json --set problem_size_y=7 --gpu RTX_3090"));
    CHECK(has_line(program.err.s,
                   "kpred-train: --set problem_size_y=... is not used: all files have it"));
    CHECK(has_line(program.err.s,
                   "kpred-train: --gpu RTX_3090 is not used: all files name their GPU"));
    const char *last = strstr(text_of("cache.json"), "\"2,b");
    const char *text = text_of("cache.json");
    put_text("open.json", "%.*s", (int)(strlen(text) - strlen(last) + 4), text);
    RAN_CHECK(RAN(INGEST "tuner.spec --data open.json") == 0);
    CHECK(has_line(program.err.s, "kpred-train: open.json:12: the file ends within this entry, "
                                  "which is left out"));
}

static void one_value(void)
{
    RAN_CHECK(RAN(INGEST "two.spec --data cache.json") == 0);
    CHECK_TEXT(program.out.s, "gpu,problem_size_x,problem_size_y,bx,mode,two,time_us\n"
                              "RTX_A4000,64,2,1,a,2,1500\nRTX_A4000,64,2,2,b,2,100\n");
}

/* The header tells the options, and the message a command that works. */
static void trains(void)
{
    struct buf *words = new_text();
    RAN_CHECK(RAN("kpred-train train own.spec --data t4.json --gpu A4000" SIZES
                  " --split none --epochs 1 -o own.h")
              == 0);
    const char *header = text_of("own.h"), *to = strstr(program.err.s, " was trained on: ");
    for (const char *p = header; p < strstr(header, "*/"); p++)
        if (strchr(" \n\\", *p) == NULL || (words->n > 0 && words->s[words->n - 1] != ' '))
            buf_add(words, strchr("\n\\", *p) == NULL ? p : " ", 1);
    CHECK(has(words->s, "--set problem_size_x=64 --set problem_size_y=2"));
    REQUIRE(to != NULL);
    char *command = new_copy(to + strlen(" was trained on: "));
    command[strcspn(command, "\n")] = '\0';
    RAN_CHECK(RAN("%s --csv", command) == 0 && has(program.out.s, "\nsmall,all,RTX_A4000,"));
}

/* What clblast_tuner_xdot wrote of two sizes; the second stage has another parameter. */
#define XDOT(stage, n, results)                                                         \
    "{\n  \"kernel_family\": \"xdot_" stage "\",\n  \"precision\": \"32\",\n"           \
    "  \"best_time\": \"0.15\",\n  \"arg_n\": \"" n "\",\n  \"arg_alpha\": \"2.00\",\n" \
    "  \"clblast_device_name\": \"AMD EPYC\",\n  \"device\": \"pthread-AMD EPYC\",\n"   \
    "  \"results\": [\n" results "\n  ]\n}\n"
#define XDOT_TIME(time, name, value)                                                         \
    "{\"kernel\": \"Xdot\", \"time\": " time ", \"parameters\": {\"PRECISION\": 32, \"" name \
    "\": " value "}}"

/* Several files are one table; a file of another stage is told, and no spec is made of both. */
static void clblast(void)
{
    put_text(
        "small.json",
        XDOT("1", "1024", XDOT_TIME("0.798", "WGS1", "32") "," XDOT_TIME("0.153", "WGS1", "64")));
    put_text("large.json", XDOT("1", "4096", XDOT_TIME("0.852", "WGS1", "64")));
    put_text("stage.json", XDOT("2", "1024", XDOT_TIME("0.078", "WGS1", "32")));
    RAN_CHECK(RAN("kpred-train init small.json large.json -o xdot.spec") == 0);
    CHECK(has_lines(text_of("xdot.spec"), "name = xdot_1_32|n = size|WGS1 = 32 64"));
    RAN_CHECK(RAN(INGEST "xdot.spec --data small.json large.json") == 0);
    CHECK_TEXT(program.out.s, "gpu,n,PRECISION,WGS1,time_us\nEPYC,1024,32,32,798\n"
                              "EPYC,1024,32,64,153\nEPYC,4096,32,64,852\n");
    CHECK(!has(program.err.s, "another stage"));
    RAN_CHECK(RAN(INGEST "xdot.spec --data large.json stage.json") == 0);
    CHECK(has_line(program.err.s,
                   "kpred-train: stage.json: is of xdot_2_32, but large.json of xdot_1_32: another "
                   "stage or precision has times of its own"));
    REFUSES("CLBlast: another stage", 1, "stage.json: kernel \"xdot_2_32\": small.json is of",
            "kpred-train init small.json stage.json -o both.spec");
    CHANGED("wrong.json", text_of("small.json"), "\"time\": 0.153, ", "");
    REFUSES("CLBlast: no time", 1, "there is no time in this result",
            INGEST "xdot.spec --data wrong.json");
    CHANGED("wrong.json", text_of("small.json"), "\"32\"", "32");
    REFUSES("CLBlast: a precision that is not a text", 1, "precision: is not a string",
            INGEST "xdot.spec --data wrong.json");
}

/* A log of pyATF names neither a problem nor a unit. */
static void pyatf(void)
{
    const char *told = "kpred-train: pyatf.json: its times have no unit: they are taken as ms, and "
                       "only ratios within one problem count (--unit gives another)";
    RAN_CHECK(RAN("kpred-train init pyatf.json --gpu A4000 -o pyatf.spec") == 0);
    CHECK(has_lines(text_of("pyatf.spec"), "bx = 1 2|mode = a b c"));
    CHECK(has_line(program.err.s, told));
    RAN_CHECK(RAN(INGEST "pyatf.spec --gpu A4000 --data pyatf.json") == 0);
    CHECK(has_line(program.err.s, told));
    RAN_CHECK(RAN(INGEST "pyatf.spec --gpu A4000 --data pyatf.json --unit ns") == 0);
    CHECK(has(program.out.s, ",1,a,0.0015\n") && !has(program.err.s, "no unit"));
    RAN_CHECK(RAN(INGEST "tuner.spec --data cache.json --unit us") == 0);
    CHECK(has(program.out.s, ",1,a,1500\n") && has(program.err.s, "--unit us is not used"));
    REFUSES("no unit", 1, "--unit: value \"days\": is none of s, ms, us, ns",
            INGEST "pyatf.spec --gpu A4000 --data pyatf.json --unit days");
}

/* The cache of Triton has neither names nor a GPU. */
static void autotune_cache(void)
{
    RAN_CHECK(RAN("kpred-train init mm.autotune.json --gpu A4000 --fields N,M -o mm.spec") == 0);
    CHECK(has_lines(text_of("mm.spec"),
                    "name = mm|gpu = A4000|N = size|M = size|bx = 1 2|mode = a b|num_warps = 4"));
    CHECK(!has(text_of("mm.spec"), "maxnreg") && !has(text_of("mm.spec"), "pre_hook"));
    CHANGED("large.json", text_of("mm.autotune.json"), "64", "128", "4, \"maxnreg\": null",
            "4, \"maxnreg\": 64", "2, \"mode\": \"b\"}, \"num_warps\": 4",
            "2, \"mode\": \"b\"}, \"num_warps\": 8");
    CHANGED("pruned.json", text_of("mm.autotune.json"), "[1.5", "[2.5");
    RAN_CHECK(RAN(INGEST "mm.spec --gpu A4000 --data mm.autotune.json pruned.json") == 0);
    CHECK_TEXT(program.out.s, "gpu,N,M,bx,mode,num_warps,time_us\nA4000,64,2,1,a,4,1500\n"
                              "A4000,64,2,1,a,4,2500\nA4000,64,2,2,b,4,100\n"
                              "A4000,64,2,2,b,4,100\n");
    RAN_CHECK(RAN("kpred-train init large.json --gpu A4000 --fields N,M -o mm.spec --force") == 0);
    CHECK(has_lines(text_of("mm.spec"), "num_warps = 4 8|maxnreg = 0 64"));
    CHANGED("int8.json", text_of("mm.autotune.json"), "torch.float16", "torch.int8", "64", "32");
    REFUSES("other types", 1,
            "int8.json:1:2: key: the tensors are int8 here and float16_int8 in mm.",
            "kpred-train init mm.autotune.json int8.json --gpu A4000 --fields N,M -o no.spec");
    RAN_CHECK(RAN("kpred-train init mm.autotune.json int8.json --name mm --gpu A4000 --fields "
                  "N,M,types -o mm.spec --force")
              == 0);
    CHECK(has_lines(text_of("mm.spec"), "types = float16_int8 int8"));
    RAN_CHECK(RAN(INGEST "mm.spec --gpu A4000 --data int8.json") == 0);
    CHECK(has(program.out.s, "A4000,32,2,int8,1,a,4,1500\n"));
    RAN_CHECK(RAN(INGEST "mm.spec --gpu A4000 --data mm.autotune.json") == 0);
    REFUSES("no names", 1, "key: has 2 values without names: --fields A,B,... names them",
            "kpred-train init mm.autotune.json --gpu A4000 -o no.spec");
    REFUSES(
        "a value that is missing", 1,
        "key: has 2 values before the tensors' types, but there are 3 names (M, N, K): an argument",
        "kpred-train init mm.autotune.json --gpu A4000 --fields M,N,K -o no.spec");
    REFUSES("a value too many", 1, "but there are 1 names (problem_size_y)",
            INGEST "tuner.spec --gpu A4000 --set problem_size_x=1 --data mm.autotune.json");
}

/* Configurations that differ in what is no number, or lack a keyword, are read. */
static void autotune_twins(void)
{
    CHANGED("twins.json", text_of("mm.autotune.json"), "64, 2,", "0.5, 2.0,",
            "\"ir_override\": null", "\"ir_override\": \"a.ttir\"", "{\"bx\": 2, \"mode\": \"b\"}",
            "{\"bx\": 1, \"mode\": \"a\"}", "{\"bx\": 2, \"mode\": \"a\"}", "{\"mode\": null}",
            "Infinity", "3");
    RAN_CHECK(
        RAN("kpred-train init twins.json --gpu A4000 --fields N,M -o mm.spec --force") == 0
        && has(program.err.s, "twins.json: 1 configuration lacks a keyword that others have"));
    CHECK(has_lines(text_of("mm.spec"),
                    "N = _0.5|M = size|bx = \"1\" none|mode = a none|ir_override = a.ttir none"));
    RAN_CHECK(RAN(INGEST "mm.spec --gpu A4000 --data twins.json") == 0);
    CHECK_TEXT(below_heading(program.out.s),
               "A4000,_0.5,2,1,a,4,a.ttir,1500\nA4000,_0.5,2,1,a,4,none,100\n"
               "A4000,_0.5,2,none,none,4,none,3000\n");
}

/* A table of Helion has lists and shapes as JSON. */
#define SHAPE(n) \
    "\"{\"\"arg0_ndim\"\": 2, \"\"arg0_dim0\"\": " n ", \"\"arg0_dtype\"\": \"\"torch.half\"\"}\""
#define SIZES_OF(a, regs, b)                                                                   \
    "\"{\"\"block_sizes\"\": [" a ", 16], \"\"maxnreg\"\": " regs ", \"\"pid_type\"\": \"\"" b \
    "\"\", \"\"unset\"\": [null]}\""
#define HELION "measurements_cuda_NVIDIA_H100_80GB_HBM3_12.4.csv"

static void helion(void)
{
    put_text(HELION,
             "kernel_name,shape_hash,config_hash,config,shape_features,timing_ms\r\n"
             "add,7,1,%s,%s,0.25\r\nadd,7,2,%s,%s,0.5\r\nadd,8,1,%s,%s,inf\r\n",
             SIZES_OF("16", "null", "flat"), SHAPE("512"), SIZES_OF("32", "128", ""), SHAPE("512"),
             SIZES_OF("16", "null", "flat"), SHAPE("700"));
    RAN_CHECK(RAN("kpred-train init " HELION " -o helion.spec") == 0);
    CHECK(has_lines(text_of("helion.spec"),
                    "name = my_add|gpu = H100_80GB_HBM3|arg0_dim0 = size|block_sizes_0 = 16 32|"
                    "block_sizes_1 = 16|maxnreg = -1 128|pid_type = flat none"));
    CHECK(!has(text_of("helion.spec"), "ndim") && !has(text_of("helion.spec"), "unset"));
    RAN_CHECK(RAN(INGEST "helion.spec --data " HELION) == 0);
    CHECK_TEXT(program.out.s, "gpu,arg0_dim0,block_sizes_0,block_sizes_1,maxnreg,pid_type,time_us\n"
                              "H100_80GB_HBM3,512,16,16,-1,flat,250\n"
                              "H100_80GB_HBM3,512,32,16,128,none,500\n");
    CHANGED("two.csv", text_of(HELION), "add,8", "mul,8");
    REFUSES("two kernels", 1, "two.csv:4: kernel_name: value \"mul\": other rows are of add",
            "kpred-train init two.csv -o no.spec");
    CHANGED("cut.csv", text_of(HELION), "128,", "128");
    REFUSES("no JSON", 1, "cut.csv:3: config: value \"{\"block_sizes\": [32, 16], ",
            INGEST "helion.spec --data cut.csv");
    CHANGED("lacks.csv", text_of(HELION), ",config,", ",config_,");
    REFUSES("no column", 1, "lacks.csv:1: there is no column config",
            "kpred-train init lacks.csv -o no.spec");
}

/* A file is refused at its place, of which a row may leave the column open, in one line. */
static void refuse_wrong(const char *name, const char *place, const char *text)
{
    char start[64];
    int column = 0, end = -1;
    RAN(INGEST "tuner.spec --data wrong.json --gpu A4000" SIZES " -o out.csv");
    const int n = snprintf(start, sizeof start, "kpred-train: wrong.json:%s:", place);
    const char *at = program.err.s + n;
    int is_there_too = strncmp(program.err.s, start, (size_t)n) == 0;
    if (is_there_too && strchr(place, ':') == NULL)
        is_there_too = sscanf(at, "%d:%n", &column, &end) == 1 && end > 1 && (at += end) != NULL;
    RAN_CASE(is_there_too && *at == ' ' && has(at, text) && program.status == 1
                 && program.out.n == 0 && count_lines(program.err.s) == 1 && !is_there("out.csv"),
             name);
    remove("out.csv");
}

static void see_case(const char *kind, char *const *cell)
{
    if (strcmp(kind, "wrong") == 0) {
        if (*cell[3] == '\0')
            put_text("wrong.json", "%s", cell[4]);
        else
            put_changes("wrong.json", text_of(cell[3]), (const char *const *)cell + 4);
        refuse_wrong(cell[0], cell[1], cell[2]);
    } else if (strcmp(kind, "rows") == 0) {
        if (*cell[3] != '\0')
            put_changes("changed.json", text_of(cell[3]), (const char *const *)cell + 4);
        RAN(INGEST "tuner.spec --data %s", cell[1]);
        const size_t head = strlen(HEAD);
        RAN_CASE(program.status == 0 && strncmp(program.out.s, HEAD, head) == 0
                     && strcmp(program.out.s + head, *cell[2] != '\0' ? cell[2] : ROWS) == 0,
                 cell[0]);
    } else if (strcmp(kind, "gpu") == 0) {
        char gpu[128];
        snprintf(gpu, sizeof gpu, "gpu = %s", cell[1]);
        CHANGED("gpu.spec", text_of("tuner.spec"), "^gpu ", gpu);
        RAN(INGEST "gpu.spec --data %s" SIZES, cell[3]);
        snprintf(gpu, sizeof gpu, "\n%s,", cell[2]);
        RAN_CASE(*cell[2] != '\0' ? strstr(program.out.s, gpu) == strchr(program.out.s, '\n')
                                        && program.out.n > 0
                                  : has(program.err.s, "is not a GPU of the spec"),
                 cell[0]);
    } else {
        REFUSES(cell[0], 1, cell[1], INGEST "%s", cell[2]);
    }
}

/* Members and brackets by the dozen */
static void many(void)
{
    struct buf *b = new_text();
    for (int i = 0; i < 70; i++)
        buf_printf(b, "\"m%d\": 0,", i);
    put_text("wrong.json", "{%s%s", b->s, text_of("cache.json") + 1);
    refuse_wrong("many members", "1",
                 "of a schema that is unknown here: it has more than 64 members");
    b->n = 0;
    for (int i = 0; i < 3000; i++)
        buf_puts(b, "[");
    CHANGED("wrong.json", text_of("cache.json"), "2.25", b->s);
    refuse_wrong("deep nesting", "9", "is nested too deeply");
}

/* ---- where there is no python3 ---- */

static void without_python(void)
{
    const char *path = getenv("PATH"), *importers = getenv("KPRED_IMPORTERS");
    char *was = xstrdup(path != NULL ? path : "");
    setenv("PATH", "/none", 1);
    REFUSES("without python3", 1,
            "cache.json: an importer in Python reads such files, and python3 is not found",
            INGEST "tuner.spec --data cache.json");
    setenv("PATH", was, 1);
    setenv("KPRED_IMPORTERS", "none", 1);
    REFUSES("without the importers", 1, "KPRED_IMPORTERS", INGEST "tuner.spec --data cache.json");
    setenv("KPRED_IMPORTERS", importers != NULL ? importers : in_root("tools/python/kpred"), 1);
    free(was);
}

int main(void)
{
    static const char *const links[] = {"cache.json", "t4.json", "ktt.json", "tuner.spec"};
    char path[64];
    program_begin();
    program_name = "test_tuner";
    for (size_t i = 0; i < COUNT(links); i++) {
        snprintf(path, sizeof path, "tests/fixtures/%s", links[i]);
        if (symlink(in_root(path), links[i]) != 0)
            program_stop(path);
    }
    without_python();
    if (!is_had("python3")) {
        skip_case("files of other tuners", "there is no python3");
        return program_end();
    }
    put_files();
    test_run("what is noted", notes);
    test_run("a parameter that the file lacks, with one value", one_value);
    test_run("train, and the commands that it tells", trains);
    test_run("files of CLBlast", clblast);
    test_run("a log of pyATF", pyatf);
    test_run("an autotune cache of Triton", autotune_cache);
    test_run("one with twins and missing keywords", autotune_twins);
    test_run("a table of Helion", helion);
    each_row("tests/data/tuner.cases", see_case);
    many();
    return program_end();
}
