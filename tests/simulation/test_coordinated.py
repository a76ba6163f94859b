"""A robot and a mechanism that move as one machine."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.commands.moved import Moved
from workcell.errors import InvalidValue, MotionError, Refused, Unreachable, WorkcellError
from workcell.geometry.traces import edge_trace
from workcell.motion.downhand import Axes
from workcell.motion.limits import Limits, violations
from workcell.motion.seam import Seam
from workcell.motion.stacking import columns, stacked
from workcell.motion.targets import away, tool_poses
from workcell.motion.trajectory import Trajectory
from workcell.simulation.coordinated import Coordinated, coordinate, in_turn, perform, seam_moves, weld
from workcell.simulation.events import STOPS
from workcell.simulation.riding import ride
from workcell.spatial.pose import Pose

ROOT = Path(__file__).parents[2]
UP = np.array([0.0, 0.0, 1.0])
TEE = """
create robot Arm irb1600 at 0,0,400
add positioner Table at 1000,0,0 rotate 0,0,90
create block pipe cylinder 90 400
create block branch cylinder 50 260
combine tee union pipe rotate 0,90,0 branch translate 0,0,130
place tee at 1000,0,1002
create tool torch
fit tool torch to Arm tcp 0,0,315
"""


def built(text):
    cell = wc.Cell()
    for line in text.strip().splitlines():
        cell.do(line)
    return cell


def saddle(sim, spacing=0.012):
    """The seam of a branch on a pipe: its normals turn all the time, so both joints of the positioner must move."""
    trace = edge_trace(sim.snapshot.body("tee").solid, "pipe.side", "add1:branch.side", spacing=spacing, even=True)
    return trace, tool_poses(trace, tilt=math.radians(5)), away(trace)


def on_work(sim, robot, body, times, recording):
    """Tool poses in the frame of a body at times of a recording (N, 4, 4), and the body's rotations in the world."""
    found, turned = [], []
    names = [one.name for one in sim.snapshot.bodies]
    for time in times:
        state = recording.state_at(float(time))
        X_world_body = sim.snapshot.body_poses(state)[names.index(body)]
        found.append(np.linalg.inv(X_world_body) @ sim.snapshot.tool_pose(state, robot).matrix)
        turned.append(X_world_body[:3, :3])
    return np.array(found), np.array(turned)


# ---- the parts ------------------------------------------------------------------------------------------


def unit(values):
    vector = np.array(values)
    assume(np.linalg.norm(vector) > 0.1)
    return vector / np.linalg.norm(vector)


triples = st.tuples(*[st.floats(-1, 1)] * 3)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(first=triples, second=triples, direction=triples, up=triples, q=st.tuples(*[st.floats(-2.5, 2.5)] * 2))
def test_two_turning_joints_are_solved_in_closed_form(first, second, direction, up, q):
    a, b, d = unit(first), unit(second), unit(direction)
    assume(abs(a @ b) < 0.95)

    def turned(Q, D):
        return np.array(
            [
                Pose.from_axis_angle(a, one).rotation @ Pose.from_axis_angle(b, two).rotation @ row
                for (one, two), row in zip(Q, D, strict=True)
            ]
        )

    axes = Axes(turned, np.array([a, b]), (False, False), np.array([[-math.tau, math.tau]] * 2))
    # A direction that can be reached: where known joint values bring it.
    top = turned(np.array([q]), d[None])[0]
    near = np.array(q) + 0.01
    found = axes.solutions(d, top, near)
    assert len(found) >= 2
    for one in found:
        assert turned(one[None], d[None])[0] == pytest.approx(top, abs=1e-7)
        assert (np.abs(one) <= math.tau + 1e-9).all()
    distances = [np.abs(one - near).sum() for one in found]
    assert distances == sorted(distances)
    if min(np.linalg.norm(np.cross(b, d)), np.linalg.norm(np.cross(a, top))) > 0.05:
        assert min(np.abs(one - q).max() for one in found) < 1e-5


