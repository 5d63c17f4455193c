"""scores.py - from what a model says to times, and whether it can be so

SPDX-License-Identifier: MIT
"""
import argparse
import contextlib
import math
from itertools import permutations
from typing import Any, Callable, Dict, List, Sequence, Tuple

from ..convert.table import Bad

OF_TIMES: Dict[str, Callable[[float], float]] = {"time": float, "log": math.exp, "log2": lambda s: float(2.0 ** s),
                                                 "log10": lambda s: float(10.0 ** s), "log1p": math.expm1}
OF_THROUGHPUTS = {"throughput" if name == "time" else f"{name}-throughput": name for name in OF_TIMES}
KINDS = [*OF_TIMES, *OF_THROUGHPUTS]
UNITS = {"s": 1e6, "ms": 1e3, "us": 1.0, "ns": 1e-3}
LEAST, MOST = 1e-15, 1e15 # of a time, that all numbers computed of it are finite
SOME = 64 # tuples of a problem that are compared in pairs


def plain(model: str, said: Any, n: int) -> List[float]:
    """The n scores as numbers"""
    if hasattr(said, "reshape") and getattr(said, "ndim", 0) == 2 and said.shape[1] == 1:
        said = said.reshape(-1)
    if hasattr(said, "shape") and len(said.shape) != 1:
        raise Bad(f"{model}: has said an array of shape {said.shape}, not a number for each of {n} tuples")
    try:
        numbers = [float(s) for s in (said.tolist() if hasattr(said, "tolist") else said)]
    except (TypeError, ValueError):
        raise Bad(f"{model}: has not said a number for each tuple") from None
    if len(numbers) != n:
        raise Bad(f"{model}: has said {len(numbers)} numbers for {n} tuples")
    return numbers


def _to_time(o: argparse.Namespace) -> Callable[[float], float]:
    """From a score to microseconds, of throughputs in proportion alone"""
    of_times = OF_TIMES[OF_THROUGHPUTS.get(o.score, o.score)]
    if o.score not in OF_THROUGHPUTS:
        return lambda score: of_times(score) * UNITS[o.unit]
    least = -math.inf if o.least is None else o.least
    return lambda score: 1 / of_times(max(score, least))


def _advice(kind: str, score: float) -> str:
    if not math.isfinite(score):
        return "the model, or a feature, is wrong there"
    if kind in OF_THROUGHPUTS:
        return "--least SCORE says as what lower scores count, of tuples that do not run"
    return "--score names what the scores are, such as log or throughput"


def times(said: Sequence[float], o: argparse.Namespace, where: Callable[[int], str]) -> List[float]:
    to_time, found = _to_time(o), [] # type: Callable[[float], float], List[float]
    for i, score in enumerate(said):
        with contextlib.suppress(OverflowError, ZeroDivisionError):
            found.append(to_time(score))
        if len(found) == i or not LEAST < found[i] < MOST:
            raise Bad(f"{where(i)}: the score {score!r} (--score {o.score}) gives no time above 0: "
                      f"{_advice(o.score, score)}")
    return found


def agreement(starts: Sequence[int], said: Sequence[float], real: Sequence[float]) -> Tuple[float, int]:
    """The share of pairs with different times that have the same order, and how many pairs there are"""
    right, n = 0.0, 0
    for first, end in zip(starts, starts[1:]):
        for a, b in permutations(range(first, end, max((end - first) // SOME, 1)), 2):
            if real[a] < real[b]:
                right += 1 if said[a] < said[b] else .5 if said[a] == said[b] else 0
                n += 1
    return right / max(n, 1), n


def turned(kind: str) -> str:
    """The kind that rises where this one falls"""
    return OF_THROUGHPUTS.get(kind) or next(name for name, of in OF_THROUGHPUTS.items() if of == kind)
