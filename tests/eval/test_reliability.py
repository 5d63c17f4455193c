"""test_reliability.py - `kpred-train eval --reliability` against the same figures computed from what `kpred predict`
prints, and tools/train/calibrate.sh
"""
# SPDX-License-Identifier: MIT
import collections
import functools
import math
import os
import re

from report import (
    KPRED, ROOT, TRAINER, check, check_with, end, folder, need, output, read, refuse, rows_of, run, spec, write)

need(TRAINER)
tmp = folder()
os.chdir(tmp)
FIELDS, PARAMS = ("gpu", "kind", "n", "h", "stride"), ("tile", "mode")
HEADING = ",".join(FIELDS + PARAMS)


def labelled():
    """120 problems, each on two GPUs, of which four rows share a key: the stride is not a part of it, and no feature.
    Labels only partly follow from the problem."""
    x = 0
    for i in range(240):
        x = (x + 1) * 16807 % 2147483647
        noise, n, h = x // 65536 % 4, 2 ** (i // 4 % 5), 4 + i // 4 % 12
        yield {"gpu": "gfx900_56" if i % 2 else "gfx906_60", "kind": "plain" if i % 8 < 4 else "other", "n": str(n),
               "h": str(h), "stride": str(1 + i // 2 % 2), "tile": str(2 ** (n % 3 if noise else 0)),
               "mode": "fast" if noise > 1 or h % 3 else "small"}


rows = list(labelled())
write("data.csv", "\n".join([HEADING, *(",".join(row.values()) for row in rows)]) + "\n")
# The spec has six tuples and no rule.
tiny = re.sub("(?m)^config .*", "config = kind,n,h", read(f"{ROOT}/tests/fixtures/tiny.spec"))
write("tiny.spec", tiny + spec("""[derived] ln = log2 n [features] onehot kind; hats ln 0 1 5; equals h 4 12
    [network] encoder1 = 16; encoder2 = 16; hidden = 16; rounded_epochs = 1; teachers = 1; teacher_epochs = 120
    paper_cells = 16"""))
for net in "additive", "encdec":
    run(f"{TRAINER} train tiny.spec --net {net} --data data.csv --epochs 120 --threads 1 -o {net}.h")


def evaluate(header, arguments="--csv", data="data.csv"):
    return run(f"{TRAINER} eval {header} --data {data} --rows all --reliability {arguments}")


def told(done):
    """What it notes: temperature, log-loss with it, temperature of the scores, log-loss with that, problems"""
    found = re.search(r"tiny: temperature (\d\.\d\d): .* (\d+\.\d{4}) bits a problem; divided by (\d\.\d\d), as the "
                      r"scores are, (\d+\.\d{4}) \((\d+) problems?\)", done.stderr)
    assert found, done.stderr
    return [float(x) for x in found.groups()]


# ---- against kpred predict ----

@functools.lru_cache(None)
def tuples_of(problem, k):
    text = output(f"{KPRED} predict additive.h {problem} -k {k} --csv")
    return [(float(t["probability"]), tuple(t[p] for p in PARAMS)) for t in rows_of(text)]


def predict(row, k):
    return tuples_of(" ".join(f"{f}={row[f]}" for f in FIELDS), k)


def label(row):
    return tuple(row[p] for p in PARAMS)


def claims(row, k):
    """(probability that the optimum is among k tuples, whether it was, the row's key)"""
    tuples = predict(row, k)
    return sum(p for p, _ in tuples), label(row) in [t for _, t in tuples], (row["kind"], row["n"], row["h"])


def line(part):
    n = len(part)
    predicted, observed = (100 * sum(x[i] for x in part) / n for i in (0, 1))
    off = collections.Counter()
    for _, hit, key in part:
        off[key] += hit - observed / 100
    return n, predicted, observed, 100 * math.sqrt(sum(x * x for x in off.values())) / n


def loss(row, temperature):
    """That of the claim that the first tuple is the optimum. All six tuples give what each softmax said, and so its
    logits but for a constant."""
    p = {t: x for x, t in predict(row, 6)}
    first, bits = predict(row, 1)[0][1], 0
    for d in range(len(PARAMS)):
        mass = collections.Counter()
        for t, x in p.items():
            if t[:d] == first[:d]:
                mass[t[d]] += x
        warm = {v: x ** (1 / temperature) for v, x in mass.items()}
        bits -= math.log2(warm[first[d]] / sum(warm.values()))
    return bits if first == label(row) else -math.log2(max(1 - 2 ** -bits, 2 ** -40))


def expected_bins(ks, by):
    expected = {}
    for gpu in sorted({r["gpu"] for r in rows}) if by == "gpu" else ["all"]:
        for k in ks:
            part, error = [claims(r, k) for r in rows if gpu in ("all", r["gpu"])], 0
            for b in range(10):
                inside = [x for x in part if min(9, int(10 * x[0])) == b]
                if inside:
                    n, predicted, observed, se = line(inside)
                    gap = abs(observed - predicted)
                    error += n * gap
                    expected[gpu, k, f"{10 * b}-{10 * b + 10}"] = n, predicted, observed, se, gap
            expected[gpu, k, "all"] = *line(part), error / len(part)
    return expected


def recomputed(ks, by):
    done, expected = evaluate("additive.h", f"--csv -k {','.join(map(str, ks))} --by {by}"), expected_bins(ks, by)
    got = {(r["gpu"], int(r["k"]), r["bin"]): [float(r[c]) for c in ("n", "predicted", "observed", "se", "ece")]
           for r in rows_of(done.stdout)}
    assert got.keys() == expected.keys() and len(got) > 4 * len(ks), (sorted(got), sorted(expected))
    temperature, warm, of_scores, cold, n = told(done)
    mean = {t: sum(loss(r, t / 100) for r in rows) / len(rows) for t in range(55, 801)}
    best = min(mean, key=mean.get)
    assert abs(temperature - best / 100) < 0.035 and (of_scores, n) == (1, len(rows)), (done.stderr, best)
    assert abs(warm - mean[best]) < 0.002 and abs(cold - mean[100]) < 0.002, done.stderr
    return [f"{key}: {values}, not {got[key]}" for key, values in expected.items()
            if any(abs(x - y) >= 0.006 for x, y in zip(values, got[key]))]


check("k = 1 and 2", recomputed, [1, 2], "all")
check("k = 2, by GPU", recomputed, [2], "gpu")


# ---- beside the usual table, for every kind of network ----

def as_pft(header):
    """What is observed of all problems is Pft."""
    columns = ["gpu", "k", "n"]
    ours = [[*(x[c] for c in columns), x["observed"]]
            for x in rows_of(evaluate(header, "--csv -k 2,4 --by gpu").stdout) if x["bin"] == "all"]
    usual = output(f"{TRAINER} eval {header} --data data.csv --rows all --csv -k 2,4 --by gpu")
    assert ours == [[*(x[c] for c in columns), x["pft"]] for x in rows_of(usual)] != [], ours


def consistent(header):
    """Bins add up, their ece is what the line tells, and a temperature is told."""
    done = evaluate(header, "--csv -k 3 --by all")
    assert done.stdout.startswith("model,split,gpu,dtype,k,bin,n,predicted,observed,se,ece\n")
    *bins, last = rows_of(done.stdout)
    gaps = [abs(float(x["observed"]) - float(x["predicted"])) for x in bins]
    mean = sum(int(x["n"]) * gap for x, gap in zip(bins, gaps)) / 240
    assert all(abs(float(x["ece"]) - gap) < 0.0142 for x, gap in zip([*bins, last], [*gaps, mean])), (gaps, mean)
    assert last["bin"] == "all" and sum(int(x["n"]) for x in bins) == int(last["n"]) == 240
    temperature, warm, _, cold, _ = told(done)
    assert 0.55 <= temperature <= 8 and warm <= cold <= 3, done.stderr


def loss_is_probability(header):
    """Of one problem, with each label in turn; where it is the first tuple, its log-loss is what its probability
    gives."""
    found = 0
    for problem in "gfx900_56,plain,1,4,1", "gfx906_60,other,8,9,1", "gfx906_60,plain,4,6,1":
        for tile in 1, 2, 4:
            for mode in "fast", "small":
                write("one.csv", f"{HEADING}\n{problem},{tile},{mode}\n")
                done = evaluate(header, "--beam 6 --csv", "one.csv")
                last = rows_of(done.stdout)[-1]
                if last["observed"] == "100.00":
                    found += 1
                    assert abs(told(done)[3] + math.log2(float(last["predicted"]) / 100)) < 0.002, done
    assert found == 3, found


def float_is_near():
    """Rounding changes little."""
    one, other = (told(evaluate(f"additive.h {option}"))[3] for option in ("", "--float"))
    assert 0 < abs(one - other) < 0.0316, (one, other)


def calibrated():
    """With the temperature that was told in [calibration], by relayout: the scores have it, the tuples are the same in
    the same order, and the same temperature is told again."""
    before = told(evaluate("additive.h", "--csv -k 1"))
    write("calibrated.spec", read("tiny.spec") + f"[calibration]\nconfig = {before[0]:.2f}\n")
    run(f"{TRAINER} relayout additive.h --spec calibrated.spec -o calibrated.h")
    after = told(evaluate("calibrated.h", "--csv -k 1"))
    assert after[:2] == before[:2] and after[2] == before[0] and abs(after[3] - before[1]) < 0.001, (before, after)
    one, other = ([x.split(",") for x in output(
        f"{KPRED} predict {name}.h gpu=gfx906_60 kind=other n=8 h=9 stride=1 -k 6 --csv").splitlines()]
        for name in ("additive", "calibrated"))
    assert [x[2:] for x in one] == [x[2:] for x in other] and one != other, (one, other)


for model in "additive.h", "additive.h --float", "encdec.h":
    check(f"{model}: observed is Pft", as_pft, model)
    check(f"{model}: sums", consistent, model)
    check(f"{model}: log-loss and probability", loss_is_probability, model)
check("the float network is near", float_is_near)
check("[calibration]", calibrated)


# ---- tools/train/calibrate.sh ----

def calibrate(folds, of, status=0):
    return run(f"sh tools/train/calibrate.sh {tmp}/build config {folds} {of} {tmp}/tiny.spec {tmp}/data.csv", status,
               cwd=ROOT)


def calibrates():
    """Each fold's network is what training on the others gives, its temperature what eval tells of it on that fold
    alone; the last line is their mean, each problem counting once. What is there is not trained again, but a fold of
    another number of folds has other problems. There is no fourth fold of three, and no mean of those before it."""
    text, found = calibrate(2, 3).stdout, []
    for fold in 0, 1:
        run(f"{TRAINER} train tiny.spec --data data.csv --split config:{fold}/3 -o fold.h")
        assert read("fold.h") == read(f"build/calibration/tiny.config.{fold}-3.h")
        temperature, *_, n = told(run(f"{TRAINER} eval fold.h --data data.csv -k 1 --beam 6 --reliability"))
        found.append((temperature, n))
    mean = math.prod(t ** n for t, n in found) ** (1 / sum(n for _, n in found))
    want = [f"tiny config fold {i}/3: temperature {t:.2f}, {n:.0f} problems" for i, (t, n) in enumerate(found)]
    assert text.splitlines() == [*want, f"config = {mean:.2f}  # the geometric mean, by problems"], text
    again, halves, more = calibrate(2, 3), calibrate(1, 2).stdout, calibrate(4, 3, None)
    assert again.stdout == text and not again.stderr
    assert "fold 0/2: temperature" in halves and f", {found[0][1]:.0f} problems" not in halves, halves
    assert more.returncode != 0 and more.stdout.count("temperature") == 3 and "mean" not in more.stdout
    assert "config:3/3" in more.stderr, more


def not_applicable():
    """Where the kernel does not apply nothing is predicted: 0 percent, of which 0 came true, and no row to find a
    temperature with."""
    write("never.csv", "gpu,dir,dtype,n,c,h,w,k,stride,read_size,k_mult,chunks_per_wave,chunk_size,n_mult,c_mult,"
          "waves_c_in_group,waves_k_in_group\ngfx906,F,FP16,16,3,56,56,5,1,1,16,1,64,1,1,1,1\n")
    done = evaluate("conv_asm_1x1u", data="never.csv")
    assert "temperature" not in done.stderr and [x.split(",", 4)[4] for x in done.stdout.splitlines()[1:]] == [
        "1,0-10,1,0.00,0.00,0.00,0.00", "1,all,1,0.00,0.00,0.00,0.00"], done


os.mkdir("build")
os.symlink(TRAINER, "build/kpred-train")
check("calibrate.sh", calibrates)
refuse("--hits as well", 2, "--hits and --reliability cannot be used together",
       f"{TRAINER} eval encdec.h --data data.csv --reliability --hits x.csv")
check_with(f"{ROOT}/weights/conv_asm_1x1u.h", "a kernel that does not apply", not_applicable)
end()
