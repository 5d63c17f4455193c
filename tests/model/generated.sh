#!/bin/sh
# generated.sh - what stands in a generated header: enumerators, the command that makes it, its includes
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
need_trainer "generated headers"
PATH=$(dirname "$trainer"):$PATH # so that the commands in headers work as they stand
cd "$tmp" || exit 1

# Names that are one in capitals: of fields, of tokens, of a token and a parameter; a token that is
# no identifier; a token named as a macro; values of words, of numbers, and of other texts
cat >odd.spec <<'END'
[kernel]
name = odd
rule = unconstrained
[data]
format = csv
[fields]
kind  = plain Plain other.one other+one other_one
Kind  = plain
param = mode
rule  = calls
n     = size
[params]
tile = 1 2 4
mode = fast Fast small
text = "fast <1>" "small"
mixed_1 = on off
[derived]
ln = log2 n
[features]
hats ln 0 1 9
[network]
encoder1 = 16
encoder2 = 16
hidden = 16
epochs = 1
teachers = 0
END
cat >'odd rows.csv' <<'END'
kind,Kind,param,rule,n,tile,mode,text,mixed_1
plain,plain,mode,calls,16,1,fast,fast <1>,on
other.one,plain,mode,calls,64,4,small,small,off
END

train() { "$trainer" train odd.spec --data 'odd rows.csv' --split none --threads 1 "$@"; }
train -o odd.h || exit 1

# ---- enumerators ----

