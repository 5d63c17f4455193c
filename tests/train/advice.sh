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
train -o m.h >m.out 2>m.err || { failed "a small model" "$(head -3 m.err)"; test_end; exit; }

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

# A model's name is no file, and a generated header that is no input is written over.
not_refused() {
    sed 's/rowsum/other/g' m.h >again.h && train -o again.h 2>err && sed s/again/m/ again.h | cmp - m.h &&
        cmp again.f32 m.f32 && refuses 1 "-o ./m.h: is OLD.h, which is read; --force replaces it" \
        "$trainer" relayout m.h -o ./m.h && "$trainer" relayout m.h -o m.h --force && cmp m.h m.kept &&
        train -o /dev/null 2>err && [ ! -e /dev/null.f32 ] && train -o /dev/null --float-out /dev/null 2>err
}
check "other files, devices, and a header onto itself" not_refused
rm -f again.*

# kept FILE COMMAND...: what people edit or measure stays without --force; an empty file is nothing to lose
kept() {
    file=$1; shift
    echo edited >"$file" && cp "$file" was &&
        refuses 1 "$file: is there already; --force replaces it" "$@" -o "$file" && cmp "$file" was &&
        "$@" -o "$file" --force >out 2>err && ! cmp "$file" was >out && cp "$file" was && : >"$file" &&
        "$@" -o "$file" >out 2>err && cmp "$file" was && rm "$file"
}
check "init -o, a spec" kept edited.spec "$trainer" init rowsum.csv --fields rows,cols --name edited
check "ingest -o, a table" kept rows.csv "$trainer" ingest rowsum.spec --data rowsum.csv
check "train -o, no header of train" kept hand.h train
check "relayout -o, no header of train" kept hand.h "$trainer" relayout m.h
check "--force, and no output" refuses 2 "--force: there is no file that it could replace: -o" \
    "$trainer" ingest rowsum.spec --data rowsum.csv --force
# A file that another program makes in the meantime is not lost, either.
meanwhile() {
    mkfifo pipe.csv && { "$trainer" ingest rowsum.spec --data pipe.csv -o late.csv >out 2>err & } || return 1
    exec 3>pipe.csv
    echo edited >late.csv
    cat rowsum.csv >&3
    exec 3>&-
    wait $!
    [ $? = 1 ] && grep -q '^kpred-train: .*late.csv: somebody has made it meanwhile; --force replaces it$' err &&
        [ "$(cat late.csv)" = edited ] && [ -z "$(find . -name '.kpred-*')" ]
}
check "ingest -o, a table that is made meanwhile" meanwhile
rm -f hand.* late.csv pipe.csv was

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

# ---- what training tells ----

# says LINE...: those lines, in that order, are all that the training into m.h told
says() {
    for line; do printf 'kpred-train: %s\n' "$line"; done >expected
    diff expected err
}
told=$(cat m.err)
split_line() { sed -n "s/^kpred-train: rowsum: split $1: //p" "${2:-m.err}"; }

# Each problem of two GPUs is a group of the split config, one width a group of shape.
n_rows=$(($(wc -l <rowsum.csv) - 1))
kept=$(sed -n 's/.* rows to train, \([0-9]*\) kept for testing$/\1/p' m.h)
groups() {
    trained=$((n_rows - kept))
    [ "$kept" -ge 30 ] && [ "$(split_line config)" = "$trained rows ($trained problems in $((trained / 2)) \
groups) to train on, $kept rows ($kept problems in $((kept / 2)) groups) kept for testing" ]
}
check "rows, problems and groups" groups
by_shape() {
    train -o s.h --split shape 2>s.err || return 1
    widths=$(split_line shape s.err | sed 's/.* in \([0-9]*\) groups.* in \([0-9]*\) groups*) kept.*/\1 \2/')
    [ "$((${widths% *} + ${widths#* }))" -eq "$(sed 1d rowsum.csv | cut -d, -f3 | sort -u | wc -l)" ]
}
check "groups of the split by shape" by_shape
# Another tuple for ten of them, in a file of its own
two_runs() {
    sed '2,$s/,[^,]*$/,4/; 11q' rowsum.csv >run.csv &&
        "$trainer" train rowsum.spec --data rowsum.csv run.csv --split none --epochs 1 -o r.h 2>r.err &&
        [ "$(split_line none r.err)" = "$((n_rows + 10)) rows ($n_rows problems) to train on, none kept for testing" ]
}
check "problems with two rows" two_runs
four_lines() { [ "$(echo "$told" | wc -l)" -eq 4 ] && ! grep -q warning m.err && [ ! -s m.out ]; }
check "four lines on standard error, no warning" four_lines
no_progress() { ! grep -q "$(printf '\r')\|epoch" m.err; }
check "no progress where there is no terminal" no_progress
on_terminal() {
    script -qec "'$trainer' train rowsum.spec --data rowsum.csv --threads 1 -o t.h" /dev/null >t.out &&
        grep -q 'epoch [0-9]* of 10' t.out && grep -q 'kept for testing' t.out && cmp t.h m.h
}
check_with script "progress on a terminal" on_terminal

