#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: Apache-2.0
#
# The shared archives and damaged ones as `toile info`, as cloth and as collider: read, or refused
# with one sentence. The data is found by TOILE_SHARED, or beside the repository.
#
#   shared_archives.sh TOILE ALEMBIC_TOOLS
data=${TOILE_SHARED:-$(dirname "${BASH_SOURCE[0]}")/../../../shared}/data/abc
data=$(realpath -m "$data")
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[ -d "$data" ] || {
    say "left out: TOILE_SHARED is not set, or has no data/abc"
    exit 0
}

# ---- toile info ----

# shows FILE PATTERN...: info exits 0, its JSON can be read, and each pattern is a line of the text.
shows() {
    local file=$data/$1.abc pattern
    shift
    expect 0 info --json "$file"
    python3 -c 'import json, sys; json.load(sys.stdin)' <"$log/out" || fail "$file: no JSON"
    expect 0 info "$file"
    for pattern in "$@"; do
        grep -Eq -- "$pattern" "$log/out" || fail "info of $file shows no '$pattern'"
    done
}

trees() {
    shows cloth_reference '^  /skirt  transform, still' \
        '^    /skirt/skirtShape  mesh, 144 vertices, 121 faces, fixed topology, velocities, 24 samples, frames 1 to 24 .*every frame$' \
        "^      uvs 'UVMap', face-varying, indexed, 144 values"
    shows subd_creases 'subdivision mesh, 8 vertices' \
        'catmull-clark, boundary rule 1, uv rule 1, 2 creases of 5 edges, 1 sharp vertex, 1 hole'
    shows animated_topology '9 to 64 vertices, 4 to 49 faces, changing topology, velocities'
    shows same_count_new_order '16 vertices, 9 faces, changing topology'
    shows indexed_fvar_uvs "uvs 'map1', face-varying" "uvs 'map2' \(further set\)" \
        'vertex rgb float32\[3\] Cd, 8 values' 'uniform float32 thickness = \[0.003, ' \
        'constant int32 panelCount = 3' 'user string fabric = "cotton 170 g/m2"' \
        '/cubeSeams/front  face set, 3 faces' 'normals \(face-varying\)'
    shows vertex_and_varying_uvs "uvs 'uv', vertex, 16" "uvs 'uv', varying, 16"
    shows nested_xforms '^  /root  transform, moving, 4 samples' '/root/mid  transform, still, mirrors' \
        'noInherit  transform, moving, ignores its parents' 'emptyXform  transform, identity, 0 samples' \
        'cubeB  mesh.*visibility changes'
    shows half_frames 'every 0.5 frames'
    shows shutter_cyclic '12 samples, frames 0.75 to 4.25 .*, 3 in each frame'
    shows acyclic 'at irregular times'
    shows instanced '/copy2/inst  mesh, instance of /source/shape, 8 vertices'
    shows mixed_ngons 'mesh, 8 vertices, 3 faces' 'subdivision mesh, 8 vertices, 3 faces'
    shows degenerate '/degenerate  mesh, 7 vertices' '^    1 vertex is not finite, the first is vertex 5' \
        '^    3 faces have fewer than 3 corners, the first is face 2' 'corner 4 is vertex 7 of 3' 'face 0 has -3 corners' \
        '9 vertices, but 2 velocities'
    shows points_only '1 mesh, 1 point cloud' 'points, 5 to 7 points, velocities' 'mesh, 4 vertices, 0 faces'
    shows empty_mesh '/neverSet  mesh, 0 samples' '0 to 8 vertices, 0 to 6 faces, changing topology'
    shows odd_names '/with space  transform' '/déjà vu  transform' '/ns:cloth  transform' '/a\.b  transform'
    shows empty_archive 'contents     nothing'
    say "info shows every shared archive"
    refuses 65 "'/a/loop'" info "$data/hostile_instance_of_parent.abc"
    refuses 65 "'/a/loop'" info "$data/hostile_instance_through_itself.abc"
}

# ---- cloth and colliders ----

# as ROLE ARCHIVE: the scene as.json, in which the archive is cloth or a collider under a sheet.
as() {
    local cloth="sheet.obj" colliders=""
    [ "$1" = cloth ] && cloth=$2 || colliders=", \"colliders\": [{\"name\": \"body\", \"mesh\": \"$2\"}]"
    printf '{"toile": 1, "fps": 24, "frames": "1-3", "cloth": [{"name": "sheet", "mesh": "%s", "fabric": "cotton-poplin"}]%s}' \
        "$cloth" "$colliders" >as.json
}

# takes ROLE ARCHIVE...
takes() {
    local role=$1 archive
    shift
    for archive in "$@"; do
        as "$role" "$data/$archive"
        expect 0 simulate as.json -o as.abc --quiet
        rm -f as.abc
    done
    say "$# archives are taken as $role"
}

# leaves ROLE ARCHIVE PATTERN
leaves() {
    as "$1" "$data/$2"
    refuses 65 "$3" simulate as.json -o as.abc --quiet
}

good=(acyclic.abc cloth_reference.abc half_frames.abc shutter_cyclic.abc subd_creases.abc
    indexed_fvar_uvs.abc vertex_and_varying_uvs.abc:/vertexUV vertex_and_varying_uvs.abc:/varyingUV
    instanced.abc:/source instanced.abc:/copy1 nested_xforms.abc:/root/mid/sheared
    nested_xforms.abc:/root/mid/noInherit 'odd_names.abc:/with space' odd_names.abc:/ns:cloth)

