"""Bounds on what one command may cost. Each command counts its work before it begins.

Every command whose work grows with a number that somebody types counts the work first and checks it against a bound.
The bounds are far above what a cell needs. They stop a typing error, or a client of a server, from filling the memory.
"""

from __future__ import annotations

import threading
from contextvars import ContextVar
from typing import NamedTuple

from workcell.errors import Cancelled, TooCostly


class Bound(NamedTuple):
    """The most work that is allowed, its unit, and advice on how to ask for less."""

    most: int
    unit: str
    advice: str

    def check(self, asked: float, what: str) -> None:
        """Refuse work that would cost more than the bound, before it begins."""
        if not asked <= self.most:  # also refuses NaN
            counted = f"{asked:.0f}" if asked < 1e15 else f"{asked:.3g}"
            raise TooCostly(
                f"{what} would be {counted} {self.unit}; at most {self.most} are allowed. {self.advice}",
                asked=float(asked),
                most=self.most,
            )


SAMPLES = Bound(400_000, "samples", "Take a wider `step`, or move less far at once.")
"""The samples of one recorded motion."""
PLACES = Bound(20_000, "samples", "Move less far at once, with a smaller turn.")
"""The samples of one recorded motion of a free solid."""
VALUES = Bound(10_000_000, "values", "Take a longer time between rows.")
"""The values of one table of a recording: rows times columns."""
PICTURES = Bound(20_000, "pictures", "Take fewer pictures per second, or a higher factor.")
"""The pictures of one film."""
FRAMES = Bound(200_000, "samples", "Take fewer samples per second.")
"""The samples of one animation."""
PIXELS = Bound(33_000_000, "pixels", "Take a smaller size.")
"""The pixels of one picture."""
SHAPES = Bound(20_000, "shapes", "Use fewer parts, or share them less deeply.")
"""The shapes of one thing. A part that is used several times counts each time."""
STEPS = Bound(1_000_000, "steps", "Run the programs one after the other.")
"""The steps that one run carries out, in all of its programs."""
CONTROL = Bound(5_000, "control points", "Use fewer points, or several curves.")
"""The control points of one free-form curve."""
NET = Bound(40_000, "control points", "Use fewer points, or several patches.")
"""The control points of one free-form patch."""
TRACE = Bound(10_000, "points", "Take a wider spacing.")
"""The points along one edge or curve, or of all rows over one face."""
ROWS = Bound(1_000, "rows", "Take a greater distance between rows.")
"""The rows over one face."""
POSES = Bound(1_000_000, "poses", "Ask for fewer samples at once.")
"""The poses that one request of a client samples: its times multiplied by the bodies of the scene."""


_cancel: ContextVar[threading.Event | None] = ContextVar("cancel", default=None)


class cancelled_by:
    """Let an event cancel everything that this thread does inside the block, at any depth."""

    __slots__ = ("_event", "_token")

    def __init__(self, event: threading.Event | None) -> None:
        self._event = event

    def __enter__(self) -> None:
        self._token = _cancel.set(self._event)

    def __exit__(self, *_: object) -> None:
        _cancel.reset(self._token)


current_cancel = _cancel.get
"""``current_cancel()`` returns the event that cancels the work of this thread, or None."""


def go_on(cancel: threading.Event | None, what: str) -> None:
    """Raise `Cancelled` if the work was cancelled. Long loops call this now and then."""
    if cancel is not None and cancel.is_set():
        raise Cancelled(f"{what} was cancelled.")
