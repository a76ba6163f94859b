"""Motions that miss, or graze, an obstacle by nanometres to millimetres, and a check that shares nothing with the kernels."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from collision_cells import ARMS, box_mesh, brute_inside, link_meshes, mesh_of, pair_distances
from exact_triangles import exact_gap

from workcell.collision.bodies import collision_model
from workcell.collision.certify import certify
from workcell.collision.pairs import PairTable
from workcell.collision.proof import ContactAt, Free
from workcell.commands.cell import Cell
from workcell.motion.profiles import linear
from workcell.motion.trajectory import Trajectory
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.world.body import Body
from workcell.world.placed import PlacedRobot
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

GANTRY = [
    dict(theta=0, d=0, a=0.0, alpha=-math.pi / 2, prismatic=True),
    dict(theta=-math.pi / 2, d=0, a=0.0, alpha=-math.pi / 2, prismatic=True),
    dict(theta=0, d=0, a=0.0, alpha=0.0, prismatic=True),
]
LIBRARY = ("puma560", "ur5", "irb120", "kr6", "cobra600", "stanford")


@dataclass
class Scene:
    """One robot, one obstacle, a motion: the meshes of its moving links by number, and when they come nearest."""

    robot: Robot
    links: dict[int, object]
    obstacle: object
    motion: Trajectory
    time: float

    def frames(self, t):
        """The matrix of every link, from the table alone."""
        X = np.eye(4)
        out = [X]
        for row, q in zip(self.robot.rows, self.motion.position(t), strict=True):
            turn, shift = row.theta + (0.0 if row.prismatic else q), row.d + (q if row.prismatic else 0.0)
            c, s, ca, sa = math.cos(turn), math.sin(turn), math.cos(row.alpha), math.sin(row.alpha)
            X = X @ np.array(
                [[c, -s * ca, s * sa, row.a * c], [s, c * ca, -c * sa, row.a * s], [0, sa, ca, shift], [0, 0, 0, 1.0]]
            )
            out.append(X)
        return out

    def vertices(self, t):
        """Every corner of every link at a time."""
        X = self.frames(t)
        return np.concatenate([m.vertices @ X[k][:3, :3].T + X[k][:3, 3] for k, m in self.links.items()])

    def distance(self, t) -> float:
        """The distance of the links from the obstacle at a time, in whole numbers where it may be least."""
        X = self.frames(t)
        here = np.concatenate([(m.vertices @ X[k][:3, :3].T + X[k][:3, 3])[m.triangles] for k, m in self.links.items()])
        there = self.obstacle.vertices[self.obstacle.triangles]
        apart = np.maximum(there.min(1) - here.max(1)[:, None], here.min(1)[:, None] - there.max(1))
        bound = np.linalg.norm(np.maximum(apart, 0.0), axis=2)
        i, j = np.unravel_index(np.argsort(bound, axis=None), bound.shape)
        rough = math.inf
        some = np.zeros((0, 2), int)
        for k in range(0, len(i), 64):
            if bound[i[k], j[k]] > rough + 1e-6:
                break
            found = pair_distances(here[i[k : k + 64]], there[j[k : k + 64]])
            rough = min(rough, float(found.min()))
            pairs = np.column_stack([i[k : k + 64], j[k : k + 64], np.arange(len(found))])
            some = np.concatenate([some, pairs[found <= rough + 1e-6][:, :2]])
        return min(exact_gap(here[a].reshape(-1).tolist(), there[b].reshape(-1).tolist()) for a, b in some)

    def inside(self, t) -> bool:
        """Whether a link, or a corner of it, lies inside the obstacle at a time, or the obstacle inside a link."""
        X = self.frames(t)
        there = self.obstacle.vertices[self.obstacle.triangles]
        for k, mesh in self.links.items():
            vertices = mesh.vertices @ X[k][:3, :3].T + X[k][:3, 3]
            if brute_inside(vertices[0], there) or brute_inside(self.obstacle.vertices[0], vertices[mesh.triangles]):
                return True
        return False

    def model(self):
        n = self.robot.n
        names = ["Arm/base", *(f"Arm/link {k}" for k in range(1, n + 1))]
        bodies = [Body(name, "Arm", k, ()) for k, name in enumerate(names)] + [Body("wall", "wall", -1, ())]
        placed = PlacedRobot("Arm", self.robot, "world", 0, Pose.identity(), tuple(range(n + 1)), 1.0)
        state = CellState(0.0, {"Arm": self.motion.start}, {"wall": Pose.identity()})
        snapshot = Snapshot((1, 1), "scene", tuple(bodies), (placed,), state)
        meshes = {names[k]: mesh for k, mesh in self.links.items()} | {"wall": self.obstacle}
        return collision_model(snapshot, PairTable().test_self("Arm", False), meshes=meshes, warn=False)


def _wedge(length, wide, high):
    """A prism of length along x whose upper edge is the x axis."""
    h = 0.5 * length
    corners = [(x, y, z) for x in (-h, h) for y, z in ((0.0, 0.0), (wide, -high), (-wide, -high))]
    return mesh_of(corners, [(0, 2, 1), (3, 4, 5), (0, 1, 4), (0, 4, 3), (1, 2, 5), (1, 5, 4), (2, 0, 3), (2, 3, 5)])


def _moved(mesh, R, o):
    return mesh_of(mesh.vertices @ np.asarray(R).T + o, mesh.triangles)


def _about(axis, angle):
    return Pose.from_axis_angle(axis, angle).matrix[:3, :3]


def _gap(rng):
    return 10.0 ** rng.uniform(-9.5, -3) * rng.choice([-1.0, 1.0, 1.0])


def _line(q0, q1):
    return linear(np.array(q0, float), np.array(q1, float), 1.0)


FLIP = np.diag([1.0, -1.0, -1.0])


def _on_gantry(rng, tool, obstacle, start, end, time):
    """A tool that slides in a straight line, given in the world, at the end of three sliding axes."""
    robot = Robot.from_dh(GANTRY, name="gantry", limits=[(-100.0, 100.0)] * 3)
    zero = Scene(robot, {}, None, _line([0, 0, 0], [1, 1, 1]), 0.0).frames(0.0)[3]
    ways = np.column_stack(
        [Scene(robot, {}, None, _line(q, q + 1e-3), 0.0).frames(0.0)[3][:3, 3] - zero[:3, 3] for q in np.eye(3)]
    )
    q0, q1 = np.linalg.solve(ways, start), np.linalg.solve(ways, end)
    mesh = _moved(tool, zero[:3, :3].T, -zero[:3, :3].T @ zero[:3, 3])
    motion = _line(q0, q1)
    return Scene(robot, {3: mesh}, obstacle, motion, time * motion.duration)


def edges(rng):
    """Two long edges that cross at a small angle, the one sliding over or along the other."""
    length = 10.0 ** rng.uniform(-1, 1.3)
    angle = 10.0 ** rng.uniform(-9, -4)
    gap = _gap(rng) if rng.integers(2) else angle * length * 10.0 ** rng.uniform(-3, 0)
    obstacle = _wedge(length, *(length * 10.0 ** rng.uniform(-3, -0.5, 2)))
    tool = _moved(_wedge(length * rng.uniform(0.5, 1.5), *(length * 10.0 ** rng.uniform(-3, -0.5, 2))), FLIP, 0)
    tilt = 10.0 ** rng.uniform(-10, -5) * rng.choice([0.0, 1.0])
    tool = _moved(tool, _about((0, 1, 0), tilt) @ _about((0, 0, 1), angle), 0)
    aside = 10.0 ** rng.uniform(-9, -0.5) * rng.choice([-1.0, 0.0, 1.0])
    way = np.array([rng.uniform(0.01, 0.3), aside, 0.0]) * length
    over = np.array([rng.uniform(-0.2, 0.2) * length, 0.0, gap])
    part = rng.uniform(0.2, 0.8)
    return _on_gantry(rng, tool, obstacle, over - part * way, over + (1 - part) * way, part)


def plates(rng):
    """A large plate that slides along another one, nearly parallel to it."""
    size = 10.0 ** rng.uniform(-1, 1.2)
    thick = 0.02 * size
    gap = _gap(rng)
    tilt = 10.0 ** rng.uniform(-12, -6) * rng.choice([0.0, 1.0])
    obstacle = box_mesh(size, 0.7 * size, thick, (0.0, 0.0, -thick / 2))
    tool = _moved(box_mesh(0.5 * size, size, thick, (0.0, 0.0, thick / 2)), _about((1, 0.3, 0), tilt), 0)
    low = -(tool.vertices[:, 2].min())
    way = np.array([*rng.uniform(-0.4, 0.4, 2), 0.0]) * size
    over = np.array([*rng.uniform(-0.1, 0.1, 2) * size, gap + low])
    return _on_gantry(rng, tool, obstacle, over - 0.5 * way, over + 0.5 * way, rng.uniform())


def needles(rng):
    """A long thin needle that slides along itself past the edge of a block."""
    length = 10.0 ** rng.uniform(-1, 1)
    wide = max(10.0 ** rng.uniform(-6, -3), 2e-5 * length)
    gap = _gap(rng)
    obstacle = box_mesh(length, 0.5 * length, 0.3 * length, (0.0, 0.0, -0.15 * length))
    turn = _about((0, 0, 1), rng.uniform(-3, 3))
    needle = box_mesh(length, wide, wide, (0.0, 0.0, wide / 2))
    if rng.integers(2):
        needle = _moved(_wedge(length, wide, wide), FLIP, 0)
    tool = _moved(needle, turn @ _about((0, 1, 0), 10.0 ** rng.uniform(-9, -2)), 0)
    low = -tool.vertices[:, 2].min()
    way = turn @ np.array([rng.uniform(0.1, 1.0) * length, 0.0, 0.0])
    over = np.array([*rng.uniform(-0.2, 0.2, 2) * length, gap + low])
    return _on_gantry(rng, tool, obstacle, over - 0.5 * way, over + 0.5 * way, rng.uniform())


def _foremost(scene, t, n):
    """The few corners of each link that lie farthest in a direction at a time."""
    X = scene.frames(t)
    return {
        k: mesh_of(m.vertices[np.argsort(-m.vertices @ X[k][:3, :3].T @ n)[:4]], [(0, 1, 2)])
        for k, m in scene.links.items()
    }


def _walled(rng, robot, links, motion):
    """An obstacle put just beyond the farthest that the moving links get in some direction: a wall, an edge or a corner."""
    scene = Scene(robot, links, None, motion, 0.0)
    times = np.linspace(0.0, motion.duration, 61)
    clouds = [scene.vertices(t) for t in times]
    for _ in range(50):
        n = rng.normal(size=3)
        n /= np.linalg.norm(n)
        reach = np.array([(cloud @ n).max() for cloud in clouds])
        k = int(reach.argmax())
        if 0 < k < len(times) - 1:
            break
    a, b = times[max(k - 1, 0)], times[min(k + 1, 60)]
    ahead = Scene(robot, _foremost(scene, times[k], n), None, motion, 0.0)
    for _ in range(60):
        c, d = a + (b - a) / 3.0, b - (b - a) / 3.0
        if (ahead.vertices(c) @ n).max() < (ahead.vertices(d) @ n).max():
            a = c
        else:
            b = d
    time = 0.5 * (a + b)
    cloud = scene.vertices(time)
    touch = cloud[(cloud @ n).argmax()]
    across = np.cross(n, rng.normal(size=3))
    across /= np.linalg.norm(across)
    R = np.column_stack([across, np.cross(n, across), n])
    size = 10.0 ** rng.uniform(-1.5, 1)
    kind = rng.integers(3)
    if kind == 0:
        obstacle = box_mesh(size, size, size, (0.0, 0.0, size / 2))
    elif kind == 1:
        obstacle = _moved(_wedge(size, 0.3 * size, 0.3 * size), FLIP, 0)
    else:
        tip = mesh_of(
            [(0, 0, 0), (0.4 * size, 0, size), (-0.2 * size, 0.3 * size, size), (-0.2 * size, -0.3 * size, size)],
            [(0, 2, 1), (0, 3, 2), (0, 1, 3), (1, 2, 3)],
        )
        obstacle = _moved(tip, np.eye(3), 0)
    obstacle = _moved(obstacle, R, touch + _gap(rng) * n)
    return Scene(robot, links, obstacle, motion, time)


def blades(rng):
    """A long blade on one turning joint, past an obstacle at its tip."""
    length = 10.0 ** rng.uniform(-0.5, 1.2)
    robot = Robot.from_dh([dict(theta=0, d=0, a=0, alpha=rng.choice([0.0, math.pi / 2]))], name="blade")
    sizes = length * np.array([1.0, *(10.0 ** rng.uniform(-4, -0.5, 2))])
    blade = box_mesh(*sizes, (0.5 * length + 0.1, 0.0, 0.0))
    q0 = rng.uniform(-1.5, 0.5)
    return _walled(rng, robot, {1: blade}, _line([q0], [q0 + rng.uniform(0.05, 1.5)]))


def _going(links, step):
    """The links that move: what stands still is never asked about."""
    first = int(np.flatnonzero(step)[0]) + 1
    return {k: mesh for k, mesh in links.items() if k >= first}


def arms(rng):
    """Arms of a few joints whose links are beams."""
    kind = str(rng.choice(sorted(ARMS)))
    robot = Robot.from_dh(ARMS[kind], name=kind)
    links = dict(enumerate(link_meshes(robot)))
    del links[0]
    q0 = rng.uniform(-1.5, 1.5, robot.n) * np.where([r.prismatic for r in robot.rows], 0.1, 1.0)
    step = rng.uniform(-0.6, 0.6, robot.n) * (rng.uniform(size=robot.n) < 0.7)
    step[rng.integers(robot.n)] = 0.3
    return _walled(rng, robot, _going(links, step), _line(q0, q0 + step))


@functools.cache
def _library(name):
    cell = Cell()
    cell.add_robot(name, name="Arm")
    model = collision_model(cell.snapshot(), tolerance=2e-3, warn=False)
    links = {}
    for body in model.bodies:
        if body.link > 0 and not body.shapeless:
            corners, where = np.unique(body.tree.triangles.reshape(-1, 3), axis=0, return_inverse=True)
            links[body.link] = mesh_of(corners, where.reshape(-1, 3))
    return model.snapshot.robot("Arm").robot, links


def library(rng):
    """Robots of the library, with their shapes."""
    robot, links = _library(str(rng.choice(LIBRARY)))
    low, high = np.maximum(robot.limits[:, 0], -2.0), np.minimum(robot.limits[:, 1], 2.0)
    q0 = rng.uniform(0.8 * low, 0.8 * high)
    step = rng.uniform(-0.4, 0.4, robot.n) * (high - low) / 4.0 * (rng.uniform(size=robot.n) < 0.6)
    step[rng.integers(robot.n)] += 0.05
    return _walled(rng, robot, _going(links, step), _line(q0, q0 + step))


KINDS = (*(4 * (edges, plates, needles, blades, arms)), library)


def verdicts(seeds):
    """Certify one near miss for each seed and check every answer; what was answered, and the narrowest gaps proved."""
    counts = {"Free": 0, "ContactAt": 0, "Undecided": 0}
    near = 0
    for seed in seeds:
        make = KINDS[seed % len(KINDS)]
        rng = np.random.default_rng(seed)
        scene = make(rng)
        # What rounding of the table's matrices alone may do here.
        slack = 1e-14 * max(np.abs(scene.vertices(scene.time)).max(), np.abs(scene.obstacle.vertices).max(), 1.0)
        found = certify(scene.model(), {"Arm": scene.motion}, most_tests=20_000)
        counts[type(found).__name__] += 1
        where = f"{make.__name__}, seed {seed}: {found}"
        if isinstance(found, Free):
            for t in (scene.time, found.near):
                true = scene.distance(t)
                assert true > 0.0, where
                assert not scene.inside(t), where
                assert found.bound <= true + slack, f"{where} {true}"
            near += found.least < 1e-5
        elif isinstance(found, ContactAt):
            assert scene.distance(found.time) <= 1e-9 + slack or scene.inside(found.time), where
    return counts, near
