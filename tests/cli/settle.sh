#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: Apache-2.0
#
# `solver.settle`: one frame with the static drape; what cannot settle is told.
#
#   settle.sh TOILE ALEMBIC_TOOLS
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

grid mesh.obj 6
scene hang.json mesh.obj 1-4 '"solver": {"settle": true}'
expect 0 check hang.json
grep -q 'found without friction' "$log/err" || fail "no word that friction is left out"
sed -i '/"colliders"/s/\[.*\]/[]/' hang.json

expect 0 simulate hang.json -o out.abc
grep -q 'settled in [0-9]* iterations, residual [0-9.e-]* of the load' "$log/err" ||
    fail "settling is not described"
grep -q 'time: assembly .* linear solves' "$log/err" || fail "no times in the log"
! grep -q 'sub-steps' "$log/err" || fail "settling has no sub-steps"
grep -q '^RESULT ok cache=out.abc frames=1 ' "$log/out" || fail "not one frame"
[ "$(samples out.abc)" = 1 ] || fail "not one sample"
[ "$(property out.abc complete)" = 1 ] || fail "not complete"
say "a hanging square settles into one frame"

refuses 64 'settles' simulate hang.json -o no.abc --frames 2
expect 0 simulate hang.json -o out.abc --frames 1 --quiet

# nothing holds the square: there is no drape to find
sed 's/"vertices": \[0\]/"vertices": []/' hang.json >fall.json
rm out.abc
refuses 70 'nothing holds the cloth' simulate fall.json -o out.abc --quiet
grep -q '^RESULT failed code=70$' "$log/out" || fail "the result line does not say so"

# a stop leaves no file, and the way there is told before the only frame is done
grid mesh.obj 120
: >"$log/out"
"$toile" simulate hang.json -o out.abc >"$log/out" 2>"$log/err" </dev/null &
child=$!
until grep -q '^PROGRESS: [0-9]*%$' "$log/out"; do
    kill -0 "$child" 2>/dev/null || fail "settling ended by itself, without progress"
    sleep 0.05
done
kill -s TERM "$child"
code=0
wait "$child" || code=$?
[ "$code" -eq 75 ] || fail "a stopped settle: exit code $code instead of 75"
grep -Eq '^RESULT stopped frames=0 hash=[0-9a-f]{16}$' "$log/out" || fail "no result line"
[ ! -e out.abc ] || fail "a stopped settle left a cache"
! grep -q '^FRAME' "$log/out" || fail "a stopped settle tells of a frame"
say "stopped: progress was told, no cache is named"
