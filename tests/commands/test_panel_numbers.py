"""Numbers behind the panels: compared with other ways to find them."""

from __future__ import annotations

import numpy as np
import pytest

from workcell.commands.cell import Cell
from workcell.errors import InvalidValue, Refused, TooCostly, WorkcellError
from workcell.simulation.gantt import gantt
from workcell.simulation.series import joint_series, tool_speeds
from workcell.spatial.pose import Pose
from workcell.workbench.gallery import Gallery

GALLERY = Gallery()


@pytest.fixture
def puma():
    with Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        cell.do("profile Puma jerk")
        cell.do("move-joints-relative Puma -70,-10,10,30,-20,-10")
        cell.do("wait 1")
        cell.do("move-joints-absolute Puma 0,0,-90,0,90,0")
        yield cell


def lines(found) -> np.ndarray:
    return np.array([line.values for line in found.lines], dtype=float).T


def test_speeds_and_accelerations_are_the_derivatives_of_the_positions(puma):
    """By differences of a fine series; the exact values come from polynomials."""
    end = puma.session.recording.end
    q = puma.call("series", robot="Puma", quantity="position", count=20_000)
    v = puma.call("series", robot="Puma", quantity="speed", count=20_000)
    a = puma.call("series", robot="Puma", quantity="acceleration", count=20_000)
    h = end / 19_999
    assert q.times[0] == 0.0
    assert q.times[-1] == pytest.approx(end)
    assert np.abs(np.gradient(lines(q), h, axis=0) - lines(v))[1:-1].max() < 1e-3
    assert np.abs(np.gradient(lines(v), h, axis=0) - lines(a))[1:-1].max() < 0.1
    assert {line.unit for line in v.lines} == {"rad/s"}
    assert [line.name for line in q.lines] == ["waist", "shoulder", "elbow", "wrist roll", "wrist bend", "flange"]
    rest = np.abs(lines(v)).max(axis=1) < 1e-12
    assert puma.session.recording.state_at(q.times[100]).joints["Puma"] == pytest.approx(lines(q)[100], abs=1e-12)
    assert rest.sum() > 100  # the wait


def test_the_speed_of_the_tool_is_that_of_the_jacobian(puma):
    found = puma.do("series Puma tool-speed points 200")
    robot = puma.snapshot().robot("Puma").robot
    q = lines(puma.do("series Puma position points 200"))
    v = lines(puma.do("series Puma speed points 200"))
    wanted = [np.linalg.norm((robot.jacobian(q[k]) @ v[k])[:3]) for k in range(1, 199)]
    assert lines(found)[1:-1, 0] == pytest.approx(np.array(wanted), abs=2e-4)


def test_the_rail_carries_the_tool():
    with Cell() as cell:
        for line in ("add rail track 3000", "create robot Puma puma560", "mount Puma on track", "profile track linear"):
            cell.do(line)
        cell.do("move-joints-absolute track 1000")
        moving = lines(cell.do("series Puma tool-speed points 11"))[1:-1, 0]
        rail = lines(cell.do("series track speed points 11"))[1:-1, 0]
        assert moving == pytest.approx(rail, rel=1e-6)
        assert {line.unit for line in cell.do("series track speed").lines} == {"m/s"}


def test_the_least_of_the_clearances_is_the_least_clearance():
    with GALLERY.open("pick-and-place") as cell:
        frames = cell.session.recording.times
        found = cell.do("series Puma clearance points 800")
        values = lines(found)[:, 0]
        nearest = int(np.argmin(values))
        least = cell.do("least-clearance of Puma")
        assert least.distance <= values.min() + 1e-9 + 0.01  # the frames are finer than the points
        assert values.min() >= 0.0
        assert found.pairs[nearest] is not None
        assert len(frames) > 100


