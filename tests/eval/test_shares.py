"""test_shares.py - timed data: networks learn shares, and `kpred-train eval` tells what predictions are worth; against
the same computed from what `kpred predict` prints
"""
# SPDX-License-Identifier: MIT
import json
import math
import os
import re

from report import KPRED, TRAINER, check, check_with, end, folder, need, output, read, refuse, rows_of, run, spec, write

need(TRAINER)
os.chdir(folder())


def put_spec(name, params, network):
    write(f"{name}.spec", spec(f"""[kernel] name = {name}; rule = unconstrained [data] format = tensile
        [fields] m = size; n = size [params] {params} [split] config = m,n; shape = min(m,n),max(m,n)
        [derived] lm = log2 m; ln = log2 n [features] hats lm 0 1 7; hats ln 0 1 7; equals m 8 8
        [network] encoder1 = 32; encoder2 = 32; hidden = 16; crossed = 0; redrawn = 0; draws = 8; {network}"""))


def timed_rows():
    """Tiles that are the better the closer they are to m, an even split where n is large. Not all are timed: that of
    one problem in five lacks its best tile; one problem has a single option."""
    for p, (m, n) in enumerate(((m, 2 ** i) for m in range(8, 16) for i in range(7)), 1):
        for tile in range(8, 17, 2):
            for part in 1, 2:
                off = (m - tile) ** 2 + (n / 8 if part == 1 else 8 / n)
                if (p % 5 or (m - tile) ** 2 > 1) and (p != 9 or (tile, part) == (12, 1)):
                    yield m, n, tile, part, f"{10 + off * (1 + p % 3) / 2:.3f}"


def put(name, heading, rows):
    write(f"{name}.csv", "\n".join([heading, *(",".join(map(str, row)) for row in rows)]) + "\n")


ROWS = list(timed_rows())
put("two", "m,n,tile,part,time_us", ROWS)
put("one", "m,n,part,time_us", [(m, n, part, time) for m, n, tile, part, time in ROWS if tile == 12])
put_spec("two", "tile = 8 10 12 14 16; part = 1 2", "teachers = 2")
put_spec("one", "part = 1 2 3", "teachers = 0")


def train(name, arguments):
    run(f"{TRAINER} train {name}.spec --data {name}.csv --threads 1 {arguments}")


def evaluate(name, arguments=""):
    """The header NAME.h on the data of its spec"""
    return run(f"{TRAINER} eval {name}.h --data {name}.csv --rows all {arguments}")


def trains():
    train("two", "--epochs 150 -o two.h")
    train("one", "--epochs 150 -o one.h")


def worth(name, k):
    """What eval should say for that k, from what predict prints"""
    problems = {}
    for x in rows_of(read(f"{name}.csv")):
        options = problems.setdefault((x["m"], x["n"]), {})
        options[tuple(x[c] for c in ("tile", "part") if c in x)] = float(x["time_us"])
    shares, hits = [], 0
    for (m, n), options in problems.items():
        if len(options) == 1:
            continue
        lines = output(f"{KPRED} predict {name}.h m={m} n={n} -k {3 if name == 'one' else k} --csv").splitlines()[1:]
        ranking = [tuple(x.split(",")[2:]) for x in lines]
        found = [options[t] for t in ranking if t in options][:k]
        best = min(options.values())
        shares.append(best / min(found) if found else best / max(options.values()))
        hits += min(options, key=options.get) in ranking[:k]
    shares.sort()
    count = len(shares)
    at = [shares[max(math.ceil(count * q / 100), 1) - 1] for q in (1, 5)]
    return [name, "all", "all", "all", str(k), str(count), f"{100 * hits / count:.2f}",
            f"{100 * shares.count(1) / count:.2f}", f"{math.exp(sum(map(math.log, shares)) / count):.5f}",
            *(f"{x:.5f}" for x in at)]


def agrees(name, *ks):
    text = evaluate(name, f"-k {','.join(map(str, ks))} --csv").stdout
    assert text.startswith("model,split,gpu,dtype,k,n,pft,avg,valid,exact,share,share_p1,share_p5,timed,judged,ceiling,groups,se,share_se,unlisted,left_out\n")
    got = [x[:7] + x[9:-8] for x in (line.split(",") for line in text.splitlines()[1:])]
    return [f"{x}: {y}" for x, y in zip(got, [worth(name, k) for k in ks], strict=True) if x != y]


def single():
    """A problem with one option"""
    done = evaluate("two", "--csv")
    assert "1 problem with less than two timed options is left out" in done.stderr
    assert [x["left_out"] for x in rows_of(done.stdout)] == ["1"], done.stdout


