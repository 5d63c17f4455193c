#!/usr/bin/env python3
# digits.py - the handwritten digits of scikit-learn as CSV
# SPDX-License-Identifier: MIT
"""Prints scikit-learn's 1,797 handwritten digits: `label`, and the 8 x 8 numbers of an image, row by
row, from 0 to 1 in steps of a sixteenth.

Needs python3-sklearn. The images are those of the UCI data set "Optical Recognition of Handwritten
Digits" (E. Alpaydin, C. Kaynak), its test part.
"""
import sys

try:
    from sklearn.datasets import load_digits
except ImportError:
    sys.exit("digits.py: there is no scikit-learn (Debian: apt-get install python3-sklearn)")


def main():
    """All of them."""
    if len(sys.argv) > 1:
        sys.exit("usage: digits.py >digits.csv\n" + (__doc__ or ""))
    digits = load_digits()
    print("label," + ",".join(f"p{i}" for i in range(digits.data.shape[1])))
    for image, label in zip(digits.data, digits.target):
        print(f"{label}," + ",".join(f"{number / 16:g}" for number in image))


if __name__ == "__main__":
    main()