def test_a_saved_run_has_the_same_series(puma, tmp_path):
    puma.do(f"save-recording {tmp_path / 'one.rec'}")
    before = puma.do("series Puma speed points 50")
    puma.do("reset")
    puma.do("move-joints-relative Puma 5,0,0,0,0,0")
    after = puma.do(f"series Puma speed points 50 of {tmp_path / 'one.rec'}")
    assert after.lines == before.lines


def test_series_are_bounded_and_refused_in_a_sentence(puma):
    with pytest.raises(TooCostly, match="20001 points"):
        puma.do("series Puma position points 20001")
    with pytest.raises(TooCostly, match="2001 points"):
        puma.do("series Puma clearance points 2001")
    with pytest.raises(InvalidValue, match="in order within the recording"):
        puma.do("series Puma position from 3s to 2s")
    with pytest.raises(InvalidValue, match="at least 2"):
        puma.do("series Puma position points 1")
    with Cell() as empty:
        empty.do("create robot Puma puma560")
        with pytest.raises(Refused, match="Nothing has moved"):
            empty.do("series Puma position")


def test_the_rows_of_the_chart_are_those_that_gantt_draws():
    with GALLERY.open("conveyor-pick-line") as cell:
        chart = cell.do("gantt-rows")
        drawn = gantt(cell.session.recording, ["Belt"]).svg()
        assert [row.label for row in chart.rows if row.robot] == ["Belt", "One", "Two"]
        for row in chart.rows:
            assert f">{row.label}<" in drawn
            for bar in row.bars:
                assert chart.start <= bar.begin <= bar.end <= chart.end
        assert all(bar.colour in {colour for colour, _ in chart.legend} for row in chart.rows for bar in row.bars)
    with Cell() as empty:
        assert empty.do("gantt-rows").rows == []


def test_bodies_stand_where_the_robot_would_bring_them(puma):
    puma.do("add solid ball sphere 20 at 600,0,700 --movable")
    asked = [0.1, 0.2, -1.4, 0.1, 0.6, 0.2]
    found = puma.call("body-poses", robot="Puma", joints=asked)
    names = [body.name for body in puma.snapshot().bodies]
    before = puma.state
    wanted = puma.snapshot().body_poses(before.with_joints("Puma", np.array(asked)))
    assert "ball" not in found.bodies
    assert len(found.bodies) > 6
    for name, pose in zip(found.bodies, found.poses, strict=True):
        X = wanted[names.index(name)]
        assert pose[:3] == pytest.approx(X[:3, 3])
        w, x, y, z = pose[3:]
        assert X[0, 0] == pytest.approx(1 - 2 * (y * y + z * z), abs=1e-9)
        assert X[1, 0] == pytest.approx(2 * (x * y + w * z), abs=1e-9)
    assert found.within_limits
    assert not puma.call("body-poses", robot="Puma", joints=[10.0, 0, 0, 0, 0, 0]).within_limits
    assert puma.state is before  # nothing moved


def test_what_a_robot_holds_is_shown_with_it():
    with GALLERY.open("pick-and-place") as cell:
        cell.do("reset")
        for line in str(cell.do("steps pick-and-place")).splitlines()[1:4]:
            cell.do(line.lstrip("0123456789 "))
        assert "cube" in cell.call("body-poses", robot="Puma", joints=[0.0, 0, -1.5, 0, 1.5, 0]).bodies


RIGS = {
    "an arm with a part in its hand": (
        "create robot Arm puma560",
        "add solid cube box 40 40 40 at 500,-150,20 --movable",
        "move-end-effector Arm 500,-150,20 euler fanuc_wpr 180,0,180 of grip",
        "close-gripper Arm",
    ),
    "a rail with an arm on it": ("add rail Arm 3000", "create robot Rider irb1600", "mount Rider on Arm"),
    "an arm on a rail": ("add rail track 3000 at 200,300,0", "create robot Arm ur10e", "mount Arm on track"),
    "an arm with a sliding joint": ("create robot Arm stanford at 100,200,300 euler kuka_abc 30,10,20",),
    "a positioner": ("add positioner Arm at 1500,2500,0",),
}


