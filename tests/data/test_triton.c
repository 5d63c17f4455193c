/* test_triton.c - small Triton configuration files, and tables of them
   SPDX-License-Identifier: MIT

   triton.cases beside it has what is read and what is refused; test_readers.py reads the servers'
   own files. The tuples here are made up. */
#include "harness/cases.h"

#define INGEST "kpred-train ingest "
#define TUPLE  "\"BLOCK_SIZE_M\": 16, \"BLOCK_SIZE_N\": 32, \"BLOCK_SIZE_K\": 128"
#define ROW    "vllm,H100,bf16,0,0,8,64,1,16,32,128,1,4,3\n"

static const char moe_spec[] = "[kernel]\nname = small\n[data]\nformat = triton\nfamily = moe\n"
                               "[fields]\nserver = vllm sglang\ngpu = H100 gfx942_304\n"
                               "dtype = bf16 fp8_w8a8\nblock = size 0\nper_channel = size 0 1\n"
                               "E = size\nN = size\nM = size\n"
                               "[params]\nBLOCK_SIZE_M = 16 32\nBLOCK_SIZE_N = 32 64\n"
                               "BLOCK_SIZE_K = 64 128\nGROUP_SIZE_M = 1 8\nnum_warps = 4 8\n"
                               "num_stages = 2 3\n";
static const char gemm_spec[] = "[kernel]\nname = small\n[data]\nformat = triton\n"
                                "family = block_gemm\n[fields]\nserver = vllm sglang\n"
                                "gpu = H100 gfx942_304\nblock = size 0\nN = size\nK = size\n"
                                "M = size\n[params]\nBLOCK_SIZE_M = 16\nBLOCK_SIZE_N = 32\n"
                                "BLOCK_SIZE_K = 64 128 256\n";
static const char table[] =
    "file,current,server,triton,device,dtype,block,E,N,K,M,block_m,block_n_tile,block_k_tile,"
    "group_m,warps,stages,waves_per_eu,nonkdim,kpack\n"
    "vllm|moe||NVIDIA_H100|8|64|0|none|0|0|0#a,1,vllm,,H100,none,0,8,64,0,1,16,32,128,1,4,3,0,0,1\n"
    "sglang|moe|3_4_0|AMD_Instinct_MI300X|8|64|0|float8|64|64|1#b,1,sglang,3_4_0,MI300X,fp8_w8a8,"
    "64,8,64,0,1,16,64,128,8,8,0,0,0,1\n"
    "vllm|moe||NVIDIA_H100|8|64|0|fp8_w8a8|64|64|0#c,1,vllm,,H100,fp8_w8a8,64,8,64,0,1,16,32,128,"
    "1,4,3,0,0,1\n"
    "vllm|bfp8||NVIDIA_H100|0|64|32|fp8_w8a8|64|64|0#c,1,vllm,,H100,fp8_w8a8,64,8,64,0,1,16,32,128,"
    "1,4,3,0,0,1\n";
#define OTHER_ROWS                                    \
    "vllm,H100,fp8_w8a8,64,0,8,64,1,16,32,64,1,4,3\n" \
    "sglang,gfx942_304,fp8_w8a8,64,1,8,64,1,16,64,128,8,8,2\n"
#define DROPPED \
    "kpred-train: dropped 1 row: another family, server, GPU or kernel than the spec's\n"

/* ---- files ---- */

static void make_folders(void)
{
    static const char *const folders[] = {"vllm", "sglang", "other", "other/triton_3_4_0"};
    for (size_t i = 0; i < COUNT(folders); i++)
        if (mkdir(folders[i], 0777) != 0)
            program_stop(folders[i]);
}

static const char *spec_of(const char *path)
{
    return begins(base_name(path), "N=") ? "gemm.spec" : "moe.spec";
}

static void put_config(const char *path, const char *content)
{
    put_text(path, "%s", expanded(content, "\nT = " TUPLE "\n"));
}

static void see_rows(char *const *cell)
{
    put_config(cell[1], cell[2]);
    RAN(INGEST "%s --data '%s' %s", spec_of(cell[1]), cell[1], cell[5]);
    const int is_told = *cell[4] == '\0' ? program.err.n == 0 : has(program.err.s, cell[4]);
    RAN_CASE(program.status == 0 && strcmp(below_heading(program.out.s), cell[3]) == 0 && is_told,
             cell[0]);
}

/* Beside a good file, --lenient reads what is left. */
static void see_refused(char *const *cell)
{
    const char *dropped = say("kpred-train: dropped %s", cell[4]);
    const int is_gemm = strcmp(spec_of(cell[1]), "gemm.spec") == 0;
    put_config(cell[1], cell[2]);
    REFUSES(cell[0], 1, say("%s%s", cell[1], cell[3]), INGEST "%s --data '%s'", spec_of(cell[1]),
            cell[1]);
    RAN(INGEST "%s --lenient --data '%s' '%s'", spec_of(cell[1]), cell[1],
        is_gemm ? "vllm/N=1,K=1,device_name=NVIDIA_H100.json"
                : "sglang/E=1,N=1,device_name=NVIDIA_H100.json");
    RAN_CASE(program.status == 0 && count_lines(program.out.s) == (*cell[5] == '\0' ? 2 : 3)
                 && has_line(program.err.s, dropped) && count_lines(program.err.s) == 1,
             cell[0]);
}

