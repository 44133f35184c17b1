# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ten steps of the project's README.md, from an empty scene to a simulated tablecloth.

  ten_steps.py ZIP FOLDER

Each step is what the line of the same number tells the artist to do, by the operator or property
behind it."""

import os
import sys

import bpy

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import support


def steps(folder, simulate=True):
    # 1. a new scene, everything deleted
    bpy.ops.wm.read_homefile(use_empty=True)
    # 2. saved
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(folder, "tablecloth.blend"))
    # 3. the table
    bpy.ops.mesh.primitive_cube_add(size=1)
    table = bpy.context.view_layer.objects.active
    # 4. cloth collides with it, as a box, and keeps three centimetres away
    table.toile_collider.enabled = True
    table.toile_collider.shape = 'BOX'
    table.toile_collider.thickness_m = 0.03
    # 5. the cloth, just above
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=60, y_subdivisions=60, size=1.6, location=(0, 0, 0.55)
    )
    cloth = bpy.context.view_layer.objects.active
    # 6. it is cloth
    cloth.toile_cloth.enabled = True
    # 7. of linen, solved well, in air
    cloth.toile_cloth.fabric = "linen"
    cloth.toile_cloth.quality = 'ACCURATE'
    cloth.toile_cloth.drag_kg_per_m2_s = 0.6
    # 8. two seconds
    bpy.context.scene.frame_end = 48
    if not simulate:
        return cloth
    # 9. simulated
    bpy.ops.toile.simulate()
    # 10. smooth, subdivided after the simulation, and played
    cloth.data.polygons.foreach_set("use_smooth", [True] * len(cloth.data.polygons))
    cloth.data.update()
    cloth.modifiers.new("Subdivision", 'SUBSURF').levels = 1
    bpy.context.scene.frame_set(48)
    return cloth


def main():
    archive, folder = support.arguments()
    support.install(archive)
    clock = support.Clock()
    cloth = steps(folder)
    first, last = support.shown(cloth, 1), support.shown(cloth, 48)
    hem, middle = last[:, 2].min(), abs(last[len(cloth.data.vertices) // 2, 2])
    print(f"ten steps in {clock}: {cloth.toile_cloth.result}")
    print(f"the hem hangs {first[0, 2] - hem:.3f} m below, the middle moved {middle:.3f} m")
    assert first[0, 2] - hem > 0.3 and middle < 0.05
    # on the table, not in it
    lies = last[(abs(last[:, 0]) < 0.49) & (abs(last[:, 1]) < 0.49)]
    assert (lies[:, 2] + 0.55 > 0.5).all()


if __name__ == "__main__":
    main()
