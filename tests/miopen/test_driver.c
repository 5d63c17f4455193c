/* test_driver.c - driver lines and the keys of MIOpen's databases
   SPDX-License-Identifier: MIT

   usage: test_driver         its tests
          test_driver --keys  driver lines on standard input; prints a line of keys for each, "?"
                              for one without, for tests/miopen/miopen_oracle.py to compare */
#include "harness/cases.h"
#include "miopen/conv.h"

#define STRIDED "-n 16 -c 64 -H 55 -W 28 -k 256 -y 1 -x 1 -u 2 -v 2"
#define KEY_F   "64-55-28-1x1-256-28-14-16-0x0-2x2-1x1-0-NCHW-FP32-F"

/* The keys of all calls of a line, separated by blanks; "?" for anything but a convolution. */
static const char *keys_of(const char *text, struct buf *keys)
{
    struct driver_call call;
    enum driver_kind kind;
    char *line = new_copy(text), *at = line;
    keys->n = 0;
    buf_puts(keys, "");
    while ((kind = driver_next(&at, &call)) != DRIVER_NONE) {
        if (kind != DRIVER_CONV || call.is_transposed) {
            buf_puts(keys, keys->n != 0 ? " ?" : "?");
            continue;
        }
        for (int i = 0; i < 3; i++)
            if (call.directions >> i & 1) {
                call.conv.dir = "FBW"[i];
                buf_puts(keys, keys->n != 0 ? " " : "");
                conv_add_key(&call.conv, keys);
            }
    }
    return keys->s;
}

static int print_keys(void)
{
    struct buf *keys = new_text();
    char line[4096];
    while (fgets(line, sizeof line, stdin) != NULL) {
        const char *text = keys_of(line, keys);
        puts(*text != '\0' ? text : "?");
    }
    return fflush(stdout) != 0;
}

/* Every form that a key has; written again it is the same. */
static void keys_come_back(void)
{
    static const char *const keys[] = {
        "64-56-56-1x1-256-56-56-16-0x0-1x1-1x1-0-NCHW-FP32-F",
        "256-28-28-1x1-64-55-56-16-0x0-2x2-1x1-0-NCHW-FP16-B",
        "480-14-14-1x1-120-14-14-512-0x0-1x1-1x1-0-NCHW-FP16-F_g3",
        "1024-14-14-1x1-2048-7-7-1024-0x0-2x2-1x1-0-NHWC-NHWC-NHWC-BF16-F",
        "1024-1-14-14-1x1x1-2048-1-7-7-4-0x0x0-1x2x2-1x1x1-0-NCDHW-FP32-F",
        "2048-1-28-28-1x3x3-256-1-28-28-1-0x12x12-1x1x1-1x12x12-0-NCDHW-FP32-F",
        "32-4-9-9-3x3x3-16-4-9-9-2-1x1x1-1x1x1-1x1x1-0-NDHWC-NDHWC-NDHWC-FP16-W_g2",
        "64-56-56-1x1-256-56-56-16-0x0-1x1-1x1-1-NCHW-INT8-F_ciFP8_cwFP8_coBFP8",
    };
    struct buf *b = new_text();
    for (size_t i = 0; i < COUNT(keys); i++) {
        struct conv c;
        char why[96] = "";
        b->n = 0;
        CHECK(conv_parse_key(keys[i], strlen(keys[i]), &c, why) == 0);
        conv_add_key(&c, b);
        CHECK(strcmp(b->s, keys[i]) == 0);
    }
}

static void a_backward_key_is_swapped(void)
{
    static const char key[] = "256-28-27-3x5-64-56-55-16-1x2-2x2-1x1-0-NCHW-FP16-W_g4";
    struct conv c;
    char why[96];
    CHECK(conv_parse_key(key, sizeof key - 1, &c, why) != 0); /* 55 wide makes 28 */
    CHECK(strstr(why, "55") != NULL);
    const char *fits = "256-28-28-3x5-64-56-55-16-1x2-2x2-1x1-0-NCHW-FP16-W_g4";
    CHECK(conv_parse_key(fits, strlen(fits), &c, why) == 0);
    CHECK(c.dims == 2 && c.dir == 'W' && c.n == 16 && c.c == 64 && c.k == 256 && c.groups == 4);
    CHECK(c.in[1] == 56 && c.in[2] == 55 && c.out[1] == 28 && c.out[2] == 28);
    CHECK(c.filter[1] == 3 && c.filter[2] == 5 && c.pad[1] == 1 && c.pad[2] == 2);
    CHECK(c.in[0] == 1 && c.pad[0] == 0 && c.stride[0] == 1);
}

