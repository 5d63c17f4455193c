"""status.py - which columns of a table tell which rows failed, and what they say of a row

SPDX-License-Identifier: MIT

Names and cells come first (failures.py). Where they leave it open, the rows decide (evidence.py): what nearly all rows
have is success if the others have odd times. A parameter is told by tuples that differ in nothing else. What is still
open is asked.
"""
import re
from collections import Counter
from typing import Dict, List, Optional

from .columns import FIELD, IGNORED, OTHER, PARAM
from .evidence import Evidence, are_contrary, are_told_by_most
from .failures import BAD, FRACTION, GOOD, MANY, N_AMOUNT, N_BAD, N_EITHER, N_GOOD, NO, NOTHING, ONE, YES, ZERO
from .failures import UNKNOWN, is_weak, status_name, status_word
from .numbers import number_of
from .times import Times
from .units import is_measurement
from .words import is_counter, is_tuning

MOST_VALUES, ENOUGH_ROWS = 64, 20
# It does not tell; it does; or the rows still have to show that they do not contradict, which value is success, that it
# is no parameter, and that no value goes with odd times; or the user is asked.
OUT, CLOSED, CHECK, MOST, WORDS, RARE, ASKED = range(7)
_FINE = {GOOD, YES, NOTHING, ZERO, ONE, MANY, FRACTION, UNKNOWN}


def _passes(cell: str, sign: str, value: str) -> bool:
    x, limit = number_of(cell), number_of(value)
    is_so = x is not None and limit is not None and {"=": x == limit, "<=": x <= limit, ">=": x >= limit}[sign]
    return is_so or (sign == "=" and value.lower() == cell.lower())


class Column:
    """A column that may tell: what each of its cells is, how many rows each kind has, and which ones worked"""

    def __init__(self, t: Times, at: int) -> None:
        self.at, self.name, self.role, self.n = at, t.r.header[at], t.roles[at], len(t.r.lines)
        self.kind, self.is_weak = status_name(self.name), is_weak(self.name)
        self.counts, self.state, self.why, self.tells = t.seen[at].counts, OUT, "", False
        told = [re.fullmatch(re.escape(self.name) + "(=|<=|>=)(.*)", word, re.DOTALL) for word in t.asked.success]
        tests = [m.groups() for m in told if m]
        self.is_given = bool(tests) and tests[-1] != ("=", "*")
        self.words: Dict[str, int] = {}
        self.rows: Dict[int, int] = Counter()
        if self._may_tell(t) and self.is_given == bool(tests):
            self.state, self.words = CLOSED, {cell: status_word(cell) for cell in self.counts}
            for cell, word in self.words.items():
                self.rows[word] += self.counts[cell]
        self.has_text = self.rows[GOOD] + self.rows[BAD] + self.rows[UNKNOWN] > 0
        self.is_amount = self.kind == N_AMOUNT or self.rows[FRACTION] > 0
        if self.rows[FRACTION] and not self.is_given and (self.is_weak or self.kind in ("", N_EITHER)):
            self.state = OUT
        self.good = {cell for cell in self.words if self.is_given and any(_passes(cell, *test) for test in tests)}
        if self.state != OUT and not self.is_given:
            self._decide()

    def _may_tell(self, t: Times) -> bool:
        """By its name and role"""
        name = self.name
        if self.role in (FIELD, PARAM) or (self.role == IGNORED and t.asked.has_spec) or self.n == 0:
            return False
        return name not in ("", "time_us", "time_ms", t.wanted) and (self.is_given or bool(self.kind) or not (
            len(self.counts) > MOST_VALUES or is_counter(name) or is_measurement(name) or is_tuning(name)))

    def is_sure(self) -> bool:
        return self.kind != "" or self.state not in (OUT, RARE)

    def _take(self, state: int, *words: int) -> None:
        self.state, self.good = state, {cell for cell, word in self.words.items() if word in words}

    def _ask(self, why: str) -> None:
        self.state, self.why = ASKED, why

    # ---- what names and cells decide ----

    def _decide(self) -> None:
        rows, has_text, n_fine = self.rows, self.has_text, sum(word in _FINE for word in self.words.values())
        has_words = rows[BAD] > 0 and (rows[GOOD] > 0 or "" in self.counts) and (
            rows[GOOD] + rows[BAD] + rows[NOTHING] == self.n)
        is_good = self.kind == N_GOOD and (rows[GOOD] + rows[YES] + rows[ONE] > 0 or not has_text)
        if self.is_amount and rows[ZERO] + rows[NO] == self.n:
            self._take(CLOSED, ZERO, NO)
        elif not self.kind:
            self._take(WORDS if has_words else RARE, GOOD, NOTHING if "" in self.counts else GOOD)
        elif self.is_amount:
            self._ask("nothing says how wrong a result may be")
        elif self.kind == N_BAD: # exit_code, errors, crashed
            is_sure = has_text and rows[NOTHING] + rows[NO] + rows[GOOD] + rows[ZERO] > 0
            self._take(CLOSED if is_sure else CHECK, NOTHING, NO, GOOD, ZERO)
        elif is_good and not rows[MANY]: # passed, correct
            self._take(CLOSED if rows[GOOD] + rows[BAD] else CHECK, GOOD, YES, ONE)
        elif is_good and not self.is_weak:
            self._ask("its numbers are not 0 and 1 alone")
        elif is_good or (self.is_weak and len(self.counts) == 1 and rows[UNKNOWN]):
            self.state = OUT # a number of something, or the name of a code
        elif rows[GOOD]: # status, result
            self._take(CLOSED, GOOD, YES)
        elif rows[YES]:
            self._take(CHECK, YES)
        elif n_fine <= 1 and (rows[BAD] or (n_fine and not rows[NO])):
            self._take(CLOSED, *_FINE)
        elif rows[ZERO] and rows[MANY]:
            self._take(CHECK, ZERO)
        else:
            self.state = MOST if len(self.counts) <= MOST_VALUES else OUT
        if self.state == CLOSED and 2 * rows[UNKNOWN] > self.n and rows[GOOD]:
            self._ask("most rows have words that kpred does not know")

    # ---- what the rows decide ----

    def decide_by(self, rows: Evidence) -> None:
        state, is_number = self.state, self.is_weak and not self.has_text
        if state in (MOST, RARE): # what most rows have is success, if the others are odd, or are a few
            self.good = {max(self.counts, key=self.counts.__getitem__)}
        if state == RARE:
            self.state = OUT
            if self.n >= ENOUGH_ROWS and any(group.are_fast(3) for group in rows.compare(self.at, self.good, 3)) and (
                    not rows.has_twins(self.at, 0.02)):
                self._ask("in each problem one value goes with times that no other row has")
            return
        bad, good = rows.compare(self.at, self.good)
        if (is_number or state == WORDS) and rows.has_twins(self.at, 0.25 if is_number else 0.02):
            self.state = OUT
        elif state == CHECK and good.n == 0 and self.n > self.rows[BAD]:
            self._ask("by its name and cells all rows failed")
        elif state == CHECK and are_contrary(bad, good):
            self._ask("its name says the contrary of what the times say")
        elif state == MOST and (is_number or not are_told_by_most(bad, good, ENOUGH_ROWS)):
            self._ask("neither its name nor the times say which value is success")

    # ---- what is told ----

    def told(self, is_good: Optional[bool]) -> str:
        """ "ok" (4 rows), as far as they are told, each with its first line"""
        shown = [cell for cell in self.counts if is_good is None or (cell in self.good) == is_good]
        texts = []
        for cell in shown[:5]:
            first, n = (cell.splitlines() or [""])[0][:40], self.counts[cell]
            texts.append(f'"{first}{"" if first == cell else "..."}" ({n} row{"s" * (n != 1)})')
        if len(shown) > 5:
            texts.append(f"and {len(shown) - 5} other{'s' * (len(shown) != 6)}")
        return ", ".join(texts) or "nothing"


