"""Union, difference and intersection of exact shapes, with the names of faces carried through."""

from __future__ import annotations

from typing import Any

from OCP.BRepAlgoAPI import BRepAlgoAPI_Common, BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse
from OCP.collections import List_TopoDS_Shape
from OCP.TopAbs import TopAbs_SOLID
from OCP.TopoDS import TopoDS

from workcell.errors import GeometryError, InvalidShape
from workcell.geometry.kernel.occ.topology import Built, Shape, faces_of, shape_map


def union(parts: list[Built]) -> Built:
    """All that is in any part."""
    return _run(BRepAlgoAPI_Fuse(), parts[:1], parts[1:], "add")


def difference(parts: list[Built]) -> Built:
    """What is in the first part and in no other."""
    return _run(BRepAlgoAPI_Cut(), parts[:1], parts[1:], "cut")


def intersection(parts: list[Built]) -> Built:
    """What is in every part: pair by pair, since the kernel's own form intersects with the union of the tools."""
    result = parts[0]
    for number, part in enumerate(parts[1:], start=1):
        result = _run(BRepAlgoAPI_Common(), [result], [part], "common", number)
    return result


def _run(operation: Any, first: list[Built], second: list[Built], word: str, start: int = 1) -> Built:
    operation.SetArguments(_shapes(first))
    operation.SetTools(_shapes(second))
    operation.SetRunParallel(False)
    operation.SetNonDestructive(True)
    operation.Build()
    if not operation.IsDone():
        raise GeometryError(f"The CAD kernel could not {word} these solids; try moving one by a little.")
    shape = operation.Shape()
    solids = shape_map(shape, TopAbs_SOLID)
    if not solids.Extent():
        what = {"cut": "difference", "common": "intersection", "add": "union"}[word]
        raise InvalidShape(f"Nothing is left: the {what} of these solids is empty.", faults=("empty",))
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
    pieces = list(operation.Modified(face))
    return pieces or ([] if operation.IsDeleted(face) else [face])


def _shapes(parts: list[Built]) -> Any:
    result = List_TopoDS_Shape()
    for part in parts:
        result.Append(part.shape)
    return result
