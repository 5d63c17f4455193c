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
    #untimed    rows have no times: the last column has what one failed by, or nothing
    #metric     NAME time|rate: how a spec calls the column of times, where that is not clear
    #success    COLUMN=VALUE...: which rows worked; #failures: which did not
    #note       what the user is told; #guess: so, of the first file alone
    #given      a field that what the user gave is needed for

In a text \\ stands before t, n, r and \\ for a tab, a line's end and itself. Then comes the CSV: the column @at has the
LINE or LINE:COLUMN of the file where a row is from, @runs the single times of a row, in microseconds, and time_us the time,
or a word for a failure: `rejected` is one that was never run, since a condition forbids it. @drop says
of a row why it is left out: a word, DATA_DROPS of tools/data/data.h without DROP_; and behind it, with tabs between them,
the column, the value and what is wrong, if this is an error. Fields that are not known then are empty.
"""
import csv
from typing import Any, Iterable, List, Sequence, TextIO

AT, RUNS, DROP, TIME, REJECTED, FAILED = "@at", "@runs", "@drop", "time_us", "rejected", "failed"
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


class Bad(Exception):
    """The file is wrong; the message names it, and the place."""


class Table:
    """Rows and what is said beside them; `params` is set once, before the first row."""

    def __init__(self, path: str, kind: str) -> None:
        self.path, self.kind = path, kind
        self.said: List[Sequence[str]] = []
        self.columns: List[str] = []
        self.has_runs = self.has_drops = False
        self._rows: Any = []

    def say(self, word: str, *texts: str) -> None:
        self.said.append((word, *texts))

    def add(self, at: str, values: Iterable[str], time: str = "", runs: Sequence[float] = (), drop: str = "") -> None:
        """A row: the values of self.columns, and its time in microseconds or a word"""
        row = [at, *values]
        if self.has_runs:
            row.append(" ".join(map(repr, runs)))
        if self.has_drops:
            row.append(drop)
        row.append(time)
        self._rows.append(row)

    def drop(self, at: str, why: str, *error: str, values: Sequence[str] = ()) -> None:
        """A row that is left out, and of an error the column, the value and what is wrong"""
        drop = "\t".join([why, *(text.replace("\t", " ") for text in error)])
        self.add(at, values or [""] * len(self.columns), drop=drop)

    def texts(self, word: str) -> List[Sequence[str]]:
        """The texts of each line of that word"""
        return [texts for name, *texts in self.said if name == word]

    def add_all(self, rows: Iterable[Sequence[str]]) -> None:
        """All rows of a long table, each with its place and its time"""
        self._rows = rows

    def write(self, out: TextIO) -> None:
        """For kpred-train: the lines, and the CSV if there are columns"""
        for word, *texts in [*([("kind", self.kind)] if self.kind else []), *self.said]:
            out.write("\t".join(["#" + word, *(str(t).translate(_ESCAPES) for t in texts)]) + "\n")
        if self.columns:
            rows = csv.writer(out, lineterminator="\n")
            rows.writerow([AT, *self.columns, *[RUNS][:self.has_runs], *[DROP][:self.has_drops], TIME])
            rows.writerows(self._rows)

    def write_plain(self, out: TextIO) -> None:
        """For users: a table with a column for all that is a field, and none of an importer's own"""
        sizes = self.texts("size") + [("gpu", device[0]) for device in self.texts("device") if device[0]]
        ignored = {name for texts in self.texts("ignored") for name in texts}
        kept = [i for i, name in enumerate(self.columns, 1) if name not in ignored]
        is_timed = not self.texts("untimed")
        for at, *row in self._rows if self.has_drops else ():
            if "\t" in row[-2]:
                raise Bad('{}:{}: {}: value "{}": {}'.format(self.path, at, *row[-2].split("\t")[1:]))
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow([*(name for name, _ in sizes), *(self.columns[i - 1] for i in kept), *[TIME][:is_timed]])
        rows.writerows([*(value for _, value in sizes), *(row[i] for i in kept), *row[-1:][:is_timed]] for row in self._rows
                       if not (self.has_drops and row[-2]) and (is_timed or not row[-1]))
