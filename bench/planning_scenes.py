"""Scenes and queries of the planning benchmark: pillars, a shelf with bins, a narrow gap, sized by the reach of an arm."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import workcell as wc
from workcell.collision.batch import check_batch
from workcell.collision.bodies import collision_model
from workcell.spatial.pose import Pose

REACH = {"puma560": 0.86, "kr5": 1.4, "ur10": 1.3}
"""The arms, and how far they reach [m]."""


def cell_with(robot: str) -> tuple[wc.Cell, float]:
    """A cell with an arm at its home, and the reach of the arm [m]."""
    cell = wc.Cell()
    cell.add_robot(robot, name="Arm")
    return cell, REACH[robot]


def _box(cell: wc.Cell, name: str, size: tuple[float, float, float], at: tuple[float, float, float]) -> None:
    cell.add_solid(wc.solids.box(*size), name=name, at=Pose.from_xyz(*at))


def pillars(robot: str) -> wc.Cell:
    """Eight pillars in a ring around the arm."""
    cell, r = cell_with(robot)
    for k in range(8):
        a = 2.0 * np.pi * (k + 0.5) / 8
        far = (0.62 if k % 2 else 0.78) * r
        _box(cell, f"pillar{k}", (0.08 * r, 0.08 * r, 2.4 * r), (far * np.cos(a), far * np.sin(a), 0.0))
    return cell


def shelf(robot: str) -> wc.Cell:
    """A shelf with bins in front of the arm: three boards, four uprights, a back."""
    cell, r = cell_with(robot)
    x, deep, wide, thick = 0.72 * r, 0.32 * r, 1.0 * r, 0.02 * r
    for k, z in enumerate((0.0, 0.34 * r, 0.68 * r)):
        _box(cell, f"board{k}", (deep, wide, thick), (x, 0.0, z))
    for k in range(4):
        _box(cell, f"upright{k}", (deep, thick, 0.7 * r), (x, (k / 3.0 - 0.5) * wide, 0.34 * r))
    _box(cell, "back", (thick, wide, 0.7 * r), (x + deep / 2.0, 0.0, 0.34 * r))
    return cell


def gap(robot: str) -> wc.Cell:
    """A wall beside the arm with a gap that the forearm just fits through."""
    cell, r = cell_with(robot)
    wide = 0.34 * r
    for side in (-1.0, 1.0):
        _box(
            cell,
            f"wall{side:+.0f}",
            (0.9 * r, 0.04 * r, 2.0 * r),
            (side * (wide / 2.0 + 0.45 * r) + 0.42 * r, 0.42 * r, 0.0),
        )
    _box(cell, "lintel", (wide, 0.04 * r, 0.6 * r), (0.42 * r, 0.42 * r, 0.75 * r))
    return cell


SCENES: dict[str, Callable[[str], wc.Cell]] = {"pillars": pillars, "shelf": shelf, "gap": gap}


def queries(cell: wc.Cell, scene: str, count: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pairs of free configurations that the straight motion does not join; the hand ends in a bin or beyond the gap."""
    snapshot, state = cell.snapshot(), cell.state
    robot = snapshot.robot("Arm").robot
    model = collision_model(snapshot, warn=False)
    rng = np.random.default_rng(seed)
    limits = np.clip(robot.limits, -np.pi, np.pi)
    found: list[tuple[np.ndarray, np.ndarray]] = []
    while len(found) < count:
        starts = rng.uniform(limits[:, 0], limits[:, 1], (64, robot.n))
        goals = _goals(robot, scene, rng, 64)
        starts, goals = (Q[~check_batch(model, {"Arm": Q}, state).touching] for Q in (starts, goals))
        for a, b in zip(starts, goals, strict=False):
            line = a + np.linspace(0.0, 1.0, 60)[:, None] * (b - a)
            if check_batch(model, {"Arm": line}, state).touching.any():
                found.append((a, b))
    return found[:count]


def _goals(robot: wc.Robot, scene: str, rng: np.random.Generator, count: int) -> np.ndarray:
    """Configurations with the hand where the scene wants it."""
    limits = np.clip(robot.limits, -np.pi, np.pi)
    if scene == "pillars":
        return rng.uniform(limits[:, 0], limits[:, 1], (count, robot.n))
    r = REACH[robot.name]
    rows: list[np.ndarray] = []
    while len(rows) < count:
        if scene == "shelf":
            bin_y, bin_z = rng.integers(3), rng.integers(2)
            place = np.array([rng.uniform(0.58, 0.74), (bin_y - 1) / 3.0, 0.17 + 0.34 * bin_z])
            place[1:] += rng.uniform(-0.06, 0.06, 2)
            turn = Pose.from_axis_angle((0.0, 1.0, 0.0), np.pi / 2.0)
        else:
            place = np.array([0.42, 0.0, 0.0]) + rng.uniform((-0.12, 0.5, -0.2), (0.12, 0.6, 0.3))
            turn = Pose.from_axis_angle((1.0, 0.0, 0.0), -np.pi / 2.0)
        tilt = Pose.from_axis_angle((1.0, 0.0, 0.0), rng.uniform(-0.3, 0.3)) @ Pose.from_axis_angle(
            (0.0, 0.0, 1.0), rng.uniform(-np.pi, np.pi)
        )
        solutions = robot.ik(Pose.from_xyz(*(place * r)) @ turn @ tilt)
        some = solutions.q[solutions.within_limits] if len(solutions) else np.empty((0, robot.n))
        rows += list(some[rng.permutation(len(some))[:2]])
    return np.array(rows[:count])
