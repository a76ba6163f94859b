"""The shapes of suction tools and magnets: an adapter on the flange, a column, a plate, stems, and the pads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workcell.geometry.solid import Solid
from workcell.robots.link import Colour, Part
from workcell.robots.shape_parts import box, tube
from workcell.spatial.pose import Pose

Triple = tuple[float, float, float]
Pad = tuple[Triple, float, float]
"""The middle of a pad's face, its diameter and its stroke [m]."""

STEEL: Colour = (0.30, 0.32, 0.35)
ALUMINIUM: Colour = (0.74, 0.76, 0.79)
STEM: Colour = (0.55, 0.57, 0.60)
RUBBER: Colour = (0.16, 0.38, 0.62)
POLE: Colour = (0.72, 0.16, 0.14)
_PRESSED = 0.5e-3
"""The collision shape of a magnet is shorter by this, because the magnet touches the part that it holds [m]."""


def cup_height(z: float, diameter: float, stroke: float) -> float:
    """The drawn height of a cup from its rim to its stem [m]."""
    return float(min(0.35 * diameter + 0.6 * stroke, 0.45 * z))


def pad_carrier(pads: Sequence[Pad], X_flange_mount: Pose) -> tuple[Part, ...]:
    """The parts that carry pads, in the flange frame: adapter, column, plate and a stem to each pad."""
    places = np.array([xyz for xyz, _, _ in pads])
    sizes = np.array([diameter for _, diameter, _ in pads])
    shortest = float(places[:, 2].min())
    tops = [xyz[2] - cup_height(xyz[2], diameter, stroke) for xyz, diameter, stroke in pads]
    under = 0.62 * min(tops)
    thick = min(0.016, 0.25 * under)
    radius = min(0.031, 0.3 * shortest if len(pads) > 1 else max(0.5 * float(sizes.max()), 0.018))
    adapter = min(0.012, 0.3 * (under - thick))
    parts = [_part(tube((0, 0, 0), (0, 0, adapter), radius), STEEL, "adapter")]
    alone = len(pads) == 1 and float(np.hypot(*places[0, :2])) < radius
    if alone:
        parts.append(_part(tube((0, 0, adapter), (0, 0, under), 0.75 * radius), ALUMINIUM, "body"))
    else:
        low, high = places[:, :2].min(axis=0), places[:, :2].max(axis=0)
        edge = 0.35 * float(sizes.max())
        centre, size = (low + high) / 2.0, high - low + 2.0 * edge
        reach = np.maximum(size, 2.0 * (np.abs(centre) + 0.6 * radius) - size)
        plate = (*np.maximum(size, 1.5 * radius), thick) if (np.abs(centre) < size / 2.0).all() else (*reach, thick)
        parts.append(_part(tube((0, 0, adapter), (0, 0, under - thick), 0.6 * radius), STEEL, "column"))
        parts.append(_part(box((*centre, under - thick / 2.0), plate), ALUMINIUM, "plate"))
    for (x, y, _), diameter, top in zip((xyz for xyz, _, _ in pads), sizes, tops, strict=True):
        slim = min(0.008, 0.2 * diameter)
        parts.append(_part(tube((x, y, under), (x, y, top), slim), STEM, "stem"))
        parts.append(_part(tube((x, y, under), (x, y, under + 0.25 * (top - under)), 1.7 * slim), STEEL, "nut"))
    return tuple(_placed(part, X_flange_mount) for part in parts)


def cup_parts(xyz: Triple, diameter: float, stroke: float, yields: float, X_flange_mount: Pose) -> tuple[Part, ...]:
    """A cup in the flange frame: its bellows for pictures, and the compressed bellows for collision tests."""
    x, y, z = xyz
    radius, height = diameter / 2.0, cup_height(z, diameter, stroke)
    folds = max(1, min(4, round(height / (0.3 * diameter))))
    skirt = min(height, 0.22 * diameter)
    top, neck = z - height, 0.55 * radius
    parts = []
    fold = (height - skirt) / folds
    if fold > 1e-4:
        for k in range(folds):
            start, middle, end = top + k * fold, top + (k + 0.5) * fold, top + (k + 1) * fold
            parts.append(_part(tube((x, y, start), (x, y, middle), neck, 0.8 * radius), RUBBER, "bellows", "visual"))
            parts.append(_part(tube((x, y, middle), (x, y, end), 0.8 * radius, neck), RUBBER, "bellows", "visual"))
    parts.append(_part(tube((x, y, z - skirt), (x, y, z), neck, radius), RUBBER, "lip", "visual"))
    end = z - max(stroke, yields)
    start = min(top, end - min(0.002, 0.5 * end))
    parts.append(_part(tube((x, y, start), (x, y, end), 0.9 * radius), RUBBER, "cup", "collision"))
    return tuple(_placed(part, X_flange_mount) for part in parts)


def pole_parts(xyz: Triple, diameter: float, X_flange_mount: Pose) -> tuple[Part, ...]:
    """A magnet in the flange frame."""
    x, y, z = xyz
    top = z - cup_height(z, diameter, 0.0)
    ring = top + 0.25 * (z - top)
    parts = (
        _part(tube((x, y, top), (x, y, ring), diameter / 2.0), STEEL, "pot"),
        _part(tube((x, y, ring), (x, y, z), diameter / 2.0), POLE, "magnet", "visual"),
        _part(tube((x, y, ring), (x, y, z - min(_PRESSED, 0.2 * (z - ring))), diameter / 2.0), POLE, "magnet",
              "collision"),
    )  # fmt: skip
    return tuple(_placed(part, X_flange_mount) for part in parts)


def _part(solid: Solid, colour: Colour, name: str, use: str = "both") -> Part:
    return Part(solid, colour, name, use)  # type: ignore[arg-type]


def _placed(part: Part, X: Pose) -> Part:
    return part if Pose.identity() == X else Part(part.solid.moved(X), part.colour, part.name, part.use)
