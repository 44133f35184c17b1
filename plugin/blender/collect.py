# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a simulation needs, out of Blender: arrays of meshes, matrices and settings of the scene.

Arrays move whole (foreach_get into float32 and int32); nothing here loops over vertices."""

from collections import namedtuple

import bpy
import numpy as np

from . import binding

# positions: object space; uv_name and corner_uvs, pin_weights: None when not used
Mesh = namedtuple("Mesh", "positions face_starts corners corner_uvs uv_name pin_weights")


class SetupError(Exception):
    """Settings that cannot be simulated, as a sentence; `object` is the object's name."""

    def __init__(self, object, message):
        super().__init__(message)
        self.object = object
        self.message = message


def mesh(obj, uv_name=None, pin_group=""):
    """The mesh of an object as its shape keys mix it at the current frame. Its modifiers run on
    the result, not before."""
    data = obj.data
    if not data.polygons:
        raise SetupError(obj.name, "the mesh has no faces; cloth needs triangles or quads")
    shape = _arrays(data)
    if data.shape_keys:
        _mixed_keys(obj, shape.positions)
    return shape._replace(
        corner_uvs=None if uv_name is None else _uvs(data, uv_name),
        uv_name=uv_name,
        pin_weights=weights(obj, pin_group) if pin_group else None,
    )


def _arrays(data):
    """Points and faces of a mesh data-block."""
    positions = np.empty(3 * len(data.vertices), np.float32)
    data.vertices.foreach_get("co", positions)
    starts = np.empty(len(data.polygons), np.int32)
    data.polygons.foreach_get("loop_start", starts)
    corners = np.empty(len(data.loops), np.int32)
    data.loops.foreach_get("vertex_index", corners)
    return Mesh(positions, starts, corners, None, None, None)


def evaluated_mesh(obj, depsgraph):
    """The mesh of an object as it is shown at the current frame: after shape keys, bones and
    modifiers, object space."""
    evaluated = obj.evaluated_get(depsgraph)
    # to_mesh also subdivides where the viewport leaves that to the graphics card
    shown = evaluated.to_mesh()
    try:
        return _arrays(shown)
    finally:
        evaluated.to_mesh_clear()


def _mixed_keys(obj, positions):
    """The shape keys' mix, by evaluating an object without modifiers in a scene of its own."""
    probe = bpy.data.objects.new(obj.name, obj.data)
    scene = bpy.data.scenes.new("Toile")
    try:
        probe.show_only_shape_key = obj.show_only_shape_key
        probe.active_shape_key_index = obj.active_shape_key_index
        scene.frame_current = bpy.context.scene.frame_current
        scene.collection.objects.link(probe)
        layer = scene.view_layers[0]
        layer.update()
        probe.evaluated_get(layer.depsgraph).data.vertices.foreach_get("co", positions)
    finally:
        bpy.data.scenes.remove(scene)
        bpy.data.objects.remove(probe)


def _uvs(data, name):
    layer = data.uv_layers[name]
    uvs = np.empty(2 * len(data.loops), np.float32)
    if hasattr(layer, "uv"):
        layer.uv.foreach_get("vector", uvs)
    else:
        layer.data.foreach_get("uv", uvs)
    return uvs


def uv_map(obj, wanted):
    """The name of the uv map to use: the one wanted, or the active one when "" is."""
    layers = obj.data.uv_layers
    if wanted:
        if wanted not in layers:
            raise SetupError(
                obj.name,
                f"there is no uv map '{wanted}'; choose one of the mesh or set Pattern to None",
            )
        return wanted
    if not layers.active:
        raise SetupError(obj.name, "the mesh has no uv map; unwrap it first or set Pattern to None")
    return layers.active.name


def weights(obj, group):
    """The weights of a vertex group, 0 where a vertex is not in it.

    Blender hands out weights vertex by vertex only. A displaced copy of the mesh in a scene of
    its own gives all of them at once: with every vertex at the origin and a displacement of one
    along X, x is the weight."""
    if group not in obj.vertex_groups:
        raise SetupError(
            obj.name,
            f"there is no vertex group '{group}' to pin; choose one of the object's groups or "
            "clear the field",
        )
    count = len(obj.data.vertices)
    copy = obj.data.copy()
    probe = bpy.data.objects.new(obj.name, copy)
    scene = bpy.data.scenes.new("Toile")
    try:
        if copy.shape_keys:
            probe.shape_key_clear()
        copy.vertices.foreach_set("co", np.zeros(3 * count, np.float32))
        displace = probe.modifiers.new("weights", 'DISPLACE')
        displace.direction = 'X'
        displace.mid_level = 0.0
        displace.strength = 1.0
        displace.vertex_group = group
        scene.collection.objects.link(probe)
        layer = scene.view_layers[0]
        layer.update()
        moved = np.empty(3 * count, np.float32)
        probe.evaluated_get(layer.depsgraph).data.vertices.foreach_get("co", moved)
    finally:
        bpy.data.scenes.remove(scene)
        bpy.data.objects.remove(probe)
        bpy.data.meshes.remove(copy)
    return moved[::3].copy()


