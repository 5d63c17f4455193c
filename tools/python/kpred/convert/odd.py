"""odd.py - tables of times as people make them: wide ones, several times a row, status columns, rates, units in cells

SPDX-License-Identifier: MIT

What a column's commas and its name mean is seen when all its cells are. Decimal commas, marks between thousands, units,
rates, a column for each repeat and a column for each tuple end here; what was guessed is told.
"""
from itertools import repeat
from typing import Iterable, Iterator, List, Sequence

from .columns import FIELD, IGNORED, OTHER, PARAM
from .command import Asked
from .failures import is_failure
from .figures import figure
from .numbers import TRUTHS
from .records import Records
from .status import Status
from .table import Table
from .times import Times
from .units import is_measurement

MOST_VALUES = 128 # of a parameter


# ---- fields and parameters ----

def _plain_cells(t: Times, at: int) -> Sequence[str]:
    """The cells of a field or a parameter. Only figures, of which some are odd, are read as such. Two numbers with a
    comma between them may well be a name where commas separate the cells."""
    s, name, cells = t.seen[at], t.r.header[at], t.r.columns[at]
    is_integer = t.roles[at] == FIELD or name in t.asked.integers
    is_odd = s.rows["plain"] < s.rows["figure"] or ("either." in s.first and is_integer)
    if (t.asked.best or s.rows["figure"] + s.rows["empty"] < s.n or "unit" in s.first or not is_odd
            or t.roles[at] == IGNORED or name in t.asked.texts or (t.r.separator == "," and "," in s.first)):
        return cells
    mark = t.mark_of(name, s.first, is_integer)
    of = {cell: s.figures[cell].plain(mark) if mark and cell else cell for cell in s.counts}
    return [of[cell] for cell in cells]


def _measurements(t: Times, columns: Iterable[int]) -> List[str]:
    """What `init` passes over: columns that measure something else, by their names. A few words, or words alone, are
    those of a parameter."""
    found = []
    for at in columns:
        s, name = t.seen[at], t.r.header[at]
        has_text = any(cell not in s.figures and cell not in TRUTHS and not is_failure(cell) for cell in s.counts)
        is_measured = not has_text or "fraction" in s.first or len(s.counts) > MOST_VALUES
        if t.roles[at] != OTHER or not is_measurement(name) or not is_measured:
            continue
        if not t.slots and t.asked.fields:
            raise t.fail(f'column "{name}": is a measurement, but not of the kernel\'s time or speed: --metric takes '
                         "it for that, --ignore leaves it out; there is no column of times or speeds yet")
        t.note(t.r.header_line, f'column "{name}": is a measurement, by its name: passed over')
        found.append(name)
    return found


def _check_best(t: Times) -> None:
    """A column of times where each row should be the best tuple of its problem"""
    for at, name in enumerate(t.r.header):
        s = t.seen[at]
        n = sum(count for cell, count in s.counts.items() if figure(cell.strip(" ")))
        if t.roles[at] == OTHER and is_measurement(name) and 2 * n > s.n - s.rows["empty"] - s.rows["failure"]:
            raise t.r.fail(1, f'column "{name}": is a measurement, but for the spec\'s `format = {t.asked.best}` each '
                           "row is the best tuple of its problem: for a table of times write `format = timed` into the "
                           'spec and call their column "time_us" or "time_ms"; if each row is the best, leave the '
                           "column out (--lenient ignores it)")


def _no_time(t: Times) -> Exception:
    """There is no column of times in a table for a spec: which of its columns may be that, or what else it may be"""
    for name, role in zip(t.r.header, t.roles):
        if is_measurement(name) and role not in (FIELD, PARAM):
            return t.fail(f'there is no column of times, such as "time_us": `metric = {name}` in [data] of the spec '
                          "takes this column for it")
    return t.fail('there is no column of times, "time_us" or "time_ms": for a table of the best tuple of each problem '
                  "write `format = csv` into the spec")


# ---- rows ----

