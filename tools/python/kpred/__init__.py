"""__init__.py - kpred for Python: the most promising tuning parameters of a GPU kernel, from the C library kpred

SPDX-License-Identifier: MIT

    model = kpred.load("conv_asm_1x1u")         or a FILE.h that kpred-train has written
    best = model.predict({"gpu": "gfx906_60", "dir": "F", ...}, k=4)
    best[0].values["k_mult"], best[0].probability
"""
from __future__ import annotations

import array
import collections.abc
import contextlib
import ctypes
import errno
import hashlib
import operator
import os
import re
import shlex
import struct
import subprocess
import tempfile
import threading
import warnings
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from .convert.numbers import NUMBER, TRUTHS, number_text

__all__ = ["Batch", "Error", "Field", "Model", "NotApplicable", "Param", "Prediction", "load", "models", "prune",
           "version"]

Value = Union[int, str]
Problem = Union[Mapping[str, Value], Sequence[Value]]

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(HERE, "libkpred.so")
SOURCE = os.path.join(HERE, "c", "kpred_python.c")
INSTALL = "install kpred again, where there is a C compiler"
FORMAT = 3 # of kpred_model, as _Model has it
NOT_APPLICABLE, INFEASIBLE, BUDGET = -14, -15, -16
SIZE, TOKEN = -11, -12


class Error(ValueError):
    """What is wrong, and where: `status` is that of C or None; `field`, `value` and `limit` are None where C has
    none; `row` is that of a batch."""

    def __init__(self, text: str, status: Optional[int] = None, field: Optional[str] = None, value: Any = None,
                 limit: Optional[int] = None, row: Optional[int] = None) -> None:
        super().__init__(text)
        self.status, self.field, self.value, self.limit, self.row = status, field, value, limit, row


class NotApplicable(Error):
    """The kernel does not apply to the problem, or no legal tuple was found."""


class Field(NamedTuple):
    """A field of a problem: a size, or one of `tokens`"""
    name: str
    tokens: Tuple[str, ...]
    least: int
    most: int
    trained_min: int
    trained_max: int


class Param(NamedTuple):
    name: str
    values: Tuple[Value, ...]


class Prediction(NamedTuple):
    """A tuple: its parameters, its probability, and the library's own name of the kernel that it means, if there is
    one"""
    values: Dict[str, Value]
    probability: float
    kernel: Optional[str]


# ---- what kpred.h declares ----

class _Field(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("tokens", ctypes.POINTER(ctypes.c_char_p)),
                *((name, ctypes.c_int32) for name in ("n_tokens", "least", "most", "trained_min", "trained_max"))]


class _Param(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("values", ctypes.POINTER(ctypes.c_int32)),
                ("names", ctypes.POINTER(ctypes.c_char_p)), ("n_values", ctypes.c_int32)]


class _Model(ctypes.Structure):
    _fields_ = [("format", ctypes.c_uint32), ("id", ctypes.c_uint64), ("name", ctypes.c_char_p),
                ("kernel", ctypes.c_char_p), ("split", ctypes.c_char_p), ("fields", ctypes.POINTER(_Field)),
                ("params", ctypes.POINTER(_Param)), ("n_fields", ctypes.c_uint32), ("n_params", ctypes.c_uint32),
                ("work_words", ctypes.c_uint32), ("state_words", ctypes.c_uint32), ("scale", ctypes.c_uint32),
                ("runs_on", ctypes.c_void_p), ("names", ctypes.c_void_p)]


class _Context(ctypes.Structure):
    _fields_ = [("model", ctypes.c_void_p), ("arena", ctypes.c_void_p)] + [
        (name, ctypes.c_uint32) for name in ("beam", "n_slots", "body", "extrapolated")] + [
        (name, ctypes.c_int32) for name in ("index", "value", "limit")]


class _Work(ctypes.Structure):
    """Of kpred_python.c"""
    _fields_ = [*((name, ctypes.c_void_p) for name in ("ctx", "tuples", "count", "probability", "values")),
                ("n", ctypes.c_size_t), ("is_lenient", ctypes.c_int32)]


