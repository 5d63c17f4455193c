/* test_ml.c - kpred-evolve's network, ml, ml-report and ml-export: small networks learn, searches
   over them, what is chosen, and what is refused
   SPDX-License-Identifier: MIT

   What is refused are lines of tools/evolve/tests/ml.cases. */
#define _POSIX_C_SOURCE 200809L
#include "commands.h"

#ifdef HAVE_MLIR
enum { HAS_MLIR = 1 };
#else
enum { HAS_MLIR = 0 };
#endif

enum { IMAGES = 400, PIXELS = 16 };
static const char *const networks[] = {"dense", "mobile"};

/* Calls the functions of a library. The arena has bytes behind it that have to stay. */
static const char calls[] =
    "#include \"library/net.h\"\n#include <stdio.h>\n#include <string.h>\n"
    "static _Alignas(64) unsigned char arena[net_arena + 64];\n"
    "static float in[10 * 16], out[net_variants][10 * 2], again[10 * 2];\n"
    "int main(void)\n{\n    int same = 1;\n"
    "    for (int i = 0; i < 160; i++)\n        in[i] = (float)(i % 7) / 7;\n"
    "    memset(arena, 0xff, sizeof arena);\n"
    "    for (int v = 0; v < net_variants; v++) {\n"
    "        net_table[v](in, out[v], arena);\n"
    "        net_table[v](in, again, arena);\n"
    "        same &= memcmp(out[v], again, sizeof again) == 0 && out[v][0] == out[v][0]\n"
    "                && out[v][0] != out[v][1];\n    }\n"
    "    for (int i = 0; i < 64; i++)\n        same &= arena[net_arena + i] == 0xff;\n"
    "    printf(\"%d variants, %d, %.2f\\n\", net_variants, same, 100 * net_points[0].validate);\n"
    "    return net_points[net_variants - 1].us > 0.99 * net_points[0].us;\n}\n";

/* Images of 4 x 4 numbers; the label says which half is brighter. */
static void put_rows(void)
{
    struct buf *b = new_text();
    buf_puts(b, "label");
    for (int i = 0; i < PIXELS; i++)
        buf_printf(b, ",p%d", i);
    for (int k = 0; k < IMAGES; k++) {
        buf_printf(b, "\n%d", k % 2);
        for (int i = 0; i < PIXELS; i++)
            buf_printf(b, ",%g", ((i < 8) == k % 2) * 0.5 + i * k % 7 / 14.0);
    }
    put_text("rows.csv", "%s\n", b->s);
}

/* ---- networks ---- */

static int learns(const char *network, const char *options)
{
    return RAN("kpred-evolve network %s --data rows.csv -o %s.mlir %s", network, network, options)
               == 0
           && program.err.n == 0;
}

/* The images may be packed. */
static void packed_images(void)
{
    RUNS("/usr/bin/env gzip -k rows.csv");
    RAN_CASE(learns("dense", "--epochs 1"), "dense");
    put_copy("plain.mlir", "dense.mlir");
    const int status =
        RAN("kpred-evolve network dense --data rows.csv.gz -o dense.mlir --epochs 1");
    RAN_CASE(has(program.err.s, "which this program was built without")
                 || (status == 0 && strcmp(text_of("dense.mlir"), text_of("plain.mlir")) == 0),
             "rows.csv.gz");
}

static void learning(void)
{
    for (int i = 0; i < 2; i++) {
        const char *name = networks[i];
        RAN_CASE(
            learns(name, "--epochs 8 --batch 3")
                && lines_like(program.out.s, "^test +[0-9]+ images +(9[0-9]|100)[.][0-9]+ %$") == 1
                && has(text_of(say("%s.mlir", name)),
                       say("func.func @%s(%%x0: tensor<3x4x4x1xf32>) -> tensor<3x2xf32>", name)),
            say("%s learns", name));
    }
    put_copy("first.mlir", learns("dense", "--epochs 3") ? "dense.mlir" : "rows.csv");
    const int same =
        learns("dense", "--epochs 3") && strcmp(text_of("first.mlir"), text_of("dense.mlir")) == 0;
    RAN_CASE(same && learns("dense", "--epochs 3 --seed 2")
                 && strcmp(text_of("first.mlir"), text_of("dense.mlir")) != 0,
             "the same bits twice, and others of another seed");
}

