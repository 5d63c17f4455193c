#!/bin/sh
# commands.sh - every command of the documents, man pages and --help runs as it stands there
# SPDX-License-Identifier: MIT
#
# usage: [DOCS="FILE.md ..."] tests/release/commands.sh [first|long]
#
# Commands are the blocks between ```sh and ```, and indented ones that begin with the name of a program;
# if a line begins with `$ `, only such lines of its block. They run one after the other in a copy of the
# tree; a document that names "$KPRED", the checkout, has an empty folder. Blocks of C compile with all
# warnings, and run if they have a main; those of cmake are configured and built. A block of another
# language is a failure, unless it is one that nobody runs. The files that the commands read are made first,
# databases out of tests/fixtures, and the words that stand for the reader's own (/path/to, NAME, DB)
# become these. tests/release/not_run lists the commands that do not run, with the reason; of these the
# files, targets and options exist. The part `first` is README.md alone; `long` runs those that the list puts there, and
# no other.
. tests/harness/script.inc

[ "${DOCS-}" ] && every= || every=yes # of the documents
DOCS=${DOCS:-README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md weights/README.md tools/README.md $(echo docs/*.md)}
part=${1-usual}
[ "$part" != first ] || { part=usual every='' DOCS=README.md; }
test_begin
need_weights "commands of the documents"
tree=$tmp/tree data=$tmp/data # what $KPRED and $MIOPEN_DB are here
small=conv_asm_bwd_wrw_3x3    # the model that stands for any

# ---- blocks and commands ----

# Words that begin a command in an indented block, besides programs that are here
words='make|cc|gcc|clang|hipcc|cmake|git|sudo|apt-get|kpred|kpred-train|mandoc|rocminfo|\$'

# blocks FILE DIR: block by block into DIR/LINE.LANGUAGE, text for what is indented and no command
blocks() {
    mkdir -p "$2" && awk -v dir="$2" -v words="^($words)\$" '
        function begin(language) { file = sprintf("%s/%05d.%s", dir, NR, language) }
        function end() { if (file) close(file); file = "" }
        function command(line,   n, word, i) {
            n = split(line, word, " ")
            for (i = 1; i < n && word[i] ~ /^[A-Z_]+=/; i++) { }
            if (word[i + 1] ~ /^(=|<-)/) return 0
            return word[i] ~ words || word[i] ~ /^[.a-z]*\/[a-z_\/.-]+$/ ||
                word[i] ~ /^[a-z][a-z0-9-]+$/ && system("command -v " word[i] " >/dev/null") == 0 }
        /^ *```/ { end()
            fenced = !fenced
            if (fenced) { sub(/^ *```/, ""); begin($0 ~ /^[a-z]+$/ ? $0 : "none"); printf "" > file }
            next }
        fenced { print > file; next }
        /^    / && (blank || file) { line = substr($0, 5)
            if (!file) begin(command(line) ? "sh" : "text")
            print line > file; next }
        { blank = /^[ \t]*$/; if (!blank) end() }' "$1"
}

# whole TEXT: it is a command to its end, here-documents too
whole() {
    case $1 in
    *\\) return 1 ;;
    *'<<'*)
        word=$(printf '%s\n' "$1" | sed -n "s/.*<<-\{0,1\}['\"\\]\{0,1\}\([A-Za-z_]*\).*/\1/p" | head -n 1)
        printf '%s\n' "$1" | grep -qx "$word" || return 1
        ;;
    esac
    printf '%s\n' "$1" | sh -n 2>/dev/null
}

# commands_of FILE DIR: each into DIR/N; a comment is none
commands_of() {
    rm -rf "$2" && mkdir "$2"
    if grep -q '^\$ ' "$1"; then
        sed -n -e ':a' -e '/^\$ /!d' -e ':b' -e '/\\$/{N;bb' -e '}' -e 's/^\$ //p' "$1"
    else
        cat "$1"
    fi >"$tmp/lines"
    n=100 text=
    while IFS= read -r line; do
        text=$text${text:+$newline}$line
        case $text in '' | '#'*) text= ; continue ;; esac
        if whole "$text"; then
            n=$((n + 1))
            printf '%s\n' "$text" >"$2/$n"
            text=
        fi
    done <"$tmp/lines"
    [ -z "$text" ] || printf '%s\n' "$text" >"$2/$((n + 1))" # which will not run
}
newline='
'

