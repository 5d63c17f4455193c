"""packages.py - models of LightGBM, XGBoost and scikit-learn; each package is loaded when a model of it is

SPDX-License-Identifier: MIT

The packages compute the scores. Names of categories become the codes that the model's own file has for them.
"""
import bz2
import gzip
import importlib
import io
import json
import os
import pickle
import re
import warnings
import zlib
from typing import Any, Iterator, List, Optional, Sequence, Tuple

from ..convert.table import Bad
from .features import NAME, failed, load
from .models import Codes, Function, Judge, codes_of, has_names, plain


def _package(name: str, what: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as e:
        raise Bad(f"{what}: needs the Python package {name}: {e}") from None


class LightGBM(Judge):
    def __init__(self, text: str, booster: Any) -> None:
        super().__init__(f"{text} (LightGBM, {booster.num_trees()} trees, {booster.num_feature()} features)")
        self._booster, self.n = booster, booster.num_feature()
        names = booster.feature_name()
        self.names = None if all(re.fullmatch(r"Column_\d+", name) for name in names) else names
        head = re.search("^feature_infos=(.*)$", booster.model_to_string(num_iteration=1), re.M)
        # [least:most] of numbers, a:b:c of categories, none of what is the same in all rows
        self._codes = [None if info[0] == "[" or info == "none" else
                       {code: float(code) for code in info.split(":") if code != "-1"} for info in head[1].split(" ")
                       ] if head else [None] * self.n
        self._lists = booster.pandas_categorical or []

    def _of_pandas(self, columns: List[Any]) -> List[int]:
        """The features with a list of names. The file has the lists in the features' order, but not of which they are."""
        named = [i for i, column in enumerate(columns) if has_names(column)]
        for found in named, sorted({*named, *(i for i, codes in enumerate(self._codes) if codes is not None)}):
            if len(found) == len(self._lists):
                return found
        raise Bad(f"{self.text}: pandas_categorical has {len(self._lists)} lists of categories, and the features of names "
                  f"are {', '.join(str(self.names[i] if self.names else i) for i in named) or 'none'}: a function for "
                  "--features has to return names for all of these, and for no other feature")

    def scores(self, columns: List[Any], n: int) -> Any:
        codes: List[Optional[Codes]] = list(self._codes)
        for i, categories in zip(self._of_pandas(columns), self._lists):
            codes[i] = codes_of(self.text, str(self.names[i] if self.names else i), categories)
        return self._booster.predict(self.matrix(columns, codes))


class XGBoost(Judge):
    def __init__(self, text: str, booster: Any) -> None:
        super().__init__(f"{text} (XGBoost, {booster.num_boosted_rounds()} rounds, {booster.num_features()} features)")
        self._booster, self.n, self.names = booster, booster.num_features(), booster.feature_names
        self._types = booster.feature_types or ["q"] * self.n
        self._codes = self._read_codes() if "c" in self._types else [None] * self.n

    def _read_codes(self) -> List[Optional[Codes]]:
        """What the model keeps of a frame's categories, since XGBoost 3.1"""
        trees = json.loads(self._booster.save_raw("json"))["learner"]["gradient_booster"]
        kept = (trees.get("gbtree") or trees).get("model", {}).get("cats", {}).get("enc") or []
        codes: List[Optional[Codes]] = [None] * self.n
        for i, of in enumerate(kept):
            ends, values = of.get("offsets"), of["values"]
            if ends:
                values = [bytes(values[a:b]).decode() for a, b in zip(ends, ends[1:])]
            codes[i] = codes_of(self.text, self.names[i], values) if values else None
        return codes

    def scores(self, columns: List[Any], n: int) -> Any:
        xgboost = _package("xgboost", self.text)
        return self._booster.predict(xgboost.DMatrix(
            self.matrix(columns, self._codes), feature_names=self.names, feature_types=self._types,
            enable_categorical=True))


def _encoders(x: Any, seen: set) -> Iterator[Tuple[str, Sequence[Any]]]:
    """The categories that parts of a model know, by the names of their columns"""
    if id(x) in seen or not (isinstance(x, (list, tuple, dict)) or hasattr(x, "__dict__")):
        return
    seen.add(id(x))
    if hasattr(x, "categories_") and hasattr(x, "feature_names_in_"):
        yield from zip(x.feature_names_in_, x.categories_)
    for part in x if isinstance(x, (list, tuple)) else (x if isinstance(x, dict) else vars(x)).values():
        yield from _encoders(part, seen)


class Sklearn(Judge):
    """Its own encoders take the names, but some of them take an unknown one without a word."""

    def __init__(self, text: str, model: Any) -> None:
        super().__init__(f"{text} ({type(model).__name__})")
        self._model, self.n = model, getattr(model, "n_features_in_", None)
        names = getattr(model, "feature_names_in_", None)
        self.names = None if names is None else [str(name) for name in names]
        self._categories = list(_encoders(model, set()))

    def scores(self, columns: List[Any], n: int) -> Any:
        numpy = importlib.import_module("numpy")
        for name, known in self._categories:
            strange = set(plain(columns[self.names.index(name)])) - set(plain(known)) if self.names else None
            if strange:
                raise Bad(f"{self.text}: feature {name}: category {sorted(map(str, strange))[0]} is unknown to the model; "
                          f"it knows {', '.join(map(str, known[:20]))}")
        any_names = any(map(has_names, columns))
        matrix = numpy.empty((n, len(columns)), dtype=object if any_names else float)
        for i, column in enumerate(columns):
            matrix[:, i] = plain(column)
        if self.names:
            try:
                matrix = importlib.import_module("pandas").DataFrame(dict(zip(self.names, map(plain, columns))))
            except ImportError: # a model that needs no frame takes its columns in their order
                pass
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self._model.predict(matrix)


def _judge_of(text: str, model: Any) -> Judge:
    """An object of one of the packages, or of anything that predicts"""
    for kind, name in (LightGBM, "booster_"), (XGBoost, "get_booster"):
        if hasattr(model, name):
            inner = getattr(model, name)
            return kind(text, inner() if callable(inner) else inner)
    package = type(model).__module__.split(".")[0]
    if type(model).__name__ == "Booster" and package in ("lightgbm", "xgboost"):
        return (LightGBM if package == "lightgbm" else XGBoost)(text, model)
    if hasattr(model, "predict"):
        return Sklearn(text, model)
    if callable(model):
        return Function(text, model)
    raise Bad(f"{text}: is a {type(model).__name__}, neither a model nor a function")


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as f:
            data = f.read()
        opener = {b"\x1f\x8b": gzip, b"BZ": bz2}.get(data[:2])
        return opener.decompress(data) if opener and not path.endswith((".pkl", ".joblib")) else data # type: ignore
    except OSError as e:
        raise Bad(f"{path}: {e.strerror or e}") from None
    except (EOFError, ValueError, zlib.error) as e:
        raise Bad(f"{path}: cannot be unpacked: {e}") from None


def _read_lightgbm(path: str, data: bytes) -> Judge:
    for mark, end in (b"tree\n", b"\nend of trees"), (b"\nparameters:", b"\nend of parameters"):
        if mark in data and end not in data:
            raise Bad(f'{path}: the file ends before "{end.decode()[1:]}": it is cut')
    lightgbm = _package("lightgbm", path)
    lightgbm.register_logger(_Silent())
    return LightGBM(path, lightgbm.Booster(model_str=data.decode("utf-8", "surrogateescape")))


class _Silent:
    """What LightGBM prints of an error stands in its exception as well."""
    def info(self, text: str) -> None: ...
    def warning(self, text: str) -> None: ...


def _read_xgboost(path: str, data: bytes) -> Judge:
    booster = _package("xgboost", path).Booster()
    booster.load_model(bytearray(data))
    return XGBoost(path, booster)


def _read_pickle(path: str, data: bytes) -> Judge:
    try:
        return _judge_of(path, pickle.loads(data))
    except (pickle.UnpicklingError, ValueError, IndexError, EOFError, KeyError): # joblib's, maybe packed
        return _judge_of(path, _package("joblib", path).load(io.BytesIO(data)))


def opened(text: str, trust: bool) -> Judge:
    if not os.path.exists(text) and NAME.fullmatch(text):
        return _judge_of(f"--model {text}", load("--model", text))
    data = _content(text)
    is_pickle = text.endswith((".pkl", ".pickle", ".joblib")) or data[:1] in (b"\x80", b"\x78")
    if is_pickle and not trust:
        raise Bad(f"{text}: is a pickle, which can run any program when it is loaded: --trust loads it")
    read = _read_pickle if is_pickle else _read_lightgbm if data.startswith(b"tree\n") else _read_xgboost
    if read is _read_xgboost and not data.startswith(b"{"):
        raise Bad(f'{text}: is neither a text of LightGBM, which begins with "tree", JSON or UBJ of XGBoost, a pickle '
                  "nor a joblib file; a function is MODULE:NAME or FILE.py:NAME")
    try:
        return read(text, data)
    except (Bad, KeyboardInterrupt):
        raise
    except (Exception, SystemExit) as e: # pylint: disable=broad-except
        raise failed(text, e) from None
