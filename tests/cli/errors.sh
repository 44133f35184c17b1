#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: Apache-2.0
#
# What the command refuses: the exit code that farms go by, one sentence with its place, and nothing
# written.
#
#   errors.sh TOILE ALEMBIC_TOOLS
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() {
    refuses 64 "perhaps 'simulate'" simulat
    refuses 64 'no command' xyzzyplugh
    refuses 64 "perhaps '--frames'" simulate ok.json --frmaes 1-2
    refuses 64 'no option' simulate ok.json -Z
    refuses 64 'needs a value' simulate ok.json -o
    refuses 64 'needs a scene' simulate
    refuses 64 'takes one scene' check ok.json other.json
    refuses 64 'KEY=VALUE' simulate ok.json --set fps
    refuses 64 'threads' simulate ok.json --threads many
    refuses 64 'progress' simulate ok.json --progress loud
    refuses 64 'no output' simulate ok.json
    refuses 64 '\.mdd or \.obj' simulate ok.json -o a.usd
    refuses 64 '\.mdd or \.obj' simulate ok.json -o .abc
    refuses 64 '\.png' simulate ok.json -o a.abc --preview a.jpg
    refuses 64 '\.abc' simulate ok.json -o a.obj --preview a.png
    refuses 64 '--resume' simulate ok.json -o a.abc --resume
    refuses 64 'no wedge 1; the scene has no "wedges"' simulate ok.json -o a.abc --wedge 1
    refuses 64 '--wedge takes the number' simulate ok.json -o a.abc --wedge first
    refuses 64 '--wedge takes the number' eval ok.json --wedge -1
    refuses 64 '--out' simulate ok.json --out there
    refuses 64 "needs 'list' or 'show'" wedge
    refuses 64 "not 'lits'" wedge lits ok.json
    refuses 64 'needs a scene' wedge list
    refuses 64 'needs the number' wedge show ok.json
    refuses 64 'number of a wedge' wedge show ok.json one
    refuses 64 "takes no '3'" wedge list ok.json 3
    refuses 64 "perhaps 'elements'" bench elemens
    refuses 64 'pairs takes 1' bench elements --pairs 0
    refuses 64 'frames takes 1' bench elements --frames few
    refuses 64 'pixels' preview a.abc --size big
    TOILE_THREADS=few refuses 64 'TOILE_THREADS' simulate ok.json -o a.abc
}

ranges() {
    local range
    for range in 5-1 x 1-10x0 '' 1-- 2,1 1-1000000000; do
        refuses 64 '.' simulate ok.json -o a.abc --frames "$range"
    done
    refuses 64 'starts at frame 1' simulate ok.json -o a.abc --frames -5-2
    refuses 64 'evenly' simulate ok.json -o a.abc --frames 1,2,5
    refuses 64 '.' preview ok.abc --frames 3-
    refuses 64 'frame 9, but ok.abc holds frames 1 to 4' preview ok.abc --frames 2-9x7
    refuses 64 'holds frames 1 to 4' preview ok.abc --frames 0
}

# what may never end, or never begin
pipes() {
    local name
    mkfifo pipe.abc pipe.pc2 pipe.json pipe.obj
    for name in pipe.abc pipe.pc2 pipe.json; do
        refuses 65 'not a file' info $name
    done
    refuses 65 'not a file' check pipe.json
    refuses 65 'not a file' info /dev/zero
    for name in pipe.abc pipe.obj; do
        sed "s/mesh.obj/$name/" ok.json >bad.json
        refuses 65 'not a file' check bad.json
    done
    rm pipe.*
}

invalid_scenes() {
    sed 's/"fps"/"fsp"/' ok.json >bad.json
    refuses 65 'bad.json:3:[0-9]+: .*fsp' simulate bad.json -o a.abc
    sed 's/"fps": 24/"fps": "fast"/' ok.json >bad.json
    refuses 65 'bad.json:3:[0-9]+: .*fps' simulate bad.json -o a.abc
    sed 's/"radius": 0.3/"radius": -1/' ok.json >bad.json
    refuses 65 'bad.json:9:[0-9]+: .*radius' simulate bad.json -o a.abc
    head -c 100 ok.json >bad.json
    refuses 65 'bad.json:[0-9]+:[0-9]+: ' simulate bad.json -o a.abc
    : >bad.json
    refuses 65 'bad.json' simulate bad.json -o a.abc
}

# invalid_mesh NAME LINE PATTERN: the mesh NAME.obj is refused, naming its line.
invalid_mesh() {
    scene bad.json "$1.obj" 1-3
    sed -i 's/"metric"/"none"/' bad.json
    refuses 65 "$1.obj:$2:.*$3" simulate bad.json -o a.abc
}

invalid_meshes() {
    printf 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0.5 1.5 0\nv 0 1 0\nf 1 2 3 4 5\n' >ngon.obj
    printf 'v 0 0 0\nv 1 nan 0\nv 1 1 0\nf 1 2 3\n' >nan.obj
    printf 'v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 7\n' >index.obj
    printf 'v 0 0 0\nv 1 zero 0\nv 1 1 0\nf 1 2 3\n' >word.obj
    printf 'v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n' >flat.obj
    invalid_mesh ngon 6 '5'
    invalid_mesh nan 2 ''
    invalid_mesh index 4 '7'
    invalid_mesh word 2 ''
    scene bad.json flat.obj 1-3
    sed -i 's/"metric"/"none"/' bad.json
    refuses 65 'flat.obj' simulate bad.json -o a.abc
    printf 'v 0 0 0\n' >pose.obj
    refuses 65 'pose.obj: the pose has 1 vert' eval ok.json --pose pose.obj
    refuses 65 'pose.obj: the velocities have 1 vert' eval ok.json --velocity pose.obj
    printf 'not an archive at all' >text.abc
    refuses 65 'text.abc' info text.abc
    refuses 65 'text.abc' preview text.abc
}

