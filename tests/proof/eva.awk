# eva.awk - the preprocessed headers without the contracts that WP proves (wp.sh): Eva sees no further than intervals
# SPDX-License-Identifier: MIT
#
# -v kept: an expression for the functions that Eva takes by contract, or proves
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
