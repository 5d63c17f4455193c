#!/bin/sh
# evolve.sh - the commands of kpred-evolve with a small kernel, and what they say of bad input
# SPDX-License-Identifier: MIT
#
# usage: [EVOLVE_CLANG=clang-16] evolve.sh
. tests/harness/script.inc

EVOLVE_CLANG=${EVOLVE_CLANG:-clang-16}
test_begin
evolve=$BUILD/kpred-evolve
[ -x "$evolve" ] || end_without "kpred-evolve" "$evolve is not built"
need "$EVOLVE_CLANG" "kpred-evolve"
fixtures=$PWD/tests/evolve/fixtures reader=$PWD/tests/evolve/evolve_output.py
export LC_ALL=C TMPDIR="$tmp/temporary"
mkdir "$tmp/temporary" "$tmp/work"
cd "$tmp/work" || exit 1

# ---- a kernel with one waste: it divides by 1, which the compiler cannot know ----

# The same files with a name defined are what the tool has to refuse.
cat >scale.c <<'END_C'
void scale(int n, const float *x, float unit, float *y)
{
#ifdef BROKEN_KERNEL
    nothing
#endif
#ifdef ENDLESS
    for (;;)
        *(volatile float *)y = unit;
#endif
#ifdef CRASH
    *(volatile int *)8 = n;
#endif
#ifdef BESIDE
    y[n] = 1;
#endif
#ifdef CALLS_SYSTEM
    __asm__ volatile("syscall" : : "a"(39) : "rcx", "r11", "memory");
#endif
#pragma clang loop vectorize(disable) unroll(disable)
    for (int i = 0; i < n; i++)
        y[i] = 3 * x[i] / unit;
#ifdef CLOCK
    y[0] = (float)(__builtin_readcyclecounter() & 0xfffff);
#endif
#ifdef READS_OUTPUT
    y[0] = ((volatile float *)y)[n] + 1;
#endif
}
END_C
cat >harness.c <<'END_C'
#include <kpred_evolve.h>
#if defined(READS_OUTPUT) || defined(CALLS_MORE)
#define MORE 1
#else
#define MORE 0
#endif
#ifdef NO_OUTPUT
#define ROLE EV_SCRATCH
#else
#define ROLE EV_OUT
#endif
typedef void scale(int n, const float *x, float unit, float *y);
static void set_up(struct ev_case *c)
{
    const size_t n = (size_t)c->size[0];
    ev_fill(c, ev_buffer(c, "x", EV_IN, EV_F32, n));
#ifndef NO_BUFFER
    ev_buffer(c, "y", ROLE, EV_F32, n + MORE);
#endif
#ifdef SET_UP_CRASHES
    *(volatile int *)8 = 1;
#endif
}
static void call(const struct ev_case *c, ev_kernel *kernel)
{
    ((scale *)kernel)((int)c->size[0], c->at[0], 1, c->at[1]);
}
static const struct ev_shape shapes[] = {
    {.size = {512}, .seed = 1},
    {.size = {1009}, .seed = 2},
    {.size = {3}, .seed = 3, .untimed = 1},
    {.size = {257}, .seed = 4, .held_out = 1},
};
#ifdef BROKEN_HARNESS
nothing
#endif
#ifndef NO_HARNESS
EV_HARNESS(.set_up = set_up, .call = call, .sizes = "n", EV_SHAPES(shapes));
#endif
END_C

# ---- what the checks ask ----

# on COMMAND [OPTION...]: with the kernel and the harness
on() {
    command=$1; shift
    "$evolve" "$command" scale.c harness.c --function scale --baseline O3 "$@"
}

# search LOG [OPTION...]
search() {
    log=$1; shift
    on search -o "$log" "$@"
}

# lines LOG: its evaluations alone
lines() {
    sed '1,/^# end /d' "$1"
}

# evaluated LOG: effort and list of each
evaluated() {
    lines "$1" | sed 's/^[^ ]* \([^ ]*\) .* | \(.*\) #[0-9a-f]*$/\1 \2/'
}

each_once() {
    twice=$(evaluated "$1" | sort | uniq -d)
    [ ! "$twice" ] && return
    echo "evaluated twice: $twice"
    return 1
}

