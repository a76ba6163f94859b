"""Reports with clearance and limits, every profile by name, circles through an orientation, refusals, the pace."""

from __future__ import annotations

import itertools
import math
import threading

import numpy as np
import pytest
from click.testing import CliRunner
from simulation_poses import down

import workcell as wc
from workcell.cli import main
from workcell.collision.bodies import collision_model
from workcell.collision.clearance import clearance, clearance_of
from workcell.errors import Cancelled, GraspFailed, InvalidValue, MissingDependency, Refused, Unreachable, WorkcellError
from workcell.kinematics.structure import reach_of
from workcell.motion.curve import HandCurve
from workcell.motion.named_profiles import PROFILES
from workcell.simulation.clock import Pacer
from workcell.simulation.gantt import gantt
from workcell.simulation.plots import Bar
from workcell.simulation.report import report
from workcell.spatial.pose import Pose

HOME = "0,0,-90,0,90,0"


@pytest.fixture
def posted():
    with wc.Cell() as cell:
        cell.do(f"create robot Puma puma560 joints {HOME}")
        cell.do("add solid post box 50 50 1400 at 550,450,700")
        cell.do("add solid crate box 50 50 50 at 900,-500,25 --movable")
        yield cell


def test_the_least_clearance_of_a_move_is_that_of_its_samples(posted):
    sim = wc.Simulator(posted)
    robot = sim.robot("Puma")
    robot.move_joints_relative(np.radians([15, 0, 0, 0, 0, 0]), "345")
    robot.move_joints_relative(np.radians([-15, 0, 0, 0, 0, 0]))
    sim.move_solid("crate", [Pose.from_xyz(0.7, -0.3, 0.2)], speed=0.2)
    assert report(sim.snapshot, sim.recording).moves[0].clearance is None
    model, seen = collision_model(sim.snapshot), []
    found = report(sim.snapshot, sim.recording, model, lambda share, message: seen.append((share, message)))
    assert [share for share, _ in seen] == [0.0, pytest.approx(1 / 3), pytest.approx(2 / 3)]
    for one in found.moves:
        times = sim.recording.times
        inside = times[(times >= one.move.start) & (times <= one.move.end)]
        states = [sim.recording.state_at(float(time)) for time in inside]
        looked = [
            clearance_of(model, state, "Puma", own=False)
            if one.move.device == "Puma"
            else clearance(model, state, own=False)
            for state in states
        ]
        least = min(looked, key=lambda near: near.distance)
        assert one.clearance == pytest.approx(least.distance, abs=1e-9)
        own = min(clearance(model, state, own=True).distance for state in states)
        assert one.own == pytest.approx(own, abs=1e-9)
        assert set(one.nearest[0]) == {least.first, least.second}
    assert found.moves[2].hand_path == pytest.approx(np.linalg.norm([0.2, 0.2, 0.175]))
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        report(sim.snapshot, sim.recording, model, None, stop)


def test_the_report_says_how_near_and_which_joint_bound_when(posted):
    posted.do("move-joints-relative Puma 15,0,0,5,0,0 profile trapezoid")
    posted.do("move-solid crate through 700,-300,200 in 2s")
    answer = posted.do("report --clearance --limits")
    line = answer.moves[0]
    assert 0.0 < line.clearance < 0.5
    assert line.nearest_at is not None
    kinds = [(joint, kind) for joint, kind, _, _ in line.bound]
    assert kinds == [(1, "acceleration"), (1, "speed"), (1, "acceleration")]
    assert line.bound[0][2] == 0.0
    assert line.bound[-1][3] == pytest.approx(line.duration)
    assert "joint 1 at its speed limit from" in str(answer)
    assert f"clearance [{posted.session.units.length}]" in str(answer)
    assert "clearance" not in str(posted.do("report")).splitlines()[0]


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_is_reached_by_command_and_says_what_binds(posted, profile):
    try:
        posted.do(f"profile Puma {profile}")
        answer = posted.do("move-joints-relative Puma 20,10,0,5,0,0")
        line = posted.do("move-hand Puma 0,0,-40 along world")
    except MissingDependency:
        assert profile == "toppra"
        return
    assert answer.limited in {"speed of joint 1", "acceleration of joint 1", "jerk of joint 1", "shape of its profile"}
    moves = posted.session.recording.moves
    assert [move.profile for move in moves] == [profile, profile]
    assert line.deviation <= 1e-6
    assert moves[0].bound
    for joint, _, start, end in moves[0].bound:
        assert 1 <= joint <= 6
        assert 0.0 <= start <= end <= moves[0].duration + 1e-9


