# eva.awk - what Eva reads of the preprocessed headers: without the contracts that WP proves (wp.sh), as Eva sees no
# SPDX-License-Identifier: MIT
#
# further than intervals. -v kept: an expression for the functions that it takes by contract
function end_contract(line, i)
{
    for (i = 1; i <= n; i++)
        print line ~ "[^a-z_](" kept ")\\(" ? contract[i] : ""
    n = 0
}

/^# [0-9]+ "/ { own = /\/?kpred(_constraints)?\.h"/ }
n && !inside { end_contract(" " $0) }
own && /^\/\*@ (requires|assigns)/ { inside = 1 }
inside { contract[++n] = $0; if (/\*\//) inside = 0; next }
{ print }
