"""Moves of the hand and the joints: exact, within the limits, or refused in one line."""

from __future__ import annotations

import numpy as np
import pytest
from simulation_poses import down

import workcell as wc
from workcell.errors import InvalidValue, JointLimit, MotionError, Refused, UnknownName, Unreachable, WorkcellError
from workcell.motion.named_profiles import PROFILES, along, composed, limits_of
from workcell.motion.profiles import trapezoid_duration
from workcell.motion.table import from_function, from_table
from workcell.motion.trajectory import Trajectory
from workcell.spatial.pose import Pose


def hands(sim, robot, start):
    """Where the hand was at every sample since a time, and densely between (N, 4, 4)."""
    times = np.linspace(start, sim.time, 400)
    return robot.robot.fk_batch(sim.recording.joints_at(times)[robot.name])


@pytest.mark.parametrize("profile", PROFILES)
def test_a_straight_line_is_straight_and_ends_at_its_pose(puma, profile):
    sim, robot = puma
    start, first = sim.time, robot.tool_pose
    goal = Pose.from_xyz(0.05, 0.15, -0.1) @ first
    robot.move_straight_line(goal, profile=profile)
    move = sim.recording.moves[-1]
    assert move.deviation <= 1e-6
    metres, radians = robot.tool_pose.distance(goal)
    assert metres < 1e-6
    assert radians < 1e-5
    X = hands(sim, robot, start)
    along_line = (goal.xyz - first.xyz) / np.linalg.norm(goal.xyz - first.xyz)
    rel = X[:, :3, 3] - first.xyz
    # Between samples the recording is straight in the joints: its resolution of 1e-5 rad adds to the deviation.
    assert np.linalg.norm(rel - np.outer(rel @ along_line, along_line), axis=1).max() < 2e-5
    assert np.abs(X[:, :3, :3] - first.rotation).max() < 1e-4


@pytest.mark.parametrize("profile", [name for name in PROFILES if name != "linear"])
def test_limits_are_kept_at_every_instant_of_the_polynomials(puma, profile):
    from workcell.motion.curve import HandCurve
    from workcell.motion.follow import follow

    sim, robot = puma
    solve, forward = robot._solver("tool")
    poses = [robot.tool_pose, down(0.55, 0.0, 0.55), down(0.5, 0.1, 0.6)]
    path = follow(HandCurve.polyline(poses, 0.02), solve, forward, robot.joints, tolerance=1e-5).path
    motion = along(robot.robot, path, profile, 0.7)
    limits = limits_of(robot.robot, 0.7)
    assert (motion.max_speed() <= limits.speed).all()
    assert (motion.max_acceleration() <= limits.acceleration).all()
    if profile == "jerk":
        assert (motion.max_jerk() <= limits.jerk).all()
    assert np.allclose(motion.end, path.end, atol=1e-9)
    for share in np.linspace(0.0, 1.0, 9):
        q = motion.position(share * motion.duration)
        assert min(np.abs(path.sample(np.linspace(0, path.length, 4000)) - q).max(axis=1)) < 2e-3
    del sim


def test_composition_is_the_function_of_the_function():
    curve = Trajectory(np.array([0.0, 1.0, 3.0]), np.array([[[0.0], [1.0], [0.5]], [[1.5], [2.0], [-0.1]]]))
    progress = Trajectory(np.array([0.0, 1.0, 2.0]), np.array([[[0.0], [0.0], [1.0]], [[1.0], [2.0], [0.0]]]))
    both = composed(curve, progress)
    for t in np.linspace(0.0, 2.0, 41):
        assert both.position(t)[0] == pytest.approx(curve.position(progress.position(t)[0])[0], abs=1e-12)


def test_the_thesis_line_keeps_orientation_and_reports_its_error(puma):
    sim, robot = puma
    first = robot.tool_pose
    goal = down(0.6, 0.1, 0.5)
    errors = []
    for step in (0.05, 0.025, 0.0125):
        robot.move_straight_line(goal, step=step, orientation="keep")
        errors.append(sim.recording.moves[-1].deviation)
        assert np.allclose(robot.tool_pose.rotation, first.rotation, atol=1e-9)
        robot.move_end_effector(first)
    # Straight joint lines between places: the error falls with the square of the step.
    assert errors[0] > 1e-5
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.2)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.2)


def test_a_circle_has_one_radius(puma):
    sim, robot = puma
    start, first = sim.time, robot.tool_pose
    via, goal = first.xyz + [0.05, 0.05, 0.0], Pose.from_xyz(0.0, 0.1, 0.0) @ first
    robot.move_circular(via, goal)
    centre = first.xyz + [0.0, 0.05, 0.0]
    radius = np.linalg.norm(hands(sim, robot, start)[:, :3, 3] - centre, axis=1)
    assert np.abs(radius - 0.05).max() < 2e-5
    assert robot.tool_pose.distance(goal)[0] < 1e-6


