"""__main__.py - `python3 -m kpred.judge`: asks a model about the legal tuples of problems, and writes the table

SPDX-License-Identifier: MIT
"""
import argparse
import csv
import os
import random
import signal
import sys
import time
from typing import Any, Callable, List, Optional

from ..convert.command import written
from ..convert.table import Bad
from . import files, scores
from .features import Features
from .tuples import Batch, Told, has_times, listed, measured

BEST, OF = 200, 256 # tuples of a problem: so many of so many are the fastest, the others are drawn
MOST = 1 << 20


def _count(least: int, *words: str) -> Callable[[str], int]:
    def read(text: str) -> int:
        if text in words:
            return MOST
        if not (text.isascii() and text.isdigit() and least <= int(text) <= MOST):
            raise argparse.ArgumentTypeError(f'"{text}" is not an integer of {least}..{MOST}' + " or all" * len(words))
        return int(text)
    return read


def _options() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        prog="python3 -m kpred.judge", allow_abbrev=False, description="Asks a model how long the legal tuples of "
        "problems take, and writes a table from which `kpred-train train SPEC --judge judged.csv` learns.")
    p.add_argument("spec", metavar="SPEC", help="the kernel's .spec file, with `format = timed`")
    p.add_argument("--model", required=True, metavar="FILE", help="a text of LightGBM, JSON or UBJ of XGBoost, a pickle or "
                   "joblib file of these or of scikit-learn, or a function: MODULE:NAME or FILE.py:NAME")
    p.add_argument("--trust", action="store_true", help="load a pickle or joblib file, which can run any program")
    p.add_argument("--problems", required=True, metavar="FILE.csv", help="a column for each field. If it has the parameters "
                   "and times as well, it is taken for --check")
    p.add_argument("-o", required=True, dest="output", metavar="judged.csv", help="written whole or not at all")
    p.add_argument("--features", metavar="NAME", help="a function from fields and parameters to the model's features: "
                   "MODULE:NAME or FILE.py:NAME. Default: they are the features")
    p.add_argument("--score", choices=scores.KINDS, default="time", metavar="KIND", help="what the model says: "
                   + ", ".join(scores.KINDS) + ". Default: time")
    p.add_argument("--unit", choices=scores.UNITS, default="us", help="of times. Default: us")
    p.add_argument("--least", type=float, metavar="SCORE", help="what lower scores count as, which throughputs of tuples "
                   "that do not run may be")
    p.add_argument("--check", metavar="FILE", help="measured tuples: scores that rise where their times fall are an error")
    p.add_argument("--tuples", type=_count(1, "all"), default=OF, metavar="N", help=f"of each problem, or all: of {OF} "
                   f"(the default) {BEST} are the fastest, and the others are drawn")
    p.add_argument("--most", type=_count(1), default=16384, metavar="N", help="of a problem with more legal tuples so many "
                   "are drawn, and the model is asked for these. Default: 16384")
    p.add_argument("--made-up", type=_count(0), default=700, metavar="N", help="problems that are made up between those of "
                   "the file, 12 for each of them at most. Default: 700")
    return p


