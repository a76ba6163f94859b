"""The layout of values: their classes, and the fields of these.

Data that is stored under the identity of its content can be compared only by a Workcell whose classes have the same
fields.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, get_args, get_type_hints

import msgspec

from workcell.geometry.recipe import kernel_version
from workcell.world.identity import identity
from workcell.world.state import CellState


@lru_cache(maxsize=1)
def workcell_version() -> str:
    """The version of Workcell that is installed."""
    try:
        return importlib.metadata.version("workcell")
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


@lru_cache(maxsize=8)
def layout(roots: tuple[type, ...]) -> str:
    """The identity of the fields of some classes and of everything that they contain, and of the CAD kernel."""
    return identity((sorted((kind.__name__, list(_hints(kind))) for kind in classes_in(roots)), kernel_version()))


def classes_in(roots: Iterable[type]) -> set[type]:
    """Some classes, and all classes that their fields may contain."""
    known: set[type] = set()
    waiting = list(roots)
    while waiting:
        kind = waiting.pop()
        if kind not in known:
            known.add(kind)
            waiting += [one for hint in _hints(kind).values() for one in _classes(hint)]
    return known


def _hints(kind: type[Any]) -> dict[str, Any]:
    if issubclass(kind, msgspec.Struct):
        names: Iterable[str] = kind.__struct_fields__
    elif kind is CellState:
        names = CellState.__slots__
    else:
        names = [field.name for field in dataclasses.fields(kind)]
    hints = get_type_hints(kind)
    return {name: hints[name] for name in names}


def _classes(hint: Any) -> Iterable[type]:
    """The classes with stated fields in a type: those of a union, of the items of a row."""
    if isinstance(hint, type) and (dataclasses.is_dataclass(hint) or issubclass(hint, msgspec.Struct | CellState)):
        yield hint
    for one in get_args(hint):
        yield from _classes(one)
