"""The orientation table: the joint frames that can be chosen when a robot is built from nothing.

Ding's files name the frames of a robot by seven numbers, joint · 10 + type. The figure that drew the types
is lost. Only one use survives (12 22 34 42 51 62 72 for the IRB 6400, with its DH rows), so the table below is a
decision: every joint has a menu of turns (theta, alpha) from the frame before, ordered so that the surviving
numbers mean the surviving rows. Joint 1 is the base frame, joint 7 the hand.
"""

from __future__ import annotations

import math

from workcell.errors import InvalidValue
from workcell.spatial.units import deg

Turn = tuple[float, float]
"""theta and alpha [deg]."""

_BASE: tuple[Turn, ...] = tuple((theta, alpha) for alpha in (0, 180) for theta in (0, 90, 180, -90))
_SHOULDER: tuple[Turn, ...] = tuple((theta, alpha) for theta in (0, 90, 180, -90) for alpha in (90, -90))
_ELBOW: tuple[Turn, ...] = tuple((theta, alpha) for alpha in (0, 180) for theta in (0, 180, -90, 90))
_WRIST: tuple[Turn, ...] = tuple((theta, alpha) for theta in (0, 180, 90, -90) for alpha in (-90, 90))
_HAND: tuple[Turn, ...] = tuple((theta, alpha) for alpha in (0, 180) for theta in (180, 0, 90, -90))

MENUS: dict[int, tuple[Turn, ...]] = {1: _BASE, 2: _SHOULDER, 3: _ELBOW, 4: _WRIST, 5: _WRIST, 6: _WRIST, 7: _HAND}
"""For joint frames 1 (base) … 7 (hand), the turns of type 1 … 8 [deg]."""


def turn_of(code: int) -> Turn:
    """Theta and alpha [rad] of a code such as 34: joint frame 3, type 4."""
    joint, kind = divmod(int(code), 10)
    if joint not in MENUS:
        raise InvalidValue(f"A frame code begins with the joint, 1 (base) to 7 (hand); found {code}.", code=code)
    menu = MENUS[joint]
    if not 1 <= kind <= len(menu):
        raise InvalidValue(f"Joint frame {joint} has the types 1 to {len(menu)}; found {kind} in {code}.", code=code)
    theta, alpha = menu[kind - 1]
    return theta * deg, alpha * deg


def code_of(joint: int, theta: float, alpha: float) -> int:
    """The code of a turn [rad] for joint frame 1 … 7; type 0 if it is not in the table."""
    if joint not in MENUS:
        raise InvalidValue(f"Joint frames are counted from 1 (base) to 7 (hand); found {joint}.", joint=joint)
    for kind, turn in enumerate(MENUS[joint], start=1):
        if all(_same(have * deg, want) for have, want in zip(turn, (theta, alpha), strict=True)):
            return 10 * joint + kind
    return 10 * joint


def _same(a: float, b: float) -> bool:
    return abs(math.remainder(a - b, math.tau)) < 1e-9


def table() -> str:
    """The whole table as text, with one line for each code."""
    lines = ["code  theta  alpha   (degrees, from the frame before; joint 1 is the base, 7 the hand)"]
    for joint, menu in MENUS.items():
        lines += [f"{10 * joint + kind:4d}  {turn[0]:5g}  {turn[1]:5g}" for kind, turn in enumerate(menu, start=1)]
    return "\n".join(lines)