def test_other_mechanisms_come_as_near_as_they_can():
    def turned(Q, D):
        return np.array([Pose.from_axis_angle((0, 0, 1), q).rotation @ d for (q,), d in zip(Q, D, strict=True)])

    axes = Axes(turned, np.array([[0.0, 0.0, 1.0]]), (False,), np.array([[-3.0, 3.0]]))
    d, up = np.array([1.0, 0.0, 1.0]) / math.sqrt(2), np.array([0.0, 1.0, 1.0]) / math.sqrt(2)
    (best,) = axes.solutions(d, up, np.array([0.2]))
    assert best == pytest.approx([math.pi / 2], abs=1e-6)
    (held,) = axes.solutions(d, UP, np.array([0.2]))
    assert np.isfinite(held).all()


def test_a_seam_through_points_of_a_circle_is_that_circle():
    angles = np.arange(24) * math.tau / 24
    poses = [Pose.from_axis_angle((0, 0, 1), t) @ Pose.from_xyz(0.1, 0, 0) for t in angles]
    seam = Seam.through(poses, closed=True)
    assert seam.size == pytest.approx(0.2 * math.pi, rel=1e-5)
    s = np.linspace(0.0, seam.size, 500)
    X = seam.poses(s)
    assert np.hypot(X[:, 0, 3], X[:, 1, 3]) == pytest.approx(np.full(500, 0.1), abs=2e-6)
    assert np.linalg.norm(seam.position.sample(s, 1), axis=1) == pytest.approx(np.ones(500), abs=1e-4)
    turned = np.unwrap(np.arctan2(X[:, 1, 0], X[:, 0, 0]))
    assert turned == pytest.approx(s / 0.1, abs=1e-4)
    assert np.abs((seam.away(s) * seam.tangents(s)).sum(axis=1)).max() < 1e-12


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.integers(0, 2**31))
def test_stacked_motions_are_both(seed):
    rng = np.random.default_rng(seed)

    def random(pieces, n, degree):
        breaks = np.concatenate([[0.0], np.sort(rng.uniform(0.1, 1.9, pieces - 1)), [2.0]])
        assume((np.diff(breaks) > 1e-3).all())
        out = rng.normal(size=(pieces, degree + 1, n))
        for k in range(1, pieces):
            h = breaks[k] - breaks[k - 1]
            out[k, 0] = (out[k - 1] * (h ** np.arange(degree + 1))[:, None]).sum(axis=0)
        return Trajectory(breaks, out)

    one, other = random(3, 2, 3), random(4, 1, 2)
    both = stacked(one, other)
    t = rng.uniform(0, 2, 50)
    assert both.sample(t) == pytest.approx(np.hstack([one.sample(t), other.sample(t)]), abs=1e-9)
    assert columns(both, 2, 3).sample(t, 1) == pytest.approx(other.sample(t, 1), abs=1e-8)
    with pytest.raises(InvalidValue, match="must have the same duration"):
        stacked(one, other.stretched(1.1))


# ---- a saddle seam --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tee():
    """A simulator with a branch on a pipe, and the plan of its weld."""
    with built(TEE) as cell:
        sim = wc.Simulator(cell)
        ride(sim, "tee", "Table")
        trace, poses, ups = saddle(sim)
        yield sim, trace, coordinate(sim, "Arm", "Table", "tee", poses, speed=0.01, ups=ups, closed=True)


def test_a_saddle_seam_is_downhand_all_along(tee):
    _, _, plan = tee
    assert plan.downhand < math.radians(0.1)
    assert plan.level < math.radians(0.1)
    assert plan.deviation <= 1e-5
    assert plan.turn <= 1e-4
    low, high = plan.mechanism_motion.range()
    assert high[1] - low[1] == pytest.approx(math.tau, abs=1e-3)
    assert high[0] - low[0] > math.radians(5)  # it has to tilt to and fro as well