def test_a_circle_may_go_through_the_orientation_of_its_via_pose(posted):
    turn = Pose.from_axis_angle((0, 0, 1), 0.4)
    start, end = down(0.5, -0.15, 0.5), down(0.5, 0.05, 0.5)
    via = Pose.from_xyz(0.55, -0.05, 0.5) @ turn @ Pose.from_xyz(-0.55, 0.05, -0.5) @ down(0.55, -0.05, 0.5)
    curve = HandCurve.arc(start, via, end, "via")
    apart = [curve.pose(s).distance(via) for s in np.linspace(0.0, curve.length, 2001)]
    metres, radians = min(apart)
    assert metres < 1e-4
    assert radians < 2e-3
    assert max(curve.end.distance(end)) < 1e-9
    assert max(curve.start.distance(start)) < 1e-12
    # The bound on its turning holds.
    poses = [curve.pose(s) for s in np.linspace(0.0, curve.length, 801)]
    turns = [a.distance(b)[1] for a, b in itertools.pairwise(poses)]
    assert max(turns) <= curve.pace[1] * curve.length / 800 * (1 + 1e-6)
    posted.do("move-end-effector Puma 500,-150,500 euler fanuc_wpr 180,0,180")
    answer = posted.do(
        "move-circular Puma 550,-50,500 euler fanuc_wpr 180,0,160 to 500,50,500 euler fanuc_wpr 180,0,180 "
        "orientation via profile 345"
    )
    assert answer.deviation <= 1e-6
    assert posted.call(
        "move-circular", robot="Puma", via=[0.55, -0.05, 0.5], pose=down(0.5, -0.15, 0.5).matrix.tolist()
    )
    assert posted.replayed().state == posted.state
    with pytest.raises(InvalidValue, match="on a circle"):
        wc.Simulator(posted).robot("Puma").move_straight_line(end, orientation="via")


@pytest.mark.parametrize("far", ["3000,0,500 euler fanuc_wpr 180,0,180", "500,0,500", "900,900,100", "0,0,2500"])
def test_an_unreachable_pose_is_refused_with_the_nearest_one_which_can_be_reached(posted, far):
    with pytest.raises(Unreachable, match=r"That pose is .* mm euler fanuc_wpr .* degrees in the world\.") as caught:
        posted.do(f"move-end-effector Puma {far}")
    text = str(caught.value)
    pose = text.partition("That pose is ")[2].removesuffix(" degrees in the world.").replace(" mm", "")
    answer = posted.do(f"move-end-effector Puma {pose}")
    assert answer.duration > 0.0


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("move-end-effector Puma 3000,0,500", "That pose is"),
        ("move-straight-line Puma 3000,0,500 orientation keep", "only up to"),
        ("move-path Puma through 500,-100,600 through 500,0,600 blend 500 orientation keep", "does not fit"),
        ("speed Puma 0", "more than zero"),
        ("speed Puma -1rad/s", "more than zero"),
        ("move-hand Puma 0,0,10 speed 0", "more than zero"),
        ("close-gripper Puma", "closes on nothing"),
        ("together move-hand Puma 0,0,-9 & move-hand Puma 0,0,-9", "two moves at once"),
        ("wait -1", "zero to"),
        ("step 0", "more than zero"),
        ("move-circular Puma 500,-100,500 to 500,-50,500 orientation via", "No circle goes through"),
    ],
)
def test_bad_input_is_one_clear_line_and_nothing_moves(posted, line, words):
    posted.do("move-end-effector Puma 500,-150,500 euler fanuc_wpr 180,0,180")
    before, steps, data = posted.state, len(posted.journal), posted.session.recording.to_bytes()
    with pytest.raises(WorkcellError, match=words) as caught:
        posted.do(line)
    assert "\n" not in str(caught.value)
    assert (posted.state, len(posted.journal)) == (before, steps)
    assert posted.session.recording.to_bytes() == data


def test_a_line_to_the_far_side_of_a_singularity_is_refused_by_name(posted):
    posted.do("move-end-effector Puma 500,-150,500 euler fanuc_wpr 180,0,180")
    before = posted.state
    with pytest.raises(WorkcellError, match=r"singular|range|reach|only up to"):
        posted.do("move-straight-line Puma -500,-150,500 orientation keep")
    assert posted.state == before
    assert issubclass(GraspFailed, WorkcellError)
    assert issubclass(Refused, WorkcellError)


