#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: Apache-2.0
#
# Signals: SIGINT and SIGTERM finish the frame and close the cache with what is done, SIGQUIT ends
# at once, and a later run replaces the file by renaming.
#
#   stop.sh TOILE ALEMBIC_TOOLS
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# begin ARGUMENTS...: starts toile in the background and returns once frame 3 is done.
begin() {
    "$toile" "$@" >"$log/out" 2>"$log/err" </dev/null &
    child=$!
    until grep -q '^FRAME 3/' "$log/out"; do
        kill -0 "$child" 2>/dev/null || fail "toile $* ended by itself"
        sleep 0.05
    done
}

finish() {
    code=0
    wait "$child" || code=$?
}

# frames_done: the last frame that was announced.
frames_done() {
    sed -n 's/^FRAME \([0-9]*\)\/.*/\1/p' "$log/out" | tail -n 1
}

stopped_by() {
    local signal
    begin simulate long.json -o out.abc
    for signal in "$@"; do
        kill -s "$signal" "$child"
    done
    finish
    [ "$code" -eq 75 ] || fail "$*: exit code $code instead of 75"
    [ "$(ls -A)" = "$(printf 'long.json\nmesh.obj\nout.abc')" ] || fail "$*: left $(ls -A)"
    [ "$(samples out.abc)" = "$(frames_done)" ] || fail "$*: the frames done are not in the cache"
    [ "$(property out.abc complete)" = 0 ] || fail "$*: the cache says it is complete"
    [ "$(property out.abc last_frame)" = 100000 ] || fail "$*: the cache forgot its range"
    "$alembic/abcls" -r out.abc >/dev/null || fail "$*: the official library cannot read it"
    grep -q '^RESULT stopped cache=out.abc frames=' "$log/out" || fail "$*: no result line"
    say "$*: $(frames_done) frames kept, exit 75"
}

quit_at_once() {
    rm -f out.abc
    begin simulate long.json -o out.abc
    kill -s QUIT "$child"
    finish
    [ "$code" -eq 131 ] || fail "SIGQUIT: exit code $code instead of 131"
    [ ! -e out.abc ] || fail "SIGQUIT: an unfinished file has the final name"
    rm -f ./*.tmp
    say "SIGQUIT: at once, nothing under the final name"
}

replaced_by_rename() {
    local before after
    before=$(stat -c %i out.abc)
    exec 3<out.abc
    expect 0 simulate long.json -o out.abc --frames 1-3
    after=$(stat -c %i out.abc)
    [ "$before" != "$after" ] || fail "the file was changed in place"
    [ "$(head -c 5 <&3)" = Ogawa ] || fail "a reader lost the old file"
    exec 3<&-
    [ "$(property out.abc complete)" = 1 ] || fail "the new cache is not complete"
    [ "$(samples out.abc)" = 3 ] || fail "the new cache has not 3 samples"
    say "a second run replaces the file by renaming"
}

grid mesh.obj 24
scene long.json mesh.obj 1-100000
stopped_by INT
stopped_by TERM TERM INT
replaced_by_rename
quit_at_once

begin simulate long.json -o out.abc --interrupted-exit-code 85
kill -s TERM "$child"
finish
[ "$code" -eq 85 ] || fail "--interrupted-exit-code: exit code $code instead of 85"
say "--interrupted-exit-code 85 is kept"
