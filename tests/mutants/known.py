"""known.py - mutants whose fate is known: make mutants kills those that it should
SPDX-License-Identifier: MIT
"""
import os
import shutil
import sys
import tempfile

import run

# header, old text, new text, is it killed?
KNOWN = [
    ("kpred_hip.h", "x[j - 1] > value", "x[j - 1] < value", True),
    ("kpred_hip.h", "n % 2 ? x[n / 2]", "n % 2 ? x[n / 3]", True),
    ("kpred_hip.h", "return us > 0 && us < 1e12;", "return us > 0 || us < 1e12;", True),
    ("kpred_constraints.h", "return d > 0 && x % d == 0;", "return d > 0 && x % d != 0;", True),
    ("kpred_constraints.h", "return a / b + (a % b != 0);", "return a / b + (a % b == 0);", True),
    ("kpred_hip.h", "x[j - 1] > value; j--)", "value < x[j - 1]; j--)", False),
]


def main():
    wrong = 0
    folder = tempfile.mkdtemp()
    try:
        tree = run.Tree(os.path.join(folder, "tree"))
        for header, old, new, is_killed in KNOWN:
            text = run.read(header)
            if text.count(old) != 1:
                print("%s: not once there: %s" % (header, old))
                wrong += 1
                continue
            tree.put(header, text.replace(old, new))
            by = tree.killer(header)
            tree.put(header, text)
            if bool(by) != is_killed or by == "compiler":
                print("%s: %s => %s: killed by %s" % (header, old, new, by or "nothing"))
                wrong += 1
    finally:
        shutil.rmtree(folder)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
