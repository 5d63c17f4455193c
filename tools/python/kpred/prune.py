"""prune.py - the configurations of a Triton kernel that are worth timing

SPDX-License-Identifier: MIT
"""
def prune():
    raise NotImplementedError
