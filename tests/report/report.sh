#!/bin/sh
# report.sh - `make report`: figures of the document against sums of the test's own, what is missing
# is said, what is wrong is refused; and measure.sh on a few rows
# SPDX-License-Identifier: MIT
. tests/harness/script.inc

BUILD=$(absolute "$BUILD")
trainer=$BUILD/kpred-train
export PYTHONDONTWRITEBYTECODE=1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

if ! has python3; then
    skipped "tools/report" "needs python3"
    test_end
    exit
fi

# ---- measurements made up ----

# Two kernels, the second with two networks of the paper and the chain, and one that the paper does not
# judge; keys are DTYPE,N.
mkdir "$tmp/weights" "$tmp/full" "$tmp/full/frontier" "$tmp/full/retuned" "$tmp/full/timed" \
    "$tmp/empty" "$tmp/docs"
for kernel in conv_asm_1x1u:ConvAsm1x1U conv_asm_bwd_wrw_3x3:ConvAsmBwdWrW3x3 \
    conv_asm_3x3u:ConvAsm3x3U; do
    name=${kernel%:*}
    cat >"$tmp/weights/$name.spec" <<END
[kernel]
name = $name
rule = unconstrained
[data]
format = miopen
solver = ${kernel#*:}
filter = 1x1
pad = 0
[fields]
gpu = gfx900_56 gfx906_60
dtype = FP32 FP16
n = size
[params]
tile = 1 2 4
[split]
config = dtype,n
shape = n
[network]
hidden = 48
END
    echo "/* id 0123456789abcdef, 12345 bytes; */" >"$tmp/weights/$name.h"
done
for layout in nn nt tn; do
    printf '[data]\nformat = tensile\n' >"$tmp/weights/gemm_mi100_$layout.spec"
done

python3 - "$tmp/full" <<'END'
import sys
kernels = ["conv_asm_1x1u", "conv_asm_bwd_wrw_3x3"]
folder = sys.argv[1]

def write(name, heading, lines):
    with open(f"{folder}/{name}", "w") as f:
        f.write("\n".join([heading, *(",".join(map(str, x)) for x in lines)]) + "\n")

def hits(name, method, kernel, rate, ks=(1, 3, 10, 30, 50, 100)):
    lines = [(method, kernel, "config", f'"{"FP16" if i % 3 == 0 else "FP32"},{i // 4}"', i, k,
              int((i * rate + k * 5) % 97 < 10 + k * 0.8), 3) for k in ks for i in range(1, 61, 2)]
    write(name, "method,model,split,key,row,k,hit,agree", lines)

for n, kernel in enumerate(kernels):
    write(f"{kernel}.rows.csv", "gpu,dtype,n,tile", [
        ("gfx900_56", "FP16" if i % 3 == 0 else "FP32", i // 4, 1) for i in range(1, 61)])
    hits(f"{kernel}.config.ours.hits.csv", "additive", kernel, 31 + n)
    write(f"{kernel}.config.reliability.csv",
          "model,split,gpu,dtype,k,bin,n,predicted,observed,se,ece",
          [(kernel, "config", "all", "all", 1, "0-10", 20, 5.5, 7, 1, ""),
           (kernel, "config", "all", "all", 1, "all", 30, 12.34, 15.67, 2.1, 3.21)])
    write(f"{kernel}.time.csv", "net,model,beam,ns,ns_min,ns_p95,bytes,arena_words",
          [(net, kernel, beam, ns * beam ** 0.5, 1, 1, size, 9) for beam in (1, 10)
           for net, ns, size in (("additive", 2000, 12345), ("attn", 246000, 777000))])
other = "conv_asm_3x3u"
write(f"{other}.rows.csv", "gpu,dtype,n,tile", [
    ("gfx900_56", "FP16" if i % 3 == 0 else "FP32", i // 4, 1) for i in range(1, 61)])
hits(f"{other}.config.ours.hits.csv", "additive", other, 37)
hits(f"{other}.config.nearest.hits.csv", "nearest+rule", other, 29)
for split, epochs in (("config", 40), ("shape", 60)):
    write(f"{kernels[0]}.{split}.attn.training.csv", "epochs,weights", [(epochs, 1234567)])
last = kernels[1]
hits(f"{last}.config.attn.hits.csv", "attn", last, 17)
hits(f"{last}.config.chain.hits.csv", "chain", last, 19)
hits(f"{last}.config.wide.hits.csv", "wide", last, 23)
write(f"{last}.config.chain.classics.csv",
      "method,model,split,gpu,dtype,k,n,groups,pft,avg,seconds_train,us_predict,bytes",
      [("chain", last, "config", "all", "all", k, 30, 9, 1, 1, 1, 3 * k, 4567890) for k in (1, 10)])
hits(f"frontier/{last}.32-32-16.hits.csv", "additive", last, 41, (1, 10))
write(f"frontier/{last}.time.csv", "net,model,beam,ns,bytes",
      [("shipped", last, 1, 2100, 12345), ("shipped", last, 10, 4100, 12345),
       ("32-32-16", last, 1, 700, 5000), ("32-32-16", last, 10, 900, 5000)])
write("noise.csv", "files,kernel,dtype,dir,what,n,percent,se",
      [("a b", kernels[0], "all", "all", "strict", 50, 9.0, 1),
       ("a b", kernels[0], "all", "all", "retuned", 70, 25.0, 1),
       ("a b", "all", "all", "all", "layers of 3 or more: none differ", 10, 80.0, "-")])
for name, method, rate in (("ours", "additive", 7), ("table", "table", 13)):
    write(f"timed/conv_solver.config.gfx90a6e.{name}.hits.csv",
          "method,model,split,key,row,k,hit,agree,share,unlisted",
          [(method, "conv_solver", "config", f'"F,{i // 3}"', i, k, int(i * rate % 10 < 5 + k), 0,
            1 if i * rate % 10 < 5 + k else (i * rate % 9 + 1) / 10, int(i % 7 == 0))
           for k in (1, 2) for i in range(1, 61)])
for side, tiles, found in (("a", (1, 2, 4, 1), (1, 0, 1, 0)), ("b", (1, 1, 1, 2), (0, 0, 0, 0))):
    write(f"retuned/{kernels[0]}.a+b.{side}.csv", "gpu,dtype,n,tile",
          [("gfx900_56", "FP32", 10 + i, tile) for i, tile in enumerate(tiles)])
    write(f"retuned/{kernels[0]}.a+b.{side}.hits.csv", "method,model,split,key,row,k,hit,agree",
          [("additive", kernels[0], "config", f'"FP32,{10 + i}"', i + 1, 1, hit, hit)
           for i, hit in enumerate(found)])
END

# report FOLDER ARGUMENT...: the document of that folder's measurements; $path: where programs are
path=$PATH
report() {
    folder=$1
    shift
    env PATH="$path" python3 tools/report/report.py "$tmp/$folder" --weights "$tmp/weights" \
        -o "$tmp/docs/accuracy.md" "$@"
}

# has_line TEXT: the document has that line
has_line() {
    grep -qxF -e "$1" "$tmp/docs/accuracy.md" && return
    echo "not there: $1"
    return 1
}

# ---- figures ----

# The definitions of docs/protocol.md once more: share, error over groups, paired difference.
figures() {
    python3 - "$tmp" <<'END'
import csv, sys
tmp = sys.argv[1]
lines = open(f"{tmp}/docs/accuracy.md").read().splitlines()

def outcomes(name, k, dtype):
    return {x["row"]: (x["key"], int(x["hit"])) for x in csv.DictReader(open(f"{tmp}/full/{name}"))
            if x["k"] == str(k) and dtype in x["key"]}

def figure(found):
    n, groups = len(found), {key for key, _ in found.values()}
    p = sum(hit for _, hit in found.values()) / n
    inner = sum((sum(h for k, h in found.values() if k == g)
                 - p * sum(k == g for k, _ in found.values())) ** 2 for g in groups)
    return 100 * p, 100 / n * inner ** 0.5, f"{n} ({len(groups)})"

def gap(a, b):
    value, se, _ = figure({row: (key, hit - b[row][1]) for row, (key, hit) in a.items()})
    return f"{value:+.1f} ± {se:.1f}"

def expect(line):
    assert line in lines, line

kernel = "conv_asm_bwd_wrw_3x3"
ours = {(k, d): outcomes(f"{kernel}.config.ours.hits.csv", k, d)
        for k in (1, 10, 30, 50, 100) for d in ("FP32", "FP16", "")}
for d in ("FP32", "FP16"):
    shares = " | ".join("{:.1f} ± {:.1f}".format(*figure(ours[k, d])) for k in (10, 30, 50, 100))
    expect(f"| ConvAsmBwdWrW3x3 | {d} | ours, `config` | {figure(ours[10, d])[2]} | {shares} |")
    for k in (1, 10):
        attn = outcomes(f"{kernel}.config.attn.hits.csv", k, d)
        expect(f"| ConvAsmBwdWrW3x3 | {d} | {figure(ours[k, d])[2]} | "
               + "{:.1f} ± {:.1f}".format(*figure(ours[k, d])) + " | not measured | "
               + f"{figure(attn)[0]:.1f} ({gap(attn, ours[k, d])})" + " | not measured" * 3 + " |")
other = {k: (outcomes("conv_asm_3x3u.config.ours.hits.csv", k, ""),
             outcomes("conv_asm_3x3u.config.nearest.hits.csv", k, "")) for k in (1, 10)}
expect(f"| ConvAsm3x3U | {figure(other[1][0])[2]} | "
       + " / ".join("{:.1f} ± {:.1f}".format(*figure(own)) for own, _ in other.values()) + " | "
       + " / ".join(f"{figure(near)[0]:.1f}" for _, near in other.values()) + " ("
       + " / ".join(gap(near, own) for own, near in other.values())
       + ") | not measured | not measured |")
chain = {k: outcomes(f"{kernel}.config.chain.hits.csv", k, "") for k in (1, 10, 100)}
expect("| chain | not measured | " + " / ".join(f"{figure(chain[k])[0]:.1f}" for k in chain) + " |")
expect("| chain | not measured | " + " / ".join(gap(chain[k], ours[k, ""]) for k in (1, 10)) + " |")
narrow = {k: outcomes(f"frontier/{kernel}.32-32-16.hits.csv", k, "") for k in (1, 10)}
cells = " | ".join("{:.1f} ± {:.1f} | ".format(*figure(narrow[k])) + gap(narrow[k], ours[k, ""])
                   for k in (1, 10))
expect(f"| ConvAsmBwdWrW3x3 | 32 / 32 / 16 | 5,000 | 0.7 | 0.9 | {cells} |")
wide = {k: outcomes(f"{kernel}.config.wide.hits.csv", k, "") for k in (1, 10)}
cells = " | ".join("{:.1f} ± {:.1f}".format(*figure(wide[k])) + f" ({gap(wide[k], ours[k, ''])})"
                   for k in (1, 10))
expect(f"| ConvAsmBwdWrW3x3 | a wide network | {figure(wide[1])[2]} | {cells} |")
END
}

# Ten of ours beside a hundred of the paper's: 40.91 and 87.27 for ConvAsm1x1U
ten_and_hundred() {
    sed 's/,10,0,/,10,1,/' "$tmp/full/conv_asm_1x1u.config.ours.hits.csv" |
        awk -F, '/,10,1,/ && /FP16/ { sub(/,10,1,/, ",10,0,") } { print }' >"$tmp/hits"
    mkdir "$tmp/ten" && cp "$tmp/full/"*.rows.csv "$tmp/ten" &&
        cp "$tmp/hits" "$tmp/ten/conv_asm_1x1u.config.ours.hits.csv" && report ten &&
        tr '\n' ' ' <"$tmp/docs/accuracy.md" |
        grep -qF "our Pft@10 is above the paper's Pft@100 in \
1 of 2 rows (ConvAsm1x1U FP32; not ConvAsm1x1U FP16)."
}

# All kernels whose networks are all there, together; groups of one are none of another.
pooled() {
    mkdir "$tmp/pooled" || return 1
    cp "$tmp/full/"*.rows.csv "$tmp/full/"*.ours.hits.csv "$tmp/pooled"
    for net in encdec attn attn2 hybrid hybrid2; do
        for kernel in conv_asm_1x1u conv_asm_bwd_wrw_3x3; do
            sed "s/^attn,[^,]*/$net,$kernel/" "$tmp/full/"*.attn.hits.csv \
                >"$tmp/pooled/$kernel.config.$net.hits.csv"
        done
    done
    report pooled && python3 - "$tmp" <<'END'
import csv, sys
tmp, gaps, ours = sys.argv[1], {}, []
for kernel in ("conv_asm_1x1u", "conv_asm_bwd_wrw_3x3"):
    files = [f"{tmp}/pooled/{kernel}.config.{name}.hits.csv" for name in ("ours", "hybrid")]
    hits = [[x for x in csv.DictReader(open(path)) if x["k"] == "10"] for path in files]
    for a, b in zip(*hits):
        gaps.setdefault((kernel, a["key"]), []).append(int(b["hit"]) - int(a["hit"]))
        ours.append(int(b["hit"]))
n = len(ours)
mean = sum(map(sum, gaps.values())) / n
se = 100 / n * sum((sum(g) - mean * len(g)) ** 2 for g in gaps.values()) ** 0.5
cell = f" | {100 * sum(ours) / n:.1f} ({100 * mean:+.1f} ± {se:.1f})"
start, end = f"| 2 kernels | all | {n} ({len(gaps)}) | ", 5 * cell + " |"
lines = open(f"{tmp}/docs/accuracy.md").read().splitlines()
assert sum(x.startswith(start) and x.endswith(end) for x in lines) == 1, start + end
END
}

single_lines() {
    report full || return 1
    no='not measured' ends='From the least end of all brackets to the root of the greatest one'
    times=' | not measured | 246.0 (x 123) | not measured | not measured | not measured'
    has_line "| ConvAsm1x1U | \`0123456789abcdef\` | 12,345 | 30 (25) | not measured |" &&
        has_line "| ConvAsm1x1U | FP32 | paper's own |  | 19.89 | 30.40 | 34.52 | 40.91 |" &&
        has_line "| ConvAsmBwdWrW3x3 | µs, beam 1 | 2.0$times | 3.0 (x 2) |" &&
        has_line "| ConvAsm1x1U | $no | 40 / 60; 1,235 | $no | $no | $no |" &&
        has_line "| ConvAsm1x1U | bytes | 12,345 | $no | 777,000 | $no | $no | $no | $no |" &&
        has_line "| ConvAsm1x1U | config | 1 | 30 | 12.3 | 15.7 ± 2.1 | 3.2 | 4.1 |" &&
        has_line "| ConvAsm1x1U | a | b | 4 (4) | 25.0 ± 21.7 | 50.0 ± 25.0 | 0.0 ± 0.0 |" &&
        has_line "| a and b | 9.0 to 25.0 (50; 70) | not measured |" &&
        has_line "$ends: ConvAsm1x1U 9 to 50 %." &&
        has_line "Copies: not measured." && has_line "Split \`shape\`: not measured."
}

# The same bytes again, whatever order the folder is in, with no trace of where or when
same_again() {
    mkdir "$tmp/again" "$tmp/first" && cp "$tmp/docs/"* "$tmp/first" &&
        cp -R "$tmp/full" "$tmp/again" &&
        for file in $(find "$tmp/again/full" -type f | sort -r); do
            cp "$file" "$tmp/one" && rm "$file" && mv "$tmp/one" "$file"
        done && rm "$tmp/docs/"* && report again/full && diff -r "$tmp/first" "$tmp/docs" &&
        ! grep -rqE "$(uname -n)|$(date +%Y)-|$tmp" "$tmp/docs"
}

# Nothing measured: no figure but the paper's own, and a picture of nothing is not drawn.
nothing_measured() {
    rm -f "$tmp/docs/"* && report empty && ! ls "$tmp/docs/"*.svg 2>/dev/null &&
        ! grep -v '^groups\|^shape' "$tmp/docs/accuracy.md" | grep -E '[0-9] ±' &&
        [ "$(grep -c '^(Plot: not measured.)$' "$tmp/docs/accuracy.md")" -eq 6 ] &&
        [ "$(grep -c '^(Not measured: `make gemm` does it' "$tmp/docs/accuracy.md")" -eq 2 ] &&
        has_line "(Shares, split \`shape\`: not measured.)" &&
        has_line "Split \`config\`: not measured." && has_line "The bracket: not measured." &&
        has_line "Our network at other widths: not measured." &&
        has_line "Float networks: not measured."
}

# The shares of one GPU, of our network and another method, from the same files again
timed() {
    report full || return 1
    python3 - "$tmp" <<'END'
import csv, math, statistics, sys
tmp = sys.argv[1]
lines = open(f"{tmp}/docs/accuracy.md").read().splitlines()

def outcomes(name, k):
    with open(f"{tmp}/full/timed/conv_solver.config.gfx90a6e.{name}.hits.csv") as f:
        return [x for x in csv.DictReader(f) if x["k"] == str(k)]

def mean(of):
    return math.exp(statistics.fmean(math.log(float(x["share"])) for x in of))

def spread(of):  # by hand: what each group adds to the mean of the logarithms
    m = math.log(mean(of))
    return {g: sum(mean(of) * (math.log(float(x["share"])) - m) for x in of if x["key"] == g)
            for g in {x["key"] for x in of}}

def error(groups, n):
    return math.sqrt(sum(v * v for v in groups.values())) / n

ours, own = outcomes("ours", 1), spread(outcomes("ours", 1))
for name, title in (("ours", "kpred"), ("table", "table")):
    one, two = outcomes(name, 1), outcomes(name, 2)
    n, other, shares = len(one), spread(one), sorted(float(x["share"]) for x in one)
    less = "" if name == "ours" else f"{mean(one) - mean(ours):+.4f} ± " \
        f"{error({g: other[g] - own[g] for g in own}, n):.4f}"
    line = (f"| gfx90a6e | {title} | {n} ({len(own)}) | "
            f"{100 * sum(x['hit'] == '1' for x in one) / n:.1f} | "
            f"{mean(one):.4f} ± {error(other, n):.4f} | {less} | {shares[0]:.3f} | {shares[2]:.3f} | "
            f"{100 * sum(x['unlisted'] == '1' for x in one) / n:.1f} | {mean(two):.4f} |")
    assert line in lines, line
END
}

# The shares of GEMM: three shapes of one layout and two of another, two methods, from figures by hand
gemm_folds() { # FOLDER
    rm -rf "$1" && mkdir "$1" || return 1
    heading=method,model,split,key,row,k,hit,agree,share,unlisted
    while read -r layout shape k ours near; do
        for line in "$layout-$shape additive fold:$shape/3 $ours" "$layout-nearest nearest one-out $near"; do
            set -- "$1" $line
            [ -e "$1/$2.csv" ] || echo $heading >"$1/$2.csv"
            echo "$3,gemm_mi100_$layout,$4,$shape,$shape,$k,0,0,$5,0" >>"$1/$2.csv"
        done
    done <<END
nn 0 1 0.5 0.64
nn 1 1 0.9 0.36
nn 2 1 1 0.9
nt 0 1 0.8 0.8
nt 1 1 0.995 0.95
nn 0 4 0.6 0.7
nn 1 4 0.9 0.4
nn 2 4 1 1
nt 0 4 0.9 0.81
nt 1 4 1 1
nn 0 8 0.7 0.7
nn 1 8 0.95 0.5
nn 2 8 1 1
nt 0 8 0.95 0.85
nt 1 8 1 1
END
}

gemm() {
    gemm_folds "$tmp/folds" && report full --gemm "$tmp/folds" || return 1
    python3 - "$tmp/docs/accuracy.md" <<'END'
import random, re, statistics, sys
lines = open(sys.argv[1]).read().splitlines()
ours = {1: (0.5, 0.9, 1, 0.8, 0.995), 4: (0.6, 0.9, 1, 0.9, 1), 8: (0.7, 0.95, 1, 0.95, 1)}
near = {1: (0.64, 0.36, 0.9, 0.8, 0.95), 4: (0.7, 0.4, 1, 0.81, 1), 8: (0.7, 0.5, 1, 0.85, 1)}
mean = statistics.geometric_mean
for layout, part in (("NN", slice(0, 3)), ("NT", slice(3, 5)), ("all", slice(0, 5))):
    n = len(ours[1][part])
    own = "".join(f" {mean(ours[k][part]):.4f} |  |" for k in (1, 4, 8))
    assert f"| {layout} | kpred | {n} |{own}" in lines, own
    line, = (x for x in lines if x.startswith(f"| {layout} | nearest neighbour | {n} |"))
    cells = line.split(" | ")[3:]
    for i, k in enumerate((1, 4, 8)):
        a, b = near[k][part], ours[k][part]
        assert cells[2 * i] == f"{mean(a):.4f}", line
        less, low, high = map(float, re.findall(r"[-+][0-9.]+", cells[2 * i + 1]))
        draws = sorted(mean([a[j] for j in pick]) - mean([b[j] for j in pick])
                       for pick in (random.choices(range(n), k=n) for _ in range(4000)))
        assert abs(less - mean(a) + mean(b)) < 0.0006, line
        assert abs(low - draws[100]) < 0.03 and abs(high - draws[3900]) < 0.03, line
assert "| 1 | kpred | 0.500 | 0.900 | 0 | 1 | 2 | 3 | 2 |" in lines
assert "| 1 | nearest neighbour | 0.360 | 0.800 | 1 | 2 | 3 | 4 | 0 |" in lines
assert not any("| TN |" in x or "XGBoost, own table |" in x for x in lines)
END
}

# Three of the four panels of layouts have something to show, at three k each.
gemm_picture() {
    got="$(marks gemm gpPt6)"
    [ "$got" = 9 ] || { echo "marks: $got"; return 1; }
}

# A shape that one method lacks: the folds are not done
gemm_in_part() {
    gemm_folds "$tmp/part" && rm "$tmp/part/nt-1.csv" && echo old >"$tmp/docs/accuracy.md" &&
        refuses 2 "nearest and additive: not measured on the same shapes" \
            report full --gemm "$tmp/part" && has_line old
}

# ---- plots ----

# marks FILE SYMBOL: how many, but for that of the key
marks() {
    echo $(($(grep -o "<use href='#$2'" "$tmp/docs/accuracy-$1.svg" | wc -l) - 1))
}

# Symbols: filled circle ours, filled triangle chain, filled square nets. Other symbols are made of
# the empty circle and triangle, so these three count right.
pictures() {
    report full || return 1
    got="$(marks config gpPt6) $(marks config gpPt8) $(marks config gpPt4)"
    got="$got $(marks calibration gpPt6) $(marks frontier gpPt6)"
    got="$got $(marks solvers gpPt6) $(marks solvers gpPt8)"
    [ "$got" = "24 12 12 2 4 18 0" ] || { echo "marks: $got"; return 1; }
    [ ! -e "$tmp/docs/accuracy-shape.svg" ] || return 1
    for svg in "$tmp/docs/"*.svg; do
        [ "$(wc -c <"$svg")" -lt 60000 ] && ! grep -E 'xlink|//[^w]' "$svg" &&
            python3 -c 'import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])' "$svg" ||
            return 1
    done
}

# A folder with python3 and nothing else
only() {
    rm -rf "$tmp/only" && mkdir "$tmp/only" &&
        printf '#!/bin/sh\nexec %s "$@"\n' "$(python3 -c 'import sys; print(sys.executable)')" \
            >"$tmp/only/python3" && chmod +x "$tmp/only/python3"
}

no_gnuplot() {
    only && rm -f "$tmp/docs/"* && (path=$tmp/only; report full) 2>"$tmp/err" || return 1
    grep -qF "there is no gnuplot" "$tmp/err" && ! ls "$tmp/docs/"*.svg 2>/dev/null &&
        has_line "(Plot: not drawn.)" && has_line "(Plot: not measured.)" && figures
}

bad_gnuplot() {
    only && printf '#!/bin/sh\necho oh no >&2\nexit 3\n' >"$tmp/only/gnuplot" &&
        chmod +x "$tmp/only/gnuplot" && echo old >"$tmp/docs/accuracy.md" || return 1
    (path=$tmp/only; report full) 2>"$tmp/err"
    [ $? = 1 ] && grep -q "gnuplot failed: oh no" "$tmp/err" && has_line old &&
        ! find "$tmp/docs" -name '.kpred*' | grep .
}

# ---- what is refused ----

# wrong NAME FILE SED-PROGRAM WORDS: status 2, the file and the line named, the document as it was
wrong() {
    rm -rf "$tmp/wrong" && cp -R "$tmp/full" "$tmp/wrong"
    sed "$3" "$tmp/full/$2" >"$tmp/wrong/$2"
    echo old >"$tmp/docs/accuracy.md"
    if cmp -s "$tmp/full/$2" "$tmp/wrong/$2"; then
        failed "$1" "the test changes nothing"
    else
        check "$1" refuses 2 "$4" report wrong
        check "$1: the document is as it was" has_line old
    fi
}

report full >/dev/null 2>&1
check "figures" figures
check "figures of single lines" single_lines
check "figures of all kernels together" pooled
check "ten of ours, a hundred of the paper's" ten_and_hundred
check "shares of timed data" timed
check "nothing measured" nothing_measured
check "shares of GEMM" gemm
if has gnuplot; then
    check "shares of GEMM: the picture" gemm_picture
else
    skipped "shares of GEMM: the picture" "there is no gnuplot (gnuplot-nox)"
fi
check "shares of GEMM: in part" gemm_in_part
rm -f "$tmp/docs/"*
if has gnuplot; then
    check "pictures" pictures
    check "the same again" same_again
else
    skipped "pictures" "there is no gnuplot (gnuplot-nox)"
fi
check "no gnuplot" no_gnuplot
check "gnuplot fails" bad_gnuplot

ours=conv_asm_bwd_wrw_3x3.config.ours.hits.csv
wrong "hits: a cell missing" $ours '5s/,[^,]*$//' "$ours:5: "
wrong "hits: not 0 or 1" $ours '7s/,[01],3$/,2,3/' "$ours:7: "
wrong "hits: a row twice" $ours \
    '2{p;s/,0,3$/,1,3/;t;s/,1,3$/,0,3/}' "$ours:3: row 1 of method"
wrong "hits: a key that is not the row's" $ours \
    's/"FP32,0",1,/"FP32,9",1,/' 'row 1 with key "FP32,9"'
wrong "hits: fewer rows than ours" conv_asm_bwd_wrw_3x3.config.attn.hits.csv '2d' \
    "attn and additive: not measured on the same rows"
wrong "hits: a kernel without a spec" conv_asm_1x1u.config.ours.hits.csv 's/conv_asm_1x1u/other/' \
    'kernel "other": there is no spec'
wrong "rows: a cell missing" conv_asm_1x1u.rows.csv '9s/,1$//' "conv_asm_1x1u.rows.csv:9: 3 cells"
wrong "reliability: a column missing" conv_asm_1x1u.config.reliability.csv 's/observed/seen/' \
    "conv_asm_1x1u.config.reliability.csv:1: there is no column observed"
wrong "reliability: not a number" conv_asm_1x1u.config.reliability.csv '3s/12.34/much/' \
    'conv_asm_1x1u.config.reliability.csv:3: predicted "much"'
wrong "times: a cell too many" conv_asm_1x1u.time.csv '4s/$/,1/' "conv_asm_1x1u.time.csv:4: 9 cells"
wrong "training: not a number" conv_asm_1x1u.config.attn.training.csv '2s/40/long/' \
    'conv_asm_1x1u.config.attn.training.csv:2: epochs "long"'
timed=timed/conv_solver.config.gfx90a6e.ours.hits.csv
wrong "shares: more than all" $timed '4s/,[^,]*,\([01]\)$/,1.5,\1/' "$timed:4: "
wrong "shares: a problem missing" $timed '2d' "gfx90a6e: table and ours: not measured on the same"
wrong "retuned: another problem" retuned/conv_asm_1x1u.a+b.b.csv '3s/11/12/' \
    "retuned/conv_asm_1x1u.a+b.a.csv: there is no other file"
wrong "noise: not a number" noise.csv '2s/9.0/none/' 'noise.csv:2: percent "none"'
check "no such folder" refuses 2 "none: there is no such folder" report none
echo "{{lottery}}" >"$tmp/template"
check "no such section" refuses 2 "template:1: {{lottery}}" report full --template "$tmp/template"
check "a folder that is not there to write into" refuses 1 "No such file" \
    report full -o "$tmp/nowhere/accuracy.md"

# ---- measure.sh ----

need_trainer "measure.sh"
sample_databases

# A tree of its own, in which a network of one epoch is the shipped one
kernel=conv_asm_1x1u
tree=$tmp/tree
mkdir -p "$tree/weights" "$tree/build" "$tree/docs"
for file in tools kpred.h kpred_constraints.h; do ln -s "$PWD/$file" "$tree/$file"; done
ln -s "$trainer" "$tree/build/kpred-train"
cat >"$tmp/short.awk" <<'END'
/^\[network\]/ { print; print "encoder1 = 16\nencoder2 = 16\nhidden = 16\nepochs = 1"
                 print "rounded_epochs = 1\nteachers = 0\npaper_cells = 16"; exit }
{ print }
END
awk -f "$tmp/short.awk" weights/$kernel.spec >"$tree/weights/$kernel.spec"

# Methods that it can run here
methods=
for python in python3 /usr/bin/python3; do
    if $python -c "import numpy" 2>/dev/null; then methods=nearest; fi
done
[ -n "$methods" ] || skipped "measure.sh: classics" "needs python3-numpy"

# measure VARIABLE=VALUE...: in the tree
measure() {
    (cd "$tree" && env NETS=encdec METHODS="$methods" WIDTHS=32-16-16 EPOCHS=1 "$@" \
        sh tools/report/measure.sh build "$tmp/gfx900_56.db" "$tmp/gfx906_60.db")
}

shipped() {
    cd "$tree" && "$trainer" train weights/$kernel.spec --data "$tmp/gfx900_56.db" \
        "$tmp/gfx906_60.db" -o weights/$kernel.h
}

measures() {
    if ! (shipped && measure SPLITS=config) 2>"$tmp/err"; then
        cat "$tmp/err"
        return 1
    fi
    grep -q "no text perf-dbs" "$tmp/err" || return 1
    for file in $kernel.rows $kernel.config.ours.hits $kernel.config.reliability \
        $kernel.config.encdec.hits $kernel.config.wide.hits \
        ${methods:+$kernel.config.nearest.hits $kernel.config.nearest.classics} \
        $kernel.config.encdec.training $kernel.time frontier/$kernel.32-16-16.hits frontier/$kernel.time; do
        [ -s "$tree/build/report/$file.csv" ] || { echo "$file is not there"; return 1; }
    done
    [ "$(cut -d, -f1,3 "$tree/build/report/$kernel.time.csv" | tr '\n' ' ')" = \
        "net,beam additive,1 additive,10 encdec,1 encdec,10 " ]
}

# The second time there is nothing to do; a newer header is measured again, and nothing else is.
only_what_is_new() {
    measure SPLITS=config 2>"$tmp/err" || return 1
    grep -v 'no text' "$tmp/err" && return 1
    sleep 1
    touch "$tree/build/paper/config/$kernel-encdec.h"
    measure SPLITS=config 2>"$tmp/err" || return 1
    grep -v 'no text' "$tmp/err" >"$tmp/said"
    printf 'report: %s\n' $kernel.config.encdec.hits $kernel.time | diff - "$tmp/said"
}

# The document is of the rows that `kpred-train eval` counts.
document() {
    (cd "$tree" && python3 tools/report/report.py build/report) || return 1
    n=$("$trainer" eval "$tree/weights/$kernel.h" --data "$tmp/gfx900_56.db" "$tmp/gfx906_60.db" \
        --by all --csv 2>/dev/null | sed -n 2p | cut -d, -f6)
    grep -qE "^\| ConvAsm1x1U \| .[0-9a-f]{16}. \| [0-9,]+ \| $n \(" "$tree/docs/accuracy.md" &&
        grep -q "32 / 16 / 16" "$tree/docs/accuracy.md" &&
        grep -q "16 / 16 / 16, shipped" "$tree/docs/accuracy.md"
}

# Two text perf-dbs beside the others: eight layers, of which the one that is a test row was tuned
# again, forward with the same result
text_databases() {
    python3 - "$tmp" <<'END' || return 1
import bz2, sys
rest = "0x0-1x1-1x1-0-NCHW-FP32"
for run, tiles in (("a", ("1,16,1", "1,16,1")), ("b", ("1,16,1", "2,16,2"))):
    lines = []
    for n in (1, 2, 3, 4, 5, 6, 7, 9):
        forward, backward = tiles if n == 9 else ("1,16,1", "1,16,1")
        lines.append(f"64-14-14-1x1-128-14-14-{n}-{rest}-F=ConvAsm1x1U:{forward},64,1,1,1,1\n")
        lines.append(f"128-14-14-1x1-64-14-14-{n}-{rest}-B=ConvAsm1x1U:{backward},64,1,1,1,1\n")
    with bz2.open(f"{sys.argv[1]}/gfx900_56-{run}.cd.pdb.txt.bz2", "wt") as f:
        f.writelines(lines)
END
    measure SPLITS=config NETS= METHODS= WIDTHS= && [ -s "$tree/build/report/noise.csv" ] &&
        (cd "$tree" && python3 tools/report/report.py build/report) &&
        grep "^| ConvAsm1x1U | gfx900_56-a | gfx900_56-b | 1 (1) | 100.0 ± 0.0 | " \
            "$tree/docs/accuracy.md"
}

# The other split: our network is trained for it first.
other_split() {
    measure SPLITS=shape NETS= METHODS= WIDTHS= && [ -s "$tree/build/shape/$kernel.h" ] &&
        [ -s "$tree/build/report/$kernel.shape.ours.hits.csv" ]
}

# A method that cannot run says so, leaves no file, and the rest goes on.
cannot_run() {
    measure SPLITS=config METHODS=default DEFAULTS=none.py 2>"$tmp/err" &&
        grep -q "skip default: needs --defaults" "$tmp/err" &&
        ! find "$tree/build/report" -name '*default*' | grep .
}

# What fails leaves no half of a file.
breaks() {
    rm -f "$tree/build/report/"* "$tree/build/kpred-train" 2>/dev/null
    printf '#!/bin/sh\necho half\nexit 1\n' >"$tree/build/kpred-train"
    chmod +x "$tree/build/kpred-train"
    measure SPLITS=config >/dev/null 2>&1 && return 1
    ! ls "$tree/build/report/"*.csv 2>/dev/null
}

check "measure.sh" measures
check "measure.sh: only what is new" only_what_is_new
check "the document of what it measured" document
if [ -n "$methods" ]; then check "measure.sh: a method that cannot run" cannot_run; fi
check "measure.sh: the other split" other_split
check "measure.sh: text perf-dbs" text_databases
check "measure.sh: a program that fails" breaks
test_end
