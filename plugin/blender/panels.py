# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Physics tab: two buttons beside Blender's own physics, and a panel for each."""

import math
import textwrap

import bpy

from . import collect, library, operators, playback


def draw_lines(layout, context, text, icon='NONE'):
    """A sentence in as many lines as the panel is wide."""
    scale = context.preferences.system.ui_scale
    width = max(20, int(context.region.width / (7.5 * scale)) - 6)
    column = layout.column(align=True)
    column.scale_y = 0.8
    for line in textwrap.wrap(text, width):
        column.label(text=line, icon=icon)
        icon = 'BLANK1' if icon != 'NONE' else icon


def draw_add(self, context):
    """Beside Blender's physics types."""
    obj = context.object
    if obj is None or obj.type != 'MESH':
        return
    row = self.layout.row(align=True)
    for settings in (obj.toile_cloth, obj.toile_collider):
        icon = (
            'X'
            if settings.enabled
            else ('MOD_CLOTH', 'MOD_PHYSICS')[settings == obj.toile_collider]
        )
        row.prop(settings, "enabled", icon=icon, toggle=True)


class PhysicsPanel:
    bl_space_type = 'PROPERTIES'
    bl_region_type = 'WINDOW'
    bl_context = "physics"


class PHYSICS_PT_toile_cloth(PhysicsPanel, bpy.types.Panel):
    bl_label = "Toile Cloth"

    @classmethod
    def poll(cls, context):
        return operators.is_cloth(context.object)

    def draw(self, context):
        layout = self.layout
        problem = library.problem()
        if problem:
            draw_lines(layout, context, problem, 'ERROR')
            return
        obj = context.object
        settings = obj.toile_cloth
        layout.use_property_split = True
        layout.use_property_decorate = False
        self.draw_settings(layout, obj, settings)
        self.draw_scene(layout, context)
        self.draw_run(layout, context, obj, settings)

    def draw_settings(self, layout, obj, settings):
        column = layout.column()
        column.prop(settings, "fabric")
        fabric = library.fabrics().get(settings.fabric)
        if fabric:
            values = fabric.values
            info = column.column(align=True)
            info.active = False
            info.scale_y = 0.8
            title = fabric.title[:1].upper() + fabric.title[1:]
            for text in (
                "{}, {:.0f} g/m\u00b2".format(title, 1000 * values["density_kg_per_m2"]),
                "Stretch {:.3g} N/m, bend {:.3g} \u00b5N m".format(
                    values["stretch_weft_N_per_m"], 1e6 * values["bend_weft_N_m"]
                ),
            ):
                _, right = _split(info)
                right.label(text=text)
        column = layout.column()
        column.prop(settings, "pattern")
        if settings.pattern != 'NONE':
            column.prop_search(settings, "uv_map", obj.data, "uv_layers", icon='GROUP_UVS')
        if settings.pattern == 'METRIC':
            column.prop(settings, "pattern_scale_m")
        column = layout.column()
        column.prop_search(settings, "pin_group", obj, "vertex_groups")
        column.prop(settings, "quality")
        column.prop(settings, "self_collision")
        column.prop(settings, "drag_kg_per_m2_s")
        column.prop(settings, "output")

    def draw_scene(self, layout, context):
        """What the run takes from the scene, so that nobody has to guess."""
        scene = context.scene
        gravity = math.dist((0, 0, 0), collect.gravity_m_per_s2(scene))
        column = layout.column(align=True)
        column.active = False
        column.scale_y = 0.8
        _, right = _split(column)
        right.label(
            text="Frames {} to {}, {:g} fps, gravity {:.2f} m/s\u00b2".format(
                scene.frame_start,
                scene.frame_end,
                round(collect.frames_per_second(scene), 3),
                gravity,
            )
        )
        if gravity and not 1 <= gravity <= 30 and collect.unit_m(scene) != 1:
            draw_lines(
                layout,
                context,
                "The unit scale makes gravity {:.3g} m/s\u00b2; on Earth it is 9.81. Set it in the "
                "Scene tab.".format(gravity),
                'ERROR',
            )

    def draw_run(self, layout, context, obj, settings):
        row = layout.row(align=True)
        row.scale_y = 1.4
        row.operator("toile.simulate", icon='PLAY')
        row.operator("toile.delete_cache", icon='TRASH')
        if settings.result:
            icon = 'ERROR' if settings.failed or settings.doubtful else 'CHECKMARK'
            draw_lines(layout.box(), context, settings.result, icon)
        elif playback.needs_saved_file(playback.stored_path(obj)):
            draw_lines(layout, context, "Save the file first: the cache lies beside it.", 'INFO')
        fps = collect.frames_per_second(context.scene)
        if settings.fps and abs(settings.fps - fps) > 1e-3 and playback.find(obj):
            draw_lines(
                layout,
                context,
                f"Simulated at {settings.fps:.5g} fps, but the scene has {fps:.5g}: simulate "
                "again.",
                'ERROR',
            )


class PHYSICS_PT_toile_collider(PhysicsPanel, bpy.types.Panel):
    bl_label = "Toile Collider"

    @classmethod
    def poll(cls, context):
        obj = context.object
        return obj is not None and obj.type == 'MESH' and obj.toile_collider.enabled

    def draw(self, context):
        layout = self.layout
        settings = context.object.toile_collider
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(settings, "shape")
        row = layout.row(heading="Friction")
        row.prop(settings, "use_friction", text="")
        value = row.row()
        value.active = settings.use_friction
        value.prop(settings, "friction", text="" if settings.use_friction else "By fabric")
        layout.prop(settings, "thickness_m")


def _split(layout):
    """The two columns of split properties."""
    split = layout.split(factor=0.4)
    return split.column(), split.column()


classes = (PHYSICS_PT_toile_cloth, PHYSICS_PT_toile_collider)


def register():
    for cls in classes:
        bpy.utils.register_class(cls)
    bpy.types.PHYSICS_PT_add.append(draw_add)


def unregister():
    bpy.types.PHYSICS_PT_add.remove(draw_add)
    for cls in reversed(classes):
        bpy.utils.unregister_class(cls)
