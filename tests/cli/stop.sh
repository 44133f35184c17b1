#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: Apache-2.0
#
# Signals: SIGINT, SIGTERM and SIGHUP finish the frame and close the cache with what is done, SIGQUIT
# ends at once, and a later run replaces the file by renaming and cleans up what SIGKILL left.
#
#   stop.sh TOILE ALEMBIC_TOOLS
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# begin ARGUMENTS...: starts toile in the background and returns once frame 3 is done.
begin() {
    : >"$log/out"
    "$toile" "$@" >"$log/out" 2>"$log/err" </dev/null &
    child=$!
    await "$@"
}

# the same as nohup does it.
begin_ignoring_hangup() {
    : >"$log/out"
    (trap '' HUP && exec "$toile" "$@" >"$log/out" 2>"$log/err" </dev/null) &
    child=$!
    await "$@"
}

await() {
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
    [ "$(property out.abc last_frame)" = "$(frames_done)" ] || fail "$*: the last frame is wrong"
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
    say "SIGQUIT: at once, nothing under the final name"
    begin simulate long.json -o out.abc
    kill -s KILL "$child"
    finish 2>/dev/null
    ls out.abc.*.tmp >/dev/null || fail "no temporary file to clean up"
    expect 0 simulate long.json -o out.abc --frames 1-2 --quiet
    ! ls out.abc.*.tmp 2>/dev/null || fail "temporary files of a killed run are still there"
    say "SIGKILL: the next run removes the temporary file"
}

# a run started by nohup does not end with its terminal
hangup_ignored() {
    begin_ignoring_hangup simulate long.json -o out.abc
    kill -s HUP "$child"
    sleep 0.3
    kill -0 "$child" 2>/dev/null || fail "SIGHUP ended a run that ignores it"
    kill -s TERM "$child"
    finish
    [ "$code" -eq 75 ] || fail "SIGHUP ignored: exit code $code instead of 75"
    say "SIGHUP stays ignored under nohup"
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
stopped_by HUP
replaced_by_rename
quit_at_once
hangup_ignored

begin simulate long.json -o out.abc --interrupted-exit-code 85
kill -s TERM "$child"
finish
[ "$code" -eq 85 ] || fail "--interrupted-exit-code: exit code $code instead of 85"
say "--interrupted-exit-code 85 is kept"
