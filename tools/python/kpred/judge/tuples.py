"""tuples.py - legal tuples of problems, as `kpred-train tuples` lists them, and measured ones

SPDX-License-Identifier: MIT
"""
import contextlib
import csv
import io
import os
import re
import shutil
import subprocess
from itertools import chain, repeat
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence, TextIO, Tuple

from ..convert.command import read_text
from ..convert.table import Bad

try:
    import numpy
except ImportError: # functions get lists then
    numpy = None # type: ignore[assignment]

ROWS = 1 << 15 # at once, of whole problems
MOST_KEPT = 1 << 17 # texts
TIMES = re.compile(r"(?i).*(time|flop).*|[mnu]?s")


def array(column: List[Any]) -> Any:
    return column if numpy is None else numpy.array(column)


class Told(Exception):
    """kpred-train has said what is wrong."""


class Batch(NamedTuple):
    """Tuples of some problems: of each problem the line, and where its rows begin, and the end of all; fields and
    parameters as lists, and as arrays where there is NumPy"""
    lines: List[int]
    starts: List[int]
    plain: Dict[str, List[Any]]
    columns: Dict[str, Any]
    n_fields: int


def _batch(names: Sequence[str], problems: Sequence[List[Any]], starts: List[int], rows: Sequence[Any]) -> Batch:
    """problems: fields and the line of each; starts: with the end"""
    sizes = [end - first for first, end in zip(starts, starts[1:])]
    fields = [list(chain.from_iterable(repeat(x, n) for x, n in zip(column, sizes))) for column in zip(*problems)]
    plain = dict(zip(names, [*fields[:-1], *map(list, zip(*rows))]))
    columns = {name: array(column) for name, column in plain.items()}
    return Batch([problem[-1] for problem in problems], starts, plain, columns,
                 len(fields) - 1)


def trainer() -> str:
    """The program kpred-train: of this checkout, or the one that is installed"""
    here = os.path.dirname(os.path.abspath(__file__))
    built = os.path.normpath(os.path.join(here, "..", "..", "..", "..", "build", "kpred-train"))
    found = os.environ.get("KPRED_TRAIN") or (built if os.access(built, os.X_OK) else shutil.which("kpred-train"))
    if not found:
        raise Bad("there is no program kpred-train in PATH; KPRED_TRAIN names another one")
    return found


@contextlib.contextmanager
def _printed(*words: str) -> Iterator[TextIO]:
    """What kpred-train prints; of an error it has said what it is."""
    try:
        program = subprocess.Popen([trainer(), *words], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    except OSError as e:
        raise Bad(f"{trainer()}: {e.strerror}") from None
    with program:
        assert program.stdout
        yield io.TextIOWrapper(program.stdout, "utf-8", newline="")
        if program.wait():
            raise Told


class _Cells(Dict[str, List[Any]]):
    """The cells of a text, which comes again and again: names stand in quotes, and numbers do not."""

    def __missing__(self, text: str) -> List[Any]:
        if len(self) == MOST_KEPT:
            self.clear()
        cells = next(csv.reader([text], quoting=csv.QUOTE_NONNUMERIC))
        return self.setdefault(text, [cell if isinstance(cell, str) else int(cell) for cell in cells])


def listed(spec: str, problems: str, made_up: int, most: int) -> Iterator[Batch]:
    """All legal tuples, some problems at once"""
    cells, rows, starts, asked, start = _Cells(), [], [], [], "\n" # type: ignore[var-annotated]
    with _printed("tuples", spec, "--problems", problems, "--made-up", str(made_up), "--most", str(most)) as text:
        names = cells[text.readline() or '"line"']
        n_fields = names.index("line")
        problem = re.compile('(?:(?:"[^"]*"|[^",]*),){%d}' % (n_fields + 1))
        del names[n_fields]
        for line in text:
            if not line.startswith(start):
                if len(rows) >= ROWS:
                    yield _batch(names, asked, [*starts, len(rows)], rows)
                    rows, starts, asked = [], [], []
                start = problem.match(line)[0] # type: ignore[index]
                starts.append(len(rows))
                asked.append(cells[start[:-1]])
            rows.append(cells[line[len(start):]])
    if rows:
        yield _batch(names, asked, [*starts, len(rows)], rows)


def has_times(path: str, names: Sequence[str]) -> bool:
    """Has a table of problems the parameters and a time as well?"""
    words = [word.strip().strip('"') for word in re.split("[,;\t]", read_text(path).split("\n", 1)[0])]
    return set(names) <= set(words) and any(TIMES.fullmatch(word) for word in words)


def measured(spec: str, path: str, like: Batch) -> Tuple[Batch, List[float]]:
    """The tuples of a table of times, which may be any that kpred-train reads, and their times"""
    n_fields, numbers = like.n_fields, [not isinstance(column[0], str) for column in like.plain.values()]
    with _printed("ingest", spec, "--data", path) as text:
        names, *cells = list(csv.reader(text)) or [[]]
    if names != [*like.plain, "time_us"]:
        raise Bad(f"{spec}: is not a spec with `format = timed`")
    rows = [[int(cell) if is_number else cell for cell, is_number in zip(row, numbers)] for row in cells]
    starts = [i for i, row in enumerate(rows) if i == 0 or row[:n_fields] != rows[i - 1][:n_fields]]
    return _batch(names, [[*rows[i][:n_fields], 0] for i in starts], [*starts, len(rows)],
                  [row[n_fields:] for row in rows]), [float(row[-1]) for row in cells]
