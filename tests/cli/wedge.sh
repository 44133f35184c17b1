#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: Apache-2.0
#
# Wedges: the table in its order, one of them simulated as if its values had been set by hand, files
# that never overwrite one another, and what is refused.
#
#   wedge.sh TOILE ALEMBIC_TOOLS
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

sum() { sha256sum <"$1"; }

grid mesh.obj 6
scene w.json mesh.obj 1-3 '"output": {"cache": "out.abc", "preview": "out.png"},
  "wedges": {"cloth.square.fabric.bend.weft_N_m": [1e-5, 1e-3],
             "solver.quality": ["fast", "standard", "accurate"]}'

expect 0 wedge list w.json
[ "$(wc -l <"$log/out")" -eq 6 ] || fail "not six wedges"
[ "$(sed -n 5p "$log/out")" = '4 W0004 cloth.square.fabric.bend.weft_N_m=0.001 solver.quality="standard"' ] ||
    fail "the last key does not vary fastest"
expect 0 wedge list w.json --json
grep -q '"count": 6' "$log/out" || fail "the JSON does not count"
grep -Fq '{"index": 4, "name": "W0004", "set": {"cloth.square.fabric.bend.weft_N_m": 0.001, "solver.quality": "standard"}}' \
    "$log/out" || fail "the JSON has no wedge 4"
expect 0 wedge show w.json 4
[ "$(cat "$log/out")" = 'cloth.square.fabric.bend.weft_N_m=0.001
solver.quality="standard"' ] || fail "show does not print what --set takes"
say "list and show: $(head -n 1 "$log/out")"

scene plain.json mesh.obj 1-3
expect 0 wedge list plain.json
grep -q 'no wedges' "$log/out" || fail "a scene without wedges"
expect 0 wedge list plain.json --json
grep -q '"count": 0' "$log/out" || fail "a scene without wedges as JSON"

# a wedge is the scene with its values set, byte for byte, although the table differs
expect 0 simulate w.json --wedge 4 --quiet
[ -e out.W0004.abc ] && [ -e out.W0004.png ] || fail "the files do not carry the wedge's name"
[ ! -e out.abc ] && [ ! -e out.png ] || fail "the scene's own files were written"
grep -q '^RESULT ok cache=out.W0004.abc ' "$log/out" || fail "the result does not name the file"
mapfile -t sets < <("$toile" wedge show w.json 4 | sed 's/^/--set=/')
expect 0 simulate plain.json "${sets[@]}" --quiet -o by-hand.abc
[ "$(sum out.W0004.abc)" = "$(sum by-hand.abc)" ] || fail "the wedge differs from its values"
say "wedge 4 is the scene with its values: $(sum by-hand.abc | cut -c1-16)"

expect 0 simulate w.json --wedge 1 --quiet
expect 0 simulate w.json --quiet
[ "$(sum out.W0001.abc)" != "$(sum out.W0004.abc)" ] || fail "two wedges are the same"
[ -e out.abc ] || fail "without --wedge the scene itself is simulated"
expect 0 simulate w.json --wedge 1 --quiet -o chosen.abc
[ "$(sum out.W0001.abc)" = "$(sum chosen.abc)" ] || fail "-o changes more than the name"
expect 0 simulate w.json --wedge 5 --set output.cache=a.obj --quiet
[ "$(ls a.*.obj | tr '\n' ' ')" = 'a.W0005.0001.obj a.W0005.0002.obj a.W0005.0003.obj ' ] ||
    fail "OBJ files of a wedge: $(ls a.*.obj)"
say "each wedge has files of its own; -o overrides"

expect 0 simulate w.json --wedge 3 -o log.abc
grep -q 'wedge 3 (W0003): solver.quality="fast"' "$log/err" || fail "the log does not name the wedge"
expect 0 eval w.json --wedge 3 --json
expect 0 info w.json
grep -q '6 wedges' "$log/out" || fail "info does not count the wedges"

refuses 64 'w.json:[0-9]+:[0-9]+: there is no wedge 6; the scene has wedges 0 to 5' \
    simulate w.json --wedge 6
refuses 64 'there is no wedge 6' wedge show w.json 6
refuses 64 'solver.quality.*leave out one' simulate w.json --wedge 0 --set solver.quality=fast
sed 's/"fast", "standard", "accurate"//' w.json >bad.json
refuses 65 'bad.json:12:[0-9]+: wedges "solver.quality": the list is empty' wedge list bad.json
refuses 65 'the list is empty' simulate bad.json --wedge 0
sed 's/solver.quality/solver.qualty/' w.json >bad.json
refuses 65 'bad.json:12:[0-9]+: solver.qualty: .*did you mean "quality"' wedge list bad.json
sed 's/"accurate"/"best"/' w.json >bad.json
expect 65 check bad.json
[ "$(grep -c 'bad.json:12:[0-9]*: solver.quality: "best" is not known' "$log/err")" -eq 1 ] ||
    fail "check does not tell, once, of a wrong value in a wedge"
grep -q '1 error(s), 0 warning(s)' "$log/out" || fail "check counts: $(cat "$log/out")"
expect 0 check bad.json --wedge 1
expect 65 check bad.json --wedge 2
expect 0 check w.json
