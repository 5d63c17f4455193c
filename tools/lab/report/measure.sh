#!/bin/sh
# measure.sh BUILD DB... - measures what accuracy.md shows, a CSV file for each measurement,
# into BUILD/report; what is there and newer than what it depends on is not measured again. `make
# report` runs it, and then report.py.
# SPDX-License-Identifier: MIT
#
# KERNELS (those that the paper judges), MORE (the other kernels), SPLITS (config shape), NETS (the
# paper's), METHODS (of classics.py), TIMED (methods of solvers.py), WIDTHS (of our network,
# encoder1-encoder2-hidden) in the environment: only these; empty: none. EPOCHS: of the paper's networks, in place of the spec's. THREADS: of Python's methods. DEFAULTS:
# of classics.py.
#
# Files, NAME a kernel, SPLIT a split (columns: what wrote them):
#   NAME.rows.csv                   the rows that the others number
#   NAME.SPLIT.WHAT.hits.csv        every test row's outcome; WHAT: ours, a net, a method
#   NAME.SPLIT.METHOD.classics.csv  times and sizes of a method
#   NAME.SPLIT.NET.training.csv     how long one of the paper's networks was trained, and its size
#   NAME.SPLIT.reliability.csv      predicted probabilities of our network
#   NAME.time.csv                   bench; its first column, net, says which network it is
#   NAME.config.teachers.hits.csv, NAME.config.wide.hits.csv
#   frontier/NAME.WIDTH.hits.csv, frontier/NAME.time.csv
#   timed/NAME.SPLIT.GPU.METHOD.hits.csv  of timed data, GPU by GPU: ours, and those of solvers.py
#   noise.csv, retuned.csv          label_noise.py; for the test rows of config
#   retuned/NAME.A+B.A.csv          labels of file A where B was tuned again, and .hits.csv
set -eu
build=$1
shift
train=$build/kpred-train
. tools/train/trained.inc
kernels=${KERNELS-$(all_kernels)}
others=${MORE-$(more_kernels)}
others_methods="nearest forest chain"
dbs=$(dirname "$1")
splits=${SPLITS-config shape}
nets=${NETS-encdec attn attn2 hybrid hybrid2}
methods=${METHODS-default nearest tree bayes knn svc forest chain}
timed_methods=${TIMED-table boosted}
defaults=${DEFAULTS:-../shared/miopen/defaults.py}
k=1,3,10,30,50,100
find_python
out=$build/report
mkdir -p "$out/frontier"

# ---- one measurement ----

# Says what is being done: a line that the next one overwrites, or a line in a log
say() {
    show "report: $*" || echo "report: $*" >&2
}

# into FILE COMMAND...: its output, under that name once it is whole
into() {
    into_file=$1
    shift
    "$@" >"$into_file.new"
    mv "$into_file.new" "$into_file"
}

# header_of NAME SPLIT DB...: sets $header to that of our network, trained if need be
header_of() {
    header=weights/$1.h
    [ "$2" = config ] && return
    header=$build/$2/$1.h
    is_newer "$header" "weights/$1.spec" || say "$1, split $2: our network"
    train_ours "$@"
}

# hits FILE HEADER K DB...: every test row's outcome
hits() {
    hits_file=$1 hits_header=$2 hits_k=$3
    shift 3
    is_newer "$hits_file" "$hits_header" "$@" && return
    say "$(basename "$hits_file" .csv)"
    "$train" eval "$hits_header" --data "$@" -k "$hits_k" --by dtype --hits "$hits_file.new" \
        >/dev/null
    mv "$hits_file.new" "$hits_file"
}

# reliability NAME.SPLIT HEADER DB...: how far the probabilities can be believed
reliability() {
    reliability_of=$1 reliability_header=$2
    shift 2
    is_newer "$out/$reliability_of.reliability.csv" "$reliability_header" "$@" && return
    say "$reliability_of.reliability"
    into "$out/$reliability_of.reliability.csv" "$train" eval "$reliability_header" --data "$@" \
        -k 1,10 --by all --reliability --csv
}

# bench FILE WHAT=HEADER...: all in one run, the output with a column before it that says WHAT.
# `kpred bench` answers in the order of its arguments, two beams each.
bench() {
    bench_file=$1
    shift
    bench_names=$(printf '%s\n' "$@" | sed 's/=.*//')
    # shellcheck disable=SC2046
    set -- $(printf '%s\n' "$@" | sed 's/^[^=]*=//')
    is_newer "$bench_file" "$@" && return
    say "$(basename "$bench_file" .csv)"
    "$build/kpred" bench "$@" --beam 1,10 --csv >"$bench_file.raw"
    into "$bench_file" awk -v names="$bench_names" '
        BEGIN { n = split(names, name, "\n") }
        { print (NR == 1 ? "net" : name[int(NR / 2)]) "," $0 }
        END { if (NR != 2 * n + 1) exit 1 }' "$bench_file.raw"
    rm "$bench_file.raw"
}

# ---- what a kernel's measurements are ----

