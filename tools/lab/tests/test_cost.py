"""test_cost.py - `make cost`: fits find the costs that were put in, bad input is refused, it runs with one model

The measurements are made up, of three models of two parameters. The times of body `a` are 500 + 0.02 * multiply_adds +
90 * prefixes + 7 * values; those of `b` fall as more prefixes are kept. Instructions are ten times the nanoseconds of
`a`.
"""
# SPDX-License-Identifier: MIT
import json
import os
import re
import shutil
import sys
import time

from report import KPRED, check, check_with, end, folder, need, output, read, refuse, run, write

need("python3-numpy")
tmp = folder()
made = f"{tmp}/made"
BEAMS = (1, 2, 5, 10, 20, 50, 100)
HEAD = "model,beam,ns,ratio,distance,body,multiply_adds,prefixes,values,kept"
CALLGRIND = """events: Ir
fn=(7) kpred_predict
cfn=(9) kpri_beam_search
calls={half} 0
0 {total}
fn=(8) another
cfn=(9)
calls={half} 0
0 1
totals: {total}
"""


def lines():
    """Of the CSV, and the instructions of a model and beam"""
    for model, (weights, params, values) in {"one": (60000, 3, 9), "two": (80000, 7, 50),
                                             "three": (110000, 4, 90)}.items():
        for beam in BEAMS:
            prefixes = 1 + (params - 1) * beam ** 0.9
            scored, kept = prefixes * values / params, params * beam ** 0.8
            adds = weights + 40 * scored
            ns = 500 + 0.02 * adds + 90 * prefixes + 7 * scored
            did = f"{adds:.9g},{prefixes:.9g},{scored:.9g},{kept:.9g}"
            yield model, beam, 10 * ns, did, ns, kept


def models(at):
    for model in "one", "two", "three":
        write(f"{at}/{model}.json", json.dumps({"params": [{"values": [1, 2, 3]}, {"values": [1, 2, 3, 4, 5]}]}))
    return at


def put(path, rows):
    return write(path, "\n".join([HEAD, *(",".join(f"{x:.9g}" if isinstance(x, float) else str(x) for x in row)
                                          for row in rows)]) + "\n")


models(made)
put(f"{made}/hot.csv", [
    (model, beam, ns if body == "a" else ns + 20000 - 40 * kept, 1.5, 2 if model == "one" else 4, body, did)
    for body in "ab" for model, beam, _, did, ns, kept in lines()])
for model, beam, instructions, _, _, _ in lines():
    write(f"{made}/{model}-{beam}.callgrind", CALLGRIND.format(half=1000, total=round(2000 * instructions)))
COST = f"{sys.executable} tools/lab/report/cost.py"


def costs(body):
    """Of the second table, from START on"""
    table = output(f"{COST} {made} --csv").partition("\nbody,rows,start,multiply_adds")[2].partition("\n\n")[0]
    return [float(x) for x in re.search(f"(?m)^{body},\\d+,(.*)", table)[1].split(",")]


def found(body, *wanted):
    """START MULTIPLY_ADDS PREFIXES VALUES KEPT, within a hundredth"""
    got = costs(body)
    assert all(abs(x - y) <= 0.01 * y for x, y in zip(got, wanted)), got


def no_negative():
    """A cost that would be below 0 is 0: kept is the last but two."""
    got = costs("b")
    assert got[4] == 0 and min(got) >= 0, got


def distance():
    """The geometric mean of 2, 4 and 4"""
    assert "\nhot,a,10,3,3.17,1.50\n" in output(f"{COST} {made} --csv")


def known_before():
    """A prefix costs 100, of two parameters of 3 and 5 values. At most 3 prefixes are before the second parameter,
    whatever the beam is; values say the same, so they may share."""
    put(models(f"{tmp}/known") + "/hot.csv", [
        (model, beam, 400 + 0.01 * adds + 100 * (1 + min(beam, 3)), 1, 1, "a", adds, 1, 1, 1)
        for model, adds in (("one", 10000), ("two", 30000), ("three", 50000)) for beam in BEAMS])
    text = output(f"{COST} {tmp}/known --csv")
    line = text.partition("\nbody,rows,start,weights,prefixes,values,r2,off\n")[2].partition("\n")[0]
    assert re.fullmatch("a,21,[^,]*,0[.]01,[^,]*,[^,]*,1[.]000,0[.]0", line), text


def picture():
    run(f"{COST} {made} -o {tmp}/cost.svg")
    return [x for x in ("</svg>", "distance to the limit", "instructions") if x not in read(f"{tmp}/cost.svg")]


check("least squares", found, "a", 500, 0.02, 90, 7, 0)
check("least squares of instructions", found, "instructions", 5000, 0.2, 900, 70, 0)
check("no cost below 0", no_negative)
check("distances", distance)
check("what is known before", known_before)
check_with("gnuplot", "the plot", picture)
hot = read(f"{made}/hot.csv")
for name, text, words in (
        ("a column is missing", hot.replace(",kept", "", 1), "hot.csv:1: no column kept"),
        ("no number", re.sub("\none,2,[^,]*", "\none,2,fast", hot, count=1),
         'hot.csv:3: ns "fast": is not a number above 0'),
        ("no MODEL.json", hot, "one.json: "), ("no rows", HEAD + "\n", "hot.csv: has no rows")):
    write(f"{tmp}/bad/hot.csv", text)
    refuse(name, 2, words, f"{COST} {tmp}/bad")
refuse("no measurements", 2, "hot.csv: ", f"{COST} {tmp}")
write(models(f"{tmp}/other") + "/hot.csv", hot)
write(f"{tmp}/other/one-1.callgrind", "totals: 5\n")
refuse("no output of callgrind", 2, "one-1.callgrind: is not an output of callgrind", f"{COST} {tmp}/other")


def small():
    """With one model and few beams"""
    return output(f"sh tools/lab/report/cost.sh {tmp}/build {tmp}/new.svg", env=dict(
        MODELS="conv_asm_bwd_wrw_3x3", BEAMS="1,2", BODY="portable", COUNTED="1", COUNTED_BODY="portable"))


def runs():
    """The second run measures nothing again."""
    os.mkdir(f"{tmp}/build")
    shutil.copy(KPRED, f"{tmp}/build")
    time.sleep(1)
    first = small()
    times = read(f"{tmp}/build/cost/hot.csv")
    assert len(re.findall("(?m)^(?:hot|cold) +portable ", first)) == 5, first
    assert small() == first and read(f"{tmp}/build/cost/hot.csv") == times


need(KPRED, "cost.sh")
need("weights/conv_asm_bwd_wrw_3x3.h", "cost.sh")
check("cost.sh", runs)
end()
