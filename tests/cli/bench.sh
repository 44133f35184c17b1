#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: Apache-2.0
#
# `toile bench` runs and prints finite numbers. How large they are is no matter of a test. What the
# others print is read by test_cli_bench_numbers.c.
#
#   bench.sh TOILE ALEMBIC_TOOLS
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

expect 0 bench elements --frames 1 --pairs 1 --json
for key in per_frame per_newton_iteration; do
    grep -Eq "\"$key\": \{\"median\": [0-9.e+-]+, \"q1\": [0-9.e+-]+, \"q3\": [0-9.e+-]+\}" "$log/out" ||
        fail "no finite $key"
done
for way in native split; do
    grep -Eq "\"$way\": \{\"ms_per_frame\": [0-9.e+-]+, \"ms_per_newton_iteration\": [0-9.e+-]+, " \
        "$log/out" || fail "no finite times of $way"
done
! grep -q 'null' "$log/out" || fail "a number is not finite"
say "elements: $(grep -o '"per_frame": {"median": [0-9.e+-]*' "$log/out")"
expect 0 bench --help
for name in elements solver contact bending choi-ko implicit integrators cache; do
    grep -Eq "^  $name +[a-z0-9]" "$log/out" || fail "the help does not list $name"
done
expect 0 bench choi-ko --frames 1 --pairs 1
grep -Eq 'exact / table: median \(quartiles\) [0-9.]+ \([0-9.]+ to [0-9.]+\)$' "$log/out" ||
    fail "no ratio in the table of choi-ko"
expect 0 bench cache --small --frames 3 --pairs 2 --json
for key in speed_over_plain part_of_a_frame; do
    grep -Eq "\"$key\": \{\"median\": [0-9.e+-]+, \"q1\": [0-9.e+-]+, \"q3\": [0-9.e+-]+\}" "$log/out" ||
        fail "no finite $key"
done
grep -Eq '"peak_MB": [0-9.e+-]+, "peak_MB_ten_times_longer": [0-9.e+-]+' "$log/out" || fail "no memory"
[ "$(ls -A)" = "" ] || fail "bench cache left $(ls -A)"
refuses 64 "not 'reed'" bench cache --part reed
refuses 64 "there is no benchmark 'bendign', perhaps 'bending'" bench bendign
refuses 64 "--part and --small belong to the benchmarks 'cache', 'contact' and 'solver'" bench bending --small
refuses 64 "--part and --small belong to the benchmarks 'cache', 'contact' and 'solver'" bench --part sheet
