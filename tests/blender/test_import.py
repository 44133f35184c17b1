# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cache of the `toile` command as Blender's own Alembic importer sees it, without the add-on.

    test_import.py TOILE FOLDER

The cloth is a closed ball with a uv seam that falls on a floor, so that inside, outside and every
uv can be told apart. What the cache must hold is known from a point cache of the same scene, which
this file reads itself.
"""

import json
import os
import subprocess

import bpy
import numpy as np
import support
from support import say

FPS = 24
FIRST, LAST = 3, 10
RINGS, SEGMENTS, RADIUS = 9, 16, 0.3
# float32 at some tens of metres
SAME_M = 1e-5
# one sub-step a sample: the velocity is the way since the one before, in float32 positions
SAME_M_PER_S = 1e-3

toile, folder = support.arguments()


def corner_of(ring, segment):
    """Point and uv, of which a ring has one more."""
    return ring * SEGMENTS + segment % SEGMENTS, ring * (SEGMENTS + 1) + segment


def write_ball(path, centre):
    """A sphere with counter-clockwise faces; answers positions, faces and uvs by corner."""
    points, uvs, faces = [], [], []
    for ring in range(RINGS + 1):
        polar = np.pi * (ring + 0.5) / (RINGS + 1)
        for segment in range(SEGMENTS + 1):
            around = 2 * np.pi * segment / SEGMENTS
            uvs.append((segment / SEGMENTS, 1 - ring / RINGS))
            if segment < SEGMENTS:
                flat = np.sin(polar)
                way = (flat * np.cos(around), np.cos(polar), -flat * np.sin(around))
                points.append(np.array(way) * RADIUS + centre)
    for ring in range(RINGS):
        for segment in range(SEGMENTS):
            below, after = ring + 1, segment + 1
            corners = [(ring, segment), (below, segment), (below, after), (ring, after)]
            faces.append([corner_of(r, s) for r, s in corners])
    # the holes at the poles, as triangles
    for ring, turn in ((0, 1), (RINGS, -1)):
        for segment in range(1, SEGMENTS - 1):
            face = [corner_of(ring, s) for s in (0, segment, segment + 1)]
            faces.append(face[::turn])
    with open(path, "w") as file:
        file.writelines(f"v {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in points)
        file.writelines(f"vt {u:.9g} {v:.9g}\n" for u, v in uvs)
        for face in faces:
            file.write("f " + " ".join(f"{p + 1}/{t + 1}" for p, t in face) + "\n")
    return np.array(points), faces, np.array(uvs)


def simulate(name, centre, samples):
    """Runs the scene into an archive and a point cache; answers the latter's samples by frame."""
    write_ball(os.path.join(folder, "ball.obj"), np.array(centre))
    floor = [0, centre[1] - RADIUS - 0.05, 0]
    cloth = {"name": "ball", "mesh": "ball.obj", "pattern": "none", "fabric": "cotton-poplin"}
    scene = {
        "toile": 1,
        "fps": FPS,
        "frames": f"{FIRST}-{LAST}",
        "solver": {"substeps": 1},
        "cloth": [cloth],
        "colliders": [{"name": "floor", "plane": {"point": floor, "normal": [0, 1, 0]}}],
        "output": {"samples_per_frame": samples},
    }
    with open(os.path.join(folder, f"{name}.json"), "w") as file:
        json.dump(scene, file)
    for ending in ("abc", "pc2"):
        command = [toile, "simulate", f"{name}.json", "-o", f"{name}.{ending}", "--quiet"]
        subprocess.run(command, cwd=folder, check=True)
    found = support.read_pc2(os.path.join(folder, f"{name}.pc2")).astype(float)
    assert len(found) == (LAST - FIRST) * samples + 1, len(found)
    return {FIRST + index / samples: positions for index, positions in enumerate(found)}


def import_archive(name):
    support.empty_scene()
    bpy.context.scene.render.fps = FPS
    path = os.path.join(folder, f"{name}.abc")
    bpy.ops.wm.alembic_import(filepath=path, as_background_job=False, set_frame_range=True)
    (mesh,) = (obj for obj in bpy.data.objects if obj.type == 'MESH')
    return mesh


def z_up(positions):
    """Archives are Y up, Blender is Z up."""
    return np.column_stack([positions[:, 0], -positions[:, 2], positions[:, 1]])


