"""__init__.py - kpred.judge: what a model of the user's says of legal tuples, as a table that `kpred-train train --judge` learns from

SPDX-License-Identifier: MIT
"""
