"""Solids as a STEP file, with their loss when it is read again."""

from __future__ import annotations

import math

import msgspec

from workcell.errors import Refused

NOTED = 1e-9
"""The share of the volume that may change without being reported."""
MOST_CHANGE = 1e-6
"""The share of the volume that may change without ``inexact``."""


class StepFile(msgspec.Struct, frozen=True):
    """The bytes of a STEP file, and the share of each part's volume that changes when they are read again."""

    data: bytes
    changes: tuple[float, ...]

    def checked(self, names: tuple[str, ...], inexact: bool = False) -> str:
        """Return the loss in words that follow a description of the file; empty if all parts survive.

        Args:
            names: the names of the parts.
            inexact: whether to accept parts that change by more than a millionth; otherwise they are refused.
        """
        change, name = max(zip(self.changes, names, strict=True), default=(0.0, ""))
        if change <= NOTED:
            return ""
        many = sum(each > NOTED for each in self.changes)
        if change > MOST_CHANGE and not inexact:
            raise Refused(
                f"{name!r} would not survive STEP: read again, {_words(change)}, because the CAD kernel misreads its "
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
        return "it is not a solid"
    size = f"{change * 100:.2g} %" if change >= 1e-3 else f"{change:.1e} of itself"
    return f"its volume is off by {size}"
