"""table.py - what an importer makes of a file: a table in CSV, and what the file says beside it

SPDX-License-Identifier: MIT

kpred-train reads it through a pipe (tools/data/importer.c); `python3 -m kpred.convert` writes it, or a plain CSV file. It
begins with lines of a word and texts, tabs between them:

    #kind       what the file is, "Kernel Tuner cache"
    #kernel     what the file calls the kernel
    #device     its GPU, as the file calls it; without a text the file could say it, and does not
    #size       NAME VALUE: a size of the problem that all rows have
    #fields     columns that are fields of the problem, by the file's own account
    #ignored    columns that are neither fields nor parameters
    #values     PARAMETER VALUE...: the domain that the file declares
    #condition  LINE COLUMN TEXT: what a legal tuple fulfils, in Python's words
    #types      TEXT LINE COLUMN: what else one kernel's files have in common, and where this one says it
    #untold     the file does not say the unit of its times
    #metric     NAME time|rate: how a spec calls the column of times, where that is not clear
    #success    COLUMN=VALUE...: which rows worked; #failures: which did not
    #note       what the user is told

In a text \\ stands before t, n, r and \\ for a tab, a line's end and itself. Then comes the CSV: the column @at has the
LINE or LINE:COLUMN of the file where a row is from, @runs the single times of a row, in microseconds, and time_us the time,
or a word for a failure: `rejected` is one that was never run, since a condition forbids it.
"""
import csv
from typing import Iterable, List, Sequence, TextIO

AT, RUNS, TIME, REJECTED, FAILED = "@at", "@runs", "time_us", "rejected", "failed"
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


class Bad(Exception):
    """The file is wrong; the message names it, and the place."""


class Table:
    """Rows and what is said beside them; `params` is set once, before the first row."""

    def __init__(self, path: str, kind: str) -> None:
        self.path, self.kind = path, kind
        self.said: List[Sequence[str]] = []
        self.columns: List[str] = []
        self.has_runs = False
        self._rows: List[List[str]] = []

    def say(self, word: str, *texts: str) -> None:
        self.said.append((word, *texts))

    def add(self, at: str, values: Iterable[str], time: str, runs: Sequence[float] = ()) -> None:
        """A row: the values of self.columns, and its time in microseconds or a word"""
        row = [at, *values]
        if self.has_runs:
            row.append(" ".join(map(repr, runs)))
        row.append(time)
        self._rows.append(row)

    def texts(self, word: str) -> List[Sequence[str]]:
        """The texts of each line of that word"""
        return [texts for name, *texts in self.said if name == word]

    def write(self, out: TextIO) -> None:
        """For kpred-train: the lines, and the CSV if there are columns"""
        for word, *texts in [("kind", self.kind), *self.said]:
            out.write("\t".join(["#" + word, *(str(t).translate(_ESCAPES) for t in texts)]) + "\n")
        if self.columns:
            rows = csv.writer(out, lineterminator="\n")
            rows.writerow([AT, *self.columns, *([RUNS] if self.has_runs else []), TIME])
            rows.writerows(self._rows)

    def write_plain(self, out: TextIO) -> None:
        """For users: a table with a column for all that is a field, and none of an importer's own"""
        sizes = self.texts("size") + [("gpu", device[0]) for device in self.texts("device") if device[0]]
        n = 1 + len(self.columns)
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow([*(name for name, _ in sizes), *self.columns, TIME])
        rows.writerows([*(value for _, value in sizes), *row[1:n], row[-1]] for row in self._rows)
