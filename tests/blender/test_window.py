# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The button in a real window: the run is modal, shows frames, Esc at frame 10 keeps them, and a
second run goes on to the end over the first one's cache.

blender --enable-event-simulate --python test_window.py -- ZIP FOLDER"""

import os
import sys
import traceback

import bpy
import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import support

archive, folder = support.arguments()
state = {"seen": [], "texts": []}


def end(code):
    sys.stdout.flush()
    os._exit(code)


def watch(run):
    """Called after each frame of the run, inside the modal operator."""
    cloth = bpy.data.objects["Cloth"]
    state["seen"].append(run.frame)
    state["texts"].append(run.status())
    state["shown"] = support.shown(cloth)
    assert cloth.data.name != state["mesh"], "the artist's own mesh is being moved"
    if run.frame == 10 and not state.get("sent"):
        state["sent"] = True
        bpy.context.window.event_simulate(type='ESC', value='PRESS')
        bpy.context.window.event_simulate(type='ESC', value='RELEASE')


def start():
    cloth, _ = support.pinned_cloth(40, (1, 48))
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(folder, "window.blend"))
    state["mesh"] = cloth.data.name
    state["rest"] = np.array([v.co[:] for v in cloth.data.vertices])
    state["scene"] = (len(bpy.data.meshes), len(bpy.data.objects))
    support.part("bake").frame_handlers.append(watch)
    press()


def press():
    """As the button does."""
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        answer = bpy.ops.toile.simulate('INVOKE_DEFAULT')
    assert answer == {'RUNNING_MODAL'}, answer


def again():
    cloth = bpy.data.objects["Cloth"]
    if "again" not in state:
        state["again"] = True
        cloth.toile_cloth.result = ""
        bpy.context.scene.frame_end = 4
        press()
    if not cloth.toile_cloth.result:
        return False
    print("result:", cloth.toile_cloth.result)
    assert cloth.toile_cloth.result.startswith("Frames 1 to 4,")
    assert len(cloth.modifiers) == 1 and cloth.modifiers[0].show_viewport
    assert len(support.read_pc2(os.path.join(folder, "toile", "Cloth.pc2"))) == 4
    assert np.array_equal(support.shown(cloth, 4), state["shown"])
    return True


def check():
    cloth = bpy.data.objects["Cloth"]
    if not cloth.toile_cloth.result:
        return False
    last = state["seen"][-1]
    print("status texts:", state["texts"][0], "|", state["texts"][-1])
    print("result:", cloth.toile_cloth.result)
    assert "Stopped at frame" in cloth.toile_cloth.result
    assert last in {10, 11}, state["seen"]
    assert len(support.read_pc2(os.path.join(folder, "toile", "Cloth.pc2"))) == last
    assert cloth.data.name == state["mesh"]
    assert np.array_equal(state["rest"], np.array([v.co[:] for v in cloth.data.vertices]))
    assert state["scene"] == (len(bpy.data.meshes), len(bpy.data.objects))
    assert np.array_equal(support.shown(cloth, last), state["shown"]), "shown is not what is kept"
    print(f"Esc at frame 10 keeps {last} frames")
    return True


def tick():
    try:
        if "mesh" not in state:
            start()
        elif not state.get("checked"):
            state["checked"] = check()
        elif again():
            end(0)
        state["waits"] = state.get("waits", 0) + 1
        if state["waits"] > 600:
            raise AssertionError("the run does not end")
    except Exception:
        traceback.print_exc()
        end(1)
    return 0.1


support.install(archive)
bpy.app.timers.register(tick, first_interval=1.0, persistent=True)
