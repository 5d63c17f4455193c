/* fuzz_commands.c - command lines of kpred and kpred-train, an argument a line
   SPDX-License-Identifier: MIT

   `@spec` and the like stand for files. The linker keeps the commands from writing files, beginning
   processes and training (jail.c). */
#include "fuzz.h"
#include "jail.h"
#include "specs.h"

#include "cli/commands.h"

#include <string.h>

enum { MOST_ARGS = 40 };

static const struct command table[] = {
    {"models", "", cmd_models},   {"predict", "", cmd_predict},  {"miopen", "", cmd_miopen},
    {"aiter", "", cmd_aiter},     {"bench", "", cmd_bench},      {"init", "", cmd_init},
    {"ingest", "", cmd_ingest},   {"train", "", cmd_train},      {"eval", "", cmd_eval},
    {"tune", "", cmd_tune},       {"merge", "", cmd_merge},      {"relayout", "", cmd_relayout},
    {"kernels", "", cmd_kernels}, {"list", "", cmd_aiter_model}, {NULL, NULL, NULL},
};

static const struct file {
    const char *word, *name, *text;
} files[] = {
    {"@spec", "t.spec", SPEC_TIMED},
    {"@csv", "t.csv",
     "gpu,kind,n,h,tile,mode,time_us\ngfx900_56,plain,1,4,1,fast,3\n"
     "gfx906_60,other,8,64,2,small,5\n"},
    {"@log", "t.log",
     "MIOpenDriver conv -n 32 -c 64 -H 56 -W 56 -k 64 -F 1\n"
     "[aiter] shape is M:16, N:1536, K:7168, not found tuned config in F, will use default "
     "config!\n"},
    {"@problems", "p.csv", "gpu,kind,n,h\ngfx900_56,plain,1,4\n"},
    {"@best", "b.csv",
     "gpu,dir,dtype,n,c,h,w,k,stride,read_size,k_mult,chunks_per_wave,chunk_size,n_mult,c_mult,"
     "waves_c_in_group,waves_k_in_group\n"
     "gfx906_60,F,FP32,32,256,56,56,256,1,2,16,2,64,3,2,1,4\n"},
    {"@tuned", "r.csv",
     "# kpred-train tune: tiny\n# by tune\ngpu,kind,n,h,tile,mode,time_us\n"
     "gfx900_56,plain,16,64,1,small,3\n"},
};

static char *argument(char *word)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(word, files[i].word) == 0)
            return (char *)(uintptr_t)fuzz_file(files[i].name, files[i].text,
                                                strlen(files[i].text));
    return word;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char program[] = "kpred";
    struct buf text = fuzz_text(data, size), copy[MOST_ARGS];
    char *args[MOST_ARGS + 1] = {program}, *at = text.s, *line;
    int n = 1;
    for (; n < MOST_ARGS && (line = next_line(&at)) != NULL; n++) {
        line = argument(line);
        copy[n] = fuzz_text((const uint8_t *)line, strlen(line));
        args[n] = copy[n].s;
    }
    args[n] = NULL;
    jail_is_shut = 1;
    jail_refused = 0;
    const int status = commands_run("kpred", table, n, args);
    jail_is_shut = 0;
    FUZZ_CHECK(status >= 0 && status <= 2);
    if (status == 0)
        FUZZ_REACHED("the end of a command");
    if (jail_refused)
        FUZZ_REACHED("what the jail refuses");
    while (--n > 0)
        buf_free(&copy[n]);
    buf_free(&text);
    return 0;
}