def judged():
    """Trees that know a sample think badly of what learnt from its times upside down, and that the best is among all."""
    put("upside", "m,n,tile,part,time_us", [(*row, f"{1000 / float(time):.3f}") for *row, time in ROWS])
    write("upside.spec", read("two.spec").replace("tensile", "timed"))
    train("upside", "--epochs 1 -o upside.h")
    table = rows_of(run(f"{TRAINER} eval upside.h --data two.csv --rows all -k 1,10 --csv").stdout)
    first, every = (float(x["judged"]) for x in table)
    assert first < 0.7 and every == 1, table


def learnt():
    """Far better than chance, whose share is below 0.75: the networks did learn."""
    for name, least in ("two", 0.93), ("one", 0.97):
        share = float(rows_of(evaluate(name, "-k 1 --csv").stdout)[0]["share"])
        assert share > least, share


check("networks learn from timed data", trains)
check("shares of two parameters", agrees, "two", 1, 2, 4, 8)
check("shares of one parameter, which is ranked whole", agrees, "one", 1, 2, 3)
check("a problem with one option is left out, and counted", single)
check("what the trees think", judged)
check("what was learnt is worth most of the optimum's speed", learnt)

# ---- what is learnt: shares of (best / time)^sharpness ----


def predict(name, k=1):
    return rows_of(output(f"{KPRED} predict {name}.h m=8 n=1 -k {k} --csv"))


def fits(sharpness, *shares):
    """One problem, options of 10, 20 and 40 us"""
    put("alike", "m,n,part,time_us", [(8, 1, part, 5 * 2 ** part) for part in (1, 2, 3)])
    put_spec("alike", "part = 1 2 3", f"teachers = 0; sharpness = {sharpness}; rate = 0.01")
    train("alike", "--split none --epochs 2000 -o alike.h")
    found = predict("alike", 3)
    assert len(found) == 3
    return [x for x in found if abs(float(x["probability"]) - shares[int(x["part"]) - 1]) > 0.02]


def chooses(regret, part, teachers):
    """Ten problems that the network cannot tell apart: in six of them the part 1 is a little faster, in four a hundred
    times slower. What is the fastest most often is not what is best to take."""
    put("blind", "m,n,part,time_us", [(m, 1, *x) for m in range(1, 11) for x in ((1, 1000 if m > 6 else 10),
                                                                                (2, 10 if m > 6 else 11))])
    put_spec("blind", "part = 1 2", f"teachers = {teachers}; sharpness = 50; regret = {regret}")
    write("blind.spec", re.sub("(?m)^(hats lm|equals m|lm).*\n", "", read("blind.spec")))
    train("blind", "--split none --epochs 500 -o blind.h")
    assert predict("blind")[0]["part"] == part


check("sharpness 1: shares of 4/7, 2/7 and 1/7", fits, 1, 0.571, 0.286, 0.143)
check("sharpness 2: shares of 16/21, 4/21 and 1/21", fits, 2, 0.762, 0.190, 0.048)
check("without regret, what wins most often", chooses, 0, "1", 0)
check("with regret, what loses least", chooses, 4, "2", 0)
check("with regret, a student of teachers that mind it", chooses, 4, "2", 2)


def draws_by_seed():
    """One problem, of whose two good options the seed draws one to learn from. The other one has the other part, and
    the part of the first answer tells which one it was."""
    put("drawn", "m,n,tile,part,time_us", [(8, 1, 8, 1, 10), (8, 1, 8, 2, 900), (8, 1, 10, 1, 900), (8, 1, 10, 2, 10)])
    put_spec("drawn", "tile = 8 10; part = 1 2", "teachers = 0; rate = 0.01")
    write("drawn.spec", read("drawn.spec").replace("draws = 8", "draws = 1"))
    parts = []
    for seed in range(1, 7):
        train("drawn", f"--split none --epochs 50 --seed {seed} -o drawn.h")
        parts.append(predict("drawn")[0]["part"])
    assert set(parts) == {"1", "2"}, parts


check("the seed draws the options to learn from", draws_by_seed)

# ---- folds ----


def counts_of(header):
    """Rows to train, and rows kept"""
    return tuple(map(int, re.search(r"; (\d+) rows to train, (\d+) kept", read(header)).groups()))


