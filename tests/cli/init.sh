#!/bin/sh
# init.sh - a spec from a tuner's files or a plain table, which trains without a change
# SPDX-License-Identifier: MIT
#
# tests/cli/init.py reads the same files with Python, and says what the spec should have.
. tests/harness/script.inc

test_begin
need_trainer "specs made of files"
has_jansson() { grep -q HAVE_JANSSON "$BUILD/libraries"; }
TUNER=$(absolute "${TUNER:-../shared/tuner}")
cd "$tmp" || exit 1

# rule_is LINE COMMAND...: the command succeeds, and this is what it prints, and the spec's last line
rule_is() {
    line="rule: $1"
    shift
    got=$("$@" 2>err) && [ "$got" = "$line" ] && [ "$(tail -n 1 my.spec)" = "# $line" ] && return
    printf '%s\n' "$got"
    cat err
    return 1
}

# trains ARGUMENT...: my.spec as it is, by the command that init told; and it ingests these data
trains() {
    command=$(sed -n 's/^kpred-train: to train it: //p' err)
    ! grep '^rule' my.spec || return 1
    sh -c "$command --epochs 1" 2>train.err || { cat train.err; return 1; }
    "$trainer" ingest my.spec --data "$@" 2>train.err | awk 'END { exit NR < 2 }' || { cat train.err; return 1; }
}

# tells LINE COMMAND...: the command succeeds, and one line that begins so is on standard error
tells() {
    line=$1
    shift
    "$@" >out 2>err && [ "$(grep -cF -e "$line" err)" = 1 ] && return
    cat err
    return 1
}

silent() {
    "$@" >out 2>err && [ ! -s err ] && return
    cat err
    return 1
}

# has_lines LINE...: my.spec has them
has_lines() {
    for line; do grep -qxF -e "$line" my.spec || { echo "there is no \"$line\""; return 1; }; done
}

# ---- the kernels of Kernel Tuner's hub ----

# hub NAME COUNTS FILE...: the spec is as Python says, too
hub() {
    name=$1 counts=$2
    shift 2
    check "$name: $counts" rule_is "$counts" "$trainer" init "$@" --force -o my.spec
    check_with python3 "$name: as Python reads it" python3 "$root/tests/cli/init.py" my.spec "$@"
}

tuner() {
    hub convolution "4362 legal, 4362 measured, 0 unmeasured, 0 illegal" "$TUNER/convolution_milo.T1.json" \
        "$TUNER/convolution_milo.A100.json.gz" "$TUNER/convolution_milo.W6600.json.bz2"
    check "convolution: fields" has_lines "name = convolution_kernel" "format = timed" "shipped = none" \
        "config = problem_size_x,problem_size_y" "problem_size_x = size" "problem_size_y = size"
    check "convolution: it trains" trains "$TUNER/convolution_milo.A100.json.gz"
    check "convolution: a prediction" "$kpred" predict convolution_kernel.h gpu=gfx1032_14 problem_size_x=4096 \
        problem_size_y=4096
    hub dedispersion "11130 legal, 11130 measured, 0 unmeasured, 0 illegal" \
        "$TUNER/dedispersion_milo.A4000.slim.json.bz2" "$TUNER/dedispersion_milo.T1.json"
    hub gemm "116928 legal, 0 measured, 116928 unmeasured, 0 illegal" "$TUNER/gemm_milo.T1.json"
    hub hotspot "82984 legal, 0 measured, 82984 unmeasured, 0 illegal" "$TUNER/hotspot_milo.T1.json"
    check "pnpoly, whose size is too large" rule_is "4092 legal, 0 measured, 4092 unmeasured, 0 illegal" \
        "$trainer" init "$TUNER/pnpoly.T1.json" --gpu A100 --force -o my.spec
    check_with python3 "pnpoly: as Python reads it" python3 "$root/tests/cli/init.py" my.spec "$TUNER/pnpoly.T1.json"
    refuse "pnpoly without a field" 1 'pnpoly.T1.json: says neither a GPU nor' \
        "$trainer" init "$TUNER/pnpoly.T1.json" -o none.spec
    hub T4 "10240 legal, 4362 measured, 5878 unmeasured, 0 illegal" "$TUNER/convolution_milo.A100_T4.json.bz2"
    check "T4: what the difference means is told" grep -q 'the tuner took samples, or there are conditions' err
    check "KTT" rule_is "4092 legal, 4092 measured, 0 unmeasured, 0 illegal" "$trainer" init \
        "$TUNER/ktt.KTPnpolyOutput_3090.json.gz" --fields VERTICES --force -o my.spec
    check "KTT: it trains" trains "$TUNER/ktt.KTPnpolyOutput_3090.json.gz"
    refuse "files of two kernels" 1 'a spec is of one kernel' "$trainer" init \
        "$TUNER/convolution_milo.A100.json.gz" "$TUNER/dedispersion_milo.A4000.slim.json.bz2" -o none.spec
    refuse "files of other parameters" 1 'A6000_original.json.bz2: has no parameter "use_shmem"' "$trainer" init \
        "$TUNER/convolution_milo.A100.json.gz" "$TUNER/convolution_milo.A6000_original.json.bz2" -o none.spec
    refuse "T1 of another kernel" 1 'is not in' "$trainer" init \
        "$TUNER/dedispersion_milo.T1.json" "$TUNER/convolution_milo.A100.json.gz" -o none.spec
}