def test_limits_are_kept_at_every_instant_and_the_time_is_one(tee):
    sim, _, plan = tee
    assert plan.robot_motion.duration == plan.mechanism_motion.duration == plan.progress.duration
    for name, motion in ((plan.robot, plan.robot_motion), (plan.mechanism, plan.mechanism_motion)):
        robot = sim.snapshot.robot(name).robot
        assert violations(motion, Limits(robot.speeds, robot.accelerations, position=robot.limits)) == ()
    assert plan.progress.max_speed()[0] <= 0.01 * (1 + 1e-9)
    assert plan.steady > 0.99
    assert plan.duration == pytest.approx(plan.length / 0.01, rel=0.01)


def test_the_tool_stays_on_the_moving_seam(tee):
    sim, trace, plan = tee
    state = sim.state
    names = [one.name for one in sim.snapshot.bodies]
    seam = Seam.through(tool_poses(trace, tilt=math.radians(5)), away(trace), True)
    for t in np.random.default_rng(7).uniform(0, plan.duration, 300):
        now = state.with_joints("Arm", plan.robot_motion.position(t)).with_joints(
            "Table", plan.mechanism_motion.position(t)
        )
        X_world_work = sim.snapshot.body_poses(now)[names.index("tee")]
        X_work_tool = np.linalg.inv(X_world_work) @ sim.snapshot.tool_pose(now, "Arm").matrix
        s = plan.progress.position(t)
        assert np.linalg.norm(X_work_tool[:3, 3] - seam.poses(s)[0, :3, 3]) <= plan.deviation + 1e-9
        assert float((X_world_work[:3, :3] @ seam.away(s)[0]) @ UP) >= math.cos(plan.downhand + 1e-6)
    # The seam itself lies on both pipes: 90 mm from one axis and 50 mm from the other.
    points = seam.poses(np.linspace(0, seam.size, 400))[:, :3, 3]
    assert np.hypot(points[:, 1], points[:, 2]) == pytest.approx(np.full(400, 0.09), abs=2e-5)
    assert np.hypot(points[:, 0], points[:, 1]) == pytest.approx(np.full(400, 0.05), abs=2e-5)


def test_a_faster_weld_is_as_fast_as_the_joints_allow(tee):
    sim, _, slow = tee
    _, poses, ups = saddle(sim)
    fast = coordinate(sim, "Arm", "Table", "tee", poses, speed=2.0, ups=ups, closed=True)
    assert fast.duration < slow.duration / 5
    # A whole turn of the plate, which makes 1.5 rad/s.
    assert math.tau / 1.5 < fast.duration < 1.2 * math.tau / 1.5
    assert fast.limited == "speed of joint 2 of Table"
    assert fast.steady < 0.5
    for name, motion in ((fast.robot, fast.robot_motion), (fast.mechanism, fast.mechanism_motion)):
        robot = sim.snapshot.robot(name).robot
        assert violations(motion, Limits(robot.speeds, robot.accelerations)) == ()


def test_a_weld_must_begin_where_both_stand(tee):
    sim, _, plan = tee
    before = sim.state
    with pytest.raises(MotionError, match="is not where the motion begins"):
        perform(sim, plan)
    assert sim.state == before


# ---- tracks, and what cannot be ------------------------------------------------------------------------


