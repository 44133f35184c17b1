# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on in one host, from the zip to the cache played.

  test_host.py TOILE ZIP FOLDER    TOILE: the command; FOLDER: empty, for what is written

Runs in Blender (blender -b --python) and in Python with the bpy module alike."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import traceback

import bpy
import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import support
from support import say

# what playback, cache and command may differ by, metres
SAME_M = 1e-6
# a turned object begins at other float32 numbers, and each step is solved to 0.2 mm only
AS_IT_LOOKS_M = 1e-3
# what a run may leave behind beyond Blender's own; a session not freed is 14 MB here
LEAK_KB = 64
LAST = 48
CELLS = 40

toile, archive, folder = support.arguments()


def in_folder(name):
    """A new folder with a saved file in it."""
    path = os.path.join(folder, name)
    os.makedirs(path)
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(path, "scene.blend"))
    return path


def simulate(**settings):
    answer = bpy.ops.toile.simulate(**settings)
    assert answer == {'FINISHED'}, answer


def refused(**settings):
    """The sentence the operator answers with."""
    try:
        answer = bpy.ops.toile.simulate(**settings)
    except RuntimeError as error:
        text = str(error).strip()
        return text[len("Error: ") :] if text.startswith("Error: ") else text
    raise AssertionError(f"not refused: {answer}")


def cache_of(obj):
    playback = support.part("playback")
    return playback.absolute(playback.played_path(playback.find(obj)))


def samples_in(path):
    """How many frames a cache holds, asked of others than the add-on."""
    if path.endswith(".pc2"):
        return len(support.read_pc2(path))
    told = subprocess.run(
        [toile, "info", "--json", path], capture_output=True, text=True, check=True
    )
    return max(
        item["samples"] for item in json.loads(told.stdout)["objects"] if item["kind"] == "mesh"
    )


# ---- the same scene for the command line ----


def write_obj(obj, path):
    """World positions; for an object that is not moved these are its own."""
    positions = support.shown(obj, world=True)
    with open(path, "w") as file:
        for x, y, z in positions:
            file.write(f"v {x:.17g} {y:.17g} {z:.17g}\n")
        for face in obj.data.polygons:
            file.write("f " + " ".join(str(index + 1) for index in face.vertices) + "\n")


def write_scene(cloth, ball, frames, path):
    """The scene file of the cloth and the ball at the current settings."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    middle, half = support.part("collect").bounds(ball, depsgraph)
    motion = []
    for frame in range(frames[0], frames[1] + 1):
        bpy.context.scene.frame_set(frame)
        evaluated = ball.evaluated_get(bpy.context.evaluated_depsgraph_get())
        motion.append({"frame": frame, "translate_m": list(evaluated.matrix_world.translation)})
    pins = [
        vertex.index
        for vertex in cloth.data.vertices
        if vertex.groups and vertex.groups[0].weight > 0.5
    ]
    scene = {
        "toile": 1,
        "fps": 24,
        "frames": f"{frames[0]}-{frames[1]}",
        "up": "z",
        "gravity_m_per_s2": list(bpy.context.scene.gravity),
        "cloth": [
            {
                "name": "cloth",
                "mesh": "cloth.obj",
                "pattern": "none",
                "fabric": cloth.toile_cloth.fabric,
                "pins": [{"vertices": pins}],
            }
        ],
        "colliders": [
            {
                "name": "ball",
                "sphere": {"center": list(middle), "radius": half.max()},
                "thickness_m": ball.toile_collider.thickness_m,
                "motion": motion,
            }
        ],
        "output": {"cache": "cli.abc"},
    }
    with open(path, "w") as file:
        json.dump(scene, file, indent=1)


def command_line(cloth, ball, frames, path):
    """Positions by frame as `toile simulate` gives them."""
    bpy.context.scene.frame_set(frames[0])
    write_obj(cloth, os.path.join(path, "cloth.obj"))
    write_scene(cloth, ball, frames, os.path.join(path, "scene.json"))
    subprocess.run(
        [toile, "simulate", "scene.json", "-o", "cli.obj", "--quiet"], cwd=path, check=True
    )
    return [
        read_obj(os.path.join(path, f"cli.{frame:04d}.obj"))
        for frame in range(frames[0], frames[1] + 1)
    ]


def read_obj(path):
    with open(path) as file:
        rows = [line.split()[1:4] for line in file if line.startswith("v ")]
    return np.array(rows, float)


def largest_difference(obj, expected, first):
    return max(
        np.abs(support.shown(obj, first + index) - positions).max()
        for index, positions in enumerate(expected)
    )


# ---- the tests ----


def test_playback_equals_cache_and_command():
    cloth, ball = support.pinned_cloth(CELLS, (1, LAST))
    path = in_folder("main")
    expected = command_line(cloth, ball, (1, LAST), path)
    assert len(expected) == LAST
    bpy.context.scene.frame_set(7)
    before = hashlib.sha1(np.array([v.co[:] for v in cloth.data.vertices])).hexdigest()
    clock = support.Clock()
    simulate()
    say(f"{LAST} frames of {CELLS}x{CELLS} quads in {clock}: {cloth.toile_cloth.result}")
    assert bpy.context.scene.frame_current == 7
    assert before == hashlib.sha1(np.array([v.co[:] for v in cloth.data.vertices])).hexdigest()
    file = cache_of(cloth)
    assert samples_in(file) == LAST, samples_in(file)
    difference = largest_difference(cloth, expected, 1)
    say(f"playback against the command line: {difference:.3g} m at most")
    assert difference <= SAME_M
    difference = read_back(file, cloth)
    say(f"playback against the cache read otherwise: {difference:.3g} m at most")
    assert difference <= SAME_M
    fallen = np.abs(expected[-1] - expected[0]).max()
    pinned = np.abs(expected[-1] - expected[0])[[0, CELLS]].max()
    assert fallen > 0.1 and pinned == 0 and np.abs(expected[-1] - expected[0])[-1].max() > 0.01
    # outside the range the ends stay
    assert np.array_equal(support.shown(cloth, 0), support.shown(cloth, 1))
    assert np.array_equal(support.shown(cloth, LAST + 5), support.shown(cloth, LAST))
    save_and_reload(path, expected)


def read_back(file, cloth):
    """Playback at every frame against the cache by another way than the modifier's settings."""
    if file.endswith(".pc2"):
        return largest_difference(cloth, support.read_pc2(file), 1)
    objects = set(bpy.data.objects)
    bpy.ops.wm.alembic_import(filepath=file, as_background_job=False, set_frame_range=False)
    (other,) = (obj for obj in set(bpy.data.objects) - objects if obj.type == 'MESH')
    largest = 0.0
    for frame in range(1, LAST + 1):
        difference = support.shown(cloth, frame, world=True) - support.shown(
            other, frame, world=True
        )
        largest = max(largest, np.abs(difference).max())
    bpy.data.objects.remove(other)
    support.make_active(cloth)
    return largest


