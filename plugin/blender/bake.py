# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One run of the simulation: begin, one step per frame, then finish, or give up.

Every cloth has a session and a cache of its own: in this version cloths that are simulated in one
run do not touch each other.
Until finish nothing in the file has changed but what is put back afterwards: the current frame,
the shown mesh (a copy that follows the simulation) and the muted playback modifiers.

Scripts may append functions to `frame_handlers`. Each is called with the run after every frame, the
first included, and may answer False to stop there."""

import os
import re
import time

import bpy
import numpy as np

from . import binding, collect, library, playback

PATTERNS = {
    'NONE': binding.TOILE_PATTERN_NONE,
    'ORIENTATION': binding.TOILE_PATTERN_ORIENTATION,
    'METRIC': binding.TOILE_PATTERN_METRIC,
}
QUALITIES = {
    'FAST': binding.TOILE_QUALITY_FAST,
    'STANDARD': binding.TOILE_QUALITY_STANDARD,
    'ACCURATE': binding.TOILE_QUALITY_ACCURATE,
}

# beyond this a cloth is torn or caught rather than draped
STRETCH_DOUBTFUL = 1.2

frame_handlers = []

# the run under way
_current = None


class Failure(Exception):
    """Why there is no result: a sentence, the object's name and the indices of its faces."""

    def __init__(self, message, object="", faces=()):
        super().__init__(message)
        self.message = message
        self.object = object
        self.faces = list(faces)


class Cloth:
    """One object, its session and what is needed to show and restore it."""

    def __init__(self, obj):
        self.obj = obj
        self.name = obj.name
        self.path = playback.stored_path(obj)
        self.session = None
        self.index = -1
        self.colliders = []
        self.positions = None
        self.rest = None  # the artist's mesh while a copy is shown
        self.copy = None
        self.had_fake_user = False
        self.active_key = 0
        self.muted = False
        self.made_folder = ""
        self.notes = []
        self.pinned = 0
        self.loose = 0
        self.rescues = 0  # of the solver, over all frames
        self.doubtful = False
        self.tangled = []  # faces that go through something at the last frame


class Collider:
    """One object that a cloth meets: its index in the session and, when its shape is the mesh, what
    that looked like at the last frame."""

    def __init__(self, obj, index, mesh):
        self.obj = obj
        self.index = index
        self.mesh = mesh


