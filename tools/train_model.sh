#!/bin/sh
# train_model.sh TRAIN SPEC OUTPUT OPTIONS DB... - trains SPEC into OUTPUT as the shipped models are:
# `TRAIN train` with OPTIONS (words) on the databases, and on what else helps that kernel.
# SPDX-License-Identifier: MIT
set -eu
train=$1
shift
. tools/trained.inc
train_model "$@"