# ---- files of one's own ----

# cache DEVICE SIZE KERNEL: of a kernel with parameters of all types; every third tuple with bx * vec
# of 256 failed, and others of that product were rejected
cache() {
    printf '{"device_name": "%s", "kernel_name": "%s", "problem_size": [%s],\n' "$1" "$3" "$2"
    printf '"tune_params_keys": ["bx", "vec", "layout", "scale", "lds", "seven"],\n'
    printf '"tune_params": {"bx": [128, 32, 64], "vec": [1, 2, 4], "layout": ["row", "by col"],\n'
    printf '"scale": [1.5, 0.5], "lds": [true, false], "seven": [7]},\n"cache": {\n'
    awk -v size="$2" 'BEGIN {
        for (bx = 32; bx <= 128; bx *= 2) for (vec = 1; vec <= 4; vec *= 2) for (l = 0; l < 2; l++)
        for (s = 0; s < 2; s++) for (d = 0; d < 2; d++) {
            time = size * (2 + l) / bx / vec / 1000 + d / 10 + s / 20; n++
            if (bx * vec > 256) time = "\"InvalidConfig\""
            else if (bx * vec == 256 && n % 3 == 0) time = "\"RuntimeFailedConfig\""
            key = bx "," vec "," (l ? "by col" : "row") "," (s ? "0.5" : "1.5") "," (d ? "True" : "False") ",7"
            printf "%s\"%s\": {\"bx\": %d, \"vec\": %d, \"layout\": \"%s\", \"scale\": %s, \"lds\": %s, " \
                "\"seven\": 7, \"time\": %s}", (n > 1 ? ",\n" : ""), key, bx, vec, (l ? "by col" : "row"),
                (s ? "0.5" : "1.5"), (d ? "true" : "false"), time
        }
        print "}}" }'
}

# t1 CONDITION...: T1 of that kernel
t1() {
    printf '{"ConfigurationSpace": {"TuningParameters": [\n'
    printf '{"Name": "bx", "Type": "int", "Values": "[2**i * 32 for i in range(3)]", "Default": 32},\n'
    printf '{"Name": "vec", "Type": "int", "Values": "%s"},\n' "${VEC:-[1] + list(range(2, 5, 2))}"
    printf "{\"Name\": \"layout\", \"Values\": \"['row', 'by col']\"},\n"
    printf '{"Name": "scale", "Type": "float", "Values": "[1.5, 0.5]"},\n'
    printf '{"Name": "lds", "Type": "bool", "Values": "[True, False]"},\n'
    printf '{"Name": "seven", "Type": "int", "Values": "[7]", "Default": NaN}],\n"Conditions": ['
    for condition; do
        [ "$condition" = "$1" ] || printf ','
        printf '\n{"Parameters": [], "Expression": "%s"}' "$condition"
    done
    printf ']},\n"KernelSpecification": {"KernelName": "axpy", "ProblemSize": [1e3, 20.0]}}\n'
}

