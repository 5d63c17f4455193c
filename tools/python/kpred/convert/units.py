"""units.py - what a unit says of figures: times in microseconds, and rates; the words of a column's name

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
_TIMES = {**dict.fromkeys("ns nsec nsecs nanosecond nanoseconds".split(), -3),
          **dict.fromkeys("us usec usecs microsecond microseconds".split(), 0),
          **dict.fromkeys("ms msec msecs millisecond milliseconds milisecond miliseconds".split(), 3),
          **dict.fromkeys("s sec secs second seconds".split(), 6)}
_RATES = ("flops flop/s flops/s b/s bps byte/s bytes/s ib/s ops ops/s op/s cells/s points/s elem/s").split()


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
    for m in _WORD.finditer(name):
        yield _lower(m.group())


def _lower(word: str) -> str:
    return word.replace("\u00b5", "u").replace("\u03bc", "u").lower()


def time_unit(word: str) -> Metric:
    return Metric(TIME, True, _TIMES[word]) if word in _TIMES else Metric()


def rate_unit(word: str) -> Metric:
    """ "gflops", "tflop/s", "gb/s", "gib/s", "tops", "gbps"; of "flops" alone it is not known."""
    if word[:1] in ("k", "m", "g", "t") and word[1:] in _RATES:
        return Metric(RATE, True, 3 * "kmgt".index(word[0]) - 6)
    if "/" in word and word in _RATES:
        return Metric(RATE, True, -9)
    return Metric(RATE, True, 0) if word.endswith(("/s", "/sec", "/second")) or word == "fps" else Metric()


@lru_cache(256)
def metric_of_unit(text: str) -> Metric:
    """Of "ms", "[ns]", "GFLOPS", "GB/s"; of other texts the kind is NONE."""
    m = _UNIT.fullmatch(text)
    if not m:
        return Metric()
    word = _lower(m.group(1))
    return time_unit(word) if word in _TIMES else rate_unit(word)
