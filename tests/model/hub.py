"""hub.py - the conditions of Kernel Tuner's kernels as [restrict]: how many tuples are legal
SPDX-License-Identifier: MIT

usage: hub.py PROGRAM FOLDER

PROGRAM is tests/model/clauses.c, FOLDER has T1 inputs of the benchmark hub (KERNEL_milo.T1.json). A
spec is made of each, with its conditions as they stand there. The numbers of legal tuples are those
of the hub's tables, or of an enumeration by Python where there is no table.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

LEGAL = {"convolution": 4362, "dedispersion": 11130, "gemm": 116928, "hotspot": 82984}
MOST_DEAD = 0.01  # of the prefixes that a search meets


def spec_of(kernel, space):
    lines = ["[kernel]", "name = " + kernel, "[data]", "format = csv", "[fields]", "gpu = a b", "[params]"]
    for p in space["TuningParameters"]:
        values = eval(p["Values"], {"__builtins__": {}, "range": range, "list": list})
        lines.append("%s = %s" % (p["Name"], " ".join(map(str, sorted(values)))))
    lines += ["[restrict]"] + [c["Expression"] for c in space["Conditions"]]
    return "\n".join(lines + ["[features]", "onehot gpu"]) + "\n"


def check(program, folder, kernel, legal):
    with open(os.path.join(folder, kernel + "_milo.T1.json")) as f:
        text = spec_of(kernel, json.load(f)["ConfigurationSpace"])
    with tempfile.NamedTemporaryFile("w", suffix=".spec") as spec:
        spec.write(text)
        spec.flush()
        said = subprocess.run([program, spec.name, "--count"], input="0\n", stdout=subprocess.PIPE,
                              check=True, text=True).stdout.strip()
    print("%s: %s" % (kernel, said))
    got, dead, prefixes = map(int, re.findall(r"\d+", said))
    return got == legal and dead <= MOST_DEAD * prefixes


def main():
    program, folder = sys.argv[1:]
    return 0 if all([check(program, folder, *one) for one in LEGAL.items()]) else 1


if __name__ == "__main__":
    sys.exit(main())