# page_examples FILE: the section EXAMPLES of a man page, as a block
page_examples() {
    awk '/^\.Sh/ { inside = $2 == "EXAMPLES" } inside && /^(\.Dl )?\$ / { on = 1 }
        on { sub(/^\.Dl /, ""); more = sub(/\\e$/, "\\"); gsub(/\\-/, "-"); print; on = more }' "$1"
}

# help_examples: of all commands of the programs
help_examples() {
    for program in kpred kpred-train; do
        "$BUILD/$program" --help
        for command in $("$BUILD/$program" --help | sed -n 's/^  \([a-z][a-z]*\)  *[^ ].*/\1/p'); do
            "$BUILD/$program" "$command" --help
        done
    done | awk '{ begins = sub(/^ *(Examples?: *)?(\$ )?kpred/, "kpred") && / / }
        begins || on { print; on = /\\$/ }'
}

# ---- what the commands find ----

# copy FOLDER: what is kept in git, or all but what was built; and that. Training there is short.
copy() {
    mkdir "$1" || return 1
    if git ls-files --error-unmatch kpred.h >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard | while read -r file; do
            [ ! -e "$file" ] || echo "$file"
        done | tar -cf - -T - | tar -xf - -C "$1"
    else
        tar -cf - --exclude=./build . | tar -xf - -C "$1"
    fi && copy_built "$1/build" &&
        sed -i 's/^\([a-z_]*epochs\|teachers\) *=.*/\1 = 2/' "$1"/weights/*.spec
}

# A tree of one model: all that `make weights` and `make accuracy` train there
copy_small() {
    copy "$tmp/small" && rm "$tmp/small/build/models.h" || return 1
    for file in "$tmp"/small/weights/*.spec "$tmp"/small/weights/*.h; do
        case $file in */$small.*) ;; *) rm "$file" ;; esac
    done
}

# find_db: times of two solvers for some problems
find_db() {
    algorithm=miopenConvolutionFwdAlgo
    direct="Direct;GemmFwdRest:0.3,0,${algorithm}GEMM"
    for c in 8 16 24 32 40 48 56 64; do
        for k in 16 32 64 128 256; do
            echo "$c-28-28-1x1-$k-28-28-8-0x0-1x1-1x1-0-NCHW-FP32-F=ConvAsm1x1U:0.$c,0,$algorithm$direct"
        done
    done
}