has_form() {
    number='(inf|[-+.0-9e]+)'
    [ "$(head -n 1 "$1")" = "# kpred-evolve log 1" ] && grep -qE '^# end [0-9a-f]{8}$' "$1" || return 1
    edit='[a-z]+ [0-9]+ [0-9]+ [0-9]+ [0-9a-f]{8}'
    times="$number $number $number [0-9]+( $number)*"
    lines "$1" | grep -vxE "[a-z-]+ (search|confirm|judge) $times \| (-|$edit(; $edit)*) #[0-9a-f]{8}" && return 1
    [ "$(lines "$1" | wc -l)" -gt 20 ]
}

# same_as_json COMMAND...: its CSV and its JSON have as many rows, with the same columns
same_as_json() {
    "$@" --csv >"$tmp/csv" && "$@" --json >"$tmp/json" && python3 "$reader" same "$tmp/csv" "$tmp/json"
}

# waits_for FILE LINES: until it has so many, ten seconds at most
waits_for() {
    for _ in $(seq 100); do
        [ ! -r "$1" ] || [ "$(wc -l <"$1")" -lt "$2" ] || return 0
        sleep 0.1
    done
    echo "$1 has too few lines"
    return 1
}

# ---- check ----

six_baselines() {
    "$evolve" check scale.c harness.c --function scale >"$tmp/out" || return 1
    for name in O2 O2-scalar O3 O3-scalar O3-native O3-native-scalar; do
        [ "$(grep -c "^$name " "$tmp/out")" -eq 4 ] || { echo "of $name:"; cat "$tmp/out"; return 1; }
    done
    tail -n 1 "$tmp/out" | grep -qE '^baseline: O[23][a-z-]*, [0-9]+ instructions; 4 cases, as they are twice$'
}

one_baseline() {
    on check >"$tmp/out" && [ "$(grep -c '^O3 ' "$tmp/out")" -eq 4 ] && ! grep -q '^O2' "$tmp/out"
}

check "check: a table of the six baselines" six_baselines
check "check: one baseline" one_baseline
check_with python3 "check: CSV and JSON" same_as_json on check

# ---- search ----

# A search that is over goes on to the same end: its log stays as it is.
searched() {
    method=$1; shift
    set -- "$method.log" --method "$method" --population 40 "$@"
    search "$@" >"$tmp/first" && has_form "$method.log" && each_once "$method.log" || return 1
    cp "$method.log" "$tmp/before"
    search "$@" --resume >"$tmp/second" && cmp "$tmp/before" "$method.log" && cmp "$tmp/first" "$tmp/second"
}

# A function in the background would be a shell's process, and not the program's.
search="$evolve search scale.c harness.c --function scale --baseline O3"

killed() {
    $search -o killed.log --method nsga2 --population 40 --time 60 >/dev/null 2>&1 &
    pid=$!
    waits_for killed.log 50
    kill -KILL $pid
    wait $pid 2>/dev/null
    whole=$(grep -c . killed.log)
    [ -z "$(tail -c 1 killed.log)" ] || whole=$((whole - 1))
    head -n "$whole" killed.log >"$tmp/before"
    printf 'valid search 0.5' >>killed.log # what a kill may leave of a line
    search killed.log --method nsga2 --population 40 --evaluations $((whole + 30)) --resume >/dev/null ||
        return 1
    head -n "$whole" killed.log | cmp - "$tmp/before" && [ "$(wc -l <killed.log)" -gt "$whole" ] &&
        has_form killed.log && each_once killed.log
}

# stopped SIGNAL: its log is whole, and it ends as one that was not finished
stopped() {
    rm -f stopped.log
    $search -o stopped.log --time 60 >/dev/null 2>"$tmp/err" &
    pid=$!
    waits_for stopped.log 40
    kill -"$1" $pid
    wait $pid
    status=$?
    [ $status -eq 1 ] && grep -qF "stopped; --resume goes on from stopped.log" "$tmp/err" &&
        has_form stopped.log && return
    echo "status $status"
    cat "$tmp/err"
    return 1
}

check "search: nsga2, and again" searched nsga2 --evaluations 70
check "search: climb, and again" searched climb --evaluations 220
check "search: random, and again" searched random --evaluations 40
check "search: goes on after a kill" killed
check "search: SIGINT" stopped INT