def _failures(t: Times, status: Status) -> List[str]:
    """What each row failed by, "" if it has not; no list: no column tells."""
    found: List[str] = []
    for c in status.columns:
        if c.tells and len(c.good) < len(c.counts):
            text = {cell: "" if cell in c.good else f"failed: {c.name[:40]}={cell[:60]}" for cell in c.counts}
            own = [text[cell] for cell in t.r.columns[c.at]]
            found = [a or b for a, b in zip(found, own)] if found else own
    return found


def _chosen(t: Times, cells: Sequence[str], failure: str) -> Sequence[int]:
    """The slots of a row that count. Of repeats those with a time do; if none has one, the first failure does, once."""
    if t.is_wide:
        return [i for i, cell in enumerate(cells) if cell]
    found = [] if failure else [i for i, cell in enumerate(cells) if t.has_time(cell)]
    return found or [next((i for i, cell in enumerate(cells) if cell), 0)]


def _rows(t: Times, columns: Sequence[Sequence[str]], failed: Iterable[str]) -> Iterator[Sequence[str]]:
    """A row for each time of a row"""
    raw = zip(*(t.r.columns[slot.at] for slot in t.slots))
    for line, failure, cells, rest in zip(t.r.lines, failed, raw, zip(*columns) if columns else repeat(())):
        for i in _chosen(t, cells, failure):
            yield (str(line), *rest, *t.slots[i].values, failure or t.texts[cells[i]])


def _add_rows(table: Table, t: Times, columns: Sequence[Sequence[str]], failed: List[str]) -> None:
    if len(t.slots) > 1:
        table.add_all(_rows(t, columns, failed or repeat("")))
        return
    times: Iterable[str] = map(t.texts.__getitem__, t.r.columns[t.slots[0].at]) if t.slots else repeat("")
    if failed:
        times = (failure or text for failure, text in zip(failed, times))
    table.add_all(zip(map(str, t.r.lines), *columns, times))


# ---- the whole ----

def _say(table: Table, t: Times, status: Status, ignored: Sequence[str]) -> None:
    if t.slots:
        table.say("time", t.name)
        own = t.name if not t.plain and not t.is_wide else ""
        table.say("metric", t.wanted if t.wanted is not None else own, "rate" if t.is_rate else "time")
    else:
        table.say("untimed")
    for word, texts in (("ignored", ignored), ("success", status.success), ("failures", status.failures)):
        if texts:
            table.say(word, *texts)


def _choose(t: Times, status: Status) -> None:
    """What the columns are"""
    asked = t.asked
    if not asked.best:
        t.choose({c.at for c in status.columns if c.is_sure()})
    if t.slots:
        t.read_kind()
    status.decide()
    if not t.slots and asked.has_spec and not asked.best:
        raise _no_time(t)
    if asked.best and not asked.is_lenient:
        _check_best(t)


def read(path: str, text: str, asked: Asked) -> Table:
    r, table = Records(path, text, asked.is_lenient), Table(path, "table")
    r.check_header()
    if not asked.best:
        r.tidy()

    def note(line: int, what: str) -> None:
        table.say("note", f"{path}:{line}: {what}")
    t = Times(r, asked, note)
    table.say("header", str(r.header_line))
    if asked.has_spec and not asked.best and not set(asked.params) & set(r.header) and not any(
            t.is_tuple_of_spec(name) for name in r.header):
        table.columns = r.header # the spec is of another table, which is told by its columns
        return table
    status = Status(t)
    _choose(t, status)
    slots, tells = {slot.at for slot in t.slots}, {c.at for c in status.columns if c.tells}
    columns = [at for at in range(len(r.header)) if at not in slots and not (asked.has_spec and at in tells)]
    cells = [_plain_cells(t, at) for at in columns]
    ignored = [r.header[at] for at in columns if at in tells]
    if not asked.has_spec:
        ignored += _measurements(t, [at for at in columns if at not in tells])
    _say(table, t, status, ignored)
    table.columns = [r.header[at] for at in columns] + t.names
    t.check()
    _add_rows(table, t, cells, _failures(t, status))
    return table
