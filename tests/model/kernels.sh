#!/bin/sh
# kernels.sh - AITER's kernels: their names, what is legal, and what the library's tables say; beside
# Python
# SPDX-License-Identifier: MIT
#
# usage: [AITER_CSV=DIR] [KERNELS=N] kernels.sh; N problems a model, default 300
#
# shellcheck disable=SC2046
. tests/harness/script.inc

test_begin
need_trainer "AITER's kernels"
need python3 "AITER's kernels"
AITER_CSV=${AITER_CSV:-../shared/aiter}
KERNELS=${KERNELS:-300}
oracle=tests/model/kernels.py
list=$AITER_CSV/kernels.csv.bz2
train=$trainer
. tools/train/trained.inc

# Tables of the spec, those of AITER_CSV
tables() {
    aiter_tables "weights/$1.spec"
}

# legal NAME: the header's rule, asked for all tuples of problems
legal() {
    python3 $oracle problems "weights/$1.spec" "$KERNELS" >"$tmp/problems" &&
        python3 $oracle legal "weights/$1.spec" "$list" <"$tmp/problems" | sort >"$tmp/want" &&
        "$tmp/kernels" <"$tmp/problems" | sort >"$tmp/got" &&
        [ "$(wc -l <"$tmp/want")" -gt "$KERNELS" ] && cmp "$tmp/want" "$tmp/got"
}

# rows NAME: each row of the tables, there and back
rows() {
    "$trainer" ingest "weights/$1.spec" --data $(tables "$1") -o "$tmp/rows.csv" --force &&
        python3 $oracle rows "weights/$1.spec" $(tables "$1") >"$tmp/want" &&
        sed 1d "$tmp/rows.csv" | LC_ALL=C sort >"$tmp/got" && LC_ALL=C sort -o "$tmp/want" "$tmp/want" &&
        [ -s "$tmp/want" ] && cmp "$tmp/want" "$tmp/got"
}

# none_rejected NAME: the rule allows what tuning found, but for two rows whose k is shorter than a tile
none_rejected() {
    python3 $oracle rejected "weights/$1.spec" $(tables "$1") |
        grep -v 'qwen3_5_397b_a13b.*: \(16\|64\),4096,128 .*_256x16x64x256_.* 0$' >"$tmp/rejected"
    cat "$tmp/rejected"
    [ ! -s "$tmp/rejected" ]
}

# same_kernels NAME: the section [kernels] is what AITER's list and tables give, in any order, and
# tables alone take nothing away
same_kernels() {
    "$trainer" kernels "weights/$1.spec" --data "$list" $(tables "$1") -o "$tmp/one.spec" --force &&
        cmp "weights/$1.spec" "$tmp/one.spec" &&
        "$trainer" kernels "weights/$1.spec" --data $(tables "$1" | tail -n 1) -o "$tmp/one.spec" --force &&
        cmp "weights/$1.spec" "$tmp/one.spec" &&
        sed '/^[a-z]* [0-9][0-9 ]* = /d' "weights/$1.spec" >"$tmp/none.spec" &&
        ! cmp -s "weights/$1.spec" "$tmp/none.spec" &&
        "$trainer" kernels "$tmp/none.spec" --data $(tables "$1") "$list" -o "$tmp/one.spec" --force &&
        cmp "weights/$1.spec" "$tmp/one.spec" && cp "$tmp/none.spec" "$tmp/two.spec" &&
        refuses 1 "two.spec: is there already; --force replaces it" "$trainer" kernels "$tmp/two.spec" \
            --data "$list" -o "$tmp/two.spec" && cmp "$tmp/none.spec" "$tmp/two.spec" &&
        "$trainer" kernels "$tmp/two.spec" --data $(tables "$1") "$list" -o "$tmp/two.spec" --force &&
        cmp "weights/$1.spec" "$tmp/two.spec"
}

# same_tiles NAME: the tiles that names tell are those of the list
same_tiles() {
    bzip2 -dc "$list" | cut -d, -f1-5 >"$tmp/names.csv" &&
        sed '/^[a-z]* [0-9][0-9 ]* = /d' "weights/$1.spec" >"$tmp/none.spec" &&
        "$trainer" kernels "$tmp/none.spec" --data "$tmp/names.csv" -o "$tmp/one.spec" --force &&
        awk '$6 != "=" { next }
            { tile = $1 " " $2 " " $3 " " $4 }
            NR == FNR { of[$7] = tile; next }
            $7 in of { n++; if (of[$7] != tile) { print $7 ": " tile; bad = 1 } }
            END { exit bad || n < 40 }' "weights/$1.spec" "$tmp/one.spec"
}

compile() {
    $CC -std=c99 -O1 -D_POSIX_C_SOURCE=200809L -I. -Itools -I"$BUILD" tests/model/kernels.c "$archive" \
        $(libraries) -lm -pthread -o "$tmp/kernels"
}

check "a program that asks the rule compiles" compile
for spec in $(specs_of aiter); do
    model=$(basename "$spec" .spec)
    check_with "$list" "$model: legal tuples, names and numbers" legal "$model"
    check_with "$list" "$model: rows of AITER's tables" rows "$model"
    check_with "$list" "$model: no row is rejected" none_rejected "$model"
    check_with "$list" "$model: the section [kernels] made again" same_kernels "$model"
    check_with "$list" "$model: tiles of names" same_tiles "$model"
