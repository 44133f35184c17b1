#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: Apache-2.0
#
# Chunks of a cache, joined, are the cache of a single run, byte for byte; what does not belong
# together is refused.
#
#   join.sh TOILE ALEMBIC_TOOLS
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# chunks SCENE RANGE...: writes a chunk for each range, and joins them backwards.
chunks() {
    local scene=$1 list=() range
    shift
    for range in "$@"; do
        expect 0 simulate "$scene" --quiet --frames "$range" -o "part.$range.abc"
        list=("part.$range.abc" "${list[@]}")
    done
    rm -f joined.abc
    expect 0 join joined.abc "${list[@]}"
}

# same SCENE RANGE...: the joined chunks equal the whole of 1-9.
same() {
    expect 0 simulate "$1" --quiet -o whole.abc
    chunks "$@"
    cmp whole.abc joined.abc || fail "$1: chunks ${*:2} are not the whole"
    say "$1: ${*:2} joined are the $(wc -c <whole.abc) bytes of a single run"
}

grid mesh.obj 8
scene near.json mesh.obj 1-9
same near.json 1-5 6-9
same near.json 1-2 3-6 7-9
# far away positions are relative to where the cloth began, not to where a chunk begins
awk '$1 == "v" { $2 += 12.3 } { print }' mesh.obj >away.obj
awk '$1 == "f" && ++n % 32 == 1 { print "g part" int(n / 32) } { print }' away.obj >parts.obj
scene far.json parts.obj 1-9
same far.json 1-5 6-9
expect 0 info joined.abc
grep -q '/square  transform, .*1 sample' "$log/out" || fail "there is no offset"
scene half.json mesh.obj 1-9 '"output": {"samples_per_frame": 2}'
expect 0 simulate half.json --quiet -o whole.abc
[ "$(samples whole.abc)" = 17 ] || fail "not two samples a frame"
same half.json 1-5 6-9
same half.json 1-3 3-5 5-9

chunks near.json 1-3 4-6
refuses 65 'gap|missing' join out.abc part.1-3.abc part.7-9.abc
expect 0 simulate near.json --quiet --frames 4-6 --set cloth.square.fabric=denim -o other.abc
refuses 65 'another scene' join out.abc part.1-3.abc other.abc
refuses 66 'none.abc' join out.abc part.1-3.abc none.abc
refuses 65 'near.json' join out.abc part.1-3.abc near.json
refuses 64 'at least one chunk' join out.abc
# whatever name the joined file has, it must not be a chunk
ln -s part.1-3.abc soft.abc
ln part.1-3.abc hard.abc
for name in part.1-3.abc ./part.1-3.abc soft.abc hard.abc; do
    refuses 65 'both a chunk and' join "$name" part.1-3.abc
done
refuses 64 'must end in .abc' join out.obj part.1-3.abc
refuses 73 'no/such' join no/such/out.abc part.1-3.abc part.4-6.abc
