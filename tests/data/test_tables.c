/* test_tables.c - tables of times as people make them, read by init and by its spec
   SPDX-License-Identifier: MIT

   tables.cases beside it has them. */
#include "harness/cases.h"

static void see_case(const char *kind, char *const *c)
{
    const char *fields = strstr(c[2], "--fields") != NULL ? "" : "--fields n";
    put_text("t.csv", "%s", c[3]);
    if (strcmp(kind, "refused") == 0) {
        REFUSES(c[0], 1, c[1], "kpred-train init t.csv %s %s -o none.spec --force", fields, c[2]);
        return;
    }
    const int is_made = RAN("kpred-train init t.csv %s %s -o t.spec --force", fields, c[2]) == 0
                        && has(program.err.s, c[1]);
    const int is_decided = is_made && has(program.err.s, "tells which rows failed");
    const int is_read = is_made && RAN("kpred-train ingest t.spec --data t.csv") == 0;
    RAN_CASE(is_read && strcmp(below_heading(program.out.s), c[4]) == 0 && has(program.err.s, c[5]),
             c[0]);
    if (!is_decided)
        return;
    CHANGED("bare.spec", text_of("t.spec"), "^success", "");
    RAN_CASE(RAN("kpred-train ingest bare.spec --data t.csv") == 0
                 && strcmp(below_heading(program.out.s), c[4]) == 0
                 && has(program.err.s, "a line `success` in [data] of the spec says otherwise"),
             say("%s, with a spec that does not say it", c[0]));
}

/* What the spec says of such columns counts for every command, and a header keeps it. */
static void success_of_a_spec(void)
{
    put_text("t.csv", "n,tile,max error,time_us\n8,1,0.01,1\n8,2,0.5,0.25\n8,3,0,2\n");
    put_text("a.spec", "[kernel]\nname = a\n[data]\nformat = timed\n[fields]\nn = size\n"
                       "[params]\ntile = 1 2 3\n");
    RAN_CHECK(program_refuses(1,
                              "a result may be: `success = \"max error<=LIMIT\"` says what worked, "
                              "`success = \"max error=*\"` that it does not tell; the line stands",
                              "kpred-train ingest a.spec --data t.csv"));
    CHANGED("t.spec", text_of("a.spec"), "^format", "format = timed\nsuccess = \"max error<=.1\"");
    RAN_CHECK(WORKS("kpred-train ingest t.spec --data t.csv")
              && strcmp(below_heading(program.out.s), "8,1,1\n8,3,2\n") == 0);
    RAN_CHECK(WORKS("kpred-train train t.spec --data t.csv --split none --epochs 1 -o t.h --force")
              && has(program.err.s, "\"failed: max error=0.5\" in 1 row")
              && has(text_of("t.h"), "success = \"max error<=.1\"")
              && WORKS("kpred-train eval t.h --data t.csv --rows all")
              && has(program.err.s, "\"failed: max error=0.5\" in 1 row"));
    RAN_CHECK(WORKS("kpred-train tune t.spec --replay t.csv --seeds 20 --budget 1 --csv")
              && has(program.out.s, ",0.50000\n") && !has(program.out.s, ",0.25000\n")
              && has(program.err.s, "1 row failed, as its columns say"));
    CHANGED("b.spec", text_of("t.spec"), "^success", "success = \"max error=*\"");
    RAN_CHECK(WORKS("kpred-train ingest b.spec --data t.csv") && count_lines(program.out.s) == 4);
    CHANGED("b.spec", text_of("t.spec"), "^success", "success = n=8");
    RAN_CHECK(program_refuses(1, "success: value \"n=8\": is of a field",
                              "kpred-train ingest b.spec --data t.csv"));
    CHANGED("b.spec", text_of("t.spec"), "^success", "success = ok");
    RAN_CHECK(program_refuses(1, "success: value \"ok\": is not of the form COLUMN=VALUE",
                              "kpred-train ingest b.spec --data t.csv"));
    put_text("u.csv", "n,tile,status,time_us\n8,1,0,1\n8,2,1,0.1\n8,3,0,2\n9,1,1,0.1\n9,2,0,9\n");
    put_text("v.csv", "n,tile,status,time_us\n8,1,1,1\n8,2,0,0.1\n8,3,1,2\n9,1,0,0.1\n9,2,1,9\n");
    RAN_CHECK(program_refuses(1, "v.csv: status=1 is a success here, but not in another table",
                              "kpred-train init u.csv v.csv --fields n -o none.spec"));
}

/* A column that the spec names is the one that a training reads; other formats have none. */
static void metric_of_a_spec(void)
{
    put_text("t.csv", "n,tile,a_ms,b_ms\n8,1,1,2\n8,2,3,4\n");
    RAN_CHECK(WORKS("kpred-train init t.csv --fields n --metric b_ms -o t.spec --force")
              && has_line(text_of("t.spec"), "metric = b_ms"));
    RAN_CHECK(WORKS("kpred-train train t.spec --data t.csv --split none --epochs 1 -o t_model.h")
              && has(text_of("t_model.h"), "metric = b_ms"));
    CHANGED("a.spec", text_of("t.spec"), "^metric", "metric = a_ms");
    RAN_CHECK(WORKS("kpred-train ingest a.spec --data t.csv")
              && strcmp(below_heading(program.out.s), "8,1,1000\n8,2,3000\n") == 0);
    RAN_CHECK(WORKS("kpred-train ingest t.spec --data t.csv -o again.csv")
              && same_output("kpred-train ingest t.spec --data again.csv",
                             "kpred-train ingest t.spec --data t.csv"));
    CHANGED("a.spec", text_of("t.spec"), "^metric", "metric = n");
    RAN_CHECK(program_refuses(1, "metric: value \"n\": is a field or a parameter",
                              "kpred-train ingest a.spec --data t.csv"));
    CHANGED("a.spec", text_of("t.spec"), "^format", "format = csv");
    RAN_CHECK(program_refuses(1, "metric: value \"b_ms\": only data of format = timed",
                              "kpred-train ingest a.spec --data t.csv"));
}

