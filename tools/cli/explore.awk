# explore.awk - of kpred_constraints.h, for each rule and parameter that it can tell: "RULE N CONDITION"
# SPDX-License-Identifier: MIT
#
# A case of a rule returns a condition, or calls a function of the rule's family, of which the only return counts. The
# helpers of all rules stay as they are called.
/^(static |KPRED_API )/ && /[(,]/ && !/;$/ { name = $0; sub(/\(.*/, "", name); sub(/.* /, "", name); body = "" }
{ body = body " " $0 }
/^}/ {
    gsub(/\/\*([^*]|\*[^\/])*\*\//, "", body); gsub(/ +/, " ", body)
    while (name ~ /^kpred_rule/ && match(body, /case [0-9]+: return [^;]*;/)) {
        text = number = substr(body, RSTART + 5, RLENGTH - 6); body = substr(body, RSTART + RLENGTH)
        sub(/:.*/, "", number); sub(/[0-9]+: return /, "", text); called = text; sub(/\(.*/, "", called)
        print name, number, (text ~ /^[a-z0-9_]+\([^()]*\)$/ && called in returned ? returned[called] : text)
    }
    if (name ~ /^kpri/ && name !~ /^kpri_rule/ && split(body, parts, /return /) == 2) {
        sub(/;.*/, "", parts[2]); returned[name] = parts[2]
    }
}