def save_and_reload(path, expected):
    bpy.ops.wm.save_mainfile()
    # elsewhere, so that only relative paths can work
    moved = path + "-moved"
    shutil.move(path, moved)
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=os.path.join(moved, "scene.blend"))
    cloth = bpy.data.objects["Cloth"]
    assert cloth.toile_cloth.fabric == "cotton-poplin", cloth.toile_cloth.fabric
    difference = largest_difference(cloth, expected, 1)
    say(f"saved, moved to another folder, loaded: {difference:.3g} m at most")
    assert difference <= SAME_M
    support.make_active(cloth)
    # again over the file that is being played, with another fabric
    cloth.toile_cloth.fabric = "11-oz-black-denim"
    bpy.context.scene.frame_end = 12
    simulate()
    assert samples_in(cache_of(cloth)) == 12
    assert len(cloth.modifiers) == 1 and len(bpy.data.cache_files) <= 1
    difference = largest_difference(cloth, expected[:12], 1)
    assert difference > 1e-4, "the old cache is still shown"
    file = cache_of(cloth)
    bpy.ops.toile.delete_cache()
    assert not os.path.exists(file) and not cloth.modifiers and not bpy.data.cache_files
    assert np.abs(support.shown(cloth, 5) - expected[0]).max() <= SAME_M
    say("simulated again, shown anew, deleted")


def test_cancel_keeps_ten_frames():
    cloth, _ = support.pinned_cloth(20, (1, LAST))
    in_folder("cancel")
    handlers = support.part("bake").frame_handlers
    seen = []

    def stop(run):
        seen.append(run.frame)
        return run.frame < 10

    handlers.append(stop)
    try:
        simulate()
    finally:
        handlers.remove(stop)
    assert seen == list(range(1, 11)), seen
    assert samples_in(cache_of(cloth)) == 10
    ten = support.shown(cloth, 10)
    assert np.array_equal(ten, support.shown(cloth, 30)) and not np.array_equal(
        ten, support.shown(cloth, 9)
    )
    assert "Stopped at frame 10 of 48" in cloth.toile_cloth.result, cloth.toile_cloth.result
    say(f"cancelled: {cloth.toile_cloth.result}")