no_rule() { ! grep -E '^(\[restrict|rule)' my.spec; }

# all_legal: of the 72 tuples axpy.h predicts the 64 legal ones, and no other
all_legal() {
    "$kpred" predict axpy.h gpu=RTX_A4000 problem_size_x=1000 problem_size_y=20 -k 72 --csv >predicted || return 1
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR > 1 && $at["bx"] * $at["vec"] > 256 { print; bad = 1 } END { exit bad || NR != 65 }' predicted
}

own_json() {
    cache "NVIDIA RTX A4000" "1000, 20" axpy >one.json
    cache "AMD Instinct MI210" "4000, 20" axpy >two.json
    t1 'bx * vec <= 256' 'seven == 7 and lds in (0, 1)' >T1.json
    hub "T1 with two caches" "64 legal, 64 measured, 0 unmeasured, 0 illegal" T1.json one.json two.json
    check "parameters of all types" has_lines 'bx = 32 64 128' 'vec = 1 2 4' 'layout = row "by col"' \
        'scale = "1.5" "0.5"' 'lds = 0 1' 'seven = 7'
    check "names for GPUs that no file has" has_lines "gpu = RTX_A4000 gfx90a68 amd nvidia" "[unseen]" \
        "amd = gfx90a68" "nvidia = RTX_A4000"
    check "two problems are few" has_lines "config = problem_size_x,problem_size_y" "shipped = none"
    check "what is the same in all files is told" has_lines "#     problem_size_y = 20"
    check "and does not count as a feature" sh -c '! grep -q "hats.*size_y" my.spec && grep -q "hats.*size_x" my.spec'
    cp my.spec other.spec
    check "it trains as it is" trains one.json two.json
    "$trainer" init two.json T1.json one.json --force -o my.spec >out 2>&1
    check "the order of the files does not matter" cmp my.spec other.spec
    check "its rule holds for what is predicted" all_legal

    hub "caches alone" "72 legal, 64 measured, 8 unmeasured, 0 illegal" one.json two.json
    check "caches alone: no rule" no_rule
    printf '[restrict]\nbx * vec <= 256\n' >>my.spec
    "$trainer" train my.spec --data one.json two.json --split none --epochs 2 -o axpy.h 2>train.err
    check "caches alone, with [restrict] at the end" all_legal

    t1 'bx * vec <= 128' >T1.json
    hub "a condition too much" "48 legal, 64 measured, 0 unmeasured, 16 illegal" T1.json one.json
    check "a condition too much is told" grep -q '16 measured tuples find' err
    t1 >T1.json
    hub "T1 without conditions" "72 legal, 64 measured, 8 unmeasured, 0 illegal" T1.json one.json
    check "T1 without conditions: no rule" no_rule
    VEC='[1, 2]' t1 'bx * vec <= 256' >T1.json
    hub "values that T1 does not have" "48 legal, 64 measured, 0 unmeasured, 16 illegal" T1.json one.json
    check "values that T1 does not have are told" grep -q 'one.json: vec: .* are not among those of T1.json: 4:' err
    t1 'bx * vec <= 256' >T1.json
    check "T1 alone" rule_is "64 legal, 0 measured, 64 unmeasured, 0 illegal" "$trainer" init T1.json --force -o my.spec
    check "T1 alone: features of all fields" grep -q 'hats.*size_y' my.spec

    for slip in 'bx * 2~: is a number that is never 0, and no comparison: it rejects nothing' 'True~: is true for all' \
        'bx > 4~: is true for all tuples: it rejects nothing' 'bx == 48~: bx never has the value 48' 'bx~: is a number' \
        'bx == 48~: is false for all tuples: no tuple is legal' 'vec in (1, 3)~: vec never has the value 3' \
        'bx % 64~: is a number, and no comparison: it rejects what makes it 0' \
        'problem_size_x > bx or 0 == problem_size_y~: problem_size_y never has the value 0'; do
        t1 'lds or bx < 64' "${slip%~*}" >T1.json
        check "a slip: ${slip%~*}" tells "kpred-train: T1.json:10: ${slip%~*}${slip#*~}" "$trainer" init T1.json --force -o my.spec
    done
    t1 'bx > 32' 'vec > 2' 'bx * vec <= 128' 'lds == True' >T1.json
    check "no tuple is legal" tells \
        'kpred-train: T1.json:11: bx * vec <= 128: no tuple is legal, with the conditions before it' \
        "$trainer" init T1.json --force -o my.spec
    t1 'lds or not lds and bx * vec <= 256' 'bx > 32 and layout == row' >T1.json
    check "no slip, no word" silent "$trainer" init T1.json --force -o my.spec

    # The rule depends on the problem: each has its own tuples.
    t1 'bx <= vec * 32' >T1.json
    check "a parameter as a field, and in a condition" rule_is \
        "48 legal, 64 measured, 8 unmeasured, 24 illegal" "$trainer" init T1.json one.json --fields vec --force -o my.spec
    check "a parameter as a field" has_lines "vec = size" "config = problem_size_x,problem_size_y,vec"

    all_forms >forms.json
    check "all forms of values" "$trainer" init forms.json --gpu A100 --force -o my.spec
    check_with python3 "all forms of values, beside Python" python3 "$root/tests/cli/init.py" my.spec forms.json

    sed 's/"device_name": "[^"]*", //; s/"problem_size": [^]]*], *//' one.json >none.json
    refuse "neither GPU nor size" 1 'none.json: says neither' "$trainer" init none.json -o none.spec
    check "--gpu and --set" rule_is "72 legal, 64 measured, 8 unmeasured, 0 illegal" \
        "$trainer" init none.json --gpu "NVIDIA A100" --set kind=fast n=12 --force -o my.spec
    check "--gpu and --set: fields" has_lines "gpu = A100" "kind = fast" "n = size" "config = kind,n"
    check "--gpu and --set: it trains" trains none.json --gpu A100 --set kind=fast n=12
    refuse "a size that one file has not" 1 'none.json: has no "problem_size_x", as one.json does: --set' \
        "$trainer" init one.json none.json --gpu A100 -o none.spec
    refuse "a GPU that one file has not" 1 'none.json: names no GPU, as one.json does' "$trainer" init \
        one.json none.json --set problem_size_x=1 problem_size_y=2 -o none.spec
}