# ---- report ----

reported() {
    "$evolve" report climb.log random.log >"$tmp/out" && grep -q '^climb.log  *climb ' "$tmp/out" &&
        grep -q '^random.log  *random ' "$tmp/out"
}

plotted() {
    "$evolve" report climb.log random.log --plot plot.svg >/dev/null && grep -q '</svg>' plot.svg
}

# The name of a log is a text of the plot, and no command of gnuplot.
plots_name() {
    odd=$(printf "odd'\nsystem(\"touch made\")\n.log")
    cp climb.log "$odd" && "$evolve" report "$odd" --plot odd.svg >/dev/null && [ ! -e made ] &&
        grep -q '</svg>' odd.svg
}

check "report: a table" reported
check_with python3 "report: CSV and JSON" same_as_json "$evolve" report climb.log nsga2.log
check_with gnuplot "report: a plot" plotted
check_with gnuplot "report: a plot of a log whose name has lines" plots_name

# ---- minimise ----

# What is left beside the waste may be a matter of noise, which no test can ask for.
minimised() {
    cp climb.log minimised.log
    "$evolve" minimise minimised.log >"$tmp/out" && grep -q 'fdiv' "$tmp/out" && grep -q '^1[.] ' "$tmp/out" &&
        grep -q 'bit for bit on all 4 cases' "$tmp/out" && each_once minimised.log && return
    cat "$tmp/out"
    return 1
}

minimised_rows() {
    columns=edit,line,what,share,alone,before,after,time,low,high,error
    "$evolve" minimise minimised.log --csv >"$tmp/csv" && [ "$(head -n 1 "$tmp/csv")" = $columns ] &&
        "$evolve" minimise minimised.log --json >"$tmp/json" && python3 "$reader" columns "$tmp/json" $columns
}

check "minimise: the planted waste alone" minimised
check_with python3 "minimise: CSV and JSON" minimised_rows

# ---- export ----

exported() {
    "$evolve" export climb.log -o library --name tiny -k 3 >"$tmp/out" &&
        grep -qx 'library: [23] variants, the baseline included' "$tmp/out" &&
        [ "$(cd library && echo *)" = "tiny.csv tiny.h tiny.o tiny.spec" ] && return
    cat "$tmp/out"
    return 1
}

linked() {
    cat >caller.c <<'END_C'
#include "library/tiny.h"
#include <stdio.h>
#include <string.h>
typedef void scale(int n, const float *x, float unit, float *y);
int main(void)
{
    float x[40], want[40], got[40];
    for (int i = 0; i < 40; i++)
        x[i] = (float)i / 7;
    for (int i = 0; i < 40; i++)
        want[i] = 3 * x[i];
    for (int v = 0; v < tiny_variants; v++) {
        memset(got, 0, sizeof got);
        ((scale *)tiny_table[v])(40, x, 1, got);
        if (memcmp(got, want, sizeof got) != 0)
            return v + 1;
    }
    puts("all equal");
    return 0;
}
END_C
    # shellcheck disable=SC2086
    $CC -std=c99 $CFLAGS -ffp-contract=off $C_WARNINGS -I. caller.c library/tiny.o -o caller &&
        [ "$(./caller)" = "all equal" ]
}

trained() {
    [ -x "$trainer" ] || return 0
    "$trainer" train library/tiny.spec --data library/tiny.csv --epochs 2 -o tiny_model.h 2>"$tmp/err" &&
        "$kpred" predict tiny_model.h n=512 | head -n 1 | grep -q 'variant$' && return
    cat "$tmp/err"
    return 1
}

# A spec that was edited stays without --force.
exported_again() {
    echo '# edited' >>library/tiny.spec && cp library/tiny.spec edited.spec && rm library/tiny.o &&
        refuses 1 "library/tiny.h: is there already; --force replaces it" "$evolve" export climb.log -o library \
            --name tiny && cmp edited.spec library/tiny.spec && [ ! -e library/tiny.o ] &&
        "$evolve" export climb.log -o library --name tiny -k 3 --force >"$tmp/out" 2>"$tmp/err" &&
        ! grep edited library/tiny.spec
}

check "export: four files" exported
check "export: onto files that are there" exported_again
check "export: its object in a C program" linked
check "export: the spec and the CSV train a model" trained

