#!/bin/sh
# keys.sh logs|all|find - other readings of MIOpen's databases and rules, in Python, on many keys
# SPDX-License-Identifier: MIT
#
# logs: kpred miopen on 250 keys of the first 20,000 of each text database, each as a line of MIOpen's driver, and on the
# logs of the networks. all: on 2,500 keys of each database; KEYS=0 takes all of them (four minutes). find: kpred-train
# ingest on two find-dbs and two text perf-dbs in full, beside those of test_databases.
. tests/harness/script.inc

test_begin
need python3 "every key"
if [ "${1-all}" = find ]; then
    need_trainer "find-dbs"
    for gpu in gfx1030_36 gfx90878; do
        file=$MIOPEN_DB/$gpu.HIP.fdb.txt.bz2
        check_with "$file" "$gpu in full" python3 tests/miopen/readers.py find "$trainer" "$file" $gpu
    done
    for gpu in gfx906_60 gfx906_64; do
        file=$MIOPEN_DB/$gpu-2019-07-19.cd.pdb.txt.bz2 database=$MIOPEN_DB/gfx906_60.db.bz2
        check_with "$file" "$gpu of 2019 in full" python3 tests/miopen/readers.py text "$trainer" "$file" 0 "$database"
    done
    test_end
    exit
fi
need_weights "every key"
for file in "$ORACLE" "$MIOPEN_DB/gfx906_60.HIP.fdb.txt.bz2"; do
    [ -r "$file" ] || end_without "every key" "there is no $file"
done
kpred=$tmp/kpred # the kernels whose rules the oracle knows are those of four.c
check "kpred with four kernels" test_program four "$kpred"
check "test_driver builds" test_program test_driver "$tmp/test_driver"
oracle() {
    checks_of "the oracle" python3 tests/miopen/miopen_oracle.py --rules "$ORACLE" --data "$MIOPEN_DB" "$@"
}
if [ "${1-all}" = logs ]; then
    oracle --logs tests/fixtures/networks.log --keys 2000 --lines 20000 --near 2000 \
        --key-printer "$tmp/test_driver" "$kpred"
else
    oracle --keys "${KEYS:-20000}" --near 4000 --seed 7 --key-printer "$tmp/test_driver" "$kpred"
    oracle --seed 8 "$kpred" --beam 10
fi
test_end