# What a list of values may be, each for a parameter; Python's eval says what it means.
all_forms() {
    printf '{"ConfigurationSpace": {"TuningParameters": ['
    n=0
    for values in '[3, 1, 2, 1]' '(4, 5)' '[2**i for i in range(0, 6)]' '[32 * i for i in range(1, 32)]' \
        '[1] + [2 * i for i in range(1, 11)]' '[1, 2, 4] + list(range(32, 1024+1, 32))' 'range(10, 0, -3)' \
        'list(range(3)) + list((7, 9))' '[-7 // 2, -7 % 3, 7 % -3, 7 // -2]' '[-2 ** 2, 2 ** 3 ** 2, (2 + 3) * 4 - 1]' \
        '[i for i in [3, 5, 8]]' '[(i + 1) ** 2 % 7 for i in range(6)]' '[ - i for i in list(range(2, 9, 2)) ]' \
        '[0.5, 2.25, 1e-3, -4]' "['a', 'b c', 'True']" '[True, False]' '[10 - 2 - 3 + 1]'; do
        [ $n = 0 ] || printf ','
        n=$((n + 1))
        printf '\n{"Name": "p%d", "Values": "%s"}' $n "$values"
    done
    printf '],\n"Conditions": []}}\n'
}

# no_file NAME STATUS TEXT COMMAND...: refused, and nothing is written
no_file() {
    rm -f none.spec
    refuse "$@"
    [ ! -e none.spec ] || failed "$1" "none.spec is there"
}

