"""Cells made of plain triangles, and a slow plain oracle: no CAD kernel, nothing of the room under test."""

from __future__ import annotations

import math

import numpy as np

from workcell.geometry.mesh import Mesh, merge
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.world.body import Body
from workcell.world.placed import PlacedRobot
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState


def mesh_of(vertices, triangles, deviation=0.0) -> Mesh:
    triangles = np.array(triangles, dtype=np.int32)
    return Mesh(np.array(vertices, float), triangles, np.zeros(len(triangles), np.int32), deviation=deviation)


def box_mesh(x, y, z, centre=(0.0, 0.0, 0.0)) -> Mesh:
    signs = np.array([(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return mesh_of(signs * np.array([x, y, z]) / 2.0 + np.array(centre), triangles)


def prism_mesh(outline, height) -> Mesh:
    """A prism over an outline that is fanned from its first corner (star-shaped from there), base at z = 0."""
    n = len(outline)
    low = [(x, y, 0.0) for x, y in outline]
    high = [(x, y, height) for x, y in outline]
    triangles = [(0, i + 1, i) for i in range(1, n - 1)] + [(n, n + i, n + i + 1) for i in range(1, n - 1)]
    for i in range(n):
        j = (i + 1) % n
        triangles += [(i, j, n + j), (i, n + j, n + i)]
    return mesh_of(low + high, triangles)


def beam_mesh(start, end, radius, sides=8) -> Mesh:
    """A prism with round cross-section between two points."""
    start, end = np.array(start, float), np.array(end, float)
    axis = end - start
    length = float(np.linalg.norm(axis))
    if length < 1e-9:
        axis, length = np.array([0.0, 0.0, 1.0]), radius
        start = start - axis * radius / 2
    axis = axis / np.linalg.norm(axis)
    across = np.cross(axis, [1.0, 0.0, 0.0] if abs(axis[0]) < 0.7 else [0.0, 1.0, 0.0])
    across /= np.linalg.norm(across)
    third = np.cross(axis, across)
    outline = [
        (radius * math.cos(2 * math.pi * i / sides), radius * math.sin(2 * math.pi * i / sides)) for i in range(sides)
    ]
    flat = prism_mesh(outline, length)
    rotation = np.column_stack([across, third, axis])
    return mesh_of(flat.vertices @ rotation.T + start, flat.triangles)


def ball_mesh(radius, rings=8) -> Mesh:
    vertices = [(0.0, 0.0, radius)]
    for i in range(1, rings):
        t = math.pi * i / rings
        for j in range(2 * rings):
            p = math.pi * j / rings
            vertices.append(
                (radius * math.sin(t) * math.cos(p), radius * math.sin(t) * math.sin(p), radius * math.cos(t))
            )
    vertices.append((0.0, 0.0, -radius))
    m, last = 2 * rings, len(vertices) - 1
    triangles = [(0, 1 + j, 1 + (j + 1) % m) for j in range(m)]
    for i in range(rings - 2):
        a, b = 1 + i * m, 1 + (i + 1) * m
        for j in range(m):
            k = (j + 1) % m
            triangles += [(a + j, b + j, b + k), (a + j, b + k, a + k)]
    a = 1 + (rings - 2) * m
    triangles += [(a + j, last, a + (j + 1) % m) for j in range(m)]
    return mesh_of(vertices, triangles)


ARMS = {
    "elbow": [
        dict(theta=0, d=0.6, a=0.1, alpha=-math.pi / 2),
        dict(theta=0, d=0.1, a=0.5, alpha=0.0),
        dict(theta=0, d=-0.05, a=0.0, alpha=math.pi / 2),
        dict(theta=0, d=0.45, a=0.0, alpha=-math.pi / 2),
        dict(theta=0, d=0.0, a=0.0, alpha=math.pi / 2),
        dict(theta=0, d=0.12, a=0.0, alpha=0.0),
    ],
    "scara": [
        dict(theta=0, d=0.5, a=0.4, alpha=0.0),
        dict(theta=0, d=0.0, a=0.35, alpha=math.pi),
        dict(theta=0, d=0.0, a=0.0, alpha=0.0, prismatic=True),
        dict(theta=0, d=0.1, a=0.0, alpha=0.0),
    ],
    "planar": [
        dict(theta=0, d=0.2, a=0.4, alpha=0.0),
        dict(theta=0, d=0.06, a=0.4, alpha=0.0),
        dict(theta=0, d=0.06, a=0.3, alpha=0.0),
    ],
}


def arm(kind: str) -> Robot:
    return Robot.from_dh(ARMS[kind], name=kind)


def link_meshes(robot: Robot, radius=0.05) -> list[Mesh]:
    """A base and one beam a link, from the axis before to the frame after, in the frame after."""
    meshes = [box_mesh(0.2, 0.2, 0.1, (0.0, 0.0, 0.05))]
    for row in robot.rows:
        c, s = math.cos(row.alpha), math.sin(row.alpha)
        back = np.array([-row.a, -row.d * s, -row.d * c])
        size = radius * 0.8 ** len(meshes) + 0.015
        knee = np.array([-row.a, 0.0, 0.0])
        pieces = [beam_mesh(back, knee, size)] if abs(row.d) > 1e-9 else []
        if abs(row.a) > 1e-9 or not pieces:
            pieces.append(beam_mesh(knee, (0.0, 0.0, 0.0), size))
        meshes.append(merge(pieces))
    return meshes


def cell_of(robots: dict[str, tuple[Robot, Pose]], things: dict[str, tuple[Mesh, Pose]], movable=()):
    """A snapshot and the meshes of its bodies."""
    bodies, placed, meshes, joints = [], [], {}, {}
    for name, (robot, at) in robots.items():
        places = []
        for number, mesh in enumerate(link_meshes(robot)):
            label = f"{name}/{'base' if number == 0 else f'link {number}'}"
            places.append(len(bodies))
            bodies.append(Body(label, name, number, ()))
            meshes[label] = mesh
        placed.append(PlacedRobot(name, robot, "world", 0, at, tuple(places), 1.0))
        joints[name] = robot.home
    poses = {}
    for name, (mesh, at) in things.items():
        bodies.append(Body(name, name, -1, (), name in movable))
        meshes[name] = mesh
        poses[name] = at
    state = CellState(0.0, joints, poses)
    return Snapshot((1, 1), "scene", tuple(bodies), tuple(placed), state), meshes


def clutter(rng, count=8) -> dict[str, tuple[Mesh, Pose]]:
    things = {}
    for i in range(count):
        size = rng.uniform(0.05, 0.3, 3)
        shapes = [
            box_mesh(*size),
            beam_mesh((0, 0, 0), (0, 0, size[2]), size[0] / 2, 10),
            ball_mesh(size[0] / 2, 5),
            prism_mesh([(0, 0), (size[0], 0), (size[0] / 4, size[1] / 4), (0, size[1])], size[2]),
        ]
        axis = rng.normal(size=3)
        at = Pose.from_xyz(*rng.uniform((-0.8, -0.8, 0.0), (0.8, 0.8, 1.0))) @ Pose.from_axis_angle(
            axis, rng.uniform(0, 3)
        )
        things[f"thing {i}"] = (shapes[i % 4], at)
    return things


# ---- the oracle ---------------------------------------------------------------------------------------


def _point_segment(p, a, b):
    ab = b - a
    t = np.clip(((p - a) * ab).sum(-1) / (ab * ab).sum(-1), 0.0, 1.0)
    return np.linalg.norm(p - (a + t[..., None] * ab), axis=-1)


def _point_triangle(p, t):
    """Distance by projection when the foot is inside, else to the edges."""
    a, b, c = t[..., 0, :], t[..., 1, :], t[..., 2, :]
    n = np.cross(b - a, c - a)
    n = n / np.linalg.norm(n, axis=-1, keepdims=True)
    h = ((p - a) * n).sum(-1)
    foot = p - h[..., None] * n
    inside = np.ones(h.shape, bool)
    for u, v in ((a, b), (b, c), (c, a)):
        inside &= (np.cross(v - u, foot - u) * n).sum(-1) >= 0
    edges = np.minimum.reduce([_point_segment(p, u, v) for u, v in ((a, b), (b, c), (c, a))])
    return np.where(inside, np.abs(h), edges)


def _segment_segment(p, q, r, s):
    """Least over the interior solution and the four end points."""
    d1, d2, w = q - p, s - r, p - r
    a, b, c = (d1 * d1).sum(-1), (d1 * d2).sum(-1), (d2 * d2).sum(-1)
    d, e = (d1 * w).sum(-1), (d2 * w).sum(-1)
    det = a * c - b * b
    safe = det > 1e-14 * a * c
    det = np.where(safe, det, 1.0)
    x, y = (b * e - c * d) / det, (a * e - b * d) / det
    good = safe & (x >= 0) & (x <= 1) & (y >= 0) & (y <= 1)
    inner = np.linalg.norm(w + x[..., None] * d1 - y[..., None] * d2, axis=-1)
    ends = np.minimum.reduce(
        [_point_segment(p, r, s), _point_segment(q, r, s), _point_segment(r, p, q), _point_segment(s, p, q)]
    )
    return np.where(good, np.minimum(inner, ends), ends)


def _pierces(p, q, t):
    """Whether segments cross triangles: signed volumes."""

    def volume(a, b, c, d):
        return (np.cross(b - a, c - a) * (d - a)).sum(-1)

    a, b, c = t[..., 0, :], t[..., 1, :], t[..., 2, :]
    sides = np.sign(volume(a, b, c, p)) * np.sign(volume(a, b, c, q)) < 0
    s1, s2, s3 = np.sign(volume(p, q, a, b)), np.sign(volume(p, q, b, c)), np.sign(volume(p, q, c, a))
    return sides & (s1 == s2) & (s2 == s3)


def pair_distances(T: np.ndarray, U: np.ndarray) -> np.ndarray:
    """The distances of triangles (..., 3, 3), pair by pair: every feature."""
    least = np.full(T.shape[:-2], math.inf)
    for i in range(3):
        j = (i + 1) % 3
        cross = _pierces(T[..., i, :], T[..., j, :], U) | _pierces(U[..., i, :], U[..., j, :], T)
        least = np.where(cross, 0.0, least)
        least = np.minimum(least, _point_triangle(T[..., i, :], U))
        least = np.minimum(least, _point_triangle(U[..., i, :], T))
        for k in range(3):
            found = _segment_segment(T[..., i, :], T[..., j, :], U[..., k, :], U[..., (k + 1) % 3, :])
            least = np.minimum(least, found)
    return least


def brute_distance(A: np.ndarray, B: np.ndarray) -> float:
    """The least distance of two sets of triangles (m, 3, 3), (k, 3, 3): every pair, every feature."""
    return float(pair_distances(*np.broadcast_arrays(A[:, None], B[None])).min())


def brute_inside(point: np.ndarray, T: np.ndarray) -> bool:
    """By the solid angle: 4π inside, 0 outside (van Oosterom and Strackee)."""
    a, b, c = (T[:, i] - point for i in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    top = (a * np.cross(b, c)).sum(1)
    low = la * lb * lc + (a * b).sum(1) * lc + (b * c).sum(1) * la + (c * a).sum(1) * lb
    return abs(2.0 * np.arctan2(top, low).sum()) > 2.0 * math.pi


def placed_triangles(mesh: Mesh, X: np.ndarray) -> np.ndarray:
    return (mesh.vertices @ X[:3, :3].T + X[:3, 3])[mesh.triangles]
