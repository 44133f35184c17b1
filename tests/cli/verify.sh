#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: Apache-2.0
#
# Intersections: what `toile verify` finds in caches, with and without colliders, what `toile check`
# says about the start, and what is refused. Cloths are pinned at all vertices, so that the frames
# hold what the meshes say.
#
#   verify.sh TOILE ALEMBIC_TOOLS
claims=$(realpath "$(dirname "${BASH_SOURCE[0]}")/claims.abc")
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# cloth NAME MESH: a cloth that stays where it is.
cloth() {
    local count
    count=$(grep -c '^v ' "$2")
    printf '{"name": "%s", "mesh": "%s", "pattern": "none", "fabric": "cotton-poplin", "pins": [{"vertices": [%s]}]}' \
        "$1" "$2" "$(seq -s , 0 $((count - 1)))"
}

# still FILE FRAMES CLOTHS [COLLIDERS [MORE]]: a scene of such cloths.
still() {
    printf '{"toile": 1, "fps": 24, "frames": "%s", "cloth": [%s], "colliders": [%s]%s}\n' \
        "$2" "$3" "${4:-}" "${5:+, $5}" >"$1"
}

# says TEXT: a line of the output is the text.
says() {
    grep -Fxq -- "$1" "$log/out" || fail "no line '$1'"
}

# last TEXT: the output ends in the line, and holds COUNT lines if given.
last() {
    [ "$(tail -n 1 "$log/out")" = "$1" ] || fail "the last line is not '$1'"
    [ -z "${2:-}" ] || [ "$(wc -l <"$log/out")" -eq "$2" ] || fail "not $2 lines"
}

# shift_mesh IN OUT X Y Z: moves a mesh.
shift_mesh() {
    awk -v x="$3" -v y="$4" -v z="$5" '$1 == "v" { printf "v %.9f %.9f %.9f\n", $2 + x, $3 + y, $4 + z; next } { print }' "$1" >"$2"
}

# two quads that cross: the diagonal of each cuts the other's, their long sides pass
flat_and_wall() {
    printf 'v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3 4\n' >flat.obj
    printf 'v 0.5 -0.5 0.3\nv 0.5 0.5 0.3\nv 0.5 0.5 0.6\nv 0.5 -0.5 0.6\nf 1 2 3 4\n' >wall.obj
}

clean_cache() {
    grid mesh.obj 8
    scene ok.json mesh.obj 1-4 '"fields": []'
    sed -i 's/"center": \[0, 0, 0\]/"center": [0, -3, 0]/' ok.json
    expect 0 simulate ok.json -o ok.abc --quiet
    expect 0 verify --intersections ok.abc
    last '0 intersections in 4 frames' 1
    expect 0 verify --intersections ok.abc --scene ok.json --frames 2-4x2
    last '0 intersections in 2 frames' 1
    expect 0 check ok.json
    last 'ok.json: 0 error(s), 0 warning(s)'
    say "a clean cache: $(cat "$log/out")"
}

cloths_that_cross() {
    still two.json 1-3 "$(cloth flat flat.obj), $(cloth wall wall.obj)"
    expect 0 simulate two.json -o two.abc --quiet
    expect 1 verify --intersections two.abc
    # 3 vertical edges of the wall, and the diagonal of the flat one that passes it at z = 0.5
    says 'frame 1: 4 intersections: flat 0 / wall 0'
    says 'frame 3: 4 intersections: flat 0 / wall 0'
    last '12 intersections in 3 of 3 frames' 4
    expect 1 verify two.abc --intersections --frames 2 --json
    grep -Fq '{"frame": 2, "intersections": 4, "pair_count": 1, "pairs": [{"cloth": "flat", "face": 0, "other": "wall", "other_face": 0}]}' \
        "$log/out" || fail "the JSON has no such frame"
    grep -Fq '"intersections": 4, "bad_frames": 1, "frame_count": 1}' "$log/out" || fail "no sum in the JSON"
    ! command -v python3 >/dev/null || python3 -m json.tool "$log/out" >/dev/null || fail "not JSON"
    say "two cloths: $(sed -n 3p "$log/out")"

    # the same within one cloth
    cat flat.obj >both.obj
    sed 's/f 1 2 3 4/f 5 6 7 8/' wall.obj >>both.obj
    still one.json 1-1 "$(cloth both both.obj)"
    expect 0 simulate one.json -o one.abc --quiet
    expect 1 verify --intersections one.abc
    says 'frame 1: 4 intersections: both 0 / both 1'
    last '4 intersections in 1 of 1 frame' 2

    # far away and in centimetres
    shift_mesh flat.obj far_flat.obj 1000 0 1000
    shift_mesh wall.obj far_wall.obj 1000 0 1000
    still far.json 1-1 "$(cloth flat far_flat.obj), $(cloth wall far_wall.obj)"
    expect 0 simulate far.json -o far.abc --quiet
    expect 1 verify --intersections far.abc
    says 'frame 1: 4 intersections: flat 0 / wall 0'
    for mesh in flat wall; do
        awk '$1 == "v" { print "v", 100 * $2, 100 * $3, 100 * $4; next } { print }' $mesh.obj >cm_$mesh.obj
    done
    still cm.json 1-1 "$(cloth flat cm_flat.obj), $(cloth wall cm_wall.obj)" '' '"unit_m": 0.01'
    expect 0 simulate cm.json -o cm.abc --quiet
    expect 1 verify --intersections cm.abc
    says 'frame 1: 4 intersections: flat 0 / wall 0'
    say "within a cloth, at 1000 m and in centimetres alike"
}

