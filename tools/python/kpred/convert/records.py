"""records.py - the records of a CSV text, as csv_records.c of the C tools has them

SPDX-License-Identifier: MIT

Empty lines are skipped, and so are lines before the header that begin with #. Between cells stands a comma, or else
what the header has: a semicolon, a tab or a vertical bar. Bars may stand around a line as well, and a line of - below
the header. A first line `sep=;` tells what separates the cells.
"""
import csv
import io
import itertools
import re
from typing import Dict, Iterator, List, Tuple

from .table import Bad

_SEPARATORS = ",;\t|"
_SKIPPED = r"(?:\r?\n|#[^\n]*(?:\n|\Z))*"
_BEFORE = re.compile(rf"{_SKIPPED}(?:sep=([{_SEPARATORS}])\r?\n{_SKIPPED})?")
_RULE = re.compile(r"[-+|: ]*-[-+|: ]*\r?\n?")
_ONLY_CR = "the lines of the file end with only CR: they have to end with LF or CRLF"
_MANY = 1 << 16 # texts of a column, of which few are the same
csv.field_size_limit(1 << 30)


def _separator(text: str) -> str:
    """The one of which the header and the row behind it have as many, and most; else the first that the header has"""
    n: Dict[str, List[int]] = {}
    for s in _SEPARATORS:
        rows = csv.reader(io.StringIO(text, newline=None), delimiter=s)
        n[s] = [len(row) for row in itertools.islice(filter(None, rows), 2)] + [0, 0]
    same = [s for s in _SEPARATORS if n[s][0] == n[s][1] > 1]
    return max(same, key=n.__getitem__) if same else next((s for s in _SEPARATORS if n[s][0] > 1), ",")


def _blank(cell: str) -> bool:
    return not cell.strip(" ")


class Rows:
    """The header, and one after the other all rows, with the line where each begins"""

    def __init__(self, path: str, text: str) -> None:
        if "\0" in text:
            raise Bad(f"{path}: is not a text file: it holds a NUL byte")
        self.path, self.text = path, text
        before = _BEFORE.match(text)
        start = before.end() # type: ignore[union-attr]
        self.line = 1 + text.count("\n", 0, start)
        self.separator = before.group(1) or _separator(text[start:start + (1 << 20)]) # type: ignore[union-attr]
        self._start, self.is_boxed = start, False
        rows = self._rows()
        first = next(rows, None)
        if first is None:
            raise Bad(f"{path}: has no header")
        self.header_line, header = first
        self.is_boxed = self.separator == "|" and len(header) > 2 and _blank(header[0]) and _blank(header[-1])
        self.header = self._unboxed(header)
        self.rows = ((line, self._unboxed(row)) for line, row in rows) if self.is_boxed else rows

    def _rows(self) -> Iterator[Tuple[int, List[str]]]:
        lines: Iterator[str] = io.StringIO(self.text, newline="\n")
        lines.seek(self._start) # type: ignore[attr-defined]
        if self.separator == "|": # an empty line is passed over
            lines = ("\n" if i and _RULE.fullmatch(line) else line for i, line in enumerate(lines))
        reader = csv.reader(lines, delimiter=self.separator, strict=True)
        line = self.line
        try:
            for row in reader:
                if row:
                    yield line, row
                line = self.line + reader.line_num
        except csv.Error as e:
            if "new-line" in str(e):
                raise self.fail(line, _ONLY_CR) from None
            raise Bad(f"{self.path}:{line}: {e}") from None

    def _unboxed(self, row: List[str]) -> List[str]:
        is_box = self.is_boxed and len(row) > 2 and _blank(row[0]) and _blank(row[-1])
        return row[1:-1] if is_box else row

    def fail(self, line: int, what: str) -> Bad:
        return Bad(f"{self.path}:{line}: {what}")

    def check_header(self) -> None:
        for i, name in enumerate(self.header):
            if "\r" in name:
                raise self.fail(self.header_line, _ONLY_CR)
            if name in self.header[:i]:
                raise self.fail(self.header_line, f'column "{name}" is given twice')

    def ragged(self, cells: List[str]) -> str:
        """What is wrong with a row of another length than the header"""
        n, last = len(self.header), min(len(self.header), len(cells)) - 1
        told = f'"{cells[last][:100]}", in column "{self.header[last][:100]}"'
        return (f"has {len(cells)} cell{'s' * (len(cells) != 1)}, the header has {n}: "
                + (f"more follow {told}, the last" if len(cells) > n else f"the last is {told}"))


class Records(Rows):
    """All rows by columns; those of another length are refused, or left out."""

    def __init__(self, path: str, text: str, is_lenient: bool) -> None:
        super().__init__(path, text)
        self.is_lenient = is_lenient
        self.lines: List[int] = []
        self.columns: List[List[str]] = [[] for _ in self.header]
        self._read()

    def _read(self) -> None:
        """Cells of one text are one string, so that long tables need little memory."""
        same: List[Dict[str, str]] = [{} for _ in self.header]
        while True:
            part = list(itertools.islice(self.rows, 4096))
            if not part:
                return
            good = [p for p in part if len(p[1]) == len(same)]
            if len(good) < len(part) and not self.is_lenient:
                line, row = next(p for p in part if len(p[1]) != len(same))
                raise self.fail(line, f"the row {self.ragged(row)}")
            self.lines.extend(line for line, _ in good)
            for column, texts, cells in zip(self.columns, same, zip(*(row for _, row in good))):
                column.extend(map(texts.setdefault, cells, cells) if len(texts) < _MANY else cells)

    def tidy(self) -> None:
        """Takes off the blanks around cells, and what cannot stand in a spec out of names."""
        self.header = [re.sub("[\n\t]", " ", name).strip(" ") for name in self.header]
        self.check_header()
        for i, column in enumerate(self.columns):
            if any(cell[:1] == " " or cell[-1:] == " " for cell in set(column)):
                self.columns[i] = [cell.strip(" ") for cell in column]
