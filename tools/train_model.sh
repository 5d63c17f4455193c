#!/bin/sh
# train_model.sh TRAIN NAME OUTPUT OPTIONS DB... - trains weights/NAME.spec into OUTPUT as the shipped
# models are: `TRAIN train` with OPTIONS (words) on the databases, and with what else helps that
# kernel. `make weights`, `make accuracy` and `make paper` train by this.
# SPDX-License-Identifier: MIT
set -eu
train=$1 name=$2 output=$3 options=$4
shift 4

# Labels of older tuning runs gain where there are few (docs/experiments.md); beside the databases.
case $name in
conv_asm_bwd_wrw_3x3)
    for file in gfx900_56-2019-12-06 gfx906_60-2019-07-19 gfx906_64-2019-07-19; do
        older=$(dirname "$1")/$file.cd.pdb.txt.bz2
        if [ -r "$older" ]; then
            set -- "$@" "$older"
        else
            echo "note: $older is not there: $name is trained without it" >&2
        fi
    done
    options="$options --nearest --lenient" ;;
esac
exec "$train" train "weights/$name.spec" --data "$@" $options -o "$output"
