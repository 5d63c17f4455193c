"""units.py - what units and names say of figures: times in microseconds, rates, or what else is measured

SPDX-License-Identifier: MIT
"""
import re
from functools import lru_cache
from typing import Iterator, NamedTuple

FAILED_TIME = 1e19 # so long or longer is a failure: old versions of Kernel Tuner write 1e20
NONE, TIME, RATE = "none", "time", "rate"

# A capital behind a small letter begins another word, but in "GiB/s"; \u00b5 and \u03bc are signs for micro.
_WORD = re.compile("[A-Za-z\u00b5\u03bc](?:[a-z\u00b5\u03bc]|(?<![a-z])[A-Z]|[A-Z](?=/)|/(?=[A-Za-z]))*")
_UNIT = re.compile(r"[(\[{ ]*(" + _WORD.pattern + r")[)\]}. ]*")
_POWERS = {word: power for power, names in (
    (-3, "ns nsec nsecs nanosecond nanoseconds"), (0, "us usec usecs microsecond microseconds"),
    (3, "ms msec msecs millisecond milliseconds milisecond miliseconds"), (6, "s sec secs second seconds"),
    ) for word in names.split()}
_WORK = set("flops flop/s flops/s b/s bps byte/s bytes/s ib/s ops ops/s op/s cells/s points/s elem/s".split())
_TIMES = set("time times timing timings duration latency elapsed runtime cycles walltime zeit laufzeit temps".split())
_RATES = set("bandwidth throughput speed speedup perf performance".split())
_SENSORS = set("energy joules power watts temperature occupancy".split())
# Of such a column it is said what is not a time of the kernel.
_OTHERS = set("std stddev stdev sd var err error sigma variance deviation stamp compile compilation overhead "
              "limit".split())


class Metric(NamedTuple):
    """What figures are: of times whether the unit is said, and as the power of ten how many microseconds it has; of
    rates, where more is better, likewise how many billions."""
    kind: str = NONE
    has_unit: bool = False
    power: int = 0

    def us(self, figure: float) -> float:
        """Microseconds of a figure; of a rate the time of as much work as makes a billion of its units in a
        millisecond, so that within one problem the ratios are those of times."""
        ten = 10.0 ** abs(self.power)
        x = figure / ten if self.power < 0 else figure * ten
        return x if self.kind != RATE else 1e6 / x if x else float("inf")


def words(name: str) -> Iterator[str]:
    """The words of a name in small letters, with u for micro; a slash belongs to a word: "gb/s"."""
    for word in _WORD.findall(name):
        yield word.replace("\u00b5", "u").replace("\u03bc", "u").lower()


def _unit(word: str) -> Metric:
    """ "ms", "gflops", "tflop/s", "gb/s", "gib/s", "tops", "gbps"; of "flops" alone it is not known."""
    if word in _POWERS:
        return Metric(TIME, True, _POWERS[word])
    if word[:1] in ("k", "m", "g", "t") and word[1:] in _WORK:
        return Metric(RATE, True, 3 * "kmgt".index(word[0]) - 6)
    if "/" in word and word in _WORK:
        return Metric(RATE, True, -9)
    return Metric(RATE, True) if word.endswith(("/s", "/sec", "/second")) or word == "fps" else Metric()


@lru_cache(256)
def metric_of_unit(text: str) -> Metric:
    """Of "ms", "[ns]", "GFLOPS", "GB/s"; of other texts the kind is NONE."""
    m = _UNIT.fullmatch(text)
    return _unit(next(words(m.group(1)))) if m else Metric()


@lru_cache(256)
def metric_of_name(name: str) -> Metric:
    """Of "latency (ms)", "t_ms", "Kernel time, \u00b5s", "throughput"; a unit tells more than a word. Of "total flops" it
    is not known, that may be work; "time_std" and "compile_time" are no times of a kernel. A single s is that of a
    plural, or a parameter, unless the name speaks of a time."""
    m, is_second, before = Metric(), False, ""
    for word in words(name):
        unit = _unit(word)
        if word in _OTHERS:
            return Metric()
        if word == "s" and before != "per":
            is_second = True
        elif unit.kind == RATE or (unit.kind == TIME and before == "per"):
            m = unit if unit.kind == RATE else Metric(RATE, True)
        elif not m.has_unit and (unit.kind == TIME or word in _RATES or (word in _TIMES and m.kind == NONE)):
            m = unit if unit.kind == TIME else Metric(RATE if word in _RATES else TIME)
        before = word
    return _unit("s") if is_second and m.kind == TIME and not m.has_unit else m


def is_measurement(name: str) -> bool:
    """Does the name speak of a time or a speed, be it that of a compilation, or of what is measured beside them?"""
    return any(word in _TIMES or word in _RATES or word in _SENSORS or (word != "s" and _unit(word).kind != NONE)
               for word in words(name))