def test_a_robot_on_a_track_follows_a_long_edge():
    text = """
    add rail track 3000 at 0,-1500,0 rotate 0,0,90
    create robot Arm irb1600
    mount Arm on track
    add solid beam box 200 2600 200 at 900,0,600
    """
    with built(text) as cell:
        sim = wc.Simulator(cell)
        trace = edge_trace(sim.snapshot.body("beam").solid, "left", "top", spacing=0.1)
        poses = tool_poses(trace, approach="second")
        plan = coordinate(sim, "Arm", "track", "beam", poses, speed=0.2, tolerance=1e-5)
        assert math.isnan(plan.downhand)
        low, high = plan.mechanism_motion.range()
        assert high[0] - low[0] > 2.0
        weld(sim, plan)
        move = next(move for move in sim.recording.moves if move.kind == "weld" and move.device == "Arm")
        times = np.linspace(move.start, move.end, 200)
        X, _ = on_work(sim, "Arm", "beam", times, sim.recording)
        assert np.abs(X[:, 0, 3] + 0.1).max() < 5e-5
        assert np.abs(X[:, 2, 3] - 0.1).max() < 5e-5
        assert X[:, 1, 3].min() == pytest.approx(-1.3, abs=1e-4)
        assert X[:, 1, 3].max() == pytest.approx(1.3, abs=1e-4)


def test_a_belt_brings_a_long_edge_past_the_robot():
    text = """
    create robot Arm irb1600
    add conveyor Belt 4000 at -2000,900,0
    add solid beam box 2400 100 100 at 0,900,750
    ride beam on Belt
    keep state
    """
    with built(text) as cell:
        sim = wc.Simulator(cell)
        trace = edge_trace(sim.snapshot.body("beam").solid, "front", "top", spacing=0.1)
        plan = coordinate(sim, "Arm", "Belt", "beam", tool_poses(trace, approach="second"), speed=0.1)
        assert math.isnan(plan.downhand)
        # The belt goes against the travel, so the torch stays where it is.
        assert np.ptp(plan.mechanism_motion.sample([0.0, plan.duration])[:, 0]) == pytest.approx(2.4, abs=1e-3)
        for name, motion in ((plan.robot, plan.robot_motion), (plan.mechanism, plan.mechanism_motion)):
            robot = sim.snapshot.robot(name).robot
            assert violations(motion, Limits(robot.speeds, robot.accelerations, position=robot.limits)) == ()
        weld(sim, plan)
        move = next(move for move in sim.recording.moves if move.kind == "weld" and move.device == "Arm")
        X, _ = on_work(sim, "Arm", "beam", np.linspace(move.start, move.end, 100), sim.recording)
        assert np.abs(X[:, 1, 3] + 0.05).max() < 5e-5
        assert np.abs(X[:, 2, 3] - 0.05).max() < 5e-5
        assert abs(X[-1, 0, 3] - X[0, 0, 3]) == pytest.approx(2.4, abs=1e-4)


def test_a_seam_that_a_mechanism_cannot_turn_up_is_refused():
    with built(TEE.replace("add positioner Table at 1000,0,0 rotate 0,0,90", "add rail Table 500 at 1000,0,0")) as cell:
        cell.do("place object:tee at 1000,0,1002")
        sim = wc.Simulator(cell)
        ride(sim, "tee", "Table")
        _, poses, ups = saddle(sim, 0.05)
        with pytest.raises(WorkcellError):
            coordinate(sim, "Arm", "Table", "tee", poses, speed=0.01, ups=ups, closed=True)
    with built(TEE) as cell:
        sim = wc.Simulator(cell)
        ride(sim, "tee", "Table")
        _, poses, ups = saddle(sim, 0.05)
        with pytest.raises(Unreachable, match=r"cannot hold the seam downhand|would have to go to"):
            # Upside down: the table tilts by a quarter turn only.
            coordinate(sim, "Arm", "Table", "tee", poses, speed=0.01, ups=ups, closed=True, up=(0, 0, -1))
        assert sim.time == 0.0


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"speed": 0.0}, InvalidValue, "above 0"),
        ({"speed": math.nan}, InvalidValue, "above 0"),
        ({"speed": 0.01, "tolerance": -1.0}, InvalidValue, "tolerance"),
        ({"speed": 0.01, "up": (0, 0, 0)}, InvalidValue, "no direction"),
        ({"speed": 0.01, "ups": [(0, 0, 0)] * 7}, InvalidValue, "must not be zero"),
    ],
)
def test_bad_values_are_refused(tee, change, error, message):
    sim, _, _ = tee
    _, poses, ups = saddle(sim, 0.05)
    with pytest.raises(error, match=message):
        coordinate(sim, "Arm", "Table", "tee", poses, **{"ups": ups, **change})


