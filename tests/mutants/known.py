"""known.py - mutants whose fate is known: make mutants says of each what it should
SPDX-License-Identifier: MIT
"""
import os
import shutil
import sys
import tempfile

import run

# header, old text, new text, fate
KNOWN = [
    ("kpred_hip.h", "x[j - 1] > value", "x[j - 1] < value", "killed"),
    ("kpred_hip.h", "n % 2 ? x[n / 2]", "n % 2 ? x[n / 3]", "killed"),
    ("kpred_hip.h", "return us > 0 && us < 1e12;", "return us > 0 || us < 1e12;", "killed"),
    ("kpred_constraints.h", "return a / b + (a % b != 0);", "return a / b + (a % b == 0);", "killed"),
    ("kpred_hip.h", "x[j - 1] > value; j--)", "value < x[j - 1]; j--)", "equivalent"),
    ("kpred_hip.h", "return us > 0 && us < 1e12;", "return us > 0 && us < 0.99e12;", "survived"),
    ("kpred_hip.h", "n % 2 ? x[n / 2]", "n % 2 ? x[n / nothing]", "none"),
    ("kpred_hip.h", "return us > 0 && us < 1e12;", "return us > 0  && us < 1e12; /* */", "elsewhere"),
]


def main():
    wrong = 0
    folder = tempfile.mkdtemp()
    try:
        tree = run.Tree(os.path.join(folder, "tree"))
        forms = {header: tree.forms(header) for header in {known[0] for known in KNOWN}}
        for header, old, new, meant in KNOWN:
            text = run.read(header)
            if text.count(old) != 1:
                print("%s: not once there: %s" % (header, old))
                wrong += 1
                continue
            fate, by = tree.fate(header, text.replace(old, new), forms[header])
            tree.put(header, text)
            if fate != meant:
                print("%s: %s => %s: %s by %s, not %s" % (header, old, new, fate, by or "nothing", meant))
                wrong += 1
    finally:
        shutil.rmtree(folder)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
