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
    put_text("k.json", "{}");
    RAN_CHECK(program_refuses(1, "k.json: --metric \"x\": chooses a column of tables",
                              "kpred-train init k.json --metric x -o none.spec --force"));
}

int main(void)
{
    program_begin();
    each_row("tests/data/tables.cases", see_case);
    RUN_ALL(metric_of_a_spec, success_of_a_spec, several_tables);
    return program_end();
}