# ---- emit ----

# emits FORM PATTERN FILE [OPTION...]: and the pattern is in it
emits() {
    form=$1 pattern=$2 file=$3; shift 3
    rm -f emitted
    "$evolve" emit "$file" --form "$form" -o emitted "$@" 2>"$tmp/err" && grep -qaE -e "$pattern" emitted &&
        return
    cat "$tmp/err"
    return 1
}

# A division fewer than the kernel has
edited() {
    list=$("$evolve" minimise minimised.log --csv | grep fdiv | sed -n '1s/,.*//p')
    emits ir fdiv scale.c --function scale && ! emits ir fdiv scale.c --function scale --edits "$list" &&
        [ -s emitted ]
}

# The list that was drawn gives the same again.
drawn() {
    emits ir define scale.c --function scale --random 3 --seed 7 && cp emitted first &&
        list=$(sed -n 's/^kpred-evolve: edits: //p' "$tmp/err") && [ "$list" ] &&
        emits ir define scale.c --function scale --edits "$list" && cmp first emitted
}

amd="$fixtures/reverse_amdgcn.c --function reverse --target amdgcn-amd-amdhsa --cpu gfx90a"
nvidia="$fixtures/reverse_nvptx.ll --function reverse --target nvptx64-nvidia-cuda"
# shellcheck disable=SC2086
{
    check "emit: IR" emits ir '^define .*@scale' scale.c --function scale
    check "emit: without passes" emits ir 'alloca' scale.c --function scale --passes none
    check "emit: assembly" emits asm '^scale:' scale.c --function scale
    check "emit: an object" emits object '^.ELF' scale.c --function scale
    check_with ld.lld-16 "emit: a code object of AMD's" emits code-object '^.ELF' $amd
    check "emit: assembly of AMD's" emits asm 's_barrier' $amd --random 1
    check "emit: PTX" emits asm '[.]entry reverse' $nvidia --barriers --random 1 --seed 3
}
check "emit: the list that minimise prints" edited
check "emit: a list that is drawn" drawn

# ---- bad input ----

# refused_with STATUS PATTERN COMMAND...: as refuses; and no file came or went or changed
refused_with() {
    find . -type f -exec cksum {} + | sort >"$tmp/files"
    refuses "$@" || return
    find . -type f -exec cksum {} + | sort | cmp - "$tmp/files"
}
bad() {
    what=$1; shift
    check "refused: $what" refused_with "$@"
}

# The compiler has its say before the one line of the tool's own.
complains() {
    status=$1 pattern=$2; shift 2
    find . -type f -exec cksum {} + | sort >"$tmp/files"
    "$@" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq "$status" ] && [ ! -s "$tmp/out" ] && [ "$(grep -c '^kpred-evolve: ' "$tmp/err")" -eq 1 ] &&
        tail -n 1 "$tmp/err" | grep -qF "$pattern" &&
        find . -type f -exec cksum {} + | sort | cmp - "$tmp/files" && return
    cat "$tmp/err" "$tmp/out"
    return 1
}

# with WHAT PATTERN NAME [OPTION...]: a search with this name defined in kernel and harness
with() {
    what=$1 pattern=$2 define=$3; shift 3
    bad "$what" 1 "$pattern" search bad.log --evaluations 10 --cflags="-D$define" "$@"
}

emit() {
    kernel=$1 function=$2; shift 2
    "$evolve" emit "$kernel" --function "$function" -o bad.out "$@"
}

# The kernel
check "refused: a kernel that does not compile" complains 1 "scale.c: clang" on check --cflags=-DBROKEN_KERNEL
bad "a kernel that is not there" 1 "none.ll" emit none.ll f
bad "a kernel of another kind" 1 "none.txt: its name ends with none of" emit none.txt f
printf 'define i32 @f(i1 %%c) {\n  br i1 %%c, label %%a, label %%b\na:\n  %%x = add i32 1, 2\n  ret i32 0
b:
  ret i32 %%x\n}\n' >wrong.ll