# many pairs: a comb of walls through the flat quad
lists() {
    cp flat.obj comb.obj
    local i
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
        printf 'v 0.%02d -0.5 0.3\nv 0.%02d 0.5 0.3\nv 0.%02d 0.5 0.4\nv 0.%02d -0.5 0.4\nf -4 -3 -2 -1\n' \
            $((5 * i)) $((5 * i)) $((5 * i)) $((5 * i)) >>comb.obj
    done
    still comb.json 1-1 "$(cloth comb comb.obj)"
    expect 0 simulate comb.json -o comb.abc --quiet
    expect 1 verify --intersections comb.abc
    grep -q 'comb 0 / comb 10, and 2 more pairs$' "$log/out" || fail "not the first ten"
    expect 1 verify --intersections comb.abc --all
    grep -q 'comb 0 / comb 12$' "$log/out" || fail "--all does not list all"
    expect 1 verify --intersections comb.abc --json
    grep -q '"pair_count": 12, ' "$log/out" || fail "not twelve pairs"
    [ "$(grep -o '"other_face"' "$log/out" | wc -l)" -eq 10 ] || fail "the JSON lists not ten"
    say "ten pairs of a frame are listed, and all with --all"
}

# collider KIND TEXT EXPECTED: the flat quad and a wall of another cloth's place, frame by frame.
collider() {
    still c.json 1-5 "$(cloth flat flat.obj)" "{\"name\": \"solid\", $2}"
    expect 0 simulate c.json -o c.abc --quiet
    expect 0 verify --intersections c.abc
    run verify --intersections c.abc --scene c.json
    [ "$(cat "$log/out")" = "$3" ] || fail "$1: not '$3'"
    say "$1: $(tail -n 1 "$log/out")"
}

# from y = -2 to 2 in four steps: at the height of the cloth in frame 3
colliders() {
    local motion='"motion": [{"frame": 1, "translate_m": [0, -2, 0]}, {"frame": 5, "translate_m": [0, 2, 0]}]'
    local once='1 of 5 frames'
    collider sphere "\"sphere\": {\"center\": [0.7, 0, 0.3], \"radius\": 0.1}, $motion" \
        "frame 3: 1 intersection: flat 0 / solid
1 intersection in $once"
    collider box "\"box\": {\"center\": [0.7, 0, 0.3], \"half\": [0.1, 1.1, 0.1]}, $motion" \
        "frame 2: 1 intersection: flat 0 / solid
frame 3: 1 intersection: flat 0 / solid
frame 4: 1 intersection: flat 0 / solid
3 intersections in 3 of 5 frames"
    collider capsule "\"capsule\": {\"from\": [0.7, -5, 0.3], \"to\": [0.7, -1, 0.3], \"radius\": 0.1}, $motion" \
        "frame 4: 1 intersection: flat 0 / solid
frame 5: 1 intersection: flat 0 / solid
2 intersections in 2 of 5 frames"
    collider plane "\"plane\": {\"point\": [0, 0.5, 0], \"normal\": [0, 1, 0]}, $motion" \
        "frame 3: 2 intersections: flat 0 / solid
frame 4: 2 intersections: flat 0 / solid
frame 5: 2 intersections: flat 0 / solid
6 intersections in 3 of 5 frames"
    collider mesh "\"mesh\": \"wall.obj\", $motion" \
        "frame 3: 4 intersections: flat 0 / solid 0
4 intersections in $once"
    # turned by a quarter about z, the wall is flat, and above the cloth
    collider 'turned mesh' '"mesh": "wall.obj", "motion": [{"frame": 1, "translate_m": [0, 1, 0]},
        {"frame": 3, "translate_m": [0, 1, 0], "rotate_rad": [0, 0, 1.5707963267948966]},
        {"frame": 5, "translate_m": [0, 0.1, 0], "rotate_rad": [0, 0, 1.5707963267948966]}]' \
        '0 intersections in 5 frames'
    # one file a frame, from above to below
    local frame
    for frame in 1 2 3 4 5; do
        shift_mesh wall.obj "deforming.000$frame.obj" 0 $((3 - frame)) 0
    done
    collider 'deforming mesh' '"mesh": "deforming.%04d.obj"' \
        "frame 3: 4 intersections: flat 0 / solid 0
