"""The constants of the guidance: how fast, how hard obstacles push, and which of two readings of the thesis holds."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue, UnknownName

Pull: TypeAlias = Literal["listing", "proportional"]
Reading: TypeAlias = Literal["corrected", "listing"]

_WORDS = {
    "speed": "The speed of the pull",
    "top_up": "The greatest part of the speed that the pull adds",
    "reach": "The distance at which obstacles begin to push",
    "power": "The power of the push",
    "sharing": "The divisor of two influences on one end point",
    "gain": "The gain of the proportional pull",
    "sine_floor": "The least sine of a rotation",
    "twist_cap": "The greatest rate of a twist",
    "scale_cap": "The greatest scale of the second end point's velocity",
    "rate_cap": "The greatest rate of a parameter",
}


@dataclass(frozen=True)
class Constants:
    """Constants of the guidance; the values of the thesis' listing by default.

    Attributes:
        speed: how fast the tip is drawn to its destination (DUM).
        top_up: how much of the speed the pull may add at most where obstacles push the other way (CT).
        reach: the distance from an obstacle's surface at which its push begins (H).
        power: of the distance in the push f(d) = 2h(h−d)/dⁿ (N).
        sharing: by what the sum of the influences of two links on one end point is divided (DED).
        pull: ``listing`` draws the tip at a speed; ``proportional`` draws it in proportion to the distance (eq 2-19).
        gain: of the proportional pull (b of eq 2-19).
        reading: ``corrected`` follows the text of the thesis without its mistakes; ``listing`` follows its program.
        sine_floor: sines of rotations are taken to be at least this large where the rate of a twist is computed.
        twist_cap: the greatest rate of a twist.
        scale_cap: the greatest scale of eq 2-36, which has no bound where links 2 and 3 are in line.
        rate_cap: the greatest rate of all; greater ones slow all rates down together, so the direction stays.
    """

    speed: float = 0.4
    top_up: float = 2.0
    reach: float = 0.4
    power: float = 3.0
    sharing: float = 2.0
    pull: Pull = "listing"
    gain: float = 1.0
    reading: Reading = "corrected"
    sine_floor: float = 0.05
    twist_cap: float = 3.0
    scale_cap: float = math.inf
    rate_cap: float = 10.0

    def __post_init__(self) -> None:
        for name, words in _WORDS.items():
            value = getattr(self, name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or math.isnan(value) or value <= 0.0:
                raise InvalidValue(f"{words} is a number above zero; found {value!r}.")
            if math.isinf(value) and not name.endswith("_cap"):
                raise InvalidValue(f"{words} is finite; found {value!r}.")
        for name, choices in (("pull", get_args(Pull)), ("reading", get_args(Reading))):
            if getattr(self, name) not in choices:
                raise UnknownName.among(name, str(getattr(self, name)), choices)

    @property
    def row(self) -> NDArray[np.float64]:
        """The constants as the compiled step reads them."""
        return np.array(
            [
                self.speed,
                self.top_up,
                self.reach,
                self.power,
                self.sharing,
                self.gain,
                float(self.pull == "proportional"),
                float(self.reading == "listing"),
                self.sine_floor,
                self.twist_cap,
                min(self.scale_cap, 1e300),
            ]
        )

    def as_data(self) -> dict[str, float | str]:
        """The constants by name; what differs from the defaults only."""
        return {one.name: getattr(self, one.name) for one in fields(self) if getattr(self, one.name) != one.default}
