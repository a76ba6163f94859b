"""Guidance as a callback, two arms at once, held parts, own bodies; clearances by a computation of their own."""

from __future__ import annotations

import contextlib
import itertools

import numpy as np
import pytest
from guidance_scenes import FLOOR, SCENES, SPATIAL, TWISTED, three_spheres

import workcell as wc
from workcell.collision.bodies import collision_model
from workcell.collision.clearance import clearance_of, distance_between
from workcell.errors import DeadEnd
from workcell.planning.guidance.obstacles import Sphere, Triangle
from workcell.planning.guidance.runs import guide_links
from workcell.simulation.guided_wish import Wish
from workcell.simulation.guiding import guiding
from workcell.world.state import Attachment


def ball_cell() -> wc.Cell:
    cell = wc.Cell()
    cell.do("create robot Puma puma560 joints 0,60,-190,0,40,0")
    cell.do("add solid ball sphere 60 at 620,60,420")
    return cell


def test_the_step_is_a_callback_of_the_plant_with_the_same_motion():
    cell, pose = ball_cell(), wc.Pose.from_xyz(0.55, 0.25, 0.45)
    wish = Wish("Puma", pose, position=True, tolerance=2e-3)
    moved = wc.Simulator(cell)
    moved.robot("Puma").guide(pose, position=True, tolerance=2e-3)
    called = wc.Simulator(cell)
    step = guiding(wish, called)
    ticks = called.every(wish.period, step, device="Puma")
    called.wait(8.0)
    ticks.cancel()
    assert step.outcome == "arrived"
    assert step.distance <= 2e-3
    for time in np.linspace(0.0, moved.recording.duration, 40):
        np.testing.assert_allclose(
            called.recording.state_at(float(time)).joints["Puma"],
            moved.recording.state_at(float(time)).joints["Puma"],
            atol=1e-12,
        )


def test_a_callback_that_fails_to_arrive_stops_the_arm_and_is_not_called_again():
    cell = ball_cell()
    cell.do("add solid wall box 20 1600 1600 at 760,0,400")
    simulator = wc.Simulator(cell)
    step = guiding(Wish("Puma", wc.Pose.from_xyz(0.86, 0.0, 0.45), position=True, patience=0.5), simulator)
    ticks = simulator.every(step.wish.period, step, device="Puma")
    simulator.wait(8.0)
    assert step.outcome == "stalled"
    assert ticks.over
    np.testing.assert_array_equal(simulator.robot("Puma").velocities, 0.0)


def test_two_arms_are_guided_past_each_other():
    cell = wc.Cell()
    cell.do("create robot A puma560 joints 0,60,-190,0,40,0")
    cell.do("create robot B puma560 at 1100,0,0 rotate 0,0,180 joints 0,60,-190,0,40,0")
    text = "%0A".join(
        [
            "parallel", "  guide A 550,-250,500 --position tolerance 3", "and",
            "  guide B 550,250,500 --position tolerance 3", "end",
        ]
    )  # fmt: skip
    cell.do(f'write program go "{text}"')
    cell.do("run go")
    snapshot, recording = cell.snapshot(), cell.session.simulator.recording
    for name, goal in (("A", (0.55, -0.25, 0.5)), ("B", (0.55, 0.25, 0.5))):
        assert np.linalg.norm(snapshot.tool_pose(cell.state, name).xyz - goal) < 5e-3
    model = collision_model(snapshot, warn=False)
    least = [
        clearance_of(model, recording.state_at(float(t)), "A", own=False)
        for t in np.linspace(0, recording.duration, 80)
    ]
    assert min(one.distance for one in least if one is not None) > 5e-3


def test_a_part_in_the_hand_is_kept_away_too():
    """A table under the way of a long rod: the rod is what comes near it, and does not touch it."""
    cell = ball_cell()
    cell.do("remove ball --deep")
    tool = cell.snapshot().tool_pose(cell.state, "Puma")
    goal = wc.Pose.from_xyz(*(tool.xyz + [0.0, 0.3, 0.0]))
    cell.add_solid(wc.solids.box(0.02, 0.02, 0.3), name="rod", movable=True, at=wc.Pose.from_xyz(2.0, 2.0, 0.0))
    cell.add_solid(wc.solids.box(0.3, 0.2, 0.02), name="table", at=wc.Pose.from_xyz(*(tool.xyz + [0.0, 0.25, -0.27])))
    snapshot, state = cell.snapshot(), cell.state
    last = snapshot.robot("Puma").robot.n
    down = tool.rotation.T @ [0.0, 0.0, -1.0]
    grip = wc.Pose.from_xyz(*(0.2 * down)) @ wc.Pose.from_rotation(tool.rotation.T, (0.0, 0.0, 0.0))
    X = snapshot.robot("Puma").robot.chain.X_n_tool @ grip
    poses = {name: pose for name, pose in state.poses.items() if name != "rod"}
    simulator = wc.Simulator(
        snapshot, state=state.with_(poses=poses, attached={"rod": Attachment(f"Puma/link {last}", X)})
    )
    with contextlib.suppress(DeadEnd):
        simulator.robot("Puma").guide(goal, position=True, tolerance=3e-3, time=12.0)
    recording, model = simulator.recording, collision_model(snapshot, warn=False)
    apart = [
        distance_between(model, recording.state_at(float(t)), "rod", "table").distance
        for t in np.linspace(0.0, recording.duration, 60)
    ]
    assert 0.0 < min(apart) < 0.06
    assert recording.duration > 0.5


