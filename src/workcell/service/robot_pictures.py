"""Pictures of the robots of the library, drawn when they are first asked for."""

from __future__ import annotations

import io
import threading
from concurrent.futures import Future, ThreadPoolExecutor

from workcell.errors import UnknownName

SIZE = (288, 216)
"""Pixels of a picture, wide and high."""


class RobotPictures:
    """Draws each robot once, in its home position, one after the other; any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(1, "workcell-robots")
        self._made: dict[str, Future[bytes]] = {}

    def of(self, name: str) -> Future[bytes]:
        """Return the picture of a robot as WebP; UnknownName if the library does not have it."""
        from workcell.robots.catalogue import robots

        if name not in robots():
            raise UnknownName.among("robot of the library", name, robots())
        with self._lock:
            if name not in self._made:
                self._made[name] = self._pool.submit(_drawn, name)
            return self._made[name]


def _drawn(name: str) -> bytes:
    import numpy as np
    from PIL import Image

    from workcell.commands.cell import Cell
    from workcell.simulation.film import frames

    with Cell() as cell:
        cell.add_robot(name)
        snapshot, recording = cell.snapshot(), cell.session.recording
        (image,) = frames(snapshot, recording, np.array([0.0]), size=SIZE)
    out = io.BytesIO()
    Image.fromarray(np.asarray(image, dtype=np.uint8)).save(out, format="WEBP", quality=80)
    return out.getvalue()
