"""From a scene and a camera to depth and triangle names: the start of every picture and every shadow."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from workcell.pictures.camera import Lens
from workcell.pictures.clip import clip_segments, clip_triangles, frustum_planes
from workcell.pictures.scratch import Scratch
from workcell.pictures.surface import MeshTable

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Ints = NDArray[np.int32]

SKIP, FRONT, BOTH = 0, 1, 2
"""The parts of an item to draw: nothing, the outside, both sides."""

_GUARD = 32000.0
"""Half the width of the part of the plane that is kept [pixel]; a little less than the limit of the kernels."""


_KEPT = 4
"""The number of scenes whose extent is kept."""


class Cast(NamedTuple):
    """The meshes as seen by one camera.

    Attributes:
        camera: (n, 3) vertices in camera coordinates [m].
        screen: (n, 3) vertices on the image: x, y [pixel], d.
        flags: (n,) 1 if a vertex is not on the image plane.
        depth: (h, w) the nearest d, −∞ if there is nothing.
        ids: (h, w) the visible triangle, −1 if there is none.
        planes: (t, 3) d = a·x + b·y + c of the drawn triangles.
        facing: (t,) +1 seen from outside, −1 from inside, 0 not visible.
        draw: (i,) the parts of each item that were drawn.
        clipped: whether something had to be cut.
    """

    camera: Floats
    screen: Floats
    flags: NDArray[np.uint8]
    depth: Floats32
    ids: Ints
    planes: Floats
    facing: NDArray[np.int8]
    draw: NDArray[np.uint8]
    clipped: bool


class Stage:
    """A scene's triangles, prepared for any number of cameras.

    Args:
        engine: the module with the kernels, compiled or plain.
        scratch: the large arrays of a picture.
        table: the triangles of all items.
        matrices: (i, 4, 4) from each item's frame to the world.
    """

    def __init__(self, engine: Any, scratch: Scratch, table: MeshTable, matrices: Floats) -> None:
        self.engine = engine
        self.scratch = scratch
        self.table = table
        self.matrices = matrices
        self.mirrored = np.where(np.linalg.det(matrices[:, :3, :3]) < 0.0, -1.0, 1.0)

    def cast(
        self,
        X_camera_world: Floats,
        lens: Lens,
        width: int,
        height: int,
        draw: NDArray[np.uint8],
        purpose: str = "",
    ) -> Cast:
        """Project everything and find the visible triangle of each pixel.

        The arrays are valid until the next cast for the same purpose on this thread.
        """
        parts = self.table
        count, total = len(parts.vertices), len(parts.triangles)
        take, size = self.scratch, (height, width)
        camera, screen = (take.empty(purpose + name, (count, 3), np.float64) for name in ("camera", "screen"))
        flags = take.empty(purpose + "flags", (count,), np.uint8)
        views = np.ascontiguousarray((X_camera_world @ self.matrices)[:, :3])
        flagged = self.engine.project(parts.vertices, parts.vertex_starts, views, *lens, camera, screen, flags)
        cast = Cast(
            camera,
            screen,
            flags,
            take.full(purpose + "depth", size, np.float32, -np.inf),
            take.full(purpose + "ids", size, np.int32, -1),
            take.empty(purpose + "planes", (total, 3), np.float64),
            take.full(purpose + "facing", (total,), np.int8, 0),
            draw,
            bool(flagged),
        )
        if flagged:
            cast = cast._replace(draw=self._opened(cast, lens, draw))
        self.layer(cast, lens, cast.draw)
        return cast

    def extent(self) -> tuple[Floats, Floats]:
        """The lowest and highest corner of all items; kept while only the camera moves."""
        places = self.matrices.tobytes()
        known = self.scratch.extents.get(id(self.table))
        if known is None or known[0] is not self.table or known[1] != places:
            low, high = np.full(3, np.inf), np.full(3, -np.inf)
            self.engine.extent(self.table.vertices, self.table.vertex_starts, self.matrices, low, high)
            if len(self.scratch.extents) > _KEPT:
                self.scratch.extents.clear()
            known = self.scratch.extents[id(self.table)] = (self.table, places, low, high)
        return known[2].copy(), known[3].copy()

    def layer(self, cast: Cast, lens: Lens, draw: NDArray[np.uint8], front: Floats32 | None = None) -> None:
        """Draw items into an existing cast; with ``front``, only surfaces behind it."""
        parts = self.table
        peel = front is not None
        behind = front if front is not None else cast.depth
        rest = (parts.item_of_triangle, draw, self.mirrored, cast.depth, cast.ids, cast.planes, cast.facing)
        self.engine.raster(cast.screen, cast.flags, parts.triangles, parts.names, *rest, peel, behind)
        if not cast.clipped:
            return
        bad = np.nonzero(cast.flags[parts.triangles].any(axis=1))[0]
        pieces, parent = clip_triangles(cast.camera[parts.triangles[bad]], self._planes(lens))
        _, screen, flags = self._landed(pieces.reshape(-1, 3), lens)
        corners = np.arange(3 * len(pieces), dtype=np.int32).reshape(-1, 3)
        self.engine.raster(screen, flags, corners, bad[parent].astype(np.int32), *rest, peel, behind)

    def edges(
        self, cast: Cast, lens: Lens, show: NDArray[np.uint8], every: bool, hidden: bool
    ) -> tuple[Floats, Floats]:
        """The edges to draw as (s, 2, 3) screen ends, and (s,) their strengths."""
        parts = self.table
        total = len(parts.segments)
        ends = self.scratch.empty("ends", (total, 2, 3), np.float64)
        weights = self.scratch.empty("weights", (total,), np.float64)
        cut = self.scratch.empty("cut", (total,), np.int32)
        count, cuts = self.engine.choose(
            parts.segments, parts.kinds, parts.sides, parts.segment_starts, show, cast.facing, self.mirrored,
            parts.triangles, cast.camera, cast.flags, cast.screen, lens.perspective, every, hidden, ends, weights, cut,
        )  # fmt: skip
        if not cuts:
            return ends[:count], weights[:count]
        pieces, source = self.cut(cast.camera[parts.segments[cut[:cuts]]], lens)
        rest = weights[::-1][:cuts][source]
        return np.concatenate([ends[:count], pieces]), np.concatenate([weights[:count], rest])

    def cut(self, ends: Floats, lens: Lens) -> tuple[Floats, Ints]:
        """Segments (m, 2, 3) in camera coordinates as screen ends, cut where they leave the image plane."""
        pieces, source = clip_segments(ends, self._planes(lens))
        return self._landed(pieces.reshape(-1, 3), lens)[1].reshape(-1, 2, 3), source

    def _landed(self, points: Floats, lens: Lens) -> tuple[Floats, Floats, NDArray[np.uint8]]:
        starts = np.array([0, len(points)], dtype=np.int64)
        camera, screen = np.empty((len(points), 3)), np.zeros((len(points), 3))
        flags = np.empty(len(points), dtype=np.uint8)
        self.engine.project(points, starts, np.eye(4)[None, :3], *lens, camera, screen, flags)
        return camera, screen, flags

    def _planes(self, lens: Lens) -> Floats:
        # Slightly farther than the near plane: a corner that was cut on it must not fail the same test.
        return frustum_planes(lens._replace(near=lens.near * (1.0 + 1e-9)), _GUARD, _GUARD)

    def _opened(self, cast: Cast, lens: Lens, draw: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Mark bodies that the near plane cuts open, so that their inside is drawn."""
        draw = draw.copy()
        starts = self.table.vertex_starts
        for item in np.nonzero(draw == FRONT)[0]:
            z = cast.camera[starts[item] : starts[item + 1], 2]
            if len(z) and z.min() < lens.near < z.max():
                draw[item] = BOTH
        return draw