def fold(number):
    """The I-th of four folds: every fourth problem of the file, from number I"""
    train("two", f"--split fold:{number}/4 --epochs 2 -o two-fold.h")
    text = output(f"{TRAINER} eval two-fold.h --data two.csv --hits hits.csv --csv")
    assert text.splitlines()[1].startswith(f"two,fold:{number}/4,"), text
    problems = list(dict.fromkeys((m, n) for m, n, *_ in ROWS)) # in the order of the file
    count = {p: sum(row[:2] == p for row in ROWS) for p in problems}
    first, row = {}, 1 # the rows of the sorted data, from 1
    for p in sorted(problems):
        first[row] = p
        row += count[p]
    got = {first[int(x["row"])] for x in rows_of(read("hits.csv"))}
    assert got == {p for i, p in enumerate(problems) if i % 4 == number and count[p] > 1}, got


# The same without the problem that has one option
put("parts", "m,n,tile,part,time_us", [row for row in ROWS if row[:2] != (9, 2)])
write("parts.spec", read("two.spec").replace("name = two", "name = parts"))


def tested(split, rows):
    """The rows of parts.csv that eval takes for a model of that split, parts.h"""
    train("parts", f"--split {split} --epochs 1 -o parts.h")
    run(f"{TRAINER} eval parts.h --data parts.csv --rows {rows} --hits hits.csv --csv")
    return [int(x["row"]) for x in rows_of(read("hits.csv"))]


def parts(kind):
    """The tenth that no fold has is the one that a model without folds is tested on; each other problem is in one fold.
    Training sees the other folds alone: it makes 8 rows of a problem."""
    every, tenth, found = tested("none", "all"), tested(kind, "test"), []
    assert tenth
    for i in range(3):
        assert tested(f"{kind}:{i}/3", "aside") == tenth
        kept = tested(f"{kind}:{i}/3", "test")
        assert counts_of("parts.h") == (8 * (len(every) - len(tenth) - len(kept)), 8 * len(kept))
        found += kept
    assert sorted(tenth + found) == sorted(every)


for i in range(4):
    check(f"fold {i} of 4", fold, i)
for kind in "config", "shape":
    check(f"{kind}:I/3: folds, and a tenth aside", parts, kind)
refuse("nothing aside without folds", 1, "two: the data holds no row to test on",
       f"{TRAINER} eval two.h --data two.csv --rows aside")

# ---- hits and plots ----


def hits():
    """The outcome of every problem adds up."""
    got = rows_of(evaluate("two", "-k 1,4 --hits hits.csv --csv").stdout)
    assert read("hits.csv").startswith("method,model,split,key,row,k,hit,agree,share,unlisted\n")
    for x in got:
        of = [y for y in rows_of(read("hits.csv")) if y["k"] == x["k"]]
        mean = math.exp(sum(math.log(float(y["share"])) for y in of) / len(of))
        pft = 100 * sum(int(y["hit"]) for y in of) / len(of)
        assert (x["n"], x["pft"]) == (str(len(of)), f"{pft:.2f}") and abs(float(x["share"]) - mean) < 6e-5, x
    assert [x["k"] for x in got] == ["1", "4"]


def errors():
    """The table tells how sure the mean of the shares is: each problem is a group of its own here."""
    head, line = (re.split("   *", x) for x in evaluate("two", "-k 1 --hits hits.csv").stdout.splitlines()[:2])
    x = [math.log(float(y["share"])) for y in rows_of(read("hits.csv"))]
    mean = sum(x) / len(x)
    want = math.exp(mean) * math.sqrt(sum((y - mean) ** 2 for y in x)) / len(x)
    assert f"{float(line[head.index('share_se')]):.4f}" == f"{want:.4f}" != "0.0000", (line, want)


def same_columns():
    """CSV and JSON have the columns of the table, and a terminal has a line for each of them below the table."""
    for more in "", " --reliability":
        table, text = (evaluate("two", f"-k 1{more}{form}").stdout for form in ("", " --csv"))
        (head, line), (row,) = (x.split() for x in table.splitlines()[:2]), rows_of(text)[:1]
        (object,) = json.loads(evaluate("two", f"-k 1{more} --json").stdout)[:1]
        assert sorted(head) == sorted(row) == sorted(object), (head, row)
        assert [row[x] for x in head if row[x]] == line, (line, row)
        command = f"{TRAINER} eval two.h --data two.csv --rows all -k 1{more} 2>told"
        told = output(f"script -qec '{command}' /dev/null").replace("\r", "").split("\n\n")[1].splitlines()
        assert [x.split()[0] for x in told] == ["column", *head[5:]] and max(map(len, told)) < 80, told


def draws():
    evaluate("two", "-k 1,2,4 --plot two.svg")
    assert "share of the optimum" in read("two.svg")


check("the outcome of every problem adds up", hits)
check("the standard error of the shares", errors)
check_with("script", "one set of columns, told on a terminal", same_columns)
check("a plot of shares", draws)
end()
