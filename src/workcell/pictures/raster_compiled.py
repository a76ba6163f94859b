"""The compiled engine: every kernel that draws, under one name; ``raster_numpy`` is its plain twin."""

from __future__ import annotations

from workcell.pictures._kernels import choose, extent, project, raster, stroke
from workcell.pictures._kernels_light import (
    backdrop,
    blend,
    paint,
    plant,
    resolve,
    shade,
    tint,
)
from workcell.pictures._kernels_shadow import smooth, spread, visibility

__all__ = [
    "backdrop",
    "blend",
    "choose",
    "extent",
    "paint",
    "plant",
    "project",
    "raster",
    "resolve",
    "shade",
    "smooth",
    "spread",
    "stroke",
    "tint",
    "visibility",
]