@pytest.mark.parametrize("lines", RIGS.values(), ids=RIGS)
def test_bodies_follow_the_frames_of_their_links_which_move_along_their_z_axes(lines):
    """This is how the page draws the ghost of an arm; the engine computes the same from the model."""
    with Cell() as cell:
        for line in lines:
            cell.do(line)
        robot = cell.snapshot().robot("Arm").robot
        found = cell.do("joint-frames Arm")
        frames = [of_seven(pose) for pose in found.poses]
        rng = np.random.default_rng(11)
        for q in rng.uniform(-1.2, 1.2, (4, robot.n)):
            now = [frames[0]]
            for i, by in enumerate(q - found.joints):
                turn = Pose.from_xyz(0, 0, by) if robot.chain.prismatic[i] else Pose.from_axis_angle((0, 0, 1), by)
                now.append(now[i] @ turn @ frames[i].inverse() @ frames[i + 1])
            asked = cell.call("body-poses", robot="Arm", joints=list(q))
            assert [rider.body for rider in found.riders] == asked.bodies
            for rider, pose in zip(found.riders, asked.poses, strict=True):
                there = now[rider.frame] @ frames[rider.frame].inverse() @ of_seven(rider.pose)
                assert there.matrix == pytest.approx(of_seven(pose).matrix, abs=1e-9)


def of_seven(numbers):
    return Pose.from_quaternion(numbers[:3], numbers[3:])


def test_every_solution_is_listed_with_what_it_touches():
    with Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        cell.do("add solid post box 60 60 900 at 250,-60,450")
        found = cell.do("ik Puma 550,150,200 euler fanuc_wpr 180,0,180 --contacts")
        assert len(found.solutions) > 3
        kinds = set()
        for solution in found.solutions:
            if solution.within_limits:
                cell.do("set joints Puma " + ",".join(f"{np.degrees(v):.12g}" for v in solution.joints))
            kinds.add(solution.free)
            assert (solution.touching is None) == solution.free
            if solution.within_limits:
                pairs = {tuple(one["pair"]) for one in cell.do("contacts").contacts}
                assert bool(pairs) == (not solution.free)
                if not solution.free:
                    assert solution.touching in pairs
                cell.do("undo")
        assert cell.do("ik Puma 550,150,200 euler fanuc_wpr 180,0,180").solutions[0].free is None
        assert kinds == {True, False}
        assert "touches: " in str(found)


def test_the_outline_of_the_reach_encloses_what_the_tool_reaches():
    with Cell() as cell:
        cell.do("create robot Puma puma560 at 500,200,100 rotate 0,0,30")
        found = cell.do("reach Puma")
        robot = cell.snapshot().robot("Puma").robot
        rng = np.random.default_rng(3)
        frame = np.linalg.inv(np.array(found.frame))
        radii = np.array([point for loop in found.outline for point in loop])
        base = cell.snapshot().base_pose(cell.state, "Puma").matrix
        for q in rng.uniform(robot.limits[:, 0], robot.limits[:, 1], (300, robot.n)):
            p = frame @ base @ robot.fk(q).matrix @ [0, 0, 0, 1]
            assert np.hypot(p[0], p[1]) <= radii[:, 0].max() + 0.05
            assert radii[:, 1].min() - 0.05 <= p[2] <= radii[:, 1].max() + 0.05
        assert found.first == pytest.approx(tuple(robot.limits[0]))