TUPLE_WORDS = 33 # of kpred_tuple
MOST_TOLD = 4096 # tuples of a model whose names are kept


def _open(path: str, advice: str) -> ctypes.CDLL:
    size, pointer = ctypes.c_size_t, ctypes.c_void_p
    declared: Tuple[Tuple[Any, ...], ...] = (
        ("kpred_python_model", ctypes.POINTER(_Model), size),
        ("kpred_python_predict", size, pointer, pointer, size),
        ("kpred_python_scores", ctypes.c_int, pointer, pointer, pointer, size, pointer),
        ("kpred_arena_words", size, pointer, size),
        ("kpred_init", ctypes.c_int, pointer, ctypes.c_uint32, pointer, size, pointer, size),
        ("kpred_init_again", ctypes.c_int, pointer, pointer, size, pointer, size),
        ("kpred_touch", None, pointer),
        ("kpred_status_string", ctypes.c_char_p, ctypes.c_int),
        ("kpred_gpu_token", ctypes.c_int32, pointer, ctypes.c_char_p, ctypes.c_int32, pointer),
        ("kpred_kernel_of", ctypes.c_int32, pointer, pointer),
        ("kpred_kernel_name", ctypes.c_char_p, pointer, ctypes.c_int32))
    try:
        library = ctypes.CDLL(path)
        for name, result, *arguments in declared:
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except (AttributeError, OSError) as error:
        raise Error(f"{path}: the shared library of kpred is missing, damaged or for another machine ({error}); "
                    f"{advice}") from None
    return library


def _text(data: Optional[bytes]) -> str:
    return (data or b"").decode("utf-8", "replace")


# ---- numbers and their texts ----

def _places(values: Sequence[Value]) -> Dict[Value, int]:
    """Where each value is: itself, in its text and, if it is a number, in its one text and as a number"""
    places: Dict[Any, int] = {}
    texts = [number_text(str(value)) for value in values]
    for forms in values, [str(value) for value in values], texts:
        for i, form in enumerate(forms):
            places.setdefault(form, i)
    for i, text in enumerate(texts):
        if NUMBER.fullmatch(text):
            places.setdefault(float(text) if re.search("[.e]", text) else int(text), i)
    return places


def _place(value: Any, places: Mapping[Value, int]) -> int:
    """The index of a value, which may be the same number in another form; -1: the model does not know it. torch.compile
    makes a text of a number only where it knows the number."""
    if isinstance(value, (int, float, str)) and value in places:
        return places[value] # type: ignore[index]
    if isinstance(value, (int, float)):
        return -1
    text = str(value)
    return places[text] if text in places else places.get(number_text(text), places.get(text.lower(), -1))


# ---- the library ----

def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read()
    except OSError as error:
        raise Error(f"{path}: {error.strerror}" + (f"; {INSTALL}" if path.startswith(HERE) else "")) from None


def _number_of(path: str) -> int:
    """KPRED_VERSION of a kpred.h"""
    return int(re.search(r"^#define KPRED_VERSION +(\d+)", _read(path), re.M)[1]) # type: ignore[index]


def version_of(path: str) -> str:
    """That of a kpred.h"""
    number = _number_of(path)
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def version() -> str:
    return version_of(os.path.join(HERE, "kpred.h"))


def _words(name: str) -> List[str]:
    """The words of a variable of the environment, which may be quoted"""
    try:
        return shlex.split(os.environ.get(name, ""))
    except ValueError as error:
        raise Error(f"{name}={os.environ[name]}: {error}") from None