def test_work_that_does_not_ride_is_refused():
    with built(TEE) as cell:
        sim = wc.Simulator(cell)
        _, poses, ups = saddle(sim, 0.05)
        with pytest.raises(Refused, match="`ride tee on Table`"):
            coordinate(sim, "Arm", "Table", "tee", poses, speed=0.01, ups=ups)
        with pytest.raises(Refused, match="with itself"):
            coordinate(sim, "Arm", "Arm", "tee", poses, speed=0.01, ups=ups)
        with pytest.raises(Refused, match="only objects can ride"):
            ride(sim, "Arm/link 1", "Table")


# ---- the commands and the example ----------------------------------------------------------------------


def test_a_refused_weld_moves_nothing_and_a_made_one_is_undone():
    with built(TEE + "targets along-edge object:tee pipe.side add1:branch.side to seam spacing 25 --even") as cell:
        with pytest.raises(Refused, match="is not on Table"):
            cell.do("weld Arm with Table along seam speed 20mm/s")
        cell.do("ride object:tee on Table")
        before = cell.state
        with pytest.raises(WorkcellError):
            cell.do("weld Arm with Table along seam speed 20mm/s approach 5m")
        assert cell.state == before
        answer = cell.do("weld Arm with Table along seam speed 20mm/s")
        assert "from downhand" in str(answer)
        assert answer.deviation <= 1e-5
        assert cell.state.time == pytest.approx(answer.duration)
        again = cell.replayed()
        assert again.database.rows() == cell.database.rows()
        cell.undo()
        assert cell.state == before


def test_move_along_follows_a_path_that_stands_still():
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,60,-190,0,40,0")
        cell.do("targets along-curve arch normal 0,0,1 through (500,-150,300) (550,0,350) (500,150,300) spacing 30")
        answer = cell.do("move-along Puma arch speed 50mm/s")
        assert answer.deviation <= 1e-5
        kinds = [move.kind for move in cell.session.recording.moves]
        assert kinds == ["joints", "hand", "curve", "hand"]
        cell.do("add positioner Table at 2000,0,0")
        with pytest.raises(Refused, match="are in the world"):
            cell.do("weld Puma with Table along arch speed 10mm/s")


