"""What can be asked of the CAD process, and how questions and answers cross."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

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
    """The shape as a STEP file; the answer is its bytes."""

    recipe: Recipe


class BusyRequest(msgspec.Struct, frozen=True, tag="busy"):
    """Work hard in the kernel for so many seconds; what tests of cancelling and progress use."""

    seconds: float


class CrashRequest(msgspec.Struct, frozen=True, tag="crash"):
    """Die as a kernel bug would; what tests of restarting use."""


Request: TypeAlias = (
    MeshRequest | PropertiesRequest | FacesRequest | CheckRequest | StepRequest | BusyRequest | CrashRequest
)


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