def shown_at(obj, time):
    frame = int(np.floor(time))
    bpy.context.scene.frame_set(frame, subframe=time - frame)
    return support.shown(obj, world=True)


def evaluated_mesh(obj, frame):
    bpy.context.scene.frame_set(frame)
    return obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()


def check_counts_and_range(obj, frames):
    scene = bpy.context.scene
    assert [scene.frame_start, scene.frame_end] == [FIRST, LAST], scene.frame_end
    mesh = evaluated_mesh(obj, FIRST)
    assert len(mesh.vertices) == len(frames[FIRST]) == (RINGS + 1) * SEGMENTS
    assert len(mesh.polygons) == RINGS * SEGMENTS + 2 * (SEGMENTS - 2)
    say(f"{len(mesh.vertices)} vertices, {len(mesh.polygons)} faces, frames {FIRST} to {LAST}")


def check_frames(obj, frames):
    largest = max(np.abs(shown_at(obj, f) - z_up(x)).max() for f, x in frames.items())
    say(f"samples: {largest:.3g} m off at most")
    assert largest <= SAME_M
    assert np.abs(frames[LAST] - frames[FIRST]).max() > 0.02, "nothing moved"


def check_sub_frames(obj, frames, samples):
    largest = 0.0
    for time in (3.25, 4.5, 6.125, 7.9, 9.75):
        low = np.floor(time * samples) / samples
        high = min(low + 1 / samples, LAST)
        between = frames[low] + (time - low) * samples * (frames[high] - frames[low])
        largest = max(largest, np.abs(shown_at(obj, time) - z_up(between)).max())
    say(f"five times between frames: {largest:.3g} m off at most")
    assert largest <= SAME_M


def check_outside(obj):
    """Normals point away from the middle of the ball, as Blender computes them from the faces."""
    mesh = evaluated_mesh(obj, FIRST)
    centre = np.mean([v.co for v in mesh.vertices], axis=0)
    ways = [np.dot(p.normal, np.array(p.center) - centre) for p in mesh.polygons]
    assert min(ways) > 0.5 * RADIUS, min(ways)
    say("every face looks outwards")


def check_uvs(obj):
    _, faces, uvs = write_ball(os.path.join(folder, "again.obj"), np.zeros(3))
    mesh = evaluated_mesh(obj, FIRST)
    (layer,) = mesh.uv_layers
    found = {}
    for polygon in mesh.polygons:
        for loop in polygon.loop_indices:
            corner = (frozenset(polygon.vertices), mesh.loops[loop].vertex_index)
            found[corner] = np.array(layer.data[loop].uv)
    largest = max(
        np.abs(found[frozenset(p for p, _ in face), point] - uvs[uv]).max()
        for face in faces
        for point, uv in face
    )
    say(f"uv map '{layer.name}': {largest:.3g} off at most, over {len(found)} corners")
    assert largest <= 1e-6


def check_velocities(obj, frames, samples):
    largest, fastest = 0.0, 0.0
    for frame in (FIRST + 1, LAST - 3):
        mesh = evaluated_mesh(obj, frame)
        values = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.attributes["velocity"].data.foreach_get("vector", values)
        expected = z_up((frames[frame] - frames[frame - 1 / samples]) * FPS * samples)
        largest = max(largest, np.abs(values.reshape(-1, 3) - expected).max())
        fastest = max(fastest, np.linalg.norm(expected, axis=1).max())
    say(f"velocities: {largest:.3g} m/s off at most, where the fastest is {fastest:.3g} m/s")
    assert largest <= SAME_M_PER_S < 0.1 * fastest


def check(name, centre, samples=1):
    say(f"the scene '{name}'")
    frames = simulate(name, centre, samples)
    obj = import_archive(name)
    check_counts_and_range(obj, frames)
    check_frames(obj, frames)
    check_sub_frames(obj, frames, samples)
    check_outside(obj)
    check_uvs(obj)
    check_velocities(obj, frames, samples)


def main():
    say(f"Blender {bpy.app.version_string}")
    assert bpy.app.build_options.alembic, "this Blender reads no Alembic"
    check("near", (0.1, 0.8, -0.2))
    # beyond 10 m positions are relative to the transform above the mesh
    check("far", (11.3, 2.0, 7.7))
    check("half frames", (0.1, 0.8, -0.2), samples=2)


main()