@pytest.mark.parametrize(("name", "seed"), [("irb2400", 1), ("irb2400", 3), ("loeff_humanoid", 1)])
def test_links_that_turn_about_themselves_touch_nothing(name, seed):
    """The nearest points of wrist and forearm jump while the wrist turns; the arm must still be able to stop."""
    rng, cell = np.random.default_rng(seed), wc.Cell()
    cell.add_robot(name, name="Arm")
    snapshot, arm = cell.snapshot(), cell.snapshot().robot("Arm").robot
    there = np.clip(arm.home + rng.uniform(-0.6, 0.6, arm.n), *arm.limits.T)
    goal, begin = snapshot.tool_pose(cell.state.with_joints("Arm", there), "Arm"), snapshot.tool_pose(cell.state, "Arm")
    size = float(np.linalg.norm(goal.xyz - begin.xyz))
    middle = (begin.xyz + goal.xyz) / 2.0 + [0.0, 0.0, -0.05 * size]
    cell.add_solid(wc.solids.sphere(0.05 * max(size, 0.2)), name="ball", at=wc.Pose.from_xyz(*middle))
    simulator = wc.Simulator(cell)
    found = simulator.robot("Arm").guide(goal, position=True, tolerance=5e-3, time=25.0)
    assert found.outcome == "arrived"
    model = collision_model(cell.snapshot(), warn=False)
    for time in np.linspace(0.0, simulator.recording.duration, 120):
        nearest = clearance_of(model, simulator.recording.state_at(float(time)), "Arm")
        assert nearest is None or nearest.distance > 0.0


# ---- scenes in space, measured another way ----------------------------------------------------------------


def to_segments(points: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    part = np.clip((points - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
    return np.linalg.norm(points - a - part[:, None] * (b - a), axis=1)


def to_triangle(points: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The distance of points to a triangle: to its plane where the foot is inside, else to its sides."""
    normal = np.cross(b - a, c - a)
    normal = normal / np.linalg.norm(normal)
    height = (points - a) @ normal
    foot = points - height[:, None] * normal
    inside = np.ones(len(points), dtype=bool)
    for p, q in ((a, b), (b, c), (c, a)):
        inside &= np.cross(q - p, foot - p) @ normal >= 0.0
    sides = np.min([to_segments(points, p, q) for p, q in ((a, b), (b, c), (c, a))], axis=0)
    return np.where(inside, np.abs(height), sides)


def measured(ends: np.ndarray, obstacles) -> float:
    """The least distance of the links to all elements, by points on the links 1/200 of a link apart."""
    part = np.linspace(0.0, 1.0, 201)[:, None]
    points = np.concatenate([a + part * (b - a) for a, b in itertools.pairwise(ends)])
    best = np.inf
    for one in obstacles:
        for element in getattr(one, "elements", (one,)):
            if isinstance(element, Sphere):
                found = np.linalg.norm(points - np.array(element.centre), axis=1) - element.radius
            elif isinstance(element, Triangle):
                found = to_triangle(points, *(np.array(p) for p in (element.a, element.b, element.c)))
            else:
                found = to_segments(points, np.array(element.a), np.array(element.b)) - element.radius
            best = min(best, float(found.min()))
    return best


@pytest.mark.parametrize("case", SCENES)
def test_the_clearance_of_scenes_in_space_is_the_measured_one(case):
    goal, obstacles = SCENES[case]
    run = guide_links(SPATIAL, TWISTED, goal, obstacles)
    assert run.outcome == "arrived"
    for k in range(0, run.steps + 1, 12):
        apart = measured(run.points[k], obstacles)
        assert run.clearances[k] <= apart + 1e-9
        assert run.clearances[k] >= apart - 0.01  # the points are 0.01 apart
    if FLOOR in obstacles:
        assert run.points[:, :, 2].min() > -1.5


def random_scenes(seeds) -> None:
    for seed in seeds:
        goal, spheres = three_spheres(seed)
        run = guide_links(SPATIAL, TWISTED, goal, spheres, period=0.1, time=200.0)
        assert run.outcome in ("arrived", "stalled"), (seed, run.sentence)
        least = min(measured(points, spheres) for points in run.points[::3])
        assert least > 0.0, seed
        assert least >= run.clearance - 1e-9, seed


def test_among_random_spheres_the_measured_clearance_is_above_zero():
    random_scenes(range(200, 206))


@pytest.mark.soak
def test_among_200_scenes_the_measured_clearance_is_above_zero():
    random_scenes(range(200))
