#!/bin/sh
# compare.sh BUILD DB... - trains the paper's five networks into BUILD/paper/SPLIT, a header for each
# kernel and network unless it is there and newer than the spec, and judges them beside the shipped
# model: a table in Markdown on standard output. `make paper` runs it.
# SPDX-License-Identifier: MIT
#
# NETS, KERNELS: only these. SPLIT: config (the default) or shape, for which our network is trained as
# well. K: how many tuples, default 1,10,30,50,100. EPOCHS: default the spec's.
set -eu
build=$1
shift
train=$build/kpred-train
. tools/train/trained.inc
nets=${NETS:-encdec attn attn2 hybrid hybrid2}
kernels=${KERNELS:-$(all_kernels)}
k=${K:-1,10,30,50,100}
split=${SPLIT:-config}

# The rows of one header: kernel, net, type, problems, Pft for each k, Avg of the first tuple
table_rows() { # KERNEL NET HEADER DB...
    name=$1 net=$2 header=$3
    shift 3
    "$train" eval "$header" --data "$@" -k "$k" --by dtype --csv | awk -F, 'NR > 1 {
            if (!($4 in n)) type[++types] = $4
            n[$4] = $6; pft[$4] = pft[$4] " " $7; if (!($4 in avg)) avg[$4] = $8 }
        END { for (i = 1; i <= types; i++) print type[i], n[type[i]], avg[type[i]] pft[type[i]] }' |
        while read -r type n avg pft; do
            echo "| $name | $net | $type | $n | $(echo $pft | sed 's/ / | /g') | $avg |" \
                "$(published $name $type $net | sed 's: : / :') |"
        done
}

echo "| kernel | net | type | problems | Pft@$(echo "$k" | sed 's/,/ | @/g') | Avg | paper: Pft / Avg |"
echo "|---|---|---|---|$(echo "$k" | sed 's/[0-9]*/---/g; s/,/|/g')|---|---|"
for name in $kernels; do
    ours=weights/$name.h
    if [ "$split" != config ]; then
        train_ours $name $split "$@"
        ours=$build/$split/$name.h
    fi
    table_rows $name additive "$ours" "$@"
    for net in $nets; do
        train_paper $name $split $net "$@"
        table_rows $name $net "$build/paper/$split/$name-$net.h" "$@"
    done
done