def compile_library(headers: Sequence[str], out: str, folders: Sequence[str], source: str) -> None:
    """The shared library of these models. It needs no other one, not even libc."""
    names = []
    for path in headers:
        found = re.search(r"^KPRED_DATA const kpred_model kpred_model_(\w+) = ", _read(path), re.M)
        if not found:
            raise Error(f"{path}: is not a header that kpred-train has written")
        if re.search(r'["\n]', os.path.basename(path)):
            raise Error(f"{path}: a header with such a name cannot be included")
        names.append(found[1])
    with tempfile.TemporaryDirectory() as tmp:
        # A name in an #include cannot have every character, but a link can lead to a folder of any name.
        for i, path in enumerate(headers):
            os.symlink(os.path.dirname(os.path.abspath(path)), os.path.join(tmp, str(i)))
        with open(os.path.join(tmp, "kpred_models.h"), "wb") as f:
            f.writelines(os.fsencode(f'#include "{i}/{os.path.basename(path)}"\n') for i, path in enumerate(headers))
            f.write(f"#define KPRED_PYTHON_MODELS {', '.join(f'&kpred_model_{name}' for name in names)}\n".encode())
        command = [*(_words("CC") or ["cc"]), "-std=c99", "-O2", *_words("CFLAGS"), "-ffreestanding", "-fPIC",
                   "-shared", "-nostdlib", "-Wl,-Bsymbolic", *(f"-I{folder}" for folder in (tmp, *folders)),
                   '-DMODELS="kpred_models.h"', "-xc", source, "-o", out] # -xc: CC may be a compiler of C++
        try:
            done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False,
                                  stdin=subprocess.DEVNULL)
        except OSError as error:
            raise Error(f"{command[0]}: kpred needs a C compiler: {error.strerror}") from None
        if done.returncode:
            line = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:200])
            raise Error(f"{', '.join(headers)[:200]}: does not compile: {line}")


def _folders() -> List[str]:
    """Where "kpred.h" and "../kpred.h" are found"""
    return [HERE, os.path.join(HERE, "c")]


def _digest(path: str, known: Dict[str, bytes]) -> None:
    """The contents of a header and of all that it includes"""
    data = _read(path).encode()
    known[os.path.realpath(path)] = hashlib.sha256(data).digest()
    for name in re.findall(rb'^\s*#\s*include\s*"([^"]+)"', data, re.M):
        for folder in (os.path.dirname(path), *_folders()):
            at = os.path.realpath(os.path.join(folder, os.fsdecode(name)))
            if os.path.exists(at):
                if at not in known:
                    _digest(at, known)
                break


