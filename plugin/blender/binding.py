# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""libtoile for Python: the public structs field by field, and thin classes over the functions.

The structs and prototypes are compared with the C headers by a test. Arrays go in and out as numpy
float32 and int32; the library copies what it keeps. A failing call raises ToileError. No other
module of the add-on knows ctypes, and this one does not know Blender."""

import ctypes
from collections import namedtuple
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Array,
    Structure,
    byref,
    c_bool,
    c_char,
    c_char_p,
    c_double,
    c_float,
    c_int32,
    c_int64,
    c_uint32,
    c_void_p,
    cast,
    sizeof,
)

import numpy as np

# ---- constants of base.h and types.h ----

TOILE_STATUS_OK = 0
TOILE_STATUS_INVALID_ARGUMENT = 1
TOILE_STATUS_INVALID_DATA = 2
TOILE_STATUS_CANCELLED = 6
TOILE_STATUS_DIVERGED = 7
TOILE_STATUS_UNSUPPORTED = 10

TOILE_LOG_WARNING = 2

TOILE_PATTERN_NONE = 0
TOILE_PATTERN_ORIENTATION = 1
TOILE_PATTERN_METRIC = 2

TOILE_COLLIDER_SPHERE = 0
TOILE_COLLIDER_PLANE = 1
TOILE_COLLIDER_BOX = 2
TOILE_COLLIDER_CAPSULE = 3
TOILE_COLLIDER_MESH = 4

TOILE_QUALITY_FAST = 0
TOILE_QUALITY_STANDARD = 1
TOILE_QUALITY_ACCURATE = 2

# ---- structs ----


class ToileErrorRecord(Structure):
    """ToileError of the header; the exception has the short name here."""

    _fields_ = [
        ("struct_size", c_uint32),
        ("status", c_int32),
        ("frame", c_int64),
        ("face", c_int64),
        ("vertex", c_int64),
        ("object", c_char * 64),
        ("message", c_char * 512),
    ]


LogWrite = CFUNCTYPE(None, c_void_p, c_int32, c_char_p)
ProgressReport = CFUNCTYPE(c_bool, c_void_p, c_double)


class ToileLog(Structure):
    _fields_ = [("write", LogWrite), ("user", c_void_p)]


class ToileProgress(Structure):
    _fields_ = [("report", ProgressReport), ("user", c_void_p)]


class ToileMeshDef(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("vertex_count", c_int32),
        ("face_count", c_int32),
        ("corner_count", c_int32),
        ("uv_count", c_int32),
        ("positions_m", POINTER(c_double)),
        ("face_sizes", POINTER(c_int32)),
        ("corners", POINTER(c_int32)),
        ("uvs", POINTER(c_double)),
        ("corner_uvs", POINTER(c_int32)),
    ]


class ToileMeshIssue(Structure):
    _fields_ = [
        ("kind", c_int32),
        ("is_error", c_int32),
        ("face", c_int32),
        ("vertex", c_int32),
        ("message", c_char * 192),
    ]


class ToileFabric(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("bend_scale", c_int32),
        ("density_kg_per_m2", c_double),
        ("thickness_m", c_double),
        ("friction", c_double),
        ("stretch_weft_N_per_m", c_double),
        ("stretch_warp_N_per_m", c_double),
        ("stretch_shear_N_per_m", c_double),
        ("stretch_poisson", c_double),
        ("stretch_damping_s", c_double),
        ("bend_weft_N_m", c_double),
        ("bend_warp_N_m", c_double),
        ("stretch_model", c_int32),
        ("compression", c_int32),
        ("gauss_points", c_int32),
        ("bend_model", c_int32),
        ("bend_damping_model", c_int32),
        ("bend_intervals", c_int32),
        ("bend_fold_exponent", c_int32),
        ("rest_curvature", c_int32),
        ("compression_factor", c_double),
        ("stretch_limit", c_double),
        ("bend_damping_N_m_s", c_double),
        ("bend_poisson", c_double),
        ("bend_in_element_weight", c_double),
        ("rest_curvature_per_m", c_double),
        ("bend_law", POINTER(c_double)),
        ("bend_law_count", c_int32),
        ("reserved", c_uint32),
    ]


class ToileFabricEntry(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("reserved", c_uint32),
        ("name", c_char_p),
        ("title", c_char_p),
        ("source", c_char_p),
        ("fabric", ToileFabric),
    ]


class ToileStats(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("substeps", c_int32),
        ("newton_iterations", c_int32),
        ("cg_iterations", c_int32),
        ("line_search_cuts", c_int32),
        ("retries", c_int32),
        ("contacts", c_int32),
        ("projected", c_int32),
        ("residual_N", c_double),
        ("kinetic_J", c_double),
        ("stretch_p99", c_double),
        ("stretch_max", c_double),
        ("speed_max_m_per_s", c_double),
        ("penetration_max_m", c_double),
        ("substeps_added", c_int32),
        ("substeps_planned", c_int32),
        ("substeps_shortened", c_int32),
        ("retries_failed", c_int32),
        ("retries_strain", c_int32),
        ("retries_newton", c_int32),
        ("newton_rescues", c_int32),
        ("rescues", c_int32),
        ("newton_step_m", c_double),
        ("linear_residual", c_double),
        ("gravity_J", c_double),
        ("stretch_J", c_double),
        ("bend_J", c_double),
        ("energy_J", c_double),
        ("center_m", c_double * 3),
        ("momentum_kg_m_per_s", c_double * 3),
        ("angular_momentum_kg_m2_per_s", c_double * 3),
        ("stretch_p50", c_double),
        ("stretch_p90", c_double),
        ("total_s", c_double),
        ("assembly_s", c_double),
        ("linear_s", c_double),
        ("search_s", c_double),
        ("contact_s", c_double),
        ("intersections", c_int32),
        ("contact_candidates", c_int32),
        ("contact_touches", c_int32),
        ("contact_refreshes", c_int32),
        ("contact_cuts", c_int32),
        ("contact_blocked", c_int32),
        ("contact_growths", c_int32),
        ("contact_pinched", c_int32),
        ("broad_s", c_double),
        ("narrow_s", c_double),
        ("truncate_s", c_double),
    ]


class ToileSessionDef(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("up", c_int32),
        ("first_frame", c_int32),
        ("last_frame", c_int32),
        ("quality", c_int32),
        ("substeps", c_int32),
        ("threads", c_int32),
        ("velocities", c_int32),
        ("fps", c_double),
        ("unit_m", c_double),
        ("gravity_m_per_s2", c_double * 3),
        ("drag_kg_per_m2_s", c_double),
        ("contact_thickness_m", c_double),
        ("cache", c_char_p),
        ("log", ToileLog),
        ("progress", ToileProgress),
        ("contact_self", c_int32),
        ("reserved", c_uint32),
    ]


class ToileSessionCloth(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("vertex_count", c_int32),
        ("face_count", c_int32),
        ("corner_count", c_int32),
        ("pattern", c_int32),
        ("reserved", c_uint32),
        ("name", c_char_p),
        ("positions", POINTER(c_float)),
        ("face_sizes", POINTER(c_int32)),
        ("face_starts", POINTER(c_int32)),
        ("corners", POINTER(c_int32)),
        ("corner_uvs", POINTER(c_float)),
        ("uv_name", c_char_p),
        ("pin_weights", POINTER(c_float)),
        ("fabric_name", c_char_p),
        ("fabric", POINTER(ToileFabric)),
        ("pattern_scale_m", c_double),
        ("matrix", c_double * 16),
    ]


class ToileSessionCollider(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("shape", c_int32),
        ("name", c_char_p),
        ("center", c_double * 3),
        ("radius", c_double),
        ("half", c_double * 3),
        ("normal", c_double * 3),
        ("thickness_m", c_double),
        ("friction", c_double),
        ("matrix", c_double * 16),
        ("end", c_double * 3),
        ("vertex_count", c_int32),
        ("face_count", c_int32),
        ("corner_count", c_int32),
        ("reserved", c_uint32),
        ("positions", POINTER(c_float)),
        ("face_sizes", POINTER(c_int32)),
        ("face_starts", POINTER(c_int32)),
        ("corners", POINTER(c_int32)),
        ("vertex_thickness_m", POINTER(c_float)),
        ("vertex_friction", POINTER(c_float)),
    ]


# by the names of the headers, for the test
STRUCTS = {
    "ToileError": ToileErrorRecord,
    "ToileLog": ToileLog,
    "ToileProgress": ToileProgress,
    "ToileMeshDef": ToileMeshDef,
    "ToileMeshIssue": ToileMeshIssue,
    "ToileFabric": ToileFabric,
    "ToileFabricEntry": ToileFabricEntry,
    "ToileStats": ToileStats,
    "ToileSessionDef": ToileSessionDef,
    "ToileSessionCloth": ToileSessionCloth,
    "ToileSessionCollider": ToileSessionCollider,
}

_Session = c_void_p
_Error = POINTER(ToileErrorRecord)

# name: (result, arguments), as in the headers
FUNCTIONS = {
    "toile_version": (c_uint32, []),
    "toile_version_string": (c_char_p, []),
    "toile_status_name": (c_char_p, [c_int32]),
    "toile_error_init": (None, [_Error, c_uint32]),
    "toile_mesh_def_init": (None, [POINTER(ToileMeshDef), c_uint32]),
    "toile_mesh_check": (
        c_int32,
        [
            POINTER(ToileMeshDef),
            c_bool,
            POINTER(ToileMeshIssue),
            c_int32,
            POINTER(c_int32),
            _Error,
        ],
    ),
    "toile_fabric_init": (None, [POINTER(ToileFabric), c_uint32]),
    "toile_fabric_count": (c_int32, []),
    "toile_fabric_get": (c_int32, [c_int32, POINTER(ToileFabricEntry), _Error]),
    "toile_stats_init": (None, [POINTER(ToileStats), c_uint32]),
    "toile_session_def_init": (None, [POINTER(ToileSessionDef), c_uint32]),
    "toile_session_cloth_init": (None, [POINTER(ToileSessionCloth), c_uint32]),
    "toile_session_collider_init": (None, [POINTER(ToileSessionCollider), c_uint32]),
    "toile_session_create": (c_int32, [POINTER(ToileSessionDef), POINTER(_Session), _Error]),
    "toile_session_destroy": (None, [_Session]),
    "toile_session_add_cloth": (
        c_int32,
        [_Session, POINTER(ToileSessionCloth), POINTER(c_int32), _Error],
    ),
    "toile_session_add_collider": (
        c_int32,
        [_Session, POINTER(ToileSessionCollider), POINTER(c_int32), _Error],
    ),
    "toile_session_begin": (c_int32, [_Session, _Error]),
    "toile_session_set_collider_matrix": (
        c_int32,
        [_Session, c_int32, POINTER(c_double), _Error],
    ),
    "toile_session_set_collider_positions": (
        c_int32,
        [_Session, c_int32, POINTER(c_float), c_int32, _Error],
    ),
    "toile_session_set_cloth_matrix": (c_int32, [_Session, c_int32, POINTER(c_double), _Error]),
    "toile_session_step": (c_int32, [_Session, _Error]),
    "toile_session_get_positions": (c_int32, [_Session, c_int32, POINTER(c_float), _Error]),
    "toile_session_frame": (c_int32, [_Session]),
    "toile_session_get_stats": (c_int32, [_Session, POINTER(ToileStats), _Error]),
    "toile_session_get_intersecting_faces": (
        c_int32,
        [_Session, c_int32, POINTER(c_int32), c_int32, POINTER(c_int32), _Error],
    ),
    "toile_session_finish": (c_int32, [_Session, _Error]),
}


# ---- errors ----


class LoadError(Exception):
    """The file is no library, or not this one."""


class ToileError(Exception):
    """A call that failed: `message` is one sentence for the artist."""

    def __init__(self, status, message, object="", face=-1, vertex=-1, frame=None):
        super().__init__(message)
        self.status = status
        self.message = message
        self.object = object
        self.face = face
        self.vertex = vertex
        self.frame = frame

    @property
    def cancelled(self):
        return self.status == TOILE_STATUS_CANCELLED


NO_FRAME = -(2**63)


def _raise(record):
    frame = record.frame
    raise ToileError(
        record.status,
        record.message.decode("utf-8", "replace"),
        record.object.decode("utf-8", "replace"),
        record.face,
        record.vertex,
        None if frame == NO_FRAME else frame,
    )


# ---- the library ----

Fabric = namedtuple("Fabric", "name title source values")
Issue = namedtuple("Issue", "is_error face vertex message")


class Library:
    """One loaded libtoile."""

    def __init__(self, path):
        try:
            self._c = ctypes.CDLL(path)
            for name, (result, arguments) in FUNCTIONS.items():
                function = getattr(self._c, name)
                function.restype = result
                function.argtypes = arguments
        except (OSError, AttributeError) as error:
            raise LoadError(str(error)) from None
        packed = self._c.toile_version()
        self.version = (packed >> 16, packed >> 8 & 255, packed & 255)

    def close(self):
        """Unloads it. Every session must be gone."""
        handle, self._c = self._c._handle, None
        if hasattr(ctypes, "WinDLL"):
            from _ctypes import FreeLibrary as unload
        else:
            from _ctypes import dlclose as unload
        unload(handle)

    def make(self, kind, initialise):
        """A struct with the library's defaults."""
        value = kind()
        getattr(self._c, initialise)(byref(value), sizeof(kind))
        return value

    def call(self, name, *arguments):
        """Calls a function that answers a status and takes an error last."""
        record = self.make(ToileErrorRecord, "toile_error_init")
        status = getattr(self._c, name)(*arguments, byref(record))
        if status != TOILE_STATUS_OK:
            record.status = status
            _raise(record)

    def frame(self, handle):
        return self._c.toile_session_frame(handle)

    def destroy(self, handle):
        self._c.toile_session_destroy(handle)

    def fabrics(self):
        """Every fabric of the library, in alphabetical order of names."""
        found = []
        for index in range(self._c.toile_fabric_count()):
            entry = ToileFabricEntry(struct_size=sizeof(ToileFabricEntry))
            self.call("toile_fabric_get", index, byref(entry))
            values = {
                name: getattr(entry.fabric, name)
                for name, kind in ToileFabric._fields_
                if kind is c_double
            }
            texts = (text.decode("utf-8") for text in (entry.name, entry.title, entry.source))
            found.append(Fabric(*texts, values))
        return found

    def mesh_issues(self, positions, face_starts, corners, corner_uvs=None, most=1000):
        """The defects of a mesh, errors and warnings. With uvs these are taken as the pattern."""
        sizes = np.diff(np.append(face_starts, len(corners))).astype(np.int32)
        where = np.ascontiguousarray(positions, np.float64)
        mesh = self.make(ToileMeshDef, "toile_mesh_def_init")
        mesh.vertex_count = where.size // 3
        mesh.face_count = sizes.size
        mesh.corner_count = corners.size
        mesh.positions_m = _pointer(where, c_double)
        mesh.face_sizes = _pointer(sizes, c_int32)
        mesh.corners = _pointer(corners, c_int32)
        if corner_uvs is not None:
            uvs = np.ascontiguousarray(corner_uvs, np.float64)
            own = np.arange(corners.size, dtype=np.int32)
            mesh.uv_count = corners.size
            mesh.uvs = _pointer(uvs, c_double)
            mesh.corner_uvs = _pointer(own, c_int32)
        issues = (ToileMeshIssue * most)()
        count = c_int32(0)
        try:
            self.call(
                "toile_mesh_check", byref(mesh), corner_uvs is not None, issues, most, byref(count)
            )
        except ToileError as error:
            if error.status != TOILE_STATUS_INVALID_DATA:
                raise
        return [
            Issue(bool(issue.is_error), issue.face, issue.vertex, issue.message.decode("utf-8"))
            for issue in issues[: min(count.value, most)]
        ]


