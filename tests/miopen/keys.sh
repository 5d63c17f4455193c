#!/bin/sh
# keys.sh logs|all - kpred miopen beside a second statement of MIOpen's rules, miopen_oracle.py
# SPDX-License-Identifier: MIT
#
# logs: 250 keys of each text database, and the logs of the networks. all: 2,500 keys of each, chosen at
# random, each as a line of MIOpen's driver; KEYS=0 takes all of them (four minutes).
. tests/harness/script.inc

test_begin
need_weights "every key"
need python3 "every key"
for file in "$ORACLE" "$MIOPEN_DB/gfx906_60.HIP.fdb.txt.bz2"; do
    [ -r "$file" ] || end_without "every key" "there is no $file"
done
kpred=$tmp/kpred # the kernels whose rules the oracle knows are those of test_miopen.c
check "kpred with four kernels" test_program test_miopen "$kpred"
check "test_driver builds" test_program test_driver "$tmp/test_driver"
oracle() {
    checks_of "the oracle" python3 tests/miopen/miopen_oracle.py --rules "$ORACLE" --data "$MIOPEN_DB" "$@"
}
if [ "${1-all}" = logs ]; then
    # shellcheck disable=SC2046
    oracle $(for n in tests/fixtures/*.keys; do echo "--log ${n%.keys}.log=$n"; done) \
        --keys 2000 --key-printer "$tmp/test_driver" "$kpred"
else
    oracle --keys "${KEYS:-20000}" --random 2000 --broken 200 --seed 7 \
        --key-printer "$tmp/test_driver" "$kpred"
    oracle --seed 8 "$kpred" --beam 10
fi
test_end
