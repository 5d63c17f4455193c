"""failures.py - what counts as a failure: in the place of a time, and in a column that tells of rows

SPDX-License-Identifier: MIT
"""
import functools
import re
from typing import Optional, Tuple

from .units import words

# ---- in the place of a time ----

NUMBER = re.compile(r"\s*[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|inf(?:inity)?|nan(?:\([a-z0-9_]*\))?)",
                    re.ASCII | re.IGNORECASE)
_HEXADECIMAL = re.compile("[-+]?0[xX][0-9a-fA-F]{1,32}")
_NOTHING = {"", "-", "none", "null", "nan", "-nan", "n/a", "na", "nil"}
_FAILED = {"failed", "error", "invalid", "timeout", "inf", "-inf", "infinity", "-infinity", "compilationfailedconfig",
           "runtimefailedconfig", "invalidconfig"}


def number(cell: str) -> Optional[float]:
    """The number that the whole cell is"""
    if _HEXADECIMAL.fullmatch(cell):
        return float(int(cell, 16))
    return float(cell) if NUMBER.fullmatch(cell) and "(" not in cell else None


def is_failure(cell: str) -> bool:
    """What tuners write in the place of a time: of a failure, or of a tuple that was never run"""
    low = cell.lower()
    return low in _NOTHING or low in _FAILED or number(cell) == -1


# ---- cells of a column that tells which rows failed ----

GOOD, BAD, YES, NO, NOTHING, ZERO, ONE, MANY, FRACTION, OTHER = range(10)
_YES = set("true yes y t on ja oui si".split())
_NO = set("false no n f off nein non".split())
_GOOD = set("""ok okay pass passed success successful succeeded correct valid done good fine complete completed
    finished verified works worked match matches matched erfolg erfolgreich bestanden korrekt richtig succes reussi
    exito correcto successo riuscito sucesso""".split())
_BAD = set("""error errors err fail failed fails failure failures incorrect wrong mismatch mismatched crash crashed
    oom timeout out segfault segmentation sigsegv sigabrt sigkill sigfpe sigbus fault invalid unsupported exception
    abort aborted killed nan bad hang hung illegal denied cannot unable not violation overflow fehler fehlgeschlagen
    falsch abgebrochen echec erreur fallo fallido errore erro falha""".split())
_LIBRARIES = {"cuda", "cu", "hip", "cl", "rocm"} # before their words, as in cudaSuccess
_OTHER_GOOD = ("成功", "успех", "успешно", "réussi", "succès", "éxito")
_OTHER_BAD = ("失败", "失敗", "ошибка", "échec")


def _word_of_text(cell: str) -> int:
    """The first word decides, unless a later one is bad; a number behind it is left to the user."""
    is_good = cell.lower() in ("no error", "no errors") or any(w in cell for w in _OTHER_GOOD)
    if any(w in cell for w in _OTHER_BAD):
        return BAD
    if is_good:
        return GOOD
    n = 0
    for word in words(cell):
        if word in _BAD:
            return BAD
        n += word not in _LIBRARIES
        is_good |= n == 1 and word in _GOOD
    return GOOD if is_good and not re.search("[0-9?]", cell) else OTHER


def status_word(cell: str) -> int:
    low = cell.lower()
    if low in _NOTHING:
        return NOTHING
    x = number(cell)
    if x is not None and abs(x) < float("inf"):
        return FRACTION if x != int(x) else MANY if x > 1 or x < 0 else ONE if x > 0 else ZERO
    return YES if low in _YES else NO if low in _NO else _word_of_text(cell)


# ---- names of such columns ----

# That yes and 1 are a success (passed), or a failure (exit_code); that it tells either (status); how wrong a result is
N_GOOD, N_BAD, N_EITHER, N_AMOUNT = "good", "bad", "either", "amount"
_NAMES = {word: kind for kind, names in (
    (N_EITHER, """status state result results outcome verdict code validation validity check checked checks zustand
        ergebnis statut estado stato"""),
    (N_AMOUNT, """diff difference deviation rms rmse mse mae"""),
    (N_BAD, """error errors err errs fail failed fails failure failures crash crashed crashes invalid incorrect
        wrong mismatch mismatches mismatched timeout timeouts timedout exitcode returncode retcode exit return
        rc ret retval signal sig exception exceptions oom segfault segfaults abort aborted killed hang hung
        nan nans bad illegal unsupported errno fault faults broken violation violations rejected"""),
    (N_GOOD, """ok okay isok pass passed success successful succeeded correct correctness valid validated verified
        verify verification works worked compiled compiles completed finished done accepted feasible legal
        runnable matches matched match allclose""")) for word in names.split()}
_BESIDE = set("""is was has are num number n count counts of the total run running runtime compile compilation
    compiler build launch test tests kernel code codes exec execution cuda hip gpu opencl device host output numeric
    numerics numerical reference ref expected memory config value found final process child cmd command job flag
    type msg message text string reason info any""".split())
_AMOUNTS = set("max maximum min abs absolute rel relative mean avg average l sum ulp ulps ratio rate percent rms rmse "
               "mse mae".split())
_WEAK = set("rc ret sig signal code check checks pass match return exit done err".split()) # may well be parameters
_TURNED = {N_GOOD: N_BAD, N_BAD: N_GOOD}


@functools.lru_cache(None)
def status_name(name: str) -> Tuple[str, bool]:
    """The kind of such a name, or "", and whether it may well be that of a parameter. All words of the name have to be
    such ones. A `no` before the others turns them."""
    whole = re.sub("[^a-z0-9]", "", name.lower())[:63]
    is_weak, kind = whole in _WEAK, _NAMES.get(whole, "")
    if kind and kind != N_AMOUNT:
        return kind, is_weak
    found, is_amount, is_turned = "", False, False
    for word in words(name):
        kind, is_no = _NAMES.get(word, ""), word in ("no", "not")
        is_turned |= is_no and not found
        is_amount |= word in _AMOUNTS
        if kind:
            found = kind if found in ("", N_EITHER) else found
        elif not is_no and word not in _AMOUNTS and word not in _BESIDE:
            return "", is_weak
    if is_amount or found == N_AMOUNT:
        is_one = is_amount and found in (N_BAD, N_AMOUNT)
        return N_AMOUNT if is_one else found if is_amount and found == N_GOOD else "", is_weak
    return _TURNED.get(found, found) if is_turned else found, is_weak
