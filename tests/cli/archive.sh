#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: Apache-2.0
#
# What a cache holds, read by the official Alembic tools and by `toile info`; previews; fabrics.
#
#   archive.sh TOILE ALEMBIC_TOOLS
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# echoed PATTERN: a line of abcecho.
echoed() {
    grep -Eq "$1" "$log/echo" || {
        cat "$log/echo" >&2
        fail "abcecho shows no '$1'"
    }
}

official_library() {
    "$alembic/abcls" -r -l out.abc | sed 's/\x1b\[[0-9;]*m//g' >"$log/ls"
    grep -q 'AbcGeom_Xform_v3 *square$' "$log/ls" || fail "abcls: no transform"
    grep -q 'AbcGeom_PolyMesh_v1 *squareShape$' "$log/ls" || fail "abcls: no mesh"
    "$alembic/abcecho" out.abc >"$log/echo"
    echoed 'file written by: Toile 0\.'
    echoed 'name=P;.*float32_t\[3\];arraysize=81;numsamps=4'
    echoed 'name=\.velocities;.*arraysize=81;numsamps=4'
    echoed 'name=\.faceCounts;.*arraysize=128;'
    echoed 'name=\.indices;.*uint32_t;arraysize=384;'
    echoed 'name=\.childBnds;'
    echoed 'name=complete;.*int32_t'
    echoed 'written on : *$'
    ! grep -aq "$work" out.abc || fail "the file tells its folder"
    ! grep -aqF "$(hostname)" out.abc || fail "the file tells the machine"
    say "abcls and abcecho read the cache"
}

own_reader() {
    expect 0 info out.abc
    grep -q '/square/squareShape  mesh, 81 vertices, 128 faces, fixed topology, 4 samples' \
        "$log/out" || fail "info does not describe the mesh"
    grep -q "frames 1 to 4), uvs 'uv' (face-varying), velocities" "$log/out" || fail "info"
    [ "$(property out.abc complete)" = 1 ] || fail "not complete"
    [ "$(property out.abc source_name)" = '"square"' ] || fail "no source name"
    [ "$(property out.abc unit_m)" = 1 ] || fail "no unit"
    expect 0 info ok.json
    grep -q 'cloth square: 81 vertices, 128 faces' "$log/out" || fail "info on the scene"
    expect 0 info --json ok.json
    say "toile info reads the cache and the scene"
}

# png FILE: is a PNG of some size.
png() {
    [ "$(head -c 4 "$1" | tail -c 3)" = PNG ] || fail "$1 is no picture"
    [ "$(wc -c <"$1")" -gt 2000 ] || fail "$1 is too small a picture"
}

previews() {
    expect 0 preview out.abc
    png out.png
    expect 0 preview out.abc -o sheet.png --scene ok.json --size 160x120 --frames 1-4x3 --azimuth 90
    png sheet.png
    expect 0 preview out.abc -o one.png --single --size 160x120 --frames 2,4
    png one.0002.png
    png one.0004.png
    [ ! -e one.png ] || fail "--single also wrote a sheet"
    expect 0 simulate ok.json -o again.abc --preview again.png --quiet
    png again.png
    say "previews are drawn"
}

fabrics() {
    expect 0 fabrics
    grep -q '^cotton-poplin ' "$log/out" || fail "no cotton in the library"
    expect 0 fabrics cotton-poplin --json
    sed -i 's/"fabric": "cotton-poplin"/"fabric": "cotton.json"/' ok.json
    cp "$log/out" cotton.json
    expect 0 simulate ok.json -o own.abc --quiet
    expect 64 fabrics coton-poplin
    grep -q "cotton-poplin" "$log/err" || fail "no suggestion"
    say "the fabric library can be listed and used as files"
}

grid mesh.obj 8
scene ok.json mesh.obj 1-4 '"output": {"velocities": true}'
expect 0 simulate ok.json -o out.abc
official_library
own_reader
previews
fabrics