bad "IR that does not verify" 1 "wrong.ll: LLVM's verifier refuses it" emit wrong.ll f
printf 'define void @f() {\n  %%x = add i32 1\n}\n' >unread.ll
bad "IR that cannot be read" 1 "unread.ll:3:" emit unread.ll f
bad "a function that is not there" 1 "scale.c: there is no function none; defined are: scale" \
    "$evolve" search scale.c harness.c --function none -o bad.log
echo 'void other(void); void f(void) { other(); }' >calls.c
bad "a function that is only declared" 1 "calls.c: other is only declared there" \
    "$evolve" check calls.c harness.c --function other
bad "a function that calls what is not there" 1 \
    "calls.c: f: the compiler makes no code of it with O0: uncompiled: Symbols not found: [ other ]" \
    "$evolve" check calls.c harness.c --function f

# Bitcode says who wrote it, in letters of six bits: LLVM16 becomes LLVM19, and a byte is damaged.
other_version() {
    "$EVOLVE_CLANG" -O2 -emit-llvm -c scale.c -o whole.bc && python3 "$reader" version whole.bc || return
    told=0
    for i in $(seq 0 7); do
        ! emit other"$i".bc scale >/dev/null 2>"$tmp/err" || { rm -f bad.out; continue; }
        [ "$(wc -l <"$tmp/err")" -eq 1 ] || { cat "$tmp/err"; return 1; }
        ! grep -qF "other$i.bc: it is of LLVM 19, and this is LLVM 1" "$tmp/err" || told=$((told + 1))
    done
    rm -f other*.bc
    [ $told -gt 0 ]
}
check_with python3 "refused: bitcode of another version" other_version
head -c 600 /dev/zero >zero.bc
bad "bitcode that is none" 1 "zero.bc" emit zero.bc f

# The harness
check "refused: a harness that does not compile" complains 1 "harness.c: clang" \
    search bad.log --cflags=-DBROKEN_HARNESS
bad "a harness that is not there" 1 "none.c: cannot open: No such file" \
    "$evolve" check scale.c none.c --function scale
with "no EV_HARNESS" "harness.c: has no EV_HARNESS" NO_HARNESS
with "no outputs" "harness.c: case n=512: buffer 0 (x): none is written" NO_OUTPUT
with "no buffer for outputs" "none is written" NO_BUFFER
with "a set_up that crashes" "harness.c: case shape 1: set_up crashes" SET_UP_CRASHES
with "outputs that depend on the time" "is not deterministic" CLOCK
with "outputs that depend on what was there" "buffer y depends on what was there before" READS_OUTPUT
with "a kernel that crashes" "harness.c: case n=512: the unmodified kernel crashes" CRASH
with "a kernel that writes beside its buffers" "harness.c: case n=512: the unmodified kernel" BESIDE
[ "$(uname -m)" != x86_64 ] ||
    with "a kernel that calls the system" "makes a system call" CALLS_SYSTEM
with "a case that takes longer" "harness.c: case n=512: the unmodified kernel takes longer than 0.3 s" \
    ENDLESS --timeout 300

# Logs
bad "a log that is there" 1 "climb.log: is there already" search climb.log --method climb
bad "a log of another method" 1 'climb.log: is the log of another search: "method" is "climb" there' \
    search climb.log --resume
bad "a log of other flags" 1 'climb.log: is the log of another search: "cflags"' \
    search climb.log --resume --method climb --cflags=-DCLOCKS
cp scale.c scale.kept
cp harness.c harness.kept
sed 's/3 \* x/5 * x/' scale.kept >scale.c
bad "a log of another kernel" 1 'climb.log: is the log of another search: "module"' \
    search climb.log --resume --method climb
bad "minimise: another kernel" 1 'climb.log: is the log of another search: "module"' \
    "$evolve" minimise climb.log
cp scale.kept scale.c
echo '/* longer */' >>harness.c
bad "a log of another harness" 1 'climb.log: is the log of another search: "harness_sha256"' \
    search climb.log --resume --method climb
bad "export: another harness" 1 'climb.log: is the log of another search: "harness_sha256"' \
    "$evolve" export climb.log -o bad.folder