# The probabilities that kpred prints for the rows that eval says were kept, in bits
# A table of times: thousands of rows whatever the number of problems, unless the spec says how many of each
sed 's/= csv/= timed/; s/^teachers .*/teachers = 0/' rowsum.spec >timed.spec
# drawn PROBLEMS ROWS SPEC: training makes that many rows
drawn() {
    awk -v n="$1" 'BEGIN { print "gpu,rows,cols,threads,unroll,time_us"
        for (i = 1; i <= n; i++) for (t = 64; t <= 256; t *= 2) print "gfx900_56," i "," 2 * i "," t ",1," t + i
    }' >timed.csv
    "$trainer" train "$3" --data timed.csv --split none --epochs 1 -o d.h 2>d.err &&
        [ "$(split_line none d.err)" = "$2 drawn rows ($1 problem$4) to train on, none kept for testing" ]
}
check "one problem of three options, 4096 rows" drawn 1 4096 timed.spec ""
check "500 problems, four rows an option" drawn 500 6000 timed.spec s
check "2000 problems, 16,000 rows" drawn 2000 16000 timed.spec s
check "5000 problems, four rows each" drawn 5000 20000 timed.spec s
# Without --split, the spec's word counts.
sed 's/^\[split\]/&\nshipped = none/' timed.spec >shipped.spec
shipped() {
    "$trainer" train shipped.spec --data timed.csv --epochs 1 -o s.h 2>s.err && grep -q ': split none: ' s.err &&
        "$trainer" train shipped.spec --data timed.csv --split config --epochs 1 -o s.h 2>s.err &&
        grep -q ': split config: ' s.err
}
check "the split that the spec names" shipped
# Of one problem in ten, the split keeps all rows.
all_kept() {
    i=0
    while i=$((i + 1)) && [ $i -le 60 ]; do
        printf 'gpu,rows,cols,threads,unroll,time_us\ngfx900_56,%d,9,64,1,2\ngfx900_56,%d,9,128,1,3\n' $i $i >one.csv
        rm -f one.h
        "$trainer" train timed.spec --data one.csv --epochs 1 -o one.h 2>one.err || break
    done
    [ $i -le 60 ] && [ ! -e one.h ] && grep -q 'no row to train on: the split keeps all .*--split none' one.err
}
check "a split that keeps all" all_kept
sed 's/^teachers .*/&\ndraws = 8/' timed.spec >draws.spec
check "the spec's draws" drawn 500 4000 draws.spec s

loss_line() { sed -n 's/^kpred-train: rowsum: loss: //p' "$1"; }
losses() {
    "$trainer" eval m.h --data rowsum.csv --hits hits >out 2>err && [ "$(sed 1d hits | wc -l)" -eq "$kept" ] || return 1
    sed '1d; s/"[^"]*"//' hits | cut -d, -f5 | while read -r row; do
        IFS=, read -r gpu rows cols threads unroll <<END
$(sed 1d rowsum.csv | sed -n "${row}p")
END
        "$kpred" predict m.h gpu="$gpu" rows="$rows" cols="$cols" -k 9 --csv | awk -F, -v t="$threads" -v u="$unroll" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            NR > 1 && $at["threads"] == t && $at["unroll"] == u { print $at["probability"] }'
    done | awk -v said="$(loss_line m.err)" '
        { bits -= log($1) / log(2); n++ }
        END { split(said, part, ", "); d = bits / n - part[2] + 0; print bits / n, said
              exit !(n > 20 && d < 0.003 && d > -0.003 && part[2] ~ /^[0-9.]+ on those kept for testing; guessing costs 3\.170$/) }'
}
check "the loss on the rows kept, from what kpred predicts" losses
fits_better() { # with more epochs, on what it was trained on
    train -o e.h --split none --epochs 40 2>e.err && [ "$(split_line none e.err)" = "$n_rows rows ($n_rows \
problems) to train on, none kept for testing" ] || return 1
    { loss_line e.err; loss_line m.err; } | awk '{ bits[NR] = $1; print }
        END { exit !(bits[1] > 0 && bits[1] < 0.5 * bits[2] && bits[2] < 3) }' || return 1
    loss_line e.err | grep -qx '[0-9.]* bits a row on the rows that it was trained on; guessing costs 3.170'
}
check "the loss on the rows that it was trained on" fits_better

