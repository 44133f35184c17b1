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
    grep -q '^    /square/squareShape  mesh, 81 vertices, 128 faces, fixed topology, velocities, 4 samples, frames 1 to 4 .*, every frame$' \
        "$log/out" || fail "info does not describe the mesh"
    grep -q "^      uvs 'uv', face-varying, indexed, 81 values$" "$log/out" || fail "info on uvs"
    [ "$(property out.abc complete)" = 1 ] || fail "not complete"
    [ "$(property out.abc source_name)" = '"square"' ] || fail "no source name"
    [ "$(property out.abc unit_m)" = 1 ] || fail "no unit"
    expect 0 info ok.json
    grep -q 'cloth square: 81 vertices, 128 faces' "$log/out" || fail "info on the scene"
    expect 0 info --json ok.json
    say "toile info reads the cache and the scene"
}

# points FILE FORMAT WHEN: a point cache of the scene says what it holds, and refuses to when it is cut.
points() {
    expect 0 simulate ok.json -o "$1" --quiet
    expect 0 info "$1"
    grep -q "$2 point cache" "$log/out" || fail "info does not know $1"
    grep -q "81 points, 4 samples $3" "$log/out" || fail "info on $1"
    expect 0 info --json "$1"
    grep -q '"points": 81, "samples": 4' "$log/out" || fail "info --json on $1"
    head -c 1000 "$1" >"cut.${1##*.}"
    refuses 65 'cut' info "cut.${1##*.}"
}

point_caches() {
    local name
    points a.pc2 PC2 'of frames 1 to 4, one every 1$'
    points a.mdd MDD 'from 0.0416667 to 0.166667 s, one every 0.0416667 s$'
    # the faces are those of the scene; the picture is that of the archive
    expect 0 preview out.abc --scene ok.json -o archive.png --size 160x120
    for name in a.pc2 a.mdd; do
        expect 0 preview "$name" --scene ok.json -o points.png --size 160x120
        cmp -s points.png archive.png || fail "the picture of $name is not that of the archive"
        refuses 64 "$name: a point cache has no faces of its own" preview "$name" -o none.png
    done
    grid small.obj 4
    scene small.json small.obj 1-4
    refuses 65 'a.pc2 has 81 points, which no cloth' preview a.pc2 --scene small.json -o none.png
    say "toile info and toile preview read point caches"
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

# pixels FILE: width and height of a PNG.
pixels() {
    od -An -j16 -N8 -tu1 "$1" | awk '{ print ($1 * 256 + $2) * 65536 + $3 * 256 + $4, ($5 * 256 + $6) * 65536 + $7 * 256 + $8 }'
}

# same FILE FILE MESSAGE: equal bytes.
same() {
    cmp -s "$1" "$2" || fail "$3"
}

sheets_of_several() {
    local -a small=(--size 160x120)
    # the same square of half the size
    sed 's/mesh.obj/half.obj/' ok.json >half.json
    awk '$1 == "v" { print "v", $2 / 2, $3, $4 / 2; next } $1 == "vt" { print "vt", $2 / 2, $3 / 2; next } { print }' \
        mesh.obj >half.obj
    expect 0 simulate half.json -o half.abc --quiet
    mkdir -p sub
    cp out.abc sub/out.Last.ABC

    expect 0 preview out.abc half.abc sub/out.Last.ABC -o three.png "${small[@]}"
    expect 0 preview out.abc half.abc sub/out.Last.ABC -o named.png "${small[@]}" --labels out,half,out.Last
    same three.png named.png "pictures are not labelled by the names of their files"
    expect 0 preview out.abc half.abc sub/out.Last.ABC -o last.png "${small[@]}" --frames 4
    same three.png last.png "the last frame is not the one shown"
    expect 0 preview out.abc half.abc sub/out.Last.ABC -o first.png "${small[@]}" --frames 1
    ! cmp -s three.png first.png || fail "--frames changes nothing"
    expect 0 preview out.abc --frames 1,2,4 -o one.png "${small[@]}"
    [ "$(pixels three.png)" = "$(pixels one.png)" ] || fail "three pictures, but not the sheet of three"

    # one archive: labels take the place of the frames, all else stays
    expect 0 preview out.abc --frames 1,2,4 -o labelled.png "${small[@]}" --labels 'frame 1,frame 2,frame 4'
    same one.png labelled.png "labels of one archive"
    expect 0 preview out.abc --frames 1,2,4 -o zoomed.png "${small[@]}" --zoom 1
    same one.png zoomed.png "--zoom 1 is not everything"
    expect 0 preview out.abc --frames 1,2,4 -o zoomed.png "${small[@]}" --zoom 2
    ! cmp -s one.png zoomed.png || fail "--zoom changes nothing"
    say "several archives stand in one sheet of $(pixels three.png | tr ' ' x) pixels"

    refuses 64 'of 2 archives needs a name: -o FILE.png' preview out.abc half.abc
    refuses 64 'must end in \.png' preview out.abc half.abc -o a.jpg
    refuses 64 'takes one archive, not 2' preview out.abc half.abc -o a.png --single
    refuses 64 'draws no labels' preview out.abc -o a.png --single --labels a
    refuses 64 "takes the one frame to show of each, not '1-2'" preview out.abc half.abc -o a.png --frames 1-2
    refuses 64 'each of the 2 picture\(s\), not 3' preview out.abc half.abc -o a.png --labels a,b,c
    refuses 64 'each of the 4 picture\(s\), not 1' preview out.abc -o a.png --labels a
    refuses 64 'zoom takes a ratio' preview out.abc --zoom 0
    refuses 66 'none\.abc' preview out.abc none.abc -o a.png
    refuses 65 'ok\.json' preview out.abc ok.json -o a.png
    expect 0 simulate half.json -o short.abc --frames 1-2 --quiet
    refuses 64 'frame 4, but short.abc holds frames 1 to 2' preview out.abc short.abc -o a.png --frames 4
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
point_caches
previews
sheets_of_several
fabrics