/* Tables that call their times otherwise are read together, times and speeds are not. */
static void several_tables(void)
{
    put_text("t.csv", "n,tile,time_us\n8,1,1\n8,2,3\n");
    put_text("ms.csv", "n,tile,latency (ms)\n9,1,1\n9,2,3\n");
    put_text("speed.csv", "n,tile,GFLOPS\n9,1,1\n9,2,3\n");
    RAN_CHECK(WORKS("kpred-train init t.csv ms.csv --fields n -o t.spec --force")
              && WORKS("kpred-train ingest t.spec --data t.csv ms.csv")
              && strcmp(below_heading(program.out.s), "8,1,1\n8,2,3\n9,1,1000\n9,2,3000\n") == 0);
    RAN_CHECK(program_refuses(1, "speed.csv: its times are those of \"GFLOPS\", those of t.csv",
                              "kpred-train init t.csv speed.csv --fields n -o none.spec --force"));
    put_copy("k.json", in_root("tests/fixtures/cache.json"));
    RAN_CHECK(program_refuses(1, "k.json: --metric \"x\": chooses a column of tables",
                              "kpred-train init k.json --metric x -o none.spec --force"));
}

/* ---- where there is no python3 ---- */

#define BARE "/usr/bin/env PATH=/none %s "

static void see_plain(const char *name, const char *table, const char *rows)
{
    put_text("p.csv", "%s", table);
    RAN_CASE(RAN(BARE "init p.csv --fields n -o p.spec --force", in_build("kpred-train")) == 0
                 && RAN(BARE "ingest p.spec --data p.csv", in_build("kpred-train")) == 0
                 && strcmp(below_heading(program.out.s), rows) == 0,
             name);
}

static void see_odd(const char *name, const char *table, const char *what)
{
    put_text("o.csv", "%s", table);
    RAN_CASE(RAN(BARE "init o.csv --fields n -o none.spec --force", in_build("kpred-train")) == 1
                 && has(program.err.s, what) && count_lines(program.err.s) == 1
                 && has(program.err.s,
                        "an importer in Python reads such files, and python3 is not "
                        "found: `python3 -m kpred.convert --fields=n o.csv -o table.csv`"),
             name);
}

/* Plain tables need none; a column that may tell failures is never a parameter. */
static void without_python(void)
{
    see_plain("names as values",
              "n,layout,dtype,time_us\n8,row,f16,1\n8,col,bf16,OOM\n9,row,f16,2\n",
              "8,row,f16,1\n9,row,f16,2\n");
    see_plain("semicolons and decimal commas",
              "\357\273\277n;tile;time_ms\r\n8;1;1,5\r\n8;2;1,234\r\n", "8,1,1500\n8,2,1234\n");
    see_plain("bars", "| n | tile | time_us |\n|---|---|---|\n| 8 | 1 | 1.5 |\n| 8 | 2 | - |\n",
              "8,1,1.5\n");
    see_plain("repeats, quotes and words",
              "n,\"tile\",time_us\n8,1,1\n8,1,3\n8,\"2\",error: code 12\n8,2,4\n",
              "8,1,1\n8,2,4\n");
    see_plain("the best tuples", "n,tile\n8,1\n9,2\n", "8,1\n9,2\n");
    see_odd("a status", "n,tile,status,time_us\n8,1,0,1\n8,2,1,2\n",
            "o.csv:1: column \"status\" may tell which rows failed: ");
    see_odd("a word of a failure", "n,tile,x,time_us\n8,1,a,1\n8,2,Segfault,2\n",
            "o.csv:3: column \"x\" has a word that may tell which rows failed: ");
    see_odd("a unit in a cell", "n,tile,time_us\n8,1,1ms\n8,2,2\n",
            "o.csv:2: column \"time_us\" has a cell that is neither a number nor a word: ");
    see_odd("a rate", "n,tile,GFLOPS\n8,1,1\n8,2,2\n",
            "o.csv:1: column \"GFLOPS\" may be a measurement");
    see_odd("a mark between thousands", "n;tile;time_us\n1.024;1;1\n1.024;2;2\n",
            "o.csv:2: column \"n\" has numbers with marks between their digits: ");
    see_odd("a column a kernel", "n,naive,other\n8,1.5,2\n",
            "o.csv:2: column \"naive\" has fractions");
    const char *rare = "n,tile,x,time_us\n";
    for (int i = 0; i < 30; i++)
        rare =
            say("%s%d,%d,%d,%s\n", rare, 8 + i / 10, i % 10, i % 10 == 7, i % 10 == 7 ? ".1" : "9");
    see_odd("a value that goes with the shortest times", rare,
            "o.csv:1: column \"x\" has a value that goes with the shortest times alone: ");
}

int main(void)
{
    program_begin();
    RUN(without_python);
    if (!is_had("python3")) {
        skip_case("odd tables", "there is no python3");
        return program_end();
    }
    each_row("tests/data/tables.cases", see_case);
    RUN_ALL(metric_of_a_spec, success_of_a_spec, several_tables);
    return program_end();
}
