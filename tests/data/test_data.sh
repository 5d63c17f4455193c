#!/bin/sh
# test_data.sh - the tools' data layer: specs, perf-dbs, CSV, `kpred-train ingest`
# SPDX-License-Identifier: MIT
#
# usage: [BUILD=build] [CC=cc] [CFLAGS=...] tests/data/test_data.sh
set -u
. tests/harness/script.inc

test_begin
specs=weights data=tests/fixtures

need_trainer "the data layer"

# ---- helpers and files ----

ingest() { "$trainer" ingest "$@"; }

sample_databases
mkdb=$tmp/mkdb

# variant NAME SQL...: the gfx900_56 fixture with changes, as $tmp/gfx900_56-NAME.db
variant() {
    variant=$1; shift
    "$mkdb" db "$tmp/gfx900_56-$variant.db" "$data/gfx900_56.sql" "$@" || exit 1
}

"$mkdb" db "$tmp/gfx900_56-swap.db" "$data/swap.sql" || exit 1
cp "$tmp/gfx900_56-swap.db" "$tmp/swap.gfx900_56.db"
"$mkdb" bz2 "$tmp/gfx900_56.db.bz2" "$tmp/gfx900_56.db" || exit 1
"$mkdb" bz2 "$tmp/gfx906_60.db.bz2" "$tmp/gfx906_60.db" || exit 1
u=$specs/conv_asm_1x1u.spec
ocl=$specs/conv_ocl_direct_fwd_1x1.spec
wrw3=$specs/conv_asm_bwd_wrw_3x3.spec
db9=$tmp/gfx900_56.db
db6=$tmp/gfx906_60.db

# ---- the functions ----

compiles() {
    # shellcheck disable=SC2046
    $CC -std=c99 ${CFLAGS:--O1 -Wall -Wextra} -D_POSIX_C_SOURCE=200809L -I. -Itools -Itests \
        -o "$tmp/test_data" tests/data/test_data.c "$archive" $(libraries) -lm
}
check "test_data.c compiles" compiles
mkdir "$tmp/unit" && cp "$tmp"/*.db "$tmp"/*.bz2 "$tmp/unit" || exit 1
checks_of "test_data.c" "$tmp/test_data" "$tmp/unit" "$specs"

# ---- good data ----

same_bytes() {
    for k in conv_asm_1x1u conv_ocl_direct_fwd_1x1 conv_asm_bwd_wrw_1x1 conv_asm_bwd_wrw_3x3; do
        s=$specs/$k.spec c=$tmp/$k.csv
        ingest "$s" --data "$db9" "$db6" -o "$c" 2>"$tmp/drops" || return 1
        ingest "$s" --data "$db6.bz2" "$db9.bz2" 2>/dev/null | cmp - "$c" || return 1
        ingest "$s" --data "$c" | cmp - "$c" || return 1
        sed -n '1p' "$c" >"$tmp/reverse.csv"
        sed '1d' "$c" | sed '1!G;h;$!d' >>"$tmp/reverse.csv"
        "$mkdb" bz2 "$tmp/reverse.csv.bz2" "$tmp/reverse.csv" || return 1
        ingest "$s" --data "$tmp/reverse.csv" | cmp - "$c" || return 1
        ingest "$s" --data "$tmp/reverse.csv.bz2" | cmp - "$c" || return 1
        sed 's/$/\r/' "$c" >"$tmp/crlf.csv"
        ingest "$s" --data "$tmp/crlf.csv" | cmp - "$c" || return 1
        [ "$(wc -l <"$c")" -ge 37 ] || return 1
    done
}
check ".db = .db.bz2 = CSV = reversed CSV = CSV with CRLF, for four kernels" same_bytes

# What [data] says as fields instead, and a stride for each side: the same rows, longer ones
more_fields() {
    sed -e '/^filter/d; /^pad /d; /^rule/s/=.*/= unconstrained/; /^\[split/,/^$/d' \
        -e 's/^retired.*/retired = stride_h 2/' \
        -e 's/^stride.*/y = size\nx = size\npad_h = size 0\npad_w = size 0\n&/' \
        -e 's/^groups.*/&\nlayout = NCHW NHWC\ndil_h = size\ndil_w = size/' \
        "$wrw3" | sed 's/^stride.*/stride_h = size\nstride_w = size/' >"$tmp/more.spec"
    ingest "$wrw3" --data "$db9" 2>/dev/null |
        awk -F, -v OFS=, 'NR > 1 { $9 = "3,3,1,1," $9 "," $9; $10 = $10 ",NCHW,1,1"; print }' \
            >"$tmp/more.csv"
    ingest "$tmp/more.spec" --data "$db9" >"$tmp/out" 2>/dev/null &&
        [ "$(wc -l <"$tmp/out")" -gt 10 ] && sed 1d "$tmp/out" | cmp - "$tmp/more.csv"
}
check "filter, pads, strides, layout and dilations as fields" more_fields

# one_row: the SQL that gives one row of that kernel a key of its own, with changes
one_row() {
    echo "CREATE TEMP TABLE one AS SELECT * FROM config WHERE id =
            (SELECT config FROM perf_db WHERE solver = 'ConvAsmBwdWrW3x3' ORDER BY id LIMIT 1);
          UPDATE one SET id = 999998, conv_stride_h = 1, conv_stride_w = 1, $1;
          INSERT INTO config SELECT * FROM one;
          UPDATE perf_db SET config = 999998 WHERE id =
            (SELECT min(id) FROM perf_db WHERE solver = 'ConvAsmBwdWrW3x3')"
}
# selective NOTE SQL: one row less, and the note; a spec with the filter in [data] stops at that row
selective() {
    variant part "$(one_row "in_h = 7, in_w = 7")"
    ingest "$tmp/more.spec" --data "$tmp/gfx900_56-part.db" >"$tmp/all" 2>/dev/null
    variant part "$(one_row "$2")"
    ingest "$tmp/more.spec" --data "$tmp/gfx900_56-part.db" >"$tmp/out" 2>"$tmp/err" &&
        [ "$(wc -l <"$tmp/out")" -eq $(($(wc -l <"$tmp/all") - 1)) ] &&
        grep -qxF "kpred-train: dropped 1 row: $1" "$tmp/err" &&
        ! ingest "$wrw3" --data "$tmp/gfx900_56-part.db" >"$tmp/out" 2>"$tmp/err" &&
        [ ! -s "$tmp/out" ] && grep -q "gfx900_56-part.db: perf_db row [0-9]*: " "$tmp/err"
}
unnamed="a data type, layout or depth that the spec does not name"
sizes="a key whose image sizes no convolution with its filter has"
check "filter as fields: 3-D is left out" selective "$unnamed" "spatial_dim = 3"
check "filter as fields: 3-D of NCDHW is left out" selective "$unnamed" \
    "spatial_dim = 3, layout = 'NCDHW'"
