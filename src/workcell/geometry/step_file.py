"""Solids as a STEP file, with what is lost of them when it is read again."""

from __future__ import annotations

import math

import msgspec

from workcell.errors import Refused

NOTED = 1e-9
"""The change of volume, as a part of it, that is too small to be spoken of."""
MOST_CHANGE = 1e-6
"""The change of volume that is written only when asked for."""


class StepFile(msgspec.Struct, frozen=True):
    """The bytes of a STEP file, and by how much of its volume each part changes when they are read again."""

    data: bytes
    changes: tuple[float, ...]

    def checked(self, names: tuple[str, ...], inexact: bool = False) -> str:
        """What is lost, in words that go on from what was written; nothing when all parts survive.

        Args:
            names: what the parts are called.
            inexact: whether parts that change by more than a millionth are wanted; they are refused otherwise.
        """
        change, name = max(zip(self.changes, names, strict=True), default=(0.0, ""))
        if change <= NOTED:
            return ""
        many = sum(each > NOTED for each in self.changes)
        if change > MOST_CHANGE and not inexact:
            raise Refused(
                f"{name!r} would not survive STEP: read again, {_words(change)}, since the CAD kernel misreads its "
                "free-form faces. Write a mesh (.glb, .stl, .obj), make the solid in another way, or give --inexact "
                "to write it as it is.",
                solid=name,
                change=change,
                most=MOST_CHANGE,
            )
        others = f" (of {many} parts that change, this one most)" if many > 1 else ""
        return f"; read again, {_words(change)}{f' for {name!r}' if len(names) > 1 else ''}{others}"


def _words(change: float) -> str:
    if not math.isfinite(change):
        return "it is no solid"
    size = f"{change * 100:.2g} %" if change >= 1e-3 else f"{change:.1e} of itself"
    return f"its volume is off by {size}"