def test_other_range_and_rate():
    cloth, ball = support.pinned_cloth(12, (101, 112), "Cloth.\u00e9 2")
    bpy.context.scene.render.fps = 30
    bpy.context.scene.render.fps_base = 1.001
    path = in_folder("range")
    simulate()
    assert samples_in(cache_of(cloth)) == 12
    frames = [support.shown(cloth, frame) for frame in range(100, 114)]
    assert np.array_equal(frames[0], frames[1]) and np.array_equal(frames[-1], frames[-2])
    rest = np.array([v.co[:] for v in cloth.data.vertices], np.float32)
    assert np.array_equal(frames[1], rest), "the first frame is not the mesh"
    steps = [np.abs(b - a).max() for a, b in zip(frames[1:-2], frames[2:-1])]
    # free fall by implicit steps: the first frame at most g h^2
    assert 0 < steps[0] <= 9.81 * (1.001 / 30) ** 2, steps
    assert all(step > 0 for step in steps), steps
    say("frames 101 to 112 at 29.97 fps play at their own numbers")


def hanging_cloth():
    """Pinned along an edge, swinging to rest: motion that does not amplify rounding."""
    cloth, ball = support.pinned_cloth(12, (1, 24))
    cloth.vertex_groups["Pins"].add(list(range(13)), 1.0, 'REPLACE')
    cloth.toile_cloth.quality = 'ACCURATE'
    ball.toile_collider.enabled = False
    return cloth


def test_turned_scaled_and_mirrored_objects_simulate_as_they_look():
    from mathutils import Euler, Matrix

    cloth = hanging_cloth()
    in_folder("plain")
    simulate()
    plain = [support.shown(cloth, frame, world=True) for frame in range(1, 25)]
    for title, scale in (("scaled", (2.0, 0.5, 4.0)), ("mirrored", (-1.0, 1.0, 1.0))):
        cloth = hanging_cloth()
        turn = Matrix.Translation((0.5, -2, 1)) @ Euler((0.3, 0.7, 1.1)).to_matrix().to_4x4()
        matrix = turn @ Matrix.Diagonal((*scale, 1.0))
        cloth.data.transform(matrix.inverted())
        cloth.matrix_world = matrix
        in_folder(title)
        simulate()
        difference = max(
            np.abs(support.shown(cloth, frame, world=True) - plain[frame - 1]).max()
            for frame in range(1, 25)
        )
        moved = np.abs(plain[23] - plain[0]).max()
        say(f"{title}: {difference:.3g} m from the plain object, which moved {moved:.2f} m")
        assert moved > 0.5 and difference <= AS_IT_LOOKS_M


def test_pins_follow_the_object():
    cloth, ball = support.pinned_cloth(12, (1, 12))
    in_folder("follow")
    ball.toile_collider.enabled = False
    cloth.keyframe_insert("location", frame=1)
    cloth.location = (0.0, 0.0, 0.5)
    cloth.keyframe_insert("location", frame=12)
    support.linear(cloth)
    simulate()
    start, end = support.shown(cloth, 1, world=True), support.shown(cloth, 12, world=True)
    assert np.allclose(end[[0, 12]] - start[[0, 12]], (0, 0, 0.5), atol=1e-6)
    assert (end - start)[-1, 2] < 0, "free vertices are carried by the object"
    say("pinned vertices follow the object, free ones do not")


def test_all_cloths_of_the_scene():
    cloth, _ = support.pinned_cloth(8, (1, 6))
    second = support.grid("Second", 6, height=1.0)
    second.toile_cloth.enabled = True
    in_folder("all")
    simulate(scope='ALL')
    for obj in (cloth, second):
        assert samples_in(cache_of(obj)) == 6
        assert not np.array_equal(support.shown(obj, 1), support.shown(obj, 6))
    second.toile_cloth.output = bpy.path.relpath(cache_of(cloth))
    sentence = refused(scope='ALL')
    assert "'Second'" in sentence and "same cache file" in sentence, sentence
    say("two cloths at once, each with its cache")


# ---- what belongs to whom ----


def duplicate(obj):
    support.make_active(obj)
    bpy.ops.object.duplicate()
    return bpy.context.view_layer.objects.active


def test_delete_cache_of_a_duplicate_keeps_the_file():
    cloth, _ = support.pinned_cloth(6, (1, 4))
    in_folder("duplicate")
    simulate()
    file, last = cache_of(cloth), support.shown(cloth, 4)
    copy = duplicate(cloth)
    bpy.ops.toile.delete_cache()
    assert os.path.isfile(file) and not copy.modifiers
    assert np.array_equal(support.shown(cloth, 4), last)
    # nor does the original while the copy plays it
    copy = duplicate(cloth)
    support.make_active(cloth)
    bpy.ops.toile.delete_cache()
    assert os.path.isfile(file) and not cloth.modifiers
    assert np.array_equal(support.shown(copy, 4), last)
    # and what the copy plays is not overwritten
    support.make_active(cloth)
    sentence = refused()
    assert f"'{copy.name}' plays" in sentence, sentence
    say(f"refused: {sentence}")


