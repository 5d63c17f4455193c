#!/bin/sh
# keys.sh - kpred miopen reads every key of the text databases as a line of MIOpen's driver
# SPDX-License-Identifier: MIT
#
# usage: keys.sh [gfx90a|gfx908|others]. A part has the databases of those GPUs, and random problems and
# broken lines of its own.
. tests/harness/script.inc

test_begin
need_weights "every key"
need python3 "every key"
for file in "$ORACLE" "$MIOPEN_DB/gfx906_60.HIP.fdb.txt.bz2"; do
    [ -r "$file" ] || end_without "every key" "there is no $file"
done
kpred=$tmp/four/kpred
check "programs with four kernels" sh tests/miopen/four.sh "$BUILD" "$tmp/four"
check "test_driver builds" test_program test_driver "$tmp/test_driver"
mkdir "$tmp/data"
MIOPEN_DB=$(absolute "$MIOPEN_DB")
ln -s "$MIOPEN_DB"/*.txt.bz2 "$tmp/data"
case ${1-} in
gfx90a) seed=7 databases='gfx90a*' ;;
gfx908) seed=17 databases='gfx908*' ;;
others) seed=27 databases='gfx90[!a8]* gfx[!9]* gfx9[!0]*' ;;
*) seed=7 databases='gfx*' ;;
esac
mkdir "$tmp/part"
(cd "$tmp/data" && cp -P $databases "$tmp/part")

oracle() {
    data=$1; shift
    checks_of "every key" python3 tests/miopen/miopen_oracle.py --rules "$ORACLE" --data "$data" "$@"
}
oracle "$tmp/part" --keys 0 --random 7000 --broken 700 --seed $seed \
    --key-printer "$tmp/test_driver" "$kpred"
[ "${1-}" != gfx908 ] || oracle "$tmp/data" --seed 8 "$kpred" --beam 10
test_end
