"""The lines of the programs that ran, as a recording keeps them: a program may be edited after its run."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class RanText(msgspec.Struct, frozen=True, array_like=True):
    """The lines of a program when it ran.

    Attributes:
        since: how many steps were recorded before; the text holds from the next one on.
        program: the name of the program.
        text: its lines.
        units: the units of its bare numbers (JSON).
        entity: its id in the cell; 0 if it is not known.
    """

    since: int
    program: str
    text: str
    units: str = ""
    entity: int = 0


def text_at(texts: Sequence[RanText], program: str, number: int) -> RanText | None:
    """Return the lines of a program when a step ran, by the number of the step; None if they are not known."""
    return next((one for one in reversed(texts) if one.program == program and one.since <= number), None)