/* One character less is not a key; another one may make another key, which then comes back. */
static void damaged_keys(void)
{
    static const char key[] = "480-14-14-1x1-120-14-14-512-0x0-1x1-1x1-0-NCHW-FP16-F_g3";
    static const char others[] = "0x-_gF9;=\x7f";
    const size_t n = sizeof key - 1;
    struct buf *once = new_text(), *twice = new_text();
    struct conv c;
    char why[96];
    for (size_t i = 0; i < n; i++)
        for (const char *other = others; *other != '\0'; other++) {
            char damaged[sizeof key];
            memcpy(damaged, key, sizeof key);
            damaged[i] = *other;
            if (conv_parse_key(damaged, n, &c, why) != 0)
                continue;
            once->n = twice->n = 0;
            conv_add_key(&c, once);
            CHECK(conv_parse_key(once->s, once->n, &c, why) == 0);
            conv_add_key(&c, twice);
            CHECK(strcmp(once->s, twice->s) == 0);
        }
    for (size_t i = 0; i < n - 3; i++)
        CHECK(conv_parse_key(key, i, &c, why) != 0);
}

static void check_keys(const char *line, const char *expected)
{
    struct buf *keys = new_text();
    const char *got = keys_of(line, keys);
    CHECK(strcmp(got, expected) == 0);
    if (strcmp(got, expected) != 0)
        printf("  %s\n  gives    %s\n  expected %s\n", line, got, expected);
}

#define DF "3-32-32-3x3-32-30-30-100-0x0-1x1-1x1-0-NCHW-FP32-F"
#define DB "32-30-30-3x3-3-32-32-100-0x0-1x1-1x1-0-NCHW-FP32-B"
#define DW "32-30-30-3x3-3-32-32-100-0x0-1x1-1x1-0-NCHW-FP32-W"
#define LONG                                                                                 \
    "conv --batchsize 16 --in_channels 64 --in_h 55 --in_w 28 --out_channels 256 --fil_h 1 " \
    "--fil_w 1 --conv_stride_h 2 --conv_stride_w 2 --forw 1"
#define SHORT "conv " STRIDED

