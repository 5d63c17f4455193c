# cost.py - measurements made up for cost.sh: a folder as tools/report/cost.sh leaves it
# SPDX-License-Identifier: MIT
"""usage: cost.py FOLDER

Three models of two parameters. The times of body `a` are 500 + 0.02 * multiply_adds + 90 * prefixes +
7 * values; those of `b` fall as more prefixes are kept. Instructions are ten times the nanoseconds of
`a`.
"""
import json
import sys

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


def main():
    """Writes the files. In known.csv, a prefix costs 100, of two parameters of 3 and 5 values."""
    folder = sys.argv[1]
    for model in ("one", "two", "three"):
        with open(f"{folder}/{model}.json", "w", encoding="utf-8") as f:
            json.dump({"params": [{"values": [1, 2, 3]}, {"values": [1, 2, 3, 4, 5]}]}, f)
    with open(f"{folder}/known.csv", "w", encoding="utf-8") as f:
        print(HEAD, file=f)
        for model, adds in (("one", 10000), ("two", 30000), ("three", 50000)):
            for beam in BEAMS:
                ns = 400 + 0.01 * adds + 100 * (1 + min(beam, 3))
                print(f"{model},{beam},{ns},1,1,a,{adds},1,1,1", file=f)
    with open(f"{folder}/hot.csv", "w", encoding="utf-8") as f:
        print(HEAD, file=f)
        for body in "ab":
            for model, beam, _, did, ns, kept in lines():
                ns = ns if body == "a" else ns + 20000 - 40 * kept
                distance = 2 if model == "one" else 4
                print(f"{model},{beam},{ns:.9g},1.5,{distance},{body},{did}", file=f)
    for model, beam, instructions, _, _, _ in lines():
        text = CALLGRIND.format(half=1000, total=round(2000 * instructions))
        with open(f"{folder}/{model}-{beam}.callgrind", "w", encoding="utf-8") as f:
            f.write(text)


main()
