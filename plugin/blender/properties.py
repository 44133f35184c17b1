# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Toile stores on objects: Object.toile_cloth and Object.toile_collider.

Numbers are SI whatever the scene's unit scale, so units stand in the names instead of using
Blender's length properties, which would scale them."""

import zlib

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, PointerProperty, StringProperty

from . import library

DEFAULT_FABRIC = "cotton-poplin"
# later versions want to be told that // is understood
PATH_OPTIONS = {'PATH_SUPPORTS_BLEND_RELATIVE'} if bpy.app.version >= (4, 5, 0) else set()

# Blender does not keep the strings of a dynamic enum alive
_fabric_items = []


def _fabric_number(name):
    """What is stored in files: it must not depend on which other fabrics there are."""
    return zlib.crc32(name.encode()) & 0x7FFFFFFF


def fabric_items(_self, _context):
    """The library's fabrics for a menu."""
    fabrics = library.fabrics()
    if len(_fabric_items) != len(fabrics) or not fabrics:
        _fabric_items[:] = [
            (
                fabric.name,
                fabric.name.replace("-", " ").capitalize(),
                "{}, {:.0f} g/m\u00b2. Sources: {}".format(
                    fabric.title[:1].upper() + fabric.title[1:],
                    1000 * fabric.values["density_kg_per_m2"],
                    fabric.source,
                ),
                _fabric_number(fabric.name),
            )
            for fabric in fabrics.values()
        ] or [("", "No library", library.problem(), 0)]
    return _fabric_items


class ToileClothSettings(bpy.types.PropertyGroup):
    """A cloth: its mesh is the garment as it starts."""

    enabled: BoolProperty(
        name="Toile Cloth",
        description="This mesh is simulated as cloth",
        default=False,
    )
    fabric: EnumProperty(
        name="Fabric",
        description=(
            "What the cloth is made of. Weight, stretch and bending come from measurements; they "
            "are per area, so a finer mesh does not get heavier or stiffer"
        ),
        items=fabric_items,
        default=_fabric_number(DEFAULT_FABRIC),
    )
    pattern: EnumProperty(
        name="Pattern",
        description="What the uv map says about the flat pieces the garment is sewn from",
        items=(
            (
                'NONE',
                "None",
                "The mesh as modelled is the unstretched shape. The right choice for a start",
            ),
            (
                'ORIENTATION',
                "Grain only",
                "The mesh is the unstretched shape; the uv map turns the weave: U runs along the "
                "weft, V along the warp",
            ),
            (
                'METRIC',
                "Sewing pattern",
                "The uv map is the sewing pattern: its size, times Pattern Scale, is the "
                "unstretched shape, and the mesh only says where the cloth starts",
            ),
        ),
        default='NONE',
    )
    uv_map: StringProperty(
        name="UV Map",
        description="The uv map used as pattern. Empty: the active one",
    )
    pattern_scale_m: FloatProperty(
        name="Pattern Scale (m)",
        description="Metres that one uv unit measures on the real pattern",
        default=1.0,
        min=1e-4,
        soft_max=10.0,
        precision=4,
    )
    pin_group: StringProperty(
        name="Pin Group",
        description=(
            "Vertices of this group with a weight above 0.5 stay on the object and follow its "
            "animation. Empty: nothing is pinned"
        ),
    )
    quality: EnumProperty(
        name="Quality",
        description="How exactly each step is solved. Time steps stay the same",
        items=(
            ('FAST', "Fast", "One Newton iteration per step: for blocking"),
            ('STANDARD', "Standard", "Two Newton iterations per step: for most shots"),
            (
                'ACCURATE',
                "Accurate",
                "Iterates until nothing moves more than 0.2 mm: for measurements and finals",
            ),
        ),
        default='STANDARD',
    )
    self_collision: BoolProperty(
        name="Self-Collision",
        description=(
            "The cloth does not pass through itself. Takes longer; off for cloth that hangs "
            "without folds that touch"
        ),
        default=True,
    )
    drag_kg_per_m2_s: FloatProperty(
        name="Air Drag (kg/m\u00b2s)",
        description=(
            "How strongly still air brakes the cloth: a force per area and speed. 0 is a vacuum, "
            "0.1 barely visible, 0.6 calms a tablecloth in two seconds"
        ),
        default=0.0,
        min=0.0,
        soft_max=2.0,
    )
    output: StringProperty(
        name="Cache",
        description=(
            "File the frames are written to. // is the folder of the blend file. Empty: "
            "//toile/ and the object's name. The ending is chosen to suit this Blender: .abc "
            "where it reads Alembic, .pc2 elsewhere"
        ),
        subtype='FILE_PATH',
        options=PATH_OPTIONS,
    )
    # what the last run said; shown in the panel
    result: StringProperty()
    failed: BoolProperty()
    doubtful: BoolProperty()
    # of the cache: the modifier that plays it and the frame rate it was simulated at
    modifier: StringProperty()
    fps: FloatProperty()


class ToileColliderSettings(bpy.types.PropertyGroup):
    """Something cloth falls on."""

    enabled: BoolProperty(
        name="Toile Collider",
        description="Cloth collides with this object",
        default=False,
    )
    shape: EnumProperty(
        name="Shape",
        description="What cloth collides with: the mesh, or a simple shape fitted to its box",
        # the numbers are stored in files
        items=(
            (
                'MESH',
                "Mesh",
                "The mesh as it is shown at each frame, after bones, shape keys and modifiers. It "
                "stops cloth on both sides, and may be open",
                4,
            ),
            ('SPHERE', "Sphere", "As wide as the box's longest side, about its middle", 0),
            (
                'CAPSULE',
                "Capsule",
                "Along the box's longest side, with round ends: fast, and right for a limb",
                3,
            ),
            ('BOX', "Box", "The bounding box itself, turned with the object", 1),
            (
                'PLANE',
                "Plane",
                "Through the top of the box, facing the object's Z. It never ends: all that is "
                "behind it is solid",
                2,
            ),
        ),
        default='MESH',
    )
    use_friction: BoolProperty(
        name="Own Friction",
        description="Use a coefficient of this object instead of the fabric's",
        default=False,
    )
    friction: FloatProperty(
        name="Friction",
        description=(
            "Coulomb coefficient: 0 is ice, 0.3 polished wood, 1 holds cloth on a slope of 45 "
            "degrees"
        ),
        default=0.3,
        min=0.0,
        soft_max=1.0,
    )
    thickness_m: FloatProperty(
        name="Thickness (m)",
        description=(
            "Distance cloth keeps from the shape, in addition to half its own thickness. Small "
            "gaps hide a coarse mesh cutting through"
        ),
        default=0.001,
        min=0.0,
        soft_max=0.02,
        precision=4,
        step=0.1,
    )


classes = (ToileClothSettings, ToileColliderSettings)


def register():
    for cls in classes:
        bpy.utils.register_class(cls)
    bpy.types.Object.toile_cloth = PointerProperty(type=ToileClothSettings)
    bpy.types.Object.toile_collider = PointerProperty(type=ToileColliderSettings)


def unregister():
    del bpy.types.Object.toile_collider
    del bpy.types.Object.toile_cloth
    for cls in reversed(classes):
        bpy.utils.unregister_class(cls)
    _fabric_items.clear()
