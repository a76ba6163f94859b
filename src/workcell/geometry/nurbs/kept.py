"""A NURBS curve as a cell stores it: canonical text."""

from __future__ import annotations

from functools import lru_cache

import msgspec
import numpy as np

from workcell.errors import InvalidValue
from workcell.geometry.nurbs.curve import NurbsCurve


class KeptCurve(msgspec.Struct, frozen=True, tag_field="kind", tag="nurbs-curve", forbid_unknown_fields=True):
    """Control points [m], weights, clamped knots and the degree."""

    control: tuple[tuple[float, float, float], ...]
    weights: tuple[float, ...]
    knots: tuple[float, ...]
    degree: int


_READER = msgspec.json.Decoder(KeptCurve)


def curve_text(curve: NurbsCurve) -> str:
    """The ``shape`` of a curve entity: the same curve always gives the same text."""
    x = [(float(p[0]) + 0.0, float(p[1]) + 0.0, float(p[2]) + 0.0) for p in curve.control]
    kept = KeptCurve(tuple(x), tuple(curve.weights.tolist()), tuple(curve.knots.tolist()), curve.degree)
    return msgspec.json.encode(kept).decode()


@lru_cache(maxsize=256)
def curve_of(text: str) -> NurbsCurve:
    """The curve that a text describes; other text is refused with what is wrong."""
    try:
        kept = _READER.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidValue(f"The text is not a curve: {error}.") from error
    return NurbsCurve(np.array(kept.control), np.array(kept.weights), np.array(kept.knots), kept.degree)
