# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds libtoile in the package's folder `lib`, loads it once and refuses another version.

A missing or wrong library is no reason to fail registration: the panel shows the sentence."""

import os
import sys

from . import binding

VERSION = (0, 1, 0)
NAMES = {"win32": "toile.dll", "darwin": "libtoile.dylib"}

_loaded = None
_fabrics = None


class LibraryError(Exception):
    """A sentence for the artist: the library cannot be used."""


def path():
    """Where the library must lie."""
    name = NAMES.get(sys.platform, "libtoile.so")
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", name)


def load():
    """The library, loaded at the first call. Raises LibraryError."""
    global _loaded
    if _loaded is None:
        _loaded = _open(path())
    return _loaded


def unload():
    """Lets go of the library; the next load() opens it again."""
    global _loaded, _fabrics
    if _loaded is not None:
        _loaded.close()
    _loaded = None
    _fabrics = None


def problem():
    """The sentence of what keeps the library from being used, or ""."""
    try:
        load()
    except LibraryError as error:
        return str(error)
    return ""


def fabrics():
    """The fabrics of the library by name, in alphabetical order; empty without a library."""
    global _fabrics
    if _fabrics is None:
        if problem():
            return {}
        _fabrics = {fabric.name: fabric for fabric in load().fabrics()}
    return _fabrics


def _open(file):
    if not os.path.isfile(file):
        raise LibraryError(
            f"The Toile library is missing ({file}). Install the zip made for this system again."
        )
    try:
        found = binding.Library(file)
    except binding.LoadError as error:
        raise LibraryError(f"The Toile library cannot be loaded: {error}.") from None
    if found.version != VERSION:
        found.close()
        raise LibraryError(
            "The Toile library in the add-on is version {}, but the add-on needs {}. "
            "Remove the add-on and install one zip of one version.".format(
                ".".join(map(str, found.version)), ".".join(map(str, VERSION))
            )
        )
    return found
