"""numbers.py - the one text of a number, as number_text of the C tools has it; tests/fixtures/numbers.txt holds for both

SPDX-License-Identifier: MIT
"""
import math
import re

NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?", re.ASCII)
TRUTHS = {"True": "1", "true": "1", "False": "0", "false": "0"}


def number_text(text: str) -> str:
    """64 for 64.0, 1e-05 for 0.00001, 1 for True. A text that is no number is its own."""
    if not NUMBER.fullmatch(text):
        return TRUTHS.get(text, text)
    is_digits, number = text.lstrip("+-").isdigit(), float(text)
    if abs(number) > 2 ** 63 or not (is_digits or number.is_integer()):
        return text if is_digits or math.isinf(number) else repr(number)
    whole = int(text if is_digits else number)
    return str(whole) if -2 ** 63 <= whole < 2 ** 63 else text if is_digits else repr(number)