class Status:
    """The decision: which columns tell, and the words that a spec has to say of them"""

    def __init__(self, t: Times) -> None:
        self.t = t
        self.success: List[str] = []
        self.failures: List[str] = []
        self.columns = [Column(t, at) for at in range(len(t.r.header))]

    def decide(self) -> None:
        t, slots = self.t, {slot.at for slot in self.t.slots}
        for c in self.columns:
            if c.state == RARE and (not slots or t.is_wide):
                c.state = OUT
        tuple_ = [c.at for c in self.columns if c.at not in slots and (c.role in (FIELD, PARAM) or (
            c.role == OTHER and c.state in (OUT, RARE) and not is_counter(c.name) and not is_measurement(c.name)))]
        open_ = [c for c in self.columns if c.state in (CHECK, MOST, WORDS, RARE)]
        rows = Evidence(t, tuple_) if open_ else None
        for c in open_:
            c.decide_by(rows) # type: ignore[arg-type]
        for c in sorted(self.columns, key=lambda c: c.state == ASKED):
            if c.state != OUT:
                self._finish(c)

    def _finish(self, c: Column) -> None:
        is_spared = c.is_amount and any(other.tells for other in self.columns)
        if c.role == IGNORED or (c.state == ASKED and is_spared): # where one column tells it, an amount need not
            c.good, c.tells = set(c.counts), c.role != IGNORED
            self.success.append(c.name + "=*")
            return
        if c.state == ASKED:
            raise self._question(c)
        c.tells = True
        if not c.is_given:
            for cell in c.counts:
                (self.success if cell in c.good else self.failures).append(f"{c.name}={cell}")
            other = "a line `success` in [data] of the spec" if self.t.asked.has_spec else "--success"
            self.t.note(self.t.r.header_line, f'column "{c.name}": tells which rows failed: {c.told(False)} failed, '
                        f"{c.told(True)} worked; {other} says otherwise")
        elif not c.good and self.t.asked.is_only: # words that name no row of the only table are a slip
            raise self.t.fail(f'--success: column "{c.name}": no row has worked: it has {c.told(False)}')

    def _question(self, c: Column) -> Exception:
        """With what answers it: an option, or a line of the spec"""
        has_spec = self.t.asked.has_spec
        test = "=VALUE" if not c.is_amount else ">=LIMIT" if c.kind == N_GOOD else "<=LIMIT"
        option, end = ("`success = ", "`") if has_spec else ("--success ", "")
        mark = '"' if not has_spec or " " in c.name else ""
        rest = ("it does not tell; the line stands in [data] of the spec" if has_spec
                else "it is a parameter, --ignore leaves it out")
        return self.t.fail(f'column "{c.name}" has {c.told(None)}: may it tell which rows failed? {c.why}: '
                           f"{option}{mark}{c.name}{test}{mark}{end} says what worked, "
                           f"{option}{mark}{c.name}=*{mark}{end} that {rest}")