static void lines_of_calls(void)
{
    static const char *const lines[][2] = {
        {"", ""},
        {"MIOpenDriver", ""},
        {"MIOpenDriver conv", DF " " DB " " DW},
        {"MIOpenDriver conv -F 1", DF},
        {"MIOpenDriver conv -F 6", DB " " DW},
        {"MIOpenDriver conv -z same -u 2 -v 2 -H 33 -F 1",
         "3-33-32-3x3-32-17-15-100-1x0-2x2-1x1-0-NCHW-FP32-F"},
        {"MIOpenDriver conv -z valid -p 1 -q 1 -l 2 -F 1",
         "3-32-32-3x3-32-30-32-100-1x1-1x1-2x1-0-NCHW-FP32-F"},
        {"MIOpenDriver conv -F 1 --spatial_dim 3",
         "3-32-32-32-3x3x3-32-30-30-30-100-0x0x0-1x1x1-1x1x1-0-NCDHW-FP32-F"},
        {"MIOpenDriver conv -F 1; ./bin/MIOpenDriver conv --forw=1 2>&1 | tee log", DF " " DF},
        {"cmd = \"./MIOpenDriver conv -F 1\", more", DF},
        {"MIOpenDriver " LONG, KEY_F},
        {"MIOpenDriver conv --batchsize=16 --in_channels=64 --in_h=55 --in_w=28 --out_channels=256 "
         "--fil_h=1 --fil_w=1 --conv_stride_h=2 --conv_stride_w=2 --forw=1",
         KEY_F},
        {"MIOpenDriver " LONG
         " --in_d 1 --fil_d 1 --pad_d 0 --pad_h 0 --pad_w 0 --conv_stride_d 1 --dilation_d 1 "
         "--dilation_h 1 --dilation_w 1 --group_count 1 --mode conv --pad_mode default "
         "--spatial_dim 2 --in_layout NCHW --fil_layout NCHW --out_layout NCHW --bias 0 --time 1 "
         "--iter 10 --verify 0 --wall 2 --search 1 --printconv 0 --dump_output 0 --in_data a.bin "
         "--weights b.bin --in_bias c.bin --dout_data d.bin --solution 5 --gpualloc 0 "
         "--verification_cache dir/ --tensor_vect 0 --vector_length 1 --pad_val 0 "
         "--trans_output_pad_d 0 --trans_output_pad_h 0 --trans_output_pad_w 0 --in_cast_type -1 "
         "--out_cast_type -1 --wei_cast_type -1",
         KEY_F},
        {"MIOpenDriver " SHORT
         " -F 1 -! 32 -@ 3 -$ 0 -p 0 -q 0 -# 1 -^ 1 -l 1 -j 1 -g 1 -m conv -z default -_ 2 -I NCHW "
         "-f NCHW -O NCHW -b 0 -t 1 -i 10 -V 0 -w 2 -s 1 -P 0 -o 0 -d a.bin -e b.bin -a c.bin -D "
         "d.bin -S 5 -G 0 -C dir/ -Z 0 -L 1 -r 0 -% 0 -Y 0 -X 0",
         KEY_F},
        {"\tMIOpenDriver\tconv\t-n\t16\t-c\t64\t-H\t55\t-W\t28\t-k\t256\t-y\t1\t-x\t1\t-u\t2\t-"
         "v\t2\t-F\t1\t",
         KEY_F},
        {"\"/opt/x/MIOpenDriver\" 'conv' -n 16 -c 64 -H 55 -W 28 -k 256 -y 1 -x 1 -u 2 -v 2 '-F' "
         "\"1\"",
         KEY_F},
        {"MIOpenDriver " SHORT " -F 1 --in_h=55 -n 16", KEY_F},
    };
    for (size_t i = 0; i < COUNT(lines); i++)
        check_keys(lines[i][0], lines[i][1]);
}

static void what_stands_around_a_call(void)
{
    static const char *const behind[] = {
        "| tee x", "|tee",   "> x -n 0", ">x", "< y",    "<y", "2>&1", "2> err",
        "2>err",   "& wait", "&& false", ";",  "# -n 0", "#2", ")",    ") 2>x",
    };
    static const char *const before[] = {
        "./bin/",
        "/opt/rocm-5.7.0/bin/",
        "MIOpen(HIP): Command [LogCmdFindConvolution] ./",
        "2024-05-01 [0] \"x\" ",
        "MIOPEN_LOG_LEVEL=6 ",
        "time -p ../",
    };
    static const char *const no_driver[] = {
        "MIOpenDrivers", "xMIOpenDriver", "MIOpenDriver/", "/opt/MIOpenDriver.sh", "miopendriver",
    };
    for (size_t i = 0; i < COUNT(behind); i++)
        check_keys(say("(MIOpenDriver conv " STRIDED " -F 1 %s", behind[i]), KEY_F);
    check_keys("(MIOpenDriver conv " STRIDED " -F 1 ; MIOpenDriver pool", KEY_F " ?");
    for (size_t i = 0; i < COUNT(before); i++)
        check_keys(say("%sMIOpenDriver conv " STRIDED " -F 1", before[i]), KEY_F);
    for (size_t i = 0; i < COUNT(no_driver); i++)
        check_keys(say("%s conv " STRIDED " -F 1 -n 0", no_driver[i]), "");
}

