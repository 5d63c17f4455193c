"""csv_rows.py - the records of a CSV text, one at a time, with the line of each

SPDX-License-Identifier: MIT

csv_records.c of the C tools reads such texts, too: cells stand between commas, semicolons, tabs or bars, and empty lines
and the lines of # before the header are passed over.
"""
import csv
import io
from typing import Iterator, List, Sequence

from .table import Bad

_SEPARATORS = ",;\t|"


class Records:
    """The header, and an iterator over the records below it; `at` is the line in which the last one began."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.at, self.line = path, 1, 1
        lines = io.StringIO(text, newline="\n")
        first, passed = "", 0
        while not first.strip("\r\n") or first.startswith("#"):
            first, passed = lines.readline(), passed + 1
            if not first:
                raise Bad(f"{path}: has no header")
        if first.startswith("sep=") and len(first.rstrip("\r\n")) == 5:
            separator, first, passed = first[4], lines.readline(), passed + 1
        else:
            separator = max(_SEPARATORS, key=first.count)
        csv.field_size_limit(len(text) + 1)
        self._lines, self._first, self.line = lines, first, passed
        self._csv = csv.reader(self._all(), delimiter=separator, strict=True)
        self.header: List[str] = next(self, [])

    def _all(self) -> Iterator[str]:
        yield self._first
        yield from self._lines

    def __iter__(self) -> Iterator[List[str]]:
        return self

    def __next__(self) -> List[str]:
        try:
            cells: List[str] = []
            while not cells:
                self.at = self.line + self._csv.line_num
                cells = next(self._csv)
        except csv.Error as e:
            raise Bad(f"{self.path}:{self.at}: {e}") from None
        return cells

    def ragged(self, cells: Sequence[str]) -> str:
        """What is wrong with a record of another length than the header"""
        n, is_long = len(self.header), len(cells) > len(self.header)
        last = min(n, len(cells)) - 1
        return (f'has {len(cells)} cell{"s" if len(cells) > 1 else ""}, the header has {n}: '
                f'{"more follow" if is_long else "the last is"} "{cells[last][:100]}", in column "{self.header[last][:100]}"'
                f'{", the last" if is_long else ""}')
