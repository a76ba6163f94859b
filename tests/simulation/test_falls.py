"""Parts that fall far, land elsewhere than planned or cannot stand are reported, and stop a watched run."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from simulation_poses import down

import workcell as wc
from workcell.errors import FallStop, InvalidValue, MotionStop, UnknownName
from workcell.geometry import solids
from workcell.simulation.events import FALLS, Fell, LandedElsewhere, Released, Settled, TippedOver, Unsupported
from workcell.simulation.falling import distance_from_hull
from workcell.simulation.piles import SHAPE, STANDS
from workcell.simulation.recording import Recording
from workcell.simulation.settling import footprint, vertical_gap
from workcell.simulation.watching import Watch
from workcell.spatial.pose import Pose

PLACES = ((400, 250), (500, 250), (400, 330), (500, 330))
STARTS = ((400, -330), (500, -330), (400, -250), (500, -250))
POINTS_DOWN = "euler fanuc_wpr 180,0,180 of grip"


def palletizing() -> str:
    lines = []
    for (x, y), (u, v) in zip(STARTS, PLACES, strict=True):
        lines += [
            f"move-end-effector Puma {x},{y},140 {POINTS_DOWN}",
            f"move-straight-line Puma {x},{y},20 {POINTS_DOWN}",
            "close-gripper Puma",
            f"move-straight-line Puma {x},{y},140 {POINTS_DOWN}",
            f"move-end-effector Puma {u},{v},200 {POINTS_DOWN}",
            f"move-straight-line Puma {u},{v},121 {POINTS_DOWN}",
            "open-gripper Puma --settle",
            f"move-straight-line Puma {u},{v},200 {POINTS_DOWN}",
        ]
    return "%0A".join(lines)


@pytest.fixture
def pallet():
    """A Puma that puts four boxes on a pallet of 100 mm, which stands on a stand."""
    with wc.Cell() as cell:
        for line in (
            "create robot Puma puma560",
            "add solid table box 300 300 100 at 450,-290,-50",
            "add solid stand box 700 400 100 at 450,290,-50",
            "add solid pallet box 200 200 100 at 450,290,50 --movable",
            *(f"add solid box{n} box 40 40 40 at {x},{y},20 --movable" for n, (x, y) in enumerate(STARTS, start=1)),
            f'write program fill "{palletizing()}"',
        ):
            cell.do(line)
        yield cell


def falls(recording):
    return [event for event in recording.events if isinstance(event, FALLS)]


def heights(cell):
    return [round(float(cell.state.poses[f"box{n}"].xyz[2]), 4) for n in range(1, 5)]


def test_boxes_on_the_pallet_are_no_falls(pallet):
    assert "fall" not in str(pallet.do("run fill"))
    assert falls(pallet.session.recording) == []
    assert heights(pallet) == [0.12] * 4


def test_four_boxes_that_miss_a_moved_pallet_are_reported(pallet):
    pallet.do("place pallet at 700,290,50")
    answer = pallet.do("run fill")
    assert heights(pallet) == [0.02] * 4
    found = falls(pallet.session.recording)
    assert [(one.part, one.on) for one in found] == [(f"box{n}", "stand") for n in range(1, 5)]
    assert all(isinstance(one, Fell) and one.height == pytest.approx(0.101, abs=1e-6) for one in found)
    lines = str(answer).splitlines()[1:]
    fallen = [line for line in lines if "falls" in line]
    assert len(fallen) == 4 == len(answer.falls)
    assert "box1 falls 101 mm onto stand; a part may fall 50 mm" in fallen[0]


def test_typed_lines_and_programs_side_by_side_report_the_same_falls(pallet):
    pallet.do("place pallet at 700,290,50")
    run = pallet.do("run fill")
    events = pallet.session.recording.events
    pallet.do('write program idle "wait 1"')
    together = pallet.do("run-together fill idle")
    assert together.falls == run.falls
    assert all(line in str(together) for line in run.falls)
    pallet.do("reset")
    answers = [str(pallet.do(line)) for line in palletizing().split("%0A")]
    assert pallet.session.recording.events == events
    released = [answer for answer in answers if answer.startswith("Puma releases")]
    assert [answer.splitlines()[1] for answer in released] == list(run.falls)


@pytest.mark.parametrize("how", ["yes", "certified"])
def test_a_fall_stops_a_watched_run_and_all_stays_as_it_is(pallet, how, tmp_path):
    pallet.do("place pallet at 700,290,50")
    pallet.do(f"watch {how}")
    steps = len(pallet.journal)
    with pytest.raises(FallStop, match=r"Line 7 of program 'fill': Puma stopped at .* s: box1 falls 101 mm onto stand"):
        pallet.do("run fill")
    recording = pallet.session.recording
    assert heights(pallet) == [0.02] * 4
    assert pallet.state.poses["box1"].xyz[:2] == pytest.approx([0.4, 0.25], abs=1e-6)
    assert pallet.state.signals["Puma/gripper"] == 0.0
    assert [type(event) for event in recording.events[-3:]] == [Released, Settled, Fell]
    assert pallet.state.time == recording.end
    assert recording.state_at(recording.end) == pallet.state
    recording.save(tmp_path / "a.rec")
    assert Recording.load(tmp_path / "a.rec").events == recording.events
    assert len(pallet.journal) == steps + 1
    data = recording.to_bytes()
    pallet.undo()
    pallet.redo()
    assert pallet.session.recording.to_bytes() == data


def test_a_stop_after_a_fall_is_replayed(pallet):
    pallet.do("place pallet at 700,290,50")
    pallet.do("watch yes")
    with pytest.raises(FallStop):
        pallet.do("run fill")
    pallet.do("wait 1")
    again = pallet.replayed()
    assert again.session.recording.to_bytes() == pallet.session.recording.to_bytes()
    assert again.state == pallet.state


def test_a_handler_of_a_program_takes_a_fall(pallet):
    pallet.do("place pallet at 700,290,50")
    pallet.do("watch yes")
    lines = palletizing().split("%0A")[:7]
    pallet.do(f'write program careful "try%0A{"%0A".join(lines)}%0Aon-error why%0Amessage why%0Aend%0Await 1"')
    answer = pallet.do("run careful")
    assert any("box1 falls 101 mm" in line for line in answer.messages)


def test_how_far_a_part_may_fall_is_a_setting_of_the_cell(pallet):
    pallet.do("place pallet at 700,290,50")
    pallet.do("watch yes")
    assert str(pallet.do("allowed-fall 102mm")) == "a part may fall 102 mm"
    assert wc.Simulator(pallet).allowed_fall == pytest.approx(0.102)
    assert pallet.do("run fill").falls == ()
    pallet.undo()
    pallet.undo()
    with pytest.raises(FallStop):
        pallet.do("run fill")
    with pytest.raises(InvalidValue, match=r"zero or more"):
        pallet.do("allowed-fall -1mm")


@pytest.mark.parametrize(
    ("support", "elsewhere"), [("pallet", False), ("stand", False), ("table", True), ("Puma", True)]
)
def test_a_part_lands_where_it_was_planned_or_that_is_reported(pallet, support, elsewhere):
    for line in palletizing().split("%0A")[:6]:
        pallet.do(line)
    answer = pallet.do(f"open-gripper Puma on {support}")
    found = falls(pallet.session.recording)
    assert heights(pallet)[0] == 0.12
    if elsewhere:
        assert found == [LandedElsewhere(pallet.state.time, "box1", "pallet", support)]
        assert f"box1 lands on pallet; it should stand on {support}" in str(answer)
    else:
        assert found == []
        assert answer.falls == ()


def test_what_a_part_is_to_stand_on_follows_a_new_name_and_must_exist(pallet):
    lines = palletizing().split("%0A")[:6]
    pallet.do(f'write program one "{"%0A".join([*lines, "open-gripper Puma on pallet"])}"')
    pallet.do("modify pallet name tray")
    assert "on tray" in str(pallet.do("steps one"))
    assert pallet.do("run one").falls == ()
    with pytest.raises(UnknownName, match="nowhere"):
        wc.Simulator(pallet).robot("Puma").open_gripper(on="nowhere")


@given(st.floats(-30.0, 30.0), st.floats(-30.0, 30.0))
@example(0.0, 19.9)
@example(0.0, 15.0)
@settings(max_examples=12)
def test_a_part_tips_over_where_its_centre_is_beside_what_carries_it(x, y):
    """The corner of a stage at (450, 250) mm carries what of the cube is over it: a rectangle, exact."""
    with wc.Cell() as cell:
        for line in (
            "create robot Puma puma560",
            "add solid cube box 40 40 40 at 500,-150,20 --movable",
            "add solid stage box 200 200 60 at 350,150,30",
        ):
            cell.do(line)
        sim = wc.Simulator(cell)
        robot = sim.robot("Puma")
        robot.move_end_effector(down(0.5, -0.15, 0.02), point="grip")
        robot.close_gripper()
        robot.move_end_effector(down(0.45 + x / 1e3, 0.25 + y / 1e3, 0.085), point="grip")
        robot.open_gripper(settle=True)
        carried = max(x, y) < 20.0 - 2e-3
        beside = math.hypot(max(x, 0.0), max(y, 0.0)) / 1e3
        found = [event for event in falls(sim.recording) if isinstance(event, TippedOver)]
        if carried and beside > 2.0 * SHAPE:
            (event,) = found
            assert (event.part, event.on) == ("cube", "stage")
            assert event.overhang == pytest.approx(beside, abs=1e-5)
        elif carried and beside < 0.5 * SHAPE:
            assert found == []


POINTS = st.lists(st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0)), min_size=1, max_size=12)


@given(POINTS, st.tuples(st.floats(-2.0, 2.0), st.floats(-2.0, 2.0)))
def test_the_distance_from_a_hull_is_the_widest_gap_of_all_directions(points, place):
    """The farthest half plane that holds all points is across an edge, or across the way from a corner."""
    rows, centre = np.array(points), np.array(place)
    found = distance_from_hull(rows, centre)
    along = (rows[:, None] - rows[None]).reshape(-1, 2)
    ways = np.concatenate([along @ np.array([[0.0, 1.0], [-1.0, 0.0]]), centre - rows])
    lengths = np.linalg.norm(ways, axis=1)
    ways = ways[lengths > 0.0] / lengths[lengths > 0.0, None]
    widest = max([0.0, *(ways @ centre - (ways @ rows.T).max(axis=1))])
    assert found == pytest.approx(widest, abs=1e-9)


@given(st.floats(-0.06, 0.06), st.floats(-0.06, 0.06), st.floats(0.0, math.pi))
@settings(max_examples=40)
def test_a_part_that_came_down_stands_within_both_shapes(x, y, turn):
    upper, lower = (solids.box(*size).mesh() for size in ((0.04, 0.06, 0.04), (0.08, 0.05, 0.02)))
    X = Pose.from_xyz(x, y, 0.2) @ Pose.from_axis_angle((0.0, 0.0, 1.0), turn)
    gap = vertical_gap(upper, X.matrix, lower, np.eye(4))
    if math.isinf(gap):
        assert len(footprint(upper, X.matrix, lower, np.eye(4), 1.0)) == 0
        return
    assert gap == pytest.approx(0.17, abs=1e-9)
    lowered = Pose.from_xyz(0.0, 0.0, -gap) @ X
    places = footprint(upper, lowered.matrix, lower, np.eye(4), STANDS)
    assert len(places)
    assert (np.abs(places) <= np.array([0.04, 0.025]) + 1e-9).all()
    inside = lowered.inverse().apply(np.column_stack([places, np.zeros(len(places))]))
    assert (np.abs(inside[:, :2]) <= np.array([0.02, 0.03]) + 1e-5).all()


def test_a_part_below_the_floor_with_nothing_under_it_hangs(pick):
    sim = wc.Simulator(pick)
    robot = sim.robot("Puma")
    robot.move_end_effector(down(0.5, -0.15, 0.02), point="grip")
    robot.close_gripper()
    robot.move_end_effector(down(0.0, -0.5, -0.15), point="grip")
    robot.open_gripper(settle=True)
    assert falls(sim.recording) == [Unsupported(sim.time, "cube")]
    assert sim.state.poses["cube"].xyz[2] == pytest.approx(-0.15, abs=1e-6)


@pytest.fixture
def beam():
    """A beam that lies on two cubes."""
    with wc.Cell() as cell:
        for line in (
            "create robot Puma puma560",
            "add solid left box 40 40 40 at 500,-150,20 --movable",
            "add solid right box 40 40 40 at 500,-20,20 --movable",
            "add solid beam box 10 200 20 at 515,-85,50 --movable",
        ):
            cell.do(line)
        yield cell


def test_a_part_that_loses_one_of_its_supports_tips_over(beam):
    beam.do(f"move-end-effector Puma 500,-150,20 {POINTS_DOWN}")
    answer = beam.do("close-gripper Puma")
    (event,) = falls(beam.session.recording)
    assert (event.part, event.on) == ("beam", "right")
    assert event.overhang == pytest.approx(0.045, abs=1e-5)
    assert "beam tips over on right: its centre of mass is 45 mm outside its support" in str(answer)


def test_a_support_does_not_glide_away_where_that_is_watched(beam):
    sim = wc.Simulator(beam)
    sim.watch = Watch(sim.snapshot)
    before, data = sim.state, sim.recording.to_bytes()
    way = [Pose.from_xyz(0.5, -0.4, 0.02)]
    with pytest.raises(FallStop, match=r"left stopped at 0.0000 s: beam tips over on right") as caught:
        sim.move_solid("left", way, speed=0.1)
    assert isinstance(caught.value, MotionStop)
    assert (caught.value.part, caught.value.on) == ("beam", "right")
    assert sim.state == before
    assert sim.recording.to_bytes() == data
    sim.watch = None
    sim.move_solid("left", way, speed=0.1)
    assert [type(event) for event in falls(sim.recording)] == [TippedOver]


AWAY = "move-solid left through 500,-500,20 in 1s", "move-solid right through 500,400,20 in 1s"


@pytest.mark.parametrize("how", ["together", "parallel", "run-together"])
def test_a_part_that_loses_all_its_supports_at_once_comes_down_with_what_stands_on_it(beam, how):
    beam.do("add solid lid box 10 10 10 at 515,-85,65 --movable")
    beam.do("allowed-fall 20mm")
    if how == "together":
        answer = beam.do(f"together {AWAY[0]} & {AWAY[1]}")
    elif how == "parallel":
        beam.do(f"program both\nparallel\n{AWAY[0]}\nand\n{AWAY[1]}\nend\nend")
        answer = beam.do("run both")
    else:
        for name, line in zip(("one", "two"), AWAY, strict=True):
            beam.do(f"program {name}\n{line}\nend")
        answer = beam.do("run-together one two")
    state = beam.state
    assert state.poses["beam"].xyz == pytest.approx([0.515, -0.085, 0.01], abs=1e-5)
    assert state.poses["lid"].xyz == pytest.approx([0.515, -0.085, 0.025], abs=1e-5)
    assert state.poses["left"].xyz == pytest.approx([0.5, -0.5, 0.02])
    (fell,) = [event for event in falls(beam.session.recording) if isinstance(event, Fell)]
    assert (fell.part, fell.on, fell.height) == ("beam", "", pytest.approx(0.04, abs=1e-5))
    assert "beam falls 40 mm onto the floor" in str(beam.do("report"))
    assert answer is not None
    recording = beam.session.recording
    assert recording.state_at(recording.end) == state
    assert beam.replayed().state == state


def test_supports_do_not_leave_at_once_where_that_is_watched(beam):
    beam.do("watch yes")
    before = beam.state.poses
    with pytest.raises(FallStop, match="beam"):
        beam.do(f"together {AWAY[0]} & {AWAY[1]}")
    assert beam.state.poses == before


def test_a_part_whose_supports_leave_one_after_the_other_goes_with_the_second(beam):
    beam.do(AWAY[0])
    beam.do(AWAY[1])
    assert beam.state.poses["beam"].xyz == pytest.approx([0.515, 0.335, 0.05], abs=1e-5)


def test_an_edit_reports_what_it_takes_the_support_from(pallet):
    pallet.do("run fill")
    pallet.do("keep state")
    assert "stood" not in str(pallet.do("place pallet at 455,290,50"))
    message = "but box1, box2, box3 and box4 stood on pallet, which is no longer under them"
    assert message in str(pallet.do("place pallet at 1000,290,50"))
    pallet.undo()
    pallet.session.present.made = None  # as where nobody has looked yet
    assert message in str(pallet.do("place pallet at 1000,290,50"))
    pallet.undo()
    assert message in str(pallet.do("detach scene:main/pallet"))


def test_an_edit_of_a_pallet_that_a_run_filled_reports_the_boxes_too(pallet):
    pallet.do("run fill")
    assert "but box1, box2, box3 and box4 stood on pallet" in str(pallet.do("place pallet at 1000,290,50"))


def test_an_edit_after_a_run_names_the_parts_that_stand_on_it_after_a_reset(pallet):
    pallet.do("run fill")
    answer = str(pallet.do("place table at 450,-1290,-50"))
    assert "but after a reset box1, box2, box3 and box4 would stand on table, which is no longer under them" in answer
    pallet.do("undo")
    pallet.do("reset")
    answer = str(pallet.do("place table at 450,-1290,-50"))
    assert "but box1, box2, box3 and box4 stood on table" in answer
    assert "after a reset" not in answer


def test_a_large_cell_that_nobody_looked_at_is_not_flattened_for_an_edit(pallet, monkeypatch):
    pallet.do("run fill")
    pallet.do("keep state")
    monkeypatch.setattr("workcell.simulation.lost_supports._MANY", 1)
    pallet.session.present.made = None
    assert "stood" not in str(pallet.do("place pallet at 1000,290,50"))
    pallet.undo()
    pallet.snapshot()
    assert "but box1, box2, box3 and box4 stood on pallet" in str(pallet.do("place pallet at 1000,290,50"))


def clipped(polygon, other):
    """What two convex polygons have in common, by clipping at one edge after the other (Sutherland and Hodgman)."""
    for a, b in zip(other, np.roll(other, -1, axis=0), strict=True):
        side = [(b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) for p in polygon]
        kept = []
        for k, p in enumerate(polygon):
            q, s, t = polygon[k - 1], side[k - 1], side[k]
            if s * t < 0.0:
                kept.append(q + (p - q) * s / (s - t))
            if t >= 0.0:
                kept.append(p)
        polygon = kept
    return np.array(polygon).reshape(-1, 2)


def overhangs(seed, count):
    """Boxes turned about the vertical on the edge of another: overhang by meshes and by clipping, differences [m]."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(count):
        a, b = rng.uniform(0.02, 0.2, 2), rng.uniform(0.02, 0.2, 2)
        X = Pose.from_xyz(*rng.uniform(-0.1, 0.1, 2), 0.04) @ Pose.from_axis_angle((0.0, 0.0, 1.0), rng.uniform(0, 7))
        upper, lower = (solids.box(*size, 0.04).mesh() for size in (a, b))
        corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) / 2.0
        turned = X.apply(np.column_stack([corners * a, np.zeros(4)]))[:, :2]
        shared = clipped(list(turned), corners * b)
        places = footprint(upper, X.matrix, lower, np.eye(4), STANDS)
        if len(shared) < 3 or np.ptp(shared, axis=0).min() < 1e-4:
            continue  # they touch along a line at most
        found.append(abs(distance_from_hull(places, X.xyz[:2]) - distance_from_hull(shared, X.xyz[:2])))
    return np.array(found)


def test_the_overhang_of_turned_boxes_is_that_of_their_common_polygon():
    differences = overhangs(7, 60)
    assert len(differences) > 30
    assert differences.max() < 1e-5


@pytest.mark.soak
def test_the_overhang_of_many_turned_boxes_is_that_of_their_common_polygon():
    differences = overhangs(8, 3000)
    print(
        f"overhang of {len(differences)} turned boxes: at most {differences.max() * 1e6:.3g} µm from clipping polygons"
    )
    assert differences.max() < 1e-5
