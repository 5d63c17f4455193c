"""__init__.py - kpred.convert: what other programs wrote, as the one kind of table that kpred-train reads

SPDX-License-Identifier: MIT
"""