static void verifies(void)
{
    if (!has_command("mlir-opt-16")) {
        skip_case("MLIR verifies the modules", "there is no mlir-opt-16");
        return;
    }
    for (int i = 0; i < 2; i++)
        RUNS("/usr/bin/env mlir-opt-16 %s.mlir -o out.mlir", networks[i]);
    CASE(count_of(text_of("out.mlir"), "linalg.matmul") == 1
             && lines_like(text_of("out.mlir"), "depthwise_conv") == 3,
         "the operations of mobile");
}

/* The module computes what the network does, whatever is left over for the last batch. */
static void same_as_network(void)
{
    static const int batches[] = {1, 7, 30};
    for (int i = 0; i < 6; i++)
        RAN_CASE(learns(networks[i % 2], say("--epochs 1 --check --batch %d", batches[i / 2]))
                     && lines_like(program.out.s, "^module: 400 images, 0 of them with another "
                                                  "label; numbers differ by 0.0e[+]00")
                            == 1,
                 say("%s: the module, of batches of %d", networks[i % 2], batches[i / 2]));
}

/* ---- searches ---- */

static int searches(const char *module, const char *log, const char *options)
{
    return RAN("kpred-evolve ml %s --data rows.csv -o %s --jobs 2 %s", module, log, options) == 0;
}

static size_t evaluations(const char *log)
{
    return lines_like(text_of(log), "^(valid|wrong|crashed|timed-out)");
}

/* What was evaluated before is not evaluated again. */
static void searching(void)
{
    RAN_CASE(searches("dead.mlir", "first.log", "--population 8 --evaluations 20")
                 && lines_like(program.out.s, "^log .*error") == 1 && evaluations("first.log") >= 15
                 && lines_like(program.err.s, "^[0-9]+ evaluations: [0-9]+ valid") == 1,
             "a search");
    put_copy("cut.log", "first.log");
    RAN_CASE(searches("dead.mlir", "cut.log", "--population 8 --evaluations 26 --resume")
                 && begins(text_of("cut.log"), text_of("first.log"))
                 && evaluations("cut.log") > evaluations("first.log"),
             "goes on");
}

/* The dead branch is 40 % of the time: a search in which it goes by one edit is said in words. What
   is chosen is a module that can be searched in its turn, with fewer multiplications. */
static void reports(void)
{
    RAN_CASE(searches("dead.mlir", "climb.log", "--method climb --evaluations 40 --seed 2")
                 && RAN("kpred-evolve ml-report climb.log -o chosen.mlir") == 0
                 && lines_like(program.out.s, "^point .*validate") == 1
                 && lines_like(program.out.s, "^module  *1.0000 .*  0  *-$") == 1
                 && lines_like(program.out.s, "^chosen: point [0-9]+$") == 1
                 && lines_like(program.out.s, "^1\\. [a-z]+ .*\\(") == 1
                 && lines_like(program.out.s, "^gain [0-9.]+ % \\(95 % interval") == 1
                 && lines_like(program.out.s, "^wrong labels of 80 test images: [0-9.]+ %, of the "
                                              "module [0-9.]+ %$")
                        == 1,
             "what is chosen, in words");
    RAN_CASE(
        count_of(text_of("chosen.mlir"), "linalg.matmul")
                < count_of(text_of("dead.mlir"), "linalg.matmul")
            && searches("chosen.mlir", "again.log", "--population 4 --elite 1 --evaluations 5"),
        "what is chosen, as a module");
    if (!has_command("gnuplot"))
        skip_case("as a plot, and as JSON", "there is no gnuplot");
    else
        RAN_CASE(RAN("kpred-evolve ml-report climb.log --plot front.svg --json") == 0
                     && has(text_of("front.svg"), "module as it is")
                     && has(program.out.s, "\"point\": \"chosen\""),
                 "as a plot, and as JSON");
}