rows() { # NAME DB...
    rows_file=$out/$1.rows.csv rows_spec=weights/$1.spec
    shift
    is_newer "$rows_file" "$rows_spec" "$@" && return
    say "$(basename "$rows_file" .csv)"
    into "$rows_file" "$train" ingest "$rows_spec" --data "$@"
}

ours() { # NAME SPLIT DB...
    name=$1 split=$2
    header_of "$@"
    shift 2
    hits "$out/$name.$split.ours.hits.csv" "$header" $k "$@"
    reliability "$name.$split" "$header" "$@"
}

# A method whose package is missing says so, and leaves no file.
classic() { # NAME SPLIT METHOD DB...
    name=$1 split=$2 method=$3 base=$out/$1.$2.$3
    shift 3
    header_of "$name" "$split" "$@"
    is_newer "$base.hits.csv" "$header" "weights/$name.spec" "$@" && return
    say "$name, split $split: $method"
    more=$(older "weights/$name.spec" "$1")
    "$python" tools/lab/peers/classics.py "weights/$name.spec" --data "$@" --split "$split" -k $k \
        --methods "$method" --network "$header" --trainer "$train" --defaults "$defaults" \
        --older $more \
        --threads "${THREADS:-1}" --hits "$base.hits.new" --csv >"$base.classics.new"
    if [ "$(wc -l <"$base.classics.new")" -gt 1 ]; then
        mv "$base.classics.new" "$base.classics.csv"
        mv "$base.hits.new" "$base.hits.csv"
    fi
    rm -f "$base.classics.new" "$base.hits.new"
}

paper() { # NAME SPLIT NET DB...
    name=$1 split=$2 net=$3 header=$build/paper/$2/$1-$3.h
    is_newer "$header" "weights/$name.spec" || say "$name, split $split: the paper's $net"
    train_paper "$@"
    into "$out/$name.$split.$net.training.csv" awk 'BEGIN { print "epochs,weights" }
        $1 == "net" { for (i = 1; i < NF; i++) if ($i == "epochs") epochs = $(i + 1) + 0 }
        $1 == "id" { print epochs "," $3; exit }' "$header"
    shift 3
    hits "$out/$name.$split.$net.hits.csv" "$header" $k "$@"
}

# Every one that is trained, whether asked for or not
timing() { # NAME
    set -- "$out/$1.time.csv" "additive=weights/$1.h" "$build/paper/config/$1"-*.h
    timed=$1 first=$2
    shift 2
    for paper_header in "$@"; do
        shift
        [ ! -r "$paper_header" ] || set -- "$@" "$(basename "${paper_header##*-}" .h)=$paper_header"
    done
    bench "$timed" "$first" "$@"
}

# widths_of NAME: those at which our network is shown beside the one that ships
widths_of() {
    case $1 in conv_asm_1x1u | conv_asm_bwd_wrw_3x3) echo 32-32-16 64-64-32 192-192-64 ;; esac
}

# with_width SPEC WIDTH: the spec with those numbers in [network]
with_width() {
    awk -v width="$2" 'BEGIN { split(width, w, "-") }
        /^(encoder1|encoder2|hidden)[ =]/ { next }
        { print }
        /^\[network\]/ { print "encoder1 = " w[1] "\nencoder2 = " w[2] "\nhidden = " w[3] }' "$1"
}

frontier() { # NAME DB...
    name=$1
    shift
    timed=
    for width in ${WIDTHS-$(widths_of "$name")}; do
        base=$out/frontier/$name.$width
        is_newer "$base.spec" "weights/$name.spec" ||
            into "$base.spec" with_width "weights/$name.spec" "$width"
        if ! is_newer "$base.h" "$base.spec"; then
            say "$name: our network at $width"
            train_model "$base.spec" "$base.h" "" "$@"
        fi
        hits "$base.hits.csv" "$base.h" 1,10 "$@"
        timed="$timed $width=$base.h"
    done
    [ -z "$timed" ] || bench "$out/frontier/$name.time.csv" "shipped=weights/$name.h" $timed
}

# outcomes FILE METHOD HEADER N DB...: of the mean of N teachers, under a name of their own
outcomes() {
    outcomes_file=$1 outcomes_method=$2 outcomes_header=$3 outcomes_n=$4
    shift 4
    is_newer "$outcomes_file" "$outcomes_header" "$@" && return
    say "$(basename "$outcomes_file" .csv)"
    "$train" eval "$outcomes_header" --teachers "$outcomes_n" --data "$@" -k $k --by dtype \
        --hits "$outcomes_file.raw" >/dev/null || return 0 # says what makes the float networks
    into "$outcomes_file" sed "s/^additive teachers,/$outcomes_method,/" "$outcomes_file.raw"
    rm "$outcomes_file.raw"
}

# The numbers of a spec in which one large network is trained as a teacher, and next to nothing after it
WIDE='teachers = 1\nteacher_encoder1 = 384\nteacher_encoder2 = 384\nteacher_hidden = 192
epochs = 1\nrounded_epochs = 0\nredrawn = 0\ncrossed = 0'

