"""packages.py - models of LightGBM, XGBoost and scikit-learn; each package is loaded when a model of it is

SPDX-License-Identifier: MIT

The packages compute the scores. Names of categories become the codes that the model's own file has for them.
"""
import importlib
import json
import re
import warnings
from typing import Any, Dict, Iterator, List, Optional, Sequence, Set, Tuple

from ..convert.numbers import NUMBER, number_text
from ..convert.table import Bad
from .models import Codes, Judge, codes_of, has_names, plain


def package(name: str, what: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as e:
        raise Bad(f"{what}: needs the Python package {name}: {e}") from None


class LightGBM(Judge):
    def __init__(self, text: str, booster: Any) -> None:
        super().__init__(f"{text} (LightGBM, {booster.num_trees()} trees, {booster.num_feature()} features)")
        self._booster, self.n = booster, booster.num_feature()
        self._frame: Optional[Dict[int, Codes]] = None
        names = booster.feature_name()
        self.names = None if all(re.fullmatch(r"Column_\d+", name) for name in names) else names
        head = re.search("^feature_infos=(.*)$", booster.model_to_string(num_iteration=1), re.M)
        self._infos = head[1].split(" ") if head else ["none"] * booster.num_feature()
        self._lists = booster.pandas_categorical or []

    def _fits(self, i: int, values: Set[str], codes: Codes) -> bool:
        """Can a feature of numbers be that list of a frame? Then the file has numbers below its length: [least:most], or
        a:b:c of categories, or none if they were all the same."""
        seen = [float(x) for x in re.findall(r"[^\[\]:]+", self._infos[i].replace("none", ""))]
        return values <= set(codes) and all(-1 <= x < len(codes) for x in seen)

    def _of_frame(self, columns: List[Any]) -> Dict[int, Codes]:
        """The codes of each feature that was a category of a frame. The file has their lists in the order of the features,
        but not of which features they are."""
        lists = [codes_of(self.text, f"of pandas_categorical {of[:3]}", of) for of in self._lists]
        some = [codes for codes in lists if any(text != str(int(code)) for text, code in codes.items())] # not as they are
        texts = [{number_text(str(x)) for x in set(plain(column))} for column in columns]
        named = [i for i, of in enumerate(texts) if not all(NUMBER.fullmatch(text) or text == "nan" for text in of)]
        able = [i for i, of in enumerate(texts) if i in named or any(self._fits(i, of, codes) for codes in some)]
        quoted = [i for i, column in enumerate(columns) if has_names(column)]
        for found, of_them in (named, lists), (able, some), (quoted, lists):
            if len(found) == len(of_them):
                return dict(zip(found, of_them))
        raise Bad(f"{self.text}: pandas_categorical has {len(self._lists)} lists, and it is not clear of which features: "
                  "a function for --features has to return texts for these features and for no others")

    def scores(self, columns: List[Any], n: int) -> Any:
        codes = [None if info[0] == "[" or info == "none" else {code: float(code) for code in info.split(":") if code != "-1"}
                 for info in self._infos]
        if self._frame is None:
            self._frame = self._of_frame(columns)
        return self._booster.predict(self.matrix(columns, [self._frame.get(i, of) for i, of in enumerate(codes)]))


class XGBoost(Judge):
    def __init__(self, text: str, booster: Any) -> None:
        super().__init__(f"{text} (XGBoost, {booster.num_boosted_rounds()} rounds, {booster.num_features()} features)")
        self._booster, self.n, self.names = booster, booster.num_features(), booster.feature_names
        self._types = booster.feature_types or ["q"] * booster.num_features()
        self._codes = self._read_codes()

    def _read_codes(self) -> List[Optional[Codes]]:
        """What the model keeps of a frame's categories, since XGBoost 3.1"""
        codes: List[Optional[Codes]] = [None for _ in self._types]
        if "c" not in self._types:
            return codes
        trees = json.loads(self._booster.save_raw("json"))["learner"]["gradient_booster"]
        kept = (trees.get("gbtree") or trees).get("model", {}).get("cats", {}).get("enc") or []
        for i, of in enumerate(kept):
            ends, values = of.get("offsets"), of["values"]
            if ends:
                values = [bytes(values[a:b]).decode() for a, b in zip(ends, ends[1:])]
            codes[i] = codes_of(self.text, self.name(i), values) if values else None
        return codes

    def scores(self, columns: List[Any], n: int) -> Any:
        xgboost = package("xgboost", self.text)
        return self._booster.predict(xgboost.DMatrix(
            self.matrix(columns, self._codes), feature_names=self.names, feature_types=self._types,
            enable_categorical=True))


def _encoders(x: Any, seen: Set[int]) -> Iterator[Tuple[str, Sequence[Any]]]:
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
