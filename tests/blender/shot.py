# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes the picture of the README; see the script `screenshot`.

blender --python shot.py -- ZIP FOLDER OUT.png"""

import math
import os
import sys
import traceback

import bpy
from mathutils import Euler

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import support
import ten_steps

archive, folder, out = support.arguments()


def area(kind):
    return next(area for area in bpy.context.screen.areas if area.type == kind)


def override(kind):
    found = area(kind)
    region = next(region for region in found.regions if region.type == 'WINDOW')
    return bpy.context.temp_override(area=found, region=region)


def in_window(step):
    """Timers have no window of their own."""

    def call():
        try:
            with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
                return step()
        except Exception:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)

    return call


def simulate():
    bpy.context.preferences.view.show_splash = False
    cloth = ten_steps.steps(folder)
    cloth.color = (0.66, 0.2, 0.18, 1)
    bpy.data.objects["Cube"].color = (0.45, 0.33, 0.22, 1)
    bpy.app.timers.register(in_window(arrange), first_interval=1.0)


def arrange():
    """A Properties editor wide enough to read, the others closed."""
    for kind in ('OUTLINER', 'PROPERTIES'):
        with override(kind):
            bpy.ops.screen.area_close()
    bpy.app.timers.register(in_window(split), first_interval=1.0)


def split():
    before = list(bpy.context.screen.areas)
    with override('VIEW_3D'):
        bpy.ops.screen.area_split(direction='VERTICAL', factor=0.7)
    (new,) = (area for area in bpy.context.screen.areas if area not in before)
    max(new, area('VIEW_3D'), key=lambda part: part.x).type = 'PROPERTIES'
    bpy.app.timers.register(in_window(look), first_interval=1.0)


def look():
    area('PROPERTIES').spaces.active.context = 'PHYSICS'
    view = area('VIEW_3D').spaces.active
    view.shading.type = 'SOLID'
    view.shading.light = 'STUDIO'
    view.shading.color_type = 'OBJECT'
    view.shading.show_shadows = True
    view.shading.show_cavity = False
    view.overlay.show_outline_selected = False
    view.overlay.show_cursor = False
    view.overlay.show_object_origins = False
    view.region_3d.view_perspective = 'PERSP'
    view.region_3d.view_rotation = Euler((math.radians(66), 0, math.radians(32))).to_quaternion()
    view.region_3d.view_location = (0, 0, 0.05)
    view.region_3d.view_distance = 2.4
    bpy.app.timers.register(in_window(shoot), first_interval=2.0)


def shoot():
    bpy.ops.screen.screenshot(filepath=out)
    bpy.ops.wm.quit_blender()


support.install(archive)
bpy.app.timers.register(in_window(simulate), first_interval=1.0)