# The fixtures, and more of that kind, under the names of MIOpen's databases
databases() {
    mkdir "$data" || return 1
    has_databases || return 0
    sample_databases && mv "$tmp"/gfx*.db "$data" || return 1
    i=0
    find_db >"$data/gfx906_60.HIP.fdb.txt"
    for old in gfx900_56-2019-12-06 gfx906_60-2019-07-19 gfx906_64-2019-07-19; do
        awk -v i=$i 'NR % 3 == i' tests/fixtures/gfx906_60.cd.pdb.txt >"$data/$old.cd.pdb.txt"
        i=$((i + 1))
    done
    bzip2 "$data"/*
}

has_databases() {
    has bzip2 && grep -q HAVE_SQLITE "$BUILD/libraries" && grep -q HAVE_BZIP2 "$BUILD/libraries"
}

rowsum_rows() {
    awk 'BEGIN { print "gpu,rows,cols,threads,unroll"
        for (gpu = 0; gpu < 2; gpu++) for (r = 1; r <= 4096; r *= 4)
            for (c = 16; c <= 4096; c *= 2)
                print (gpu ? "gfx906_60" : "gfx900_56") "," r "," c "," \
                    (c < 100 ? 64 : c < 1000 ? 128 : 256) "," (r % 16 ? 1 : 4) }'
}

# tuner_file DEVICE: a small cache file of Kernel Tuner
tuner_file() {
    printf '{"device_name": "%s", "kernel_name": "axpy", "problem_size": [4096],\n' "$1"
    printf '"tune_params_keys": ["bx", "vec"], "tune_params": {"bx": [64, 128], "vec": [1, 2, 4]}, "cache": {\n'
    awk 'BEGIN { for (bx = 64; bx < 129; bx += 64) for (vec = 1; vec < 5; vec *= 2)
        printf "%s\"%d,%d\": {\"bx\": %d, \"vec\": %d, \"time\": %.2f}", (n++ ? ",\n" : ""), bx, vec, bx, vec,
            300 / bx / vec
        print "}}" }'
}

t1_file() {
    printf '{"ConfigurationSpace": {"TuningParameters": [{"Name": "bx", "Values": "[64, 128]"},\n'
    printf '{"Name": "vec", "Values": "[2**i for i in range(3)]"}],\n'
    printf '"Conditions": [{"Expression": "bx * vec <= 512", "Parameters": ["bx", "vec"]}]}}\n'
}

# A server's log, as AITER writes it
server_log() {
    missed="not found tuned config in /tmp/aiter_configs/"
    echo "[aiter] shape is M:16, N:7168, K:2048, ${missed}a8w8_blockscale_tuned_gemm.csv, will use default config!"
    echo "(Worker_TP1 pid=892) [aiter] shape is M:300, N:512, K:7168," \
        "${missed}a8w8_blockscale_tuned_gemm.csv, will use default config!"
}

# The package of AITER: a table for two GPUs, and a library with the names of a kernel and of another
aiter_package() {
    kernel=a8w8_blockscale_1x128x128_256x16x64x256_16x16_16x16_1x1_16x16x1_16x16x1_1x16x1x16_4_1x1_intrawave_v1
    mkdir -p "$1/configs/model_configs" "$1/jit" || return 1
    printf '%s\0' "$kernel" a8w8_blockscale_of_another_build >"$1/jit/module_gemm_a8w8_blockscale.so"
    printf 'M,N,K\n16,1536,7168\n' >"$1/configs/model_configs/a8w8_blockscale_untuned_gemm_any.csv"
    {
        echo gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio
        echo "gfx950,256,16,1536,7168,ck,8,0,9.5,$kernel,37.08,1163.8,0.0"
        echo "gfx942,304,16,1536,7168,ck,8,0,11.5,$kernel,30.64,961.4,0.0"
    } | tee "$1/configs/a8w8_blockscale_tuned_gemm.csv" >"$2"
    head -n 1 "$2" >"$1/configs/model_configs/a8w8_blockscale_tuned_gemm_ds_v3.csv"
}

# provide FOLDER: the files that commands read there
provide() (
    mkdir -p "$1" "$tmp/home/.config/miopen" && cd "$1" || return 1
    sed -n '/^```c$/,/^```$/p' "$root/README.md" | sed '/^```$/,$d;1d' >example.c
    cp "$root/tests/fixtures/rowsum.spec" my.spec
    rowsum_rows >results.csv
    t1_file >kernel.json
    tuner_file "NVIDIA A100-PCIE-40GB" >A100.json
    tuner_file "AMD Instinct MI250X" >MI250X.json
    ! has_databases || cp "$data"/* .
    cp "$root/weights/$small.h" FILE.h
    mkdir -p build/paper/config && cp FILE.h build/paper/config/$small-encdec.h
    head -n 78 "$root/tests/fixtures/networks.log" >log.txt
    cp "$root/tests/aiter/hf_deepseek_v3.json" config.json
    server_log >server.log
    aiter_package "$data/aiter" measured.csv || return 1
    cp -R "$data/aiter" aiter
    # a training run that logs its convolutions
    printf 'import sys\nwith open("%s") as log:\n    sys.stderr.write(log.read())\n' \
        "$root/tests/fixtures/networks.log" >train.py
)

# The names of the man pages and of --help
provide_manual() (
    provide "$1" && cd "$1" || return 1
    sed -i 's/rows/n/g;s/cols/m/g' my.spec results.csv
    mv results.csv gfx906_60.csv
    cp "$root"/weights/*.spec .
    mkdir weights && cp "$root"/weights/*.spec weights && aiter_package aiter measured.csv || return 1
    cp log.txt train.log
    printf '#!/bin/sh\nexec python3 train.py\n' >program
    chmod +x program
)

# The python3 that has the packages
python_with_packages() {
    mkdir "$tmp/bin"
    for python in python3 /usr/bin/python3; do
        if "$python" -c 'import numpy, sklearn, xgboost' 2>/dev/null; then
            printf '#!/bin/sh\nexec %s "$@"\n' "$python" >"$tmp/bin/python3" && chmod +x "$tmp/bin/python3"
            return
        fi
    done
}

set_up() {
    python_with_packages
    mkdir "$tmp/evolve" && cp tools/evolve/harness.h "$tmp/evolve/kpred_evolve.h" # as kpred-evolve has it
    copy "$tree" && copy_small && databases && provide "$tree" && provide "$tmp/small" &&
        provide_manual "$tmp/manual" && cd "$tree" && make -s install BUILD=build PREFIX="$tmp/usr" &&
        tar -czf "$tmp/kpred.tar.gz" CMakeLists.txt kpred*.h weights examples tools/release
}

# ---- one command ----

# when COMMAND: `never REASON` or `long REASON` if the list has it, else `usual`
when() {
    while IFS='|' read -r time pattern reason; do
        case $time in '' | '#'*) continue ;; esac
        # shellcheck disable=SC2254 # it is a pattern
        case $1 in $pattern) printf '%s\n' "$pattern" >>"$tmp/used" && echo "$time $reason" && return ;; esac
    done <"$root/tests/release/not_run"
    case $1 in
    "git clone"* | curl* | wget*) echo "never it needs the network" ;;
    "cd "*) echo "never the commands behind it run in the tree anyway" ;;
    *"apt-get install "*) echo usual ;;
    sudo*) echo "never it needs root" ;;
    *) echo usual ;;
    esac
}

# lacks COMMAND: what it needs that is not here; $here is the command as it runs
lacks() {
    for program in python3 pkg-config cmake hipcc; do
        case $1 in *$program*) has $program || echo $program ;; esac
    done
    case $here in
    *kernel.json* | *A100.json* | *config.json*) grep -q HAVE_JANSSON "$BUILD/libraries" || echo jansson ;;
    *.bz2* | *"make weights"* | *"make accuracy"*) has_databases || echo "SQLite or bzip2" ;;
    *-lamdhip64* | *hip_select*) echo 'int main(void){return 0;}' |
        cc -xc - -o /dev/null -lamdhip64 2>/dev/null || echo HIP ;;
    esac
    case $1 in
    *classics.py* | *solvers.py*)
        [ -x "$tmp/bin/python3" ] || echo "python3-sklearn or -xgboost" ;;
    *paired.py* | *shares.py*) [ -e "$folder/PEERS.csv" ] || echo "output of a command before" ;;
    esac
}

# as_here COMMAND: without what is optional, with what is here in the place of the reader's, and short
as_here() {
    both="gfx900_56.db.bz2 gfx906_60.db.bz2"
    printf '%s\n' "$1" | sed -e ':a' -e '$!{N;ba' -e '}' -e 's/$/ /' \
        -e ':b' -e 's/ \[[-A-Z][^][]*\]//;tb' \
        -e "s|/path/to/[^ ]*src/kernels|$data|g;s|/path/to/tables|$data|g;s|/path/to|$data|g" \
        -e "s|/usr/local|$tmp/usr|g;s/--by BY /--by dtype /" \
        -e "s|\"\$MIOPEN_DB\"|$data|g;s|\"\$TENSILE_CSV\"|$data|g" \
        -e "s/--data \(DB\|\.\.\.\) /--data $both /;s/ DB\(\.\.\.\)* / $both /;s/ \.\.\. / example.c /" \
        -e "s/\([ /]\)NAME\([-. ]\)/\1$small\2/g;s|eval conv_asm_1x1u --float|eval weights/$small.h --float|" \
        -e "s/ miopen --gpu GPU.*/& <log.txt/;s/ aiter --gpu GPU / aiter --gpu MI355X /;s/ GPU\([. ]\)/ gfx906_60\1/g;/--net NET/s/FILE/NETWORK/;s/--net NET /--net encdec /" \
        -e "s/--replay TABLE /--replay A100.json /" \
        -e "s/--evaluations [0-9]* /--evaluations 800 /" \
        -e '/kpred-train train /{/--epochs/!s/ -o / --epochs 2 -o /}' \
        -e "s/--split SPLIT\([ ']\)/--split config\1/" \
        -e 's/tools\/peers\/classics.py/& --rounds 3 --svc-rows 30/' -e '/tools\/peers/s/--hits HITS/--hits PEERS/;s/HITS\.csv\.\.\./HITS.csv PEERS.csv/' -e 's/ $//'
}

# run_in FOLDER COMMAND
run_in() {
    (cd "$1" && export KPRED="$tree" MIOPEN_DB="$data" TENSILE_CSV="$data" HOME="$tmp/home" &&
        export PATH="$tree/build:$tmp/bin:$PATH" PKG_CONFIG_PATH="$tmp/usr/share/pkgconfig" &&
        export OMP_NUM_THREADS=1 CFLAGS=-O0 && unset BUILD && sh -euc "$2" </dev/null)
}

# again COMMAND: what makes a folder, a spec or a table, or adds to one, is typed twice by many. The second time it
# does no harm to the commands behind it, or refuses and names the option.
again() {
    case $1 in
    *mkdir* | *'<<'* | *kpred-train\ init* | *kpred-train\ ingest* | *kpred-train\ merge* | *kpred-train\ kernels*) ;;
    *) return ;;
    esac
    run_in "$where" "$here" 2>"$tmp/again" || grep 'is there already; --force replaces it' "$tmp/again"
}

