"""Curves of poses as plain data, to be kept in files: the same curve to the last bit when it is read again."""

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
    """A curve as data; None when it has a section that is no formula, such as one that follows another machine."""
    sections = []
    for section in curve.sections:
        name = _NAMES.get(type(section))
        if name is None:
            return None
        sections.append((name, [_plain(getattr(section, field.name)) for field in dataclasses.fields(_KINDS[name])]))
    return CurveData(sections, list(curve.sharp))


def curve_of(data: CurveData) -> HandCurve:
    """What :func:`curve_data` made data of."""
    sections: list[Section] = []
    for name, values in data.sections:
        kind = _KINDS.get(name)
        if kind is None or len(values) != len(dataclasses.fields(kind)):
            raise InvalidValue(f"A curve has sections {', '.join(_KINDS)}; found {name!r} of {len(values)} values.")
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
