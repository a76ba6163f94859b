"""Recordings hold motions, not samples: exact at every instant, even if somebody reads meanwhile."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.commands.cell import Cell
from workcell.motion.curve import HandCurve
from workcell.motion.curve_data import curve_data, curve_of
from workcell.simulation.comparison import first_difference
from workcell.simulation.pieces import Exact
from workcell.simulation.recording import Recording
from workcell.simulation.recording_file import RecordingFile, RecordingWriter
from workcell.spatial.pose import Pose

HOME = np.radians([0, 0, -90, 0, 90, 0])
PUMA = "create robot Puma puma560 joints 0,0,-90,0,90,0"


@pytest.fixture(scope="module")
def snapshot():
    with Cell() as cell:
        cell.do(PUMA)
        cell.do("create robot Other puma560 at 0,3000,0 joints 0,0,-90,0,90,0")
        cell.do("add solid cube box 50 50 50 at 600,300,25 --movable")
        return cell.snapshot()


def planned_of(monkeypatch):
    """The motions that robots are about to make, as they were planned."""
    seen = []
    original = wc.Simulator.begin

    def spy(self, planned):
        seen.append((self.now, planned.motion))
        return original(self, planned)

    monkeypatch.setattr(wc.Simulator, "begin", spy)
    return seen


@pytest.mark.parametrize("profile", ["linear", "345", "trapezoid", "jerk", "time-optimal"])
def test_every_instant_is_the_planned_motion_to_the_last_bit(snapshot, profile, monkeypatch):
    seen = planned_of(monkeypatch)
    sim = wc.Simulator(snapshot)
    puma = sim.robot("Puma")
    puma.profile(profile)
    puma.move_joints_relative([0.4, -0.2, 0.1, 0.3, -0.2, 0.5])
    puma.move_straight_line(Pose.from_xyz(-0.05, -0.08, -0.03) @ puma.tool_pose)
    recording = Recording.from_bytes(sim.recording.to_bytes())
    assert recording.exact
    rng = np.random.default_rng(7)
    for begin, motion in seen:
        for u in rng.uniform(0.0, motion.duration, 50):
            found = recording.state_at(begin + u).joints["Puma"]
            assert np.abs(found - motion.position((begin + u) - begin)).max() <= 1e-15 + 1e-15 * np.abs(found).max()


def driven(snapshot, ticks, recorder=None):
    """Two robots among others; one program does nothing but look at the clock."""
    from workcell.simulation.programs import run

    def work(sim):
        yield sim.robot("Puma").move_joints_relative([0.4, -0.2, 0.1, 0.3, -0.2, 0.5])
        yield sim.move_solid("cube", [Pose.from_xyz(0.6, 0.5, 0.025), Pose.from_xyz(0.5, 0.5, 0.1)], speed=0.2)

    def tick(sim):
        for _ in range(ticks):
            yield 0.0137

    sim = wc.Simulator(snapshot, recorder=recorder)
    run(sim, {"work": work, "tick": tick})
    return sim


def test_looking_at_the_clock_changes_nobodys_bytes(snapshot):
    alone, looked_at = driven(snapshot, 0).recording, driven(snapshot, 60).recording
    assert looked_at.to_bytes() == alone.to_bytes()
    assert len(looked_at.way("Puma").pieces) == len(looked_at.way("cube").pieces) == 1


def test_a_file_of_many_segments_joins_to_the_same_bytes(snapshot, tmp_path):
    with RecordingWriter(tmp_path / "a.rec", snapshot.initial, every=0.0) as writer:
        driven(snapshot, 60, writer)
    with RecordingFile(tmp_path / "a.rec") as file:
        assert len(file) > 40
        whole = file.recording()
        alone = driven(snapshot, 60).recording
        assert whole.to_bytes() == alone.to_bytes()
        for time in np.linspace(0.0, file.end, 97):
            assert file.state_at(float(time)) == alone.state_at(float(time))


@given(
    st.lists(
        st.tuples(st.floats(-0.3, 0.3), st.floats(-0.3, 0.3), st.floats(0.0, 0.3)), min_size=2, max_size=5, unique=True
    ),
    st.sampled_from([0.0, 0.01]),
)
@settings(max_examples=40, deadline=None)
def test_curves_kept_as_data_are_the_same(places, blend):
    poses = [Pose.from_xyz_angles(np.array(place), np.array(place) * 2, "fanuc_wpr") for place in places]
    try:
        curve = HandCurve.polyline(poses, blend)
    except wc.WorkcellError:
        return
    again = curve_of(curve_data(curve))
    s = np.linspace(0.0, curve.length, 33)
    assert np.array_equal(curve.poses(s), again.poses(s))
    assert np.array_equal(curve.breaks, again.breaks)


def test_arcs_kept_as_data_are_the_same():
    a, b, c = (Pose.from_xyz(*xyz) for xyz in ([0, 0, 0], [0.1, 0.1, 0.02], [0.3, 0, 0.1]))
    for orientation in ("keep", "via", "interpolate"):
        curve = HandCurve.arc(a, b, c, orientation)
        s = np.linspace(0.0, curve.length, 33)
        assert np.array_equal(curve.poses(s), curve_of(curve_data(curve)).poses(s))


def test_a_stopped_move_keeps_its_whole_motion_and_ends_where_it_stopped():
    with Cell() as cell:
        for line in (PUMA, "add solid post box 60 60 1200 at 600,450,600", "watch yes"):
            cell.do(line)
        sim = wc.Simulator(cell)
        with pytest.raises(wc.WorkcellError, match="would touch"):
            sim.robot("Puma").move_joints_relative([1.2, 0, 0, 0, 0, 0])
        (piece,) = sim.recording.way("Puma").pieces
        assert isinstance(piece, Exact)
        assert piece.end < piece.motion.duration
        assert np.array_equal(piece.last, sim.state.joints["Puma"])
        assert Recording.from_bytes(sim.recording.to_bytes()).state_at(sim.time) == sim.state


# ---- joint by joint ---------------------------------------------------------------------------------------


def test_joint_by_joint_nothing_jumps_and_the_clock_is_the_thesis(tmp_path):
    with Cell() as cell:
        for line in (PUMA, "speed Puma 0.3rad/s", "profile Puma linear", "mode joint-by-joint", "step 10deg"):
            cell.do(line)
        moved = cell.do("move-joints-relative Puma -70,-10,10,30,-20,-10")
        first = np.radians(70) / 0.3
        recording = cell.session.recording
        assert moved.duration == pytest.approx(np.radians(70) / 0.3)
        assert cell.session.simulator.time == pytest.approx(np.radians(70) / 0.3)
        assert cell.session.simulator.time_ns == np.ceil(np.radians(70) / 0.3 * 1e9)
        # All six joints move one after the other, so the whole motion takes the sum of their times.
        assert recording.duration == pytest.approx(np.radians(150) / 0.3)
        times = np.linspace(0.0, recording.duration, 4001)
        rows = recording.joints_at(times)["Puma"]
        speed = np.abs(np.diff(rows, axis=0)).max() / (times[1] - times[0])
        assert speed <= 0.3 * (1 + 1e-9)
        assert (np.abs(np.diff(rows, axis=0)) > 1e-12).sum(axis=1).max() <= 2  # two where one joint follows another
        frames = recording.column("Puma")[1]
        assert np.degrees(np.abs(np.diff(frames, axis=0))).max() <= 10 + 1e-9
        # The clock runs while the first joint moves, and then stands.
        shown = recording.clock(times)
        assert np.allclose(shown, np.minimum(times, first), atol=1e-12)
        found = cell.do("report")
        assert found.moves[0].duration == pytest.approx(first)
        assert found.cycle_time == pytest.approx(first)
        cell.do(f'export-recording "{tmp_path / "a.csv"}"')
        table = np.genfromtxt(tmp_path / "a.csv", delimiter=",", names=True)
        assert np.abs(np.diff(table["Puma2_deg"])).max() <= 10 + 1e-9
        assert np.allclose(table["clock_s"], np.minimum(table["time_s"], first))
        again = Recording.from_bytes(recording.to_bytes())
        assert np.array_equal(again.clock(times), shown)
        cell.do('write program later "move-joints-relative Puma 10,20,0,0,0,0%0Amessage time()"')
        ran = cell.do("run later")
        assert f"{ran.times[0]:.4f}" == f"{ran.time:.4f}"
        cell.do("undo")
        # What follows goes on from there, on both clocks.
        cell.do("mode path")
        cell.do("wait 1")
        assert cell.session.simulator.time == pytest.approx(first + 1.0)
        assert cell.state.time == pytest.approx(np.radians(150) / 0.3 + 1.0)
        assert cell.session.recording.state_at(cell.state.time) == cell.state


def test_joint_by_joint_beside_another_robot_both_move_without_jumps():
    with Cell() as cell:
        for line in (PUMA, "create robot Other puma560 at 0,3000,0 joints 0,0,-90,0,90,0", "mode joint-by-joint"):
            cell.do(line)
        cell.do("together move-joints-relative Puma 20,30,0,0,0,0 & move-joints-relative Other 0,0,10,15,0,0")
        recording = cell.session.recording
        times = np.linspace(0.0, recording.duration, 5001)
        for robot in ("Puma", "Other"):
            rows = recording.joints_at(times)[robot]
            fastest = max(np.abs(np.diff(piece.motion.sample(np.linspace(0, piece.motion.duration, 999)), axis=0)).max()
                          * 998 / piece.motion.duration for piece in recording.way(robot).pieces)  # fmt: skip
            assert np.abs(np.diff(rows, axis=0)).max() <= fastest * (times[1] - times[0]) * 1.01
        assert recording.state_at(recording.end) == cell.state


def test_a_report_after_joints_were_set_counts_the_move_alone():
    with Cell() as cell:
        cell.do(PUMA)
        cell.do("move-joints-relative Puma 0,10,0,0,0,0")
        cell.do("set joints Puma 35,0,-90,0,90,0")
        cell.do("move-joints-relative Puma 5,0,0,0,0,0")
        cell.do("set joints Puma 0,0,-90,0,90,0")
        second = cell.do("report").moves[1]
        assert np.degrees(second.travel[0]) == pytest.approx(5.0)
        assert second.hand_path < 0.1


def test_the_first_difference_of_two_motions_is_found_between_frames(snapshot):
    one = wc.Simulator(snapshot)
    one.step = 10.0  # a frame only at the end
    one.robot("Puma").profile("linear")
    one.robot("Puma").move_joints_relative([0.5, 0, 0, 0, 0, 0])
    other = wc.Simulator(snapshot)
    other.step = 10.0
    other.robot("Puma").profile("345")
    other.robot("Puma").speed(one.robot("Puma").settings[0])
    other.robot("Puma").move_joints_relative([0.5, 0, 0, 0, 0, 0])
    found = first_difference(one.recording, other.recording, 1e-3)
    assert found is not None
    a = one.recording.state_at(found.time).joints["Puma"]
    b = other.recording.state_at(found.time).joints["Puma"]
    assert np.abs(a - b).max() == pytest.approx(1e-3, rel=1e-3)
    for time in np.linspace(0.0, found.time, 50)[:-1]:
        a, b = (each.recording.state_at(time).joints["Puma"] for each in (one, other))
        assert np.abs(a - b).max() <= 1e-3


# ---- proofs -----------------------------------------------------------------------------------------------


def crossed(cell, *solids):
    for line in (PUMA, "profile Puma linear", *solids, "step 170deg"):
        cell.do(line)
    cell.do("move-joints-relative Puma 80,0,0,0,0,0")
    return cell.do("check recording")


def test_a_contact_between_two_frames_is_found():
    with Cell() as cell:
        found = crossed(cell, "add solid rod box 1 1 1200 at 600,450,600")
        assert found.touching == 0
        assert "rod" in found.pair
        assert "between two samples" in str(found)
        recording = cell.session.recording
        from workcell.collision.bodies import collision_model
        from workcell.collision.check import check

        assert check(collision_model(cell.snapshot()), recording.state_at(found.time)).contacts


def test_what_is_free_is_proved_free_and_what_was_carried_may_rest():
    with Cell() as cell:
        found = crossed(cell, "add solid post box 60 60 1200 at -600,450,600")
        assert found.proved
        assert "proved: nothing touches at any instant" in str(found)
        cell.do("set joints Puma 0,0,-90,0,90,0")
        cell.do("move-joints-relative Puma 10,0,0,0,0,0")
        assert cell.do("check recording").proved


def test_old_recordings_are_sampled_and_the_answer_reports_it(tmp_path):
    times = np.linspace(0.0, 1.0, 20)
    with Cell() as cell:
        cell.do(PUMA)
        start = cell.state
        old = Recording(start)
        old.add("Puma", times, HOME + np.linspace(0, 0.3, 20)[:, None] * np.eye(6)[0])
        assert not old.exact
        again = Recording.from_bytes(old.to_bytes())
        assert np.array_equal(again.joints_at(times)["Puma"], old.joints_at(times)["Puma"])
        old.save(tmp_path / "old.rec")
        cell.do(f'load-recording "{tmp_path / "old.rec"}"')
        found = cell.do("check recording")
        assert not found.proved
        assert "no exact motions" in str(found)


def test_fingers_that_opened_between_two_moves_count_in_the_proof():
    with Cell() as cell:
        for line in (
            "create robot Puma puma560 joints 15,0,-90,0,90,0", "default-profile linear", "step 20deg",
            "add solid post box 0.5 0.5 2 at 918.7986,-62.2737,470.28", "open-gripper Puma to 5mm",
            "move-joints-absolute Puma 12,0,-90,0,90,0", "open-gripper Puma", "move-joints-absolute Puma 0,0,-90,0,90,0",
        ):  # fmt: skip
            cell.do(line)
        found = cell.do("check recording")
        assert not found.proved
        assert "post" in found.pair


CUBES = [
    "add solid cube box 40 40 40 at 500,-150,20 --movable",
    "add solid follower box 40 40 40 at 500,-300,20 --movable",
]


def test_solids_that_glide_behind_each_other_do_not_touch_where_they_end():
    with Cell() as cell:
        for line in CUBES:
            cell.do(line)
        cell.do("together move-solid cube through 500,250,20 in 2s & move-solid follower through 500,-140,20 in 1.8s")
        assert cell.do("check recording").proved


def test_the_end_of_a_glide_that_goes_on_is_where_the_solid_is(tmp_path):
    from workcell.simulation.programs import run

    with Cell() as cell:
        for line in CUBES:
            cell.do(line)
        snapshot = cell.snapshot()

    def work(sim):
        sim.move_solid("cube", [Pose.from_xyz(0.5, 0.25, 0.02)], speed=0.2)
        yield 1.0
        assert sim.recording.state_at(sim.now) == sim.state
        sim.recording.save(tmp_path / "half.rec")
        assert Recording.load(tmp_path / "half.rec").state_at(sim.now) == sim.state
        yield 1.0

    run(wc.Simulator(snapshot), {"work": work})


@pytest.mark.parametrize("degrees", ["2,1,0,0,0,3", "1,2,3,4,5,6", "3,3,1,0,2,3", "0.1,0.2,0.3,0,0,0.7"])
def test_joint_by_joint_rounding_refuses_nothing(degrees):
    with Cell() as cell:
        cell.do(PUMA)
        cell.do("mode joint-by-joint")
        cell.do(f"move-joints-relative Puma {degrees}")
        cell.do(f"move-joints-relative Puma {degrees}")
        assert cell.session.recording.state_at(cell.state.time) == cell.state


def test_moves_of_an_older_recording_are_reported_one_by_one():
    from workcell.simulation.happenings import Move
    from workcell.simulation.report import report

    with Cell() as cell:
        cell.do(PUMA)
        old = Recording(cell.state)
        rows = HOME + np.radians([0.0, 10.0, 15.0])[:, None] * np.eye(6)[0]
        old.add("Puma", np.array([0.0, 1.0, 2.5]), rows)
        for begin, end in ((0.0, 1.0), (1.0, 2.5)):
            old.moved(Move("Puma", "joints", begin, end))
        found = [np.degrees(one.travel[0]) for one in report(cell.snapshot(), old).moves]
        assert found == pytest.approx([10.0, 5.0])


def test_a_damaged_segment_is_reported(snapshot, tmp_path):
    path = tmp_path / "a.rec"
    with RecordingWriter(path, snapshot.initial, every=0.0) as writer:
        driven(snapshot, 10, writer)
    data = bytearray(path.read_bytes())
    data[-40] ^= 1
    path.write_bytes(data)
    with Cell() as cell:
        for line in (PUMA, "create robot Other puma560 at 0,3000,0 joints 0,0,-90,0,90,0"):
            cell.do(line)
        assert "cut off or damaged after that" in str(cell.do(f'load-recording "{path}"'))


def test_a_move_after_a_long_wait_is_proved_and_its_contacts_are_found():
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        cell.do("add solid post box 60 60 2000 at 350,350,1000")
        for wait in (1e9, 2000.0, 900.0, 900.0, 1e6):
            cell.do(f"wait {wait:g}")
            cell.do("move-joints-relative Puma 5,0,0,0,0,0")
            assert cell.do("check recording").proved
            cell.do("move-joints-relative Puma -5,0,0,0,0,0")
        cell.do("wait 1e9")
        cell.do("move-joints-relative Puma 60,0,0,0,0,0")
        assert cell.do("check recording").pair == ("Puma/link 3", "post")


def test_an_instant_in_a_wall_is_a_contact():
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        cell.do("add solid post box 60 60 2000 at 350,350,1000")
        cell.do("add solid cube box 40 40 40 at -700,700,20 --movable")
        cell.do("move-joints-relative Puma 5,0,0,0,0,0")
        cell.do("set joints Puma 10,0,-90,0,90,0")
        cell.do("set joints Puma 5,0,-90,0,90,0")
        cell.do("move-joints-relative Puma -5,0,0,0,0,0")
        assert cell.do("check recording").proved  # an instant in free space is none
        for name, lines in (
            ("Puma/link 3", ("set joints Puma 60,0,-90,0,90,0", "set joints Puma 0,0,-90,0,90,0")),
            ("cube", ("place cube at 350,350,500", "place cube at -700,600,20")),
        ):
            time = cell.state.time
            for line in lines:
                cell.do(line)
            cell.do("move-joints-relative Puma 5,0,0,0,0,0")
            cell.do("move-joints-relative Puma -5,0,0,0,0,0")
            found = cell.do("check recording")
            assert (found.time, {*found.pair}, found.proved) == (time, {name, "post"}, False)
            assert "where something is put and taken away at the same instant" in str(found)
            cell.do(f"undo {2 + len(lines)}")
            assert cell.do("check recording").proved