# In floats: the mean of our network's teachers, and a network too large to ship
floats() { # NAME DB...
    name=$1 base=$out/frontier/$1.wide
    shift
    teachers=$(spec_line "weights/$name.spec" network teachers)
    [ "${teachers:-5}" -eq 0 ] || outcomes "$out/$name.config.teachers.hits.csv" teachers \
        "weights/$name.h" "${teachers:-5}" "$@"
    is_newer "$base.spec" "weights/$name.spec" || into "$base.spec" awk -v wide="$WIDE" '
        /^(teachers|teacher_encoder[12]|teacher_hidden|epochs|rounded_epochs|redrawn|crossed)[ =]/ { next }
        { print }
        /^\[network\]/ { print wide }' "weights/$name.spec"
    if ! is_newer "$base.h" "$base.spec"; then
        say "$name: a wide network"
        train_model "$base.spec" "$base.h" "" "$@"
    fi
    outcomes "$out/$name.config.wide.hits.csv" wide "$base.h" 1 "$@"
}

# Needs text perf-dbs beside the others.
noise() { # DB...
    for text in "$(dirname "$1")"/gfx9*.cd.pdb.txt.bz2; do
        if [ ! -r "$text" ]; then
            echo "report: no text perf-dbs beside $1: the noise of the labels is not measured" >&2
            return
        fi
        set -- "$@" "$text"
    done
    noise_specs=$(all_kernels | sed 's|.*|weights/&.spec|')
    is_newer "$out/noise.csv" $noise_specs "$@" && return
    say "noise of the labels"
    mkdir -p "$out/retuned"
    into "$out/retuned.csv" python3 tools/lab/peers/label_noise.py $noise_specs --trainer "$train" \
        --data "$@" --csv --test config --retuned "$out/retuned"
    into "$out/noise.csv" python3 tools/lab/peers/label_noise.py $noise_specs --trainer "$train" \
        --data "$@" --csv
}

# Our network on the labels of either run
drift() { # NAME
    for labels in "$out/retuned/$1".*.*.csv; do
        case $labels in *.hits.csv) continue ;; esac
        if [ -r "$labels" ] && [ "$(wc -l <"$labels")" -gt 1 ]; then
            hits "${labels%.csv}.hits.csv" "weights/$1.h" 1 "$labels"
        fi
    done
}

# Of find-dbs beside the others, which may be missing
timed() { # NAME SPLIT DIR
    name=$1 split=$2 files=$(data_of "weights/$1.spec" "$3")
    mkdir -p "$out/timed"
    for file in $files; do [ -r "$file" ] || return 0; done
    header_of "$name" "$split" $files
    reliability "$name.$split" "$header" $files
    for file in $files; do
        base=$out/timed/$name.$split.$(basename "$file" .HIP.fdb.txt.bz2)
        timed_k=1,2,3,4
        hits "$base.ours.hits.csv" "$header" $timed_k "$file"
        for method in $timed_methods; do
            is_newer "$base.$method.hits.csv" "weights/$name.spec" "$file" && continue
            say "$(basename "$base"): $method"
            "$python" tools/lab/peers/solvers.py "weights/$name.spec" --data "$file" --split "$split" \
                -k $timed_k --methods "$method" --trainer "$train" --threads "${THREADS:-1}" \
                --hits "$base.$method.hits.new" >/dev/null
            [ ! -r "$base.$method.hits.new" ] ||
                mv "$base.$method.hits.new" "$base.$method.hits.csv"
        done
    done
}

# other FUNCTION NAME ARGUMENT...: FUNCTION NAME ARGUMENT... DB..., with the databases of the GPUs of that
# kernel; nothing where one is missing
other() {
    other_what=$1 other_dbs=$(data_of "weights/$2.spec" "$dbs")
    shift
    for db in $other_dbs; do [ -r "$db" ] || return 0; done
    "$other_what" "$@" $other_dbs
}

# ---- all, what takes long last ----

for name in $kernels; do rows "$name" "$@"; done
for name in $others; do other rows "$name"; done
[ -z "$kernels" ] || noise "$@"
for name in $kernels; do drift "$name"; done
for split in $splits; do
    for name in $kernels; do ours "$name" "$split" "$@"; done
    for name in $others; do other ours "$name" "$split"; done
done
for spec in $(timed_specs); do
    for split in $splits; do timed "$(basename "$spec" .spec)" "$split" "$dbs"; done
done
for method in $methods; do
    for split in $splits; do
        for name in $kernels; do classic "$name" "$split" "$method" "$@"; done
        case " $others_methods " in *" $method "*) ;; *) continue ;; esac
        for name in $others; do other classic "$name" "$split" "$method"; done
    done
done
for name in $kernels; do
    [ -z "$(widths_of "$name")" ] || frontier "$name" "$@"
    [ -z "${WIDTHS-all}" ] || floats "$name" "$@"
done
for split in $splits; do
    for net in $nets; do
        for name in $kernels; do paper "$name" "$split" "$net" "$@"; done
    done
done
for name in $kernels; do timing "$name"; done
show '' || :
