"""Requests to the CAD process and its answers, and how they travel."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from workcell.geometry.assembly import Assembly
from workcell.geometry.recipe import Recipe


class MeshRequest(msgspec.Struct, frozen=True, tag="mesh"):
    """Asks for triangles within a tolerance [m]; the answer is the bytes of a Mesh."""

    recipe: Recipe
    tolerance: float


class PropertiesRequest(msgspec.Struct, frozen=True, tag="properties"):
    """Asks for volume, area, centroid and inertia; the answer is :class:`PropertiesAnswer`."""

    recipe: Recipe


class FacesRequest(msgspec.Struct, frozen=True, tag="faces"):
    """Asks for every face with its name, centre, normal and outline; the answer is a list of Face."""

    recipe: Recipe


class CheckRequest(msgspec.Struct, frozen=True, tag="check"):
    """Asks for the faults of the shape; the answer is a list of Fault."""

    recipe: Recipe


class StepRequest(msgspec.Struct, frozen=True, tag="step"):
    """Asks for the shape as a STEP file; the answer is a :class:`StepFile`."""

    recipe: Recipe


class AssemblyRequest(msgspec.Struct, frozen=True, tag="assembly"):
    """Asks for the parts of a STEP file (compressed); the answer is an :class:`Assembly`."""

    data: bytes


class StepAssemblyRequest(msgspec.Struct, frozen=True, tag="step-assembly"):
    """Asks for an assembly as a STEP file with names and colours; the answer is a :class:`StepFile`."""

    assembly: Assembly


class EdgeRequest(msgspec.Struct, frozen=True, tag="edge"):
    """Asks for the edge of two faces at places along it [m]; the answer is :class:`EdgeAnswer`."""

    recipe: Recipe
    first: str
    second: str
    piece: int
    """Which of the shared edges, counted from 1; 0 if there is only one."""
    places: tuple[float, ...] = ()


class RowsRequest(msgspec.Struct, frozen=True, tag="rows"):
    """Asks for rows over a face [m, rad]; the answer is a list of :class:`RowAnswer`."""

    recipe: Recipe
    face: str
    row: float
    spacing: float
    margin: float
    angle: float
    along: str


class BusyRequest(msgspec.Struct, frozen=True, tag="busy"):
    """Keeps the kernel busy for a number of seconds; for tests of cancelling and progress."""

    seconds: float


class CrashRequest(msgspec.Struct, frozen=True, tag="crash"):
    """Ends the process as a kernel bug would; for tests of restarting."""


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
    """An edge: its length [m], whether it is closed, and at each place the point [m], tangent and both normals."""

    length: float
    closed: bool
    points: Triples
    tangents: Triples
    first_normals: Triples
    second_normals: Triples


class RowAnswer(msgspec.Struct, frozen=True):
    """A row over a face: its number, whether it is closed, and its points [m], tangents and normals."""

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
    """Progress of the work: a fraction in 0…1 and a few words."""

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
