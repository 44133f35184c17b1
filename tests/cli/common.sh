# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: Apache-2.0
#
# What the tests of the command share. To be sourced with the paths of the toile command and of the
# folder with the official Alembic tools as arguments. Scenes live in the current folder, which is
# new and empty; what the command printed stands in $log/out and $log/err, its exit code in $code.
set -euo pipefail

toile=$(realpath "$1")
alembic=$(realpath "$2")
work=$(mktemp -d "${TMPDIR:-/tmp}/toile-cli.XXXXXX")
log=$work/log
code=0
trap 'rm -rf "$work"' EXIT
mkdir "$work/scene" "$log"
cd "$work/scene"

# the farm variables of the machine must not reach a test
unset TOILE_THREADS SLURM_CPUS_PER_TASK CUE_THREADS OMP_NUM_THREADS

say() { printf '%s\n' "- $*"; }

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    [ ! -s "$log/out" ] || tail -n 20 "$log/out" | sed 's/^/  out: /' >&2
    [ ! -s "$log/err" ] || tail -n 20 "$log/err" | sed 's/^/  err: /' >&2
    exit 1
}

# run ARGUMENTS...: runs toile with closed input.
run() {
    code=0
    "$toile" "$@" >"$log/out" 2>"$log/err" </dev/null || code=$?
}

# expect CODE ARGUMENTS...: runs toile and compares its exit code.
expect() {
    local want=$1
    shift
    run "$@"
    [ "$code" -eq "$want" ] || fail "toile $*: exit code $code instead of $want"
}

# refuses CODE PATTERN ARGUMENTS...: toile must exit with the code, print one line that matches the
# extended pattern and nothing else on standard error, and leave the folder as it was.
refuses() {
    local want=$1 pattern=$2 before after
    shift 2
    before=$(ls -A)
    expect "$want" "$@"
    after=$(ls -A)
    [ "$(wc -l <"$log/err")" -eq 1 ] || fail "toile $*: not exactly one sentence"
    grep -Eq "^toile: .*$pattern" "$log/err" || fail "toile $*: no sentence like '$pattern'"
    grep -Eq '[.?]$' "$log/err" || fail "toile $*: the sentence does not end"
    [ "$before" = "$after" ] || fail "toile $*: it left $after where $before was"
    say "$want: $(sed 's/^toile: //' "$log/err")"
}

# grid FILE CELLS: a square of one metre, triangles, with uvs, in the plane y = 0.5.
grid() {
    awk -v n="$2" 'BEGIN {
        for (j = 0; j <= n; j++) for (i = 0; i <= n; i++)
            printf "v %.9g 0.5 %.9g\nvt %.9g %.9g\n", i / n - 0.5, 0.5 - j / n, i / n, j / n
        for (j = 0; j < n; j++) for (i = 0; i < n; i++) {
            a = j * (n + 1) + i + 1; b = a + 1; c = b + n + 1; d = a + n + 1
            printf "f %d/%d %d/%d %d/%d\nf %d/%d %d/%d %d/%d\n", a, a, b, b, c, c, a, a, c, c, d, d
        }
    }' >"$1"
}

# scene FILE MESH FRAMES [MORE]: a square of cotton that falls on a ball, pinned at one corner; MORE
# is further text of the scene.
scene() {
    cat >"$1" <<END
{
  "toile": 1,
  "fps": 24,
  "frames": "$3",
  "cloth": [
    {"name": "square", "mesh": "$2", "pattern": "metric", "fabric": "cotton-poplin",
     "pins": [{"vertices": [0]}]}
  ],
  "colliders": [{"name": "ball", "sphere": {"center": [0, 0, 0], "radius": 0.3}}]${4:+,}
  ${4:-}
}
END
}

# property FILE NAME: the value of a user property, by toile info.
property() {
    "$toile" info "$1" | sed -n "s/^ *user [^ ]* $2 = //p"
}

# samples FILE: how many samples the first mesh has, by toile info.
samples() {
    "$toile" info --json "$1" | sed -n 's/.*"kind": "mesh"[^{]*"samples": \([0-9]*\).*/\1/p' | head -n 1
}