bad_json() {
    for bad in '[1, 2~5' '[1 2]~3' '[2**i for j in range(3)]~4' '[1/2]~2' 'lambda: 3~0' \
        '[i for i in range(9999)]~23' '[2**99]~6' '[]~2' '3~0' '[1] + 2~6' '[(1]~3' '[1]]~3'; do
        VEC=${bad%~*} t1 >bad.json
        no_file "Values: ${bad%~*}" 1 "bad.json:3:$((43 + ${bad##*~})): values of vec: " \
            "$trainer" init bad.json -o none.spec
    done
    t1 'bx * vec <= 256' 'bx & 3 == 0' >bad.json
    no_file "a condition in other words than [restrict]'s" 1 'bad.json:10:38: [restrict]: this sign' \
        "$trainer" init bad.json -o none.spec
    t1 'lds in (0,0.5)' >bad.json
    no_file "a condition with a fraction" 1 'bad.json:9:45: [restrict]: decimal fractions' \
        "$trainer" init bad.json -o none.spec
    t1 'bx * vector <= 256' >bad.json
    no_file "a condition with an unknown name" 1 'bad.json:9:' "$trainer" init bad.json -o none.spec
    sed 's/"vec"/"bx"/' T1.json >bad.json
    no_file "a parameter twice" 1 'bad.json:3:1: there is already a parameter "bx"' \
        "$trainer" init bad.json -o none.spec
    sed '/"vec", "Type"/d' T1.json >bad.json
    no_file "T1 without a parameter of the data" 1 'one.json: parameter "vec": is not in bad.json' \
        "$trainer" init bad.json one.json -o none.spec
    sed 's/{"Name": "vec"/{"Name": "other", "Values": "[1, 2]"},\n&/' T1.json >bad.json
    no_file "T1 with a parameter that the data lack" 1 'bad.json: parameter "other": is not in one.json' \
        "$trainer" init bad.json one.json -o none.spec
    sed 's/"vec"/"width"/g' one.json >bad.json
    no_file "data with other parameters" 1 'one.json: has no parameter "width", which has 3 values in bad.json' \
        "$trainer" init bad.json one.json -o none.spec
    head -c 200 T1.json >bad.json
    no_file "T1 cut" 1 'bad.json:3:' "$trainer" init bad.json -o none.spec
    no_file "two T1" 1 'is a T1 input, as T1.json is' "$trainer" init T1.json bad.json T1.json -o none.spec
    head -n 1 one.json >bad.json
    no_file "JSON of nothing" 1 'bad.json' "$trainer" init bad.json -o none.spec
    sed 's/by col/by \\"col/g' one.json >bad.json
    no_file "a value that no spec can have" 1 'layout: value' "$trainer" init bad.json -o none.spec
    no_file "a field that is not there" 1 '--fields: there is no parameter "vect"; did you mean vec' \
        "$trainer" init one.json --fields vect -o none.spec
    no_file "a name that is none" 1 '--name: value "a b": is no identifier' \
        "$trainer" init one.json --name "a b" -o none.spec
    cp one.json kept.json
    refuse "the output is an input" 1 'would overwrite FILE' "$trainer" init one.json -o one.json
    check "the input stays" cmp one.json kept.json
}

# ---- plain tables ----

# table: two GPUs, 24 problems, 8 tuples
table() {
    awk 'BEGIN { print "gpu,rows,cols,dtype,block_x,unroll,mode,time_us,gflops"
        for (g = 0; g < 2; g++) for (r = 64; r <= 512; r *= 2) for (c = 1; c <= 7; c += 3) for (d = 0; d < 2; d++)
        for (b = 32; b <= 128; b *= 2) for (u = 1; u <= 4; u *= 2) if (b * u <= 256)
            printf "%s,%d,%d,%s,%d,%d,%s,%.4f,%.3f\n", (g ? "gfx906_60" : "gfx90a68"), r, c * 64,
                (d ? "FP16" : "FP32"), b, u, (b > 64 ? "fast" : "very slow"), r * c / b + u * (1 + g), b / 7 }'
}

with_sign() { sed "s/,/$1/g" table.csv; }

