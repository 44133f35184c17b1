#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: Apache-2.0
#
# Mesh and capsule colliders through the command: still, numbered by frame, from an archive.
#
#   colliders.sh TOILE ALEMBIC_TOOLS
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# colliders FILE FRAMES LIST: a free square of cotton, half a metre above the plane y = 0.
colliders() {
    cat >"$1" <<END
{"toile": 1, "frames": "$2",
 "cloth": [{"name": "square", "mesh": "square.obj", "fabric": "cotton-poplin"}],
 "colliders": [$3]}
END
}

# lowest FILE.obj: the lowest height of its vertices.
lowest() {
    awk '$1 == "v" && (!n++ || $3 < y) { y = $3 } END { print y }' "$1"
}

# between LOW VALUE HIGH
between() {
    awk -v a="$1" -v x="$2" -v b="$3" 'BEGIN { exit !(a < x && x < b) }' || fail "$2 is not between $1 and $3"
}

# a table of one hexagon at y = 0.45 + 0.01 (FRAME - 1), for the frames 1 to 12
tables() {
    local frame
    for frame in $(seq 1 12); do
        awk -v f="$frame" 'BEGIN {
            for (k = 0; k < 6; k++) { a = k * 1.0471975512; printf "v %.9g %.9g %.9g\n", 2 * cos(a), 0.44 + 0.01 * f, -2 * sin(a) }
            print "g top\nf 1 2 3 4 5 6" }' >"$(printf 'table.%04d.obj' "$frame")"
    done
}

still_mesh() {
    colliders still.json 1-12 '{"name": "table", "mesh": "table.0001.obj", "maps": {"thickness": {"group": "top", "value": 0.004}}}'
    expect 0 check still.json
    expect 0 info still.json
    grep -q 'collider table: mesh of 6 vertices, 4 faces (4 triangles), from table.0001.obj' "$log/out" || fail "info"
    expect 0 info --json still.json
    grep -q '"shape": "mesh", "mesh": "table.0001.obj", "vertices": 6,.*"deforms": false' "$log/out" || fail "info --json"
    grep -q '"self_contact": true' "$log/out" || fail "info --json: no self_contact"
    expect 0 simulate still.json -o still.obj
    between 0.454 "$(lowest still.0012.obj)" 0.46
    say "cloth lies on a still mesh"
}

numbered_meshes() {
    colliders moving.json 1-12 '{"name": "table", "mesh": "table.%04d.obj"}'
    expect 0 info moving.json
    grep -q 'faces (4 triangles), deforming, from table.%04d.obj' "$log/out" || fail "info"
    expect 0 simulate moving.json -o moving.abc --preview moving.png
    [ "$(head -c 4 moving.png | tail -c 3)" = PNG ] || fail "no preview"
    expect 0 simulate moving.json -o moving.obj
    between 0.56 "$(lowest moving.0012.obj)" 0.58
    mv table.0007.obj away
    refuses 66 'moving.json:3:[0-9]+: colliders\[0\].mesh: there is no file for frame 7 ' check moving.json
    refuses 66 'there is no file for frame 7 ' simulate moving.json -q -o no.obj
    mv away table.0007.obj
    cp table.0009.obj away
    sed -i 's/^f 1 2 3 4 5 6/f 1 2 3 4 5/' table.0009.obj
    refuses 65 'collider "table" has 6 vertices and 1 faces at frame 9' check moving.json
    expect 65 simulate moving.json -q -o short.abc
    expect 0 info short.abc
    grep -q 'frames 1 to 8' "$log/out" || fail "frames that were done are lost"
    mv away table.0009.obj
    refuses 66 'table.0013.obj' simulate moving.json -q -o no.obj --frames 13
    say "cloth is carried by files numbered by frame, and each must be there"
}

archives() {
    # the cache of a cloth that is lifted is a collider like any other
    colliders upper.json 1-12 '{"name": "sheet", "mesh": "moving.abc:/square"}'
    sed -i 's/"mesh": "square.obj"/"mesh": "upper.obj"/' upper.json
    awk '$1 == "v" { $3 = 0.52 } { print }' square.obj >upper.obj
    expect 0 info upper.json
    grep -q 'deforming, from moving.abc:/square/squareShape' "$log/out" || fail "info"
    expect 0 simulate upper.json -o upper.obj
    between "$(lowest moving.0012.obj)" "$(lowest upper.0012.obj)" 0.6
    colliders bad.json 1-2 '{"name": "sheet", "mesh": "moving.abc:/nobody"}'
    refuses 65 'nobody' check bad.json
    say "cloth lies on a mesh of an archive"
}

capsules() {
    colliders arm.json 1-12 '{"name": "arm", "capsule": {"from": [-2, 0.3, 0], "to": [2, 0.3, 0], "radius": 0.15}}'
    expect 0 info arm.json
    grep -q 'collider arm: capsule$' "$log/out" || fail "info"
    expect 0 simulate arm.json -o arm.abc --preview arm.png
    expect 0 simulate arm.json -o arm.obj
    # the middle row lies on it
    between 0.45 "$(awk '$1 == "v" && ++n == 41 { print $3 }' arm.0012.obj)" 0.48
    say "cloth hangs over a capsule"
}

grid square.obj 8
tables
still_mesh
numbered_meshes
archives
capsules
