#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: Apache-2.0
#
# Progress on standard output in each dialect, the log on standard error, and the result line.
#
#   progress.sh TOILE ALEMBIC_TOOLS
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# has COUNT PATTERN: standard output has that many lines that match the whole pattern.
has() {
    local found
    found=$(grep -Ecx "$2" "$log/out" || true)
    [ "$found" -eq "$1" ] || fail "$found lines like '$2' instead of $1"
}

plain_output() {
    ! grep -q $'[\r\033]' "$log/out" "$log/err" || fail "carriage return or colour in a log"
}

grid mesh.obj 8
scene ok.json mesh.obj 1-4

expect 0 simulate ok.json -o a.abc
has 4 'PROGRESS: [0-9]+%'
has 4 'FRAME [1-4]/4 [0-9]+\.[0-9][0-9]s'
has 1 'PROGRESS: 25%'
has 1 'PROGRESS: 100%'
has 1 'RESULT ok cache=a.abc frames=4 hash=[0-9a-f]{16}'
tail -n 1 "$log/out" | grep -q ^RESULT || fail "the result is not the last line"
grep -q 'version .* thread(s), scene ok.json' "$log/err" || fail "no header in the log"
grep -q 'ms a frame; [0-9]* Newton and [0-9]* linear iterations' "$log/err" ||
    fail "no summary in the log"
grep -Eq 'time: assembly [0-9]+ %, linear solves [0-9]+ %' "$log/err" || fail "no times in the log"
grep -Eq '12 sub-steps (without a rescue|with [0-9]+ rescues: )' "$log/err" ||
    fail "no rescues in the log"
plain_output
say "plain is the default without a terminal"

expect 0 simulate ok.json -o a.abc --progress openjd
has 1 'openjd_progress: 50\.0'
has 1 'openjd_status: frame 2/4'
has 0 'PROGRESS: .*'
say "openjd"

expect 0 simulate ok.json -o a.abc --progress alfred --progress=json
has 1 'ALF_PROGRESS 75%'
has 1 '\{"event": "start".*\}'
has 4 '\{"event": "frame", "frame": [1-4], "percent": [0-9.]+, "seconds": [0-9.]+.*\}'
for field in substeps substeps_planned newton_iterations cg_iterations line_search_cuts rescues \
    substeps_added substeps_shortened newton_rescues retries retries_failed retries_strain \
    retries_newton contacts projected; do
    has 3 ".*\"$field\": [0-9]+[,}].*"
done
for field in residual_N newton_step_m linear_residual kinetic_J gravity_J stretch_J bend_J energy_J \
    stretch_p50 stretch_p90 stretch_p99 stretch_max speed_max_m_per_s penetration_max_m total_s \
    assembly_s linear_s search_s contact_s; do
    has 3 ".*\"$field\": [-+0-9.e]+[,}].*"
done
for field in center_m momentum_kg_m_per_s angular_momentum_kg_m2_per_s; do
    has 3 ".*\"$field\": \[[-+0-9.e]+, [-+0-9.e]+, [-+0-9.e]+\].*"
done
has 1 '\{"event": "end".*\}'
plain_output
say "alfred and json together"

expect 0 simulate ok.json -o a.abc --progress bar,plain
has 4 'PROGRESS: [0-9]+%'
plain_output
say "a bar becomes plain lines where there is no terminal"

expect 0 simulate ok.json -o a.abc --quiet
[ "$(wc -l <"$log/out")" -eq 1 ] || fail "--quiet prints more than the result"
[ ! -s "$log/err" ] || fail "--quiet logs"
say "--quiet prints the result alone"

sed 's/"fps"/"fsp"/' ok.json >bad.json
expect 65 simulate bad.json -o a.abc --progress openjd,json
has 1 'openjd_fail: bad.json:3: .*fsp.*'
has 1 '\{"event": "fail", "code": 65, "reason": ".*"\}'
has 1 'RESULT failed code=65'
say "failure is told in the dialects"

# a reader that goes away does not end the simulation
rm -f a.abc
"$toile" simulate ok.json -o a.abc 2>"$log/err" </dev/null | head -n 1 >"$log/out"
[ "$(samples a.abc)" = 4 ] || fail "a closed pipe ended the simulation"
say "a closed pipe does not end the simulation"