def test_names_that_give_one_file_are_refused():
    first, _ = support.pinned_cloth(6, (1, 4), "Cloth.001")
    path = in_folder("names")
    simulate()
    second = support.grid("Cloth_001", 4, height=2.0)
    second.toile_cloth.enabled = True
    support.make_active(second)
    check_refusal(path, ("'Cloth_001'", "'Cloth.001'", "same cache file"), second)
    second.toile_cloth.output = "folder/"
    simulate()
    assert cache_of(second).startswith(os.path.join(path, "folder", "Cloth_001"))
    # an existing folder without a slash
    second.toile_cloth.output = "//folder"
    simulate()
    assert cache_of(second).startswith(os.path.join(path, "folder", "Cloth_001"))
    say("a relative path is taken from the blend file")


def test_a_modifier_of_the_same_name_is_left_alone():
    cloth, _ = support.pinned_cloth(6, (1, 4))
    in_folder("same-name")
    cloth.modifiers.new("Toile", 'SUBSURF')
    for _ in range(2):
        simulate()
        assert [m.type for m in cloth.modifiers] == [
            support.part("playback").modifier_type(),
            'SUBSURF',
        ]
    cloth.modifiers[0].name = "Renamed"
    simulate()
    assert len(cloth.modifiers) == 2


# ---- during a run ----


def with_handler(handler, call):
    handlers = support.part("bake").frame_handlers
    handlers.append(handler)
    try:
        return call()
    finally:
        handlers.remove(handler)


def test_an_object_removed_during_the_run():
    cloth, _ = support.pinned_cloth(6, (1, 8))
    second = support.grid("Second", 6, height=1.0)
    second.toile_cloth.enabled = True
    in_folder("removed")
    simulate(scope='ALL')
    bpy.context.scene.frame_set(3)

    def remove(run):
        if run.frame == 4:
            bpy.data.objects.remove(bpy.data.objects["Cloth"])

    support.make_active(second)
    sentence = with_handler(remove, lambda: refused(scope='ALL'))
    assert "removed" in sentence, sentence
    assert second.modifiers[0].show_viewport and bpy.context.scene.frame_current == 3
    assert not support.part("bake").running()
    simulate()
    say(f"refused: {sentence}")