/* ---- tables and specs ---- */

static void see_table(char *const *cell)
{
    CHANGED("changed.csv", table, cell[1], cell[2]);
    REFUSES(cell[0], 1, say("changed.csv%s", cell[3]), INGEST "moe.spec --data changed.csv");
    if (*cell[4] != '\0')
        RAN_CASE(RAN(INGEST "moe.spec --lenient --data changed.csv") == 0
                     && strcmp(below_heading(program.out.s), OTHER_ROWS) == 0
                     && has_line(program.err.s, say("kpred-train: dropped %s", cell[4])),
                 cell[0]);
}

static void see_case(const char *kind, char *const *cell)
{
    if (strcmp(kind, "spec") == 0) {
        CHANGED("changed.spec", moe_spec, cell[0], cell[1]);
        REFUSES(cell[2], 1, cell[2], INGEST "changed.spec --data table.csv");
    } else if (!is_had("python3")) {
        skip_case(cell[0], "there is no python3");
    } else if (strcmp(kind, "rows") == 0) {
        see_rows(cell);
    } else if (strcmp(kind, "refused") == 0) {
        see_refused(cell);
    } else {
        see_table(cell);
    }
}

static void tables(void)
{
    RAN_CHECK(RAN(INGEST "moe.spec --data table.csv") == 0);
    CHECK_TEXT(below_heading(program.out.s), ROW OTHER_ROWS);
    CHECK_TEXT(program.err.s, DROPPED);
    put_text("back.csv", "%s", program.out.s);
    RAN_CHECK(RAN(INGEST "moe.spec --data back.csv") == 0 && program.err.n == 0);
    CHECK_TEXT(program.out.s, text_of("back.csv"));
    CHANGED("one.spec", moe_spec, "vllm sglang", "sglang");
    RAN_CHECK(RAN(INGEST "one.spec --data table.csv") == 0);
    CHECK_TEXT(program.err.s, replaced(DROPPED, "1 row", "3 rows"));
}

/* Tuples of one problem stay side by side, and so do files of one content. */
static void labels(void)
{
    put_config("vllm/E=8,N=64,device_name=NVIDIA_H100.json", "{\"1\": {$T}, \"2\": {$T}}");
    put_config("vllm/E=8,N=65,device_name=NVIDIA_H100.json", "{\"1\": {$T}, \"2\": {$T}}");
    put_config("other/triton_3_4_0/E=8,N=64,device_name=NVIDIA_H100.json",
               "{\"1\": {$T, \"num_warps\": 8}}");
    CHANGED("served.spec", moe_spec, "server = vllm sglang\n", "");
    RAN_CHECK(RAN(INGEST "served.spec --data vllm/E=8,N=65,device_name=NVIDIA_H100.json "
                         "vllm/E=8,N=64,device_name=NVIDIA_H100.json "
                         "other/triton_3_4_0/E=8,N=64,device_name=NVIDIA_H100.json")
              == 0);
    CHECK_TEXT(below_heading(program.out.s), "H100,bf16,0,0,8,64,1,16,32,128,1,4,3\n"
                                             "H100,bf16,0,0,8,64,1,16,32,128,1,8,3\n"
                                             "H100,bf16,0,0,8,64,2,16,32,128,1,4,3\n"
                                             "H100,bf16,0,0,8,65,1,16,32,128,1,4,3\n"
                                             "H100,bf16,0,0,8,65,2,16,32,128,1,4,3\n");
    RAN_CHECK(
        RAN("kpred-train train served.spec --data 'vllm/E=8,N=65,device_name=NVIDIA_H100.json' "
            "table.csv --split none --epochs 1 -o served.h")
        == 0);
    RAN_CHECK(RAN("kpred-train eval served.h --rows all --data table.csv --csv") == 0
              && has(program.out.s, "\nsmall,all,H100,"));
}

int main(void)
{
    program_begin();
    make_folders();
    put_text("moe.spec", "%s", moe_spec);
    put_text("gemm.spec", "%s", gemm_spec);
    put_text("table.csv", "%s", table);
    put_config("vllm/N=1,K=1,device_name=NVIDIA_H100.json", "{\"1\": {$T}}");
    put_config("sglang/E=1,N=1,device_name=NVIDIA_H100.json", "{\"1\": {$T}}");
    if (is_had("python3")) {
        test_run("tables", tables);
        test_run("labels of one problem", labels);
    }
    each_row("tests/data/triton.cases", see_case);
    return program_end();
}
