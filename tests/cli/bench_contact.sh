#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: Apache-2.0
#
# `toile bench contact` on small meshes: every part prints finite numbers, and what does not depend
# on the clock is right. How long anything takes is no matter of a test.
#
#   bench_contact.sh TOILE ALEMBIC_TOOLS
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# value PART WAY OBJECT KEY: a number of an object, which has a line of its own within its way.
value() {
    awk -v part="$1" -v way="$2" -v object="$3" -v key="$4" '
        /^ "/ { in_part = index($0, " \"" part "\":") == 1 }
        /^  "/ { in_way = index($0, "  \"" way "\":") == 1 }
        in_part && in_way && index($0, "\"" object "\": {") > 0 {
            if (match($0, "\"" key "\": [0-9.e+-]+"))
                print substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 4)
        }' "$log/out"
}

# holds PART WAY OBJECT KEY CONDITION: the number, as x, must satisfy the condition.
holds() {
    local number
    number=$(value "$1" "$2" "$3" "$4")
    [ -n "$number" ] || fail "$1, $2, $3: no finite $4"
    awk -v x="$number" "BEGIN { exit !($5) }" || fail "$1, $2, $3: $4 is $number, not $5"
}

expect 0 bench contact --small --json
! grep -q 'null\|nan\|inf' "$log/out" || fail "a number is not finite"
for scene in drape fall stack; do
    percent=0
    for stage in broad narrow truncate assembly linear search; do
        holds $scene contact $stage ms_per_frame 'x > 0'
        holds $scene contact $stage percent 'x > 0 && x < 100'
    done
    for stage in broad narrow truncate assembly linear search rest; do
        percent="$percent + $(value $scene contact $stage percent)"
    done
    # printed with all digits
    awk "BEGIN { exit !(($percent) > 99.999 && ($percent) < 100.001) }" ||
        fail "$scene: the stages make $percent percent"
    # stages that overlapped would take more than there is
    holds $scene contact rest percent 'x >= 0'
    holds $scene contact counts candidates 'x > 100'
    # in so few frames the wave of the falling sheet springs up and has not come down yet
    [ $scene = fall ] || holds $scene contact counts touches 'x > 0'
    holds $scene contact counts refreshes_per_frame 'x >= 1'
    holds $scene contact counts substeps_per_frame 'x >= 4'
    holds $scene contact counts newton_per_substep 'x >= 2'
    holds $scene contact counts intersections 'x == 0'
    say "$scene: $(value $scene contact counts candidates) pairs," \
        "$(value $scene contact counts kinetic_J) J at the end"
done
# it rests from the start, but for what the contact distance pushes it apart
holds stack contact counts kinetic_J 'x < 1e-3'
for key in candidates touches refreshes_per_frame cuts_per_frame; do
    holds drape free counts $key 'x == 0'
done
quartiles='\{"median": [0-9.e+-]+, "q1": [0-9.e+-]+, "q3": [0-9.e+-]+\}'
for ratio in contact_over_free two_threads_speedup; do
    grep -Eq "\"$ratio\": $quartiles" "$log/out" || fail "no finite $ratio"
done
for size in medium large; do
    holds memory $size $size bytes_per_vertex_without_contact 'x > 500 && x < 1e5'
    holds memory $size $size bytes_per_vertex_of_contact 'x > 500 && x < 1e5'
done

expect 0 bench contact --small --part drape --frames 1 --pairs 1
grep -Eq '^    contact / free +[0-9.]+ \([0-9.]+ to [0-9.]+\), wanted: at most 3$' "$log/out" ||
    fail "no ratio in the table"
grep -Eq '^      truncate +[0-9.]+ ms +[0-9.]+ %$' "$log/out" || fail "no split in the table"
! grep -q 'stack\|memory' "$log/out" || fail "more than one part"
refuses 64 "contact has no part 'stacks', perhaps 'stack'" bench contact --part stacks