def _cached(path: str) -> str:
    """Where the cache has the shared library of a FILE.h"""
    known: Dict[str, bytes] = {}
    for file in (path, SOURCE):
        _digest(file, known)
    key = repr((*known.values(), os.environ.get("CC"), os.environ.get("CFLAGS"), os.uname().machine,
                struct.calcsize("P")))
    cache = os.environ.get("KPRED_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "kpred")
    return os.path.join(cache, f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.so")


def _is_whole(path: str) -> bool:
    """Is it what _keep wrote, for this user or by root? The loader ends the process where a file is cut off."""
    try:
        with open(path, "rb") as f:
            data, is_of = f.read(), os.fstat(f.fileno())
    except OSError:
        return False
    return (data[-32:] == hashlib.sha256(data[:-32]).digest() and is_of.st_uid in (0, os.geteuid())
            and not is_of.st_mode & 0o022)


def _keep(made: str, path: str) -> bool:
    """Writes a library into the cache, with its hash behind it, whole or not at all; is it there now?"""
    cache, part = os.path.dirname(path), ""
    try:
        if cache.startswith("~"):
            raise OSError(errno.ENOENT, "there is no home")
        os.makedirs(cache, mode=0o700, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=cache, prefix="libkpred-", suffix=".part")
        with open(made, "rb") as f, os.fdopen(handle, "wb") as to:
            data = f.read()
            to.write(data + hashlib.sha256(data).digest())
        os.replace(part, path)
    except OSError as error:
        warnings.warn(f"{cache}: {error.strerror}: kpred keeps no library there, and compiles each time; KPRED_CACHE "
                      "names another folder", RuntimeWarning, stacklevel=4)
        return False
    finally:
        with contextlib.suppress(OSError):
            os.unlink(part)
    return True


def _compiled(path: str) -> ctypes.CDLL:
    """The shared library of a FILE.h, from the cache or made for it"""
    out, advice = _cached(path), f"CC={os.environ.get('CC') or 'cc'} has to be a compiler for this machine"
    if _is_whole(out):
        return _open(out, advice)
    with tempfile.TemporaryDirectory() as tmp:
        made = os.path.join(tmp, "libkpred.so")
        compile_library([path], made, _folders(), SOURCE)
        return _open(out if _keep(made, out) else made, advice)


def _listed(library: ctypes.CDLL) -> Iterator[Tuple[str, Any]]:
    i = 0
    while library.kpred_python_model(i):
        pointer = library.kpred_python_model(i)
        if pointer.contents.format != FORMAT:
            raise Error(f"a model has format {pointer.contents.format}, not {FORMAT}")
        yield _text(pointer.contents.name), pointer
        i += 1


def models() -> List[str]:
    """The names of the models that kpred ships"""
    return [name for name, _ in _listed(_open(LIBRARY, INSTALL))]


def load(model: Union[str, "os.PathLike[str]"]) -> "Model":
    """A shipped model by its name, or that of a FILE.h, which is compiled once"""
    name = os.fspath(model)
    try:
        os.fsencode(name)
    except UnicodeEncodeError: # the locale is that of ASCII; names of files are UTF-8
        name = os.fsdecode(name.encode("utf-8", "surrogateescape"))
    if name.endswith(".h"):
        library = _compiled(name)
        return Model(library, next(_listed(library))[1], os.path.abspath(name))
    library = _open(LIBRARY, INSTALL)
    known = dict(_listed(library))
    if name not in known and os.path.exists(name):
        raise Error(f"{name}: is not the header of a model (FILE.h)", field="model", value=name)
    if name not in known:
        raise Error(f'there is no model "{name}"; there are: {", ".join(known)}', field="model", value=name)
    return Model(library, known[name], name)


# ---- a model ----

def _room(kind: str, n: int) -> Tuple[Any, int]:
    """n words, and where they are; ctypes would make a class for each n, for which a first call would wait."""
    words = array.array(kind, bytes(4 * n))
    return words, words.buffer_info()[0]


class _Asking:
    """A context with its arena, of one thread and one beam; the model's first one has been checked, for all."""

    def __init__(self, model: "Model", beam: int) -> None:
        library, words = model._library, model._library.kpred_arena_words(model._model, beam)
        self.arena, arena_at = _room("i", max(words, 1))
        self.context = _Context()
        self.at = ctypes.addressof(self.context)
        status = (library.kpred_init_again(self.at, model._first.at, beam, arena_at, words) if model._first else
                  library.kpred_init(self.at, model._number, model._model, beam, arena_at, words))
        if status:
            model._fail(status, self.context, [])
        self.tuples, self.tuples_at = _room("i", TUPLE_WORDS * beam)
        self.one = _Buffers(self, 1, beam, len(model.params))


class _Buffers:
    """Room for the answers to n problems"""

    def __init__(self, asking: _Asking, n: int, k: int, params: int, lenient: bool = False) -> None:
        self.count, count_at = _room("i", n)
        self.probability, probability_at = _room("f", n * k)
        self.values, values_at = _room("i", n * k * params)
        self.work = _Work(asking.at, asking.tuples_at, count_at, probability_at, values_at, n, lenient)
        self.at = ctypes.addressof(self.work)


class Batch(Sequence[List[Prediction]]):
    """The answers to many problems. `counts[i]` is the number of tuples, or the negative status of C, and the list of
    such a problem is empty. `probabilities[i, j]` and `values[i, j, p]` are arrays for numpy.asarray; a parameter whose
    values are names has their number there."""

    def __init__(self, model: "Model", n: int, k: int, buffers: Optional[_Buffers]) -> None:
        self._model, self._k, self._buffers = model, k, buffers
        self.counts: Sequence[int] = buffers.count if buffers else array.array("i")
        self.probabilities: Any = memoryview(b"")
        self.values: Any = self.probabilities
        if buffers:
            self.probabilities = memoryview(buffers.probability).cast("B").cast("f", (n, k))
            self.values = memoryview(buffers.values).cast("B").cast("i", (n, k, len(model.params)))

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        i = range(len(self))[i]
        assert self._buffers
        return self._model._predictions(self._buffers, self.counts[i], i * self._k)


class Model:
    """A model at work. All threads may use it."""

    def __init__(self, library: ctypes.CDLL, pointer: Any, source: str) -> None:
        m = pointer.contents
        self._library, self._model, self._source, self._local = library, pointer, source, threading.local()
        self._number = _number_of(os.path.join(HERE, "kpred.h"))
        self.name, self.kernel, self.id = _text(m.name), _text(m.kernel), f"{m.id:016x}"
        self.fields = tuple(Field(
            _text(f.name), tuple(_text(f.tokens[i]) for i in range(f.n_tokens)) if f.tokens else (),
            f.least, f.most, f.trained_min, f.trained_max) for f in m.fields[:m.n_fields])
        self.params = tuple(Param(
            _text(p.name), tuple(_text(p.names[i]) if p.names else p.values[i] for i in range(p.n_values)))
            for p in m.params[:m.n_params])
        self._has_kernels = bool(m.names)
        self._field_names = [f.name for f in self.fields]
        self._tokens: List[Tuple[int, Dict[Any, int]]] = [
            (i, {token: j for j, token in enumerate(f.tokens)}) for i, f in enumerate(self.fields) if f.tokens]
        for _, places in self._tokens:
            if not places.keys() - TRUTHS: # then a number is a truth
                places.update({x: _place(x, _places(tuple(places))) for x in (False, True)})
        self._told: Dict[Tuple[int, ...], Tuple[Dict[str, Value], Optional[str]]] = {}
        # A getter of one name alone gets no tuple.
        self._get = operator.itemgetter(*self._field_names, self._field_names[0])
        self._pack = struct.Struct(f"{len(self.fields)}i").pack
        self._unpack = struct.Struct(f"{len(self.params)}i").unpack_from
        self._predict = library.kpred_python_predict
        self._first: Optional[_Asking] = None
        self._first = self._asking(1, None)

    def __repr__(self) -> str:
        return f"<kpred model {self.name}: {', '.join(self._field_names)} -> {', '.join(p.name for p in self.params)}>"

    def __reduce__(self) -> Any:
        return load, (self._source,)

    # -- what is asked --

    def _asking(self, k: int, beam: Optional[int]) -> _Asking:
        """What the thread has for the beam; without one it is k."""
        most = k if beam is None else beam
        if not (isinstance(k, int) and isinstance(most, int) and 1 <= k <= most):
            raise Error(f"{self.name}: k is {k!r}: it has to be from 1 to the beam" + (
                "" if beam is None else f", {beam!r}"), -13, value=k, limit=beam)
        known: Dict[Any, _Asking] = self._local.__dict__
        if most not in known:
            known[most] = _Asking(self, most)
        return known[most]

    def problem(self, given: Problem) -> "array.array[int]":
        """The numbers of a problem, in the model's order, as C takes them"""
        return array.array("i", self._packed(given))

    def _packed(self, given: Problem) -> bytes:
        if isinstance(given, (dict, collections.abc.Mapping)): # of a dict the first is known sooner
            values = self._in_order(given)
        else:
            values = list(given)
            if len(values) != len(self.fields):
                raise Error(f"{self.name}: wrong number of problem fields: {len(values)}, not {len(self.fields)}: "
                            f"{', '.join(self._field_names)}", -10, value=len(values), limit=len(self.fields))
        numbers = values.copy()
        try:
            for i, known in () if isinstance(given, array.array) else self._tokens:
                numbers[i] = known.get(values[i], values[i])
            return self._pack(*numbers)
        except (TypeError, struct.error):
            numbers = list(map(self._number_in, self.fields, values))
        try:
            return self._pack(*numbers)
        except (TypeError, struct.error):
            raise self._wrong_value(numbers) from None

    @staticmethod
    def _number_in(field: Field, value: Any) -> Any:
        """That of a token or of a size, in whatever form it is; else the value"""
        text, at = number_text(str(value)), _place(value, _places(field.tokens))
        return at if at >= 0 else int(text) if text.lstrip("-").isdecimal() and not field.tokens else value

    def _in_order(self, given: Mapping[str, Value]) -> List[Any]:
        try:
            values = list(self._get(given))
            values.pop()
        except KeyError as missing:
            raise Error(f"{self.name}: field {missing.args[0]} is not given", field=missing.args[0]) from None
        if len(given) != len(values):
            other = next(name for name in given if name not in self._field_names)
            raise Error(f"{self.name}: has no field {other}; its fields are {', '.join(self._field_names)}",
                        field=other, value=given[other])
        return values

    def _wrong_value(self, values: List[Any]) -> Error:
        """Of the first one that is no number of 32 bits"""
        for f, value in zip(self.fields, values):
            try:
                struct.pack("i", value)
            except (TypeError, struct.error):
                break
        if f.tokens:
            return Error(f"{self.name}: {f.name}={value}: unknown token; there are {len(f.tokens)}: "
                         f"{', '.join(f.tokens)}", TOKEN, f.name, value, len(f.tokens))
        if isinstance(value, int):
            return Error(f"{self.name}: {f.name}={value}: size out of range, the limit is {f.most}", SIZE, f.name,
                         value, f.most)
        return Error(f"{self.name}: {f.name}={value!r}: is not an integer", field=f.name, value=value)

    def outside(self, given: Problem) -> List[str]:
        """The fields whose sizes lie outside the range that the model was trained on"""
        return [f.name for f, value in zip(self.fields, self.problem(given))
                if not f.tokens and not f.trained_min <= value <= f.trained_max]

    def gpu(self, arch: str, units: int = 0) -> Tuple[str, bool]:
        """The token of the trained GPU nearest to an architecture ("gfx942:sramecc+", as HIP has it) with so many
        compute units, and whether it is that GPU itself"""
        exact = ctypes.c_int(0)
        token = self._library.kpred_gpu_token(self._model, arch.encode(), units, ctypes.byref(exact))
        if token < 0:
            raise NotApplicable(f"{self.name}: does not know the GPU {arch}", field="gpu", value=arch)
        return self.fields[self._field_names.index("gpu")].tokens[token], bool(exact.value)

    # -- answers --

    def _fail(self, status: int, context: _Context, problem: Sequence[int], row: Optional[int] = None) -> None:
        """Raises the error that C has told."""
        index, value, limit = ((x if x >= 0 or status == SIZE else None) for x in (context.index, context.value,
                                                                                   context.limit))
        text = _text(self._library.kpred_status_string(status))
        field = self.fields[index] if status in (SIZE, TOKEN) and index is not None else None
        if field:
            value = problem[index or 0]
            text = f"{field.name}={value}: {text}, the limit is {limit}"
        elif value is not None and status not in (INFEASIBLE, BUDGET):
            text += f": {value}" + (f", the limit is {limit}" if limit is not None else "")
        kind = NotApplicable if status in (NOT_APPLICABLE, INFEASIBLE, BUDGET) else Error
        where = "" if row is None else f"row {row}: "
        raise kind(f"{self.name}: {where}{text}", status, field and field.name, value, limit, row)

    def _predictions(self, buffers: _Buffers, n: int, at: int) -> List[Prediction]:
        """n tuples, from number `at` of the buffers on"""
        found, width = [], 4 * len(self.params)
        for j in range(at, at + n):
            numbers = self._unpack(buffers.values, j * width)
            values, kernel = self._told.get(numbers) or self._tell(numbers)
            found.append(Prediction(values.copy(), buffers.probability[j], kernel))
        return found

    def _tell(self, numbers: Tuple[int, ...]) -> Tuple[Dict[str, Value], Optional[str]]:
        """The values of a tuple and its kernel; most calls find a tuple that was found before"""
        values: Dict[str, Value] = {p.name: p.values[x] if p.values and isinstance(p.values[0], str) else x
                                    for p, x in zip(self.params, numbers)}
        if len(self._told) >= MOST_TOLD:
            self._told.clear()
        return self._told.setdefault(numbers, (values, self._kernel(numbers)))

    def _kernel(self, numbers: Sequence[int]) -> Optional[str]:
        if not self._has_kernels:
            return None
        kernel = self._library.kpred_kernel_of(self._model, (ctypes.c_int32 * len(numbers))(*numbers))
        return _text(self._library.kpred_kernel_name(self._model, kernel)) or None

    def ready(self, k: int = 1, beam: Optional[int] = None) -> None:
        """Makes and reads what a call with this k and beam needs, so that the thread's next call need not."""
        asking = self._asking(k, beam)
        self._library.kpred_touch(asking.at)
        # A call as it comes, but that the kernel need not apply to this problem
        self._predict(asking.one.at, self._packed({f.name: f.trained_min for f in self.fields}), k)
        self._predictions(asking.one, 1, 0)

    def predict(self, problem: Problem, k: int = 1, beam: Optional[int] = None) -> List[Prediction]:
        """The k most promising legal tuples, best first; there may be fewer. A larger beam searches wider."""
        asking = self._asking(k, beam)
        numbers, one = self._packed(problem), asking.one
        self._predict(one.at, numbers, k)
        count = one.count[0]
        if count < 0:
            self._fail(count, asking.context, array.array("i", numbers))
        return self._predictions(one, count, 0)

    def predict_many(self, problems: Any, k: int = 1, beam: Optional[int] = None, lenient: bool = False) -> Batch:
        """The answers to many problems: a list of them; a mapping from each field to a column or to one value for
        all; or an array of 32-bit integers with a row for each problem, where tokens are their numbers. The first
        problem with an error raises it, unless `lenient`."""
        asking = self._asking(k, beam)
        numbers, n = self._rows(problems)
        if n == 0:
            return Batch(self, 0, k, None)
        buffers = _Buffers(asking, n, k, len(self.params), lenient)
        done = self._predict(buffers.at, numbers.buffer_info()[0], k)
        if not lenient and buffers.count[done - 1] < 0:
            at = (done - 1) * len(self.fields)
            self._fail(buffers.count[done - 1], asking.context, numbers[at:at + len(self.fields)], done - 1)
        return Batch(self, n, k, buffers)

    def _rows(self, problems: Any) -> Tuple["array.array[int]", int]:
        """All numbers, and how many problems they are"""
        numbers = array.array("i")
        if isinstance(problems, Mapping):
            problems = self._columns(problems)
        elif not isinstance(problems, (list, tuple)) and hasattr(problems, "__getitem__"):
            view = self._view(problems)
            numbers.frombytes(view.tobytes())
            return numbers, len(view)
        n = 0
        for row in problems:
            try:
                numbers.extend(self.problem(row))
            except Error as error:
                error.row, error.args = n, (f"row {n}: {error}",)
                raise
            n += 1
        return numbers, n

    def _view(self, problems: Any) -> memoryview:
        try:
            view = memoryview(problems)
        except TypeError:
            view = memoryview(b"")
        if view.format != "i" or view.ndim != 2 or view.shape is None or view.shape[1] != len(self.fields):
            raise Error(f"{self.name}: an array has to be of 32-bit integers, with {len(self.fields)} columns: "
                        f"{', '.join(self._field_names)}")
        return view

    def _columns(self, given: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
        """The rows of columns of the same length; one value stands for all rows."""
        columns = self._in_order(given)
        lengths = {name: len(column) for name, column in zip(self._field_names, columns)
                   if hasattr(column, "__len__") and not isinstance(column, str)}
        if not lengths or len(set(lengths.values())) > 1:
            raise Error(f"{self.name}: columns of different lengths, or none: {lengths}")
        n = next(iter(lengths.values()))
        return zip(*(column if name in lengths else [column] * n for name, column in zip(self._field_names, columns)))

    def scores(self, problem: Sequence[int], tuples: Sequence[int]) -> List[Optional[int]]:
        """How good tuples are that need not be among the best, higher is better; None: one is not legal. The problem
        is given by its numbers, and the tuples, one behind the other, by the indexes of their values (-1: unknown)."""
        asking, width = self._asking(1, None), len(self.params)
        n = len(tuples) // width
        numbers, indexes = array.array("i", problem), array.array("i", tuples)
        scores = (ctypes.c_int32 * n)()
        status = self._library.kpred_python_scores(asking.at, numbers.buffer_info()[0], indexes.buffer_info()[0], n,
                                                   scores)
        if status:
            self._fail(status, asking.context, numbers)
        return [None if score == -2 ** 31 else score for score in scores]


from .prune import prune  # noqa: E402: it needs Model