# run_once COMMAND: if no document before has it, with another comment maybe
run_once() {
    where=$(folder_of "$1")
    key=$(printf '%s\n' "$here" | sed 's/  *# .*//' | cksum)
    grep -qxF "$where $key" "$tmp/ran" && return
    run_in "$where" "$here" && again "$1" && echo "$where $key" >>"$tmp/ran"
}

# folder_of COMMAND: where it runs; those that train all models find one
folder_of() {
    case $1 in
    "make weights"* | "make accuracy"* | *" --float "*) echo "$tmp/small" ;;
    *) echo "$folder" ;;
    esac
}

# there COMMAND: its files and the options of its script are there, though it does not run; test_docs.py finds its target
there() {
    scripts=
    for word in $1; do
        case $word in '#'*) break ;; tools/*.py) scripts=${word%/*} ;; esac
        case $word in
        tools/* | tests/* | examples/* | weights/* | .ci/*)
            sh -c "ls $(echo "$word" | sed 's/NAME/*/g')" >"$tmp/log" ;;
        --[a-z]*) [ -z "$scripts" ] || grep -qrF -e "\"${word%%=*}\"" "$scripts" || { echo "no $word"; false; } ;;
        esac || return 1
    done
}

# packages COMMAND: what it installs, .ci/run installs too
packages() {
    for package in $(printf '%s\n' "$1" | sed 's/.*install//;s/#.*//' | tr ' ' '\n' | grep -v '^-'); do
        tr -c 'a-z0-9+.-' '\n' <"$root/.ci/run" | grep -qxF "$package" ||
            { echo "$package is not in .ci/run"; return 1; }
    done
}