done

# ---- small tables: older columns, and what is wrong with them ----

cd "$tmp" || exit 1
bs=$root/weights/gemm_a8w8_blockscale.spec
one=a8w8_blockscale_1x128x128_256x16x64x256_16x16_16x16_1x1_16x16x1_16x16x1_1x16x1x16_4_1x1_intrawave_v1
ingest() {
    "$trainer" ingest "$bs" --data "$1"
}

# same_row HEADER ROW: it says what the first table says
same_row() {
    printf '%s\n' "$1" "$2" >older.csv
    [ "$(ingest older.csv | tail -n 1)" = "gfx950_256,16,512,7168,2,ck,16,64,256,1,8.5" ]
}
check "a table of today" same_row gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio \
    "gfx950,256,16,512,7168,ck,3,2,8.5,$one,1,2,0.0"
check "a table without gfx" same_row cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio \
    "256,16,512,7168,ck,3,2,8.5,$one,1,2,0.0"
check "a table without libtype and figures" same_row cu_num,M,N,K,kernelId,splitK,us,kernelName \
    "256,16,512,7168,3,2.0,8.5,$one"
check "a table with preshuffleB" same_row gfx,cu_num,M,N,K,kernelId,preshuffleB,splitK,us,kernelName \
    "gfx950,256,16,512,7168,3,0,2,8.5,$one"

# wrong MESSAGE ROW...: an error that says so, and nothing is printed
wrong() {
    message=$1
    shift
    printf '%s\n' "$@" >wrong.csv
    if said=$(ingest wrong.csv 2>err) || [ -n "$said" ] || ! grep -qF "wrong.csv:$message" err; then
        cat err
        return 1
    fi
}
heading=gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName
check "a kernel that AITER lacks" wrong '2: kernelName: value "abc": is no kernel' $heading gfx950,256,1,2,3,ck,0,0,5,abc
check "another library" wrong '2: libtype: value "asm": is not the library' $heading "gfx950,256,1,2,512,asm,0,0,5,$one"
check "a GPU of another kind" wrong '2: gpu: value "gfx950_304"' $heading "gfx950,304,1,2,512,ck,0,0,5,$one"
check "a size of 0" wrong '2: m: value "0": is outside' $heading "gfx950,256,0,2,512,ck,0,0,5,$one"
check "a size beyond 2^24" wrong '2: k: value "16777217": is outside' $heading "gfx950,256,1,2,16777217,ck,0,0,5,$one"
check "a split that is no number" wrong '2: splitK: value "x"' $heading "gfx950,256,1,2,512,ck,0,x,5,$one"
check "a split beyond the spec's" wrong '2: split: value "4": is none of' $heading "gfx950,256,1,2,512,ck,0,4,5,$one"
check "a time that is no number" wrong '2: us: value "fast"' $heading "gfx950,256,1,2,512,ck,0,0,fast,$one"
check "a problem twice" wrong '3: M: value "1": line 2 has a row of the same problem' $heading \
    "gfx950,256,1,2,512,ck,0,0,5,$one" "gfx950,256,1,2,512,ck,0,1,6,$one"
check "no column for the time" wrong '1: there is no column "us"' gfx,cu_num,M,N,K,splitK,kernelName \
    "gfx950,256,1,2,512,0,$one"
check "a row that ends early" wrong '2: ' $heading "gfx950,256,1,2,512"

# ---- the section itself ----

# bad_spec MESSAGE SED: the spec with that edit is refused
bad_spec() {
    sed "$2" "$bs" >bad.spec
    if cmp -s bad.spec "$bs" || "$trainer" train bad.spec --data none.csv -o bad.h 2>err || ! grep -qF "$1" err; then
        cat err
        return 1
    fi
}
check "values that two kernels have" bad_spec 'have one tuple of values' \
    's/^cktile 16 128 256 2 =/cktile 16 128 256 1 =/'
check "a name that two kernels have" bad_spec 'have one name' "s/= a8w8_blockscale_cktile_16x128x256_1x4x1_16x16x64_intrawave_0x1x0_2 /= a8w8_blockscale_cktile_16x128x256_1x4x1_16x16x64_intrawave_0x1x0_3 /"
check "a value that the parameter lacks" bad_spec 'tile_m "17": is none of its values' 's/^ck 16 64 256 1/ck 17 64 256 1/'
check "a kernel without a place" bad_spec 'does not say where the kernel exists' 's/^\(ck 16 64 256 1 = [^ ]*\).*/\1/'
check "a number below 0" bad_spec 'has no number of at least 0' 's/^\(ck 16 64 256 1 = [^ ]*\).*/\1 gfx950:-2/'
check "parameters out of order" bad_spec 'does not follow the one before it' 's/^library tile_m tile_n/library tile_n tile_m/'
check "a rule beside the section" bad_spec 'stands beside a section [kernels]' 's/^runs_on/rule = listed\nruns_on/'
check "no list of kernels" bad_spec 'there is no section [kernels]' '/^\[kernels\]/,$d'
test_end