refused_as_either() {
    local role
    for role in cloth collider; do
        leaves $role degenerate.abc:/degenerate 'degenerate.*vertex 5 is not a finite number'
        leaves $role degenerate.abc:/indexOutOfRange "'/indexOutOfRange': corner 4 is vertex 7 of 3"
        leaves $role degenerate.abc:/countsDoNotSum '7 corners, but 3 are stored'
        leaves $role degenerate.abc:/negativeCount 'face 0 has -3 corners'
        leaves $role degenerate.abc:/uvTooShort "corner 5 has no 'uv'"
        leaves $role degenerate.abc:/uvIndexOutOfRange "'uv' number 9 of 4"
        leaves $role degenerate.abc:/velocitiesTooShort '9 vertices, but 2 velocities'
        leaves $role points_only.abc:/sparkle 'is no mesh'
        leaves $role points_only.abc:/vertsNoFaces '4 vertices and 0 faces'
        leaves $role empty_mesh.abc:/neverSet '0 vertices and 0 faces'
        leaves $role empty_mesh.abc:/zeroSized '0 vertices and 0 faces'
        leaves $role empty_archive.abc 'no mesh'
        leaves $role hostile_instance_of_parent.abc "'/a/loop'"
        leaves $role hostile_instance_through_itself.abc "'/a/loop'"
    done
}

roles() {
    # a sheet above everything, so that colliders are only read
    printf 'v -1 9 -1\nv 1 9 -1\nv 1 9 1\nv -1 9 1\nf 1 4 3 2\n' >sheet.obj
    takes cloth "${good[@]}"
    takes collider "${good[@]}" animated_topology.abc same_count_new_order.abc \
        empty_mesh.abc:/appearsLater mixed_ngons.abc:/triQuadPent mixed_ngons.abc:/triQuadPentSubd
    as cloth "$data/subd_creases.abc:/cubeSubd/"
    expect 0 check as.json
    grep -q '1 face(s) marked as holes' "$log/out" "$log/err" || fail "check is silent on holes"
    leaves cloth animated_topology.abc 'change from sample to sample'
    leaves cloth same_count_new_order.abc 'change from sample to sample'
    leaves cloth empty_mesh.abc:/appearsLater 'change from sample to sample'
    leaves cloth mixed_ngons.abc:/triQuadPent 'face 2 has 5 corners'
    refused_as_either
}

# ---- damaged files ----

damaged() {
    local good=$data/indexed_fvar_uvs.abc size
    size=$(wc -c <"$good")
    head -c $((size / 2)) "$good" >cut.abc
    refuses 65 'cut\.abc: ' info cut.abc
    head -c 10 "$good" >short.abc
    refuses 65 'stopped before' info short.abc
    { head -c 5 "$good" && printf '\0' && tail -c +7 "$good"; } >unfinished.abc
    refuses 65 'stopped before' info unfinished.abc
    printf '\211HDF\r\n\032\n%0512d' 0 >hdf5.abc
    refuses 65 'HDF5.*abcconvert' info hdf5.abc
    echo 'no archive' >text.abc
    refuses 65 'not an Alembic file' info text.abc
    : >empty.abc
    refuses 65 'empty\.abc: ' info empty.abc
    # a file of a later format
    { head -c 6 "$good" && printf '\0\011' && tail -c +9 "$good"; } >later.abc
    refuses 65 'of a later format' info later.abc
    mkdir folder.abc
    refuses 66 'is a folder' info folder.abc
    refuses 66 'none\.abc' info none.abc
    # the root says that it has 2^40 children
    cp "$good" huge.abc
    local root
    root=$(od -An -j8 -N8 -tu8 "$good" | tr -d ' ')
    printf '\0\0\0\0\0\1\0\0' | dd of=huge.abc bs=1 seek="$root" conv=notrunc status=none
    refuses 65 'impossible number' info huge.abc
    printf 'v -1 9 -1\nv 1 9 -1\nv 1 9 1\nf 1 3 2\n' >sheet.obj
    data=.
    leaves collider cut.abc 'cut\.abc: '
    leaves cloth hdf5.abc 'HDF5'
}

# names with control characters and with bytes that are not UTF-8
names() {
    LC_ALL=C sed 's/with space/wi\x1b[\xff\xc2\x9b\x07ce/g' "$data/odd_names.abc" >names.abc
    expect 0 info --json names.abc
    python3 -c 'import json, sys; json.loads(sys.stdin.buffer.read().decode())' <"$log/out" || fail "names: no JSON"
    ! LC_ALL=C grep -aq $'\x1b\|\xff\|\xc2\x9b\|\x07' "$log/out" || fail "names: raw bytes in JSON"
    expect 0 info names.abc
    ! LC_ALL=C grep -aq $'\x1b\|\xff\|\xc2\x9b\|\x07' "$log/out" || fail "names: raw bytes for people"
    grep -q '/wi?\[???ce  transform' "$log/out" || fail "names: not shown"
    say "info shows odd names safely"
}

trees
names
roles
damaged
