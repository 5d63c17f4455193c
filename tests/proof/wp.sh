#!/bin/sh
# wp.sh - the contracts of the headers' functions, by Frama-C's WP with CVC4 and Z3
# SPDX-License-Identifier: MIT
#
# usage: [EACH=SECONDS] wp.sh [all | faults | one NAME...]
#
# Without a word some functions; `all`: all functions that have a contract, and faults. A table of the functions is in
# BUILD/proof/wp.md, and what WP said in BUILD/proof/wp.txt. EACH: of one prover for one goal
. tests/harness/script.inc

test_begin

# By Eva (eva_contracts.c, eva.c): tables, shifts by what varies, bytes within words
by_eva='kpri_exp2_neg|kpri_log2|kpri_leading_zeros|kpri_lowest_bit|kpri_indexes'

# functions: those with a contract
functions() {
    awk '/\/\*@/ { contract = 0 } / assigns / { contract = 1 } /^}/ { contract = 0 }
        contract && /^[a-zA-Z].*[a-z0-9_]\(/ {
            sub(/\(.*/, ""); sub(/.*[^a-zA-Z0-9_]/, ""); print; contract = 0
        }' kpred.h kpred_constraints.h | grep -vxE "$by_eva"
}

# annotated FILE: the header with what tests/proof/loops has for it, and without what is for Eva
annotated() {
    awk '
        FNR == NR {
            if (/^- /) { n++; of[n] = name; piece[n] = substr($0, 3) }
            else if (/^\+ assert/) facts[n] = facts[n] "/*@ " substr($0, 3) " */\n"
            else if (/^\+ /) text[n] = text[n] "\n" substr($0, 3)
            else if (!/^#/) name = $0
            next
        }
        /^[a-zA-Z].*[a-z0-9_]\(/ && !/;$/ {
            now = $0
            sub(/\(.*/, "", now)
            sub(/.*[^a-zA-Z0-9_]/, "", now)
        }
        /\/\*@ loop |\/\/@ dynamic_split/ { next }
        {
            for (i = 1; i <= n; i++)
                if (of[i] == now && !used[i] && index($0, piece[i])) {
                    used[i] = 1
                    printf "%s", facts[i]
                    if (text[i]) print "/*@" text[i] " */"
                    break
                }
            print
        }' tests/proof/loops "$1"
}

# What the provers do not know of bits: for all x and n of 0..2^63 - 1, or for any x; first as ACSL,
# then as SMT-LIB with @ before numbers
facts() {
    cat <<'END'
n < 64 ==> 0 <= (x >> n) <= x
(=> (bvult n @64) (bvule (bvlshr x n) x))
x <= 255 && n < 32 ==> x <= (x << n) <= x * 2147483648
(=> (and (bvule x @255) (bvult n @32)) (and (bvule x (bvshl x n)) (bvule (bvshl x n) (bvmul x @2147483648))))
n <= 7 ==> 1 <= (1 << n) <= 128
(=> (bvule n @7) (and (bvule @1 (bvshl @1 n)) (bvule (bvshl @1 n) @128)))
n < 32 ==> 0 <= x - ((x >> n) << n) < (1 << n)
(=> (bvult n @32) (bvult (bvsub x (bvshl (bvlshr x n) n)) (bvshl @1 n)))
(x >> 1) == x / 2
(= (bvlshr x @1) (bvudiv x @2))
(x & 1) == x % 2
(= (bvand x @1) (bvurem x @2))
(x >> 5) == x / 32
(= (bvlshr x @5) (bvudiv x @32))
x < 4294967296 ==> (x << 5) == x * 32
(=> (bvult x @4294967296) (= (bvshl x @5) (bvmul x @32)))
(x >> 16) == x / 65536
(= (bvlshr x @16) (bvudiv x @65536))
(x & 31) == x % 32
(= (bvand x @31) (bvurem x @32))
(x & -4) == x - x % 4
(= (bvand x (bvneg @4)) (bvsub x (bvurem x @4)))
x <= 127 ==> (x & 127) == x
(=> (bvule x @127) (= (bvand x @127) x))
(uint32_t)x == x % 4294967296
(= ((_ zero_extend 32) ((_ extract 31 0) x)) (bvurem x @4294967296))
(int32_t)x == (x + 2147483648) % 4294967296 - 2147483648
(= (bvsub (bvurem (bvadd x @2147483648) @4294967296) @2147483648) ((_ sign_extend 32) ((_ extract 31 0) x)))
any: -2147483648 <= x < 0 ==> (uint32_t)x == x + 4294967296
(=> (bvule (bvneg @2147483648) x) (= ((_ zero_extend 32) ((_ extract 31 0) x)) (bvadd x @4294967296)))
any: 0 <= (x & 127) <= 127
(bvule (bvand x @127) @127)
END
}

# driver: the headers behind these facts
driver() {
    echo '#include <stdint.h>'
    echo '/*@ axiomatic bits {'
    facts | awk 'NR % 2 == 0 { next }
        sub(/^any: /, "") { print "axiom fact_" NR ": \\forall integer x; " $0 ";"; next }
        { n = / n |<< n\)|^n / ? 1 : 0; end = "9223372036854775808" }
        { print "axiom fact_" NR ": \\forall integer x" (n ? ", n" : "") ";" }
        { print "0 <= x < " end (n ? " && 0 <= n < " end : "") " ==> (" $0 ");" }'
    echo '} */'
    echo '#define KPRED_STATIC'
    echo '#include "kpred_constraints.h"'
}

# z3 proves them for 64 bits.
facts_hold() {
    facts | awk '
        BEGIN {
            print "(declare-const x (_ BitVec 64)) (declare-const n (_ BitVec 64))"
            print "(define-fun small () Bool (and (bvsle (_ bv0 64) x) (bvsle (_ bv0 64) n)))"
        }
        { while (match($0, /@[0-9]+/))
            $0 = substr($0, 1, RSTART - 1) "(_ bv" substr($0, RSTART + 1, RLENGTH - 1) " 64)" \
                substr($0, RSTART + RLENGTH) }
        NR % 2 { any = /^any:/; next }
        { print "(push) (assert (not " (any ? $0 : "(=> small " $0 ")") ")) (check-sat) (pop)" }' >"$tmp/facts.smt2"
    z3 "$tmp/facts.smt2" >"$tmp/said"
    cat "$tmp/said"
    [ "$(sort -u "$tmp/said")" = unsat ] && [ "$(wc -l <"$tmp/said")" -eq $(($(facts | wc -l) / 2)) ]
}

# prepare FROM TO: those headers there, for WP
prepare() {
    mkdir -p "$2" && driver >"$2/wp.c" &&
        for header in kpred.h kpred_constraints.h; do annotated "$1/$header" >"$2/$header"; done
}

# wp FOLDER NAME...: all goals of these functions are proved; WP's lines are in FOLDER/wp.txt
wp() {
    folder=$1; shift
    frama-c -wp -wp-rte -warn-signed-downcast -warn-right-shift-negative -machdep gcc_x86_64 \
        -wp-prover cvc4,z3 -wp-timeout "$EACH" -wp-par "${JOBS:-2}" \
        -cpp-extra-args="-I$folder -DKPRED_SIMD=0 -U__GNUC__" -wp-fct "$(echo "$@" | tr ' ' ,)" "$folder/wp.c" 2>&1 |
        grep -v pedantic-assigns >"$folder/wp.txt"
    grep -E '^\[wp\] \[(Failed|Timeout|Unknown|Unsuccess)|User Error' "$folder/wp.txt"
    awk '/^\[wp\] Proved goals:/ { all = $4 > 0 && $4 == $6 } END { exit !all }' "$folder/wp.txt"
}

# table <WP.TXT: FUNCTION | goals of the contract, of memory, of arithmetic | PROVERS | SECONDS
table() {
    echo '| function | contract | memory | arithmetic | provers | seconds |'
    echo '|---|---|---|---|---|---|'
    awk '
        / Goal .* : Valid/ {
            name = $0; sub(/.* Goal typed_/, "", name); sub(/ :.*/, "", name)
            kind = name ~ /_rte_mem_access/ ? "memory" : name ~ /_rte_/ ? "arithmetic" : "contract"
            sub(/_(assert|ensures|assigns|loop|call|requires|terminates|exits)(_.*)?$/, "", name)
            prover = $2; gsub(/[][]/, "", prover)
            for (i = 1; i <= NF; i++)
                if ($i ~ /^\((Qed:)?[0-9.]+m?s\)$/) {
                    time = $i; gsub(/[^0-9.]/, "", time)
                    seconds[name] += $i ~ /ms/ ? time / 1000 : time
                }
            count[name, kind]++
            if (!seen[name, prover]++) provers[name] = provers[name] (provers[name] ? ", " : "") prover
        }
        END {
            for (name in provers)
                printf "| `%s` | %d | %d | %d | %s | %.1f |\n", name, count[name, "contract"], count[name, "memory"],
                    count[name, "arithmetic"], provers[name], seconds[name]
        }' | sort
}

# proved NAME...: and the table
proved() {
    wp "$tmp/own" "$@"
    status=$?
    cp "$tmp/own/wp.txt" "$BUILD/proof/wp.txt"
    table <"$tmp/own/wp.txt" >"$BUILD/proof/wp.md"
    return $status
}

# found NAME EXPRESSION: WP does not prove the contract of that function, changed so
found() {
    mkdir -p "$tmp/fault" && for header in kpred.h kpred_constraints.h; do
        sed "/\\<$1(/,/^}/{$2}" $header >"$tmp/fault/$header"
    done
    ! cat "$tmp"/fault/*.h | cmp -s - "$tmp/plain" && prepare "$tmp/fault" "$tmp/false" &&
        ! EACH=2 wp "$tmp/false" "$1" >"$tmp/said" && ! grep 'User Error' "$tmp/said"
}

faults() {
    cat kpred.h kpred_constraints.h >"$tmp/plain"
    check "found: the last of equal values" found kpri_best_untried 's/score\[v\] > most ? v/score[v] >= most ? v/'
    check "found: an order upside down" found kpri_compare_text 's/? -1 : 1/? 1 : -1/'
    check "found: a slot one too far" found kpri_slot 's/s->end_slot)/s->end_slot + 1)/'
    check "found: a link taken for a slot" found kpri_short_run 's/slot = kpri_slot(s, one)/slot = one/'
    check "found: a score too low" found kpri_scores1 's/: 1 << 26/: 1 << 27/'
    check "found: a token below 0" found kpri_check_field 's/\*x < 0 ||//'
    check "found: a ceiling that is a floor" found kpred_ceil_div 's/a % b != 0/a % b > b/'
    check "found: a bucket one too far" found kpri_bucket_of 's/: KPRI_BUCKETS - 1/: KPRI_BUCKETS/'
}

EACH=${EACH:-20}
for program in frama-c why3 cvc4 z3; do need $program "the contracts, by WP"; done
export HOME="$tmp" # of why3: which provers there are
why3 config detect >"$tmp/said" 2>&1
prepare . "$tmp/own"
mkdir -p "$BUILD/proof"
case ${1-} in
one) shift; check "the contracts of $*" proved "$@" ;;
faults) faults ;;
facts) check "what WP is told of bits" facts_hold ;;
all)
    check "what WP is told of bits" facts_hold
    # shellcheck disable=SC2046
    check "all contracts" proved $(functions)
    faults ;;
*) check "some contracts" proved kpri_slot kpri_best_untried kpred_ceil_div ;;
esac
test_end