/* Options that are broken wherever they stand in a call, of which nothing else tells */
static const struct {
    const char *options, *why;
} broken[] = {
    {"-B 3", "\"-B\": is not an option of MIOpenDriver"},
    {"--batch=3", "\"--batch=3\": is not an option"},
    {"--no 3", "\"--no\": is not an option"},
    {"-n3 3", "\"-n3\": is not an option"},
    {"- 3", "\"-\": is not an option"},
    {"more -n 3", "\"more\": is not an option"},
    {"-n 3 4", "\"4\": is not an option"},
    {"-n | tee x", "-n: needs a value"},
    {"--in_h ''", "--in_h: needs a value"},
    {"--batchsize= -c 3", "--batchsize: needs a value"},
    {"-c 3 -n", "-n: needs a value"},
    {"-c -n 3", "-c: value \"-n\": is not an integer"},
    {"-W 28.5", "-W: value \"28.5\": is not an integer"},
    {"-n 1x", "-n: value \"1x\": is not an integer"},
    {"-n 99999999999999999999999", "is not an integer"},
    {"-n 0", "-n: value \"0\": is not an integer from 1 to 16777216"},
    {"-n 16777217", "-n: value \"16777217\": is not an integer"},
    {"-p -1", "-p: value \"-1\": is not an integer from 0"},
    {"-F -1", "-F: value \"-1\": is not an integer from 0 to 7"},
    {"-F 8", "-F: value \"8\": is not an integer from 0 to 7"},
    {"-_ 4", "-_: value \"4\": is not an integer from 2 to 3"},
    {"--spatial_dim=1", "--spatial_dim: value \"1\""},
    {"-u 1 -u 2", "-u: value \"2\": another one is given before, \"1\""},
    {"-n 2 --batchsize 3", "another one is given before, \"2\""},
    {"-m group", "-m: value \"group\": is not one of conv trans"},
    {"-z full", "is not one of default same valid"},
    {"-I NHCW", "is not one of NCHW"},
    {"-_ 3 -I NCHW", "--in_layout: value \"NCHW\": is not a layout of 3-D"},
    {"-_ 2 -O NCDHW", "--out_layout: value \"NCDHW\": is not a layout of 2-D"},
    {"-_ 3 -! 2", "-@: value \"3\": the filter is larger than the image, 2 with"},
    {"-H 2", "-y: value \"3\": the filter is larger than the image, 2 with"},
    {"-W 4 -j 2", "-x: value \"3\": the filter is larger"},
    {"-c 6 -g 4", "-g: value \"4\": does not divide the channels, 6 and 32"},
    {"-c 4 -k 6 -g 4", "-g: value \"4\": does not divide the channels, 4 and 6"},
};

static void check_broken(const char *format, const char *options, const char *why)
{
    struct driver_call call = {.why = ""};
    char line[256], *at = line;
    snprintf(line, sizeof line, format, options);
    CHECK_OF(driver_next(&at, &call) == DRIVER_BROKEN && strstr(call.why, why) != NULL, call.why);
    CHECK(strncmp(call.why, call.option, strlen(call.option)) == 0 && call.form != NULL);
    CHECK_OF(driver_next(&at, &call) == DRIVER_NONE, options);
}

static void broken_lines(void)
{
    static const char *const lines[] = {
        "MIOpenDriver conv %s", "x \"./MIOpenDriver\" convfp16 -l 1 --wall=2 '-t' \"1\" %s # 3",
        "MIOpenDriver convint8 --bias 0\t-f NCHW %s 2>err"};
    for (size_t i = 0; i < COUNT(broken); i++)
        for (size_t j = 0; j < 3; j++)
            if (j < 2 || strstr(broken[i].options, "-_ 3") == NULL)
                check_broken(lines[j], broken[i].options, broken[i].why);
}

/* Whatever stands in a line, it is read to its end and no further. */
static void noise(void)
{
    static const char *const pieces[] = {
        "MIOpenDriver", " ",     "conv", " -n ",  " 1", "\"",    "'",    " --", "=",     ";",
        " -z same",     " -H",   "\t",   " -u 2", "3",  " -_ 3", "\x80", "#",   " -F 7", "/",
        " -I NDHWC",    " -g 1",
    };
    uint64_t seed = 3;
    struct buf *line = new_text(), *keys = new_text();
    for (int i = 0; i < 20000; i++) {
        line->n = 0;
        buf_puts(line, "MIOpenDriver conv");
        for (int n = (int)test_between(&seed, 0, 12); n > 0; n--)
            buf_puts(line, pieces[test_between(&seed, 0, COUNT(pieces) - 1)]);
        CHECK(keys_of(line->s, keys) != NULL);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--keys") == 0)
        return print_keys();
    program_begin();
    RUN_ALL(keys_come_back, a_backward_key_is_swapped, damaged_keys, lines_of_calls,
            what_stands_around_a_call, broken_lines, noise);
    return program_end();
}
