"""status.py - which columns of a table tell which rows failed, and what they say of a row

SPDX-License-Identifier: MIT

Names and cells come first (failures.py). Where they leave it open, the rows decide (status_rows.py): what nearly all
rows have is success if the others have odd times. A parameter is told by tuples that differ in nothing else. What is
still open is asked.
"""
from typing import Dict, Optional, Sequence

from .columns import FIELD, IGNORED, PARAM
from .failures import BAD, FRACTION, GOOD, MANY, NO, NOTHING, ONE, YES, ZERO
from .failures import N_AMOUNT, N_BAD, N_EITHER, N_GOOD, number, status_name, status_word
from .failures import OTHER as OTHER_WORD
from .figures import cut
from .times import Times
from .words import is_counter, is_measurement, is_tuning

MOST_VALUES, ENOUGH_ROWS = 64, 20
CLOSED, CHECK, MOST, WORDS, RARE, ASKED = range(6) # what the rows still have to show
_TEXTS, _NUMBERS = (GOOD, BAD, OTHER_WORD), (ZERO, ONE, MANY)


def success_test(word: str, name: str) -> str:
    """Of a word of `success` the test, "=ok" or "<=0.1"; "": it is of another column."""
    test = word[len(name):] if word.startswith(name) else ""
    return test if test[:1] == "=" or test[:2] in ("<=", ">=") else ""


def _passes(test: str, cell: str) -> bool:
    value = test[1:] if test[0] == "=" else test[2:]
    limit, x = number(value), number(cell)
    if test[0] == "=" and value.lower() == cell.lower():
        return True
    return limit is not None and x is not None and (
        not (x < limit or x > limit) if test[0] == "=" else x <= limit if test[0] == "<" else x >= limit)


class Column:
    """A column that may tell; `good` are the cells of rows that worked."""

    def __init__(self, t: Times, at: int) -> None:
        self.at, self.name, self.role = at, t.r.header[at], t.roles[at]
        self.kind, self.is_weak = status_name(self.name)
        self.tests = [x for x in (success_test(word, self.name) for word in t.asked.success) if x]
        self.is_given = bool(self.tests) and self.tests[-1] != "=*"
        self.is_ignored, self.open, self.why, self.tells = self.role == IGNORED, CLOSED, "", False
        is_time = self.name in ("time_us", "time_ms", t.wanted)
        self.is_out = (self.name == "" or (bool(self.tests) and not self.is_given) or is_time
                       or self.role in (FIELD, PARAM) or (self.is_ignored and t.asked.has_spec)
                       or (not self.is_given and not self.kind
                           and (is_counter(self.name) or is_measurement(self.name) or is_tuning(self.name))))
        self.counts: Dict[str, int] = {} if self.is_out else t.seen[at].counts
        self.words: Dict[str, int] = {}
        if not self.is_given and not self.kind and len(self.counts) > MOST_VALUES:
            self.is_out = True
        if not self.is_out:
            self.words = {cell: status_word(cell) for cell in self.counts}
            is_fraction = FRACTION in self.words.values()
            self.is_out = is_fraction and not self.is_given and (not self.kind or self.kind == N_EITHER or self.is_weak)
        self.n = t.seen[at].n
        self.is_amount = self.kind == N_AMOUNT or FRACTION in self.words.values()
        self.good = {cell for cell in self.counts if self.is_given and any(_passes(x, cell) for x in self.tests)}

    def rows(self, *words: int) -> int:
        return sum(count for cell, count in self.counts.items() if self.words[cell] in words)

    def has_words(self) -> bool:
        """Are there words for success, or nothing, and for failures, and no others but these?"""
        return bool(self.rows(BAD) and (self.rows(GOOD) or "" in self.counts)
                    and not self.rows(*_NUMBERS, YES, NO, OTHER_WORD))

    def may_tell(self) -> bool:
        return not self.is_out and (self.is_given or bool(self.kind) or self.has_words())

    def take(self, words: Sequence[int], open_: int) -> None:
        self.good = {cell for cell, word in self.words.items() if word in words}
        self.open = open_

    def ask(self, why: str) -> None:
        self.open, self.why = ASKED, why

    # ---- what names and cells decide ----

    def decide(self) -> None:
        if self.is_amount and self.rows(ZERO, NO) == self.n:
            self.take((ZERO, NO), CLOSED)
        elif not self.kind:
            self.take((GOOD, NOTHING) if "" in self.counts else (GOOD,), WORDS if self.has_words() else RARE)
        elif self.is_amount:
            self.ask("nothing says how wrong a result may be")
        elif self.kind == N_BAD: # exit_code, errors, crashed: nothing, no and 0 are a success
            good = NOTHING, NO, GOOD, ZERO
            self.take(good, CLOSED if self.rows(*_TEXTS) and self.rows(*good) else CHECK)
        elif self.kind == N_GOOD:
            self._decide_good()
        else:
            self._decide_either()
        if self.open == CLOSED and not self.is_out and 2 * self.rows(OTHER_WORD) > self.n and self.rows(GOOD):
            self.ask("most rows have words that kpred does not know")

    def _decide_good(self) -> None:
        """passed, correct: yes and 1 are a success."""
        good = GOOD, YES, ONE
        if self.rows(*_TEXTS) and not self.rows(*good):
            self._decide_either()
        elif not self.rows(MANY):
            self.take(good, CLOSED if self.rows(GOOD, BAD) else CHECK)
        elif self.is_weak:
            self.is_out = True
        else:
            self.ask("its numbers are not 0 and 1 alone")

    def _decide_either(self) -> None:
        """status, result"""
        fine = [w for w in range(10) if w not in (BAD, NO)]
        if self.rows(GOOD):
            self.take((GOOD, YES), CLOSED)
        elif self.rows(YES):
            self.take((YES,), CHECK)
        elif self.rows(BAD) and sum(self.words[cell] in fine for cell in self.counts) <= 1:
            self.take(fine, CLOSED)
        elif self.is_weak and len(self.counts) == 1 and self.rows(OTHER_WORD):
            self.is_out = True # the name of a code
        elif not self.rows(NO) and len(self.counts) == 1:
            self.take(fine, CLOSED)
        elif self.rows(ZERO) and self.rows(MANY):
            self.take((ZERO,), CHECK)
        else:
            self.open = MOST
            self.is_out |= len(self.counts) > MOST_VALUES

    def take_most(self) -> None:
        """What most rows have is success, if the others are odd, or are a few."""
        self.good = {max(self.counts, key=lambda cell: self.counts[cell])}

    def told(self, is_good: Optional[bool]) -> str:
        """ "ok" (4 rows), as far as they are told, each with its first line"""
        shown = [cell for cell in self.counts if is_good is None or (cell in self.good) == is_good]
        texts = []
        for cell in shown[:5]:
            first, n = cut(cell.replace("\r", "\n").split("\n")[0], 40), self.counts[cell]
            texts.append(f'"{first}{"" if first == cell else "..."}" ({n} row{"s" * (n != 1)})')
        if len(shown) > 5:
            texts.append(f"and {len(shown) - 5} other{'s' * (len(shown) != 6)}")
        return ", ".join(texts) or "nothing"
