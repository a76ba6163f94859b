"""Rods of 1 mm and plates of 0.5 mm in the way of an arm: neither way of watching misses one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import workcell as wc
from workcell.collision.batch import check_batch
from workcell.errors import CollisionStop
from workcell.geometry.solids import box, cylinder
from workcell.simulation.watching import METHODS, Watch
from workcell.spatial.pose import Pose

PROFILES = ("linear", "345", "trapezoid", "jerk")
DENSE = 8000
"""So many looks along a move that nothing moves by half the thickness between two of them."""
THIN = {"rod": cylinder(0.5e-3, 0.3), "plate": box(0.25, 0.5e-3, 0.25)}


def placement(rng, shape, grazed):
    """A state with something thin, and a move whose arm sweeps through it or grazes it; None where it does not."""
    with wc.Cell() as cell:
        cell.add_robot("puma560", name="A", joints=np.radians([0, 0, -90, 0, 90, 0]))
        cell.add_solid(THIN[shape], "thin", Pose.from_xyz(5.0, 5.0, 5.0))
        snapshot = cell.snapshot()
    arm, model = snapshot.robot("A").robot, Watch(snapshot).model
    low, high = arm.limits.T
    start = low + (high - low) * rng.uniform(0.25, 0.75, arm.n)
    goal = np.clip(start + rng.uniform(-1.2, 1.2, arm.n), low, high)
    there = arm.fk(start + (goal - start) * rng.uniform(0.3, 0.9)).xyz
    turned = Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix()
    rows = np.linspace(start, goal, DENSE)

    def met(factor):
        """The state with the thing so far out, where it is touched first, and for how many looks."""
        pose = Pose.from_rotation(turned, there * factor)
        state = snapshot.initial.with_(joints={"A": start}, poses={**snapshot.initial.poses, "thin": pose})
        found = check_batch(model, {"A": rows}, state)
        first = int(found.touching.argmax())
        sound = found.touching[first] and first > 0 and "thin" in (found.pair(first) or ())
        return state, first, int(found.touching.sum()) if sound else 0

    state, first, lasts = met(rng.uniform(0.7, 1.0))
    if not lasts:
        return None
    if grazed:
        near, far = 1.0, 1.6
        for _ in range(9):
            middle = 0.5 * (near + far)
            found = met(middle)
            if found[2]:
                (state, first, lasts), near = found, middle
            else:
                far = middle
    return snapshot, state, goal, rows[first - 1]


def sweep(seed, count):
    """Moves through thin things, or grazing them, watched both ways; how many stops there were of each."""
    rng, seen = np.random.default_rng(seed), dict.fromkeys(METHODS, 0)
    made = 0
    while made < count:
        found = placement(rng, ("rod", "plate")[made % 2], made % 4 > 1)
        if found is None:
            continue
        made += 1
        snapshot, state, goal, last = found
        start = state.joints["A"]
        profile = PROFILES[made % len(PROFILES)]
        for method in METHODS:
            sim = wc.Simulator(snapshot)
            sim.step = np.radians(30.0)  # how it is recorded does not count
            sim.state = state
            sim.watch = Watch(snapshot, method=method)
            with pytest.raises(CollisionStop) as caught:
                sim.robot("A").move_joints_absolute(goal, profile=profile)
            assert caught.value.stopped == sim.time
            # It stands on its way, no farther than where the meshes first touch.
            way = (goal - start) / np.linalg.norm(goal - start)
            assert (sim.robot("A").joints - last) @ way < 2e-3
            assert not check_batch(sim.watch.model, {"A": sim.robot("A").joints[None]}, sim.state).touching[0]
            seen[method] += 1
    return seen


def test_neither_watch_misses_a_thin_thing():
    assert sweep(4, 24) == dict.fromkeys(METHODS, 24)


@pytest.mark.soak
def test_neither_watch_misses_one_of_five_hundred_thin_things():
    seen = sweep(5, 500)
    assert seen == dict.fromkeys(METHODS, 500)
    print(f"500 rods of 1 mm and plates of 0.5 mm in the way of an arm: {seen} stops.")
