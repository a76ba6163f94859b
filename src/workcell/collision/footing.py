"""Parts that are attached to a body: whether they only lie against it, or reach into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.collision.meeting import Meeting, main_directions
from workcell.collision.pairs import PENETRATION
from workcell.collision.tree import TriangleTree, tree_of
from workcell.geometry.mesh import Mesh
from workcell.spatial.pose import Pose

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]

_MOST_SHIFT = 3.0
"""How far a corner of a part goes inward at most, in thicknesses of the layer that is taken off."""


class Footings:
    """Which parts reach into the body that they are attached to; each part, body and pose is tested once.

    A part that is attached may lie against the body all around, as a pin does in its bore. It reaches into the body if
    it still touches without a thin layer: 0.1 mm, and what the meshes may lie off their solids.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, bytes], bool] = {}
        self._thinner: dict[tuple[str, float], TriangleTree] = {}

    def reaches_in(self, model: CollisionModel, part: int, base: int, X_base_part: Pose) -> bool:
        """Return whether a part that is attached to a body with this pose presses into it."""
        one, other = model.bodies[part].tree, model.bodies[base].tree
        key = (one.key, other.key, X_base_part.matrix.tobytes())
        if key not in self._known:
            self._known[key] = self._tested(one, other, X_base_part)
        return self._known[key]

    def _tested(self, part: TriangleTree, base: TriangleTree, X_base_part: Pose) -> bool:
        X_base, X_part = _twelve(np.eye(4)), _twelve(X_base_part.matrix)
        if not Meeting(base, part, X_base, X_part).meets:
            return False
        layer = PENETRATION + part.deviation + base.deviation
        if not part.closed:
            # A surface has no layer to take off.
            return Meeting(base, part, X_base, X_part).way_out[0] > layer
        if (part.key, layer) not in self._thinner:
            self._thinner[part.key, layer] = thinner(part, layer)
        return Meeting(base, self._thinner[part.key, layer], X_base, X_part).meets


def thinner(tree: TriangleTree, layer: float) -> TriangleTree:
    """Return a closed mesh with its faces moved inward by a thin layer [m]."""
    corners = tree.corners()
    points, index = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    index = index.reshape(-1, 3)
    order = np.argsort(index.reshape(-1), kind="stable")
    edges = np.searchsorted(index.reshape(-1)[order], np.arange(len(points) + 1))
    moved = points.copy()
    for k in range(len(points)):
        around = order[edges[k] : edges[k + 1]] // 3
        normals = main_directions(corners[around].reshape(-1, 9))
        inward = np.linalg.lstsq(normals, np.full(len(normals), -layer), rcond=1e-6)[0]
        length = float(np.linalg.norm(inward))
        moved[k] += inward * min(1.0, _MOST_SHIFT * layer / length) if length > 0.0 else 0.0
    return tree_of(Mesh(moved, index.astype(np.int32), np.zeros(len(index), dtype=np.int32)), "part")


def _twelve(matrix: Array) -> Array:
    return np.concatenate([matrix[:3, :3].reshape(9), matrix[:3, 3]])
