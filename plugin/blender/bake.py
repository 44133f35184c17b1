# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One run of the simulation: begin, one step per frame, then finish, or give up.

Every cloth has a session and a cache of its own: in this version cloths do not touch each other.
Until finish nothing in the file has changed but what is put back afterwards: the current frame,
the shown mesh (a copy that follows the simulation) and the muted playback modifiers.

Scripts may append functions to `frame_handlers`. Each is called with the run after every frame, the
first included, and may answer False to stop there."""

import os
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

frame_handlers = []

# the run under way in a window
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
        self.colliders = []  # (object, index in the session)
        self.positions = None
        self.rest = None  # the artist's mesh while a copy is shown
        self.muted = None
        self.made_folder = ""


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
        self.began_s = time.monotonic()
        self._cloths = [Cloth(obj) for obj in objects]
        self._came_from = (self.scene.frame_current, self.scene.frame_subframe)

    # ---- life ----

    def begin(self):
        """Checks everything and simulates nothing yet. Raises Failure, with all as it was."""
        global _current
        if _current:
            raise Failure("A simulation is running; press Esc to end it first.")
        try:
            self._check_paths()
            self._mute()
            self.scene.frame_set(self.first)
            for cloth in self._cloths:
                self._open(cloth)
            if self.show:
                for cloth in self._cloths:
                    self._show_copy(cloth)
                _current = self
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
            matrices = {}
            for cloth in self._cloths:
                self._move(cloth, depsgraph, matrices)
                cloth.session.step()
            self.frame += 1
            if self.show:
                for cloth in self._cloths:
                    self._draw(cloth)
            self._tell()
        except Exception as error:
            self.give_up()
            raise self._failure(error) from error

    def _tell(self):
        for handler in list(frame_handlers):
            if handler(self) is False:
                self.stopped = True

    def finish(self):
        """Makes the caches appear with the frames done and lets the objects play them."""
        try:
            for cloth in self._cloths:
                cloth.session.finish()
        except Exception as error:
            self.give_up()
            raise self._failure(error) from error
        texts = [self._summary(cloth) for cloth in self._cloths]
        for cloth in self._cloths:
            cloth.session.close()
            cloth.made_folder = ""
        self._restore()
        for cloth, text in zip(self._cloths, texts):
            playback.attach(cloth.obj, cloth.path, playback.archive_path(cloth.name), self.first)
            cloth.obj.toile_cloth.result = text
            cloth.obj.toile_cloth.failed = False
        self.view_layer.update()
        return texts

    def give_up(self):
        """Ends without a result; everything is as it was before."""
        for cloth in self._cloths:
            if cloth.session:
                cloth.session.close()
            if cloth.made_folder:
                try:
                    os.rmdir(cloth.made_folder)
                except OSError:
                    pass
        self._restore()

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
        if stats:
            parts.append("stretched up to {:.1f} %".format(100 * (stats["stretch_max"] - 1)))
        text = ", ".join(parts)
        if self.frame < self.last:
            text = f"Stopped at frame {self.frame} of {self.last}. " + text
        if cloth.session.warnings:
            text += ". Note: " + " ".join(dict.fromkeys(cloth.session.warnings))
        return text

    # ---- setting up ----

    def _check_paths(self):
        seen = {}
        for cloth in self._cloths:
            if playback.needs_saved_file(cloth.path):
                raise collect.SetupError(
                    cloth.name,
                    "save the blend file first, because the cache is stored beside it, or choose "
                    "a cache file with a full path",
                )
            other = seen.setdefault(playback.absolute(cloth.path), cloth.name)
            if other != cloth.name:
                raise collect.SetupError(
                    cloth.name, f"'{other}' writes the same cache file; choose another"
                )

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
            if other != obj:
                cloth.colliders.append((other, self._add_collider(cloth, other, depsgraph)))
        cloth.positions = np.empty_like(mesh.positions)
        self._make_folder(cloth, os.path.dirname(file))
        cloth.session.begin()

    def _add_collider(self, cloth, obj, depsgraph):
        settings = obj.toile_collider
        try:
            return cloth.session.add_collider(
                obj.name,
                matrix=collect.matrix(obj, depsgraph),
                thickness_m=settings.thickness_m,
                friction=settings.friction if settings.use_friction else -1.0,
                **collect.collider_shape(obj, depsgraph),
            )
        except binding.ToileError as error:
            raise collect.SetupError(obj.name, error.message) from error

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

    def _move(self, cloth, depsgraph, matrices):
        """Tells the session where things are at the new frame."""

        def at(obj):
            if obj.name not in matrices:
                matrices[obj.name] = collect.matrix(obj, depsgraph)
            return matrices[obj.name]

        cloth.session.set_cloth_matrix(cloth.index, at(cloth.obj))
        for obj, index in cloth.colliders:
            cloth.session.set_collider_matrix(index, at(obj))

    def _show_copy(self, cloth):
        """Shows a copy of the mesh that may be moved about."""
        cloth.rest = cloth.obj.data
        copy = cloth.rest.copy()
        cloth.obj.data = copy
        if copy.shape_keys:
            cloth.obj.shape_key_clear()
        self._draw(cloth)

    def _draw(self, cloth):
        shown = cloth.obj.data
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
                cloth.muted = modifier

    def _restore(self):
        global _current
        if _current is self:
            _current = None
        for cloth in self._cloths:
            cloth.session = None
            if cloth.rest:
                copy, cloth.obj.data, cloth.rest = cloth.obj.data, cloth.rest, None
                bpy.data.meshes.remove(copy)
            if cloth.muted:
                cloth.muted.show_viewport = True
                cloth.muted = None
        frame, subframe = self._came_from
        self.scene.frame_set(frame, subframe=subframe)

    def _failure(self, error):
        """Any exception as a sentence that names the object."""
        if isinstance(error, Failure):
            return error
        if isinstance(error, (binding.ToileError, collect.SetupError)):
            name = error.object or (self._cloths[0].name if len(self._cloths) == 1 else "")
            return Failure(_sentence(name, error.message), name)
        if isinstance(error, library.LibraryError):
            return Failure(str(error))
        if isinstance(error, ReferenceError):
            return Failure("The simulation ended because an object of it was removed.")
        raise error


def abandon():
    """Ends a run in a window when the add-on is switched off or another file is loaded."""
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


def _sentence(name, message):
    """The message with the object's name before it, unless it has it, and a full stop."""
    text = message if not name or f"'{name}'" in message else f"'{name}': {message}"
    return text if text.endswith((".", "?", "!")) else text + "."


def _duration(seconds):
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02} min"
