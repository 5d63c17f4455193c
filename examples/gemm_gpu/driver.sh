#!/bin/sh
# driver.sh - the driver and the present clocks of the GPU, as comments for a table, where tools say them
# SPDX-License-Identifier: MIT
nvidia-smi --query-gpu=driver_version,clocks.sm,clocks.mem,clocks.max.sm --format=csv,noheader 2>/dev/null |
    sed 's/^/# driver, clocks of multiprocessors and memory, highest: /'
rocm-smi --showdriverversion --showclocks 2>/dev/null |
    sed -n -e 's/.*\(Driver version: .*\)/# \1/p' -e 's/.*\([sm]clk clock level: .*\)/# \1/p'
exit 0
