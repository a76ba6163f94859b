"""Robots and solids in a notebook: pictures."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from workcell.commands.cell import Cell
from workcell.robots.robot import Robot

if TYPE_CHECKING:
    from workcell.geometry.solid import Solid

SIZE = (480, 360)
"""Pixels of a picture, wide and high."""


def picture_of(thing: Robot | Solid) -> bytes:
    """Return a robot in its home position, or a solid, as PNG."""
    import numpy as np
    from PIL import Image

    from workcell.simulation.film import frames

    with Cell() as cell:
        if isinstance(thing, Robot):
            cell.add_robot(thing)
        else:
            cell.add_solid(thing, "solid")
        (image,) = frames(cell.snapshot(), cell.session.recording, np.array([0.0]), size=SIZE)
    out = io.BytesIO()
    Image.fromarray(np.asarray(image, dtype=np.uint8)).save(out, format="PNG")
    return out.getvalue()