def test_a_path_passes_near_its_corners_by_the_blend(puma):
    sim, robot = puma
    start, first = sim.time, robot.tool_pose
    corner = first.xyz + [0.0, 0.1, 0.0]
    poses = [Pose.from_xyz(0.0, 0.1, 0.0) @ first, Pose.from_xyz(0.1, 0.1, 0.0) @ first]
    robot.move_path(poses, blend=0.02, hand_speed=0.1)
    away = np.linalg.norm(hands(sim, robot, start)[:, :3, 3] - corner, axis=1).min()
    assert 1e-3 < away < 0.02
    start = sim.time
    robot.move_path([Pose.from_xyz(0.0, 0.1, 0.0) @ first, first])
    assert np.linalg.norm(hands(sim, robot, start)[:, :3, 3] - corner, axis=1).min() < 1e-3


def test_the_hand_is_never_faster_than_asked(puma):
    sim, robot = puma
    start, first = sim.time, robot.tool_pose
    took = robot.move_straight_line(Pose.from_xyz(0.0, 0.2, 0.0) @ first, hand_speed=0.05, profile="linear")
    assert 4.0 <= took <= 4.0001  # its way on polynomials is a little longer than the line
    X = hands(sim, robot, start)[:, :3, 3]
    assert np.linalg.norm(np.diff(X, axis=0), axis=1).max() / (took / 399) < 0.0502
    took = robot.move_straight_line(first, hand_speed=0.05, profile="time-optimal")
    assert took > 4.0
    assert sim.recording.moves[-1].limited in {"speed of the hand"} | {
        f"acceleration of joint {j}" for j in range(1, 7)
    }


def test_small_moves_of_the_hand_in_its_own_frame_and_in_the_world(puma):
    _, robot = puma
    first = robot.tool_pose
    robot.move_hand(Pose.from_xyz(0.01, 0.02, 0.03))
    assert robot.tool_pose.distance(first @ Pose.from_xyz(0.01, 0.02, 0.03))[0] < 1e-6
    robot.move_hand(Pose.from_xyz(-0.01, 0.0, 0.05), frame="world")
    assert np.allclose(robot.tool_pose.xyz, (first @ Pose.from_xyz(0.01, 0.02, 0.03)).xyz + [-0.01, 0, 0.05], atol=1e-6)
    before = robot.tool_pose
    robot.move_hand(Pose.from_axis_angle((0, 0, 1), 0.3))
    assert robot.tool_pose.distance(before)[1] == pytest.approx(0.3, abs=1e-4)
    assert robot.move_hand(Pose.identity()) == 0.0


def test_durations_are_the_closed_forms(puma):
    _, robot = puma
    robot.speed(0.3)
    top, rate = np.minimum(robot.robot.speeds, 0.3), robot.robot.accelerations
    dq = np.radians([10.0, -5.0, 8.0, 12.0, -20.0, 4.0])
    took = robot.move_joints_relative(dq, "trapezoid")
    v, a = (top / np.abs(dq)).min(), (rate / np.abs(dq)).min()
    assert took == pytest.approx(trapezoid_duration(1.0, v, a), rel=1e-9)
    # The S-curve from rest to rest that reaches full speed: Δ/v + v/a + a/j, or 2√(v/j) where a is not reached.
    j = (rate / 0.1 / np.abs(dq)).min()
    ramps = v / a + a / j if v * j >= a * a else 2.0 * np.sqrt(v / j)
    assert robot.move_joints_relative(-dq, "jerk") == pytest.approx(1.0 / v + ramps, rel=1e-9)
    assert robot.move_joints_relative(dq, "linear") == pytest.approx(1.0 / v, abs=1e-9)
    assert robot.move_joints_relative(-dq, "time-optimal") == pytest.approx(trapezoid_duration(1.0, v, a), rel=1e-3)


def test_samples_read_between_are_within_the_resolution(puma):
    sim, robot = puma
    from workcell.motion.named_profiles import joint_line

    begin, q0 = sim.time, robot.joints
    q1 = q0 + np.radians([30, 10, -20, 5, 40, -10])
    motion = joint_line(robot.robot, q0, q1, "345", robot._speed)
    robot.move_joints_absolute(q1, "345")
    times = np.linspace(0.0, motion.duration, 1003)
    assert np.abs(sim.recording.joints_at(begin + times)["Puma"] - motion.sample(times)).max() <= 1.01e-5