one_command() {
    short="$doc: $(printf '%s' "$1" | head -n 1 | sed 's/   *#.*//' | cut -c1-80)"
    time=$(when "$1") here=$(as_here "$1")
    missing=$(lacks "$1" | head -n 1)
    case $part,$time,$1 in
    *,usual,*"apt-get install "*) [ $part = long ] || check "$short" packages "$1" ;;
    "$part,$part"*)
        if [ "$missing" ]; then
            skipped "$short" "there is no $missing"
        else
            check "$short" run_once "$1"
        fi
        ;;
    usual,*) check "$short (not run, ${time%% *}: ${time#* })" there "$1" ;;
    esac
}

# ---- one block ----

WARNINGS_OF_BLOCKS="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror"

# A file of C, named in its first line or example.c. Of HIP it sees the stand-in.
c_block() {
    file=$(sed -n '1s,^/\* \([a-z_]*\)\.c - .*,\1,p' "$1")
    file=${file:-example}
    cp "$1" "$folder/$file.c" && cd "$folder" || return 1
    headers=$tree
    [ "$folder" = "$tree" ] || headers=third_party/kpred # as embedding.md has copied them
    set -- cc -std=c99 -pedantic-errors $WARNINGS_OF_BLOCKS -I"$headers" -I. -I"$tmp/evolve" \
        "$file.c" -I"$tree/tests/hip" '-DKPRED_HIP_API_HEADER="hip_standin.h"'
    if grep -q '^int main' "$file.c"; then
        "$@" -o "$file" && "./$file" >"$file.out"
    else
        "$@" -c -o "$file.o"
    fi
}

