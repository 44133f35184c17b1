# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulate and Delete Cache.

Simulate takes the active object, or every Toile cloth of the scene. Its button runs it as a modal
operator, one frame a tick; scripts run it to the end. Both are the same run (bake.py)."""

import bpy
import numpy as np
from bpy.props import EnumProperty

from . import bake, playback

# keys and buttons that still move the view during a run
NAVIGATION = {
    'MIDDLEMOUSE',
    'WHEELUPMOUSE',
    'WHEELDOWNMOUSE',
    'TRACKPADPAN',
    'TRACKPADZOOM',
    'MOUSEROTATE',
    'NDOF_MOTION',
    'MOUSEMOVE',
    'INBETWEEN_MOUSEMOVE',
} | {f'NUMPAD_{digit}' for digit in range(10)}


def is_cloth(obj):
    return obj is not None and obj.type == 'MESH' and obj.toile_cloth.enabled


def active_object(context):
    """Scripts run by timers have no context.object; a pinned Properties editor has its own."""
    return getattr(context, "object", None) or context.view_layer.objects.active


class TOILE_OT_simulate(bpy.types.Operator):
    """Simulate the scene's frame range and store it in the cache. The mesh itself is not changed"""

    bl_idname = "toile.simulate"
    bl_label = "Simulate"
    bl_options = {'REGISTER', 'UNDO'}

    scope: EnumProperty(
        name="Scope",
        description="What is simulated",
        items=(
            ('ACTIVE', "Active Object", "The active object"),
            ('ALL', "All Cloths", "Every Toile cloth of the scene that is not switched off"),
        ),
        default='ACTIVE',
        options={'SKIP_SAVE'},
    )

    _timer = None
    _run = None

    @classmethod
    def poll(cls, context):
        if context.mode != 'OBJECT':
            cls.poll_message_set("Leave the current mode first: cloth is simulated in Object Mode")
            return False
        return True

    def execute(self, context):
        run = self._begin(context, show=False)
        if run is None:
            return {'CANCELLED'}
        try:
            try:
                while run.more:
                    run.step()
            except KeyboardInterrupt:
                pass
            return self._finish(context, run)
        except bake.Failure as failure:
            return self._refuse(context, failure)
        finally:
            run.give_up()

    def invoke(self, context, _event):
        if bpy.app.background or context.window is None:
            return self.execute(context)
        if context.screen and context.screen.is_animation_playing:
            bpy.ops.screen.animation_cancel(restore_frame=False)
        run = self._begin(context, show=True)
        if run is None:
            return {'CANCELLED'}
        self._run = run
        try:
            manager = context.window_manager
            manager.progress_begin(0, 100)
            self._timer = manager.event_timer_add(0.001, window=context.window)
            manager.modal_handler_add(self)
            context.workspace.status_text_set(run.status())
        except BaseException:
            run.give_up()
            raise
        return {'RUNNING_MODAL'}

    def modal(self, context, event):
        run = self._run
        try:
            if event.type == 'ESC' and event.value == 'PRESS':
                self._leave(context)
                return self._finish(context, run)
            if event.type == 'TIMER':
                return self._tick(context, run)
        except bake.Failure as failure:
            run.give_up()
            self._leave(context)
            return self._refuse(context, failure)
        except BaseException:
            run.give_up()
            self._leave(context)
            raise
        return {'PASS_THROUGH'} if event.type in NAVIGATION else {'RUNNING_MODAL'}

    def cancel(self, context):
        """Blender ends the operator: a file is loaded or the window closed."""
        self._run.give_up()
        self._leave(context)

    def _begin(self, context, show):
        if self.scope == 'ALL':
            objects = [
                obj
                for obj in context.scene.objects
                if is_cloth(obj)
                and not obj.hide_viewport
                and obj.name in context.view_layer.objects
            ]
            nothing = "There is no Toile cloth in this scene."
        else:
            objects = [obj for obj in (active_object(context),) if is_cloth(obj)]
            nothing = "The active object is no Toile cloth; press Toile Cloth in the Physics tab."
        if not objects:
            self.report({'ERROR'}, nothing)
            return None
        run = bake.Run(context, objects, show)
        try:
            run.begin()
        except bake.Failure as failure:
            self._refuse(context, failure)
            return None
        return run

    def _tick(self, context, run):
        if run.more:
            run.step()
        context.window_manager.progress_update(100 * run.done)
        context.workspace.status_text_set(run.status())
        for area in context.screen.areas:
            if area.type in {'VIEW_3D', 'PROPERTIES'}:
                area.tag_redraw()
        if run.more:
            return {'RUNNING_MODAL'}
        self._leave(context)
        return self._finish(context, run)

    def _leave(self, context):
        """Takes the timer, the progress and the status text away."""
        manager = context.window_manager
        if self._timer:
            manager.event_timer_remove(self._timer)
            self._timer = None
        manager.progress_end()
        if context.workspace:
            context.workspace.status_text_set(None)

    def _finish(self, context, run):
        try:
            texts = run.finish()
        except bake.Failure as failure:
            return self._refuse(context, failure)
        for obj, faces in run.tangled():
            if obj.mode != 'EDIT':
                select_faces(obj.data, faces)
        text = texts[0] if len(texts) == 1 else f"{len(texts)} cloths simulated."
        if run.trouble:
            self.report({'ERROR'}, texts[0] if len(texts) == 1 else f"{run.trouble} {text}")
        else:
            self.report({'WARNING'} if run.doubtful else {'INFO'}, text)
        return {'FINISHED'}

    def _refuse(self, context, failure):
        """The sentence for the artist; nothing but it and the selection changes."""
        obj = context.scene.objects.get(failure.object)
        if is_cloth(obj):
            obj.toile_cloth.result = failure.message
            obj.toile_cloth.failed = True
            if failure.faces and obj.mode != 'EDIT':
                select_faces(obj.data, failure.faces)
        elif is_cloth(active_object(context)):
            settings = active_object(context).toile_cloth
            settings.result = failure.message
            settings.failed = True
        self.report({'ERROR'}, failure.message)
        return {'CANCELLED'}