class _Judge:
    """The model at work, and what is told of it"""

    def __init__(self, o: argparse.Namespace) -> None:
        self.o, self.model, self.features = o, files.opened(o.model, o.trust), Features(o.features)
        self.n_flat = self.n_several = self.n_made_up = self.n_problems = self.n_rows = 0
        self.flat: Optional[str] = None
        self.start = self.shown = time.monotonic()

    def times(self, batch: Batch, path: str) -> List[float]:
        n = batch.starts[-1]
        said = scores.plain(self.model.text, self.model.ask(self.features.of(batch.columns, n), n), n)
        return scores.times(said, self.o, lambda i: self.place(batch, i, path))

    def place(self, batch: Batch, i: int, path: str) -> str:
        line = next(line for line, end in zip(batch.lines, batch.starts[1:]) if i < end)
        tuple_ = " ".join(f"{name}={column[i]}" for name, column in batch.plain.items())
        return f"{path}:{line}: {tuple_}" if line > 0 else f"{path}: {'made up: ' * (line < 0)}{tuple_}"

    def check(self, like: Batch) -> None:
        """Do the times of a table of measurements fall with those of the model?"""
        path = self.o.check or has_times(self.o.problems, list(like.plain)) and self.o.problems
        if not path:
            return
        batch, real = measured(self.o.spec, path, like)
        said = self.times(batch, path)
        share, n = scores.agreement(batch.starts, said, real)
        if self.o.check and not n:
            raise Bad(f"{path}: has no two tuples of one problem with different times: it can check nothing")
        if n and share < .5:
            raise Bad(f"{path}: of {n} pairs of tuples only {100 * share:.0f} % have the order of their times: what the "
                      f"model says as --score {self.o.score} rises where times fall; try --score "
                      f"{scores.turned(self.o.score)}")
        if n:
            self.tell(f"{path}: of {n} pairs of tuples {100 * share:.0f} % have the order of their times")

    def tell(self, text: str) -> None:
        print(f"{self.clear()}kpred.judge: {text}", file=sys.stderr)

    @staticmethod
    def clear() -> str:
        return "\r\x1b[K" if sys.stderr.isatty() else ""

    def show(self) -> None:
        if sys.stderr.isatty() and time.monotonic() > self.shown + .5:
            self.shown = time.monotonic()
            seconds = int(self.shown - self.start)
            print(f"{self.clear()}{self.n_problems} problems, {seconds // 60}:{seconds % 60:02}", end="", file=sys.stderr,
                  flush=True)

    def chosen(self, batch: Batch, times: List[float], first: int, end: int) -> List[int]:
        """The rows of a problem that stand in the table"""
        order, n = sorted(range(first, end), key=times.__getitem__), self.o.tuples
        if len(order) > n:
            draw = random.Random(",".join(str(column[first]) for column in batch.plain.values()))
            for i in range(max(n * BEST // OF, 1), n):
                other = i + int(draw.random() * (len(order) - i))
                order[i], order[other] = order[other], order[i]
        return sorted(order[:n])

    def write(self, batch: Batch, out: Any) -> None:
        times = self.times(batch, self.o.problems)
        for line, first, end in zip(batch.lines, batch.starts, batch.starts[1:]):
            rows = self.chosen(batch, times, first, end)
            if len(rows) > 1 and len({times[i] for i in range(first, end)}) == 1:
                self.n_flat, self.flat = self.n_flat + 1, self.flat or self.place(batch, first, self.o.problems)
            out.writerows([*(column[i] for column in batch.plain.values()), repr(times[i])] for i in rows)
            self.n_several, self.n_problems = self.n_several + (len(rows) > 1), self.n_problems + 1
            self.n_rows, self.n_made_up = self.n_rows + len(rows), self.n_made_up + (line < 0)
            self.show()

    def finish(self) -> None:
        if self.n_flat and self.n_flat == self.n_several:
            raise Bad(f"{self.model.text}: says the same of all tuples of each problem: it does not see the parameters")
        if self.n_flat:
            self.tell(f"warning: of {self.n_flat} of {self.n_problems} problems the model says the same of all tuples, "
                      f"such as {self.flat}")
        self.tell(f"{self.o.output}: {self.n_rows} rows of {self.n_problems} problems, {self.n_made_up} of them made up, "
                  f"by {self.model.text}")


def _judged(o: argparse.Namespace) -> None:
    for option, path in (("SPEC", o.spec), ("--problems", o.problems), ("--model", o.model), ("--check", o.check)):
        if path and os.path.exists(path) and os.path.exists(o.output) and os.path.samefile(path, o.output):
            raise Bad(f"-o {o.output}: would overwrite {option} {path}, which is read")
    with written(o.output) as f:
        judge, out = _Judge(o), csv.writer(f, lineterminator="\n")
        for batch in listed(o.spec, o.problems, o.made_up, o.most if o.tuples < MOST else MOST):
            if not judge.n_problems:
                judge.check(batch)
                out.writerow([*batch.plain, "time_us"])
            judge.write(batch, out)
        judge.finish()


def main(words: List[str]) -> int:
    options = _options()
    o = options.parse_args(words)
    if o.least is not None and o.score not in scores.OF_THROUGHPUTS:
        options.error("--least is of throughputs: a time below it would be the fastest")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        _judged(o)
    except Told:
        return 1
    except Bad as e:
        print(f"{_Judge.clear()}kpred.judge: {e}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