missing_files() {
    refuses 66 'none.json' simulate none.json -o a.abc
    refuses 66 'none.json' check none.json
    refuses 66 'none.abc' info none.abc
    refuses 66 'none.abc' preview none.abc
    scene bad.json none.obj 1-3
    refuses 66 'bad.json:6:[0-9]+: .*none.obj' simulate bad.json -o a.abc
    refuses 66 'none.obj' eval ok.json --pose none.obj
    refuses 66 'none.obj' eval ok.json --velocity none.obj
    local command
    mkdir folder
    for command in simulate check info preview; do
        refuses 66 'folder' $command folder
    done
    refuses 66 'folder' preview ok.abc --scene folder
    rmdir folder
}

outputs() {
    refuses 73 'no/such' simulate ok.json --quiet -o no/such/a.abc
    refuses 73 'no/such' simulate ok.json --quiet -o no/such/a.obj
    refuses 73 'no/such' preview ok.abc -o no/such/a.png
    # what can be known is told before anything is simulated
    mkdir d.abc d.pc2 d.png
    scene long.json mesh.obj 1-1000000
    refuses 73 'd.abc: this is a folder' simulate long.json --quiet -o d.abc
    refuses 73 'd.pc2: this is a folder' simulate long.json --quiet -o d.pc2
    refuses 73 'no/such' simulate long.json --quiet -o a.abc --preview no/such/a.png
    refuses 73 'd.png' simulate long.json --quiet -o a.abc --preview d.png
    rmdir d.abc d.pc2 d.png
    (ulimit -f 8 && refuses 74 '.' simulate ok.json --quiet -o a.abc)
    (ulimit -f 1 && refuses 74 '.' simulate ok.json --quiet -o a.obj)
    if [ -w /dev/full ]; then
        code=0
        "$toile" eval ok.json --json >/dev/full 2>"$log/err" || code=$?
        [ "$code" -eq 74 ] || fail "a full standard output: exit code $code instead of 74"
        say "74: $(sed 's/^toile: //' "$log/err")"
        ln -s /dev/full a.png.tmp
        expect 74 preview ok.abc -o a.png
        grep -q 'No space left' "$log/err" || fail "a full disk: $(cat "$log/err")"
        [ ! -e a.png ] || fail "a full disk: a picture was left"
        say "74: $(sed 's/^toile: //' "$log/err")"
    fi
}

# keeps NAME PATTERN COMMAND...: refused with 65, and the file stays what it was.
keeps() {
    local name=$1 sum
    shift
    sum=$(cksum <"$name")
    refuses 65 "$@"
    [ "$(cksum <"$name")" = "$sum" ] || fail "toile ${*:2}: $name was lost"
}

# what is read must not be written over, by whatever name it goes
own_inputs() {
    local name
    cp ok.abc own.abc
    cp mesh.obj own.0002.obj
    ln -s own.abc soft.abc
    ln own.abc hard.abc
    ln -s own.abc soft.png
    scene own.json own.abc 1-3 '"output": {"cache": "soft.abc"}'
    for name in own.abc ./own.abc soft.abc hard.abc; do
        keeps own.abc "$name: the scene reads this file" simulate own.json -o "$name"
    done
    keeps own.abc 'soft.abc: the scene reads this file' check own.json
    keeps own.abc 'soft.png: the picture' simulate own.json -o a.abc --preview soft.png
    keeps own.abc 'soft.png: the picture' preview own.abc -o soft.png
    keeps own.abc 'soft.png: the picture' preview ok.abc --scene own.json -o soft.png
    ln -s own.abc soft.0003.png
    keeps own.abc 'soft.0003.png: the picture' preview own.abc -o soft.png --single
    scene own.json own.0002.obj 1-3 '"output": {"cache": "own.obj"}'
    keeps own.0002.obj 'own.0002.obj: the scene reads' simulate own.json
    keeps own.0002.obj 'own.0002.obj: the scene reads' check own.json
    expect 0 simulate ok.json --quiet -o own.pc2
    sed 's/"sphere": {.*}}/"mesh": "mesh.obj", "points": "own.pc2"}/' ok.json >own.json
    keeps own.pc2 'own.pc2: the scene reads' simulate own.json -o own.pc2
}

schemas() {
    local name
    scene sub.json mesh.obj 1-3 '"output": {"schema": "subd", "cache": "a.mdd"}'
    for name in a.pc2 a.mdd a.obj; do
        refuses 65 "$name: only .abc caches hold subdivision" simulate sub.json -o "$name"
    done
    refuses 65 'a.mdd: only .abc caches hold subdivision' check sub.json
}

many_findings() {
    sed -e 's/"fps": 24/"fps": 0/' -e 's/"radius": 0.3/"radius": -1/' ok.json >bad.json
    expect 65 check bad.json
    [ "$(grep -c '^toile: bad.json:' "$log/err")" -eq 2 ] || fail "check must list both errors"
    grep -q '2 error(s)' "$log/out" || fail "check must count the errors"
    expect 0 check ok.json
    say "check lists every error, and none for a good scene"
}

grid mesh.obj 20
scene ok.json mesh.obj 1-4
expect 0 simulate ok.json --quiet -o ok.abc
usage
ranges
invalid_scenes
invalid_meshes
missing_files
pipes
outputs
own_inputs
schemas
many_findings