# next ERR WHAT: runs the command that was told behind it
next() {
    command=$(sed -n "s/^kpred-train: $2: //p" "$1")
    [ -n "$command" ] && sh -c "$command"
}
next_commands() {
    next m.err "how good it is" >out && grep -q "^rowsum  *config  *gfx900_56  *all  *10 " out &&
        next m.err "a prediction" >out && [ "$(grep -c . out)" -ge 4 ] || return 1
    mkdir -p "o d'd" && cp rowsum.csv "o d'd/*.csv" && "$trainer" train rowsum.spec --lenient --data "o d'd/*.csv" \
        --split none --epochs 1 -o "*o.h" 2>odd.err &&
        next odd.err "how well it fits what it was trained on" >out && grep -q "^rowsum  *all  *gfx900_56" out &&
        grep -q -e "--lenient -k 1,10 --rows all$" odd.err && next odd.err "a prediction" >out
}
check "what to type next does work" next_commands
net_of_paper() {
    train --net encdec --epochs 1 -o p.h 2>p.err && loss_line p.err | grep -q " on those kept for testing; " &&
        next p.err "how good it is" >out && ! grep -q "a prediction" p.err
}
check "a network of the paper: loss, and no kpred predict" net_of_paper
device() { train -o /dev/null 2>err && ! grep -q "how good\|a prediction" err && grep -q " loss: " err; }
check "no command for a header that is no file" device
nameless() { train --epochs 1 -o odd 2>err && ! grep -q "how good\|a prediction" err; }
check "no command for a header of another ending" nameless

# ---- warnings ----

# warned SPEC DATA TEXT...: these warnings, and no others
warned() {
    w_spec=$1 w_data=$2; shift 2
    "$trainer" train "$w_spec" --data "$w_data" --epochs 1 --threads 1 -o w.h 2>err || return 1
    for line; do printf 'kpred-train: warning: %s\n' "$line"; done >expected
    grep warning err | diff expected -
}
few="rowsum: 19 rows are few for the 6 values of its parameters: with fewer than some 40, predictions are \
little better than the most frequent tuple"
none="rowsum: no row is kept for testing: eval cannot tell how good it is"
sed '2,$!b; /gfx906/d' rowsum.csv | head -n 20 >few.csv
# A file for each value of unroll: what was best, nobody says
for unroll in 1 2 4; do sed "2,\$s/,[^,]*\$/,$unroll/" rowsum.csv >unroll$unroll.csv; done
all_tuples() {
    "$trainer" train rowsum.spec --data unroll[124].csv --split none --epochs 1 -o w.h 2>err &&
        grep -qF "warning: rowsum: the files give $((3 * n_rows)) different best tuples for $n_rows problems: a table" err &&
        "$trainer" train rowsum.spec --data unroll[12].csv --split none --epochs 1 -o w.h 2>err && ! grep warning err
}
check "a file for each tuple" all_tuples
at() { grep -n "^$1" "$2" | cut -d: -f1; }
same='is the same for all training rows: nothing is learnt from it'
check "few rows, one GPU, one height" warned rowsum.spec few.csv "$few" "$none" \
    "rowsum.spec:$(at 'onehot gpu' rowsum.spec): \"onehot gpu\" and 1 other line of [features]: are the same \
for all training rows: nothing is learnt from them"
sed 's/hats lrows .*/&\nequals rows 99999 1/' rowsum.spec >three.spec
check "few rows, three lines" warned three.spec few.csv "$few" "$none" \
    "three.spec:$(at 'onehot gpu' rowsum.spec): \"onehot gpu\" and 2 other lines of [features]: are the same \
for all training rows: nothing is learnt from them"
head -n 41 rowsum.csv >forty.csv
sed 's/hats lrows 0 1 16/divides rows 8192 2/; s/hats lcols/hats cols/' rowsum.spec >raw.spec
check "a constant, and hats on a raw size" warned raw.spec rowsum.csv \
    "raw.spec:$(at 'hats cols' raw.spec): \"hats cols 4 1 12\": cols is no logarithm: of 12 inputs 0 vary among \
the training rows, by 0 of 127; with \"l = log2 cols\" in [derived], write \"hats l 4 1 12\"" \
    "raw.spec:$(at divides raw.spec | head -n 1): \"divides rows 8192 2\": $same"
sed 's/^lcols .*/&\nlsum = add lrows lcols\nboth = mul rows cols/; s/hats lrows/hats both/
    s/hats lcols 4 1 12/ramp cols 0 2\nhats lsum 0 2 12/' rowsum.spec >mixed.spec
check "a ramp on a size, hats on a product, and on a sum of logarithms" warned mixed.spec rowsum.csv \
    "mixed.spec:$(at 'hats both' mixed.spec): \"hats both 0 1 16\": both is no logarithm: of 16 inputs 16 vary among \
the training rows, by 127 of 127; with \"l = log2 both\" in [derived], write \"hats l 0 1 16\"" \
    "mixed.spec:$(at 'ramp cols' mixed.spec): \"ramp cols 0 2\": cols is no logarithm: of 1 input 1 varies among \
the training rows, by $(awk -F, 'NR > 1 && $3 > m { m = $3 } NR == 2 { l = $3 } $3 < l { l = $3 }
    END { print int(m * 127 / 131072) - int(l * 127 / 131072) }' rowsum.csv) of 127; with \"l = log2 cols\" in [derived], \
write \"ramp l 0 2\""
test_end
