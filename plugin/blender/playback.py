# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a cloth's cache lies, and the modifier that plays it.

Alembic through a Mesh Sequence Cache where Blender reads Alembic, else PC2 through a Mesh Cache.
The modifier stands first: the cache holds the base mesh, and what follows (Subdivision, Solidify)
works on the simulated cloth."""

import os
import re

import bpy

NAME = "Toile"


def extension():
    return ".abc" if bpy.app.build_options.alembic else ".pc2"


def modifier_type():
    return 'MESH_SEQUENCE_CACHE' if bpy.app.build_options.alembic else 'MESH_CACHE'


def stored_path(obj):
    """The cache's path as it is stored in the file; // stands for the blend file's folder."""
    name = bpy.path.clean_name(obj.name)
    path = obj.toile_cloth.output.strip() or "//toile/" + name
    if not path.startswith("//") and not os.path.isabs(path):
        path = "//" + path
    if path.endswith(("/", os.sep)):
        path += name
    elif not needs_saved_file(path) and os.path.isdir(absolute(path)):
        path += "/" + name
    root, ending = os.path.splitext(path)
    return (root if ending.lower() in {".abc", ".pc2"} else path) + extension()


def needs_saved_file(path):
    """Whether the path cannot be found yet because the blend file has no folder."""
    return path.startswith("//") and not bpy.data.filepath


def absolute(path, owner=None):
    """The path in the file system; // is the folder of the file that `owner` comes from."""
    return os.path.normpath(bpy.path.abspath(path, library=owner.library if owner else None))


def find(obj):
    """The modifier that plays this object's cache, or None."""
    caches = [m for m in obj.modifiers if m.type in {'MESH_SEQUENCE_CACHE', 'MESH_CACHE'}]
    wanted = obj.toile_cloth.modifier or NAME
    for modifier in caches:
        if modifier.name == wanted:
            return modifier
    # renamed since
    own = absolute(stored_path(obj), obj)
    for modifier in caches:
        if played_file(modifier) == own:
            return modifier
    return None


def played_path(modifier):
    """The path a modifier plays, as stored; "" when none."""
    if modifier.type == 'MESH_SEQUENCE_CACHE':
        return modifier.cache_file.filepath if modifier.cache_file else ""
    return modifier.filepath


def played_file(modifier):
    """The file a modifier plays, or "" when none."""
    path = played_path(modifier)
    owner = getattr(modifier, "cache_file", None) or modifier.id_data
    return absolute(path, owner) if path else ""


def players(file, but):
    """The objects other than `but` with a modifier that plays the file."""
    return [
        obj
        for obj in bpy.data.objects
        if obj != but
        and obj.users
        and any(
            modifier.type in {'MESH_SEQUENCE_CACHE', 'MESH_CACHE'}
            and played_file(modifier) == file
            for modifier in obj.modifiers
        )
    ]


def writers(file, but):
    """The cloths of this file other than `but` whose cache is the file."""
    return [
        obj
        for obj in bpy.data.objects
        if obj != but
        and obj.users
        and not obj.library
        and obj.type == 'MESH'
        and obj.toile_cloth.enabled
        and absolute(stored_path(obj)) == file
    ]


def archive_path(name):
    """Where a cloth of that name lies in an archive: other bytes than these become _."""
    clean = re.sub(rb"[^A-Za-z0-9_]", b"_", name.encode()).decode()
    return f"/{clean}/{clean}Shape"


def attach(obj, path, archive, first_frame):
    """Lets the object play the cache. `archive` is the mesh's path inside an Alembic file."""
    modifier = find(obj)
    if modifier and modifier.type != modifier_type():
        detach(obj)
        modifier = None
    if not modifier:
        modifier = obj.modifiers.new(NAME, modifier_type())
        modifier.show_expanded = False
    name = obj.toile_cloth.modifier = modifier.name
    # first of all: a path set further down would have Blender play it behind the others
    index = obj.modifiers.find(name)
    if index > 0:
        _move_first(obj, index)
        modifier = obj.modifiers[name]
    if modifier.type == 'MESH_SEQUENCE_CACHE':
        old = modifier.cache_file
        modifier.cache_file = _cache_file(path)
        modifier.object_path = archive
        # the rest of the mesh (uvs, colours, materials) stays the artist's
        modifier.read_data = {'VERT'}
        if old and old != modifier.cache_file and not old.users:
            bpy.data.batch_remove((old,))
    else:
        modifier.cache_format = 'PC2'
        modifier.filepath = path
        modifier.time_mode = 'FRAME'
        modifier.play_mode = 'SCENE'
        modifier.deform_mode = 'OVERWRITE'
        modifier.interpolation = 'LINEAR'
        # the start stored in PC2 files is ignored by Blender
        modifier.frame_start = first_frame
        modifier.frame_scale = 1.0
    modifier.show_viewport = modifier.show_render = True
    obj.update_tag()


def _cache_file(path):
    """The data-block of the archive, made anew or told that the file has changed."""
    wanted = absolute(path)
    for known in bpy.data.cache_files:
        if not known.library and absolute(known.filepath) == wanted:
            # assigning makes Blender open the file again
            known.filepath = path
            return known
    before = set(bpy.data.cache_files)
    bpy.ops.cachefile.open(filepath=wanted)
    (made,) = set(bpy.data.cache_files) - before
    made.filepath = path
    return made


def _move_first(obj, index):
    if hasattr(obj.modifiers, "move"):
        obj.modifiers.move(index, 0)
        return
    name = obj.modifiers[index].name
    with bpy.context.temp_override(object=obj, active_object=obj):
        bpy.ops.object.modifier_move_to_index(modifier=name, index=0)


def detach(obj):
    """Removes the modifier, and the archive's data-block when nothing else uses it."""
    modifier = find(obj)
    if not modifier:
        return
    archive = modifier.cache_file if modifier.type == 'MESH_SEQUENCE_CACHE' else None
    obj.modifiers.remove(modifier)
    obj.toile_cloth.modifier = ""
    if archive and not archive.users:
        bpy.data.batch_remove((archive,))


def delete(obj):
    """Removes the modifier, and the file it played if it is this object's alone. Answers what was
    done, as a sentence."""
    modifier = find(obj)
    file = played_file(modifier) if modifier else ""
    own = file == absolute(stored_path(obj), obj)
    others = players(file, obj) if file else []
    if file and own and not others and os.path.isfile(file):
        os.remove(file)
        detach(obj)
        return f"Deleted {file}."
    detach(obj)
    if not os.path.isfile(file):
        return "There was no cache file."
    if others:
        return f"No longer played here; {file} stays, because '{others[0].name}' plays it."
    return f"No longer played here; {file} stays, because it is not the Cache of '{obj.name}'."