class Run:
    """The simulation of some objects over the scene's frame range."""

    def __init__(self, context, objects, show):
        self.scene = context.scene
        self.view_layer = context.view_layer
        self.first = self.scene.frame_start
        self.last = self.scene.frame_end
        self.frame = self.first
        self.show = show
        self.stopped = False
        self.trouble = ""  # why it stopped before the last frame, when nobody wanted it to
        self.began_s = time.monotonic()
        self._cloths = [Cloth(obj) for obj in objects]
        self._came_from = (self.scene.frame_current, self.scene.frame_subframe)
        self._is_open = False

    # ---- life ----

    def begin(self):
        """Checks everything and simulates nothing yet. Raises Failure, with all as it was."""
        global _current
        if _current:
            raise Failure(
                "A simulation is running; wait until it ends, or press Esc in its window."
            )
        _current = self
        self._is_open = True
        try:
            self._check_paths()
            self._mute()
            self.scene.frame_set(self.first)
            for cloth in self._cloths:
                self._open(cloth)
            if self.show:
                for cloth in self._cloths:
                    self._show_copy(cloth)
                bpy.app.handlers.save_pre.append(_before_save)
                bpy.app.handlers.save_post.append(_after_save)
            self._tell()
        except BaseException as error:
            self.give_up()
            raise self._failure(error) from error

    @property
    def more(self):
        """Whether there is a further frame to be simulated."""
        return self.frame < self.last and not self.stopped

    def step(self):
        """The next frame of every cloth."""
        try:
            self.scene.frame_set(self.frame + 1)
            depsgraph = self.view_layer.depsgraph
            matrices, deformed = {}, {}
            for cloth in self._cloths:
                self._move(cloth, depsgraph, matrices, deformed)
                cloth.session.step()
                cloth.rescues += cloth.session.stats()["rescues"]
            self.frame += 1
            if self.show:
                for cloth in self._cloths:
                    self._draw(cloth)
            self._tell()
        except Exception as error:
            if self._keeps(error):
                return
            self.give_up()
            raise self._failure(error, self.frame + 1) from error

    def _keeps(self, error):
        """Whether the frames done are kept: they are when only the next one cannot be had."""
        if self.frame == self.first or not isinstance(error, binding.ToileError):
            return False
        if error.status not in {
            binding.TOILE_STATUS_DIVERGED,
            binding.TOILE_STATUS_INVALID_DATA,
            binding.TOILE_STATUS_INVALID_ARGUMENT,
            binding.TOILE_STATUS_UNSUPPORTED,
        }:
            return False
        self.trouble = self._failure(error, self.frame + 1).message
        self.stopped = True
        return True

    def _tell(self):
        for handler in list(frame_handlers):
            if handler(self) is False:
                self.stopped = True

    def finish(self):
        """Makes the caches appear with the frames done and lets the objects play them."""
        try:
            texts = [self._summary(cloth) for cloth in self._cloths]
            for cloth in self._cloths:
                cloth.session.finish()
                cloth.made_folder = ""
        except Exception as error:
            self.give_up()
            raise self._failure(error) from error
        self.give_up()
        failures = []
        for cloth, text in zip(self._cloths, texts):
            try:
                self._play(cloth, text)
            except Exception as error:
                failures.append(self._not_played(cloth, error))
        if failures:
            raise failures[0]
        self.view_layer.update()
        return texts

    def _play(self, cloth, text):
        playback.attach(cloth.obj, cloth.path, playback.archive_path(cloth.name), self.first)
        settings = cloth.obj.toile_cloth
        settings.result = text
        settings.failed = bool(self.trouble)
        settings.doubtful = cloth.doubtful
        settings.fps = collect.frames_per_second(self.scene)

    def _not_played(self, cloth, error):
        why = "the object was removed" if isinstance(error, ReferenceError) else str(error).strip()
        return Failure(
            _sentence(
                cloth.name,
                f"the cache {playback.absolute(cloth.path)} is written but not played: {why}",
            ),
            cloth.name,
        )

    def give_up(self):
        """Puts everything back as it was before; what is not finished leaves no result. Does
        nothing when the run is over, and never raises."""
        global _current
        if _current is self:
            _current = None
        if not self._is_open:
            return
        self._is_open = False
        for cloth in self._cloths:
            session, cloth.session = cloth.session, None
            if session:
                session.close()
            if cloth.made_folder:
                try:
                    os.rmdir(cloth.made_folder)
                except OSError:
                    pass
        self._restore()

    def tangled(self):
        """Objects and their faces that go through something at the last frame."""
        return [(cloth.obj, cloth.tangled) for cloth in self._cloths if cloth.tangled]

    @property
    def doubtful(self):
        """Whether the artist should look at a result before using it."""
        return any(cloth.doubtful for cloth in self._cloths)

    # ---- for people ----

    @property
    def done(self):
        """The part of the frames that is done, 0 to 1."""
        return (self.frame - self.first) / max(1, self.last - self.first)

    def status(self):
        """One line: frame and time left."""
        passed = time.monotonic() - self.began_s
        steps = self.frame - self.first
        text = f"Toile: frame {self.frame} of {self.last}"
        if steps:
            left = passed / steps * (self.last - self.frame)
            text += f", {_duration(left)} left"
        return text + ". Esc: stop and keep these frames"

    def _summary(self, cloth):
        stats = cloth.session.stats() if self.frame > self.first else {}
        count = self.frame - self.first + 1
        parts = [
            f"Frames {self.first} to {self.frame}" if count > 1 else f"Frame {self.first}",
            f"{cloth.positions.size // 3} vertices",
            _duration(time.monotonic() - self.began_s),
        ]
        if cloth.pinned:
            parts.insert(2, f"{cloth.pinned} pinned")
        if stats:
            parts.append("stretched up to {:.1f} %".format(100 * (stats["stretch_max"] - 1)))
        if cloth.rescues:
            parts.append(f"solver rescued {cloth.rescues} times")
        text = ", ".join(parts) + "."
        if stats and not stats["stretch_max"] <= STRETCH_DOUBTFUL:
            cloth.doubtful = True
            text += " That is more than cloth bears: look at pins, colliders and how they move."
        if stats and stats["intersections"]:
            cloth.doubtful = True
            cloth.tangled = cloth.session.intersecting_faces(cloth.index).tolist()
            text += (
                f" {len(cloth.tangled)} faces go through something at the last frame; they are "
                "selected."
            )
        if self.frame < self.last:
            text = f"Stopped at frame {self.frame} of {self.last}. " + text
        if self.trouble:
            text = self.trouble + " " + text
        notes = cloth.notes + _grouped(cloth.session.warnings, cloth.loose)
        if notes:
            text += " Note: " + " ".join(_sentence("", note) for note in notes)
        return text

    # ---- setting up ----

    def _check_paths(self):
        for cloth in self._cloths:
            if playback.needs_saved_file(cloth.path):
                raise collect.SetupError(
                    cloth.name,
                    "save the blend file first, because the cache is stored beside it, or choose "
                    "a cache file with a full path",
                )
            file = playback.absolute(cloth.path)
            for other in playback.writers(file, cloth.obj):
                raise collect.SetupError(
                    cloth.name,
                    f"'{other.name}' writes the same cache file, {file}; choose another Cache for "
                    "one of them",
                )
            modifier = playback.find(cloth.obj)
            plays = modifier and playback.played_file(modifier) == file
            for other in playback.players(file, cloth.obj):
                if other.library or not plays:
                    raise collect.SetupError(
                        cloth.name,
                        f"'{other.name}' plays the cache file {file}, which would be overwritten; "
                        f"choose another Cache here or use Delete Cache on '{other.name}'",
                    )
                cloth.notes.append(f"'{other.name}' plays this cache too")

    def _open(self, cloth):
        obj, settings = cloth.obj, cloth.obj.toile_cloth
        if obj.library:
            raise collect.SetupError(
                cloth.name, "the object is linked from another file; make it local first"
            )
        pattern = PATTERNS[settings.pattern]
        uv_name = collect.uv_map(obj, settings.uv_map) if pattern else None
        if not settings.fabric:
            raise collect.SetupError(cloth.name, "the fabric is not in the library; choose one")
        mesh = collect.mesh(obj, uv_name, settings.pin_group)
        self._note(cloth, mesh)
        depsgraph = self.view_layer.depsgraph
        file = playback.absolute(cloth.path)
        cloth.session = binding.Session(
            library.load(),
            gravity=collect.gravity_m_per_s2(self.scene),
            cache=file,
            up=1,
            first_frame=self.first,
            last_frame=self.last,
            fps=collect.frames_per_second(self.scene),
            unit_m=collect.unit_m(self.scene),
            quality=QUALITIES[settings.quality],
            drag_kg_per_m2_s=settings.drag_kg_per_m2_s,
            contact_self=int(settings.self_collision),
        )
        try:
            cloth.index = cloth.session.add_cloth(
                cloth.name,
                mesh,
                collect.matrix(obj, depsgraph),
                pattern,
                settings.pattern_scale_m,
                settings.fabric,
            )
        except binding.ToileError as error:
            raise Failure(
                _sentence(cloth.name, error.message),
                cloth.name,
                _faces(mesh, error, settings.pattern == 'METRIC'),
            ) from error
        for other in collect.colliders(self.scene, self.view_layer):
            if other in (each.obj for each in self._cloths):
                if other != obj:
                    cloth.notes.append(
                        f"'{other.name}' is simulated in the same run, so it is not met"
                    )
                continue
            cloth.colliders.append(self._add_collider(cloth, other, depsgraph))
        cloth.positions = np.empty_like(mesh.positions)
        self._make_folder(cloth, os.path.dirname(file))
        cloth.session.begin()

    def _note(self, cloth, mesh):
        """What the artist may not expect, for the result."""
        group = cloth.obj.toile_cloth.pin_group
        if mesh.pin_weights is not None:
            cloth.pinned = int((mesh.pin_weights > 0.5).sum())
            if not cloth.pinned:
                cloth.notes.append(f"no vertex of '{group}' has a weight above 0.5")
        cloth.loose = mesh.positions.size // 3 - np.unique(mesh.corners).size
        own = playback.find(cloth.obj)
        after = collect.reshaping_modifiers(cloth.obj, own.name if own else "")
        if after:
            names = ", ".join(f"'{name}'" for name in after)
            cloth.notes.append(f"the cloth is simulated before {names}, not after")

    def _add_collider(self, cloth, obj, depsgraph):
        settings = obj.toile_collider
        shape = collect.collider_shape(obj, depsgraph)
        try:
            index = cloth.session.add_collider(
                obj.name,
                matrix=collect.matrix(obj, depsgraph),
                thickness_m=settings.thickness_m,
                friction=settings.friction if settings.use_friction else -1.0,
                **shape,
            )
        except binding.ToileError as error:
            raise collect.SetupError(obj.name, error.message) from error
        return Collider(obj, index, shape.get("mesh"))

    def _make_folder(self, cloth, folder):
        if os.path.isdir(folder):
            return
        try:
            os.makedirs(folder)
        except OSError as error:
            raise collect.SetupError(
                cloth.name, f"the folder {folder} cannot be made: {error.strerror}"
            ) from None
        cloth.made_folder = folder

    # ---- frames ----

    def _move(self, cloth, depsgraph, matrices, deformed):
        """Tells the session where things are at the new frame. The dictionaries keep what was asked
        of Blender for the other cloths."""

        def at(obj):
            if obj.name not in matrices:
                matrices[obj.name] = collect.matrix(obj, depsgraph)
            return matrices[obj.name]

        cloth.session.set_cloth_matrix(cloth.index, at(cloth.obj))
        for collider in cloth.colliders:
            cloth.session.set_collider_matrix(collider.index, at(collider.obj))
            if collider.mesh is not None:
                name = collider.obj.name
                if name not in deformed:
                    deformed[name] = collect.evaluated_mesh(collider.obj, depsgraph)
                self._deform(cloth, collider, deformed[name])

    def _deform(self, cloth, collider, mesh):
        """Tells the session what a mesh looks like at the new frame, if it changed."""
        before, collider.mesh = collider.mesh, mesh
        name = collider.obj.name
        # another number of vertices is refused by the session
        if mesh.positions.size == before.positions.size:
            if not np.array_equal(mesh.corners, before.corners):
                raise binding.ToileError(
                    binding.TOILE_STATUS_INVALID_DATA,
                    f"the faces of collider '{name}' changed; it may deform, but its faces must "
                    "stay the same: look at its modifiers",
                    name,
                )
            if np.array_equal(mesh.positions, before.positions):
                return
        cloth.session.set_collider_positions(collider.index, mesh.positions)

    def _show_copy(self, cloth):
        """Shows a copy of the mesh that may be moved about."""
        cloth.rest = cloth.obj.data
        cloth.copy = cloth.rest.copy()
        # nothing else may use it: a save must not lose it
        cloth.had_fake_user = cloth.rest.use_fake_user
        cloth.active_key = cloth.obj.active_shape_key_index
        if not cloth.rest.library:
            cloth.rest.use_fake_user = True
        cloth.obj.data = cloth.copy
        if cloth.copy.shape_keys:
            cloth.obj.shape_key_clear()
        self._draw(cloth)

    def _draw(self, cloth):
        shown = cloth.copy
        cloth.session.positions(cloth.index, cloth.positions)
        shown.vertices.foreach_set("co", cloth.positions)
        shown.update()

    # ---- putting back ----

    def _mute(self):
        """A cache played meanwhile would cost time and hide what is being simulated."""
        for cloth in self._cloths:
            modifier = playback.find(cloth.obj)
            if modifier and modifier.show_viewport:
                modifier.show_viewport = False
                cloth.muted = True

    def _restore(self):
        """An object, mesh or scene that was removed meanwhile must not keep the others back."""
        for handlers, function in (
            (bpy.app.handlers.save_pre, _before_save),
            (bpy.app.handlers.save_post, _after_save),
        ):
            if function in handlers:
                handlers.remove(function)
        for cloth in self._cloths:
            for put_back in (self._put_mesh_back, self._unmute, self._remove_copy):
                try:
                    put_back(cloth)
                except ReferenceError:
                    pass
        try:
            frame, subframe = self._came_from
            self.scene.frame_set(frame, subframe=subframe)
        except ReferenceError:
            pass

    def _put_mesh_back(self, cloth):
        if not cloth.rest:
            return
        try:
            if cloth.obj.data == cloth.copy:
                cloth.obj.data = cloth.rest
                cloth.obj.active_shape_key_index = cloth.active_key
        finally:
            if not cloth.rest.library:
                cloth.rest.use_fake_user = cloth.had_fake_user

    def _unmute(self, cloth):
        # the modifier itself may be gone: it is looked for again
        modifier = playback.find(cloth.obj) if cloth.muted else None
        cloth.muted = False
        if modifier:
            modifier.show_viewport = True

    def _remove_copy(self, cloth):
        copy, cloth.copy, cloth.rest = cloth.copy, None, None
        if copy:
            bpy.data.meshes.remove(copy)

    def before_save(self):
        """The file must hold the artist's meshes and play the old caches."""
        for cloth in self._cloths:
            for put_back in (self._put_mesh_back, self._unmute):
                try:
                    put_back(cloth)
                except ReferenceError:
                    pass

    def after_save(self):
        self._mute()
        for cloth in self._cloths:
            if cloth.rest:
                cloth.rest.use_fake_user = cloth.had_fake_user or not cloth.rest.library
                cloth.obj.data = cloth.copy

    def _failure(self, error, frame=None):
        """Any exception as a sentence that names the object."""
        if isinstance(error, Failure):
            return error
        if isinstance(error, (binding.ToileError, collect.SetupError)):
            name = error.object or (self._cloths[0].name if len(self._cloths) == 1 else "")
            frame = frame if getattr(error, "frame", None) is None else error.frame
            return Failure(_sentence(name, error.message, frame), name)
        if isinstance(error, library.LibraryError):
            return Failure(str(error))
        if isinstance(error, ReferenceError):
            return Failure("The simulation ended because an object of it was removed.")
        raise error


