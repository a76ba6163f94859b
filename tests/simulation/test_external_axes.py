"""Moves of the hand with the axes that carry the arm or its work: held, at values, or where the posture is best."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import workcell as wc
from workcell.collision.bodies import collision_model
from workcell.collision.check import check
from workcell.errors import InvalidValue, JointLimit, KinematicsError, Refused, Unreachable
from workcell.kinematics.jacobian import condition_number
from workcell.kinematics.placing import best_place
from workcell.kinematics.unreachable import explain
from workcell.motion.limits import Limits, violations
from workcell.robots.mechanism import gantry
from workcell.simulation import branch_policy
from workcell.simulation.events import RateChanged
from workcell.simulation.external_axes import ExternalAxes
from workcell.simulation.programs import run
from workcell.simulation.recording import Recording
from workcell.spatial.pose import Pose
from workcell.world.axes_text import checked_axes

RAIL = """
add rail track 4000 at -500,0,0
create robot Arm irb1600 joints 0,0,-10,0,60,0
mount Arm on track
"""
MACHINE = "create machine Cell of track of Arm"


def built(*texts):
    cell = wc.Cell()
    for line in "\n".join(texts).splitlines():
        if line.strip():
            cell.do(line.strip())
    return cell


@pytest.fixture(scope="module")
def snapshot():
    with built(RAIL, MACHINE) as cell:
        yield cell.snapshot()


def down(x, y, z, turn=0.0):
    """A pose of the hand that points down [m, rad]."""
    return Pose.from_xyz_angles([x, y, z], [math.pi, 0.0, turn], "fanuc_wpr")


def random_pose(rng):
    x, y, z = rng.uniform([-0.3, 0.5, 0.4], [3.3, 1.0, 1.4])
    tilt = rng.uniform(-0.5, 0.5, 3)
    return Pose.from_xyz_angles([x, y, z], [math.pi + tilt[0], tilt[1], tilt[2]], "fanuc_wpr")


def stands(snapshot, state, pose, value, policy):
    """How well the arm stands with its rail at a value, one pose at a time: the documented measure."""
    robot, near = snapshot.robot("Arm").robot, state.joints["Arm"]
    base = snapshot.base_pose(state.with_joints("track", np.array([value])), "Arm")
    there = base.inverse() @ pose
    if not robot.ik(there).within_limits.any():
        return -math.inf  # why not is not asked, which takes long
    try:
        q = branch_policy.chosen(robot, there, policy, near)
    except KinematicsError:
        return -math.inf
    low, high = robot.limits.T
    room = (np.minimum(q - low, high - q) / (0.5 * (high - low))).min()
    return min(float(room), 1.0 / condition_number(robot.chain, q))


def compare_with_samples(snapshot, policy, seed, count):
    """Random poses, each gone to with the best place of the rail and judged at 1,000 others; the worst lead of these."""
    rng, worst = np.random.default_rng(seed), -math.inf
    for _ in range(count):
        sim = wc.Simulator(snapshot)
        arm, before = sim.robot("Arm"), sim.state
        pose = random_pose(rng)
        sampled = [stands(snapshot, before, pose, value, policy) for value in rng.uniform(0.0, 4.0, 1000)]
        if not np.isfinite(sampled).any():
            with pytest.raises(Unreachable):
                arm.move_end_effector(pose, axes="best", branch=policy)
            continue
        arm.move_end_effector(pose, axes="best", branch=policy)
        found = stands(snapshot, before, pose, float(sim.state.joints["track"][0]), policy)
        worst = max(worst, max(sampled) - found)
        assert worst <= 2e-6
        metres, radians = arm.tool_pose.distance(pose)
        assert metres < 1e-9
        assert radians < 1e-9
    return worst


@pytest.mark.parametrize("policy", ["nearest", "roomiest", "agent", "0", "---"])
def test_no_sampled_place_of_the_rail_is_better_than_the_best(snapshot, policy):
    compare_with_samples(snapshot, policy, 4, 2)


@pytest.mark.soak
def test_no_place_of_the_rail_is_better_at_length(snapshot):
    policies = ("nearest", "roomiest", "agent")
    worst = max(compare_with_samples(snapshot, policy, 40 + place, 8) for place, policy in enumerate(policies))
    print(f"24 random poses, 1,000 sampled places of the rail each: the best of these leads by at most {worst:.2g}")


def test_the_best_of_known_functions():
    box = np.array([[0.0, 4.0]])
    place, value = best_place(lambda P: -np.abs(P[:, 0] - 1.2345), box, np.array([3.0]))
    assert place[0] == pytest.approx(1.2345, abs=1e-5)
    assert value == pytest.approx(0.0, abs=1e-5)
    # Two peaks, the narrow one higher; and a flat top, of which the end nearest to the start counts.
    peaks = lambda P: np.maximum(1.0 - 2.0 * np.abs(P[:, 0] - 1.0), 1.1 - 30.0 * np.abs(P[:, 0] - 3.01))
    assert best_place(peaks, box, np.array([0.0]))[0][0] == pytest.approx(3.01, abs=1e-5)
    flat = lambda P: np.minimum(1.0, 2.0 - np.abs(P[:, 0] - 2.0))
    assert best_place(flat, box, np.array([0.3]))[0][0] == pytest.approx(1.0, abs=1e-3)
    assert best_place(flat, box, np.array([1.7]))[0][0] == 1.7
    assert best_place(lambda P: np.full(len(P), -np.inf), box, np.array([1.0])) is None
    space = np.array([[0.0, 4.0], [-1.0, 1.0], [0.0, 0.5]])
    top = np.array([1.1, 0.3, 0.5])
    place, _ = best_place(lambda P: -np.abs(P - top).max(axis=1), space, np.array([3.0, 0.0, 0.1]))
    assert np.abs(place - top).max() < 1e-4


def test_held_axes_move_as_an_arm_of_no_machine(snapshot):
    pose, goal = down(-0.2, 0.8, 0.8), down(0.1, 0.7, 0.9, 0.3)
    bytes_of = []
    with built(RAIL) as plain:
        for cell, axes in ((plain, {}), (snapshot, {}), (snapshot, {"axes": "held"}), (snapshot, {"axes": ["held"]})):
            sim = wc.Simulator(cell)
            arm = sim.robot("Arm")
            arm.move_end_effector(pose, **axes)
            arm.move_straight_line(goal, **axes)
            arm.move_circular([0.0, 0.8, 0.8], pose, **axes)
            arm.move_path([goal, pose], **axes)
            arm.move_hand(Pose.from_xyz(0, 0, -0.05), **axes)
            assert np.array_equal(sim.state.joints["track"], snapshot.initial.joints["track"])
            bytes_of.append(sim.recording.to_bytes())
    assert len(set(bytes_of)) == 1


def test_an_axis_goes_to_its_value_in_one_timing(snapshot):
    for profile in ("linear", "345", "trapezoid", "jerk", "time-optimal"):
        sim = wc.Simulator(snapshot)
        arm, pose = sim.robot("Arm"), down(2.4, 0.8, 0.8)
        with pytest.raises(Unreachable):
            arm.move_end_effector(pose)
        arm.move_end_effector(pose, axes=[2.5], profile=profile)
        assert sim.state.joints["track"][0] == 2.5
        assert max(arm.tool_pose.distance(pose)) < 1e-9
        one, other = sim.recording.moves
        assert (one.start, one.end) == (other.start, other.end)
        arm.move_end_effector(down(0.4, 0.8, 0.8), axes="500mm", profile=profile)
        assert sim.state.joints["track"][0] == 0.5
        for name in ("track", "Arm"):
            robot = snapshot.robot(name).robot
            accelerations = None if profile == "linear" else robot.accelerations
            for piece in sim.recording.way(name).pieces:
                assert violations(piece.motion, Limits(robot.speeds, accelerations, position=robot.limits)) == ()


@pytest.mark.parametrize("profile", ["linear", "trapezoid", "jerk", "time-optimal"])
def test_a_line_beyond_the_reach_of_the_arm_is_straight_while_the_rail_moves(snapshot, profile):
    sim = wc.Simulator(snapshot)
    arm = sim.robot("Arm")
    start, goal = down(-0.4, 0.9, 0.7), down(3.0, 0.8, 1.0, 0.8)
    arm.move_end_effector(start, axes="best")
    with pytest.raises((Unreachable, KinematicsError, wc.errors.MotionError)):
        arm.move_straight_line(goal)
    before = sim.now
    arm.move_straight_line(goal, axes="best", profile=profile)
    assert max(arm.tool_pose.distance(goal)) < 2e-6
    recording = Recording.from_bytes(sim.recording.to_bytes())
    one, other = recording.moves[-2:]
    assert (one.start, one.end) == (other.start, other.end) == (before, sim.now)
    assert {one.kind, other.kind} == {"line"}
    assert np.ptp([recording.state_at(t).joints["track"][0] for t in (before, sim.now)]) > 1.0
    way = goal.xyz - start.xyz
    for time in np.random.default_rng(1).uniform(before, sim.now, 200):
        hand = snapshot.tool_pose(recording.state_at(float(time)), "Arm")
        off = hand.xyz - start.xyz
        share = off @ way / (way @ way)
        assert np.linalg.norm(off - share * way) < 2e-6
        turned = Pose.from_rotation(start.rotation) @ Pose.from_axis_angle((0, 0, -1), 0.8 * share)
        assert turned.distance(Pose.from_rotation(hand.rotation))[1] < 5e-5
    for name in ("track", "Arm"):
        robot = snapshot.robot(name).robot
        accelerations = None if profile == "linear" else robot.accelerations
        for piece in recording.way(name).pieces[-1:]:
            assert violations(piece.motion, Limits(robot.speeds, accelerations, position=robot.limits)) == ()


def test_circles_paths_and_shifts_take_the_rail_along(snapshot):
    sim = wc.Simulator(snapshot)
    arm = sim.robot("Arm")
    arm.move_end_effector(down(0.0, 0.9, 0.8), axes="best")
    via, end = [1.2, 0.6, 0.8], down(2.4, 0.9, 0.8)
    arm.move_circular(via, end, axes="best", hand_speed=0.4)
    assert max(arm.tool_pose.distance(end)) < 2e-6
    centre_y = (0.9**2 - 0.6**2 + 1.2**2) / (2 * (0.9 - 0.6))
    move = next(one for one in sim.recording.moves if one.kind == "circle")
    places = [
        snapshot.tool_pose(sim.recording.state_at(float(t)), "Arm").xyz for t in np.linspace(move.start, move.end, 100)
    ]
    radii = np.linalg.norm(np.array(places)[:, :2] - [1.2, centre_y], axis=1)
    assert np.abs(radii - (centre_y - 0.6)).max() < 2e-6
    speeds = np.linalg.norm(np.diff(places, axis=0), axis=1) / (move.end - move.start) * 99
    assert speeds.max() <= 0.4 * (1 + 1e-6)
    arm.move_path([down(1.2, 0.9, 0.9), down(0.0, 0.9, 0.8)], blend=0.1, axes="best")
    assert max(arm.tool_pose.distance(down(0.0, 0.9, 0.8))) < 2e-6
    arm.move_hand(Pose.from_xyz(2.0, 0.0, 0.0), axes="best", frame="world")
    assert max(arm.tool_pose.distance(down(2.0, 0.9, 0.8))) < 4e-6


def test_a_held_and_slowed_line_stays_straight(snapshot):
    sim = wc.Simulator(snapshot)
    arm = sim.robot("Arm")
    start, goal = down(-0.2, 0.9, 0.8), down(2.8, 0.9, 0.8)
    arm.move_end_effector(start, axes="best")
    begin = sim.time
    rng = np.random.default_rng(3)

    def work(sim):
        yield arm.move_straight_line(goal, axes="best")

    def meddle(sim):
        for _ in range(30):
            yield float(rng.uniform(0.01, 0.2))
            drive = sim.drives.get("Arm")
            if drive is None:
                return
            name = ("Arm", "track", "Cell")[rng.integers(3)]
            if drive.rate == 0.0:
                sim.resume(name)
            elif rng.integers(3) == 0:
                sim.hold(name)
            else:
                sim.override(float(rng.uniform(5.0, 100.0)), name)
        sim.override(100)
        sim.resume()

    run(sim, {"work": work, "meddle": meddle})
    assert sum(isinstance(event, RateChanged) for event in sim.recording.events) > 20
    assert max(arm.tool_pose.distance(goal)) < 2e-6
    for time in rng.uniform(begin, sim.now, 300):
        hand = snapshot.tool_pose(sim.recording.state_at(float(time)), "Arm")
        assert np.abs(hand.xyz[1:] - [0.9, 0.8]).max() < 2e-6


def test_what_cannot_be_reached_from_anywhere_tells_the_nearest_miss(snapshot):
    sim = wc.Simulator(snapshot)
    arm, pose = sim.robot("Arm"), down(1.5, 2.2, 0.8)
    with pytest.raises(
        Unreachable, match=r"Arm cannot bring its hand there with any values of its axes: the nearest that it comes is"
    ) as caught:
        arm.move_end_effector(pose, axes="best")
    evidence = caught.value.evidence
    # The nearest is abreast of the pose; nowhere is it nearer by more than the search is fine.
    misses = []
    for value in np.linspace(0.0, 4.0, 41):
        base = snapshot.base_pose(sim.state.with_joints("track", np.array([value])), "Arm")
        misses.append(explain(arm.robot.chain, base.inverse() @ pose, arm.robot.limits).metres)
    assert evidence["metres"] <= min(misses) + 5e-3
    with pytest.raises(Unreachable, match="With travel of track at 10 mm"):
        arm.move_end_effector(down(3.0, 0.8, 0.8), axes=[0.01])
    assert sim.time == 0.0


def test_wrong_wishes_are_refused_in_a_sentence(snapshot):
    sim = wc.Simulator(snapshot)
    arm, pose = sim.robot("Arm"), down(0.3, 0.8, 0.8)
    for axes, message in (
        ("1200", "needs a unit, such as 1200mm or 30deg"),
        ("left", "held, best or values such as 1200mm,30deg; found 'left'"),
        ("30deg", "is a length, such as 1200mm; found 30deg"),
        ("1m,2m", "has 1 external axis (travel of track); found 2 values"),
        ([math.nan], "must be finite"),
    ):
        with pytest.raises(InvalidValue) as caught:
            arm.move_end_effector(pose, axes=axes)
        assert message in str(caught.value)
    with pytest.raises(JointLimit, match="travel of track"):
        arm.move_end_effector(pose, axes="9m")
    with pytest.raises(Refused, match=r"straight line in steps .* holds all axes"):
        arm.move_straight_line(pose, axes="best", step=0.01)
    with built(RAIL) as plain, pytest.raises(Refused, match="Arm belongs to no machine and has no axes to place"):
        wc.Simulator(plain).robot("Arm").move_end_effector(pose, axes="best")
    assert checked_axes("1200mm, best,held") == "1200mm,best,held"


# ---- work on a positioner, a gantry -----------------------------------------------------------------------

WORK = """
add positioner Table at 1500,1100,0
add solid part box 200 200 100 at 1500,1100,962 --movable
ride part on Table
keep state
create machine Cell of track of Arm of Table
"""


def test_poses_that_go_with_the_work_are_reached_wherever_the_positioner_stands():
    with built(RAIL, WORK) as cell:
        snapshot = cell.snapshot()
    sim = wc.Simulator(snapshot)
    arm = sim.robot("Arm")
    # At the far side of the part, seen sideways from there: the table must turn it to the arm.
    X_part_hand = Pose.from_xyz(0.0, 0.12, 0.0) @ Pose.from_axis_angle((1, 0, 0), math.pi / 2)
    asked = snapshot.body_pose(sim.state, "part") @ X_part_hand
    arm.move_end_effector(asked, axes=["best", 0.0, math.pi], work="part")
    found = snapshot.body_pose(sim.state, "part").inverse() @ arm.tool_pose
    assert max(found.distance(X_part_hand)) < 1e-9
    assert np.allclose(sim.state.joints["Table"], [0.0, math.pi])
    # Of all places of rail and table none that is sampled is better.
    sim = wc.Simulator(snapshot)
    arm = sim.robot("Arm")
    external = ExternalAxes(sim, snapshot.robot("Arm"), "part")
    end = external.placed("best", asked.matrix[None], Pose.identity(), "nearest")
    best = external.measure(end[None], asked.matrix[None], "nearest")[0]
    rng = np.random.default_rng(2)
    low, high = external.machine.limits.T
    others = external.measure(rng.uniform(low, high, (1000, 3)), asked.matrix[None], "nearest")
    assert best >= others.max() - 2e-6
    arm.move_end_effector(asked, axes="best", work="part")
    assert max((snapshot.body_pose(sim.state, "part").inverse() @ arm.tool_pose).distance(X_part_hand)) < 1e-9
    # A line on the part while the table turns.
    shift = Pose.from_xyz(0.05, 0.0, 0.0)
    goal = snapshot.body_pose(sim.state, "part") @ shift @ X_part_hand
    table = sim.state.joints["Table"]
    before = sim.now
    arm.move_straight_line(goal, axes=["held", float(table[0]) + 0.1, float(table[1]) - 0.2], work="part")
    assert np.allclose(sim.state.joints["Table"], table + [0.1, -0.2])
    for time in np.linspace(before, sim.now, 60):
        state = sim.recording.state_at(float(time))
        on = snapshot.body_pose(state, "part").inverse() @ snapshot.tool_pose(state, "Arm")
        assert np.abs(on.xyz[1:] - X_part_hand.xyz[1:]).max() < 3e-6
        assert on.distance(X_part_hand)[1] < 5e-5


def test_no_axis_of_a_gantry_runs_into_another():
    with built("add gantry portal 4000 2000 3000 down 1000") as cell:
        snapshot = cell.snapshot()
    model = collision_model(snapshot)
    for place in itertools.product((0.0, 4.0), (0.0, 2.0), (0.0, 1.0)):
        assert not check(model, snapshot.initial.with_joints("portal", np.array(place))).contacts


def test_a_robot_that_is_a_gantry_keeps_its_hand():
    with built("create robot Whole gantry") as cell:
        assert wc.Simulator(cell).robot("Whole").has_hand


def test_arms_without_a_closed_form_are_placed_roughly():
    lines = "add rail track 3000\ncreate robot Arm panda\nmount Arm on track\ncreate machine Cell of track of Arm"
    with built(lines) as cell:
        sim = wc.Simulator(cell)
    arm = sim.robot("Arm")
    goal = Pose.from_xyz(2.0, 0.0, 0.0) @ arm.tool_pose
    arm.move_end_effector(goal, axes="best")
    assert max(arm.tool_pose.distance(goal)) < 1e-6
    assert 1.0 < sim.state.joints["track"][0] < 3.0


def test_an_arm_that_hangs_from_a_gantry_goes_everywhere_below_it():
    with built(
        "add gantry portal 4000 2000 3000 down 1000\ncreate robot Arm irb140 joints 0,0,0,0,60,0\nmount Arm on portal",
        "create machine Portal of portal of Arm",
    ) as cell:
        snapshot = cell.snapshot()
    assert not wc.Simulator(snapshot).robot("portal").has_hand
    base = snapshot.base_pose(snapshot.initial, "Arm")
    assert np.allclose(base.rotation[:, 2], [0, 0, -1])
    assert base.xyz[2] == pytest.approx(2.7)
    sim = wc.Simulator(snapshot)
    arm = sim.robot("Arm")
    for pose in (down(0.5, 0.3, 1.3), down(3.6, 1.8, 1.5, 1.0)):
        arm.move_end_effector(pose, axes="best")
        assert max(arm.tool_pose.distance(pose)) < 1e-9
    arm.move_straight_line(down(3.4, 1.6, 1.4, 1.0), axes=["held", "held", "best"])
    assert len(sim.machine("Portal").joints) == 9
    with pytest.raises(InvalidValue, match="would hit the floor"):
        gantry(1.0, 1.0, 2.0, drop=2.0)


def test_swapping_the_robot_and_moving_it_along_by_hand_keeps_the_axes(snapshot):
    with built(RAIL, MACHINE) as cell:
        cell.do("replace robot Arm with irb140")
        cell.do("move-joints-absolute track 3000")
        sim = wc.Simulator(cell, state=cell.session.state)
        arm, pose = sim.robot("Arm"), down(0.3, 0.4, 0.7)
        with pytest.raises(Unreachable):
            arm.move_end_effector(pose)
        arm.move_end_effector(pose, axes="best")
        assert max(arm.tool_pose.distance(pose)) < 1e-9
        assert sim.state.joints["track"][0] < 1.7