4 intersections in $once"
    # touching the ball is not entering it
    collider 'touched sphere' '"sphere": {"center": [0.7, -0.1, 0.3], "radius": 0.1}' \
        '0 intersections in 5 frames'
}

# the axes of the scene are those of its colliders
z_up() {
    awk '$1 == "v" { print "v", $2, -$4, $3; next } { print }' flat.obj >z_flat.obj
    still z.json 1-1 "$(cloth flat z_flat.obj)" \
        '{"name": "ball", "sphere": {"center": [0.7, -0.3, 0], "radius": 0.1}},
         {"name": "floor", "plane": {"point": [0, 0, -0.1], "normal": [0, 0, 1]}}' '"up": "z"'
    expect 0 simulate z.json -o z.abc --quiet
    expect 1 verify --intersections z.abc --scene z.json
    says 'frame 1: 1 intersection: flat 0 / ball'
    expect 0 verify --intersections z.abc --scene z.json --set colliders.ball.sphere.radius=0.1 \
        --set 'colliders.ball.sphere.center=[0.7,0.3,0]'
    say "a scene whose up is z, and one of its values set"
}

start_pose() {
    still start.json 1-3 "$(cloth flat flat.obj), $(cloth wall wall.obj), $(cloth comb comb.obj | sed 's/comb.obj/far_comb.obj/')" \
        '{"name": "ball", "sphere": {"center": [0.7, 0, 0.3], "radius": 0.1}},
         {"name": "fence", "mesh": "fence.obj"}'
    shift_mesh comb.obj far_comb.obj 5 0 0
    shift_mesh wall.obj fence.obj 0.05 0 0
    expect 0 check start.json
    says "start.json: 0 error(s), 4 warning(s)"
    grep -q "start.json: warning: cloth 'flat' has 4 intersections with cloth 'wall' at the start, first of its face 0 with face 0; they will be untangled\\.$" \
        "$log/err" || fail "no warning of two cloths"
    grep -q "cloth 'comb' has [0-9]* intersections with itself at the start, first of faces 0 and 1; they will be untangled\\.$" \
        "$log/err" || fail "no warning of one cloth"
    grep -q "cloth 'flat' is inside collider 'ball' at the start with 1 triangle, first of face 0; it will be untangled\\.$" \
        "$log/err" || fail "no warning of a solid"
    grep -q "cloth 'flat' has 4 intersections with collider 'fence' at the start" "$log/err" ||
        fail "no warning of a collider mesh"
    [ "$(wc -l <"$log/err")" -eq 4 ] || fail "not four warnings"
    say "check: $(head -n 1 "$log/err")"

    # once for all wedges that start alike; without contact between cloths only colliders matter
    sed -i 's/}$/, "wedges": {"colliders.ball.sphere.radius": [0.1, 0.01], "fps": [24, 25]}}/' start.json
    expect 0 check start.json
    says "start.json: 0 error(s), 4 warning(s)"
    expect 0 check start.json --set contact.self=false
    says "start.json: 0 error(s), 2 warning(s)"
    say "once for all wedges, and not between cloths that do not meet"
}

refusals() {
    refuses 64 'needs an archive' verify --intersections
    refuses 64 'what to look for: --intersections' verify two.abc
    refuses 64 'takes one archive' verify --intersections two.abc one.abc
    refuses 64 "perhaps '--intersections'" verify --intersection5 two.abc
    refuses 64 'about a scene' verify --intersections two.abc --set fps=25
    refuses 64 'about a scene' verify --intersections two.abc --wedge 0
    refuses 64 'KEY=VALUE' verify --intersections two.abc --scene two.json --set fps
    refuses 64 'no wedge 3' verify --intersections two.abc --scene two.json --wedge 3
    refuses 64 'frame 4, of which two.abc holds no sample; it holds 3, from frame 1 to 3' \
        verify --intersections two.abc --frames 2-4
    refuses 64 '.' verify --intersections two.abc --frames 3-
    refuses 66 'none.abc' verify --intersections none.abc
    refuses 65 'two.json' verify --intersections two.json
    refuses 66 'none.json' verify --intersections two.abc --scene none.json
    head -c 2000 two.abc >cut.abc
    refuses 65 'cut.abc' verify --intersections cut.abc
    # a kilobyte, since repeats are stored once
    refuses 65 'claim 16000000 samples; at most' verify --intersections "$claims"
    shift_mesh wall.obj outer.obj 20000 0 0
    still outer.json 1-1 "$(cloth flat flat.obj)" '{"name": "outer", "mesh": "outer.obj"}'
    refuses 65 "two.abc: frame 1: Vertex 0 of 'outer' is .* m from the middle of the cloth; exact arithmetic reaches 8192 m" \
        verify --intersections two.abc --scene outer.json
    expect 0 check outer.json
    grep -q 'warning: the start was not searched for intersections: Vertex 0' "$log/err" || fail "no warning of reach"
}

flat_and_wall
clean_cache
cloths_that_cross
lists
colliders
z_up
start_pose
refusals
