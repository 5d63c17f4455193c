"""columns.py - which columns of a table hold times, and what these are

SPDX-License-Identifier: MIT
"""
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from .command import Asked
from .figures import Seen
from .records import Records
from .units import NONE, RATE, TIME
from .words import NUMBERS, PAIRS, Tuple_, fit_value, is_counter, is_repeat, metric_of_name, near, pattern_of, tuple_of

IGNORED, FIELD, PARAM, OTHER = "ignored", "field", "parameter", "other"
CHOICE = "name it with `init --metric NAME`, or with `metric = NAME` in [data] of the spec"
MOST_DISTINCT = 255 # so many values of a column are as good as any number
Values = Sequence[str]


class Slot(NamedTuple):
    """A column of times, and of a wide table its tuple"""
    at: int
    values: Values = ()


class Columns:
    """What the columns of a table are, and which are those of times"""

    def __init__(self, r: Records, asked: Asked, note: Callable[[int, str], None]) -> None:
        self.r, self.asked, self.note = r, asked, note
        self.seen = [Seen(cells, r.lines) for cells in r.columns]
        self.roles = [self._role(name) for name in r.header]
        self.slots: List[Slot] = []
        self.names: List[str] = [] # of parameters that a wide table has in its header
        self.pattern, self.is_wide, self.has_found = "", False, False
        self.wanted = self._wanted()
        plain = [name for name in ("time_us", "time_ms") if name in r.header and self.wanted in (None, name)]
        self.plain = r.header.index(plain[0]) if plain and not asked.best else -1
        self.may_be_status: Callable[[int], bool] = lambda at: False

    def _role(self, name: str) -> str:
        a = self.asked
        if name == "" or name in a.ignored:
            return IGNORED
        return FIELD if name in a.fields or name == "gpu" else PARAM if name in a.params else OTHER

    def _wanted(self) -> Optional[str]:
        """With a spec time_us or time_ms stands for its column, as in what `ingest` and `tune` write."""
        header, metric = self.r.header, self.asked.metric
        patterns = [(pattern_of(name) or ("",))[0] for name in header]
        is_there = not self.asked.has_spec or metric in header or metric in patterns
        return metric if is_there or ("time_us" not in header and "time_ms" not in header) else None

    @property
    def name(self) -> str:
        """What the times are called in messages, and in the spec"""
        return self.pattern or self.r.header[self.slots[0].at]

    def _fail(self, what: str) -> Exception:
        return self.r.fail(self.r.header_line, what)

    # ---- repeats ----

    def _repeats(self, pattern: str) -> List[int]:
        """The columns of this pattern, if their numbers count from 0 or 1"""
        found = [(at, p[1]) for at, p in enumerate(map(pattern_of, self.r.header))
                 if p and p[0] == pattern and self.roles[at] == OTHER
                 and (self.seen[at].has_figures() or not self.seen[at].n_figures)]
        numbers = [number for _, number in found]
        is_count = len(found) > 1 and min(numbers) < 2 and max(numbers) == min(numbers) + len(found) - 1
        return [at for at, _ in found] if is_count else []

    def _repeats_of(self, at: int) -> Tuple[str, List[int]]:
        """The pattern that the column is one of, and its columns"""
        found = pattern_of(self.r.header[at])
        return (found[0], self._repeats(found[0])) if found and is_repeat(found[0]) else ("", [])

    def _take(self, pattern: str, columns: Sequence[int]) -> None:
        self.slots = [Slot(at) for at in columns]
        self.pattern = pattern

    # ---- the choice ----

    def choose(self) -> None:
        """Sets the slots; none, if the table has no times."""
        header = self.r.header
        if self.wanted is None and "time_us" in header and "time_ms" in header:
            raise self._fail(f'there are columns "time_us" and "time_ms": which one counts? {CHOICE}')
        wanted = self.wanted if self.wanted is not None else header[self.plain] if self.plain >= 0 else None
        if wanted is None:
            self._find()
            if not self.slots and (self.asked.fields or self.asked.has_spec):
                self._take_wide()
        elif wanted in header:
            self._take("", [header.index(wanted)])
        else:
            columns = self._repeats(wanted) if "*" in wanted else []
            if columns:
                self._take(wanted, columns)
            else:
                self._take_wide()
            if not self.slots:
                raise self._fail(f'there is no column "{wanted}" of times or speeds{near(wanted, header)}')

    def _find(self) -> None:
        """One column of times is preferred to all rates."""
        found: Dict[str, List[Tuple[str, List[int]]]] = {TIME: [], RATE: []}
        for at, name in enumerate(self.r.header):
            if self.roles[at] != OTHER or self.may_be_status(at):
                continue
            pattern, columns = self._repeats_of(at)
            kind = metric_of_name(pattern if columns else name).kind
            kind = TIME if kind == NONE and columns else kind
            if kind != NONE and (not columns or columns[0] == at) and self.seen[at].has_figures():
                found[kind].append((pattern if columns else name, columns or [at]))
            self._check_readable(at, name)
        kind = TIME if found[TIME] else RATE
        if len(found[kind]) > 1:
            names = ", ".join(f'"{name}"' for name, _ in found[kind])
            what = "time" if kind == TIME else "speed"
            raise self._fail(f"the columns {names} could all be the {what}: which one counts? {CHOICE}")
        for name, columns in found[kind]:
            self._take(name if len(columns) > 1 else "", columns)
        self.has_found = bool(self.slots)

    def _check_readable(self, at: int, name: str) -> None:
        """A column that is called a time, but whose cells nobody can read"""
        s = self.seen[at]
        if metric_of_name(name).kind != NONE and not s.has_figures() and 2 * s.n_odd > s.n:
            line, cell = s.first["odd"]
            raise self.r.fail(line, f'{name}: value "{cell}": is not a number, like most of the column, whose name is '
                              "that of a time or a speed: --ignore leaves it out")

    # ---- wide tables ----

    def is_tuple_of_spec(self, name: str) -> bool:
        """Does the name say a tuple of the spec's parameters, or its only parameter's value?"""
        t, params = tuple_of(name), self.asked.params
        return bool(t and len(t.values) == len(params) and all(n in params for n in t.names)) or (
            len(params) == 1 and fit_value(name) in self.asked.values)

    def _take_wide(self) -> None:
        header, params = self.r.header, self.asked.params
        columns = [at for at, name in enumerate(header) if self.roles[at] == OTHER and not is_counter(name)
                   and not self.may_be_status(at) and (not self.asked.has_spec or self.is_tuple_of_spec(name))]
        tuples = [tuple_of(header[at]) for at in columns]
        first = tuples[0] if tuples else None
        if len({(t.form, *t.names, len(t.values)) if t else () for t in tuples}) != 1:
            first = None # they do not say tuples of the same parameters
        if len(columns) < 2 or PARAM in self.roles or not self._are_wide(columns, first):
            return
        values = [t.values if first and t else [fit_value(header[at])] for at, t in zip(columns, tuples)]
        n, is_named = len(values[0]), first is not None and first.form != NUMBERS
        own = [f"p{i + 1}" for i in range(n)] if first else ["kernel"]
        self.names = first.names if is_named and first else list(params) if len(params) == n else own
        for i, value in enumerate(values):
            if value in values[:i]:
                other = header[columns[values.index(value)]]
                raise self._fail(f'columns "{other}" and "{header[columns[i]]}" are one tuple')
        self.slots = [Slot(at, value) for at, value in zip(columns, values)]
        self.is_wide, self.pattern = True, self.wanted or "time"

    def _are_wide(self, columns: Sequence[int], t: Optional[Tuple_]) -> bool:
        """Do the cells look like times, and not like values of parameters? A single number as a name, or one with
        letters before it, may be the name of any column; fractions are times, of which most are different."""
        is_sure = self.wanted is not None or self.asked.has_spec or bool(t and (t.form == PAIRS or len(t.values) > 1))
        for at in columns:
            s = self.seen[at]
            distinct = len(s.counts) - (s.n_empty > 0)
            are_many = distinct >= MOST_DISTINCT or 2 * distinct > s.n_figures
            are_times = s.has_figures() and (is_sure or (2 * s.n_fractions > s.n_figures and are_many))
            if not s.n_figures:
                are_times = is_sure and s.n_empty + s.n_failures == s.n
            if not are_times or (t is None and metric_of_name(self.r.header[at]).kind != NONE):
                return False
        return True