def test_the_pace_holds_a_run_back(tmp_path):
    clock, slept = [0.0], []

    def sleep(seconds):
        slept.append(seconds)
        clock[0] += seconds

    pacer = Pacer(2.0, now=lambda: clock[0], sleep=sleep)
    assert pacer.reached(3.0) == pytest.approx(1.5)
    clock[0] += 5.0
    assert pacer.reached(4.0) == pytest.approx(6.5)
    assert slept == [pytest.approx(1.5)]
    pacer.reached(0.0)
    assert pacer.reached(1.0) == pytest.approx(0.5)
    assert Pacer(math.inf, now=lambda: clock[0], sleep=sleep).reached(1e9) == 0.0
    for wrong in (0.0, -1.0, math.nan):
        with pytest.raises(InvalidValue, match="more than zero"):
            Pacer(wrong)
    program = tmp_path / "wait.txt"
    program.write_text("wait 0.1\n")
    for pace, code in (("max", 0), ("real", 0), ("50", 0), ("step", 0), ("fast", 1), ("0", 1)):
        answer = CliRunner().invoke(main, ["run", str(program), "--pace", pace])
        assert answer.exit_code == code, answer.output


def test_peaks_are_those_of_the_polynomials(cell):
    cell.do("create robot A puma560 joints 0,0,-90,0,90,0")
    cell.do("move-joints-relative A 0.05rad,0,0,0,0,0 profile trapezoid")
    robot = cell.snapshot().robot("A").robot
    (move,) = report(cell.snapshot(), cell.session.recording).moves
    assert move.peak_speed[0] == pytest.approx(np.sqrt(robot.accelerations[0] * 0.05), rel=1e-8)
    assert move.peak_speed[1:] == pytest.approx(np.zeros(5))


def test_the_least_distance_to_a_singularity_is_that_of_all_samples(cell):
    cell.do("create robot A puma560 joints 0,40,-120,30,50,0")
    cell.do("move-joints-relative A 40,-30,60,-60,-90,0")  # the wrist passes its singularity
    robot = cell.snapshot().robot("A").robot
    recording = cell.session.recording
    (move,) = report(cell.snapshot(), recording).moves
    least = np.inf
    for q in recording.column("A")[1]:
        matrix = np.array(robot.jacobian(q))
        matrix[:3] /= reach_of(robot.chain)
        least = min(least, np.linalg.svd(matrix, compute_uv=False)[-1])
    assert move.singularity == pytest.approx(least, rel=1e-9)
    assert least < 0.02


def test_a_path_keeps_the_speed_of_the_robot_and_says_which_joint_binds(cell):
    cell.do("create robot Puma puma560 joints 0,60,-190,0,40,0")
    cell.do("targets along-curve arch normal 0,0,1 through (500,-150,300) (550,0,350) (500,150,300) spacing 30")
    cell.do("speed Puma 5deg/s")
    cell.do("move-along Puma arch speed 500mm/s")
    moves = cell.session.recording.moves
    for move in moves:
        assert max(move.peaks) <= np.radians(5.0) * (1.0 + 1e-9)
    curve = next(move for move in moves if move.kind == "curve")
    assert curve.limited.startswith("speed of joint")
    assert curve.bound


def test_a_gantt_chart_marks_a_gripper_in_the_row_of_its_robot(pick):
    pick.do("create robot B puma560 at 0,2000,0")
    pick.do("move-end-effector Puma 500,-150,20 euler fanuc_wpr 180,0,180 of grip")
    pick.do("close-gripper Puma")
    pick.do("move-joints-relative B 10,0,0,0,0,0")
    bars = [mark for mark in gantt(pick.session.recording).marks if isinstance(mark, Bar)]
    (grip,) = [bar for bar in bars if bar.title == "Puma takes cube"]
    rows = {bar.title.split(",")[0]: bar.box[1] for bar in bars if " s, " in bar.title}
    assert abs(grip.box[1] - rows["end effector"]) < abs(grip.box[1] - rows["joints"])
    kinds = {bar.title: bar.colour for bar in bars if bar.box[2] == 10.0}
    assert set(kinds) == {"end effector", "joints"}
    assert len(set(kinds.values())) == 2
