"""What can be asked of the CAD process, and how questions and answers cross."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from workcell.geometry.assembly import Assembly
from workcell.geometry.recipe import Recipe


class MeshRequest(msgspec.Struct, frozen=True, tag="mesh"):
    """Triangles within a tolerance [m]; the answer is the bytes of a Mesh."""

    recipe: Recipe
    tolerance: float


class PropertiesRequest(msgspec.Struct, frozen=True, tag="properties"):
    """Volume, area, centroid, inertia; the answer is :class:`PropertiesAnswer`."""

    recipe: Recipe


class FacesRequest(msgspec.Struct, frozen=True, tag="faces"):
    """Every face with its name, centre, normal and outline; the answer is a list of Face."""

    recipe: Recipe


class CheckRequest(msgspec.Struct, frozen=True, tag="check"):
    """What is wrong with the shape; the answer is a list of Fault."""

    recipe: Recipe


class StepRequest(msgspec.Struct, frozen=True, tag="step"):
    """The shape as a STEP file; the answer is a :class:`StepFile`."""

    recipe: Recipe


class AssemblyRequest(msgspec.Struct, frozen=True, tag="assembly"):
    """The parts of a STEP file, compressed; the answer is an :class:`Assembly`."""

    data: bytes


class StepAssemblyRequest(msgspec.Struct, frozen=True, tag="step-assembly"):
    """An assembly as a STEP file with names and colours; the answer is a :class:`StepFile`."""

    assembly: Assembly


class EdgeRequest(msgspec.Struct, frozen=True, tag="edge"):
    """Where two faces meet, at places along it [m]; the answer is :class:`EdgeAnswer`."""

    recipe: Recipe
    first: str
    second: str
    piece: int
    """Which of the edges they share, from 1; 0 when there is only one."""
    places: tuple[float, ...] = ()


class RowsRequest(msgspec.Struct, frozen=True, tag="rows"):
    """Rows over a face [m, rad]; the answer is a list of :class:`RowAnswer`."""

    recipe: Recipe
    face: str
    row: float
    spacing: float
    margin: float
    angle: float
    along: str


class BusyRequest(msgspec.Struct, frozen=True, tag="busy"):
    """Work hard in the kernel for so many seconds; what tests of cancelling and progress use."""

    seconds: float


class CrashRequest(msgspec.Struct, frozen=True, tag="crash"):
    """Die as a kernel bug would; what tests of restarting use."""


Request: TypeAlias = (
    MeshRequest
    | PropertiesRequest
    | FacesRequest
    | CheckRequest
    | StepRequest
    | AssemblyRequest
    | StepAssemblyRequest
    | EdgeRequest
    | RowsRequest
    | BusyRequest
    | CrashRequest
)
Triples: TypeAlias = tuple[tuple[float, float, float], ...]


class EdgeAnswer(msgspec.Struct, frozen=True):
    """An edge: its length [m], whether it is a ring, and at each place the point [m], tangent and both normals."""

    length: float
    closed: bool
    points: Triples
    tangents: Triples
    first_normals: Triples
    second_normals: Triples


class RowAnswer(msgspec.Struct, frozen=True):
    """A row over a face: its number, whether it is a ring, and its points [m], tangents and normals."""

    number: int
    closed: bool
    points: Triples
    tangents: Triples
    normals: Triples


class PropertiesAnswer(msgspec.Struct, frozen=True):
    """Mass properties for a density of one."""

    volume: float
    area: float
    centroid: tuple[float, float, float]
    inertia: tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]


class Note(msgspec.Struct, frozen=True, tag="note"):
    """How far the work is: a fraction in 0…1 and a word."""

    fraction: float
    text: str


class Done(msgspec.Struct, frozen=True, tag="done"):
    """The answer, packed."""

    data: bytes


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """An error of :mod:`workcell.errors` by class name."""

    kind: str
    message: str
    evidence: dict[str, object]


Reply: TypeAlias = Note | Done | Failed
