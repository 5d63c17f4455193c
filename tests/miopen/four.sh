#!/bin/sh
# four.sh BUILD DIR - kpred and kpred-train with the four kernels that the paper judges,
# into DIR, from the objects of BUILD: what is tested with these does not depend on what else ships.
# SPDX-License-Identifier: MIT
#
# CC and CFLAGS as for make.
set -eu
build=$1 four=$2
judged=$(sed 1d tools/report/published.csv | cut -d, -f1 | uniq)
set -- -s BUILD="$four" MODELS="$(printf 'weights/%s.h ' $judged)"
make "$@" "$four/models.h" "$four/witnesses.h"
cp -r "$build/tools" "$four/tools"
rm "$four/tools/model/runtime.o" # has the models in it
cp "$build/libraries" "$four"
make "$@"