check "filter as fields: another data type is left out" selective "$unnamed" "data_type = 'INT8'"
check "filter as fields: no image is left out" selective "$sizes" "in_h = -5, in_w = -5"
check "filter as fields: an image of 0 is left out" selective "$sizes" "in_w = 0"
strictly() {
    variant part "$(one_row "$2")"
    ! ingest "$tmp/more.spec" --data "$tmp/gfx900_56-part.db" >"$tmp/out" 2>"$tmp/err" &&
        [ ! -s "$tmp/out" ] && grep -qF "$1" "$tmp/err"
}
check "filter as fields: no filter is an error" strictly "y: value \"0\"" "fil_h = 0"
check "filter as fields: a stride of 0 is an error" strictly "stride_h: value \"0\"" \
    "conv_stride_h = 0"
check "filter as fields: a size beyond all is an error" strictly "h: value \"" \
    "in_h = 9223372036854775807"
check "filter as fields: an unknown direction is an error" strictly "dir: value \"X\"" \
    "direction = 'X'"
check "filter as fields: a bias is an error" strictly "bias: value \"1\"" "bias = 1"
small_image() {
    variant part "$(one_row "direction = 'F', in_h = 2, in_w = 2, pad_h = 0, pad_w = 0")"
    ingest "$tmp/more.spec" --data "$tmp/gfx900_56-part.db" 2>&1 >/dev/null |
        grep -qF "dropped 1 row: $sizes"
}
check "filter as fields: a filter beyond the image is left out" small_image

split_streams() {
    head -c 20000 "$db9" >"$tmp/part1"; tail -c +20001 "$db9" >"$tmp/part2"
    "$mkdb" bz2 "$tmp/gfx900_56-two.db.bz2" "$tmp/part1" "$tmp/part2" &&
    ingest "$u" --data "$tmp/gfx900_56-two.db.bz2" >"$tmp/two.csv" &&
    ingest "$u" --data "$db9" | cmp - "$tmp/two.csv"
}
check "bzip2 streams in a row" split_streams

# zlib is a library of its own; gzip makes what it reads
packed_by_gzip() {
    gzip -c "$data/tiny.csv" >"$tmp/gfx900.csv.gz" && { head -n 2 "$data/tiny.csv" | gzip -c
        tail -n +3 "$data/tiny.csv" | gzip -c; } >"$tmp/gfx900_two.csv.gz" || return 1
    for file in gfx900 gfx900_two; do
        ingest "$data/tiny.spec" --data "$tmp/$file.csv.gz" 2>/dev/null | cmp - "$tmp/plain" || return 1
    done
}
if grep -q HAVE_ZLIB "$BUILD/libraries"; then
    ingest "$data/tiny.spec" --data "$data/tiny.csv" >"$tmp/plain" 2>"$tmp/err"
    check_with gzip "gzip, one member and two" packed_by_gzip
    gzip -c "$data/tiny.csv" | head -c 60 >"$tmp/short.csv.gz"
    refuse "truncated gzip" 1 "truncated gzip" ingest "$data/tiny.spec" --data "$tmp/short.csv.gz"
    { gzip -c "$data/tiny.csv"; echo more; } >"$tmp/more.csv.gz"
    refuse "something behind the gzip data" 1 "has something else behind it" \
        ingest "$data/tiny.spec" --data "$tmp/more.csv.gz"
    cp "$data/tiny.csv" "$tmp/plain.csv.gz"
    refuse "no gzip data" 1 "is no gzip data" ingest "$data/tiny.spec" --data "$tmp/plain.csv.gz"
else
    skipped "gzip" "kpred-train was built without zlib"
fi

sorted_text='gpu,kind,n,h,stride,tile,mode
gfx900_56,other,8,7,2,1,small
gfx900_56,other,8,7,2,2,fast
gfx906_60,plain,16,64,1,4,fast'
tiny_csv() { [ "$(ingest "$data/tiny.spec" --data "$data/tiny.csv")" = "$sorted_text" ]; }
check "CSV: any order of columns, extra ones, quotes, bare arch" tiny_csv

tiny_variants() {
    printf '\357\273\277' >"$tmp/bom.csv"; cat "$data/tiny.csv" >>"$tmp/bom.csv"
    printf '%s' "$(cat "$data/tiny.csv")" >"$tmp/open.csv" # the last line lacks its end
    { cat "$data/tiny.csv"; printf '\n\n'; } >"$tmp/blank.csv"
    { printf '\357\273\277'; cat "$data/tiny.spec"; } >"$tmp/bom.spec"
    [ "$(ingest "$tmp/bom.spec" --data "$tmp/bom.csv")" = "$sorted_text" ] || return 1
    "$mkdb" bz2 "$tmp/packed.csv.bz2" "$tmp/bom.csv" &&
        [ "$(ingest "$data/tiny.spec" --data "$tmp/packed.csv.bz2")" = "$sorted_text" ] || return 1
    for f in bom open blank; do
        [ "$(ingest "$data/tiny.spec" --data "$tmp/$f.csv")" = "$sorted_text" ] || return 1
    done
}
check "CSV: byte order mark, unended last line, empty lines" tiny_variants

no_gpu_column() {
    sed 's/^gfx900_56,//;s/^gpu,//' "$tmp/conv_asm_1x1u.csv" | grep -v gfx906 >"$tmp/gfx900-my.csv"
    cp "$tmp/gfx900-my.csv" "$tmp/my.csv"
    ingest "$u" --data "$db9" >"$tmp/900.csv" || return 1
    ingest "$u" --data "$tmp/gfx900-my.csv" | cmp - "$tmp/900.csv" &&
    ingest "$u" --data "$tmp/my.csv" --gpu gfx900_56 | cmp - "$tmp/900.csv"
}
check "CSV without a gpu column: the file's name or --gpu" no_gpu_column

gpu_override() {
    cp "$db9" "$tmp/some.db"
    ingest "$u" --data "$tmp/some.db" --gpu gfx906 | sed 1d | grep -c '^gfx906_60,' |
        grep -qx 24
}
check "--gpu with a bare arch" gpu_override

most_units() {
    sed 's/^gpu .*/gpu = gfx906_60 gfx906_64 gfx90878 gfx90a68 gfx90a6e/' "$u" >"$tmp/gpus.spec"
    for pair in gfx906:gfx906_64 gfx906_60:gfx906_60 gfx908:gfx90878 gfx90a:gfx90a6e; do
        ingest "$tmp/gpus.spec" --data "$tmp/some.db" --gpu "${pair%:*}" |
            sed -n 2p | grep -q "^${pair#*:}," || return 1
    done
}
check "a bare arch means its GPU with most units" most_units

drops() {
    ingest "$1" --data "$db9" "$db6" 2>&1 >/dev/null | grep -qF "$2"
}
check "stride 2 of ConvAsmBwdWrW3x3 is dropped and counted" drops "$wrw3" \
    "dropped $(grep -c "'FP[0-9]*','W',2,[0-9]*,[0-9]*,[0-9]*,1,3,3,.*,2,2,0," \
        "$data/gfx900_56.sql") rows: stride 2"
check "the failed search is dropped and counted" drops "$ocl" \
    "dropped 1 row: the start value of a search that failed"
