"""Colours: names and codes, linear light for shading, and matching palettes."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue, UnknownName

Colour = tuple[float, float, float]
"""Red, green and blue as on a screen (sRGB), each from 0 to 1."""

COLOURS: dict[str, str] = {
    "white": "#f4f5f6",
    "light grey": "#c9ced4",
    "grey": "#8f979f",
    "dark grey": "#4a5058",
    "black": "#23262a",
    "red": "#c8402f",
    "orange": "#e8842a",
    "yellow": "#f0c03a",
    "green": "#4f9d55",
    "teal": "#2f9a94",
    "blue": "#3b78b8",
    "navy": "#2b4468",
    "purple": "#7d5ba6",
    "pink": "#d9799a",
    "brown": "#8a6245",
    "wood": "#c79c6c",
    "steel": "#a9b4bf",
    "aluminium": "#d3d8dc",
}
"""The named colours."""

PALETTE: tuple[Colour, ...] = tuple(
    tuple(int(COLOURS[name][i : i + 2], 16) / 255.0 for i in (1, 3, 5))  # type: ignore[misc]
    for name in ("blue", "orange", "teal", "yellow", "purple", "green", "red", "steel")
)
"""Colours that are easy to distinguish, for things without a colour of their own."""


def colour(value: str | ArrayLike) -> Colour:
    """A colour from a name, from ``#rrggbb``, or from three numbers between 0 and 1."""
    if isinstance(value, str):
        text = value.strip().lower()
        code = COLOURS.get(text, text)
        if code.startswith("#") and len(code) == 7:
            try:
                parts = [int(code[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
            except ValueError:
                raise InvalidValue(f"A colour code is # and six hexadecimal digits; found {value!r}.") from None
            return parts[0], parts[1], parts[2]
        raise UnknownName.among("colour", value, COLOURS, "A code such as #3b78b8 works too.")
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != (3,) or not np.isfinite(array).all() or array.min() < 0.0 or array.max() > 1.0:
        raise InvalidValue(f"A colour is a name, #rrggbb or three numbers from 0 to 1; found {value!r}.")
    return float(array[0]), float(array[1]), float(array[2])


def to_linear(values: ArrayLike) -> NDArray[np.float64]:
    """Screen values (sRGB, 0 to 1) as linear light, where adding lights is adding numbers."""
    c = np.asarray(values, dtype=np.float64)
    return np.where(c <= 0.04045, c / 12.92, ((np.maximum(c, 0.04045) + 0.055) / 1.055) ** 2.4)


@functools.lru_cache(maxsize=4096)
def linear(value: Colour) -> NDArray[np.float64]:
    """One colour as linear light, read-only."""
    light = to_linear(value)
    light.flags.writeable = False
    return light


def to_screen(values: ArrayLike) -> NDArray[np.float64]:
    """Linear light (0 to 1) as screen values (sRGB)."""
    c = np.asarray(values, dtype=np.float64)
    return np.where(c <= 0.0031308, c * 12.92, 1.055 * np.maximum(c, 0.0031308) ** (1.0 / 2.4) - 0.055)


BYTES: NDArray[np.uint16] = np.round(255.0 * 256.0 * to_screen(np.linspace(0.0, 1.0, 8192))).astype(np.uint16)
"""Linear light in steps of 1/8191 as screen values, in 256ths of a byte."""


def to_bytes(light: ArrayLike) -> NDArray[np.uint8]:
    """Linear light (0 to 1) as screen bytes."""
    index = np.asarray(np.minimum(np.asarray(light) * (len(BYTES) - 1), len(BYTES) - 1)).astype(np.uint16)
    return ((BYTES[index] + np.uint16(128)) >> np.uint16(8)).astype(np.uint8)