def test_the_welding_cell_keeps_its_seam_downhand():
    spec = importlib.util.spec_from_file_location("example_05", ROOT / "examples/05_welding_cell.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    cell, welded = module.main()
    with cell:
        assert welded.deviation <= 1e-5
        assert welded.downhand < math.radians(0.1)
        assert welded.level < math.radians(0.1)
        recording = cell.session.recording
        moves = [move for move in recording.moves if move.kind == "weld"]
        assert {move.device for move in moves} == {"Arm", "Table"}
        assert moves[0].start == moves[1].start
        assert moves[0].end == moves[1].end
        # Looked at in the recording: the wire is on the circle where the pipe meets the plate, and that is level.
        times = np.linspace(moves[0].start, moves[0].end, 241)
        X, R = on_work(cell.session.simulator, "Arm", "flange", times, recording)
        radius = np.hypot(X[:, 0, 3], X[:, 1, 3])
        assert radius == pytest.approx(np.full(241, 0.075), abs=5e-5)
        assert X[:, 2, 3] == pytest.approx(np.full(241, 0.006), abs=5e-5)
        around = np.unwrap(np.arctan2(X[:, 1, 3], X[:, 0, 3]))
        assert abs(around[-1] - around[0]) == pytest.approx(math.tau, abs=1e-3)
        outward = np.column_stack([X[:, 0, 3] / radius, X[:, 1, 3] / radius, np.ones(241)]) / math.sqrt(2)
        lean = np.einsum("nij,nj->ni", R, outward) @ UP
        assert np.degrees(np.arccos(np.clip(lean, -1, 1))).max() < 0.2
        assert [event for event in recording.events if isinstance(event, STOPS)] == []
        # The work turned with the plate and nobody held it otherwise.
        assert cell.state.attached["flange"].frame.startswith("Table/")
        assert cell.state.joints["Table"] == pytest.approx([0, 0], abs=1e-9)


def test_a_plan_is_a_value():
    assert Coordinated.__dataclass_params__.frozen


def test_welds_and_paths_run_beside_other_programs():
    lines = TEE + "targets along-edge object:tee pipe.side add1:branch.side to seam spacing 25 --even"
    with built(lines) as cell:
        for line in (
            "create robot Puma puma560 at 0,5000,0 joints 0,60,-190,0,40,0",
            "targets along-curve arch normal 0,0,1 through (500,4850,300) (550,5000,350) (500,5150,300) spacing 30",
            "create signal welded",
            "create program welder",
            "create program other",
        ):
            cell.do(line)
        cell.do("ride object:tee on Table")
        alone = cell.do("weld Arm with Table along seam speed 20mm/s").duration
        cell.undo()
        cell.do(
            'modify welder text "ride object:tee on Table%0Aweld Arm with Table along seam speed 20mm/s%0A'
            'set-signal welded 1"'
        )
        cell.do('modify other text "move-along Puma arch speed 50mm/s%0Await-for welded%0Await 1"')
        answer = cell.do("run-together welder other")
        assert answer.ended["welder"] == pytest.approx(alone, abs=1e-6)
        assert answer.ended["other"] == pytest.approx(alone + 1.0, abs=1e-6)
        moves = cell.session.recording.moves
        assert [one.kind for one in moves if one.device == "Puma"] == ["joints", "hand", "curve", "hand"]
        arm, table = ([one for one in moves if one.device == who and one.kind == "weld"] for who in ("Arm", "Table"))
        assert (arm[0].start, arm[0].end) == (table[0].start, table[0].end)
        assert any(one.device == "Puma" and one.end < arm[0].end for one in moves)
        assert cell.replayed().state == cell.state


def test_corners_that_a_smooth_curve_rounds_are_reported():
    edges = [(0.42 + 0.02 * k, -0.08, 0.3) for k in range(6)] + [(0.52, -0.06 + 0.02 * k, 0.3) for k in range(6)]
    corner = [Pose.from_xyz(*place) for place in edges]
    assert 5e-4 < Seam.through(corner).rounding < 5e-3
    ring = [Pose.from_xyz(0.1 * math.cos(k * math.pi / 4), 0.1 * math.sin(k * math.pi / 4), 0.0) for k in range(8)]
    assert Seam.through(ring, closed=True).rounding == 0.0
    assert Seam.through([Pose.from_xyz(0.1 * k, 0.0, 0.0) for k in range(5)]).rounding == 0.0
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,60,-190,0,40,0")
        sim = wc.Simulator(cell)
        down = math.pi, 0.0, math.pi
        poses = [Pose.from_xyz_angles(place, down, "fanuc_wpr") for place in edges]
        moves = seam_moves(sim, "Puma", poses, speed=0.05)
        assert sim.time == 0.0
        assert sum(in_turn(sim, moves)) == pytest.approx(sim.time)
        assert moves.deviation <= 1e-5
        assert moves.rounding == pytest.approx(Seam.through(corner).rounding, rel=1e-3)
    assert "rounded by 1.6 mm" in str(Moved("Puma", 1.0, 1.0, "", 1e-6, 1.6e-3))
    assert "rounded" not in str(Moved("Puma", 1.0, 1.0, "", 1e-6, 1e-6))
