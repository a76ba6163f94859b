"""Descriptors of arms as the guidance thesis writes them: what is fixed, and the number of links."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from workcell.errors import InvalidValue
from workcell.planning.guidance.links import Bound, LinkArm

Fixed: TypeAlias = Mapping[tuple[str, int], float | None]
"""Values by parameter and link; None is a length that is fixed at whatever it is."""

_LETTERS = {"α": "α", "alpha": "α", "alfa": "α", "θ": "θ", "theta": "θ", "a": "a"}
_PART = re.compile(r"(?P<delta>Δ|∆|delta|d)?(?P<letter>α|alpha|alfa|θ|theta|a)_?(?P<link>\d+)=(?P<value>[^=]+)")
_NUMBER = re.compile(r"(?P<number>[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?)(?P<unit>°|deg|rad)?")
_BASE = {"ay": "y", "a_y": "y", "az": "z", "a_z": "z"}
_FORM = "A descriptor is written like (α1=0°, θ2=90°, Δa3=0, 5)"
_MOST = 100


@dataclass(frozen=True)
class Descriptor:
    """Which parameters of an arm are fixed.

    Attributes:
        n: how many links are not clamped to the ground.
        fixed: the values of fixed parameters by letter (a, α, θ) and link [length or rad].
        base: along which axes the base moves, of ``y`` and ``z``; the thesis' figure 5.
    """

    n: int
    fixed: Fixed
    base: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.n <= _MOST:
            raise InvalidValue(f"The number of links of a descriptor is from 1 to {_MOST}; found {self.n}.")
        for letter, link in self.fixed:
            most = self.n + 1 if letter == "a" else self.n
            if not 1 <= link <= most:
                raise InvalidValue(
                    f"{letter}{link} is fixed, but an arm of {self.n} links has {letter}1 to {letter}{most}."
                )
        object.__setattr__(self, "fixed", MappingProxyType(dict(sorted(self.fixed.items(), key=_place))))

    def __hash__(self) -> int:
        return hash((self.n, tuple(self.fixed.items()), self.base))

    @classmethod
    def read(cls, text: str) -> Descriptor:
        """Return what a text describes; letters may be Greek or spelled out (alpha1=0deg), indices may have a `_`."""
        inner = text.strip()
        if not (inner.startswith("(") and inner.endswith(")")):
            raise InvalidValue(f"{_FORM}; found {text!r}.")
        parts = ["".join(part.split()) for part in inner[1:-1].split(",")]
        if not parts[-1].isdigit():
            raise InvalidValue(f"A descriptor ends with its number of links; found {parts[-1]!r} in {text!r}.")
        fixed: dict[tuple[str, int], float | None] = {}
        base = []
        for part in parts[:-1]:
            if part in _BASE:
                base.append(_BASE[part])
                continue
            key, value = _read_part(part, text)
            if key in fixed:
                raise InvalidValue(f"{key[0]}{key[1]} is fixed twice in {text!r}.")
            fixed[key] = value
        return cls(int(parts[-1]), fixed, tuple(sorted(set(base))))

    @classmethod
    def of(cls, arm: LinkArm) -> Descriptor:
        """Return the descriptor of an arm."""
        fixed: dict[tuple[str, int], float | None] = {}
        for name, low, high in zip(arm.names[:-2], arm.low, arm.high, strict=False):
            if low == high:
                letter, link = name.split("_")
                fixed[letter, int(link)] = None if letter == "a" and low != 0.0 else float(low)
        return cls(arm.n, fixed, tuple(axis for axis, moves in zip("yz", arm.moves[-2:], strict=True) if moves))

    def __str__(self) -> str:
        parts = [_written(key, value) for key, value in self.fixed.items()] + [f"a{axis}" for axis in self.base]
        return f"({', '.join([*parts, str(self.n)])})"

    def arm(
        self,
        lengths: Sequence[Bound],
        turns: tuple[float, float] = (-math.pi, math.pi),
        base: tuple[float, float] = (-math.inf, math.inf),
        half_thickness: ArrayLike = 0.0,
    ) -> LinkArm:
        """Return an arm that fits the descriptor.

        Args:
            lengths: of all links (N+1): a number where the length is fixed, a pair of bounds where it is free.
            turns: bounds of free twists and rotations [rad].
            base: bounds of the base where it moves.
            half_thickness: of the links.
        """
        if len(lengths) != self.n + 1:
            raise InvalidValue(f"{self} has {self.n + 1} lengths; found {len(lengths)}.")
        found: list[Bound] = []
        for link, given in enumerate(lengths, start=1):
            if ("a", link) not in self.fixed:
                if not isinstance(given, tuple):
                    raise InvalidValue(f"a{link} of {self} is free: give its least and its greatest value.")
                found.append(given)
                continue
            known = self.fixed["a", link]
            if isinstance(given, tuple) or given is None or (known is not None and given != known):
                wanted = "one value" if known is None else f"{known:g}"
                raise InvalidValue(f"a{link} of {self} is fixed: give {wanted}; found {given!r}.")
            found.append(given)
        twists: list[Bound] = [self.fixed.get(("α", i), turns) for i in range(1, self.n + 1)]
        rotations: list[Bound] = [self.fixed.get(("θ", i), turns) for i in range(1, self.n + 1)]
        return LinkArm.of(
            found,
            twists,
            rotations,
            (base if "y" in self.base else 0.0, base if "z" in self.base else 0.0),
            np.asarray(half_thickness, float),
        )


def _place(item: tuple[tuple[str, int], float | None]) -> tuple[int, int]:
    (letter, link), _ = item
    return link, "aαθ".index(letter)


def _read_part(part: str, text: str) -> tuple[tuple[str, int], float | None]:
    found = _PART.fullmatch(part)
    value = None if found is None else _NUMBER.fullmatch(found["value"])
    if found is None or value is None:
        raise InvalidValue(f"{_FORM}; found {part!r} in {text!r}.")
    letter, number = _LETTERS[found["letter"]], float(value["number"])
    if found["delta"]:
        if letter != "a" or number != 0.0:
            raise InvalidValue(f"Δ marks a length that does not change, as in Δa3=0; found {part!r} in {text!r}.")
        return (letter, int(found["link"])), None
    if letter == "a":
        if value["unit"]:
            raise InvalidValue(f"A length has no angle unit; found {part!r} in {text!r}.")
        return (letter, int(found["link"])), number
    return (letter, int(found["link"])), number if value["unit"] == "rad" else math.radians(number)


def _written(key: tuple[str, int], value: float | None) -> str:
    letter, link = key
    if value is None:
        return f"Δa{link}=0"
    if letter == "a":
        return f"a{link}={value!r}" if value != int(value) else f"a{link}={int(value)}"
    shown = round(math.degrees(value), 9)
    if math.radians(shown) != value:
        return f"{letter}{link}={value!r}rad"
    return f"{letter}{link}={shown:.12g}°"


HUMANOID = Descriptor.read("(a1=0, α1=0°, Δa2=0, α2=90°, Δa3=0, α3=0°, Δa4=0, Δa5=0, 4)")
"""The humanoid type manipulator of the thesis' figure 2."""
UNIMATE = Descriptor.read("(Δa1=0, α1=0°, α2=90°, Δa2=0, Δa4=0, 3)")
"""The Unimate type manipulator of the thesis' figure 3: its third link extends."""
