"""Cells for planning, and configurations in them that an independent check finds free."""

from __future__ import annotations

import numpy as np

import workcell as wc
from workcell.collision.batch import check_batch
from workcell.collision.bodies import collision_model


def pillars(robot="puma560", name="Arm"):
    """An arm between four pillars."""
    cell = wc.Cell()
    cell.add_robot(robot, name=name, joints=np.radians([0, -40, -60, 0, 60, 0]))
    for number, (x, y) in enumerate([(0.5, 0.3), (0.5, -0.3), (-0.4, 0.5), (0.2, 0.6)]):
        cell.add_solid(wc.solids.box(0.1, 0.1, 1.4), name=f"pillar{number}", at=wc.Pose.from_xyz(x, y, 0.0))
    return cell


def free_configurations(cell, count, seed, name="Arm"):
    """Configurations at which nothing touches, drawn evenly."""
    snapshot, state = cell.snapshot(), cell.state
    limits = snapshot.robot(name).robot.limits
    Q = np.random.default_rng(seed).uniform(limits[:, 0], limits[:, 1], (4 * count + 20, len(limits)))
    touching = check_batch(collision_model(snapshot, warn=False), {name: Q}, state).touching
    return Q[~touching][:count]


def touches_somewhere(cell, plan, samples=1500):
    """Whether anything touches at samples of the motion of a plan, by the batch check."""
    Q = plan.trajectory.sample(np.linspace(0.0, plan.trajectory.duration, samples))
    return check_batch(collision_model(cell.snapshot(), warn=False), {plan.robot: Q}, cell.state).touching.any()