/* Without a bound on time, what is chosen has the least validation error of the front. */
static void least_error(void)
{
    double least = HUGE_VAL, found = HUGE_VAL;
    RAN("kpred-evolve ml-report climb.log --choose error --bound 50 --csv");
    int is = has(program.err.s, "what is chosen is the module as it is");
    for (char *at = program.out.s, *line; !is && (line = next_line(&at)) != NULL;) {
        const double error = number_of(line, 6);
        if (*line >= '0' && *line <= '9' && error < least)
            least = error;
        if (begins(line, "chosen,"))
            found = error;
    }
    RAN_CASE(is || (program.status == 0 && found <= least + 0.01), "what is chosen by error");
}

/* The module is variant 0. The CSV of a report says the same of it. */
static void exports(void)
{
    char words[100] = "";
    put_text("calls.c", "%s", calls);
    RAN_CASE(
        RAN("kpred-evolve ml-export climb.log -o library --name net") == 0
            && RAN("/usr/bin/env %s -std=c11 -O2 -I. calls.c library/net.o -lm -o calls", own_cc())
                   == 0
            && RAN("./calls") == 0 && sscanf(program.out.s, "%*d variants, %99[^\n]", words) == 1,
        "as a library");
    RAN("kpred-evolve ml-report climb.log --csv");
    const char *module = strstr(program.out.s, "\nmodule,1.0000,"),
               *chosen = strstr(program.out.s, "\nchosen,0.");
    RAN_CASE(begins(program.out.s, "point,time,gain,low,high,search,validate,test,edits,list\n")
                 && module != NULL && chosen != NULL && count_lines(chosen) == 2
                 && strcmp(words, say("1, %.2f", number_of(module + 1, 6))) == 0,
             "as CSV");
}

/* For a bound the fastest variant that keeps to it */
static void predicts(void)
{
    RUNS("kpred-train train library/net.spec --data library/net.csv -o net_model.h");
    for (int bound = 1; bound <= 1000; bound += 999) {
        double least = HUGE_VAL;
        int want = -1, got = -2;
        char *text = new_copy(text_of("library/net.csv")), *at = text, *line;
        while ((line = next_line(&at)) != NULL)
            if (begins(line, say("%d,", bound)) && number_of(line, 2) < least) {
                least = number_of(line, 2);
                want = (int)number_of(line, 1);
            }
        RAN_CASE(RAN("kpred predict net_model.h bound=%d -k 1", bound) == 0
                     && sscanf(below_heading(program.out.s), "%*s %*s %d", &got) == 1
                     && got == want,
                 say("the model of the library, for %d", bound));
    }
}

static void see(const char *kind, char *const *cell)
{
    const char *line = cell[2], *module = *kind == 'm' ? "mlir" : "csv";
    if (!HAS_MLIR && !begins(line, "network "))
        return;
    if (has(line, "ROWS"))
        line = replaced(line, "ROWS", "--data rows.csv -o no.out");
    if (has(line, "BAD"))
        line = replaced(line, "BAD", "--data bad.csv -o no.out");
    if (*cell[3] != '\0'
        && !edited(*kind == 'm' ? "dead.mlir" : "rows.csv", say("bad.%s", module), cell[3]))
        CASE(0, "%s changes something", cell[3]);
    leaves_files(say("%s: %s", line, cell[1]), 0, cell[0][0] - '0', cell[1],
                 say("kpred-evolve %s", line));
}

int main(void)
{
    commands_begin();
    put_rows();
    packed_images();
    learning();
    verifies();
    RUNS("kpred-evolve network dense --data rows.csv --epochs 8 --batch 10 -o dead.mlir --plant "
         "dead");
    if (HAS_MLIR) {
        same_as_network();
        searching();
        reports();
        least_error();
        exports();
        if (is_built("kpred-train"))
            predicts();
        edited("first.log", "other.log", "s/^# split 1$/# split 2/");
    } else {
        skip_case("kpred-evolve ml", "there is no MLIR in the build");
    }
    each_row("tools/evolve/tests/ml.cases", see);
    return commands_end();
}
