"""What "rests on" and "where a link is" mean is the same in every room that asks.

Grips, glides and falls ask by looking straight down, collisions by the nearest faces. Both must agree wherever parts
lie on flat faces; the snapshot and the tree of frames of collision must agree everywhere.
"""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.collision.bodies import collision_model
from workcell.collision.supports import lies_on, rests
from workcell.simulation.piles import Stack
from workcell.spatial.pose import Pose
from workcell.world.state import Attachment

SIZES = {"table": (0.6, 0.6, 0.1), "tray": (0.2, 0.1, 0.02), "cube": (0.04, 0.04, 0.04), "bar": (0.15, 0.02, 0.03)}


@pytest.fixture(scope="module")
def boxes():
    with wc.Cell() as cell:
        for name, size in SIZES.items():
            line = " ".join(f"{1e3 * side:g}" for side in size)
            cell.do(f"add solid {name} box {line} at 0,0,50{' --movable' if name != 'table' else ''}")
        yield cell.snapshot()


def by_collision(snapshot, state):
    model = collision_model(snapshot, warn=False)
    return {(one.part, one.base) for one in rests(model, state) if lies_on(model, state, one)}


def by_looking_down(snapshot, state):
    stack = Stack(snapshot, state)
    return {(part, base) for part in SIZES if part != "table" for base in stack.under(part)}


def test_who_rests_on_whom_is_one_answer(boxes):
    """Boxes turned about the vertical, stacked in random order, with gaps of nothing, a hair or some millimetres."""
    rng = np.random.default_rng(4)
    seen = 0
    for _ in range(120):
        poses, tops = {"table": Pose.from_xyz(0.0, 0.0, 0.05)}, [("table", 0.1)]
        for name in rng.permutation(["tray", "cube", "bar"]).tolist():
            below, top = tops[rng.integers(len(tops))]
            gap = rng.choice([0.0, 5e-5, 1e-3, 4e-3])
            half = np.array(SIZES[below][:2]) / 2
            at = poses[below].xyz[:2] + rng.uniform(-0.6, 0.6, 2) * half
            turn = Pose.from_axis_angle((0, 0, 1), float(rng.uniform(-3, 3)))
            poses[name] = Pose.from_xyz(*at, top + gap + SIZES[name][2] / 2) @ turn
            tops.append((name, top + gap + SIZES[name][2]))
        state = boxes.initial.with_(poses=poses)
        found = by_looking_down(boxes, state)
        # Two that are in each other rest on nothing that a person would name; such states are not asked about.
        if len({(a, b) for a, b in found} | {(b, a) for a, b in found}) < 2 * len(found) or _crossing(boxes, state):
            continue
        assert found == by_collision(boxes, state), poses
        seen += len(found)
    assert seen > 60


def _crossing(snapshot, state):
    from workcell.collision.check import check
    from workcell.collision.supports import at_rest

    return bool(check(at_rest(collision_model(snapshot, warn=False), state), state).contacts)


def test_every_body_is_where_the_snapshot_has_it_for_collisions_too():
    """Arms on rails, tools, fingers, parts in grippers and on belts, at random joint values."""
    rng = np.random.default_rng(7)
    with wc.Cell() as cell:
        for line in (
            "add rail track 3000 at 100,-1500,0 rotate 0,0,30", "create robot A puma560", "mount A on track",
            "create robot B ur5e at 0,2000,100 rotate 10,20,30", "create robot C kr16 at 3000,0,0",
            "add conveyor belt 2000 at 0,-900,0", "add solid cube box 40 40 40 at 500,0,20 --movable",
            "add solid lid box 40 40 10 at 900,0,20 --movable", "ride lid on belt",
        ):  # fmt: skip
            cell.do(line)
        snapshot = cell.snapshot()
        model = collision_model(snapshot, warn=False)
        for _ in range(25):
            joints = {one.name: rng.uniform(*one.robot.limits.T) for one in snapshot.robots}
            held = {"cube": Attachment("A/link 6", Pose.from_xyz(*rng.uniform(-1, 1, 3)))}
            state = snapshot.initial.with_(joints=joints, attached={**snapshot.initial.attached, **held})
            state = state.with_(poses={name: pose for name, pose in state.poses.items() if name != "cube"})
            arrangement = model.arrangement(state)
            theirs = arrangement.placed(state)[arrangement.frame]
            for place, body in enumerate(model.bodies):
                ours = snapshot.body_pose(state, body.name).matrix
                flat = np.concatenate([ours[:3, :3].ravel(), ours[:3, 3]])
                assert theirs[place] == pytest.approx(flat, abs=1e-12), body.name
