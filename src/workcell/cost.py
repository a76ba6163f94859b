"""What one command may cost: a number known before the work begins, and the bound that it must keep.

Every command whose work grows with a number that somebody types counts it first and asks the bound. The bounds are far
above what a cell needs; they keep a slip of the keyboard, or a client of a server, from filling the memory.
"""

from __future__ import annotations

import threading
from contextvars import ContextVar
from typing import NamedTuple

from workcell.errors import Cancelled, TooCostly


class Bound(NamedTuple):
    """How much is done at most, of what, and what to change to ask for less."""

    most: int
    unit: str
    advice: str

    def check(self, asked: float, what: str) -> None:
        """Refuse what would cost more, before it is paid."""
        if not asked <= self.most:  # also what is no number
            counted = f"{asked:.0f}" if asked < 1e15 else f"{asked:.3g}"
            raise TooCostly(
                f"{what} would be {counted} {self.unit}; at most {self.most} are made. {self.advice}",
                asked=float(asked),
                most=self.most,
            )


SAMPLES = Bound(400_000, "samples", "Take a wider `step`, or move less far at once.")
"""What one motion is recorded in."""
PLACES = Bound(20_000, "samples", "Move less far at once, with a smaller turn.")
"""What the motion of one free solid is recorded in."""
VALUES = Bound(10_000_000, "values", "Take a longer time between rows.")
"""What one table of a recording holds: its rows times its columns."""
PICTURES = Bound(20_000, "pictures", "Take fewer pictures a second, or a higher factor.")
"""What one film is made of."""
FRAMES = Bound(200_000, "samples", "Take fewer a second.")
"""What one animation is made of."""
PIXELS = Bound(33_000_000, "pixels", "Take a smaller size.")
"""What one picture has."""
SHAPES = Bound(20_000, "shapes", "Use fewer parts, or share them less deeply.")
"""What one thing is made of, a part that is used several times counted each time."""
STEPS = Bound(1_000_000, "steps", "Run the programs one after the other.")
"""What one run carries out, in all of its programs."""
CONTROL = Bound(5_000, "control points", "Use fewer points, or several curves.")
"""What one free-form curve has."""
NET = Bound(40_000, "control points", "Use fewer points, or several patches.")
"""What one free-form patch has."""
POSES = Bound(1_000_000, "poses", "Ask for fewer samples at once.")
"""What one request of a client samples: its times times the bodies of the scene."""


_cancel: ContextVar[threading.Event | None] = ContextVar("cancel", default=None)


class cancelled_by:
    """Let an event stop all that this thread waits for meanwhile, however deep it asks."""

    __slots__ = ("_event", "_token")

    def __init__(self, event: threading.Event | None) -> None:
        self._event = event

    def __enter__(self) -> None:
        self._token = _cancel.set(self._event)

    def __exit__(self, *_: object) -> None:
        _cancel.reset(self._token)


current_cancel = _cancel.get
"""``current_cancel()`` is what stops the work that this thread does, if anything can."""


def go_on(cancel: threading.Event | None, what: str) -> None:
    """Stop what was cancelled; long loops ask now and then."""
    if cancel is not None and cancel.is_set():
        raise Cancelled(f"{what} was cancelled.")
