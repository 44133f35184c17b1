# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The work behind tests/bench/blender.

  bench_operator.py TOILE ZIP FOLDER

Both ways write the same Alembic archive from the same mesh. The command's time is that of the whole
process; the operator's that of the call, collecting, stepping and playback set up."""

import json
import os
import statistics
import subprocess
import sys
import time

import bpy

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import support

PAIRS = 5
FRAMES = (1, 24)
BAR = 1.15


def write_scene(cloth, folder):
    positions = support.shown(cloth)
    with open(os.path.join(folder, "cloth.obj"), "w") as file:
        file.writelines(f"v {x:.17g} {y:.17g} {z:.17g}\n" for x, y, z in positions)
        for face in cloth.data.polygons:
            file.write("f " + " ".join(str(index + 1) for index in face.vertices) + "\n")
    scene = {
        "toile": 1,
        "fps": 24,
        "frames": f"{FRAMES[0]}-{FRAMES[1]}",
        "up": "z",
        "cloth": [
            {"name": "cloth", "mesh": "cloth.obj", "pattern": "none", "fabric": "cotton-poplin"}
        ],
        "colliders": [{"name": "ball", "sphere": {"center": [0, 0, 0], "radius": 0.3}}],
        "output": {"cache": "cli.abc"},
    }
    with open(os.path.join(folder, "scene.json"), "w") as file:
        json.dump(scene, file)


def processor_s():
    """Processor time of this process and of those it has waited for."""
    return sum(os.times()[:4])


def timed(call):
    """Seconds on the clock and on the processors."""
    began = time.perf_counter(), processor_s()
    call()
    return time.perf_counter() - began[0], processor_s() - began[1]


def print_summary(title, ratios):
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")
    print(f"{title}: median {middle:.3f}, quartiles {low:.3f} and {high:.3f}; bar {BAR}")


def main():
    toile, archive, folder = support.arguments()
    support.install(archive)
    cloth, ball = support.pinned_cloth(100, FRAMES)
    ball.animation_data_clear()
    ball.location = (0, 0, 0)
    cloth.toile_cloth.pin_group = ""
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(folder, "bench.blend"))
    write_scene(cloth, folder)
    command = [toile, "simulate", "scene.json", "--quiet"]
    ways = [
        (
            "command",
            lambda: subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL),
        ),
        ("operator", bpy.ops.toile.simulate),
    ]
    ratios = []
    for pair in range(PAIRS):
        # who comes first alternates
        took = {name: timed(call) for name, call in (ways if pair % 2 == 0 else ways[::-1])}
        ratios.append([a / b for a, b in zip(took["operator"], took["command"])])
        print(
            "pair {}: command {:.2f} s ({:.2f} s processor), operator {:.2f} s ({:.2f} s), "
            "ratio {:.3f} ({:.3f})".format(
                pair + 1, *took["command"], *took["operator"], *ratios[-1]
            ),
            flush=True,
        )
    print(f"operator over command, 100x100 quads, {FRAMES[1]} frames:")
    print_summary("  on the clock", [ratio[0] for ratio in ratios])
    print_summary("  on the processors", [ratio[1] for ratio in ratios])


main()