plain_tables() {
    table >table.csv
    cp table.csv 'a table.csv'
    no_file "a table without --fields" 1 \
        "a guess: kpred-train init 'a table.csv' --fields rows,cols,dtype -o none.spec" \
        "$trainer" init 'a table.csv' -o none.spec
    check "a table" rule_is "18 legal, 8 measured, 10 unmeasured, 0 illegal" \
        "$trainer" init table.csv --fields rows,cols,dtype --force -o my.spec
    check "a table: its spec" has_lines "name = table" "format = timed" "gpu = gfx906_60 gfx90a68 gcn cdna amd" "rows = size" \
        "dtype = FP16 FP32" "block_x = 32 64 128" "unroll = 1 2 4" 'mode = "very slow" fast' \
        "config = rows,cols,dtype" "shipped = config"
    check "a table: no rule" no_rule
    check "a table: the measurement is told" grep -q 'table.csv:1: column "gflops": is a measurement' err
    check "a table: it trains" trains table.csv
    bzip2 -k table.csv
    cp my.spec other.spec
    check_with bzip2 "a packed table" "$trainer" init table.csv.bz2 --fields rows,cols,dtype --force -o my.spec
    check "a packed table has the same spec" cmp my.spec other.spec
    { printf '\357\273\277'; sed 's/very slow/"very slow"/; s/$/\r/' table.csv; } >bom.csv
    "$trainer" init bom.csv --name table --fields rows,cols,dtype --force -o my.spec >out 2>&1
    check "a table with a byte order mark, quotes and CRLF" cmp my.spec other.spec
    awk -v OFS=, '{ print (NR > 1 ? NR - 2 : ""), $0 }' table.csv >pandas.csv
    "$trainer" init pandas.csv --name table --fields rows,cols,dtype --force -o my.spec >out 2>&1
    check "a table of pandas, with a column of row numbers" cmp my.spec other.spec
    check "a table of pandas: its rows" "$trainer" ingest my.spec --data pandas.csv -o rows.csv
    cut -d, -f2- rows.csv >plain.csv && mv plain.csv rows.csv
    check "GPUs in several spellings" spelled_gpus
    check "two names of one chip are told" chips_told
    check "a token that is a product's name" product_token
    check "files named after GPUs" named_files
    sed '1s/rows/size_x/; 1s/unroll/tile_x/' table.csv >tiles.csv
    "$trainer" init tiles.csv --fields size_x,cols,dtype --force -o my.spec >out 2>&1
    check "tiles that are products of parameters" has_lines "fraction size_x 128" "fraction size_x 256" \
        "fraction size_x 512"
    cut -d, -f1-7 table.csv | awk -F, '!seen[$1, $2, $3, $4]++' >best.csv
    check "the best tuples" rule_is "1 legal, 1 measured, 0 unmeasured, 0 illegal" \
        "$trainer" init best.csv --fields rows,cols,dtype --force -o my.spec
    check "the best tuples: its spec" has_lines "format = csv" "block_x = 32"
    cut -d, -f5-8 table.csv | head -9 >one.csv
    check "a table of one problem" "$trainer" init one.csv --set n=12 --force -o my.spec
    cut -d, -f2-8 table.csv >2080.csv
    check "a number in the file's name is no GPU" "$trainer" init 2080.csv --fields rows,cols,dtype --force -o my.spec
    check "a number in the file's name: its spec" sh -c '! grep "^gpu" my.spec'
    cut -d, -f1-7 table.csv >several.csv
    printf 'gpu,n,p\nMI50,1,1\nAMD_Instinct_MI50,1,2\n' >two.csv
    no_file "two tuples for one GPU in two spellings" 1 'two.csv:3: is a second row of one problem' \
        "$trainer" init two.csv --fields n -o none.spec
    no_file "two tuples without a time" 1 'several.csv:3: is a second row of one problem' \
        "$trainer" init several.csv --fields rows,cols,dtype -o none.spec
}