def test_the_library_and_the_comparison_have_types(puma, tmp_path):
    facts = {one.name: one for one in puma.do("robots").robots}
    assert facts["irb6400"].payload > facts["puma560"].payload
    assert "reach [mm]" in str(puma.do("robots"))
    one, two = tmp_path / "one.rec", tmp_path / "two.rec"
    puma.do(f"save-recording {one}")
    puma.do("move-joints-relative Puma 5,0,0,0,0,0")
    puma.do(f"save-recording {two}")
    found = puma.do(f"compare-recordings {one} {two}")
    assert (found.same, found.kind) == (False, "end")
    assert puma.do(f"compare-recordings {one} {one}").same
    assert puma.do(f"compare-recordings {two}").same  # with the present recording
    present = puma.do(f"compare-recordings {one}")
    assert (present.time, present.kind) == (found.time, found.kind)
    assert "the present recording continues" in present.text


def test_places_are_where_the_command_where_finds_them():
    with Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        cell.do("add solid pallet box 400 300 100 at 700,0,50")
        cell.do("add target corner 900,-150,100 rotate 180,0,0 on pallet")
        cell.do("add target free 600,-150,700 euler fanuc_wpr 170,10,30")
        cell.do("add frame wrist 500,0,500 on Puma link 3")
        cell.do("targets along-edge pallet left top to seam spacing 100")
        cell.do("place pallet at 800,200,50 rotate 0,0,30")
        cell.do("set joints Puma 20,10,-80,0,90,0")
        found = cell.do("place-poses")
        by_name = {one.name: one for one in found.places}
        assert {(one.carrier, one.link) for one in found.places if one.name in ("corner", "free", "wrist")} == {
            ("pallet", -1),
            ("", -1),
            ("Puma", 3),
        }
        for name, one in by_name.items():
            X = np.array(cell.call("where", thing=name).matrix)
            w, x, y, z = one.pose[3:]
            assert one.pose[:3] == pytest.approx(X[:3, 3])
            assert X[2, 2] == pytest.approx(1 - 2 * (x * x + y * y), abs=1e-9)
            assert X[1, 0] == pytest.approx(2 * (x * y + w * z), abs=1e-9)
        (seam,) = found.paths
        targets = cell.snapshot().places.path("seam").targets
        assert np.allclose(seam.points, [by_name[name].pose[:3] for name in targets])
        assert (seam.carrier, seam.link, seam.ring) == ("pallet", -1, False)
        before = cell.do("place-poses").places
        cell.do("place pallet at 0,900,50")
        cell.do("undo")
        assert cell.do("place-poses").places == before


def test_the_rows_of_the_gantt_chart_have_the_stops():
    with Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        cell.do("add solid table box 560 800 30 at 780,-100,385")
        cell.do("watch yes")
        with pytest.raises(WorkcellError, match="would touch"):
            cell.do("move-joints-absolute Puma 0,-30,-90,0,90,0")
        (stop,) = cell.do("gantt-rows").stops
        assert stop.begin == pytest.approx(cell.session.recording.end)
        assert "would touch" in stop.text


def test_the_joints_of_a_learned_target_are_shown_in_the_units_of_the_cell() -> None:
    with Cell() as cell:
        for line in ("create scene hall", "create robot Arm puma560", "set joints Arm 10,20,30,0,30,1"):
            cell.do(line)
        cell.do("learn target spot from Arm")
        assert "joints: 10 deg, 20 deg, 30 deg, 0 deg, 30 deg, 1 deg" in str(cell.do("show spot"))
        cell.do("units m rad")
        assert "joints: 0.174532925 rad, " in str(cell.do("show spot"))


@pytest.fixture(scope="module")
def long_run():
    """A run of 4,000 s: 200 times a move and a rest, and one short peak that no even spacing hits."""
    with Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        cell.do("profile Puma jerk")
        for k in range(200):
            if k == 137:
                cell.do("move-joints-relative Puma 40,0,0,0,0,0")
                cell.do("move-joints-relative Puma -40,0,0,0,0,0")
            cell.do(f"move-joints-relative Puma {7 if k % 2 else -7},3,{2 if k % 3 else -4},0,0,1")
            cell.do("wait 18.77")
            cell.do(f"move-joints-relative Puma {-7 if k % 2 else 7},-3,{-2 if k % 3 else 4},0,0,-1")
        yield cell


