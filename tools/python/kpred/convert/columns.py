"""columns.py - which columns of a table hold times

SPDX-License-Identifier: MIT
"""
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from .command import Asked
from .figures import Seen
from .numbers import number_text
from .records import Records
from .units import NONE, RATE, TIME, metric_of_name, words
from .words import PAIRS, REPEATS, Tuple_, fit_value, is_counter, pattern_of, tuple_of

IGNORED, FIELD, PARAM, OTHER = "ignored", "field", "parameter", "other"
CHOICE = "name it with `init --metric NAME`, or with `metric = NAME` in [data] of the spec"
MOST_DISTINCT = 255 # so many values of a column are as good as any number


class Slot(NamedTuple):
    """A column of times, and of a wide table its tuple"""
    at: int
    values: Sequence[str] = ()


class Columns:
    """What the columns of a table are, and which are those of times"""

    def __init__(self, r: Records, asked: Asked, note: Callable[[int, str], None]) -> None:
        self.r, self.asked, self.note = r, asked, note
        self.seen = [Seen(cells, r.lines) for cells in r.columns]
        self.roles = [self._role(name) for name in r.header]
        self.patterns: Dict[str, List[Tuple[int, int]]] = {} # numbers and columns
        for at, (pattern, number) in enumerate(map(pattern_of, r.header)):
            self.patterns.setdefault(pattern, []).append((number, at))
        self.slots: List[Slot] = []
        self.names: List[str] = [] # of parameters that a wide table has in its header
        self.pattern, self.is_wide, self.has_found = "", False, False
        plain, m = [name for name in ("time_us", "time_ms") if name in r.header], asked.metric
        # With a spec time_us or time_ms stands for its column, as in what `ingest` and `tune` write.
        self.wanted = None if asked.has_spec and plain and m not in r.header and m not in self.patterns else m
        plain = [name for name in plain if self.wanted in (None, name)]
        self.plain = plain[0] if plain and not asked.best else None

    def _role(self, name: str) -> str:
        a = self.asked
        if name == "" or name in a.ignored:
            return IGNORED
        return FIELD if name in a.fields or name == "gpu" else PARAM if name in a.params else OTHER

    @property
    def name(self) -> str:
        """What the times are called in messages, and in the spec"""
        return self.pattern or self.r.header[self.slots[0].at]

    def fail(self, what: str) -> Exception:
        return self.r.fail(self.r.header_line, what)

    def _repeats(self, pattern: str) -> List[int]:
        """The columns of this pattern, if their numbers count from 0 or 1"""
        found = [(number, at) for number, at in self.patterns.get(pattern, ()) if self.roles[at] == OTHER
                 and (self.seen[at].has_figures() or not self.seen[at].rows["figure"])]
        numbers = sorted(number for number, _ in found)
        is_count = len(found) > 1 and numbers[0] in (0, 1) and numbers[-1] - numbers[0] == len(found) - 1
        return [at for _, at in found] if is_count else []

    # ---- the choice ----

    def choose(self, status: Set[int]) -> None:
        """Sets the slots; none, if the table has no times. `status`: columns that may tell which rows failed"""
        header, wanted = self.r.header, self.wanted or self.plain
        others = [at for at, role in enumerate(self.roles) if role == OTHER and at not in status]
        if self.wanted is None and "time_us" in header and "time_ms" in header:
            raise self.fail(f'there are columns "time_us" and "time_ms": which one counts? {CHOICE}')
        if wanted is None:
            self._find(others)
            if not self.slots and (self.asked.fields or self.asked.has_spec):
                self._take_wide(others)
        elif wanted in header:
            self.slots = [Slot(header.index(wanted))]
        else:
            self.slots, self.pattern = [Slot(at) for at in self._repeats(wanted) if "*" in wanted], wanted
            if not self.slots:
                self._take_wide(others)
            if not self.slots:
                raise self.fail(f'there is no column "{wanted}" of times or speeds{_near(wanted, header)}')

    def _find(self, others: Sequence[int]) -> None:
        """One column of times is preferred to all rates."""
        found: Dict[str, Dict[str, List[int]]] = {TIME: {}, RATE: {}, NONE: {}}
        for at in others:
            name, s = self.r.header[at], self.seen[at]
            pattern = pattern_of(name)[0]
            kind = metric_of_name(pattern).kind
            is_repeat = kind != NONE or next(words(pattern), "") in REPEATS
            columns = self._repeats(pattern) if is_repeat else []
            kind = (TIME if kind == NONE else kind) if columns else metric_of_name(name).kind
            if s.has_figures() and columns[:1] in ([], [at]):
                found[kind][pattern if columns else name] = columns or [at]
            elif metric_of_name(name).kind != NONE and not s.has_figures() and 2 * s.rows["odd"] > s.n:
                line, cell = s.first["odd"]
                raise self.r.fail(line, f'{name}: value "{cell}": is not a number, like most of the column, whose name '
                                  "is that of a time or a speed: --ignore leaves it out")
        kind = TIME if found[TIME] else RATE
        if len(found[kind]) > 1:
            names = ", ".join(f'"{name}"' for name in found[kind])
            what = "time" if kind == TIME else "speed"
            raise self.fail(f"the columns {names} could all be the {what}: which one counts? {CHOICE}")
        for name, columns in found[kind].items():
            self.slots = [Slot(at) for at in columns]
            self.pattern, self.has_found = name, True

    # ---- wide tables ----

    def is_tuple_of_spec(self, name: str) -> bool:
        """Does the name say a tuple of the spec's parameters, or its only parameter's value?"""
        t, params = tuple_of(name), self.asked.params
        return bool(t and len(t.values) == len(params) and all(n in params for n in t.names)) or (
            len(params) == 1 and not {fit_value(name), number_text(name)}.isdisjoint(self.asked.values))

    def _take_wide(self, others: Sequence[int]) -> None:
        header, params = self.r.header, self.asked.params
        columns = [at for at in others if not is_counter(header[at])
                   and (not self.asked.has_spec or self.is_tuple_of_spec(header[at]))]
        tuples = [tuple_of(header[at]) for at in columns]
        first = tuples[0] if tuples else None
        if len({(t.form, *t.names, len(t.values)) if t else () for t in tuples}) != 1:
            first = None # they do not say tuples of the same parameters
        if len(columns) < 2 or PARAM in self.roles or not all(self._is_wide(at, first) for at in columns):
            return
        values = [t.values if first and t else [fit_value(header[at])] for at, t in zip(columns, tuples)]
        own = [f"p{i + 1}" for i in range(len(values[0]))] if first else ["kernel"]
        self.names = (first.names if first else []) or (list(params) if len(params) == len(own) else own)
        for i, value in enumerate(values):
            if value in values[:i]:
                other = header[columns[values.index(value)]]
                raise self.fail(f'columns "{other}" and "{header[columns[i]]}" are one tuple')
        self.slots = [Slot(at, value) for at, value in zip(columns, values)]
        self.is_wide, self.pattern = True, self.wanted or "time"

    def _is_wide(self, at: int, t: Optional[Tuple_]) -> bool:
        """Do the cells look like times, and not like values of parameters? A single number as a name, or one with
        letters before it, may be the name of any column; fractions are times, of which most are different."""
        s, is_tuple = self.seen[at], bool(t and (t.form == PAIRS or len(t.values) > 1))
        is_sure = self.wanted is not None or self.asked.has_spec or is_tuple
        n, n_distinct = s.rows["figure"], len(s.counts) - ("" in s.counts)
        if t is None and metric_of_name(self.r.header[at]).kind != NONE:
            return False
        if is_sure:
            return s.has_figures() or s.rows["empty"] + s.rows["failure"] == s.n
        are_many = n_distinct >= MOST_DISTINCT or 2 * n_distinct > n
        return s.has_figures() and 2 * s.rows["fraction"] > n and are_many


def _near(text: str, names: Sequence[str]) -> str:
    from difflib import get_close_matches # rarely needed, and slow to load
    found = get_close_matches(text, names, 3)
    return f"; did you mean {' or '.join(found)}?" if found else ""