def test_branches_by_policy_and_by_name(puma):
    _, robot = puma
    pose = robot.tool_pose
    found = robot.robot.ik(pose)
    inside = [solution for solution in found if solution.within_limits]
    assert len(inside) > 1
    for solution in inside:
        robot.move_end_effector(pose, branch=solution.label)
        assert robot.tool_pose.distance(pose)[0] < 1e-9
        again = next(one for one in robot.robot.ik(pose) if one.label == solution.label)
        assert np.allclose(np.cos(again.q), np.cos(robot.joints), atol=1e-9)
        robot.move_end_effector(pose, branch=solution.index)
        assert robot.move_end_effector(pose, branch="nearest") == 0.0
    for policy in ("roomiest", "agent"):
        robot.move_end_effector(pose, branch=policy)
        assert robot.tool_pose.distance(pose)[0] < 1e-9


def test_tables_and_functions_of_time_are_followed_and_checked(puma):
    sim, robot = puma
    q = robot.joints
    rows = np.array([q, q + 0.1, q + 0.05])
    assert robot.follow(from_table([0.0, 1.0, 2.0], rows)) == 2.0
    assert np.allclose(robot.joints, q + 0.05)
    here = robot.joints
    robot.follow(from_function(lambda t: here + 0.1 * np.sin(t), 3.0))
    assert np.allclose(robot.joints, here + 0.1 * np.sin(3.0), atol=1e-6)
    before = sim.state
    with pytest.raises(MotionError, match="starts with joint 3 at"):
        robot.follow(from_table([0.0, 1.0], rows[:2] + 0.5))
    with pytest.raises(MotionError, match="speed limit"):
        robot.follow(from_table([0.0, 0.01], np.array([robot.joints, robot.joints + 0.5]), "linear"))
    assert sim.state is before


def test_refusals_are_one_line_and_move_nothing(puma):
    sim, robot = puma
    first = robot.tool_pose
    before, bytes_before = sim.state, sim.recording.to_bytes()
    near = Pose.from_xyz(0.0, 0.1, 0.0) @ first
    for call, error, words in [
        (lambda: robot.move_end_effector(down(3.0, 0.0, 0.5)), Unreachable, "nearest reachable pose is .* mm"),
        (lambda: robot.move_straight_line(down(3.0, 0.0, 0.5)), Unreachable, "only up to .* %"),
        (lambda: robot.move_straight_line(down(-0.5, -0.1, 0.6)), WorkcellError, "range|singularity"),
        (lambda: robot.move_path([near, first], blend=0.5), MotionError, "does not fit: segment"),
        (lambda: robot.move_path([near], blend=-1.0), InvalidValue, "zero or more"),
        (lambda: robot.move_path([]), InvalidValue, "at least one pose"),
        (lambda: robot.move_circular(first.xyz + [0, 0.05, 0], near), MotionError, "lie on one line"),
        (lambda: robot.speed(0.0), InvalidValue, "more than zero"),
        (lambda: robot.speed(-1.0), InvalidValue, "more than zero"),
        (lambda: robot.speed(float("nan")), InvalidValue, "more than zero"),
        (lambda: robot.move_straight_line(near, hand_speed=0.0), InvalidValue, "above 0 m/s"),
        (lambda: robot.move_straight_line(near, tolerance=0.0), InvalidValue, "above 0 m"),
        (lambda: robot.move_straight_line(near, step=-1.0), InvalidValue, "above 0 m"),
        (lambda: robot.move_straight_line(near, profile="fast"), UnknownName, "motion profile"),
        (lambda: robot.move_straight_line(near, orientation="up"), InvalidValue, "'keep' or 'interpolate'"),
        (lambda: robot.move_end_effector(near, branch="left"), InvalidValue, "three signs"),
        (lambda: robot.move_end_effector(near, branch="+++"), JointLimit, "outside its limits"),
        (lambda: robot.move_joints_relative([4.0, 0, 0, 0, 0, 0]), JointLimit, "Joint 1"),
        (lambda: sim.wait_for("door"), UnknownName, "no signal"),
    ]:
        with pytest.raises(error, match=words) as caught:
            call()
        assert "\n" not in str(caught.value)
        assert sim.state is before
        assert sim.recording.to_bytes() == bytes_before


def test_a_linear_move_faster_than_a_joint_can_be_is_refused(puma):
    sim, robot = puma
    robot.speed(2.0)
    robot.profile("linear")
    before = sim.state
    with pytest.raises(
        MotionError, match=r"Joint 2 \(shoulder\) of puma560 would move at 114.592 °/s; its limit is 54"
    ):
        robot.move_joints_relative([0, 0.3, 0, 0, 0, 0])
    assert sim.state is before
    robot.move_joints_relative([0, 0, 0, 0.3, 0, 0])


