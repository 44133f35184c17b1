# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Toile for Blender: an extension (4.2 and later) and a classic add-on (3.4 to 4.1) in one folder.

Registration only. Who does what:
  library.py     finds libtoile in the package, refuses another version
  binding.py     the C structs and functions; the only module that knows ctypes
  properties.py  what is stored on objects
  collect.py     arrays and matrices out of Blender
  bake.py        one run: sessions, frames, what happens on cancel and on error
  playback.py    where the cache lies and the modifier that plays it
  operators.py   Simulate, Delete Cache
  panels.py      the Physics tab
"""

bl_info = {
    "name": "Toile",
    "author": "Toile contributors",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "Properties > Physics",
    "description": "Cloth in SI units, the same at every resolution",
    "category": "Physics",
}

from . import bake, library, operators, panels, properties

modules = (properties, operators, panels)


def register():
    for module in modules:
        module.register()


def unregister():
    bake.abandon()
    for module in reversed(modules):
        module.unregister()
    library.unload()
