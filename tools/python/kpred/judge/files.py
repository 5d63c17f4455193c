"""files.py - from a file, or the name of a function, to a judge

SPDX-License-Identifier: MIT
"""
import bz2
import contextlib
import gzip
import io
import os
import pickle
import re
import zlib
from typing import Any

from ..convert.table import Bad
from .features import NAME, failed, load
from .models import Function, Judge
from .packages import LightGBM, Sklearn, XGBoost, package


class _Silent:
    """What LightGBM prints of an error stands in its exception as well."""
    def info(self, text: str) -> None: ...
    def warning(self, text: str) -> None: ...


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
        return bytes(opener.decompress(data)) if opener and not path.endswith((".pkl", ".joblib")) else data
    except OSError as e:
        raise Bad(f"{path}: {e.strerror or e}") from None
    except (EOFError, ValueError, zlib.error) as e:
        raise Bad(f"{path}: cannot be unpacked: {e}") from None


def _read_lightgbm(path: str, data: bytes) -> Judge:
    for mark, end in (b"tree\n", b"\nend of trees"), (b"\nparameters:", b"\nend of parameters"):
        if mark in data and end not in data:
            raise Bad(f'{path}: the file ends before "{end.decode()[1:]}": it is cut')
    sizes = re.search(rb"(?m)^tree_sizes=(.*)$", data)
    if sizes and len(sizes[1].split()) != data.count(b"\nTree="):
        raise Bad(f"{path}: there are {data.count(b'Tree=')} trees, but tree_sizes has {len(sizes[1].split())}")
    lightgbm = package("lightgbm", path)
    lightgbm.register_logger(_Silent())
    text = data.decode("utf-8")
    child = os.fork() # of a damaged text, LightGBM may end the process
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with contextlib.suppress(Exception):
            lightgbm.Booster(model_str=text)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        raise Bad(f"{path}: LightGBM cannot read it: it is damaged")
    return LightGBM(path, lightgbm.Booster(model_str=text))


def _read_xgboost(path: str, data: bytes) -> Judge:
    booster = package("xgboost", path).Booster()
    booster.load_model(bytearray(data))
    return XGBoost(path, booster)


def _read_pickle(path: str, data: bytes) -> Judge:
    try:
        return _judge_of(path, pickle.loads(data))
    except (pickle.UnpicklingError, ValueError, IndexError, EOFError, KeyError): # joblib's, maybe packed
        return _judge_of(path, package("joblib", path).load(io.BytesIO(data)))


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
