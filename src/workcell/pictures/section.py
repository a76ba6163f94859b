"""A scene cut open by a plane: what is before the plane goes, and closed solids are closed again by a cap."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
from numpy.typing import NDArray

from workcell.geometry.mesh import Mesh
from workcell.pictures.scene import Item, Scene

Floats = NDArray[np.float64]


def cut(scene: Scene, point: tuple[float, float, float], normal: tuple[float, float, float]) -> Scene:
    """Return what lies behind a plane.

    Args:
        scene: the scene; its lines stay.
        point: a point of the plane [m].
        normal: the direction across the plane, into what is left.
    """
    n = np.asarray(normal) / np.linalg.norm(normal)
    at = float(n @ np.asarray(point))
    return Scene(tuple(part for item in scene.items for part in _cut_item(item, n, at)), scene.lines)


def _cut_item(item: Item, n: Floats, at: float) -> list[Item]:
    """Return what is left of an item, and its cap."""
    points = item.points
    depth = points @ n - at
    if (depth >= 0.0).all():
        return [item]
    if (depth <= 0.0).all():
        return []
    mesh, segments = _cut_mesh(item.mesh, points, depth)
    inverse = np.linalg.inv(item.matrix)
    own = mesh.vertices @ inverse[:3, :3].T + inverse[:3, 3]
    left = dataclasses.replace(item, mesh=dataclasses.replace(mesh, vertices=own))
    cap = _cap(segments, n)
    if not item.mesh.closed or not len(cap):
        return [left]
    flat = Mesh(
        cap.reshape(-1, 3), np.arange(3 * len(cap), dtype=np.int32).reshape(-1, 3), np.zeros(len(cap), dtype=np.int32)
    )
    return [left, dataclasses.replace(item, mesh=flat, matrix=np.eye(4), edges=False)]


def _cut_mesh(mesh: Mesh, points: Floats, depth: Floats) -> tuple[Mesh, Floats]:
    """Return the part of a mesh behind the plane, in the world, and where the plane cuts it, (k, 2, 3)."""
    corners, depths = points[mesh.triangles], depth[mesh.triangles]
    inside = depths >= 0.0
    count = inside.sum(axis=1)
    whole = count == 3
    pieces = [corners[whole]]
    faces = [mesh.face_of_triangle[whole]]
    ends = []
    for kept in (1, 2):
        some = count == kept
        # Turn each triangle so that the corner that is alone on its side comes first.
        first = np.argmax(inside[some] == (kept == 1), axis=1)
        order = (first[:, None] + np.arange(3)) % 3
        c = np.take_along_axis(corners[some], order[:, :, None], axis=1)
        d = np.take_along_axis(depths[some], order, axis=1)
        p, q = (c[:, 0] + (d[:, 0] / (d[:, 0] - d[:, k]))[:, None] * (c[:, k] - c[:, 0]) for k in (1, 2))
        if kept == 1:
            pieces.append(np.stack([c[:, 0], p, q], axis=1))
            faces.append(mesh.face_of_triangle[some])
        else:
            pieces += [np.stack([p, c[:, 1], c[:, 2]], axis=1), np.stack([p, c[:, 2], q], axis=1)]
            faces += [mesh.face_of_triangle[some]] * 2
        ends.append(np.stack([p, q], axis=1))
    segments = np.concatenate(ends)
    lines = np.concatenate([_cut_lines(mesh, points, depth), segments])
    vertices, index = np.unique(np.round(np.concatenate(pieces).reshape(-1, 3), 9), axis=0, return_inverse=True)
    triangles = index.reshape(-1, 3).astype(np.int32)
    good = (np.diff(np.sort(triangles, axis=1), axis=1) > 0).all(axis=1)
    edges = len(vertices) + np.arange(2 * len(lines)).reshape(-1, 2)
    number = np.concatenate(faces)[good]
    everything = np.concatenate([vertices, lines.reshape(-1, 3)])
    left = Mesh(everything, triangles[good], number, mesh.face_names, edges.astype(np.int32), mesh.deviation)
    return left, segments


def _cut_lines(mesh: Mesh, points: Floats, depth: Floats) -> Floats:
    """Return the parts of the edges behind the plane, (k, 2, 3)."""
    ends, d = points[mesh.edges], depth[mesh.edges]
    some = (d >= 0.0).any(axis=1)
    ends, d = ends[some].copy(), d[some]
    for k in (0, 1):
        out = d[:, k] < 0.0
        share = d[out, 1 - k] / (d[out, 1 - k] - d[out, k])
        ends[out, k] = ends[out, 1 - k] + share[:, None] * (ends[out, k] - ends[out, 1 - k])
    return ends


def _cap(segments: Floats, n: Floats) -> Floats:
    """Return triangles that fill the closed curves of some segments in a plane, (k, 3, 3), seen from before the plane.

    Between two neighbouring heights of ends, the segments bound trapezoids in pairs, holes included.
    """
    u = np.cross(n, (1.0, 0.0, 0.0) if abs(n[0]) < 0.7 else (0.0, 1.0, 0.0))
    u /= np.linalg.norm(u)
    v = np.cross(n, u)
    flat = np.stack([segments @ u, segments @ v], axis=-1)
    flat = np.where((flat[:, :1, 1] > flat[:, 1:, 1])[:, :, None], flat[:, ::-1], flat)
    flat = flat[flat[:, 1, 1] - flat[:, 0, 1] > 1e-12]
    heights = np.unique(np.round(flat[:, :, 1], 9))
    found = []
    for low, high in itertools.pairwise(heights):
        middle = (low + high) / 2.0
        crossing = flat[(flat[:, 0, 1] < middle) & (flat[:, 1, 1] > middle)]
        slope = (crossing[:, 1, 0] - crossing[:, 0, 0]) / (crossing[:, 1, 1] - crossing[:, 0, 1])
        x = np.array([crossing[:, 0, 0] + slope * (y - crossing[:, 0, 1]) for y in (low, middle, high)])
        x = x[:, np.argsort(x[1])]
        for left, right in zip(x.T[0::2], x.T[1::2], strict=False):
            a, b, c, d = (left[0], low), (right[0], low), (right[2], high), (left[2], high)
            found += [(a, c, b), (a, d, c)]
    corners = np.array(found).reshape(-1, 3, 2)
    on = n * float((segments.reshape(-1, 3) @ n).mean()) if len(segments) else np.zeros(3)
    return np.asarray(corners[:, :, :1] * u + corners[:, :, 1:] * v + on)
