"""failures.py - words of failures: in the place of a time, and in the cells and names of columns that tell of rows

SPDX-License-Identifier: MIT
"""
import re
from typing import Tuple

from .numbers import number_of
from .units import words

# ---- in the place of a time ----

_NOTHING = {"", "-", "none", "null", "nan", "-nan", "n/a", "na", "nil"}
_FAILED = {"failed", "error", "invalid", "timeout", "inf", "-inf", "infinity", "-infinity", "compilationfailedconfig",
           "runtimefailedconfig", "invalidconfig"}


def is_failure(cell: str) -> bool:
    """What tuners write in the place of a time: of a failure, or of a tuple that was never run"""
    low = cell.lower()
    return low in _NOTHING or low in _FAILED or number_of(cell) == -1


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
_OTHER_GOOD = re.compile("成功|успех|успешно|réussi|succès|éxito")
_OTHER_BAD = re.compile("失败|失敗|ошибка|échec")
_LIBRARIES = {"cuda", "cu", "hip", "cl", "rocm"} # before their words, as in cudaSuccess


def _word_of_text(cell: str) -> int:
    """The first word decides, unless a later one is bad; a number behind it is left to the user."""
    if cell.lower() in ("no error", "no errors"):
        return GOOD
    own = [word for word in words(cell) if word not in _LIBRARIES]
    if _OTHER_BAD.search(cell) or (not _OTHER_GOOD.search(cell) and not _BAD.isdisjoint(own)):
        return BAD
    is_good = _OTHER_GOOD.search(cell) or (own[:1] and own[0] in _GOOD and not re.search("[0-9?]", cell))
    return GOOD if is_good else OTHER


def status_word(cell: str) -> int:
    low, x = cell.lower(), number_of(cell)
    if low in _NOTHING:
        return NOTHING
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
_AMOUNTS = set("max maximum min abs absolute rel relative mean avg average l sum ulp ulps ratio rate percent rms rmse "
               "mse mae".split())
_BESIDE = _AMOUNTS.union("""is was has are num number n count counts of the total run running runtime compile
    compilation compiler build launch test tests kernel code codes exec execution cuda hip gpu opencl device host output
    numeric numerics numerical reference ref expected memory config value found final process child cmd command job flag
    type msg message text string reason info any no not""".split())
_WEAK = set("rc ret sig signal code check checks pass match return exit done err".split()) # may well be parameters
_TURNED = {N_GOOD: N_BAD, N_BAD: N_GOOD}


def status_name(name: str) -> Tuple[str, bool]:
    """The kind of such a name, or "", and whether it may well be that of a parameter. All words of the name have to be
    such ones. A `no` before the others turns them."""
    whole, own = re.sub("[^a-z0-9]", "", name.lower())[:63], list(words(name))
    is_weak, kind = whole in _WEAK, _NAMES.get(whole, "")
    if kind and kind != N_AMOUNT:
        return kind, is_weak
    kinds = [_NAMES[word] for word in own if word in _NAMES]
    if not kinds or any(word not in _NAMES and word not in _BESIDE for word in own):
        return "", is_weak
    kind = next((k for k in kinds if k != N_EITHER), N_EITHER)
    is_amount = not _AMOUNTS.isdisjoint(own)
    if is_amount or kind == N_AMOUNT:
        is_one = is_amount and kind in (N_BAD, N_AMOUNT)
        return N_AMOUNT if is_one else kind if is_amount and kind == N_GOOD else "", is_weak
    first = next(word for word in own if word in _NAMES or word in ("no", "not"))
    return _TURNED.get(kind, kind) if first in ("no", "not") else kind, is_weak
