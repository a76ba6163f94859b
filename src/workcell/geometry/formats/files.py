"""Read solids and assemblies from files, by the ending of the name, with their units; and write assemblies."""

from __future__ import annotations

import os
import re
import threading
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np

from workcell.errors import FileProblem, InvalidValue, UnknownName
from workcell.geometry import recipe as r
from workcell.geometry.assembly import Assembly
from workcell.geometry.formats import collada, gltf, gltf_read, obj, stl
from workcell.geometry.formats.foreign import WHAT, other_format
from workcell.geometry.formats.writing import ENDINGS, in_triangles
from workcell.geometry.kernel.requests import AssemblyRequest, StepAssemblyRequest
from workcell.geometry.kernel.worker import Progress, default_worker
from workcell.geometry.mesh import Mesh
from workcell.geometry.outward import outward
from workcell.geometry.repair import repaired
from workcell.geometry.solid import Solid
from workcell.geometry.step_file import StepFile
from workcell.spatial.units import LENGTHS
from workcell.wording import an, capital

# Made when the module is loaded: msgspec crashes if two threads make one for the same class for the first time.
_ASSEMBLY = msgspec.msgpack.Decoder(Assembly)
_STEP_FILE = msgspec.msgpack.Decoder(StepFile)


class TurnedMesh(UserWarning):
    """A mesh of a file that was partly or wholly inside out, or that was repaired."""


LARGEST = 1 << 30
"""The largest file that is read [bytes]."""

READ = (*ENDINGS, ".dae")
"""The endings of files that can be read."""
_STEP_UNIT = re.compile(rb"\b(SI_UNIT|CONVERSION_BASED_UNIT)\b")


def load(path: str | os.PathLike[str], unit: str | None = None, repair: bool = False) -> Solid:
    """Read a solid from a STEP, STL, OBJ, glTF or COLLADA file.

    Args:
        path: the file.
        unit: the unit of its numbers ('mm', 'm', 'inch' …). STL and OBJ files do not contain it, so it must be
            given. STEP and COLLADA files contain theirs, and glTF is in metres.
        repair: whether to close holes of a mesh, and to remove duplicate corners and triangles.

    An open mesh is kept open: it can be drawn and tested for collisions, but has no volume. A mesh that is partly or
    wholly inside out is turned, with a :class:`TurnedMesh` warning; so is a repaired one.
    """
    file = Path(path)
    ending = file.suffix.lower()
    if ending not in READ:
        raise UnknownName.among("kind of shape file", ending or file.name, READ)
    try:
        size = file.stat().st_size
        if size > LARGEST:
            raise FileProblem(f"{file.name} has {size / 1e9:.1f} GB; the limit is {LARGEST / 1e9:.1f} GB.")
        data = file.read_bytes()
    except OSError as error:
        raise FileProblem(f"{file.name} cannot be read: {error.strerror or error}.") from error
    with naming(file.name):
        solid, remarks = read(data, ending, unit, repair)
    if remarks:
        warnings.warn(f"{file.name}: {'; '.join(remarks)}.", TurnedMesh, stacklevel=2)
    return solid


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Begin every error that is raised here about a file with its name."""
    try:
        yield
    except (FileProblem, InvalidValue) as error:
        evidence = dict(error.evidence)
        what = evidence.pop(WHAT, "")
        raise type(error)(f"{name} is {what}" if what else f"{name}: {error.message}", **evidence) from error


def from_bytes(data: bytes, ending: str, unit: str | None = None) -> Solid:
    """Read a solid from the bytes of a file with an ending such as '.step'."""
    return read(data, ending, unit)[0]


def read(data: bytes, ending: str, unit: str | None = None, repair: bool = False) -> tuple[Solid, tuple[str, ...]]:
    """Read a solid from the bytes of a file; also return remarks about a mesh that was turned or repaired."""
    if unit is not None and unit not in LENGTHS:
        raise UnknownName.among("unit of length", unit, LENGTHS)
    if not data:
        raise FileProblem(f"The {ending[1:].upper()} file is empty.")
    if ending in (".step", ".stp"):
        return _step(data, unit), ()
    mesh = _mesh(data, ending, unit)
    if repair:
        mesh, changes = repaired(mesh)
        remarks = changes.remarks
    else:
        mesh, remarks = outward(mesh)
    return Solid(r.Triangles.of(mesh)), remarks


def _mesh(data: bytes, ending: str, unit: str | None) -> Mesh:
    if ending in (".stl", ".obj"):
        if unit is None:
            raise InvalidValue(
                f"{capital(an(ending[1:].upper()))} file does not contain the unit of its numbers; give the unit: "
                "mm, m, inch …"
            )
        reader = stl.read if ending == ".stl" else obj.read
        return reader(data, LENGTHS[unit])
    if ending == ".dae":
        if unit is not None:
            raise InvalidValue(
                f"A COLLADA file contains its own unit; it cannot be read in {unit}. Leave the unit out."
            )
        return collada.read(data)
    if unit not in (None, "m"):
        raise InvalidValue(
            f"A glTF file is in metres by its standard; it cannot be read in {unit}. Leave the unit out."
        )
    return gltf_read.read(data)


def assembly_from_bytes(
    data: bytes, ending: str, progress: Progress | None = None, cancel: threading.Event | None = None
) -> Assembly:
    """The parts of a STEP, glTF or COLLADA file with names, colours and places; other files have no parts."""
    if ending == ".dae":
        return collada.read_assembly(data)
    if ending in (".glb", ".gltf"):
        return gltf_read.read_assembly(data)
    if ending not in (".step", ".stp"):
        raise InvalidValue(
            f"{capital(an(ending[1:].upper()))} file has no parts; STEP, glTF and COLLADA files have them."
        )
    _step(data, None)
    request = AssemblyRequest(zlib.compress(data, 6))
    return _ASSEMBLY.decode(default_worker().submit(request, progress, cancel))


def assembly_to_step(
    assembly: Assembly, progress: Progress | None = None, cancel: threading.Event | None = None
) -> StepFile:
    """Write an assembly as a STEP file in millimetres, with names and colours; also return the loss of its parts."""
    return _STEP_FILE.decode(default_worker().submit(StepAssemblyRequest(assembly), progress, cancel))


def assembly_to_gltf(assembly: Assembly, meshes: Sequence[Mesh], ending: str) -> tuple[bytes, str]:
    """Write an assembly with meshed parts as GLB or glTF; also return what the bytes are, in words."""
    kind = "GLB" if ending == ".glb" else "glTF"
    data = gltf.assembly_to_gltf(assembly, meshes, binary=kind == "GLB")
    return data, f"{kind}, {in_triangles(meshes)}, in metres, y up"


def _step(data: bytes, unit: str | None) -> Solid:
    if not data.lstrip()[:12].upper() == b"ISO-10303-21":
        raise other_format("not a STEP file: it does not begin with ISO-10303-21.")
    if b"END-ISO-10303-21" not in data[-4096:].upper():
        raise FileProblem("The STEP file is cut short: END-ISO-10303-21 is missing at its end.")
    solid = Solid(r.Imported(zlib.compress(data, 6)))
    if _STEP_UNIT.search(data):
        if unit is not None:
            raise InvalidValue(f"The STEP file contains its own unit; it cannot be read in {unit}. Leave the unit out.")
        return solid
    if unit is None:
        raise InvalidValue("The STEP file does not contain the unit of its numbers; give the unit: mm, m, inch …")
    # Without a unit, the kernel assumes millimetres.
    k = LENGTHS[unit] / LENGTHS["mm"]
    return solid if k == 1.0 else solid.transformed(np.diag([k, k, k, 1.0]))
