#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: Apache-2.0
#
# `toile bench solver` on small meshes: every part prints finite numbers, and what does not depend
# on the clock is right. How long anything takes is no matter of a test.
#
#   bench_solver.sh TOILE ALEMBIC_TOOLS
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# value PART WAY KEY: a number of a way, which has a line of its own within its part.
value() {
    awk -v part="$1" -v way="$2" -v key="$3" '
        /^ "/ { inside = index($0, " \"" part "\":") == 1 }
        inside && index($0, "  \"" way "\":") == 1 {
            if (match($0, "\"" key "\": [0-9.e+-]+"))
                print substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 4)
        }' "$log/out"
}

# holds PART WAY KEY CONDITION: the number, as x, must satisfy the condition.
holds() {
    local number
    number=$(value "$1" "$2" "$3")
    [ -n "$number" ] || fail "$1, $2: no finite $3"
    awk -v x="$number" "BEGIN { exit !($4) }" || fail "$1, $2: $3 is $number, not $4"
}

expect 0 bench solver --small --frames 12 --pairs 2 --json
! grep -q 'null\|nan\|inf' "$log/out" || fail "a number is not finite"
for scene in sheet garment mixed; do
    for way in standard fast xpbd tight; do
        holds $scene $way ms_per_frame 'x > 0'
        holds $scene $way stretch_p99 'x > 1 && x < 1.1'
    done
    holds $scene tight rms_mm 'x == 0'
    holds $scene tight newton_per_substep 'x > 2'
    holds $scene standard newton_per_substep 'x >= 2 && x < 2.5'
    holds $scene fast newton_per_substep 'x >= 1 && x < 1.5'
    # a coarse mesh in its first half second: far below a cell's 60 mm
    holds $scene standard rms_mm 'x > 0 && x < 15'
    holds $scene standard kinetic_ratio 'x > 0.9 && x < 1.1'
    holds $scene standard cg_per_newton 'x > 1'
    # another integrator and springs, but the same motion
    holds $scene xpbd rms_mm 'x > 0 && x < 100'
    holds $scene xpbd kinetic_ratio 'x > 0.9 && x < 1.5'
    say "$scene: $(value $scene standard rms_mm) mm standard, $(value $scene xpbd rms_mm) mm XPBD"
done
quartiles='\{"median": [0-9.e+-]+, "q1": [0-9.e+-]+, "q3": [0-9.e+-]+\}'
for ratio in standard_over_xpbd fast_over_xpbd; do
    [ "$(grep -Eo "\"$ratio\": $quartiles" "$log/out" | wc -l)" -eq 3 ] || fail "not three $ratio"
done
for ratio in two_threads_speedup exponent; do
    grep -Eq "\"$ratio\": $quartiles" "$log/out" || fail "no finite $ratio"
done
for ratio in stiffness_ratio resolution_ratio; do
    [ "$(grep -Eo "\"$ratio\": [0-9.e+-]+" "$log/out" | wc -l)" -eq 3 ] || fail "not three $ratio"
done

expect 0 bench solver --small --part sheet --frames 1 --pairs 1
grep -Eq '^    standard / xpbd +[0-9.]+ \([0-9.]+ to [0-9.]+\), wanted: at most 0.8$' "$log/out" ||
    fail "no ratio in the table"
! grep -q 'garment\|scaling' "$log/out" || fail "more than one part"
refuses 64 "solver has no part 'sheets', perhaps 'sheet'" bench solver --part sheets
