"""report.py - named checks of tests in Python, as test.h prints them; and the oracle of some"""
# SPDX-License-Identifier: MIT
import importlib.util


class Report:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def result(self, name, bad, counts, examples=None):
        """BAD: whether it failed, or what is wrong, of which some examples are printed"""
        examples = list(bad if examples is None else examples)
        print("FAIL %s: %s" % (name, counts) if bad else "ok %s (%s)" % (name, counts))
        for example in examples[:5]:
            print("     ", example)
        if len(examples) > 5:
            print("      and %d more" % (len(examples) - 5), flush=True)
        self.failed += bool(bad)
        self.passed += not bad

    def skip(self, name, why):
        print("skip %s: %s" % (name, why))
        self.skipped += 1

    def finish(self):
        print("%d passed, %d failed, %d skipped" % (self.passed, self.failed, self.skipped))
        return self.failed > 0 or self.passed + self.skipped == 0 # what cannot run is skipped


def load_oracle(path):
    """MIOpen's checks restated in Python"""
    spec = importlib.util.spec_from_file_location("miopen_rules", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
