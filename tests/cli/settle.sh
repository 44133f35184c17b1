#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: Apache-2.0
#
# `solver.settle`: one frame with the static drape; what cannot settle is written and told.
#
#   settle.sh TOILE ALEMBIC_TOOLS
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

grid mesh.obj 6
scene hang.json mesh.obj 1-4 '"solver": {"settle": true}'
sed -i '/"colliders"/s/\[.*\]/[]/' hang.json

expect 0 simulate hang.json -o out.abc
grep -q 'settled in [0-9]* iterations, residual [0-9.e-]* of the load' "$log/err" ||
    fail "settling is not described"
grep -q '^RESULT ok cache=out.abc frames=1 ' "$log/out" || fail "not one frame"
[ "$(samples out.abc)" = 1 ] || fail "not one sample"
[ "$(property out.abc complete)" = 1 ] || fail "not complete"
say "a hanging square settles into one frame"

refuses 64 'settles' simulate hang.json -o no.abc --frames 2
expect 0 simulate hang.json -o out.abc --frames 1 --quiet

# nothing holds the square: there is no drape to find
sed 's/"vertices": \[0\]/"vertices": []/' hang.json >fall.json
rm out.abc
expect 70 simulate fall.json -o out.abc --quiet
grep -q 'did not settle' "$log/err" || fail "no sentence says that it did not settle"
grep -q '^RESULT incomplete ' "$log/out" || fail "the result line does not say so"
[ "$(samples out.abc)" = 1 ] || fail "the state reached was not written"
say "70: $(grep 'did not settle' "$log/err" | sed 's/^toile: //')"
