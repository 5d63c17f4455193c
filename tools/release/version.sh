#!/bin/sh
# version.sh - a kpred.h on standard input, its version on standard output: 0.3.0
# SPDX-License-Identifier: MIT
awk '$1 == "#define" && $2 == "KPRED_VERSION" {
         printf "%d.%d.%d\n", $3 / 10000, $3 / 100 % 100, $3 % 100
         found = 1
     }
     END { if (!found) print "version.sh: no KPRED_VERSION" > "/dev/stderr"; exit !found }'