def test_a_removal_leaves_the_shown_meshes_as_they_were():
    """As in a window, where copies of the meshes are shown."""
    cloth, _ = support.pinned_cloth(6, (1, 8))
    second = support.grid("Second", 6, height=1.0)
    path = in_folder("shown")
    bake = support.part("bake")
    run = bake.Run(bpy.context, [cloth, second], show=True)
    run.begin()
    run.step()
    assert second.data.name != "Second" and bpy.data.meshes["Second"].users == 1
    file = os.path.join(path, "copy.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file, copy=True)
    with bpy.data.libraries.load(file) as (there, _):
        assert {"Cloth", "Second"} < set(there.meshes) and len(there.meshes) == 3, there.meshes
    assert second.data.name != "Second", "the run goes on unseen"
    bpy.data.objects.remove(cloth)
    try:
        run.step()
        raise AssertionError("the step did not fail")
    except bake.Failure as failure:
        assert "removed" in failure.message
    assert second.data.name == "Second" and not second.data.use_fake_user
    assert not bake.running() and len(bpy.data.meshes) == 3


def test_a_simulation_within_another_is_refused():
    cloth, _ = support.pinned_cloth(6, (1, 4))
    in_folder("nested")
    sentences = []
    with_handler(lambda run: sentences.append(refused()), simulate)
    assert len(sentences) == 4 and "is running" in sentences[0], sentences
    assert not cloth.toile_cloth.failed and samples_in(cache_of(cloth)) == 4
    say(f"refused: {sentences[0]}")


def test_trouble_keeps_the_frames_done():
    cloth, ball = support.pinned_cloth(6, (1, 8))
    in_folder("trouble")
    ball.keyframe_insert("scale", frame=4)
    ball.scale = (2.0, 1.0, 1.0)
    ball.keyframe_insert("scale", frame=5)
    sentence = refused()
    say(f"stopped: {sentence}")
    assert "'Ball'" in sentence and "frame 5" in sentence, sentence
    assert cloth.toile_cloth.failed and samples_in(cache_of(cloth)) == 4


# ---- what the cloth starts from ----


def test_starts_from_the_mixed_shape_keys():
    cloth, _ = support.pinned_cloth(6, (1, 4))
    in_folder("keys")
    cloth.shape_key_add(name="Basis")
    key = cloth.shape_key_add(name="Up")
    for point in key.data:
        point.co.z += 1.0
    key.value = 0.0
    key.keyframe_insert("value", frame=1)
    key.value = 1.0
    key.keyframe_insert("value", frame=5)
    bpy.context.scene.frame_start = 3
    bpy.context.scene.frame_set(3)
    before = support.shown(cloth, 3)
    blocks = len(bpy.data.meshes), len(bpy.data.objects), len(bpy.data.scenes)
    simulate()
    assert blocks == (len(bpy.data.meshes), len(bpy.data.objects), len(bpy.data.scenes))
    assert abs(before[0, 2] - 0.9) < 0.01, before[0]
    assert np.abs(support.shown(cloth, 3) - before).max() <= SAME_M
    say("the cloth starts as its shape keys are mixed at the first frame")


def test_notes_of_the_result():
    cloth, ball = support.pinned_cloth(6, (1, 3))
    in_folder("notes")
    simulate()
    assert ", 2 pinned," in cloth.toile_cloth.result, cloth.toile_cloth.result
    cloth.vertex_groups.new(name="P").add([0, 1], 0.5, 'REPLACE')
    cloth.toile_cloth.pin_group = "P"
    cloth.modifiers.new("Armature", 'ARMATURE')
    cloth.data.vertices.add(200)
    simulate()
    text = cloth.toile_cloth.result
    say(text)
    assert "No vertex of 'P' has a weight above 0.5." in text
    assert "simulated before 'Armature'" in text
    assert "200 loose vertices stay where they are." in text and "more warnings" not in text


def test_a_torn_cloth_is_doubtful():
    cloth, ball = support.pinned_cloth(6, (1, 3))
    in_folder("torn")
    ball.toile_collider.enabled = False
    simulate()
    settings = cloth.toile_cloth
    assert not settings.doubtful and settings.fps == 24
    # a pattern of half the size on a cloth that cannot shrink
    layer = cloth.data.uv_layers.new(name="Half")
    for corner, loop in zip(layer.data, cloth.data.loops):
        corner.uv = cloth.data.vertices[loop.vertex_index].co.xy / 2
    settings.pattern = 'METRIC'
    cloth.vertex_groups["Pins"].add(range(len(cloth.data.vertices)), 1.0, 'REPLACE')
    simulate()
    say(settings.result)
    assert settings.doubtful and "more than cloth bears" in settings.result


# ---- colliders ----


def falling_cloth(frames, cells=12):
    """A free square 5 cm above the origin, and nothing else."""
    support.empty_scene()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = frames
    cloth = support.grid("Cloth", cells, size=0.5, height=0.05)
    cloth.toile_cloth.enabled = True
    cloth.toile_cloth.fabric = "cotton-poplin"
    support.make_active(cloth)
    scene.frame_set(frames[0])
    return cloth


def test_cloth_lies_on_the_mesh_of_a_new_collider():
    cloth = falling_cloth((1, 12))
    # a table with a hole in the middle of its top: no box and no plane has one
    points = [(x, y, 0.0) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    points += [(0.1 * x, 0.1 * y, 0.0) for x, y, _ in points]
    faces = [(k, (k + 1) % 4, 4 + (k + 1) % 4, 4 + k) for k in range(4)]
    table = support.new_object("Table", points, faces)
    table.toile_collider.enabled = True
    assert table.toile_collider.shape == 'MESH'
    support.make_active(cloth)
    in_folder("mesh")
    simulate()
    heights = support.shown(cloth, 12)[:, 2]
    say(f"lowest {heights.min():.4f} m, above the hole {heights[84]:.4f} m")
    edge = np.abs(support.shown(cloth, 12)[:, :2]).max(axis=1) > 0.15
    assert 0 < heights[edge].min() < 0.01, heights[edge].min()


def test_mesh_collider_moves_as_blender_shows_it():
    """By a shape key, a modifier and its own animation at once."""
    cloth = falling_cloth((1, 12))
    floor = support.grid("Floor", 2, size=1.0)
    floor.shape_key_add(name="Basis")
    key = floor.shape_key_add(name="Up")
    for point in key.data:
        point.co.z += 0.1
    for frame, value in ((1, 0.0), (12, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    floor.modifiers.new("Subdivision", 'SUBSURF').levels = 2
    for frame, height in ((1, 0.0), (12, 0.2)):
        floor.location.z = height
        floor.keyframe_insert("location", frame=frame)
    floor.toile_collider.enabled = True
    support.make_active(cloth)
    in_folder("moving")
    simulate()
    collect = support.part("collect")
    bpy.context.scene.frame_set(12)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    mesh = collect.evaluated_mesh(floor, depsgraph)
    assert mesh.positions.size == 3 * 81, "the modifier is not applied"
    top = support.shown(floor, 12, world=True)[:, 2].max()
    heights = support.shown(cloth, 12)[:, 2]
    say(f"floor at {top:.3f} m, cloth from {heights.min():.3f} m")
    assert abs(top - 0.3) < 1e-6 and 0 < heights.min() - 0.3 < 0.03


def test_collider_whose_faces_change_keeps_the_frames_done():
    cloth = falling_cloth((1, 8))
    floor = support.grid("Floor", 2, size=1.0, height=-1.0)
    levels = floor.modifiers.new("Subdivision", 'SUBSURF')
    levels.levels = 1
    levels.keyframe_insert("levels", frame=4)
    levels.levels = 2
    levels.keyframe_insert("levels", frame=5)
    floor.toile_collider.enabled = True
    support.make_active(cloth)
    in_folder("faces")
    try:
        bpy.ops.toile.simulate()
    except RuntimeError:
        pass
    text = cloth.toile_cloth.result
    say(text)
    assert "'Floor' has 81 vertices but began with 25" in text and "rame 5" in text, text
    assert samples_in(cache_of(cloth)) == 4
    # the same number of vertices, other faces
    cloth = falling_cloth((1, 8))
    floor = support.grid("Floor", 2, size=1.0, height=-1.0)
    other = support.grid("Other", 2, size=1.0, height=-1.0)
    other.data.flip_normals()
    meshes = floor.data, other.data
    bpy.data.objects.remove(other)
    floor.toile_collider.enabled = True
    support.make_active(cloth)
    in_folder("turned")

    def swap(run):
        floor.data = meshes[run.frame >= 3]

    handlers = support.part("bake").frame_handlers
    handlers.append(swap)
    try:
        bpy.ops.toile.simulate()
    except RuntimeError:
        pass
    finally:
        handlers.remove(swap)
    text = cloth.toile_cloth.result
    assert "faces of collider 'Floor' changed" in text, text
    assert samples_in(cache_of(cloth)) == 3


def test_capsule_fits_a_scaled_limb():
    cloth = falling_cloth((1, 3))
    bpy.ops.mesh.primitive_cylinder_add(radius=1.0, depth=2.0)
    limb = bpy.context.view_layer.objects.active
    limb.scale = (0.1, 0.1, 0.6)
    limb.rotation_euler = (0.3, 0.7, 0.0)
    limb.location.z = -2.0
    limb.toile_collider.enabled = True
    limb.toile_collider.shape = 'CAPSULE'
    bpy.context.view_layer.update()
    collect = support.part("collect")
    depsgraph = bpy.context.evaluated_depsgraph_get()
    shape = collect.collider_shape(limb, depsgraph)
    matrix = collect.matrix(limb, depsgraph).reshape(4, 4)
    ends = [matrix[:3, :3] @ shape[key] for key in ("center", "end")]
    # 1.2 m long with its round ends, 0.1 m of radius
    assert abs(np.linalg.norm(ends[1] - ends[0]) - 1.0) < 1e-5, ends
    assert abs(0.1 * shape["radius"] - 0.1) < 1e-5, shape
    support.make_active(cloth)
    path = in_folder("capsule")
    simulate()
    limb.scale = (0.1, 0.2, 0.6)
    check_refusal(path, ("flattens its capsule",), cloth)


def test_empty_collider_is_refused():
    cloth = falling_cloth((1, 3))
    empty = support.new_object("Empty", [(0, 0, 0), (1, 0, 0)], [])
    empty.toile_collider.enabled = True
    support.make_active(cloth)
    check_refusal(in_folder("empty"), ("'Empty'", "no faces"), cloth)


def test_self_collision_can_be_switched_off():
    """A strip laid double: its upper half falls through the lower one or does not."""
    lowest = []
    for on in (True, False):
        support.empty_scene()
        scene = bpy.context.scene
        scene.frame_start, scene.frame_end = 1, 12
        cells, wide = 24, 4
        points = []
        for k in range(cells + 1):
            # half a turn of radius 2 cm in the middle
            way = (k - cells / 2) * 0.025
            angle = min(max(way / 0.02, -np.pi / 2), np.pi / 2)
            rest = max(abs(way) - 0.02 * np.pi / 2, 0.0)
            x, z = 0.02 * np.cos(angle) - rest, 0.02 * np.sin(angle)
            points += [(x, 0.025 * j, z) for j in range(wide + 1)]
        quads = [
            (a, a + wide + 1, a + wide + 2, a + 1)
            for k in range(cells)
            for a in range(k * (wide + 1), k * (wide + 1) + wide)
        ]
        cloth = support.new_object("Strip", points, quads)
        group = cloth.vertex_groups.new(name="Pins")
        group.add(range(cells // 2 * (wide + 1)), 1.0, 'REPLACE')
        cloth.toile_cloth.enabled = True
        cloth.toile_cloth.fabric = "cotton-poplin"
        cloth.toile_cloth.pin_group = "Pins"
        assert cloth.toile_cloth.self_collision
        cloth.toile_cloth.self_collision = on
        support.make_active(cloth)
        in_folder(f"self-{on}")
        simulate()
        lowest.append(support.shown(cloth, 12)[-1, 2])
    say(f"end of the strip at {lowest[0]:.3f} m with, {lowest[1]:.3f} m without self-collision")
    assert lowest[0] > -0.02 and lowest[1] < -0.05, lowest


def test_faces_that_go_through_something_are_selected():
    cloth = falling_cloth((1, 3), cells=6)
    group = cloth.vertex_groups.new(name="Pins")
    group.add(range(7, 49), 1.0, 'REPLACE')
    cloth.toile_cloth.pin_group = "Pins"
    # a wall through the fourth row of quads
    wall = support.new_object(
        "Wall", [(-1, 0.04, -1), (1, 0.04, -1), (1, 0.04, 1), (-1, 0.04, 1)], [(0, 1, 2, 3)]
    )
    wall.toile_collider.enabled = True
    support.make_active(cloth)
    in_folder("tangled")
    simulate()
    settings = cloth.toile_cloth
    say(settings.result)
    assert settings.doubtful and "6 faces go through something" in settings.result
    assert [f.index for f in cloth.data.polygons if f.select] == list(range(18, 24))


def test_cloth_lies_on_a_cloth_that_was_simulated():
    """The lower one plays its cache and is a collider; in one run they do not meet."""
    cloth = falling_cloth((1, 10))
    lower = support.grid("Lower", 8, size=1.0)
    group = lower.vertex_groups.new(name="Pins")
    rim = [v.index for v in lower.data.vertices if max(abs(v.co.x), abs(v.co.y)) > 0.49]
    group.add(rim, 1.0, 'REPLACE')
    lower.toile_cloth.enabled = True
    lower.toile_cloth.pin_group = "Pins"
    lower.toile_collider.enabled = True
    support.make_active(lower)
    in_folder("layers")
    simulate()
    support.make_active(cloth)
    simulate()
    gap = support.shown(cloth, 10)[:, 2].min() - support.shown(lower, 10)[:, 2].min()
    say(f"the upper cloth lies {gap:.4f} m above the lower one")
    assert 0 < gap < 0.05
    simulate(scope='ALL')
    assert "'Lower' is simulated in the same run" in cloth.toile_cloth.result


# ---- refusals ----


def snapshot(path):
    """All that must not change on an error: data-blocks, objects, frame, files."""
    bpy.context.view_layer.update()
    data = {
        kind: sorted(block.name for block in getattr(bpy.data, kind))
        for kind in ("objects", "meshes", "scenes", "cache_files", "collections")
    }
    objects = {
        obj.name: (
            obj.data.name,
            [(m.name, m.type, m.show_viewport) for m in obj.modifiers],
            hashlib.sha1(np.array([v.co[:] for v in obj.data.vertices])).hexdigest(),
            [tuple(row) for row in obj.matrix_world],
            obj.mode,
            [group.name for group in obj.vertex_groups],
        )
        for obj in bpy.data.objects
    }
    files = {}
    for root, _, names in os.walk(path):
        files[root] = ""
        for name in names:
            with open(os.path.join(root, name), "rb") as file:
                files[os.path.join(root, name)] = hashlib.sha1(file.read()).hexdigest()
    scene = bpy.context.scene
    return data, objects, files, scene.name, scene.frame_current, bpy.context.object.name


def check_refusal(path, words, obj, **settings):
    before = snapshot(path)
    sentence = refused(**settings)
    say(f"refused: {sentence}")
    for word in words:
        assert word in sentence, (word, sentence)
    assert sentence.endswith((".", "?")), sentence
    assert before == snapshot(path), "something has changed"
    if obj:
        assert obj.toile_cloth.failed and obj.toile_cloth.result == sentence


def test_refusals_leave_the_file_as_it_was():
    cloth, ball = support.pinned_cloth(6, (1, 5))
    path = in_folder("refusals")
    simulate()
    bpy.context.scene.frame_set(3)
    cloth.toile_cloth.pin_group = "Shoulders"
    check_refusal(path, ("'Cloth'", "'Shoulders'"), cloth)
    cloth.toile_cloth.pin_group = "Pins"
    cloth.toile_cloth.pattern = 'METRIC'
    check_refusal(path, ("'Cloth'", "uv map"), cloth)
    cloth.toile_cloth.pattern = 'NONE'
    ball.scale.x = 2.0
    check_refusal(path, ("'Ball'", "scale"), cloth)
    ball.scale.x = 1.0
    cloth.toile_cloth.output = "/dev/null/frames"
    check_refusal(path, ("'Cloth'", "/dev/null"), cloth)
    cloth.toile_cloth.output = ""
    simulate()
    assert not cloth.toile_cloth.failed
    support.make_active(ball)
    check_refusal(path, ("no Toile cloth",), None)


def test_refuses_ngons_and_selects_them():
    support.empty_scene()
    points = [
        (0, 0, 0),
        (1, 0, 0),
        (2, 0, 0),
        (3, 0, 0),
        (0, 1, 0),
        (1, 2, 0),
        (2, 1, 0),
        (3, 1, 0),
    ]
    faces = [(0, 1, 4), (1, 2, 6, 5, 4), (2, 3, 7, 6)]
    cloth = support.new_object("Skirt", points, faces)
    cloth.toile_cloth.enabled = True
    support.make_active(cloth)
    check_refusal(folder, ("'Skirt'", "save"), cloth)
    path = in_folder("ngon")
    check_refusal(path, ("'Skirt'", "5"), cloth)
    assert [face.index for face in cloth.data.polygons if face.select] == [1]
    assert [v.index for v in cloth.data.vertices if v.select] == [1, 2, 4, 5, 6]
    bpy.ops.object.mode_set(mode='EDIT')
    assert not bpy.ops.toile.simulate.poll()
    bpy.ops.object.mode_set(mode='OBJECT')
    assert [face.index for face in cloth.data.polygons if face.select] == [1]


def test_refuses_another_library():
    library = support.part("library")
    library.unload()
    kept = library.VERSION
    library.VERSION = (9, 9, 9)
    try:
        sentence = library.problem()
        assert "version 0.1.0" in sentence and "9.9.9" in sentence, sentence
        say(f"refused: {sentence}")
        path = library.path()
        os.rename(path, path + ".away")
        sentence = library.problem()
        assert "missing" in sentence, sentence
        with open(path, "w") as file:
            file.write("no library")
        sentence = library.problem()
        assert "cannot be loaded" in sentence, sentence
        os.rename(path + ".away", path)
    finally:
        library.VERSION = kept
    assert not library.problem()


def cycles_with(count, path, simulates):
    """Enables the add-on, uses it and disables it; memory and threads after each cycle."""
    name = support.module_name()
    allocated, resident, threads = [], [], []
    for _ in range(count):
        bpy.ops.preferences.addon_enable(module=name)
        cloth, _ = support.pinned_cloth(60, (1, 3))
        cloth.toile_cloth.output = os.path.join(path, "frames")
        if simulates:
            simulate()
        support.shown(cloth, 3)
        support.empty_scene()
        bpy.ops.preferences.addon_disable(module=name)
        assert not support.is_mapped("libtoile"), "the library is still loaded"
        allocated.append(support.allocated_kb())
        resident.append(support.resident_kb())
        threads.append(support.threads())
    return allocated, resident, threads


def test_twenty_cycles_leak_nothing():
    path = in_folder("cycles")
    count, warm = 20, 4
    bpy.ops.preferences.addon_disable(module=support.module_name())
    with_runs, resident, threads = cycles_with(count, path, True)
    without, _, _ = cycles_with(count, path, False)
    bpy.ops.preferences.addon_enable(module=support.module_name())
    a, b = ((kept[-1] - kept[warm]) / (count - 1 - warm) for kept in (with_runs, without))
    say(
        f"{count} times enabled, simulated, disabled: resident {resident[0]} kB after the first, "
        f"{resident[-1]} kB after the last"
    )
    say(
        f"kept of each cycle: {a:.1f} kB, without simulating {b:.1f} kB (Blender's own); "
        f"difference {a - b:.1f} kB, at most {LEAK_KB} allowed; "
        f"threads {threads[0]} to {threads[-1]}"
    )
    assert a - b < LEAK_KB, (with_runs, without)
    # Blender may start a worker late; a run that left one behind would leave twenty
    assert threads[-1] - threads[warm] < 4, threads


def main():
    clock = support.Clock()
    say(f"Blender {bpy.app.version_string}, Alembic {bpy.app.build_options.alembic}")
    say(f"installed as {support.install(archive)}")
    only = os.environ.get("TOILE_TEST", "")
    failed = []
    for name, test in list(globals().items()):
        if not name.startswith("test_") or only not in name:
            continue
        print(name, flush=True)
        try:
            test()
        except Exception:
            traceback.print_exc()
            failed.append(name)
    print(f"{clock} in Blender {bpy.app.version_string}", flush=True)
    if failed:
        print("FAILED:", ", ".join(failed))
        sys.exit(1)


main()
