"""The work envelope as a solid agrees with the envelope and holds the points that the arm reaches."""

from __future__ import annotations

import numpy as np
import pytest

from workcell.kinematics.envelope_solid import envelope_solid, simplified
from workcell.kinematics.workspace import envelope
from workcell.robots.catalogue import robot


@pytest.mark.parametrize("name", ["puma560", "irb6400"])
def test_the_solid_has_the_volume_of_the_envelope(name):
    arm = robot(name)
    found = envelope(arm.chain, arm.limits)
    solid = envelope_solid(found, arm.chain.X_base_0)
    assert solid.volume == pytest.approx(found.volume, rel=0.08)
    low, high = solid.mesh(5e-3).bounds
    Q = np.random.default_rng(3).uniform(arm.limits[:, 0], arm.limits[:, 1], (2000, arm.n))
    tips = arm.fk_batch(Q)[:, :3, 3]
    slack = 2.5 * float(found.radius[1] - found.radius[0])
    assert (tips >= low - slack).all()
    assert (tips <= high + slack).all()


def test_simplifying_keeps_the_outline_within_the_tolerance():
    angle = np.linspace(0.0, 2 * np.pi, 400, endpoint=False)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    few = simplified(circle, 0.01)
    assert len(few) < 40
    sides = np.stack([few, np.roll(few, -1, axis=0)], axis=1)
    middle = sides.mean(axis=1)
    assert (np.hypot(*middle.T) > 1.0 - 0.011).all()