def running():
    """Whether a simulation is under way."""
    return _current is not None


def _before_save(*_):
    if _current:
        _current.before_save()


def _after_save(*_):
    if _current:
        try:
            _current.after_save()
        except ReferenceError:
            # the next step tells
            pass


def abandon():
    """Ends a run when the add-on is switched off or another file is loaded."""
    if _current:
        _current.give_up()


def _faces(mesh, error, uv_is_pattern):
    """The faces to select: all with a defect of the mesh, or the one the error names."""
    uvs = mesh.corner_uvs if uv_is_pattern else None
    issues = library.load().mesh_issues(mesh.positions, mesh.face_starts, mesh.corners, uvs)
    faces = {issue.face for issue in issues if issue.is_error and issue.face >= 0}
    if error.face >= 0:
        faces.add(error.face)
    return sorted(faces)


def _grouped(warnings, loose):
    """Warnings of a mesh with those of one kind as one; `loose` vertices are known by number."""
    kinds, more = {}, 0
    for warning in dict.fromkeys(warnings):
        rest = re.match(r"and (\d+) more warnings", warning)
        if rest:
            more += int(rest.group(1))
        else:
            kinds.setdefault(re.sub(r"[\d.e+-]*\d", "#", warning), []).append(warning)
    texts = []
    for kind, found in kinds.items():
        if loose > 1 and "belongs to no face" in kind:
            more -= loose - len(found)
            texts.append(f"{loose} loose vertices stay where they are")
        elif len(found) > 1:
            texts.append(f"{found[0]} ({len(found) - 1} more like it)")
        else:
            texts.append(found[0])
    if more > 0:
        texts.append(f"{more} more warnings about this mesh")
    return texts


def _sentence(name, message, frame=None):
    """The message as a sentence, with the object's name and the frame unless it has them."""
    where = [] if not name or f"'{name}'" in message else [f"'{name}'"]
    if frame is not None and f"frame {frame}" not in message.lower():
        where.append(f"at frame {frame}")
    text = f"{' '.join(where)}: {message}" if where else message
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "?", "!")) else text + "."


def _duration(seconds):
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02} min"