def test_signals_are_set_seen_and_waited_for(cell):
    cell.do("create signal ready")
    cell.do("create robot Puma puma560")
    with pytest.raises(Refused, match="is 0 and nothing else runs that could make it 1"):
        cell.do("wait-for ready")
    cell.do("wait 1")
    cell.do("set-signal ready 1")
    cell.do("wait 1")
    assert str(cell.do("wait-for ready")) == "ready is 1"
    recording = cell.session.recording
    assert recording.state_at(0.5).signals["ready"] == 0.0
    assert recording.state_at(1.0).signals["ready"] == 1.0
    for _ in range(3):  # seeing it is a step of its own
        cell.do("undo")
    assert cell.state.signals.get("ready", 0.0) == 0.0


def test_moves_by_command_reach_targets_and_obey_the_robots_settings(cell):
    for line in (
        "create robot Puma puma560",
        "create target T1",
        "place T1 at 500,-100,500 euler fanuc_wpr 180,0,180",
        "profile Puma trapezoid",
        "branch Puma agent",
    ):
        cell.do(line)
    answer = cell.do("move-end-effector Puma T1")
    assert answer.limited
    assert cell.session.recording.moves[-1].profile == "trapezoid"
    tool = cell.session.simulator.robot("Puma").tool_pose
    assert np.allclose(tool.xyz, [0.5, -0.1, 0.5], atol=1e-9)
    line = cell.do("move-straight-line Puma 500,50,500 orientation keep")
    assert line.deviation <= 1e-6
    assert "off its curve by" in str(line)
    assert cell.call("move-hand", robot="Puma", by=Pose.from_xyz(0, 0, 0.02)).duration > 0.0
    state = cell.state
    assert cell.replayed().state == state
    cell.do("create target T2")
    with pytest.raises(Refused, match="stands in no scene"):
        cell.do("move-end-effector Puma T2")


@pytest.fixture
def two():
    with wc.Cell() as cell:
        cell.do("default-profile linear")
        cell.add_robot("puma560", name="A")
        cell.add_robot("puma560", name="B", at=Pose.from_xyz(0.0, 2.0, 0.0))
        yield cell


def test_moves_started_together_run_in_parallel_and_the_slowest_is_waited_for(two):
    sim = wc.Simulator(two)
    a, b = sim.robot("A"), sim.robot("B")
    a.speed(0.5)
    b.speed(0.5)
    with sim.together():
        first = a.move_joints_relative([0.5, 0, 0, 0, 0, 0])
        second = b.move_joints_relative([-0.25, 0, 0, 0, 0, 0])
    assert (first, second) == (pytest.approx(1.0), pytest.approx(0.5))
    assert sim.time == pytest.approx(1.0)
    middle = sim.recording.state_at(0.25)
    assert middle.joints["A"][0] == pytest.approx(0.125)
    assert middle.joints["B"][0] == pytest.approx(-0.125)
    assert sim.recording.state_at(0.75).joints["B"][0] == pytest.approx(-0.25)
    b.move_joints_relative([0.25, 0, 0, 0, 0, 0])
    assert sim.recording.state_at(1.0).joints["B"][0] == pytest.approx(-0.25)
    before = sim.state

    def both(first, second):
        with sim.together():
            first()
            second()

    def small():
        a.move_joints_relative([0.1, 0, 0, 0, 0, 0])

    for other, error, words in (
        (small, Refused, "A cannot make two moves at once"),
        (lambda: b.move_joints_relative([9.0, 0, 0, 0, 0, 0]), JointLimit, "Joint 1"),
        (lambda: sim.wait(1.0), Refused, "Only moves can start together"),
        (lambda: b.set_joints(b.joints), Refused, "Only moves can start together"),
    ):
        with pytest.raises(error, match=words):
            both(small, other)
    assert sim.state is before


def test_together_is_one_command_one_step_and_replays(two):
    answer = two.do("together move-joints-relative A 10,0,0,0,0,0 & move-joints-relative B 0,20,0,0,0,0")
    assert [move.robot for move in answer.moves] == ["A", "B"]
    assert answer.time == max(move.duration for move in answer.moves)
    assert two.replayed().state == two.state
    steps = len(two.journal)
    for line, words in (
        ("together move-joints-relative A 10,0,0,0,0,0", "Expected two or more moves"),
        ("together wait 1 & move-joints-relative A 1,0,0,0,0,0", "Only moves can start together"),
        ("together move-joints-relative A 1,0,0,0,0,0 & move-joints-relative A 1,0,0,0,0,0", "two moves at once"),
        ("together move-joints-relative A 1,0,0,0,0,0 & move-joints-relative B 999,0,0,0,0,0", "Joint 1"),
    ):
        with pytest.raises(WorkcellError, match=words):
            two.do(line)
    assert len(two.journal) == steps
