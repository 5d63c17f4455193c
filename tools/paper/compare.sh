#!/bin/sh
# compare.sh BUILD DB... - trains the paper's five networks into BUILD/paper, a header for each kernel
# and network unless it is there and newer than the spec, and judges them beside the shipped model: a
# table in Markdown on standard output. `make paper` runs it.
# SPDX-License-Identifier: MIT
#
# NETS, KERNELS: only these. K: how many tuples, default 1,10,30,50,100. EPOCHS: default the spec's.
set -eu
build=$1
shift
train=$build/kpred-train
nets=${NETS:-encdec attn attn2 hybrid hybrid2}
kernels=${KERNELS:-$(for spec in weights/*.spec; do basename "$spec" .spec; done)}
k=${K:-1,10,30,50,100}
mkdir -p "$build/paper"

# The paper's own Pft and Avg of one tuple (its table III), on its own data and split.
paper() { # KERNEL NET DTYPE
    case $1,$3 in
    conv_asm_1x1u,FP32) set -- $2 4.26 55.27 2.13 55.47 1.85 56.71 6.96 63.25 6.53 62.59 ;;
    conv_asm_1x1u,FP16) set -- $2 31.21 79.85 27.27 80.57 30.00 80.87 31.21 82.16 31.52 82.23 ;;
    conv_ocl_direct_fwd_1x1,FP32)
        set -- $2 15.76 82.84 15.05 82.33 16.75 82.78 15.52 82.63 18.93 83.64 ;;
    conv_ocl_direct_fwd_1x1,FP16)
        set -- $2 30.15 87.06 25.37 86.07 26.27 85.57 29.25 87.10 31.34 86.73 ;;
    conv_asm_bwd_wrw_1x1,FP32) set -- $2 8.24 75.39 4.31 74.00 4.51 73.63 10.39 75.96 10.00 75.78 ;;
    conv_asm_bwd_wrw_1x1,FP16) set -- $2 12.53 77.08 11.18 75.52 12.42 74.72 8.07 76.58 13.66 77.76 ;;
    conv_asm_bwd_wrw_3x3,FP32) set -- $2 11.59 73.43 7.25 65.46 11.94 72.46 12.86 75.24 15.43 75.48 ;;
    conv_asm_bwd_wrw_3x3,FP16)
        set -- $2 17.78 76.67 13.33 77.41 11.11 75.93 17.78 77.78 22.22 79.26 ;;
    *) return ;;
    esac
    case $1 in
    encdec) echo "$2 / $3" ;;
    attn) echo "$4 / $5" ;;
    attn2) echo "$6 / $7" ;;
    hybrid) echo "$8 / $9" ;;
    hybrid2) shift 9; echo "$1 / $2" ;;
    esac
}

# Trains a header, and says how long it took.
prepare() { # KERNEL NET DB...
    name=$1 net=$2
    shift 2
    header=$build/paper/$name-$net.h
    [ -n "$(find "$header" -newer "weights/$name.spec" 2>/dev/null)" ] && return
    start=$(date +%s)
    sh tools/train_model.sh "$train" "$name" "$header" "--net $net ${EPOCHS:+--epochs $EPOCHS}" "$@"
    echo "$name $net: trained in $(($(date +%s) - start)) s" >&2
}

# The rows of one header: kernel, net, type, problems, Pft for each k, Avg of the first tuple
judge() { # KERNEL NET HEADER DB...
    name=$1 net=$2 header=$3
    shift 3
    "$train" eval "$header" --data "$@" -k "$k" --by dtype --csv | awk -F, 'NR > 1 {
            if (!($4 in n)) type[++types] = $4
            n[$4] = $6; pft[$4] = pft[$4] " " $7; if (!($4 in avg)) avg[$4] = $8 }
        END { for (i = 1; i <= types; i++) print type[i], n[type[i]], avg[type[i]] pft[type[i]] }' |
        while read -r type n avg pft; do
            echo "| $name | $net | $type | $n | $(echo $pft | sed 's/ / | /g') | $avg |" \
                "$(paper $name $net $type) |"
        done
}

echo "| kernel | net | type | problems | Pft@$(echo "$k" | sed 's/,/ | @/g') | Avg | paper: Pft / Avg |"
echo "|---|---|---|---|$(echo "$k" | sed 's/[0-9]*/---/g; s/,/|/g')|---|---|"
for name in $kernels; do
    judge $name additive $name "$@"
    for net in $nets; do
        prepare $name $net "$@"
        judge $name $net "$build/paper/$name-$net.h" "$@"
    done
done
