#!/bin/sh
# texts.sh NAME - prints the array NAME of C, whose pieces of text are the lines that it reads
# SPDX-License-Identifier: MIT
printf 'static const char *const %s[] = {\n' "$1"
# C compilers need not take a string of more than 4095 characters.
awk 'function emit(text, end) {
        gsub(/[\\"]/, "\\\\&", text)
        printf "    \"%s%s\",\n", text, end
    }
    {
        for (; length($0) > 1000; $0 = substr($0, 1001)) emit(substr($0, 1, 1000), "")
        emit($0, "\\n")
    }'
printf '    NULL\n};\n'
