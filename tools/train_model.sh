#!/bin/sh
# train_model.sh TRAIN SPEC OUTPUT OPTIONS [FILE...] - trains SPEC into OUTPUT as the shipped models are:
# `TRAIN train` with OPTIONS (words) on the files (default: those of the spec's GPUs in MIOPEN_DB), and
# on what else helps that kernel.
# SPDX-License-Identifier: MIT
set -eu
train=$1
shift
. tools/trained.inc
# shellcheck disable=SC2046
[ $# -gt 3 ] || set -- "$@" $(data_of "$1" "$MIOPEN_DB")
train_model "$@"
