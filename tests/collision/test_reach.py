"""Pairs that can never meet are left out of quick looks: the balls that say so must hold every body, always."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.collision.bodies import collision_model
from workcell.collision.calm import Calms, Reach
from workcell.world.state import Attachment

CELLS = {
    "arms": ["create robot A puma560 at 500,200,0", "create robot B irb6400 at 3000,0,0", "create robot C stanford"],
    "slides": ["create robot A cobra600 at 100,-300,0", "create robot B gantry at 4000,0,0 rotate 0,0,30"],
    "rail": ["add rail track 3000 at 200,0,0", "create robot A puma560", "mount A on track", "add conveyor belt 2000"],
    "held part": ["create robot A puma560", "add solid rod box 400 30 30 at 0,0,50"],
}


def made(name):
    with wc.Cell() as cell:
        for line in CELLS[name]:
            cell.do(line)
        return cell.snapshot()


@pytest.mark.parametrize("name", CELLS)
def test_no_body_ever_leaves_its_ball(name):
    snapshot, rng = made(name), np.random.default_rng(7)
    state = snapshot.initial
    if name == "held part":
        held = Attachment("A/link 6", wc.Pose.from_xyz(0.1, 0.05, 0.2))
        poses = {body: pose for body, pose in state.poses.items() if body != "rod"}
        state = state.with_(poses=poses, attached={"rod": held})
    model = collision_model(snapshot, None, warn=False)
    reach = Reach(model.arrangement(state))
    assert np.isfinite(reach.radius).all()
    nearest = np.full(len(model.bodies), np.inf)
    for _ in range(300):
        joints = {}
        for placed in snapshot.robots:
            low, high = placed.robot.limits.T
            # Ends of ranges as often as what is between.
            share = rng.choice([0.0, 1.0, rng.random()], size=placed.robot.n)
            joints[placed.name] = low + share * (high - low)
        poses = snapshot.body_poses(state.with_(joints=joints))
        for place, body in enumerate(model.bodies):
            vertices = snapshot.bodies[place].mesh().vertices
            if not len(vertices):
                continue
            points = vertices @ poses[place, :3, :3].T + poses[place, :3, 3]
            far = np.linalg.norm(points - reach.centre[place], axis=1).max()
            assert far <= reach.radius[place] * (1.0 + 1e-9) + 1e-9, body.name
            nearest[place] = min(nearest[place], reach.radius[place] - far)
    # Balls that are much larger than they need be would let arms that stand apart be looked at.
    if name in ("arms", "held part"):
        assert nearest.max() < 0.7


def test_arms_out_of_reach_of_each_other_are_no_pair():
    with wc.Cell() as cell:
        for k in range(4):
            cell.do(f"create robot R{k} puma560 at {3000 * (k % 2)},{3000 * (k // 2)},0")
        cell.do("create robot Near puma560 at 1500,0,0")
        snapshot = cell.snapshot()
    model = collision_model(snapshot, None, warn=False)
    calms = Calms.of(model.arrangement(snapshot.initial), exact=True)
    assert calms.around("R2").devices == {"R2"}
    assert calms.around("Near").devices == {"Near", "R0", "R1"}