# Spellings of two GPUs, of which the first of each becomes the token
spelled_gpus() {
    awk -F, -v OFS=, 'BEGIN { n = split("gfx90a68|AMD_Instinct_MI210_OAM| gfx90a_104 |AMD Instinct MI210 VF", a, "|")
            split("NVIDIA A100-PCIE-40GB|A100-PCIE-40GB|NVIDIA_A100-PCIE-40GB|nvidia a100-pcie-40gb", b, "|") }
        NR > 1 { $1 = $1 == "gfx90a68" ? a[NR % n + 1] : b[NR % n + 1] } { print }' table.csv >spelled.csv
    "$trainer" init spelled.csv --name table --fields rows,cols,dtype --force -o my.spec >out 2>err &&
        ! grep "one chip" err && has_lines "gpu = NVIDIA_A100-PCIE-40GB gfx90a_104 amd nvidia" &&
        "$trainer" ingest my.spec --data spelled.csv | cut -d, -f2- | cmp rows.csv -
}
# A token that is a product's name has that product's units, and is found by other names of it.
product_token() {
    sed 's/gfx90a68/AMD_Radeon_R9700/; s/gfx906_60/A100-PCIE-40GB/' table.csv >r.csv
    "$trainer" init r.csv --fields rows,cols,dtype --force -o my.spec >out 2>err && trains r.csv || return 1
    "$kpred" models r.h --json >out && "$kpred" predict r.h gpu=gfx1201_32 rows=64 cols=64 dtype=FP32 >predicted &&
        grep -qF '"gpu": "AMD_Radeon_R9700", "arch": "gfx1201", "units": 32, "compute_units": 64' out &&
        grep -qF '"gpu": "A100-PCIE-40GB", "arch": "", "units": 0, "compute_units": 0' out
}
# Files that are named after two cards of one chip
named_files() {
    cut -d, -f2- table.csv >NVIDIA_A100-PCIE-40GB.csv && sed 2d NVIDIA_A100-PCIE-40GB.csv >A100-SXM4-80GB_mine.csv &&
        "$trainer" init NVIDIA_A100-PCIE-40GB.csv A100-SXM4-80GB_mine.csv --name table --fields rows,cols,dtype \
            --force -o my.spec >out 2>err && has_lines "gpu = A100-SXM4-80GB NVIDIA_A100-PCIE-40GB nvidia" &&
        "$trainer" ingest my.spec --data A100-SXM4-80GB_mine.csv 2>/dev/null | cut -d, -f1 | uniq >gpus &&
        printf 'gpu\nA100-SXM4-80GB\n' | cmp - gpus
}
# Two names of one chip that may be two GPUs: both commands tell
chips_told() {
    sed 's/gfx90a68/NVIDIA A100/; s/gfx906_60/A100-PCIE-40GB/' table.csv >chips.csv
    told="gpu: A100 and A100-PCIE-40GB: GPUs of one chip"
    "$trainer" init chips.csv --fields rows,cols,dtype --force -o my.spec >out 2>err && grep -qF "$told" err &&
        "$trainer" ingest my.spec --data chips.csv 2>err >out && grep -qF "$told" err
}

# bad_table NAME TEXT: bad.csv is refused
bad_table() {
    no_file "$1" 1 "$2" "$trainer" init bad.csv --fields rows,cols,dtype -o none.spec
}

