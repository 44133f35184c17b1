#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: Apache-2.0
#
# The same scene gives the same bytes: for any number of threads, from any folder, and in frames
# written alone; threads are taken from options, environment and scene in that order.
#
#   repeat.sh TOILE ALEMBIC_TOOLS
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

sum() { sha256sum <"$1"; }

# threads_are COUNT: what the header of the last run said.
threads_are() {
    grep -q ", $1 thread(s)," "$log/err" || fail "not $1 threads: $(head -n 1 "$log/err")"
}

grid mesh.obj 20
scene ok.json mesh.obj 1-12

expect 0 simulate ok.json -o one.abc --threads 1
threads_are 1
hash=$(sed -n 's/^RESULT.*hash=//p' "$log/out")
expect 0 simulate ok.json -o two.abc --threads 2
threads_are 2
[ "$(sum one.abc)" = "$(sum two.abc)" ] || fail "1 and 2 threads give different files"
[ "$(sed -n 's/^RESULT.*hash=//p' "$log/out")" = "$hash" ] || fail "the state hashes differ"
say "1 and 2 threads: $(sum one.abc | cut -c1-16)"

mkdir -p ../elsewhere/deeper
cp ok.json mesh.obj ../elsewhere/deeper
(cd .. && "$toile" simulate elsewhere/deeper/ok.json -o three.abc --threads 3 --quiet >/dev/null)
[ "$(sum one.abc)" = "$(sum ../three.abc)" ] || fail "another folder gives a different file"
say "another folder and 3 threads: the same file"

expect 0 simulate ok.json --set solver.threads=2 --set output.cache=four.abc --quiet
[ "$(sum one.abc)" = "$(sum four.abc)" ] || fail "threads or output of the scene change the file"
say "solver.threads and output.cache of the scene: the same file"

expect 0 simulate ok.json -o a.obj --quiet
[ "$(ls a.*.obj | wc -l)" -eq 12 ] || fail "not one OBJ file a frame"
expect 0 simulate ok.json -o b.obj --frames 4-12x4 --quiet
[ "$(ls b.*.obj | tr '\n' ' ')" = 'b.0004.obj b.0008.obj b.0012.obj ' ] || fail "wrong frames"
cmp a.0008.obj b.0008.obj || fail "a frame written alone differs"
expect 0 simulate ok.json -o c.obj --threads 2 --quiet
cmp a.0012.obj c.0012.obj || fail "OBJ files depend on threads"
say "frames written alone are those of the whole run"

TOILE_THREADS=2 expect 0 simulate ok.json -o a.abc --frames 1
threads_are 2
TOILE_THREADS=2 expect 0 simulate ok.json -o a.abc --frames 1 --threads 3
threads_are 3
SLURM_CPUS_PER_TASK=5 OMP_NUM_THREADS=4 expect 0 simulate ok.json -o a.abc --frames 1
threads_are 5
OMP_NUM_THREADS=4,2 expect 0 simulate ok.json -o a.abc --frames 1
threads_are 4
OMP_NUM_THREADS=4 expect 0 simulate ok.json -o a.abc --frames 1 --set solver.threads=6
threads_are 6
say "threads: option, TOILE_THREADS, scene, farm"
