"""Union, difference and intersection of exact shapes, with the names of faces carried through."""

from __future__ import annotations

from typing import Any

from OCP.BRep import BRep_Tool
from OCP.BRepAlgoAPI import BRepAlgoAPI_Common, BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse
from OCP.BRepCheck import BRepCheck_Analyzer
from OCP.collections import List_TopoDS_Shape
from OCP.TopAbs import TopAbs_SHELL, TopAbs_SOLID
from OCP.TopoDS import TopoDS

from workcell.errors import InvalidShape
from workcell.geometry.kernel.occ.topology import Built, Shape, faces_of, items, shape_map


def union(parts: list[Built]) -> Built:
    """All that is in any part."""
    return _run(BRepAlgoAPI_Fuse, parts[:1], parts[1:], "add")


def difference(parts: list[Built]) -> Built:
    """What is in the first part and in no other."""
    return _run(BRepAlgoAPI_Cut, parts[:1], parts[1:], "cut")


def intersection(parts: list[Built]) -> Built:
    """What is in every part: pair by pair, since the kernel's own form intersects with the union of the tools."""
    result = parts[0]
    for number, part in enumerate(parts[1:], start=1):
        result = _run(BRepAlgoAPI_Common, [result], [part], "common", number)
    return result


_FUZZY = (0.0, 1e-4, 1e-3)
"""How far apart faces may lie and still be taken for touching [mm], tried in turn until the result is valid."""


def _run(make: Any, first: list[Built], second: list[Built], word: str, start: int = 1) -> Built:
    for fuzzy in _FUZZY:
        made = _attempt(make(), first, second, word, start, fuzzy)
        if made is not None:
            return made
    what = {"cut": "difference", "common": "intersection", "add": "union"}[word]
    raise InvalidShape(
        f"The {what} of these solids does not come out valid, probably because faces of theirs coincide or touch; "
        "move or resize one by a little.",
        faults=("invalid result",),
    )


def _sound(shape: Shape) -> bool:
    shells = shape_map(shape, TopAbs_SHELL)
    closed = all(BRep_Tool.IsClosed_s(shells.FindKey(i)) for i in range(1, shells.Extent() + 1))
    return closed and bool(BRepCheck_Analyzer(shape).IsValid())


def _attempt(
    operation: Any, first: list[Built], second: list[Built], word: str, start: int, fuzzy: float
) -> Built | None:
    """One try; None when the result is not a valid solid."""
    operation.SetArguments(_shapes(first))
    operation.SetTools(_shapes(second))
    operation.SetRunParallel(False)
    operation.SetNonDestructive(True)
    if fuzzy:
        operation.SetFuzzyValue(fuzzy)
    operation.Build()
    if not operation.IsDone():
        return None
    shape = operation.Shape()
    solids = shape_map(shape, TopAbs_SOLID)
    if not solids.Extent():
        what = {"cut": "difference", "common": "intersection", "add": "union"}[word]
        raise InvalidShape(f"Nothing is left: the {what} of these solids is empty.", faults=("empty",))
    if not _sound(shape):
        return None
    if solids.Extent() == 1:
        shape = TopoDS.Solid(solids.FindKey(1))
    numbers = shape_map(shape)
    names = [""] * numbers.Extent()
    labelled = [("", part) for part in first]
    labelled += [(f"{word}{number}:", part) for number, part in enumerate(second, start=start)]
    for label, part in labelled:
        for name, face in zip(part.names, faces_of(part.shape), strict=True):
            for piece in _pieces(operation, face):
                place = numbers.FindIndex(piece)
                if place and not names[place - 1]:
                    names[place - 1] = label + name
    return Built(shape, tuple(name or f"{word}:new" for name in names))


def _pieces(operation: Any, face: Shape) -> list[Shape]:
    pieces = items(operation.Modified(face))
    return pieces or ([] if operation.IsDeleted(face) else [face])


def _shapes(parts: list[Built]) -> Any:
    result = List_TopoDS_Shape()
    for part in parts:
        result.Append(part.shape)
    return result