# numbers NAME NUMBER...: to a program that names each enumerator that is not that number
numbers() {
    while [ $# -gt 1 ]; do
        printf '    if ((int)%s != %s) { puts("%s is not %s"); bad = 1; }\n' "$1" "$2" "$1" "$2"
        shift 2
    done
}
# program HEADER...: its beginning
program() {
    printf '#define KPRED_IMPLEMENTATION\n'
    for header in "$@"; do printf '#include "%s"\n' "$header"; done
    printf '#include <stdio.h>\nint main(void)\n{\n    int bad = 0;\n'
}
end_of_program() { printf '    return bad;\n}\n'; }

odd_ones() {
    {
        program odd.h
        numbers KPRED_ODD_FIELD_KIND 0 KPRED_ODD_FIELD_KIND_2 1 KPRED_ODD_FIELD_PARAM 2 \
            KPRED_ODD_FIELD_RULE 3 KPRED_ODD_FIELD_N 4 \
            KPRED_ODD_KIND_PLAIN 0 KPRED_ODD_KIND_PLAIN_2 1 KPRED_ODD_KIND_OTHER_ONE 2 \
            KPRED_ODD_KIND_OTHER_ONE_2 3 KPRED_ODD_KIND_OTHER_ONE_3 4 KPRED_ODD_KIND_PLAIN_3 0 \
            KPRED_ODD_PARAM_MODE 0 KPRED_ODD_RULE_CALLS 0 \
            KPRED_ODD_PARAM_TILE 0 KPRED_ODD_PARAM_MODE_2 1 KPRED_ODD_PARAM_TEXT 2 \
            KPRED_ODD_PARAM_MIXED_1 3 \
            KPRED_ODD_MODE_FAST 0 KPRED_ODD_MODE_FAST_2 1 KPRED_ODD_MODE_SMALL 2 \
            KPRED_ODD_MIXED_1_ON 0 KPRED_ODD_MIXED_1_OFF 1 \
            'KPRED_ODD_RULE_CALLS(2)' 21
        end_of_program
    } >odd.c
    ! grep -E 'ODD_TEXT_|ODD_TILE_' odd.h && "$CC" -std=c99 -pedantic-errors -Wall -Wextra -Werror \
        -I"$root" odd.c -o odd && ./odd && [ "$(grep -c '^    KPRED_ODD_[A-Z0-9_]*,\{0,1\}$' odd.h)" -eq 22 ]
}
check "names that are one in capitals" odd_ones

# from_spec NAME: of a shipped model the pairs that its spec gives, one a line
from_spec() {
    awk -v model="KPRED_$(echo "$1" | tr '[:lower:]' '[:upper:]')_" '
        function say(what, name, number) {
            name = toupper(model what "_" name)
            gsub(/[^A-Z0-9]/, "_", name)
            print name, number
        }
        /^\[/ { section = $1; number = 0; next }
        section != "[fields]" && section != "[params]" || /^(#|$)/ { next }
        { say(section == "[fields]" ? "FIELD" : "PARAM", $1, number++) }
        $3 == "size" || $3 ~ /^[-0-9]/ || /"/ { next }
        { for (i = 3; i <= NF; i++) say($1, $i, i - 3) }' "$root/weights/$1.spec"
}
shipped_ones() {
    models=$(for header in "$root"/weights/*.h; do basename "$header" .h; done)
    {
        # shellcheck disable=SC2046
        program $(printf "$root/weights/%s.h " $models)
        for model in $models; do
            from_spec "$model" >pairs
            [ -s pairs ] || echo "#error no names of $model"
            # shellcheck disable=SC2046
            numbers $(cat pairs)
        done
        end_of_program
    } >shipped.c
    [ "$(grep -c '^    if' shipped.c)" -eq "$(cat "$root"/weights/*.h |
        sed -n '/^enum {$/,/^};$/p' | grep -c KPRED_)" ] && "$CC" -std=c99 -O0 shipped.c -o shipped && ./shipped
}
if (cd "$root" && has_weights); then
    check "the enumerators of the shipped models are those of their specs" shipped_ones
else
    skipped "the enumerators of the shipped models" "they are not there (make weights)"
fi

# pedantic COMPILER OPTION...: the definitions of a user's model, and the declarations alone
pedantic() {
    printf '#include "odd.h"\nint32_t arena[KPRED_ODD_ARENA(9)];\n' >pedantic.c
    "$@" -pedantic-errors -Wall -Wextra -Werror -I"$root" -c pedantic.c -o pedantic.o &&
        "$@" -pedantic-errors -Wall -Wextra -Werror -I"$root" -DKPRED_IMPLEMENTATION -c pedantic.c \
            -o pedantic.o
}
for compiler in gcc clang; do
    check_with $compiler "C99, -pedantic-errors, $compiler" pedantic $compiler -std=c99
done
for compiler in g++ clang++; do
    check_with $compiler "C++98, -pedantic-errors, $compiler" pedantic $compiler -xc++ -std=c++98
done

# ---- names that are taken, or long ----

# The code of a header without its comments
code_of() { "$CC" -w -fpreprocessed -dD -E -P -xc "$1"; }
# with_name NAME TEXT: a spec of that name is refused, and the message has the text
with_name() {
    sed "s/^name *=.*/name = $1/" odd.spec >named.spec
    refuses 1 "$2" "$trainer" train named.spec --data 'odd rows.csv' --split none -o named.h
}
# Of all names that begin as one in kpred's headers does, those with which the names in odd.h would be
# names in kpred's headers: each is refused.
taken_names() {
    for header in kpred kpred_constraints kpred_hip; do code_of "$root/$header.h"; done |
        grep -oE '\b(KPRED|KPRI|kpri|kpred)_[A-Za-z0-9_]+' | sort -u >taken.txt
    code_of odd.h | grep -oE '\b[A-Za-z_]+_(ODD|odd)(_[A-Za-z0-9_]*)?' | sort -u >own.txt
    awk 'FNR == NR { taken[$0] = 1; n = split($0, part, "_"); start = ""
            for (i = 2; i < n; i++) { start = start part[i]; names[tolower(start)] = 1; start = start "_" }
            next }
        { own[$0] = 1 }
        END { for (name in names) for (id in own) {
                  made = id; sub(/ODD/, toupper(name), made); sub(/odd/, name, made)
                  if (made in taken) { print name; break } } }' taken.txt own.txt | sort >clash.txt
    [ "$(wc -l <own.txt)" -gt 40 ] && grep -qx max clash.txt && grep -qx err clash.txt || return 1
    while read -r name; do
        with_name "$name" "named.spec:2: name: value \"$name\"" || { echo "$name"; return 1; }
    done <clash.txt
}
check "names that kpred's headers have are refused" taken_names
check "the clash is named" with_name max KPRED_MAX_FIELDS
check "a start to which the headers add by ##" with_name asm_1x1u KPRED_ASM_1X1U_
check "a clash by way of a field and its token" sh -c 'sed "s/^name *=.*/name = op/;s/^kind .*/ceil = div/" \
    odd.spec >op.spec; ! "$1" train op.spec --data odd.csv --split none -o op.h 2>op.err &&
    grep -q KPRED_OP_CEIL_DIV op.err' sh "$trainer"
long=$(printf '%043d' 0 | tr 0 n)
check "a model's name of 44 characters" with_name "n$long" "at most 43"

# C tells names apart by 63 characters.
too_long() { code_of "$1" | sed 's/"[^"]*"//g' | grep -oE '\b[A-Za-z_][A-Za-z0-9_]{63,}'; }
long_names() {
    token=$(printf '%062d' 0 | tr 0 t)
    sed "s/^name *=.*/name = $long/;s/^Kind .*/Kind = plain ${token}a ${token}b/;s/^mixed_1/$token/" \
        odd.spec >long.spec
    sed "s/mixed_1/$token/" 'odd rows.csv' >long.csv
    "$trainer" train long.spec --data long.csv --split none -o long.h && ! too_long long.h &&
        printf '#define KPRED_IMPLEMENTATION\n#include "long.h"\n' >long.c &&
        "$CC" -std=c99 -pedantic-errors -Wall -Wextra -Werror -I"$root" -c long.c -o long.o &&
        [ "$(grep -c "^    KPRED_$(echo "$long" | tr n N)_KIND_T*\(_2\)\?,\?\$" long.h)" -eq 2 ]
}
check "names of more than 63 characters are cut" long_names
short_names() {
    for header in "$root"/kpred*.h "$root"/weights/*.h; do ! too_long "$header" || return 1; done
}
check "no name in the headers is longer" short_names

# ---- the opening comment ----

# licence LINE TEXT: in a header for a spec with that line the line with SPDX is this one
licence() {
    sed "s|^rule = .*|&\n$1|" odd.spec >licence.spec
    "$trainer" relayout odd.h --spec licence.spec -o licence.h &&
        [ "$(sed '/^spec:$/,$d' licence.h | grep SPDX)" = "$2" ]
}
titles() {
    [ "$(head -n 1 odd.h)" = "/* odd.h - odd" ] && ! sed '/^spec:$/,$d' odd.h | grep SPDX &&
        [ "$(sed -n 2p odd.h)" = "   GENERATED by kpred-train - DO NOT EDIT" ] &&
        licence 'title = of no use' '' && [ "$(head -n 1 licence.h)" = "/* odd.h - of no use" ]
}
check "title, and no licence unless the spec has one" titles
check "licence" licence 'licence = MIT' '   SPDX-License-Identifier: MIT'
check "licence of several words" licence 'licence = Apache-2.0 WITH LLVM-exception' \
    '   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception'

# command_of HEADER: the command in its opening comment
command_of() {
    sed -n '/^   from .* by$/,/^   net /{//!p}' "$1"
}
# again ARGUMENT...: a header of these options, and the same from its command, in a folder with the files
again() {
    rm -rf copied && mkdir copied && cp odd.spec 'odd rows.csv' copied && mkdir -p deep &&
        (cd deep && "$trainer" train ../odd.spec --data '../odd rows.csv' --threads 1 "$@" -o ../made.h) ||
        return 1
    command_of made.h >again.sh
    [ -z "$(awk 'length > 100' again.sh)" ] && (cd copied && sh ../again.sh) && cmp made.h copied/odd.h &&
        [ "$(cd copied && ls)" = "odd rows.csv
odd.f32
odd.h
odd.spec" ]
}
check "the command makes the header again" again --split none
check "with more options" again --split none --seed 7 --epochs 2 --lenient --nearest --include-dir up/
check "with a fold" again --split fold:0/2
# Names that a shell or a comment would take for something else
names_in_comments() {
    cp 'odd rows.csv' "odd'*\$r.csv" && "$trainer" train odd.spec --data "odd'*\$r.csv" --split none \
        --threads 1 -o quoted.h && command_of quoted.h | grep -qF -e "'odd'\\''?\$r.csv'" &&
        printf '#include "quoted.h"\n' >quoted.c && "$CC" -Wall -Werror -I"$root" -c quoted.c -o quoted.o
}
check "file names that need quotes" names_in_comments

# ---- includes ----

includes() { sed -n 's/^#include //p' "$1"; }
users_include() {
    [ "$(includes odd.h)" = '"kpred.h"' ] && train --include-dir third_party/kpred/ -o dir.h &&
        [ "$(includes dir.h)" = '"third_party/kpred/kpred.h"' ] &&
        mkdir -p third_party/kpred && cp "$root/kpred.h" third_party/kpred &&
        printf '#define KPRED_IMPLEMENTATION\n#include "dir.h"\n' >dir.c && "$CC" -c dir.c -o dir.o &&
        train --include-dir ./ -o dir.h && [ "$(includes dir.h)" = '"kpred.h"' ] &&
        refuses 1 "is no path of at most 63 characters that ends with /" \
            train --include-dir up -o dir.h
}
shipped_include() {
    for header in "$root"/weights/*.h; do
        [ "$(includes "$header" | head -n 1)" = '"../kpred.h"' ] || return 1
        ! includes "$header" | sed 1d | grep -qvx '"../kpred_constraints.h"' || return 1
    done
}
check "a user's header includes kpred.h, or as --include-dir says" users_include
check "the shipped ones include ../kpred.h" shipped_include

# ---- the float network ----

beside() {
    mkdir float && train -o float/some.h && [ "$(ls float)" = "some.f32
some.h" ] && [ ! -e build ] || return 1
    (cd float && "$trainer" train ../odd.spec --data '../odd rows.csv' --split none --threads 1 -o plain) &&
        [ -e float/plain.f32 ] && cmp float/plain float/some.h
}
elsewhere() {
    rm -rf float && mkdir float && train -o float/some.h --float-out named &&
        [ "$(ls float)" = some.h ] && [ -s named ] && cmp named odd.f32
}
to_a_pipe() {
    rm -rf float && mkdir float && mkfifo float/pipe && { cat float/pipe >got.h & } &&
        train -o float/pipe && wait $! && [ "$(ls float)" = pipe ] && cmp got.h odd.h
}
check "FILE.f32 beside FILE.h" beside
check "--float-out" elsewhere
check_with mkfifo "none beside a pipe" to_a_pipe
test_end
