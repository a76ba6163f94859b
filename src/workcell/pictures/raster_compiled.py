"""The compiled engine: every kernel that draws, under one name; ``raster_numpy`` is the plain version."""

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
from workcell.pictures._kernels_shadow import locate, reach, smooth, spread
from workcell.pictures.quick_start import spare_blas

__all__ = [
    "backdrop",
    "blend",
    "choose",
    "extent",
    "locate",
    "paint",
    "plant",
    "project",
    "raster",
    "reach",
    "resolve",
    "shade",
    "smooth",
    "spread",
    "stroke",
    "tint",
]

spare_blas()
