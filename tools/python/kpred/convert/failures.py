"""failures.py - words of failures: in the place of a time, and in the cells and names of columns that tell of rows

SPDX-License-Identifier: MIT
"""
import re

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

GOOD, BAD, YES, NO, NOTHING, ZERO, ONE, MANY, FRACTION, UNKNOWN = range(10)
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


def status_word(cell: str) -> int:
    """Of a text the first word decides, unless a later one is bad; a number behind it is left to the user."""
    low, x = cell.lower(), number_of(cell)
    if low in _NOTHING:
        return NOTHING
    if x is not None and abs(x) < float("inf"):
        return FRACTION if x != int(x) else MANY if x > 1 or x < 0 else ONE if x > 0 else ZERO
    if low in _YES or low in _NO:
        return YES if low in _YES else NO
    own = [word for word in words(cell) if word not in _LIBRARIES]
    if low in ("no error", "no errors") or (_OTHER_GOOD.search(cell) and not _OTHER_BAD.search(cell)):
        return GOOD
    if _OTHER_BAD.search(cell) or not _BAD.isdisjoint(own):
        return BAD
    return GOOD if own[:1] and own[0] in _GOOD and not re.search("[0-9?]", cell) else UNKNOWN


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


def _fold(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name.lower())


def is_weak(name: str) -> bool:
    """May it well be the name of a parameter?"""
    return _fold(name) in _WEAK


def status_name(name: str) -> str:
    """The kind of such a name, or "". All its words have to be such ones. A `no` before the others turns them."""
    whole, own = _NAMES.get(_fold(name), N_AMOUNT), list(words(name))
    kinds = [_NAMES[word] for word in own if word in _NAMES]
    if whole != N_AMOUNT:
        return whole
    if not kinds or any(word not in _NAMES and word not in _BESIDE for word in own):
        return ""
    kind = next((k for k in kinds if k != N_EITHER), N_EITHER)
    if not _AMOUNTS.isdisjoint(own):
        return {N_BAD: N_AMOUNT, N_EITHER: ""}.get(kind, kind)
    first = next(word for word in own if word in _NAMES or word in ("no", "not"))
    kind = _TURNED.get(kind, kind) if first in ("no", "not") else kind
    return kind if kind != N_AMOUNT else ""