told() { # KEYS: what the small CSV file lacks with these in [data], and how many rows it has
    sed "s/^format.*/&\n$1/" "$data/tiny.spec" >"$tmp/x.spec"
    "$trainer" ingest "$tmp/x.spec" --data "$data/tiny.csv" 2>&1 >"$tmp/rows" |
        grep -v 'tiny.csv:1: the spec does not name "note": ignored$' | paste -sd' '
    wc -l <"$tmp/rows"
}
left_out() {
    [ "$(told 'retired = kind plain\nfailed = 2 fast')" = "kpred-train: dropped 1 row: kind plain, \
which MIOpen no longer runs with this kernel kpred-train: dropped 1 row: the start value of a search \
that failed
2" ]
}
check "the spec says what is left out" left_out

help_text() { ingest --help | grep -q '^usage: kpred-train ingest SPEC --data'; }
check "--help" help_text

# ---- the command line ----

refuse "no arguments" 2 "SPEC is missing" ingest
refuse "no data" 2 "--data is missing" ingest "$u"
refuse "unknown option" 2 'unknown option "--gpus"' ingest "$u" --data "$db9" --gpus x
refuse "option without its value" 2 "--gpu: needs a value" ingest "$u" --data "$db9" --gpu
refuse "--data without files" 2 "--data: needs a value" ingest "$u" --data --lenient
refuse "option given twice" 2 "--gpu: is given twice" \
    ingest "$u" --data "$db9" --gpu gfx900 --gpu gfx906
refuse "flag with a value" 2 "--lenient: takes no value" ingest "$u" --data "$db9" --lenient=1
refuse "one argument too many" 2 'unexpected argument "more"' ingest "$u" more --data "$db9"

# ---- files ----

: >"$tmp/gfx900_56-empty.db"
: >"$tmp/gfx900_56-empty.db.bz2"
: >"$tmp/empty.csv"
: >"$tmp/empty.spec"
mkdir "$tmp/gfx900_56-directory.db"
refuse "spec that is not there" 1 "cannot open: No such file" ingest "$tmp/none.spec" --data "$db9"
refuse "data file that is not there" 1 "cannot open: No such file" ingest "$u" --data "$tmp/no.db"
refuse "empty database" 1 "is empty" ingest "$u" --data "$tmp/gfx900_56-empty.db"
refuse "empty bzip2 file" 1 "is empty" ingest "$u" --data "$tmp/gfx900_56-empty.db.bz2"
refuse "empty CSV" 1 "is empty" ingest "$u" --data "$tmp/empty.csv"
refuse "empty spec" 1 "is empty" ingest "$tmp/empty.spec" --data "$db9"
refuse "directory as data" 1 "is a directory" ingest "$u" --data "$tmp/gfx900_56-directory.db"
refuse "directory as spec" 1 "is a directory" ingest "$tmp" --data "$db9"
refuse "directory as output" 1 "is a directory" ingest "$u" --data "$db9" -o "$tmp"
refuse "output in no directory" 1 "cannot create" ingest "$u" --data "$db9" -o "$tmp/no/such.csv"
refuse "unknown kind of file" 1 "ends in none of .db" ingest "$u" --data "$u"
refuse "the same file twice" 1 "given twice" ingest "$u" --data "$db9" "$db9"
if [ "$(id -u)" -eq 0 ]; then
    skipped "no permission to read" "root may read all"
    skipped "no permission to write" "root may write all"
else
    cp "$db9" "$tmp/gfx900_56-closed.db" && chmod 0 "$tmp/gfx900_56-closed.db"
    refuse "no permission to read" 1 "Permission denied" \
        ingest "$u" --data "$tmp/gfx900_56-closed.db"
    mkdir "$tmp/closed" && chmod 555 "$tmp/closed"
    refuse "no permission to write" 1 "Permission denied" \
        ingest "$u" --data "$db9" -o "$tmp/closed/x.csv"
fi

head -c 3000 "$db9.bz2" >"$tmp/gfx900_56-short.db.bz2"
{ head -c 2000 "$db9.bz2"; printf xxxxxxxx; tail -c +2009 "$db9.bz2"; } \
    >"$tmp/gfx900_56-hurt.db.bz2"
{ cat "$db9.bz2"; echo more; } >"$tmp/gfx900_56-more.db.bz2"
cp "$db9" "$tmp/gfx900_56-plain.db.bz2"
refuse "truncated bzip2" 1 "truncated bzip2" ingest "$u" --data "$tmp/gfx900_56-short.db.bz2"
refuse "corrupt bzip2" 1 "corrupt bzip2" ingest "$u" --data "$tmp/gfx900_56-hurt.db.bz2"
refuse "something behind the bzip2 data" 1 "has something else behind it" \
    ingest "$u" --data "$tmp/gfx900_56-more.db.bz2"
refuse "no bzip2 data" 1 "is no bzip2 data" ingest "$u" --data "$tmp/gfx900_56-plain.db.bz2"
cp "$u" "$tmp/gfx900_56-text.db"
refuse "no database" 1 "is no SQLite database" ingest "$u" --data "$tmp/gfx900_56-text.db"
head -c 6000 "$db9" >"$tmp/gfx900_56-cut.db"
refuse "truncated database" 1 "SQLite: database disk image is malformed" \
    ingest "$u" --data "$tmp/gfx900_56-cut.db"

# ---- GPUs ----

cp "$db9" "$tmp/gfx908_120.db"
cp "$db9" "$tmp/own.db"
refuse "GPU of another arch" 1 \
    'is no GPU of the spec, which has gfx900_56 gfx906_60; the nearest is gfx906_60' \
    ingest "$u" --data "$tmp/gfx908_120.db"
refuse "GPU of another arch: where it comes from" 1 \
    "value \"gfx908_120\" (from the file's name, --gpu overrides it)" \
    ingest "$u" --data "$tmp/gfx908_120.db"
refuse "GPU with other units" 1 "the nearest is gfx906_60" ingest "$u" --data "$db9" --gpu gfx906_64
refuse "GPU in hexadecimal spelling" 1 "the nearest is gfx906_60" \
    ingest "$u" --data "$db9" --gpu gfx90878
refuse "no GPU's name" 1 'value "own"' ingest "$u" --data "$tmp/own.db"
refuse "--gpu beside a gpu column" 1 'there is a column "gpu"' \
    ingest "$data/tiny.spec" --data "$data/tiny.csv" --gpu gfx900

# ---- perf-dbs ----

# broken NAME PATTERN SQL...: a row that must be an error, and must be dropped by --lenient
broken() {
    name=$1 pattern=$2; shift 2
    variant bad "$@"
    refuse "$name" 1 "$pattern" ingest "$u" --data "$tmp/gfx900_56-bad.db"
    lenient() {
        ingest "$u" --data "$tmp/gfx900_56-bad.db" --lenient >"$tmp/out" 2>"$tmp/err" &&
            [ "$(wc -l <"$tmp/out")" -eq 24 ] && grep -q ': dropped 1 row: ' "$tmp/err"
    }
    check "$name, --lenient" lenient
}

variant none "DROP TABLE perf_db"
refuse "no table perf_db" 1 "has no table perf_db" ingest "$u" --data "$tmp/gfx900_56-none.db"
variant none "DROP TABLE config"
refuse "no table config" 1 "has no table config" ingest "$u" --data "$tmp/gfx900_56-none.db"
for column in layout data_type direction spatial_dim in_channels in_h in_w fil_h fil_w \
    out_channels batchsize pad_h pad_w conv_stride_h conv_stride_w dilation_h dilation_w bias \
    group_count; do
    variant none "ALTER TABLE config RENAME COLUMN $column TO gone"
    refuse "no column $column" 1 "table config has no column $column" \
        ingest "$u" --data "$tmp/gfx900_56-none.db"
done
for column in solver config params; do
    variant none "ALTER TABLE perf_db RENAME COLUMN $column TO gone"
    refuse "no column $column" 1 "table perf_db has no column $column" \
        ingest "$u" --data "$tmp/gfx900_56-none.db"
done
variant none "DELETE FROM perf_db WHERE solver = 'ConvAsm1x1U'"
refuse "no row of the solver" 1 "no row of ConvAsm1x1U is left" \
    ingest "$u" --data "$tmp/gfx900_56-none.db"
one_file_without() {
    ingest "$u" --data "$tmp/gfx900_56-none.db" "$db6" | sed 1d | wc -l | grep -qw 24
}
check "no row of the solver in one of two files" one_file_without

first=$(sed -n "s/^(\([0-9]*\),'ConvAsm1x1U',\([0-9]*\),.*/\1 \2/p" "$data/gfx900_56.sql" |
    sed -n 1p)
id=${first% *} config=${first#* }
row="perf_db row $id"
params() { echo "UPDATE perf_db SET params = '$1' WHERE id = $id"; }
# a key of its own, so that the other kernels' rows stay as they are
key() {
    echo "CREATE TEMP TABLE t AS SELECT * FROM config WHERE id = $config;
          UPDATE t SET id = 999999, $1; INSERT INTO config SELECT * FROM t;
          UPDATE perf_db SET config = 999999 WHERE id = $id"
}

broken "parameter that is no number" "$row: k_mult: value \"x\": is no integer" \
    "$(params 1,x,1,64,1,1,1,1)"
broken "parameter with something behind it" "$row: k_mult: value \"16 \": is no integer" \
    "$(params '1,16 ,1,64,1,1,1,1')"
broken "parameter that is empty" "$row: k_mult: value \"\": is no integer" \
    "$(params 1,,1,64,1,1,1,1)"
broken "too few parameters" "$row: params: value \"1,16,1,64,1,1,1\": is a list of 7, not 8" \
    "$(params 1,16,1,64,1,1,1)"
broken "too many parameters" "is a list of 9, not 8" "$(params 1,16,1,64,1,1,1,1,1)"
broken "no parameters" "is a list of 1, not 8" "$(params '')"
broken "parameter outside the spec" "$row: k_mult: value \"17\": is none of 1 4 8 16 32" \
    "$(params 1,17,1,64,1,1,1,1)"
broken "layout" "$row: layout: value \"NHWC\": the spec covers NCHW only" "$(key "layout = 'NHWC'")"
broken "spatial_dim" "spatial_dim: value \"3\": the spec covers 2 only" "$(key "spatial_dim = 3")"
broken "filter" "fil_w: value \"3\": the spec covers 1 only" "$(key "fil_w = 3")"
broken "pad" "pad_h: value \"1\": the spec covers 0 only" "$(key "pad_h = 1")"
broken "dilation" "dilation_w: value \"2\": the spec covers 1 only" "$(key "dilation_w = 2")"
broken "bias" "bias: value \"1\": the spec covers 0 only" "$(key "bias = 1")"
broken "groups without a field for them" "group_count: value \"2\": the spec covers 1 only" \
    "$(key "group_count = 2")"
broken "stride that is not square" "conv_stride_w: value \"2\": the spec covers the same stride" \
    "$(key "conv_stride_h = 1, conv_stride_w = 2")"
broken "stride of 0" "$row: " \
    "$(key "conv_stride_h = 0, conv_stride_w = 0")"
broken "size of 0" "$row: n: value \"0\": is outside of 1..16777216" "$(key "batchsize = 0")"
broken "size beyond all sizes" "$row: h: value" \
    "$(key "in_h = 9223372036854775807, direction = 'B'")"
broken "size that is no integer" "$row: in_h: value \"seven\": is no integer" \
    "$(key "in_h = 'seven'")"
broken "unknown direction" "$row: dir: value \"X\": is none of F B W" "$(key "direction = 'X'")"
broken "unknown data type" "$row: dtype: value \"INT8\": is none of FP32 FP16 BF16" \
    "$(key "data_type = 'INT8'")"
broken "key that is not there" "$row: config: value \"\": there is no such row" \
    "UPDATE perf_db SET config = 888888 WHERE id = $id"

grep -v '^stride' "$u" | sed 's/,stride,/,/;s/canonical(\(.\))/\1/g' >"$tmp/nostride.spec"
refuse "stride without a field for it" 1 "conv_stride_h: value \"2\": the spec covers 1 only" \
    ingest "$tmp/nostride.spec" --data "$tmp/gfx900_56-swap.db"
sed 's/^k  *=/kk =/' "$u" | sed 's/,k,/,kk,/g;s/(c,k)/(c,kk)/g' >"$tmp/other.spec"
refuse "field that perf-dbs lack" 1 'field "kk"' ingest "$tmp/other.spec" --data "$db9"
sed 's/^dtype .*/dtype = size/' "$u" >"$tmp/other.spec"
refuse "field of another kind" 1 "has to be a list of names" ingest "$tmp/other.spec" --data "$db9"
grep -v '^dtype ' "$u" | sed 's/dir,dtype/dir/' >"$tmp/other.spec"
refuse "field that perf-dbs need" 1 'lacks a field "dtype"' ingest "$tmp/other.spec" --data "$db9"
refuse "perf-db for a spec of CSV data" 1 "format = csv" ingest "$data/tiny.spec" --data "$db9"

# ---- CSV ----

# csv NAME PATTERN SED: tiny.csv with a change that must be an error
csv() {
    sed "$3" "$data/tiny.csv" >"$tmp/gfx900.csv"
    refuse "CSV: $1" 1 "$2" ingest "$data/tiny.spec" --data "$tmp/gfx900.csv"
}
csv "missing field" 'gfx900.csv:1: there is no column "kind"' '1s/kind/kinds/'
csv "missing parameter" ':1: there is no column "tile"' '1s/tile/Tile/'
csv "doubled column" ':1: column "n" stands there twice' '1s/note/n/'
csv "number with something behind it" ':2: n: value "16x": is no integer' '2s/16/16x/'
csv "no number" ':3: h: value "": is no integer' '3s/,7,/,,/'
csv "size below the least" ':3: h: value "3": is outside of 4..16777216' '3s/,7,/,3,/'
csv "size above the most" ':2: n: value "16777217": is outside of 1..16777216' '2s/16/16777217/'
csv "size beyond 64 bits" ':2: n: value "99999999999999999999": is no integer' \
    '2s/16/99999999999999999999/'
csv "unknown token" ':2: kind: value "Plain": is none of plain other' '2s/plain/Plain/'
csv "unknown GPU" ':2: gpu: value "gfx1030": is no GPU of the spec' '2s/gfx906/gfx1030/'
csv "value outside the spec" ':2: tile: value "3": is none of 1 2 4' '2s/,4,/,3,/'
csv "value that is no number" ':2: tile: value "big": is no integer' '2s/,4,/,big,/'
csv "unknown name" ':5: mode: value "slow": is none of fast small' '5s/fast/slow/'
csv "too few cells" ':2: row: value "16": has 7 cells, the header has 8: the last is "1", in column "gpu" (' '2s/,,/,/'
csv "too many cells" ':2: row: value "16": has 9 cells, the header has 8: more follow "gfx906", in column "stride", the last' \
    '2s/,,/,,,/'
csv "quoted cell without end" ':3:11: a quoted cell does not end' '4,5s/"//g'
csv "text behind a quoted cell" ':5:11: something follows the quoted cell "fast"' '5s/"fast"/"fast"x/'
csv "quote within a cell" ':2:9: a quote within a cell' '2s/fast/fa"st/'
csv "column of another spelling" ':1: there is no column "tile", but one " Tile"' '1s/tile/ Tile/'
csv "column of nearly that name" ':1: there is no column "kind"; did you mean kinds?' '1s/kind/kinds/'
csv "semicolons" ':1:2: commas separate the cells of a CSV file, this one seems to use semicolons' 's/,/;/g'
csv "tabs" ':1:2: commas separate the cells of a CSV file, this one seems to use tabs' 's/,/\t/g'
csv "a semicolon behind quotes" ':1:4: something follows the quoted cell "n": a semicolon, where a comma should' \
    '1s/n/"n"/; s/,/;/g'
lines_of_cr() {
    tr '\n' '\r' <"$data/tiny.csv" >"$tmp/gfx900.csv"
    refuses 1 ':1: the lines of the file end with CR alone' ingest "$data/tiny.spec" --data "$tmp/gfx900.csv"
}
check "CSV: lines that end with CR alone" lines_of_cr
# A cell may hold line ends. Those behind it have the lines and columns that an editor shows.
lines_in_cells() { # SED PATTERN
    sed '1s/note/"no\nte"/; 2s/,,/,"a\n""b"",\nc",/; 3s/7/"7"/' "$data/tiny.csv" | sed "$1" >"$tmp/gfx900.csv"
    refuses 1 "gfx900.csv:$2" ingest "$data/tiny.spec" --data "$tmp/gfx900.csv"
}
check "CSV: a wrong cell behind cells of several lines" lines_in_cells '6s/"7"/x/' '6: h: value "x": is no integer'
check "CSV: a wrong quote behind them" lines_in_cells '6s/"7"/"7"x/' '6:6: something follows the quoted cell "7"'
check "CSV: a wrong quote in such a row" lines_in_cells '5s/c",/c"d,/' '5:3: something follows the quoted cell "a?"b",?c"'
check "CSV: a value of two lines" lines_in_cells '6s/,small/,"sma\nll"/' '6: mode: value "sma?ll": is none of fast small'
csv "header alone" "no row of tiny is left" '2,$d'
csv_lenient() {
    sed '2s/,4,/,3,/;5s/,7,/,x,/' "$data/tiny.csv" >"$tmp/gfx900.csv"
    ingest "$data/tiny.spec" --lenient --data "$tmp/gfx900.csv" >"$tmp/out" 2>"$tmp/err" &&
        [ "$(wc -l <"$tmp/out")" -eq 2 ] && [ "$(grep -c 'dropped 1 row: ' "$tmp/err")" -eq 2 ]
}
check "CSV: --lenient drops and counts by reason" csv_lenient

# ---- CSV that does not hold the best tuple of each problem ----

# rowsum COLUMNS ROW...: a CSV of rowsum.spec, as rowsum.csv
rowsum() { echo "gpu,rows,cols,threads,unroll$1"; shift; printf '%s\n' "$@"; }
# best COLUMNS ROW...: it is read, and no more is said than which columns are ignored
best() {
    rowsum "$@" >"$tmp/rowsum.csv"
    ingest "$data/rowsum.spec" --data "$tmp/rowsum.csv" >"$tmp/out" 2>"$tmp/err" ||
        { cat "$tmp/err"; return 1; }
    [ "$(wc -l <"$tmp/out")" -eq $# ] && ! grep -v ': ignored$' "$tmp/err"
}
# measured COLUMN CELL [CELL]: such a column is refused by name, and --lenient ignores it
measured() {
    rowsum ",$1" "gfx906,4,20,64,1,$2" "gfx906,4,24,64,1,$2" ${3:+"gfx906,4,28,64,1,$3"} >"$tmp/rowsum.csv"
    refuses 1 "rowsum.csv:1: column \"$1\": is a measurement" \
        ingest "$data/rowsum.spec" --data "$tmp/rowsum.csv" || return 1
    grep -qF 'format = timed' "$tmp/err" && grep -qF '"time_us"' "$tmp/err" &&
        ingest "$data/rowsum.spec" --lenient --data "$tmp/rowsum.csv" >"$tmp/out" 2>"$tmp/err" &&
        [ "$(wc -l <"$tmp/out")" -eq "$(wc -l <"$tmp/rowsum.csv")" ] &&
        grep -qF "rowsum.csv:1: the spec does not name \"$1\": ignored" "$tmp/err"
}
for column in time time_us timeMs "Kernel Time (ms)" us GFLOPS "gb/s" Latency; do
    check "CSV: a column of times, $column" measured "$column" 0.25
done
check "CSV: times with their unit" measured time "12.5 us"
check "CSV: times with words for failures" measured time 12.5 failed
check "CSV: a number of another name" best ,density "gfx906,4,20,64,1,0.5" "gfx906,4,24,64,1,0.25"
check "CSV: a date called time" best ,time "gfx906,4,20,64,1,2024-01-02 10:00"
check "CSV: an empty column of times" best ,time_us "gfx906,4,20,64,1,"
check "CSV: a timer is no time" best ,timer,customs "gfx906,4,20,64,1,7,8"
times_of_perf_db() {
    ingest "$u" --data "$db9" 2>/dev/null | sed '1s/$/,time_us/; 2,$s/$/,1.5/' >"$tmp/times.csv"
    refuses 1 'times.csv:1: column "time_us": is a measurement, but for the spec'"'s"' `format = miopen`' \
        ingest "$u" --data "$tmp/times.csv"
}
check "CSV: times beside the rows of a perf-db" times_of_perf_db

# contradicts LINE PATTERN ROW...: an error that names that line; --lenient keeps all but one row
contradicts() {
    line=$1 pattern=$2; shift 2
    rowsum "" "$@" >"$tmp/rowsum.csv"
    refuses 1 "$tmp/rowsum.csv:$line: row: value \"$pattern" \
        ingest "$data/rowsum.spec" --data "$tmp/rowsum.csv" || return 1
    grep -qF 'format = timed' "$tmp/err" &&
        ingest "$data/rowsum.spec" --lenient --data "$tmp/rowsum.csv" >"$tmp/out" 2>"$tmp/err" &&
        [ "$(wc -l <"$tmp/out")" -eq $# ] && grep -qF "dropped 1 row: another tuple than an earlier row" \
        "$tmp/err" && sed "${line}d" "$tmp/rowsum.csv" >"$tmp/first.csv" &&
        ingest "$data/rowsum.spec" --data "$tmp/first.csv" | cmp - "$tmp/out"
}
a=gfx906,4,20,64,1 b=gfx906,4,24,64,1
check "CSV: two tuples for a problem" contradicts 4 \
    "threads = 128, unroll = 2\": $tmp/rowsum.csv:2 has threads = 64, unroll = 1 for the same problem" \
    $a $b gfx906,4,20,128,2
check "CSV: two tuples that differ in one value" contradicts 3 "unroll = 4\": $tmp/rowsum.csv:2 has unroll = 1" \
    $a gfx906,4,20,64,4 $b
check "CSV: the same row thrice" best "" $a $b $a $a
check "CSV: another GPU, another tuple" best "" $a $b gfx900,4,20,128,2
# Bare names and --nearest make one GPU of several, which stay apart here
check "CSV: two names of one GPU" best "" $a gfx906_60,4,20,128,2
runs_of_tuning() {
    for run in $a gfx906,4,20,128,2; do rowsum "" $run $b >"$tmp/run${run##*,}.csv"; done
    ingest "$data/rowsum.spec" --data "$tmp/run1.csv" "$tmp/run2.csv" >"$tmp/out" &&
        [ "$(wc -l <"$tmp/out")" -eq 5 ]
}
check "CSV: two tuning runs, a file each" runs_of_tuning
# What the message says: the same table is one of times
as_times() {
    { rowsum ,time_us; for row in $a gfx906,4,20,128,2 $b gfx906,4,24,64,4; do echo "$row,$((i = i + 1))"
      done; } >"$tmp/times.csv"
    sed 's/= csv/= timed/' "$data/rowsum.spec" >"$tmp/times.spec"
    refuses 1 'times.csv:1: column "time_us"' ingest "$data/rowsum.spec" --data "$tmp/times.csv" &&
        ingest "$tmp/times.spec" --data "$tmp/times.csv" >"$tmp/out" && [ "$(wc -l <"$tmp/out")" -eq 5 ] &&
        "$trainer" train "$tmp/times.spec" --data "$tmp/times.csv" --split none --epochs 1 --threads 1 \
            -o "$tmp/times.h" && grep -q "times.csv, 4 rows" "$tmp/times.h"
}
i=0
check "CSV: the advice works, a table of times" as_times

# ---- CSV of all that was timed ----

sed 's/= csv/= timed/' "$data/rowsum.spec" >"$tmp/timed.spec"
# timed COLUMN ROW...: such a table, as it is read
timed() {
    rowsum "$@" >"$tmp/timed.csv"
    ingest "$tmp/timed.spec" --data "$tmp/timed.csv" 2>"$tmp/err" | sed 1d >"$tmp/out"
}
times_are() { # TEXT
    printf '%s\n' "$1" | diff - "$tmp/out"
}
repeats() { # the median of three, and of two
    timed ,time_us $a,9 $a,1 $b,4 $a,2 $b,5 && times_are "gfx906_60,4,20,64,1,2
gfx906_60,4,24,64,1,4.5"
}
check "timed: repeats give their median" repeats
repeats_told() {
    timed ,time_us $b,9 $a,9 $a,1 $a,1 && grep -qx "kpred-train: $tmp/timed.csv:4: 2 rows time a tuple of a \
problem again, this one first: the median of its times counts" "$tmp/err" && timed ,time_us $a,9 $b,9 && [ ! -s "$tmp/err" ]
}
check "timed: repeats are told" repeats_told
milliseconds() {
    timed ,time_ms $a,0.25 $b,1.5e-2 && times_are "gfx906_60,4,20,64,1,250
gfx906_60,4,24,64,1,15"
}
check "timed: milliseconds" milliseconds
failures() {
    timed ,time_us $a,9 $b, $b,failed $b,Timeout $b,inf $b,NaN $b,1e20 $b,0 $b,RuntimeFailedConfig \
        $b,- $b,N/A $b,-nan $b,-Infinity && times_are "gfx906_60,4,20,64,1,9" && grep -q "dropped 12 rows: a failed measurement" "$tmp/err"
}
check "timed: failures are left out and counted" failures
timed_refuses() { # COLUMNS ROW PATTERN
    rowsum "$1" "$2" >"$tmp/timed.csv"
    refuses 1 "$3" ingest "$tmp/timed.spec" --data "$tmp/timed.csv"
}
lenient_value() {
    rowsum ,time_us $a,9 gfx906,4,20,65,1,2 >"$tmp/timed.csv" &&
        ingest "$tmp/timed.spec" --lenient --data "$tmp/timed.csv" 2>"$tmp/err" | sed 1d >"$tmp/out" &&
        times_are "gfx906_60,4,20,64,1,9" && grep -q "dropped 1 row: parameters that the spec does not allow" "$tmp/err"
}
check "timed: no column of times" timed_refuses "" $a 'timed.csv:1: there is no column "time_us" or "time_ms": \
for a table of the best tuple of each problem write `format = csv`'
check "timed: times of another name" timed_refuses ",Kernel Time" $a,1 'timed.csv:1: there is no column "time_us": \
call "Kernel Time" so if it has microseconds, or "time_ms" if'
check "timed: two columns of times" timed_refuses ,time_us,time_ms $a,1,2 'timed.csv:1: there are columns "time_us" and'
check "timed: a time that is none" timed_refuses ,time_us $a,fast 'timed.csv:2: time_us: value "fast"'
check "timed: a value that the spec lacks" timed_refuses ,time_us gfx906,4,20,65,1,2 \
    'timed.csv:2: threads: value "65": is none of 64 128 256 (--lenient leaves such rows out)'
check "timed: such a value, --lenient" lenient_value
check "timed: a negative time" timed_refuses ,time_ms $a,-1 'timed.csv:2: time_ms: value "-1"'
sed 's/^rows/time_ms/; s/rows/time_ms/' "$tmp/timed.spec" >"$tmp/field.spec"
refuse "timed: a field called time_ms" 1 'time_ms: is the time of each row' ingest "$tmp/field.spec" \
    --data "$tmp/timed.csv"
garbage_is_not_trained() {
    rowsum "" $a $b gfx906,4,20,128,2 >"$tmp/rowsum.csv"
    refuses 1 "rowsum.csv:4: row: " "$trainer" train "$data/rowsum.spec" --data "$tmp/rowsum.csv" \
        -o "$tmp/garbage.h" && [ ! -e "$tmp/garbage.h" ]
}
check "CSV: train refuses two tuples for a problem" garbage_is_not_trained
printf 'n,h\0,mode\n' >"$tmp/nul.csv"
refuse "CSV: NUL byte" 1 "holds a NUL byte" ingest "$data/tiny.spec" --data "$tmp/nul.csv"
printf '\n\n' >"$tmp/blank.csv"
refuse "CSV: only empty lines" 1 "has no header" ingest "$data/tiny.spec" --data "$tmp/blank.csv"

# ---- output ----

kept_on_error() {
    echo old >"$tmp/keep.csv"
    variant bad "$(params '')"
    ingest "$u" --data "$tmp/gfx900_56-bad.db" -o "$tmp/keep.csv" --force && return 1
    [ "$(cat "$tmp/keep.csv")" = old ] && [ -z "$(find "$tmp" -name '.kpred-*')" ]
}
check "-o keeps the old file when the data are bad" kept_on_error

# under a limit on the size of files: the write fails, or kills the program
kept_on_full_disk() {
    echo old >"$tmp/keep.csv"
    (trap '' XFSZ; ulimit -f 1; ingest "$u" --data "$db9" -o "$tmp/keep.csv" --force) 2>"$tmp/err"
    [ $? -eq 1 ] && grep -q 'keep.csv: cannot write: ' "$tmp/err" &&
        [ "$(cat "$tmp/keep.csv")" = old ] && [ -z "$(find "$tmp" -name '.kpred-*')" ]
}
check "-o keeps the old file when the disk is full" kept_on_full_disk
kept_when_killed() {
    # shellcheck disable=SC3045
    (ulimit -f 1; ulimit -c 0; ingest "$u" --data "$db9" -o "$tmp/keep.csv" --force) && return 1
    [ "$(cat "$tmp/keep.csv")" = old ]
}
check "-o keeps the old file when the program is killed" kept_when_killed
if [ -w /dev/full ]; then
    full() {
        "$trainer" "$@" >/dev/full 2>"$tmp/err"
        [ $? -eq 1 ] && grep -q 'standard output: cannot write' "$tmp/err"
    }
    check "standard output on a full disk" full ingest "$u" --data "$db9"
    check "help on a full disk" full ingest --help
    refuse "-o on a full disk" 1 "/dev/full: cannot write" ingest "$u" --data "$db9" -o /dev/full
    check "-o leaves a device a device" test -c /dev/full
else
    skipped "full disk" "there is no /dev/full"
fi
closed() {
    ingest "$u" --data "$db9" >&- 2>"$tmp/err"
    [ $? -eq 1 ] && grep -q 'standard output: cannot write' "$tmp/err"
}
check "closed standard output" closed
closed_pipe() { # the reader is gone before anything is written
    mkfifo "$tmp/fifo" || return 1
    (exec 3<"$tmp/fifo") &
    (trap '' PIPE; exec 3>"$tmp/fifo"; sleep 1
     ingest "$u" --data "$db9" >&3 2>"$tmp/err"; echo $? >"$tmp/status")
    [ "$(cat "$tmp/status")" -eq 1 ] && grep -q 'standard output: cannot write' "$tmp/err"
}
check "closed pipe" closed_pipe

# ---- specs ----

# spec NAME PATTERN SED: tiny.spec with a change that must be an error
spec() {
    sed "$3" "$data/tiny.spec" >"$tmp/x.spec"
    refuse "spec: $1" 1 "$2" ingest "$tmp/x.spec" --data "$data/tiny.csv"
}
many() { # WORDS WITH @ FOR A NUMBER, HOW MANY
    i=0; while [ $i -lt "$2" ]; do echo "$1" | sed "s/@/$i/g"; i=$((i + 1)); done
}
spec "unknown section" 'x.spec:6: unknown section "date"' 's/\[data\]/[date]/'
spec "section given twice" 'section "kernel": is already in line 2' 's/\[data\]/[kernel]/'
spec "heading without end" "a section's heading ends with" 's/\[data\]/[data/'
spec "text before the first section" "x.spec:2: \"kernel\": stands before" 's/\[kernel\]/kernel/'
spec "unknown key" 'x.spec:4: [kernel]: unknown key "rules"' 's/^rule /rules /'
spec "key given twice" "x.spec:4: name: is already given in line 3" 's/^rule /name /'
spec "line without =" 'x.spec:11: "kind plain": is not of the form' 's/^kind.*/kind plain/'
spec "line without a key" "x.spec:11: there is no key" 's/^kind.*/= plain/'
for section in kernel data fields params; do
    spec "no section $section" "there is no section [$section]" "/^\[$section\]/,/^\$/d"
done
spec "no name" '[kernel]: key "name" is missing' '/^name/d'
spec "no format" '[data]: key "format" is missing' '/^format/d'
spec "no header for a rule" '[kernel]: key "header" is missing' 's/unconstrained/kpred_rule_x/'
spec "no solver" '[data]: key "solver" is missing' 's/csv/miopen/'
spec "unknown format" 'x.spec:7: format: value "sql": is neither' 's/csv/sql/'
spec "name that is no identifier" 'x.spec:3: name: value "ti-ny": is no identifier' 's/tiny/ti-ny/'
spec "name that begins with a digit" 'value "1tiny": is no identifier' 's/= tiny/= 1tiny/'
spec "rule that is no identifier" 'rule: value "a b": is neither' 's/unconstrained/a b/'
spec "header with a quote" 'header: value "a".h": is no header' 's/^rule.*/&\nheader = a".h/'
for key in /tmp/a.h ../a.h; do
    spec "header elsewhere, $key" "header: value \"$key\": is no header" "s|^rule.*|&\nheader = $key|"
done
spec "filter" 'filter: value "3": is no filter size' 's/^format.*/&\nfilter = 3/'
spec "pad" 'pad: value "-1": is no integer' 's/^format.*/&\npad = -1/'
# wrong KEY VALUE MESSAGE: a line of [data] that is wrong
wrong() {
    spec "$1 = $2" "x.spec:8: $1: value \"$3" "s|^format.*|&\n$1 = $2|"
}
wrong retired "tile 1" 'tile 1": is no field with one of its values'
wrong retired h 'h": is no field with one'
wrong retired "h 3" 'h 3": is no field with one'
wrong retired "kind odd" 'kind odd": is no field with one'
wrong failed "1 fast 1" '1": is one too many: there is one value a parameter'
wrong failed "x fast" 'x": is no integer'
spec "failed, too few" "x.spec:8: failed: has no value for parameter mode" 's/^format.*/&\nfailed = 1/'
for key in retired:"h 7" failed:"1 fast"; do
    spec "${key%%:*}, timed" "x.spec:8: ${key%%:*}: value \"${key#*:}\": no row of data with times" \
        "s/^format.*/format = tensile\n${key%%:*} = ${key#*:}/"
done
for key in files beside older; do
    wrong $key "a.csv b/c.csv" 'b/c.csv": is no plain name of a file'
    wrong $key ".csv" '.csv": is no plain name of a file'
done
spec "shipped" 'x.spec:22: shipped: value "all": is none of config' 's/^config.*/&\nshipped = all/'
for key in capped blind; do
    spec "labels, $key" "x.spec:3: $key: value \"n\": is no parameter" "1a[labels]\n$key = tile n"
done
spec "empty fields" "x.spec:9: [fields]: is empty" '/^\[fields\]/,/^$/{/=/d;}'
spec "empty params" "x.spec:16: [params]: is empty" '/^\[params\]/,/^$/{/=/d;}'
spec "field without a kind" "x.spec:12: n: has no value" 's/^n .*/n =/'
spec "field given twice" "x.spec:12: kind: there is already a field" 's/^n .*/kind = size/'
spec "field that is no identifier" 'name "n n": is no identifier' 's/^n .*/n n = size/'
spec "field with a token given twice" 'kind: value "plain": stands there twice' 's/other/plain/'
spec "field with an odd token" 'kind: value "a,b": is neither' 's/other/a,b/'
spec "field with a number for a token" 'kind: value "7": is neither' 's/other/7/'
spec "least above most" "h: least 9 is above most 4" 's/size 4/size 9 4/'
spec "most above 2^24" 'h: value "16777217": is no integer from 0 to 2^24' \
    's/size 4/size 4 16777217/'
spec "least below 0" 'h: value "-1": is no integer from 0 to 2^24' 's/size 4/size -1/'
spec "size with three values" 'h: value "6": is too much' 's/size 4/size 4 5 6/'
spec "size with a name" 'h: value "x": is no integer' 's/size 4/size x/'
spec "parameter without values" "x.spec:17: tile: has no value" 's/^tile.*/tile =/'
spec "parameter given twice" "mode: there is already a parameter" 's/^tile/mode/'
spec "parameter with a field's name" "kind: there is already a field" 's/^tile/kind/'
spec "value given twice" 'tile: value "2": stands there twice' 's/1 2 4/1 2 2/'
spec "values not in order" 'tile: value "2": is not in ascending order' 's/1 2 4/1 4 2/'
spec "value with something behind it" 'tile: value "2x": is no integer' 's/1 2 4/1 2x 4/'
spec "name among numbers" 'tile: value "x": is no integer, as the values before it' 's/1 2 4/1 x 4/'
spec "number among names" 'mode: value "3": is a number among names' 's/fast small/fast 3/'
spec "name given twice" 'mode: value "fast": stands there twice' 's/fast small/fast fast/'
spec "value beyond 2^24" 'tile: value "16777217": is no integer of at most' 's/1 2 4/1 16777217/'
many "f@ = size" 20 >"$tmp/fields"
spec "25 fields" "f19: more than 24 fields" "/^stride/r $tmp/fields"
many "p@ = 1 2" 15 >"$tmp/params"
spec "17 parameters" "p14: more than 16 parameters of several values" "/^mode/r $tmp/params"
many "p@ = 1" 31 >"$tmp/params"
spec "33 parameters" "p30: more than 32 parameters" "/^mode/r $tmp/params"
thirty_two() { # 16 of them with a choice, the last one among them
    { many "p@ = 1" 16; many "q@ = 1 2" 14; } >"$tmp/params"
    sed "/^mode/r $tmp/params" "$data/tiny.spec" >"$tmp/x.spec"
    { echo "n,h,mode,tile,kind,gpu,stride,$(many p@ 16 | paste -sd, -),$(many q@ 14 | paste -sd, -)"
      echo "16,64,fast,4,plain,gfx906,1,$(many 1 16 | paste -sd, -),$(many 2 14 | paste -sd, -)"
    } >"$tmp/x.csv"
    ingest "$tmp/x.spec" --data "$tmp/x.csv" >"$tmp/out" && [ "$(wc -l <"$tmp/out")" -eq 2 ] &&
        [ "$(tail -n 1 "$tmp/out" | tr ',' '\n' | wc -l)" -eq 37 ]
}
check "32 parameters, of 16 a single value" thirty_two
# runs_on VALUE MESSAGE: a line of [kernel] that is wrong
runs_on() {
    spec "runs_on = $1" "x.spec:5: runs_on: $2" "s/^rule.*/&\nruns_on = $1/"
}
for arch in gfx gfx9 gfx90 gfx103 gfx9061 gfx10300 gfx906_60 GFX906 sm_80 906 gfx90A gfx90x; do
    runs_on "gfx906 $arch" "value \"$arch\": is no architecture such as gfx906"
done
runs_on "gfx1030 gfx90a" "value \"gfx1030\": none of the spec's GPUs is of this list"
runs_on "$(many gfx906 33 | paste -sd' ' -)" "more than 32 architectures"
runs_on "" "has no value"
# calibration LINE MESSAGE: in a section behind the others
calibration() {
    spec "calibration, $1" "x.spec:25: $2" "\$a\\\n[calibration]\n$1"
}
for value in 0 0.5499 8.0001 9 -1 1.00001 1. .5 1e1 x 12345 00001 1,5 "1 2" +1 1.-5 1.+5; do
    calibration "shape = $value" \
        "shape: value \"$value\": is no temperature from 0.55 to 8 of at most four places"
done
calibration "all = 1" '[calibration]: unknown key "all"'
calibration "config =" "config: has no value"
spec "calibration given twice" "shape: is already given in line 25" \
    '$a\\n[calibration]\nshape = 1\nshape = 1'
values=$(many @ 129 | tr '\n' ' ')
spec "129 values" "tile: more than 128 values" "s/1 2 4/$values/"
tokens=$(many t@ 129 | tr '\n' ' ')
spec "129 tokens" "kind: more than 128 names" "s/plain other/$tokens/"
spec "split key with an unknown field" 'x.spec:21: split key: "m": is no field' 's/kind,n,/m,n,/'
spec "split key with the GPU" '"gpu": a key is the same on every GPU' 's/kind,n,/gpu,n,/'
spec "split key with an empty item" "split key: has an empty item" 's/kind,n,/kind,,n,/'
spec "split key that ends with a comma" "split key: has an empty item" 's/,1x1/,/'
spec "split key with an unknown function" '"mid": is none of min' 's/min(n,h)/mid(n,h)/'
spec "split key with an open parenthesis" 'lacks a `)`' 's/,max(n,h)/,max(n,h/'
spec "split key with min of one field" "min: takes two fields" 's/min(n,h)/min(n)/'
spec "split key with min of tokens" '"kind": is no size' 's/min(n,h)/min(n,kind)/'
spec "split key with canonical of others" "only h and w have" 's/,n,h,/,canonical(n),h,/'
spec "split key with canonical, no filter" "needs filter and pad" 's/,n,h,/,n,canonical(h),/'
spec "mark that ends a comment" "x.spec:3: a comment mark of C" 's/^name.*/name = x *\//'
spec "mark on two lines" "x.spec:3: a line of a spec cannot end in a backslash" 's/^name.*/# *\\ /'
spec "mark on two lines, as a trigraph" "x.spec:3: a line of a spec cannot end in" 's/^name.*/# *??\//'
spec "control character" "x.spec:3: byte 0x01: is no text" "s/^name.*/name = x$(printf '\001')/"
printf '[kernel]\nname = x\0y\n' >"$tmp/x.spec"
refuse "spec: NUL byte" 1 "holds a NUL byte" ingest "$tmp/x.spec" --data "$data/tiny.csv"
refuse "spec: a database for a spec" 1 "is no text" ingest "$db9" --data "$data/tiny.csv"
test_end
