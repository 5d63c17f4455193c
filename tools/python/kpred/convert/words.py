"""words.py - what the names of columns tell: times and speeds, repeats, tuples

SPDX-License-Identifier: MIT
"""
import functools
import re
from typing import List, NamedTuple, Optional, Sequence, Tuple

from .units import NONE, RATE, TIME, Metric, rate_unit, time_unit, words

# ---- names of columns: times, speeds, and what is told beside these ----

_TIMES = set("time times timing timings duration latency elapsed runtime cycles walltime zeit laufzeit temps".split())
_RATES = set("bandwidth throughput speed speedup perf performance".split())
_SENSORS = set("energy joules power watts temperature occupancy".split())
# Of such a column it is said what is not a time of the kernel.
_OTHERS = set("std stddev stdev sd var err error sigma variance deviation stamp compile compilation overhead "
              "limit".split())
_REPEATS = set("run rep repeat repetition trial sample measurement measure iter iteration".split())
_COUNTERS = {"id", "index", "idx", "row", "run", "run_id", "rowid", "row_id", "unnamed: 0", "#"}


def _see_word(word: str, is_per: bool, m: Metric) -> Metric:
    """A unit tells more than a word."""
    time, rate = time_unit(word), rate_unit(word)
    if rate.kind != NONE:
        return rate
    if is_per and time.kind != NONE:
        return Metric(RATE, True, 0)
    if m.has_unit:
        return m
    if time.kind != NONE:
        return time
    if word in _RATES:
        return m._replace(kind=RATE)
    return m._replace(kind=TIME) if word in _TIMES and m.kind == NONE else m


@functools.lru_cache(None)
def metric_of_name(name: str) -> Metric:
    """Of "latency (ms)", "t_ms", "Kernel time, \u00b5s", "throughput". Of "total flops" it is not known, that may be
    work; "time_std" and "compile_time" are no times of a kernel. A single s is that of a plural, or a parameter, unless
    the name speaks of a time."""
    m, is_second, is_per = Metric(), False, False
    for word in words(name):
        if word in _OTHERS:
            return Metric()
        if word == "s" and not is_per:
            is_second = True
        else:
            m = _see_word(word, is_per, m)
        is_per = word == "per"
    return time_unit("s") if is_second and m.kind == TIME and not m.has_unit else m


def is_measurement(name: str) -> bool:
    """Does the name speak of a time or a speed, be it that of a compilation, or of what is measured beside them?"""
    return any(w in _TIMES or w in _RATES or w in _SENSORS or (time_unit(w).kind != NONE and w != "s")
               or rate_unit(w).kind != NONE for w in words(name))


def is_counter(name: str) -> bool:
    return name.lower() in _COUNTERS


_TUNING = re.compile("block|tile|unroll|thread|vec|warp|wave|stage|group|use_|shmem|split|lds|prefetch|pad")
_TUNING_WHOLE = set("bm bn bk bx by bz tx ty tz".split())


def is_tuning(name: str) -> bool:
    low = name[:63].lower()
    return bool(_TUNING.search(low)) or low in _TUNING_WHOLE


# ---- names of columns: repeats and tuples ----

_LAST_NUMBER = re.compile(r"(.*?)(\d+)(\D*)", re.ASCII | re.DOTALL)


@functools.lru_cache(None)
def pattern_of(name: str) -> Optional[Tuple[str, int]]:
    """Of a name with a number: with * in its place, "run* (ms)", and the number"""
    m = _LAST_NUMBER.fullmatch(name)
    return (m.group(1)[:60] + "*" + m.group(3), int(m.group(2))) if m and len(m.group(2)) <= 6 else None


def is_repeat(pattern: str) -> bool:
    return metric_of_name(pattern).kind != NONE or next(words(pattern), "") in _REPEATS


PAIRS, LETTERS, NUMBERS = "pairs", "letters", "numbers"
_BETWEEN = " ;,/|&()[]{}_"
_PAIR = re.compile(r"([^=: ;,]+)[=:]((?:[^ ;,/|&()\[\]{}_]|_(?![A-Za-z][^=: _;,]*=))+)", re.ASCII)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}", re.ASCII)
_LETTER = re.compile(r"([A-Za-z]+)(\d{1,8})(?!\d)[-_ ;,]*", re.ASCII)
_DIGITS = re.compile(r"(\d{1,8})(?!\d)(?=[] x,*;_/:()[X-]|\Z)[] x,*;_/:()[X-]*", re.ASCII)
MOST_PARAMS = 32


class Tuple_(NamedTuple):
    """A tuple as a column's name says it: "BM=64 BN=128", "bm64_bn128", or "64x128" without names"""
    form: str
    names: List[str]
    values: List[str]


def _read(name: str, at: int, item: "re.Pattern[str]", skip: str) -> Optional[List[Tuple[str, ...]]]:
    found: List[Tuple[str, ...]] = []
    while at < len(name):
        m = item.match(name, at)
        if not m:
            return None
        found.append(m.groups())
        at = m.end()
        while at < len(name) and name[at] in skip:
            at += 1
    return found if 0 < len(found) <= MOST_PARAMS else None


def _start(name: str, skip: str) -> int:
    return len(name) - len(name.lstrip(skip))


@functools.lru_cache(None)
def tuple_of(name: str) -> Optional[Tuple_]:
    if len(name.encode("utf-8", "surrogateescape")) > 200:
        return None
    pairs = _read(name, _start(name, _BETWEEN), _PAIR, _BETWEEN)
    if pairs and all(_IDENTIFIER.fullmatch(n) for n, _ in pairs):
        return Tuple_(PAIRS, [n for n, _ in pairs], [v for _, v in pairs])
    letters = _read(name, _start(name, "_- "), _LETTER, "")
    if letters:
        return Tuple_(LETTERS, [n for n, _ in letters], [v for _, v in letters])
    numbers = _read(name, _start(name, "([ "), _DIGITS, "")
    return Tuple_(NUMBERS, [], [v for v, in numbers]) if numbers else None


def fit_value(name: str) -> str:
    """A text that a spec takes as a value, like the name"""
    shown = "".join(c if " " <= c <= "~" and c not in '\\"?' else "_" * len(c.encode("utf-8", "surrogateescape"))
                    for c in name)
    return re.sub(r"/(?=\*)|\*(?=/)", "_", shown)


# ---- names that are near ----

def _distance(a: str, b: str) -> int:
    """How many characters have to be put in, left out, exchanged or swapped with the next one"""
    rows = [[i + j for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i, x in enumerate(a, 1):
        for j, y in enumerate(b, 1):
            rows[i][j] = min(rows[i - 1][j - 1] + (x != y), rows[i - 1][j] + 1, rows[i][j - 1] + 1)
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


def near(text: str, names: Sequence[str]) -> str:
    """ "; did you mean A, B or C?", or "" """
    def fold(name: str) -> str:
        return re.sub("[^a-z0-9]", "", name.lower())[:63]
    x, found = fold(text), []
    most = 1 + len(x) // 7
    for name in names:
        y = fold(name)
        d = _distance(x, y)
        if (len(x) >= 2 or (x and d == 0)) and (d <= most or (len(x) >= 3 and x in y)):
            found.append((min(d, most + 1), name))
    best = [name for _, name in sorted(found, key=lambda f: f[0])[:4]]
    return f"; did you mean {' or '.join(p for p in (', '.join(best[:-1]), best[-1]) if p)}?" if best else ""
