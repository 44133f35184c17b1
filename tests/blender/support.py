# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the scripts that run inside a Blender share: arguments, installing the zip, small scenes."""

import ctypes
import gc
import os
import sys
import time

import bpy
import numpy as np


def arguments():
    """What follows -- in Blender, or the script in Python."""
    return sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]


def say(text):
    print("-", text, flush=True)


def is_extension_host():
    return bpy.app.version >= (4, 2, 0)


def module_name():
    return "bl_ext.user_default.toile" if is_extension_host() else "toile"


def install(archive):
    """Installs and enables the zip as a user does, into scratch folders of the environment."""
    assert "BLENDER_USER_RESOURCES" in os.environ or "BLENDER_USER_SCRIPTS" in os.environ
    if is_extension_host():
        bpy.ops.extensions.package_install_files(
            filepath=archive, repo='user_default', enable_on_install=True
        )
    else:
        bpy.ops.preferences.addon_install(filepath=archive, overwrite=True)
        bpy.ops.preferences.addon_enable(module="toile")
    assert module_name() in bpy.context.preferences.addons, "the add-on is not enabled"
    return module_name()


def part(name):
    """A module of the add-on."""
    return sys.modules[f"{module_name()}.{name}"]


def empty_scene():
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=False)


def new_object(name, vertices, faces):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], faces)
    mesh.update()
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def grid(name, cells, size=1.0, height=0.0):
    """A square of quads in the plane z = height."""
    line = np.linspace(-size / 2, size / 2, cells + 1)
    x, y = np.meshgrid(line, line)
    points = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, height)])
    first = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    quads = np.column_stack([first, first + 1, first + cells + 2, first + cells + 1])
    return new_object(name, points.tolist(), quads.tolist())


def make_active(obj):
    for other in bpy.context.view_layer.objects:
        other.select_set(False)
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj


def moving_ball(radius, frames, way):
    """A ball collider whose centre goes from the origin by `way` between the frames."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=32, ring_count=16, radius=radius)
    ball = bpy.context.view_layer.objects.active
    ball.name = "Ball"
    ball.toile_collider.enabled = True
    ball.toile_collider.shape = 'SPHERE'
    ball.keyframe_insert("location", frame=frames[0])
    ball.location = way
    ball.keyframe_insert("location", frame=frames[1])
    linear(ball)
    return ball


def linear(obj):
    action = obj.animation_data.action
    curves = action.fcurves if hasattr(action, "fcurves") else ()
    for curve in curves:
        for point in curve.keyframe_points:
            point.interpolation = 'LINEAR'


def pinned_cloth(cells=40, frames=(1, 48), name="Cloth"):
    """The scene of the tests: a square pinned at two corners above a ball that moves."""
    empty_scene()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = frames
    scene.render.fps = 24
    cloth = grid(name, cells, height=0.4)
    group = cloth.vertex_groups.new(name="Pins")
    group.add([0, cells], 1.0, 'REPLACE')
    # below the threshold: must stay free
    group.add([cells * (cells + 2)], 0.4, 'REPLACE')
    cloth.toile_cloth.enabled = True
    cloth.toile_cloth.fabric = "cotton-poplin"
    cloth.toile_cloth.pin_group = "Pins"
    ball = moving_ball(0.3, frames, (0.25, 0.1, 0.05))
    make_active(cloth)
    scene.frame_set(frames[0])
    return cloth, ball


def shown(obj, frame=None, world=False):
    """The positions Blender shows, float32, by evaluation of the object."""
    if frame is not None:
        bpy.context.scene.frame_set(frame)
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    positions = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", positions)
    evaluated.to_mesh_clear()
    positions = positions.reshape(-1, 3)
    if world:
        matrix = np.array(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)
        positions = positions @ matrix[:3, :3].T + matrix[:3, 3]
    return positions


def read_pc2(path):
    """Positions by frame, and the first frame, as the file tells them."""
    with open(path, "rb") as file:
        header = np.fromfile(
            file,
            np.dtype(
                [
                    ("signature", "S12"),
                    ("version", "<i4"),
                    ("points", "<i4"),
                    ("start", "<f4"),
                    ("rate", "<f4"),
                    ("samples", "<i4"),
                ]
            ),
            1,
        )[0]
        assert header["signature"].startswith(b"POINTCACHE2"), path
        values = np.fromfile(file, "<f4")
    return values.reshape(header["samples"], header["points"], 3)


def resident_kb():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def is_mapped(name):
    """Whether a file of that name is part of the process."""
    with open("/proc/self/maps") as file:
        return any(name in line for line in file)


def allocated_kb():
    """What the process has allocated and not freed, as its allocator counts it."""
    with open("/proc/self/maps") as file:
        jemalloc = [line.split()[-1] for line in file if "libjemalloc" in line]
    gc.collect()
    if jemalloc:
        library = ctypes.CDLL(jemalloc[0])
        epoch, value = ctypes.c_uint64(1), ctypes.c_size_t()
        size = ctypes.c_size_t(ctypes.sizeof(epoch))
        library.mallctl(b"epoch", None, None, ctypes.byref(epoch), size)
        assert not library.mallctl(
            b"stats.allocated", ctypes.byref(value), ctypes.byref(size), None, 0
        )
        return value.value / 1024
    library = ctypes.CDLL("libc.so.6")
    library.mallinfo2.restype = MallocInformation
    found = library.mallinfo2()
    return (found.uordblks + found.hblkhd) / 1024


class MallocInformation(ctypes.Structure):
    """struct mallinfo2 of glibc."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
        )
    ]


def threads():
    return len(os.listdir("/proc/self/task"))


class Clock:
    def __init__(self):
        self.began = time.monotonic()

    def __str__(self):
        return f"{time.monotonic() - self.began:.1f} s"