@pytest.mark.parametrize("quantity", ["position", "speed", "acceleration"])
def test_a_curve_of_few_columns_misses_no_peak_of_a_long_run(long_run, quantity):
    found = long_run.call("series", robot="Puma", quantity=quantity, count=400, peaks=True)
    times, values = np.array(found.times), lines(found)
    assert not found.sampled
    assert len(times) < 400 * 14 + 400
    assert (np.diff(times) > 0.0).all()
    recording, order = long_run.session.recording, ["position", "speed", "acceleration"].index(quantity)
    fine = joint_series(recording, "Puma", np.linspace(0.0, recording.end, 1_000_000), order)
    scale = np.abs(fine).max(axis=0) + 1e-9
    assert (values.min(axis=0) <= fine.min(axis=0) + 1e-5 * scale).all()
    assert (values.max(axis=0) >= fine.max(axis=0) - 1e-5 * scale).all()
    for first, last in [(1000.0, 1010.0), (found.start, found.end)]:
        part = long_run.call("series", robot="Puma", quantity=quantity, count=50, begin=first, end=last, peaks=True)
        assert part.times[0] == first
        assert part.times[-1] == last
        exact = joint_series(recording, "Puma", np.array(part.times), order)
        assert lines(part) == pytest.approx(exact, abs=1e-12)


def test_a_series_at_one_time_is_the_exact_value(long_run):
    recording = long_run.session.recording
    for time in (1800.5, recording.end, 0.0):
        found = long_run.call("series", robot="Puma", quantity="position", time=time)
        assert found.times == [time]
        assert lines(found)[0] == pytest.approx(recording.state_at(time).joints["Puma"], abs=1e-12)
    with pytest.raises(InvalidValue, match="The recording is from"):
        long_run.do(f"series Puma position at {recording.end + 1.0}s")
    with pytest.raises(InvalidValue, match="at one time, or from one to another"):
        long_run.do("series Puma position from 1 to 2 at 1.5")


def test_a_curve_of_few_columns_misses_no_peak_of_the_tool_speed(long_run):
    chosen = long_run.call("series", robot="Puma", quantity="tool-speed", count=200, peaks=True)
    even = long_run.call("series", robot="Puma", quantity="tool-speed", count=400)
    recording = long_run.session.recording
    fine = tool_speeds(long_run.snapshot(), recording, "Puma", np.linspace(0.0, recording.end, 500_000))
    assert not chosen.sampled
    assert len(chosen.times) <= 200 * 5
    assert lines(chosen).max() == pytest.approx(fine.max(), rel=1e-5)
    assert lines(chosen).max() > 1.5 * lines(even).max()
    assert lines(chosen).min() == 0.0


def test_the_tool_speed_jumps_where_the_speed_of_the_joints_does():
    with Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        cell.do("profile Puma linear")
        cell.do("wait 1")
        cell.do("move-joints-relative Puma 30,0,0,0,0,0")
        for quantity in ("tool-speed", "speed"):
            found = cell.call("series", robot="Puma", quantity=quantity, count=20, peaks=True)
            waist, times = np.abs(lines(found)[:, 0]), np.array(found.times)
            assert waist[times < 1.0].max() < 1e-9
            assert waist[(times >= 1.0) & (times < found.end)].min() == pytest.approx(waist.max(), rel=1e-6)


def test_the_chosen_samples_of_the_clearance_come_nearer_than_even_ones():
    with GALLERY.open("pick-and-place") as cell:
        chosen = cell.call("series", robot="Puma", quantity="clearance", count=150, peaks=True)
        even = cell.call("series", robot="Puma", quantity="clearance", count=150)
        assert len(chosen.pairs) == len(chosen.times) <= 150
        assert chosen.times == sorted(chosen.times)
        assert lines(chosen).min() <= lines(even).min() + 1e-9