cp harness.kept harness.c
head -c 150 climb.log >cut.log
head -n 40 climb.log | sed '30s/^\([a-z-]*\) /\1x /' >damaged.log
: >empty.log
echo "another text" >text.log
for command in "report" "minimise" "export -o bad.folder" "search scale.c harness.c --function scale --resume -o"; do
    by=${command%% *}
    # shellcheck disable=SC2086
    {
        bad "$by: a log cut in its heading" 1 "cut.log: ends within its heading" "$evolve" $command cut.log
        bad "$by: a damaged log" 1 "damaged.log:30: is damaged" "$evolve" $command damaged.log
        [ $by = search ] || bad "$by: an empty log" 1 "empty.log: is no log of kpred-evolve" "$evolve" $command empty.log
    }
done
# A kill may come between the making of a log and its first line.
begins_empty() {
    search empty.log --resume --evaluations 40 >/dev/null && has_form empty.log
}
check "search: goes on from an empty log" begins_empty
bad "report: a text" 1 "text.log: is no log of kpred-evolve" "$evolve" report text.log

# Without memory for a line, a log is not read as one that ends there.
within_memory() {
    # shellcheck disable=SC3045 # dash and bash have it, and a shell that lacks it fails the check
    (ulimit -v 400000 && "$@")
}
cp climb.log long.log && truncate -s 300M long.log
bad "report: no memory for a line" 1 "long.log: cannot read: " within_memory "$evolve" report long.log
rm long.log
bad "report: a folder" 1 ".: cannot read: Is a directory" "$evolve" report .
bad "report: no such log" 1 "none.log" "$evolve" report none.log
bad "a folder as log" 1 "library: " search library

# Options
bad "a baseline that is none" 1 '--baseline "O9"' "$evolve" check scale.c harness.c --function scale --baseline O9
for oracle in nearly 1,0 -1,1 harness,x 1,1x; do
    bad "an oracle: $oracle" 1 "--oracle \"$oracle\"" on check --oracle "$oracle"
    bad "search: an oracle: $oracle" 2 "--oracle \"$oracle\"" search bad.log --oracle "$oracle"
done
bad "no .error" 1 "harness.c: EV_HARNESS has no .error" search bad.log --oracle harness,1
bad "an elite of all" 2 "--elite 40" search bad.log --population 40 --elite 40
bad "no function named" 2 "--function is missing" "$evolve" check scale.c harness.c
bad "no log named" 2 "-o is missing" on search
bad "CSV and JSON at once" 2 "--json" on check --csv --json
bad "an unknown method" 2 "--method" search bad.log --method luck
bad "a point beyond the front" 1 "climb.log: --point 99: the front has" "$evolve" minimise climb.log --point 99
bad "a name that is none" 1 '--name "a b"' "$evolve" export climb.log -o bad.folder --name "a b"
refuse "refused: export: into a file" 1 "scale.c" "$evolve" export climb.log -o scale.c
bad "report: a plot over its log" 1 "climb.log" "$evolve" report climb.log --plot climb.log
bad "edits that are none" 1 '--edits "drop 1": is no list' emit scale.c scale --edits "drop 1"
bad "edits that do not apply" 1 'does not apply to scale in scale.c' \
    emit scale.c scale --edits "delete 4000 0 0 00000000"
bad "passes that are none" 1 '--passes "O9"' emit scale.c scale --passes O9
bad "a target that is none" 1 "nowhere-none" emit scale.c scale --target nowhere-none
check "refused: a processor that is none" complains 1 "reverse_amdgcn.c: " emit "$fixtures/reverse_amdgcn.c" reverse \
    --target amdgcn-amd-amdhsa --cpu gfx9
bad "a code object of this machine" 1 "scale.c" emit scale.c scale --form code-object
bad "emit: into a folder" 1 "library" "$evolve" emit scale.c --function scale -o library
bad "emit: over the kernel" 1 "scale.c" "$evolve" emit scale.c --function scale -o scale.c

without_clang() {
    PATH=$tmp/temporary "$evolve" check scale.c harness.c --function scale
}
emit_without_clang() {
    PATH=$tmp/temporary "$evolve" emit scale.c --function scale -o bad.out
}
nothing_left() {
    [ ! "$(ls -A "$TMPDIR")" ] || { ls "$TMPDIR"; return 1; }
}
bad "no clang" 1 "cannot be started: No such file" without_clang
bad "emit: no clang" 1 "cannot be started: No such file" emit_without_clang
check "no temporary file is left" nothing_left
test_end