def _pointer(array, kind):
    """The address of an array, which the caller keeps alive. None stays NULL."""
    if array is None:
        return None
    expected = np.dtype(kind)
    if array.dtype != expected or not array.flags.c_contiguous:
        raise TypeError(f"a contiguous array of {expected} is needed, not {array.dtype}")
    return cast(array.ctypes.data, POINTER(kind))


def _text(text):
    return None if text is None else text.encode("utf-8")


def _fill(array, values):
    array[:] = [float(value) for value in values]


class Session:
    """One simulation with its cache. Everything raises ToileError."""

    def __init__(self, library, gravity=(0.0, 0.0, -9.81), cache=None, **settings):
        self._library = library
        self._handle = None
        self.warnings = []
        definition = library.make(ToileSessionDef, "toile_session_def_init")
        for name, value in settings.items():
            setattr(definition, name, value)
        _fill(definition.gravity_m_per_s2, gravity)
        definition.cache = _text(cache)
        # the callback must live as long as the session
        self._log = LogWrite(self._write)
        definition.log.write = self._log
        handle = _Session()
        library.call("toile_session_create", byref(definition), byref(handle))
        self._handle = handle

    def _write(self, _user, level, message):
        if level >= TOILE_LOG_WARNING and message:
            self.warnings.append(message.decode("utf-8", "replace"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Frees everything; a cache that was not finished leaves nothing behind."""
        handle, self._handle = self._handle, None
        if handle is not None:
            self._library.destroy(handle)
        self._log = None

    def _call(self, name, *arguments):
        if self._handle is None:
            raise ToileError(TOILE_STATUS_INVALID_ARGUMENT, "The simulation has been closed.")
        self._library.call(name, self._handle, *arguments)

    def add_cloth(self, name, mesh, matrix, pattern, pattern_scale_m, fabric_name):
        """`mesh` is a collect.Mesh. Answers the cloth's index."""
        cloth = self._library.make(ToileSessionCloth, "toile_session_cloth_init")
        cloth.name = _text(name)
        cloth.vertex_count = mesh.positions.size // 3
        cloth.face_count = mesh.face_starts.size
        cloth.corner_count = mesh.corners.size
        cloth.pattern = pattern
        cloth.positions = _pointer(mesh.positions, c_float)
        cloth.face_starts = _pointer(mesh.face_starts, c_int32)
        cloth.corners = _pointer(mesh.corners, c_int32)
        cloth.corner_uvs = _pointer(mesh.corner_uvs, c_float)
        cloth.uv_name = _text(mesh.uv_name)
        cloth.pin_weights = _pointer(mesh.pin_weights, c_float)
        cloth.fabric_name = _text(fabric_name)
        cloth.pattern_scale_m = pattern_scale_m
        _fill(cloth.matrix, matrix)
        index = c_int32(-1)
        self._call("toile_session_add_cloth", byref(cloth), byref(index))
        return index.value

    def add_collider(self, name, shape, matrix, mesh=None, **settings):
        """`mesh` is a collect.Mesh, or None for other shapes. Answers the collider's index."""
        collider = self._library.make(ToileSessionCollider, "toile_session_collider_init")
        collider.name = _text(name)
        collider.shape = shape
        _fill(collider.matrix, matrix)
        for key, value in settings.items():
            if key in {"center", "end", "half", "normal"}:
                _fill(getattr(collider, key), value)
            else:
                setattr(collider, key, value)
        if mesh is not None:
            collider.vertex_count = mesh.positions.size // 3
            collider.face_count = mesh.face_starts.size
            collider.corner_count = mesh.corners.size
            collider.positions = _pointer(mesh.positions, c_float)
            collider.face_starts = _pointer(mesh.face_starts, c_int32)
            collider.corners = _pointer(mesh.corners, c_int32)
        index = c_int32(-1)
        self._call("toile_session_add_collider", byref(collider), byref(index))
        return index.value

    def begin(self):
        self._call("toile_session_begin")

    def set_collider_matrix(self, index, matrix):
        self._call("toile_session_set_collider_matrix", index, _pointer(matrix, c_double))

    def set_collider_positions(self, index, positions):
        """Where a mesh is at the next frame: float32, 3 per vertex, object space."""
        self._call(
            "toile_session_set_collider_positions",
            index,
            _pointer(positions, c_float),
            positions.size // 3,
        )

    def set_cloth_matrix(self, index, matrix):
        self._call("toile_session_set_cloth_matrix", index, _pointer(matrix, c_double))

    def step(self):
        self._call("toile_session_step")

    def positions(self, index, out):
        """Writes the cloth's positions, object space, into `out` (float32, 3 per vertex)."""
        self._call("toile_session_get_positions", index, _pointer(out, c_float))
        return out

    @property
    def frame(self):
        return self._library.frame(self._handle)

    def stats(self):
        """The last frame's statistics as a dictionary."""
        stats = self._library.make(ToileStats, "toile_stats_init")
        self._call("toile_session_get_stats", byref(stats))
        values = {name: getattr(stats, name) for name, _ in ToileStats._fields_[1:]}
        return {
            name: tuple(value) if isinstance(value, Array) else value
            for name, value in values.items()
        }

    def intersecting_faces(self, index):
        """The faces of a cloth that something goes through at the last frame."""
        count = c_int32(0)
        name = "toile_session_get_intersecting_faces"
        self._call(name, index, None, 0, byref(count))
        faces = np.empty(count.value, np.int32)
        self._call(name, index, _pointer(faces, c_int32), faces.size, byref(count))
        return faces

    def finish(self):
        self._call("toile_session_finish")
