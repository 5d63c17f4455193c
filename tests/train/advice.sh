#!/bin/sh
# advice.sh - training: files that cannot or must not be written, and what it tells
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

test_begin
need_trainer "all"
cd "$tmp" || exit 1

# ---- a kernel that trains in a moment ----

cp "$root/tests/fixtures/rowsum.spec" rowsum.spec
awk 'BEGIN {
    print "gpu,rows,cols,threads,unroll"
    for (gpu = 0; gpu < 2; gpu++)
        for (rows = 1; rows <= 4096; rows *= 4)
            for (cols = 20; cols <= 20000; cols += int(cols / 4))
                print (gpu ? "gfx906_60" : "gfx900_56") "," rows "," cols "," \
                    (cols < 128 ? 64 : rows > 64 ? 128 : 256) "," (cols % 2 ? 1 : 2)
}' >rowsum.csv
cp rowsum.spec spec.kept && cp rowsum.csv csv.kept || exit 1

# train ARGUMENT...: rowsum
train() { "$trainer" train rowsum.spec --data rowsum.csv --threads 1 "$@"; }
train -o m.h 2>err || { failed "a small model" "$(head -3 err)"; test_end; exit; }

# nothing: the folder has the files that `look` saw, and they are what they were
look() { find . | sort >files; }
nothing() {
    find . | sort | cmp - files && cmp rowsum.spec spec.kept && cmp rowsum.csv csv.kept &&
        cmp m.h m.kept && cmp m.f32 f32.kept
}
cp m.h m.kept && cp m.f32 f32.kept && touch files out err

# ---- outputs are tried before the data are read: none.csv is not there ----

# unwritable PATTERN ARGUMENT...
unwritable() {
    pattern=$1; shift
    refuses 1 "$pattern" "$trainer" train rowsum.spec --data none.csv "$@" && nothing
}
mkdir new.f32 && ln -s nowhere/x dangling
look
check "FILE.f32 is a folder" unwritable "new.f32: is a directory" -o new.h
check "-o is a folder" unwritable "new.f32: is a directory" -o new.f32
check "--float-out is a folder" unwritable "new.f32: is a directory" -o a.h --float-out new.f32
check "no folder for -o" unwritable "none/a.h: cannot create" -o none/a.h
check "no folder for --float-out" unwritable "none/a: cannot create" -o a.h --float-out none/a
check "-o has no name" unwritable '"none/": is no file name' -o none/
if [ "$(id -u)" -ne 0 ]; then
    read_only() {
        mkdir locked && chmod a-w locked && refuses 1 "locked/a.h" "$trainer" train rowsum.spec \
            --data none.csv -o locked/a.h && chmod u+w locked && rmdir locked
    }
    check "a folder that is read only" read_only
fi

# ---- outputs and inputs ----

ln -s rowsum.spec spec.link && ln -s rowsum.csv csv.link && ln rowsum.csv csv.hard 
{ sed 's/= csv/= tensile/' rowsum.spec; printf '[judge]\nlr = log2 rows\nramp lr 0 4\n'; } >judged.f
look
# overwrites PATTERN COMMAND...: is refused
overwrites() {
    refuses 1 "$@" && nothing
}
for same in rowsum.spec ./rowsum.spec "$PWD/rowsum.spec" spec.link; do
    check "train -o $(basename "$same"), its spec" overwrites \
        "-o $same: would overwrite SPEC rowsum.spec, which is read" train -o "$same"
done
for same in rowsum.csv ../"${PWD##*/}"/rowsum.csv csv.link csv.hard; do
    check "train -o $same, its data" overwrites \
        "-o $same: would overwrite --data rowsum.csv, which is read" train -o "$same"
done
check "train -o, the second of its data" overwrites "-o rowsum.csv: would overwrite --data rowsum.csv" \
    "$trainer" train rowsum.spec --data m.csv rowsum.csv -o rowsum.csv
check "train -o, what is beside the data" overwrites "-o csv.kept: would overwrite --beside csv.kept" \
    "$trainer" train judged.f --data rowsum.csv --beside csv.kept -o csv.kept
check "train --float-out, its data" overwrites "--float-out csv.link: would overwrite --data rowsum.csv" \
    train -o a.h --float-out csv.link
default_floats() {
    cp rowsum.spec spec.f32 && refuses 1 "the float file ./spec.f32: would overwrite SPEC spec.f32" \
        "$trainer" train spec.f32 --data rowsum.csv -o ./spec.h && cmp spec.f32 spec.kept && rm spec.f32
}
check "train, a spec where the floats would go" default_floats
check "train -o and --float-out, one file" overwrites "-o and --float-out: both m.h" \
    train -o m.h --float-out m.h
check "train -o and --float-out, one new file" overwrites "-o and --float-out: both ./a" \
    train -o "$PWD/a" --float-out ./a
check "ingest -o, its spec" overwrites "-o spec.link: would overwrite SPEC rowsum.spec" \
    "$trainer" ingest rowsum.spec --data rowsum.csv -o spec.link
check "ingest -o, its data" overwrites "-o csv.hard: would overwrite --data rowsum.csv" \
    "$trainer" ingest rowsum.spec --data rowsum.csv -o csv.hard
check "relayout -o, its spec" overwrites "-o spec.link: would overwrite --spec rowsum.spec" \
    "$trainer" relayout m.h --spec rowsum.spec -o spec.link
# evaluates PATTERN OPTION...: eval of m.h, whose command line is wrong
evaluates() {
    pattern=$1; shift
    refuses 2 "$pattern" "$trainer" eval m.h --data rowsum.csv "$@" && nothing
}
check "eval --hits, its data" evaluates "--hits csv.link: would overwrite --data rowsum.csv" --hits csv.link
check "eval --hits, its header" evaluates "--hits ./m.h: would overwrite MODEL|FILE.h m.h" --hits ./m.h
check "eval --plot, its data" evaluates "--plot csv.link: would overwrite --data rowsum.csv" --plot csv.link
check "eval --hits and --plot, one file" evaluates "--hits and --plot: both ./x" \
    --hits x --plot ./x

# A model's name is no file, and an old output that is no input is written over.
not_refused() {
    echo old >again.h && train -o again.h 2>err && sed s/again/m/ again.h | cmp - m.h &&
        cmp again.f32 m.f32 && "$trainer" relayout m.h -o m.h && cmp m.h m.kept &&
        train -o /dev/null 2>err && [ ! -e /dev/null.f32 ] && train -o /dev/null --float-out /dev/null 2>err
}
check "other files, devices, and a header onto itself" not_refused
rm -f again.*

# ---- a network that was trained is kept ----

# The limit on the size of files lies between the header's and the floats'.
floats_lost() {
    (trap '' XFSZ; ulimit -f 40; train -o kept.h) 2>err
    [ $? -eq 1 ] && grep -q '^kpred-train: kept.f32: cannot write: File too large' err &&
        grep -q '^kpred-train: kept.h: is written all the same' err && cmp kept.h m.h &&
        [ ! -e kept.f32 ] && [ -z "$(find . -name '.kpred-*')" ]
}
check "the header stays where the floats do not fit" floats_lost
header_lost() {
    (trap '' XFSZ; ulimit -f 8; train -o kept.h) 2>err
    [ $? -eq 1 ] && grep -q '^kpred-train: kept.h: cannot write: File too large' err &&
        [ ! -e kept.f32 ] && [ -z "$(find . -name '.kpred-*')" ]
}
rm -f kept.h
check "no floats without the header" header_lost
test_end
