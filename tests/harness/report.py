"""report.py - named checks of tests in Python, as test.h prints them; and the oracle of some

SPDX-License-Identifier: MIT

A suite test_NAME.py runs from the repository's root:

    need_trainer()
    check("figures", figures, "FP32")              a function; it passes unless it raises, or returns what is wrong
    refuse("no such file", 2, "none.csv", f"{TRAINER} train none.csv")
    end()

A command line is cut as a shell does it, but no shell runs it.
"""
import atexit
import bz2
import contextlib
import csv
import gzip
import importlib.util
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import traceback


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


# ---- suites in Python ----

ROOT = os.getcwd()
BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
TRAINER, KPRED = f"{BUILD}/kpred-train", f"{BUILD}/kpred"
_report = Report()
skip = _report.skip


def folder():
    """A new one, which goes at the end"""
    path = tempfile.mkdtemp(prefix="kpred-test-")
    atexit.register(shutil.rmtree, path, True)
    os.environ.update(TMPDIR=path, PYTHONDONTWRITEBYTECODE="1")
    return path


def our_files(pattern=""):
    """Those of kpred, of which the pattern matches the whole path"""
    return sorted(path for path in output("sh tools/release/files.sh").splitlines() if re.fullmatch(pattern or ".*", path))


def models():
    """The names of those that ship"""
    return re.findall('(?m)^#include "weights/(.*)[.]h"$', read("tests/model/shipped.h"))


def opened(path, how):
    """Its text, which is packed where the name says so"""
    return {".bz2": bz2.open, ".gz": gzip.open}.get(os.path.splitext(path)[1], open)(path, how, encoding="utf-8")


def read(path):
    with opened(path, "rt") as f:
        return f.read()


def write(path, text):
    """Makes its folder, too."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with opened(path, "wt") as f:
        f.write(text)
    return path


def spec(text):
    """A whole spec of `[kernel] name = small; rule = listed [data] format = csv`"""
    return re.sub(r"\s*[;\n]\s*", "\n", re.sub(r"\s*(\[[a-z]+\])\s*", r"\n\1\n", text)).strip() + "\n"


def rows_of(text):
    """Those of a CSV text with a heading"""
    return list(csv.DictReader(text.splitlines()))


def sample_databases(at):
    """The few dozen real rows of tests/fixtures, as the words of a command line"""
    for gpu in "gfx900_56", "gfx906_60":
        with contextlib.closing(sqlite3.connect(f"{at}/{gpu}.db")) as made:
            made.executescript(read(f"tests/fixtures/{gpu}.sql"))
    return f"{at}/gfx900_56.db {at}/gfx906_60.db"


def run(line, status=0, **options):
    """The finished command, which ends with that status, or with any if it is None"""
    words = shlex.split(line)
    env = {**os.environ, **options.pop("env", {})}
    options = {"stdin": subprocess.DEVNULL, **options}
    done = subprocess.run(words, capture_output=True, text=True, env=env, check=False, **options)
    assert status in (None, done.returncode), f"{line}: status {done.returncode}: {done.stderr[-800:]}"
    return done


def output(line, **options):
    return run(line, **options).stdout


def check(name, test, *arguments):
    try:
        wrong = test(*arguments)
    except Exception as error: # whatever it is, the test has failed
        last = [at for at in traceback.extract_tb(error.__traceback__) if "/test_" in at.filename] or \
            traceback.extract_tb(error.__traceback__)
        wrong = [f"{last[-1].filename}:{last[-1].lineno} {last[-1].line}: {error!r}"[:1200]]
    wrong = [wrong] if isinstance(wrong, str) else list(wrong or [])
    _report.passed += not wrong
    _report.failed += bool(wrong)
    print(f"FAIL {name}: " + "\n    ".join(map(str, wrong[:9])) if wrong else f"ok {name}", flush=True)


def tell(name, wrong):
    """A check of what is wrong, which may be nothing"""
    check(name, list, wrong if isinstance(wrong, list) else [wrong] if wrong else [])


def refuse(name, status, text, line, **options):
    """A check: the status, no output, and one line of complaint with this text"""
    def refuses():
        done = run(line, None, **options)
        assert done.returncode == status and not done.stdout and done.stderr.count("\n") == 1 \
            and text in done.stderr, f"status {done.returncode}, not {status} with {text}: {done.stderr}{done.stdout}"
    check(name, refuses)


def there(what):
    """A program, a file if there is a slash in it, or else a module of Python, as python3-NAME"""
    if what.startswith("python3-"):
        return importlib.util.find_spec(what[8:]) is not None
    return os.path.exists(what) if "/" in what else shutil.which(what) is not None


def get_module(name, needs, at):
    """Has pip put a module of Python, and what it needs, into a folder, where it is not installed."""
    if not there(f"python3-{name}"):
        alone = "--no-deps" if there("python3-scipy") else "" # other packages of Debian do not work with pip's numpy
        run(f"{sys.executable} -m pip install -q {alone} --target {at} {name} {needs}", None)
        sys.path.insert(0, at)


def check_with(what, name, test, *arguments):
    """A check that needs something"""
    if there(what):
        check(name, test, *arguments)
    else:
        skip(name, f"there is no {what}")


def end():
    sys.exit(_report.finish())


def need(what, tests="all"):
    """Skips those tests and ends the suite, where something is missing."""
    if not there(what):
        skip(tests, f"there is no {what}")
        end()
