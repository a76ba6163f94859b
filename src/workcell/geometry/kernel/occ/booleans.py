"""Union, difference and intersection of exact shapes; the names of faces are carried through.

A result is only checked cheaply here (is every shell closed?). It is proved once, before anybody uses it, in
:mod:`workcell.geometry.kernel.occ.proof`.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from OCP.BRepAlgoAPI import BRepAlgoAPI_Common, BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse
from OCP.collections import List_TopoDS_Shape
from OCP.TopAbs import TopAbs_SOLID
from OCP.TopoDS import TopoDS

from workcell.errors import InvalidShape
from workcell.geometry.kernel.occ.topology import Built, Shape, closed, faces_of, items, shape_map

_MAKERS = {"add": BRepAlgoAPI_Fuse, "cut": BRepAlgoAPI_Cut, "common": BRepAlgoAPI_Common}
_WORDS = {"add": "union", "cut": "difference", "common": "intersection"}


class Empty(Exception):
    """An operation produced no solid."""


@dataclasses.dataclass(frozen=True)
class Way:
    """How booleans are done: the plain way first, others if it fails.

    Attributes:
        fuzzy: faces that are no farther apart than this count as touching [mm].
        turn: the angle by which round bodies are turned about their own axis before they are used [rad]: the same body,
            with the seam of its surface elsewhere.
        apart: whether several tools are applied one after the other.
        swapped: whether a union begins with its last part.
    """

    fuzzy: float = 0.0
    turn: float = 0.0
    apart: bool = False
    swapped: bool = False


PLAIN = Way()


def union(parts: list[Built], way: Way = PLAIN) -> Built:
    """Everything that is in any part."""
    return _chain(parts, "add", way)


def difference(parts: list[Built], way: Way = PLAIN) -> Built:
    """Everything that is in the first part and in no other."""
    return _chain(parts, "cut", way)


def intersection(parts: list[Built], way: Way = PLAIN) -> Built:
    """Everything that is in all parts, pair by pair: the kernel's own form intersects with the union of the tools."""
    return _chain(parts, "common", dataclasses.replace(way, apart=True))


def _chain(parts: list[Built], word: str, way: Way) -> Built:
    labelled = [("", parts[0])]
    labelled += [(f"{word}{number}:", part) for number, part in enumerate(parts[1:], start=1)]
    if way.swapped and word == "add":
        labelled.reverse()
    if not way.apart:
        return _run(labelled[0], labelled[1:], word, way.fuzzy)
    (label, result), *rest = labelled
    for one in rest:
        result, label = _run((label, result), [one], word, way.fuzzy), ""
    return result


def unsound(what: str) -> InvalidShape:
    """The error for an operation that gives no valid solid in any way; ``what`` is the operation."""
    return InvalidShape(
        f"The {what} of these solids is not valid, probably because some of their faces coincide or touch; "
        "move or resize one of them a little.",
        faults=("invalid result",),
    )


def _run(first: tuple[str, Built], others: list[tuple[str, Built]], word: str, fuzzy: float) -> Built:
    """One operation of the kernel; each part comes with the prefix for the names of its faces."""
    labelled = [first, *others]
    operation = _MAKERS[word]()
    operation.SetArguments(_shapes([first]))
    operation.SetTools(_shapes(others))
    operation.SetRunParallel(False)
    operation.SetNonDestructive(True)
    # Solids that were made here are known not to be inside out; solids from files may be.
    operation.SetCheckInverted(not all(part.outward for _, part in labelled))
    if fuzzy:
        operation.SetFuzzyValue(fuzzy)
    operation.Build()
    if not operation.IsDone():
        raise unsound(_WORDS[word])
    shape = operation.Shape()
    solids = shape_map(shape, TopAbs_SOLID)
    if not solids.Extent():
        raise Empty
    if not closed(shape):
        raise unsound(_WORDS[word])
    if solids.Extent() == 1:
        shape = TopoDS.Solid(solids.FindKey(1))
    return Built(shape, _names(operation, shape, labelled, word))


def _names(operation: Any, shape: Shape, labelled: list[tuple[str, Built]], word: str) -> tuple[str, ...]:
    numbers = shape_map(shape)
    names = [""] * numbers.Extent()
    for label, part in labelled:
        for name, face in zip(part.names, faces_of(part.shape), strict=True):
            for piece in _pieces(operation, face):
                place = numbers.FindIndex(piece)
                if place and not names[place - 1]:
                    names[place - 1] = label + name
    return tuple(name or f"{word}:new" for name in names)


def _pieces(operation: Any, face: Shape) -> list[Shape]:
    pieces = items(operation.Modified(face))
    return pieces or ([] if operation.IsDeleted(face) else [face])


def _shapes(parts: list[tuple[str, Built]]) -> Any:
    result = List_TopoDS_Shape()
    for _, part in parts:
        result.Append(part.shape)
    return result
