"""numbers.py - the one text of a number, as number_text of the C tools has it; tests/fixtures/numbers.txt holds for both

SPDX-License-Identifier: MIT
"""
import math
import re
from typing import Optional

NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?", re.ASCII)
TRUTHS = {"True": "1", "true": "1", "False": "0", "false": "0"}
_HEXADECIMAL = re.compile("[-+]?0[xX][0-9a-fA-F]{1,32}")


def number_text(text: str) -> str:
    """64 for 64.0, 1e-05 for 0.00001, 1 for True. A text that is no number is its own."""
    if not NUMBER.fullmatch(text):
        return TRUTHS.get(text, text)
    is_digits, number = text.lstrip("+-").isdigit(), float(text)
    if abs(number) > 2 ** 63 or not (is_digits or number.is_integer()):
        return text if is_digits or math.isinf(number) else repr(number)
    whole = int(text if is_digits else number)
    return str(whole) if -2 ** 63 <= whole < 2 ** 63 else text if is_digits else repr(number)


def number_of(cell: str) -> Optional[float]:
    """The number that a whole cell is, be it hexadecimal, infinite or nan"""
    if _HEXADECIMAL.fullmatch(cell):
        return float(int(cell, 16))
    is_word = cell.lstrip("+-").lower() in ("inf", "infinity", "nan")
    return float(cell) if is_word or NUMBER.fullmatch(cell.lstrip()) else None
