"""Curves of poses as plain data for files; a curve that is read again is the same to the last bit."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec
import numpy as np

from workcell.errors import InvalidValue
from workcell.motion.curve import Circle, Corner, HandCurve, Section, Straight

_KINDS: dict[str, type[Any]] = {"straight": Straight, "corner": Corner, "circle": Circle}
_NAMES = {kind: name for name, kind in _KINDS.items()}


class CurveData(msgspec.Struct, frozen=True, array_like=True):
    """A curve: the kind and the numbers of every section, and where its direction jumps."""

    sections: list[tuple[str, list[Any]]]
    sharp: list[bool]


def curve_data(curve: HandCurve) -> CurveData | None:
    """A curve as data; None if it has a section without a formula, such as one that follows another machine."""
    sections = []
    for section in curve.sections:
        name = _NAMES.get(type(section))
        if name is None:
            return None
        sections.append((name, [_plain(getattr(section, field.name)) for field in dataclasses.fields(_KINDS[name])]))
    return CurveData(sections, list(curve.sharp))


def curve_of(data: CurveData) -> HandCurve:
    """The curve that :func:`curve_data` made the data from."""
    sections: list[Section] = []
    for name, values in data.sections:
        kind = _KINDS.get(name)
        if kind is None or len(values) != len(dataclasses.fields(kind)):
            raise InvalidValue(
                f"The sections of a curve must be {', '.join(_KINDS)}; found {name!r} of {len(values)} values."
            )
        sections.append(kind(*(_rich(value) for value in values)))
    return HandCurve(tuple(sections), tuple(data.sharp))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return {"pair": [_plain(one) for one in value]}
    return value.tolist() if isinstance(value, np.ndarray) else float(value)


def _rich(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(_rich(one) for one in value["pair"])
    return np.array(value, dtype=np.float64) if isinstance(value, list) else float(value)