def select_faces(mesh, faces):
    """Selects just these faces with their edges and vertices, so that Edit Mode shows them."""
    chosen = np.zeros(len(mesh.polygons), bool)
    chosen[faces] = True
    starts = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_start", starts)
    of_corner = np.repeat(chosen, np.diff(np.append(starts, len(mesh.loops))))
    mesh.polygons.foreach_set("select", chosen)
    parts = [(mesh.vertices, "vertex_index")]
    # selecting an edge by script crashes Blender 5.0
    if bpy.app.version[:2] != (5, 0):
        parts.append((mesh.edges, "edge_index"))
    for elements, name in parts:
        index = np.empty(len(mesh.loops), np.int32)
        mesh.loops.foreach_get(name, index)
        marked = np.zeros(len(elements), bool)
        marked[index[of_corner]] = True
        elements.foreach_set("select", marked)
    mesh.update()


class TOILE_OT_delete_cache(bpy.types.Operator):
    """Delete the modifier that plays the cache, and the file if it is this object's alone"""

    bl_idname = "toile.delete_cache"
    bl_label = "Delete Cache"
    bl_options = {'REGISTER', 'UNDO'}

    @classmethod
    def poll(cls, context):
        obj = active_object(context)
        return is_cloth(obj) and not bake.running() and playback.find(obj) is not None

    def invoke(self, context, event):
        return context.window_manager.invoke_confirm(self, event)

    def execute(self, context):
        obj = active_object(context)
        try:
            done = playback.delete(obj)
        except OSError as error:
            self.report({'ERROR'}, f"The cache cannot be deleted: {error}.")
            return {'CANCELLED'}
        obj.toile_cloth.result = ""
        obj.toile_cloth.failed = obj.toile_cloth.doubtful = False
        self.report({'INFO'}, done)
        return {'FINISHED'}


classes = (TOILE_OT_simulate, TOILE_OT_delete_cache)


def register():
    for cls in classes:
        bpy.utils.register_class(cls)


def unregister():
    for cls in reversed(classes):
        bpy.utils.unregister_class(cls)