bad_tables() {
    for sign in ';' '\t'; do
        with_sign "$sign" >bad.csv
        bad_table "cells between \"$sign\"" 'bad.csv:1:4: commas separate'
    done
    no_file "a column that is not there" 1 'table.csv:1: --fields: there is no column "row"; did you mean rows' \
        "$trainer" init table.csv --fields row -o none.spec
    sed '3s/,[^,]*$//' table.csv >bad.csv
    bad_table "a short row" 'bad.csv:3: the row has 8 cells, the header has 9'
    sed '3s/^/x,/' table.csv >bad.csv
    bad_table "a long row" 'bad.csv:3: the row has 10 cells'
    sed '3s/64/6 4/' table.csv >bad.csv
    bad_table "a size that is none" 'bad.csv:3: rows: value "6 4"'
    sed '3s/,64/,/' table.csv >bad.csv
    bad_table "an empty cell" 'bad.csv:3: rows: the cell is empty'
    sed '3s/very slow/"a\nb"/' table.csv >bad.csv
    bad_table "a quoted newline" 'bad.csv:3: mode: value'
    sed '5s/gfx90a68/17/' table.csv >bad.csv
    bad_table "a GPU that is no name" 'bad.csv:5: gpu: value "17"'
    sed 's/time_us/time/' table.csv >bad.csv
    bad_table "a time without its unit" 'column "time": is a measurement: call the column of times time_us'
    for word in '' failed TimeOut inf -nan - N/A "out of memory"; do
        for name in kernelTime,is "result,has too"; do
            awk -F, -v OFS=, -v word="$word" -v name="${name%,*}" '
                { $8 = NR == 1 ? name : NR % 9 ? $8 + NR / 1000 : word } 1' table.csv | cut -d, -f1-8 >bad.csv
            bad_table "times called ${name%,*}, failures \"$word\"" "column \"${name%,*}\": ${name#*,} "
        done
        awk -F, -v OFS=, -v word="$word" 'NR % 9 == 2 { $9 = word } 1' table.csv >words.csv
        "$trainer" init words.csv --name table --fields rows,cols,dtype --force -o my.spec >out 2>&1
        check "speeds, failures \"$word\"" cmp my.spec other.spec
    done
    awk -F, -v OFS=, '{ print $0, (NR > 1 ? NR / 8 : "alpha") }' table.csv >bad.csv
    bad_table "a column of fractions" 'column "alpha": has'
    check "--ignore" "$trainer" init bad.csv --fields rows,cols,dtype --ignore alpha --force -o my.spec
    awk -F, -v OFS=, '{ print $0, (NR > 1 ? NR : "number") }' table.csv >bad.csv
    bad_table "too many values" 'column "number": has 384 values, a parameter has at most 128'
    sed '1s/unroll/un roll/' table.csv >bad.csv
    bad_table "a column whose name is none" 'column "un roll": is no name'
    cp table.csv copy.csv
    no_file "a file twice" 1 'copy.csv: the same data as table.csv: given twice' \
        "$trainer" init table.csv copy.csv --fields rows,cols,dtype -o none.spec
    no_file "a time for a field" 1 'table.csv:1: --fields: column "time_us" is the time' \
        "$trainer" init table.csv --fields rows,time_us -o none.spec
    awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "time_us") t = i }
        NR == 3 { $t = $t "us" } 1' table.csv >bad.csv
    bad_table "a time that is none" 'bad.csv:3: time_us: value'
    head -n 1 table.csv >bad.csv
    no_file "a header alone" 1 'there is no row below the header' "$trainer" init bad.csv --fields rows -o none.spec
    no_file "a file of another kind" 1 'ends in neither .csv nor .json' "$trainer" init my.spec -o none.spec
    no_file "a file that is not there" 1 'nowhere.csv' "$trainer" init nowhere.csv --fields rows -o none.spec
    refuse "no file" 2 'FILE is missing' "$trainer" init -o none.spec
    refuse "no output" 2 '-o is missing' "$trainer" init table.csv
    no_file "--set for the GPU" 1 '--gpu says what the GPU is' "$trainer" init table.csv --set gpu=A100 -o none.spec
    no_file "--set twice" 1 'set n: is given twice' "$trainer" init table.csv --set n=1 n=2 -o none.spec
    refuse "an output that cannot be written" 1 'nowhere/none.spec' "$trainer" init table.csv -o nowhere/none.spec
    no_file "--set without a value" 1 'is not of the form NAME=VALUE' "$trainer" init table.csv --set rows -o none.spec
}

plain_tables
bad_tables
if has_jansson; then
    own_json
    bad_json
    if [ -r "$TUNER/convolution_milo.T1.json" ]; then tuner; else skipped "the hub's kernels" "there is no $TUNER"; fi
else
    t1 >T1.json
    no_file "T1 without libjansson" 1 'libjansson-dev' "$trainer" init T1.json --gpu A100 -o none.spec
    skipped "other tuners' files" "libjansson is missing"
fi
test_end