# cmake_project FILE: a project of it, or around it if it is a part of one; what it links is of tuning.c
cmake_project() {
    if grep -q '^project(' "$1"; then
        cat "$1"
        return
    fi
    printf 'cmake_minimum_required(VERSION 3.14)\nproject(around LANGUAGES C)\n'
    target=$(sed -n 's/^target_link_libraries(\([^ ]*\) .*/\1/p' "$1" | head -n 1)
    grep -q "^add_[a-z]*(${target:-tuning} " "$1" || echo "add_library(${target:-tuning} STATIC tuning.c)"
    cat "$1"
    [ "$target" ] || echo "target_link_libraries(tuning PRIVATE kpred::kpred)"
}

# It is configured and built, in a folder with what the document has made.
cmake_block() {
    rm -rf "$tmp/project" "$tmp/cmake" && mkdir -p "$tmp/project/third_party" && cd "$tmp/project" || return 1
    if [ -d "$folder/third_party" ]; then cp -R "$folder/third_party" .; else ln -s "$tree" third_party/kpred; fi
    printf '#define KPRED_IMPLEMENTATION\n#include "weights/conv_asm_1x1u.h"\n' >tuning.c
    cp "$folder"/*.c . 2>"$tmp/log"
    cmake_project "$1" >CMakeLists.txt &&
        cmake -S . -B "$tmp/cmake" -D "KPRED_URL=file://$tmp/kpred.tar.gz" "-DCMAKE_PREFIX_PATH=$tmp/usr" &&
        cmake --build "$tmp/cmake"
}

one_block() {
    where="$doc:$(basename "${1%.*}" | sed 's/^0*//')"
    case $part,$1 in
    *.sh)
        commands_of "$1" "$1.d"
        for command in "$1.d"/*; do one_command "$(cat "$command")"; done
        ;;
    long,* | *.text | *.ini | *.json | *.csv) ;;
    *.c) check "$where, C" c_block "$1" ;;
    *.cmake) check_with cmake "$where, CMake" cmake_block "$1" ;;
    *docs/protocol.md/*.python) ;; # test_docs.py runs it
    *) failed "$where" "a block of the language \"${1##*.}\", which no test runs" ;;
    esac
}

# ---- all of them ----

one_document() {
    doc=$1 folder=$tree
    ! grep -qF '"$KPRED"' "$1" || {
        folder=$tmp/own/$1 && mkdir -p "$folder" && cp "$tree"/example.c "$tree"/kernel.json "$tree"/[AM]*.json "$folder"
    }
    blocks "$1" "$tmp/blocks/$1"
    for block in "$tmp/blocks/$1"/*; do
        [ ! -e "$block" ] || one_block "$block"
    done
}

# manual NAME COMMAND...: the examples that it prints
manual() {
    doc=$1 folder=$tmp/manual
    shift
    "$@" >"$tmp/manual.sh"
    one_block "$tmp/manual.sh"
}

# What the list has, some document has.
none_stale() {
    sed '/^#/d' tests/release/not_run | cut -d'|' -f2 | sort -u >"$tmp/listed"
    sort -u "$tmp/used" | comm -23 "$tmp/listed" - >"$tmp/stale"
    [ ! -s "$tmp/stale" ] || { echo "no document has: $(cat "$tmp/stale")"; return 1; }
}

# What docs/embedding.md says that gpu.c prints
gpu_output() {
    grep -E '^    (gfx|sm_)[0-9]+ with ' docs/embedding.md | sed 's/^    //' >"$tmp/said"
    [ -s "$tmp/said" ] && cmp "$tmp/said" "$tmp/own/docs/embedding.md/gpu.out"
}

check "a copy of the tree, installed" set_up
touch "$tmp/ran" "$tmp/used"
cd "$root" || exit 1
unset CC CFLAGS LDFLAGS MAKEFLAGS MFLAGS MAKELEVEL PREFIX DESTDIR # as in a shell of the reader's
for document in $DOCS; do one_document "$document"; done
if [ "$every" ]; then
    for program in kpred-train kpred; do manual docs/$program.1 page_examples docs/$program.1; done
    manual "--help" help_examples
fi
if [ "$part" = usual ] && [ "$every" ]; then
    check "the list of what is not run" none_stale
    check "embedding.md: what gpu.c prints" gpu_output
fi
test_end
