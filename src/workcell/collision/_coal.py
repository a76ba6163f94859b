"""The one module that imports Coal: exact contacts and distances of two meshes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell.collision.tree import TriangleTree

Array = NDArray[np.float64]

MOST_CONTACTS = 64
"""The most contacts of triangles that are looked at for one pair of bodies."""


def geometry(tree: TriangleTree) -> Any:
    """The mesh as Coal's tree, built once for each mesh."""
    found = tree._coal.get("model")
    if found is None:
        import coal

        count = len(tree.triangles)
        found = coal.BVHModelOBBRSS()
        found.beginModel(count, 3 * count)
        found.addVertices(tree.triangles.reshape(-1, 3).copy())
        indices = np.arange(3 * count).reshape(-1, 3)
        found.addTriangles(np.ascontiguousarray(indices, dtype=np.int64))
        found.endModel()
        tree._coal["model"] = found
    return found


def _transform(pose: Array) -> Any:
    import coal

    return coal.Transform3s(pose[:9].reshape(3, 3).copy(), pose[9:].copy())


def contacts(a: TriangleTree, X_a: Array, b: TriangleTree, X_b: Array) -> tuple[Array, NDArray[np.int64]]:
    """Points (k, 3) where triangles touch, in the frame of the poses, and which triangles (k,) of the second."""
    import coal

    request = coal.CollisionRequest()
    request.num_max_contacts = MOST_CONTACTS
    request.enable_contact = True
    result = coal.CollisionResult()
    coal.collide(geometry(a), _transform(X_a), geometry(b), _transform(X_b), request, result)
    found = result.getContacts()
    points = np.array([contact.pos for contact in found]).reshape(-1, 3)
    return points, np.array([contact.b2 for contact in found], dtype=np.int64)


def touching(a: TriangleTree, X_a: Array, b: TriangleTree, X_b: Array, margin: float = 0.0) -> bool:
    """Whether two surfaces come within a margin [m]."""
    import coal

    request = coal.CollisionRequest()
    request.security_margin = margin
    result = coal.CollisionResult()
    return bool(coal.collide(geometry(a), _transform(X_a), geometry(b), _transform(X_b), request, result))


def distance(a: TriangleTree, X_a: Array, b: TriangleTree, X_b: Array) -> tuple[float, Array, Array]:
    """The least distance of two surfaces [m] and the nearest points."""
    import coal

    request = coal.DistanceRequest()
    result = coal.DistanceResult()
    least = coal.distance(geometry(a), _transform(X_a), geometry(b), _transform(X_b), request, result)
    return max(float(least), 0.0), np.array(result.getNearestPoint1()), np.array(result.getNearestPoint2())