def matrix(obj, depsgraph):
    """Object to world at the current frame: 16 doubles, row by row."""
    return np.array(obj.evaluated_get(depsgraph).matrix_world, np.float64).ravel()


def bounds(obj, depsgraph):
    """The middle and half size of the object's box, object space."""
    corners = np.array(obj.evaluated_get(depsgraph).bound_box, np.float64)
    low, high = corners.min(axis=0), corners.max(axis=0)
    return (low + high) / 2, (high - low) / 2


def collider_shape(obj, depsgraph):
    """Shape and measures of a collider fitted to its object, as arguments of add_collider."""
    shape = obj.toile_collider.shape
    if shape == 'MESH':
        mesh = evaluated_mesh(obj, depsgraph)
        if not mesh.face_starts.size:
            raise SetupError(obj.name, "the collider's mesh has no faces for cloth to meet")
        return {"shape": binding.TOILE_COLLIDER_MESH, "mesh": mesh}
    middle, half = bounds(obj, depsgraph)
    if shape != 'PLANE' and not half.any():
        raise SetupError(obj.name, "the collider's mesh is empty; a shape is fitted to its box")
    if shape == 'SPHERE':
        return {"shape": binding.TOILE_COLLIDER_SPHERE, "center": middle, "radius": half.max()}
    if shape == 'CAPSULE':
        return _capsule(middle, half, matrix(obj, depsgraph))
    if shape == 'BOX':
        if not half.all():
            raise SetupError(
                obj.name,
                "a box collider needs depth in all directions; set Shape to Mesh, or give it some "
                "thickness",
            )
        return {"shape": binding.TOILE_COLLIDER_BOX, "center": middle, "half": half}
    top = middle + (0.0, 0.0, half[2])
    return {"shape": binding.TOILE_COLLIDER_PLANE, "center": top, "normal": (0.0, 0.0, 1.0)}


def _capsule(middle, half, world):
    """A capsule along the longest side of a box, as wide as the wider of the other two, as they are
    in the world: its ends stay round when the object is scaled along it."""
    scales = np.linalg.norm(world.reshape(4, 4)[:3, :3], axis=0)
    sizes = half * scales
    axis = int(sizes.argmax())
    across = max((k for k in range(3) if k != axis), key=lambda k: sizes[k])
    way = np.zeros(3)
    way[axis] = (sizes[axis] - sizes[across]) / scales[axis]
    return {
        "shape": binding.TOILE_COLLIDER_CAPSULE,
        "center": middle - way,
        "end": middle + way,
        "radius": sizes[across] / scales[across],
    }


# modifiers that change where the cloth is or how much there is of it
RESHAPING = {
    'ARMATURE',
    'ARRAY',
    'CAST',
    'CLOTH',
    'CURVE',
    'HOOK',
    'LAPLACIANDEFORM',
    'LATTICE',
    'MESH_CACHE',
    'MESH_DEFORM',
    'MESH_SEQUENCE_CACHE',
    'MIRROR',
    'SCREW',
    'SHRINKWRAP',
    'SIMPLE_DEFORM',
    'SOFT_BODY',
    'SURFACE_DEFORM',
    'WARP',
    'WAVE',
}


def reshaping_modifiers(obj, but):
    """The names of the modifiers in use, other than the one named `but`, that an artist may have
    expected to work before the simulation."""
    return [
        modifier.name
        for modifier in obj.modifiers
        if modifier.name != but and modifier.type in RESHAPING and modifier.show_viewport
    ]


def unit_m(scene):
    """Metres per Blender unit, as the interface shows lengths."""
    units = scene.unit_settings
    return 1.0 if units.system == 'NONE' else units.scale_length


def gravity_m_per_s2(scene):
    """Gravity as the interface shows it."""
    if not scene.use_gravity:
        return (0.0, 0.0, 0.0)
    unit = unit_m(scene)
    return tuple(unit * value for value in scene.gravity)


def frames_per_second(scene):
    return scene.render.fps / scene.render.fps_base


def colliders(scene, view_layer):
    """The collider objects of a scene that are not switched off."""
    return [
        obj
        for obj in scene.objects
        if obj.type == 'MESH'
        and obj.toile_collider.enabled
        and not obj.hide_viewport
        and obj.name in view_layer.objects
    ]
