"""Targets made from edges, curves and faces."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.errors import InvalidValue, NameTaken, Refused, TooCostly, UnknownName, WorkcellError
from workcell.geometry.nurbs.curve import NurbsCurve
from workcell.geometry.surface import surface
from workcell.geometry.traces import Trace, curve_trace, edge_length, edge_trace, face_traces
from workcell.motion.targets import joined, tool_poses
from workcell.spatial.pose import Pose

DATA = Path(__file__).parents[1] / "data/simulation/ding_case_one.json"
CUBE = wc.solids.box(0.3005, 1.1005, 0.35)
FLANGE = wc.solids.box(0.4, 0.4, 0.02).named("plate") + wc.solids.cylinder(0.1, 0.2).moved(
    Pose.from_xyz(0, 0, 0.11)
).named("tube")
BORED = wc.solids.box(0.4, 0.4, 0.02).named("plate") - wc.solids.cylinder(0.1, 0.2).named("bore")


def test_dings_targets_come_from_the_cubes_edge():
    facts = json.loads(DATA.read_text())["points"][:6]
    at = np.array([0, 200, 400, 600, 800.5, 1000.5]) * 1e-3
    trace = edge_trace(CUBE.moved(Pose.from_xyz(1.55, -0.1, 0.7)), "left", "top", at=at)
    poses = tool_poses(trace, approach="second", tilt=np.radians(45), turn=np.pi, gaps=(0.25e-3, 0.5e-3))
    for pose, fact in zip(poses, facts, strict=True):
        wanted = Pose.from_xyz_angles(np.array(fact["xyz"]) * 1e-3, np.radians(fact["ypr"]), "ding_ypr")
        assert pose.matrix == pytest.approx(wanted.matrix, abs=1e-12)


def test_the_first_face_is_on_the_left_of_travel():
    for solid, first, second in (
        (CUBE, "left", "top"),
        (CUBE, "top", "front"),
        (FLANGE, "plate.top", "add1:tube.side"),
        (BORED, "cut1:bore.side", "plate.top"),
        (BORED, "plate.bottom", "cut1:bore.side"),
    ):
        trace = edge_trace(solid, first, second, spacing=0.1)
        other = edge_trace(solid, second, first, spacing=0.1)
        for one, sides in ((trace, (first, second)), (other, (second, first))):
            assert np.abs((one.first * one.tangents).sum(axis=1)).max() < 1e-12
            # A little to the left, on the first face, is still on the boundary: it is square to the first normal and
            # on the inner side of the second face where the edge is convex, outside where it is not.
            left = np.cross(one.first, one.tangents)
            lean = (left * one.second).sum(axis=1)
            convex = solid is not FLANGE
            assert ((lean < 0.0) == convex).all(), sides


def test_an_edge_of_a_turned_part_turns_with_it():
    X = Pose.from_xyz(0.3, -0.2, 0.5) @ Pose.from_axis_angle((1, 2, 3), 0.7)
    still = tool_poses(edge_trace(FLANGE, "plate.top", "add1:tube.side", spacing=0.05), tilt=0.2, side=0.1)
    moved = tool_poses(edge_trace(FLANGE.moved(X), "plate.top", "add1:tube.side", spacing=0.05), tilt=0.2, side=0.1)
    for one, other in zip(still, moved, strict=True):
        assert (X @ one).matrix == pytest.approx(other.matrix, abs=1e-9)


def test_a_round_seam_is_exact():
    length, closed = edge_length(FLANGE, "plate.top", "add1:tube.side")
    assert (length, closed) == (pytest.approx(0.2 * np.pi, rel=1e-12), True)
    trace = edge_trace(FLANGE, "plate.top", "add1:tube.side", spacing=0.03, even=True)
    assert trace.closed
    assert np.hypot(*trace.points[:, :2].T) == pytest.approx(np.full(len(trace), 0.1), abs=1e-12)
    steps = np.linalg.norm(np.diff(trace.points, axis=0, append=trace.points[:1]), axis=1)
    assert np.ptp(steps) < 1e-12
    assert trace.second[:, :2] == pytest.approx(trace.points[:, :2] / 0.1, abs=1e-12)
    for pose in tool_poses(trace):
        # Half-way between plate and tube: 45 degrees down and inward.
        assert pose.rotation[2, 2] == pytest.approx(-np.sqrt(0.5), abs=1e-12)
        assert pose.rotation[:2, 2] == pytest.approx(-np.sqrt(0.5) * pose.xyz[:2] / 0.1, abs=1e-12)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    spacing=st.floats(0.01, 2.0),
    start=st.floats(0.0, 0.4),
    end=st.floats(0.0, 0.4),
    even=st.booleans(),
    backward=st.booleans(),
)
def test_spacing_is_kept_from_end_to_end(spacing, start, end, even, backward):
    trace = edge_trace(CUBE, "left", "top", spacing=spacing, start=start, end=end, even=even, backward=backward)
    steps = np.linalg.norm(np.diff(trace.points, axis=0), axis=1)
    assert steps.sum() == pytest.approx(1.1005 - start - end, abs=1e-9)
    assert steps.max() <= spacing + 1e-9
    if even:
        assert np.ptp(steps) < 1e-9
    else:
        assert steps[:-1] == pytest.approx(np.full(len(steps) - 1, spacing), abs=1e-9)
    assert trace.points[0, 1] == pytest.approx((0.55025 - start) if backward else (start - 0.55025), abs=1e-9)
    assert (trace.tangents[:, 1] == (-1.0 if backward else 1.0)).all()


@settings(max_examples=50, deadline=None, derandomize=True)
@given(tilt=st.floats(-1.2, 1.2), side=st.floats(-0.7, 0.7), turn=st.floats(-3, 3), gap=st.floats(-0.01, 0.05))
def test_tilt_side_and_gap_are_what_they_say(tilt, side, turn, gap):
    trace = edge_trace(CUBE, "left", "top", spacing=0.5)
    (pose, *_) = tool_poses(trace, tilt=tilt, side=side, turn=turn, gap=gap)
    travel, away = trace.tangents[0], (trace.first[0] + trace.second[0]) / np.sqrt(2.0)
    z = pose.rotation[:, 2]
    assert z @ travel == pytest.approx(np.sin(tilt), abs=1e-12)
    body = -z - (-z @ travel) * travel
    body /= np.linalg.norm(body)
    toward_second = trace.second[0] - (trace.second[0] @ away) * away
    assert np.arctan2(body @ toward_second / np.linalg.norm(toward_second), body @ away) == pytest.approx(side)
    assert pose.xyz - trace.points[0] == pytest.approx(gap * away, abs=1e-12)
    plain = tool_poses(trace, tilt=tilt, side=side)[0]
    assert plain.rotation.T @ pose.rotation == pytest.approx(
        Pose.from_axis_angle((0, 0, 1), turn).rotation if turn else np.eye(3), abs=1e-9
    )


def test_gaps_from_two_faces_are_distances_to_their_planes():
    wedge = wc.solids.extrude(surface([(0, 0), (0.4, 0), (0.1, 0.3)]), 0.5)
    sides = [face.name for face in wedge.faces if abs(face.normal[2]) < 0.5]
    for first, second in itertools.combinations(sides, 2):
        trace = edge_trace(wedge, first, second, spacing=0.2)
        assert abs(float(trace.first[0] @ trace.second[0])) > 0.1
        for pose, point, one, two in zip(
            tool_poses(trace, gaps=(0.003, 0.007)), trace.points, trace.first, trace.second, strict=True
        ):
            assert (pose.xyz - point) @ one == pytest.approx(0.003, abs=1e-12)
            assert (pose.xyz - point) @ two == pytest.approx(0.007, abs=1e-12)


def test_a_curve_is_divided_by_its_length():
    circle = NurbsCurve.arc((0.1, 0.2, 0.3), 0.25)
    trace = curve_trace(circle, (0, 0, 1), spacing=0.05, even=True)
    assert trace.closed
    angles = np.unwrap(np.arctan2(*(trace.points - [0.1, 0.2, 0.3]).T[1::-1]))
    assert np.diff(angles) == pytest.approx(np.full(len(trace) - 1, 2 * np.pi / len(trace)), abs=1e-9)
    wave = NurbsCurve.through([(0, 0, 0), (0.1, 0.1, 0), (0.2, -0.05, 0.1), (0.4, 0, 0)])
    trace = curve_trace(wave, (0, 0, 1), spacing=0.02)
    assert trace.points[[0, -1]] == pytest.approx(np.array([(0, 0, 0), (0.4, 0, 0)]), abs=1e-12)
    dense = wave.evaluate(np.linspace(0, 1, 200001))
    along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(dense, axis=0), axis=1))])
    for number, point in enumerate(trace.points[:-1]):
        nearest = int(np.linalg.norm(dense - point, axis=1).argmin())
        assert along[nearest] == pytest.approx(0.02 * number, abs=1e-5)
    assert np.abs((trace.first * trace.tangents).sum(axis=1)).max() < 1e-12
    back = curve_trace(wave, (0, 0, 1), spacing=0.02, backward=True)
    assert back.points[0] == pytest.approx(trace.points[-1], abs=1e-12)


def test_rows_cover_a_face_and_leave_its_hole_out():
    rows = face_traces(BORED, "plate.top", 0.04, 0.02, margin=0.005)
    points = np.concatenate([row.points for row in rows])
    assert points[:, 2] == pytest.approx(np.full(len(points), 0.01), abs=1e-12)
    assert np.abs(points[:, :2]).max() <= 0.195 + 1e-9
    assert np.hypot(*points[:, :2].T).min() >= 0.1
    assert len(np.unique(points[:, 1].round(9))) == 10
    # To and fro: every row begins on the side on which the one before it ended.
    for one, other in itertools.pairwise(rows):
        if abs(one.points[0, 1] - other.points[0, 1]) > 1e-6:
            assert np.sign(one.points[-1, 0]) == np.sign(other.points[0, 0])
    turned = face_traces(BORED, "plate.top", 0.04, 0.02, angle=np.radians(30), zigzag=False)
    for row in turned:
        assert row.tangents == pytest.approx(np.tile(turned[0].tangents[0], (len(row), 1)), abs=1e-12)
    around = face_traces(FLANGE, "add1:tube.side", 0.05, 0.02)
    assert all(row.closed for row in around)
    for row in around:
        assert np.hypot(*row.points[:, :2].T) == pytest.approx(np.full(len(row), 0.1), abs=1e-12)
        assert row.first[:, :2] == pytest.approx(row.points[:, :2] / 0.1, abs=1e-12)
    along = face_traces(FLANGE, "add1:tube.side", 0.05, 0.02, along="v", zigzag=False)
    assert {tuple(row.tangents[0].round(9).tolist()) for row in along} == {(0.0, 0.0, 1.0)}


def test_the_tool_is_lifted_between_rows():
    rows = face_traces(BORED, "plate.top", 0.1, 0.1, margin=0.005)
    parts = [tool_poses(row, approach="first") for row in rows]
    way = joined(parts, 0.05)
    assert len(way) == sum(map(len, parts)) + 2 * (len(parts) - 1)
    assert max(pose.xyz[2] for pose in way) == pytest.approx(0.06)
    assert joined(parts) == tuple(pose for part in parts for pose in part)


def test_a_trace_travelled_back_is_itself_again():
    trace = edge_trace(FLANGE, "plate.top", "add1:tube.side", spacing=0.1)
    twice = trace.reversed().reversed()
    assert np.array_equal(twice.points, trace.points)
    assert np.array_equal(twice.tangents, trace.tangents)
    assert np.array_equal(trace.reversed().points[0], trace.points[0])


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        (lambda: edge_trace(CUBE, "left", "right", spacing=0.1), Refused, "do not meet; 'left' meets back, bottom"),
        (lambda: edge_trace(CUBE, "left", "lid", spacing=0.1), UnknownName, "no face called 'lid'"),
        (lambda: edge_trace(CUBE, "left", "left", spacing=0.1), InvalidValue, "given twice"),
        (lambda: edge_trace(CUBE, "left", "top"), InvalidValue, "Give either the spacing"),
        (lambda: edge_trace(CUBE, "left", "top", spacing=0.1, at=[0.0]), InvalidValue, "Give either the spacing"),
        (lambda: edge_trace(CUBE, "left", "top", spacing=-0.1), InvalidValue, "more than zero; found -100 mm"),
        (lambda: edge_trace(CUBE, "left", "top", at=[0.0, 2.0]), InvalidValue, "1100.5 mm long"),
        (lambda: edge_trace(CUBE, "left", "top", at=[np.nan]), InvalidValue, "finite"),
        (lambda: edge_trace(CUBE, "left", "top", spacing=0.1, start=1.0, end=0.2), InvalidValue, "nothing is left"),
        (lambda: edge_trace(CUBE, "left", "top", spacing=0.1, piece=3), InvalidValue, "there is no edge 3"),
        (lambda: curve_trace(NurbsCurve.line((0, 0, 0), (0, 0, 1)), (0, 0, 1), spacing=1), InvalidValue, "parallel to"),
        (lambda: face_traces(CUBE, "top", 0.0, 0.1), InvalidValue, "more than zero"),
        (lambda: face_traces(CUBE, "top", 0.1, 0.1, margin=0.9), InvalidValue, "No row fits"),
        (lambda: face_traces(CUBE, "top", 0.1, 2e-6), TooCostly, "A row over the face 'top' would be .* Take a wider"),
        (lambda: face_traces(CUBE, "top", 0.1, 1e-320), TooCostly, "would be inf points; at most 10000"),
        (
            lambda: face_traces(CUBE, "top", 0.1, 2e-4),
            TooCostly,
            "The rows over the face 'top' would be .* points; at m",
        ),
        (lambda: face_traces(CUBE, "top", 1e-320, 0.1), TooCostly, "inf rows; at most 1000 .* greater distance"),
        (lambda: tool_poses(edge_trace(CUBE, "left", "top", spacing=1), tilt=2.0), InvalidValue, "less than 90°"),
        (lambda: tool_poses(edge_trace(CUBE, "left", "top", spacing=1), gap=np.nan), InvalidValue, "finite"),
        (lambda: Trace(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3))), InvalidValue, "one p"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(asked, error, message):
    with pytest.raises(error, match=message) as caught:
        asked()
    assert "\n" not in str(caught.value)


def test_faces_that_meet_twice_are_distinguished():
    slotted = wc.solids.box(0.4, 0.4, 0.02).named("plate") - wc.solids.box(0.1, 0.6, 0.1).named("slot")
    first, second = "plate.top#1", "plate.front#1"
    assert edge_length(slotted, first, second)[0] == pytest.approx(0.15)
    tunnel = wc.solids.box(0.4, 0.4, 0.2).named("block") - wc.solids.cylinder(0.05, 1.0).named("bore")
    with pytest.raises(Refused, match="do not meet"):
        edge_trace(tunnel, "block.top", "block.bottom", spacing=0.1)
    moon = wc.solids.box(0.4, 0.4, 0.2).named("plate") - wc.solids.box(0.1, 0.1, 0.1).moved(
        Pose.from_xyz(0, -0.2, 0.1)
    ).named("notch")
    with pytest.raises(InvalidValue, match="meet in 2 edges; name one by its number: 1 at"):
        edge_trace(moon, "plate.top", "plate.front", spacing=0.1)
    pieces = [edge_trace(moon, "plate.top", "plate.front", spacing=0.5, piece=piece) for piece in (1, 2)]
    assert sorted(float(piece.points[:, 0].mean()) for piece in pieces) == pytest.approx([-0.125, 0.125])


# ---- the commands ---------------------------------------------------------------------------------------


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        cell.do("add solid Cube box 300 1100 350 at 1550,0,700")
        yield cell


def test_a_path_of_targets_is_made_and_undone(cell):
    answer = cell.do("targets along-edge Cube left top to seam spacing 50mm tilt 10deg")
    assert str(answer) == (
        "path 'seam': 23 targets along the edge of Cube between left and top; the way from target to target is 1100 mm long"
    )
    assert len(cell.database.names("target")) == 23
    listed = cell.do("targets of seam")
    assert listed.rows[0][:4] == ("seam-1", 1400.0, -550.0, 875.0)
    cell.undo()
    assert cell.database.names("target") == []
    assert cell.database.find("path", "seam") is None
    cell.redo()
    assert len(cell.database.names("target")) == 23


def test_a_curve_of_the_cell_is_followed_exactly(cell):
    cell.do("create curve ring circle 120 at 0,0,175")
    answer = cell.do("targets along-curve round normal 0,0,1 of ring on Cube spacing 40 --even")
    assert str(answer).startswith("path 'round': 19 targets along the curve ring on Cube")
    places = np.array(answer.poses)[:, :3, 3]
    assert np.hypot(*places[:, :2].T) == pytest.approx(np.full(19, 0.12), abs=1e-12)
    with pytest.raises(InvalidValue, match="Give exactly one of `of`"):
        cell.do("targets along-curve two normal 0,0,1 of ring through (0,0,0) (1,0,0) spacing 40")


def test_targets_are_made_again_when_the_journal_is_replayed(cell):
    cell.do("targets along-edge Cube left top to seam spacing 200 tilt 10 side -5 gaps 1,2 --backward")
    cell.do("targets along-curve wave normal 0,0,1 control (0,-300,175) (100,0,175) (0,300,175) on Cube spacing 90")
    cell.do("targets over-face Cube top to raster rows 100 spacing 100 margin 20 along v --one-way retract 30")
    assert cell.replayed().database.rows() == cell.database.rows()


def test_targets_go_with_the_object_that_carries_them(cell):
    cell.do("targets along-edge Cube left top to seam spacing 500")
    before = cell.do("targets of seam").rows
    cell.do("place Cube at 1550,0,900")
    after = cell.do("targets of seam").rows
    assert [row[3] - old[3] for row, old in zip(after, before, strict=True)] == pytest.approx([200.0] * len(after))


def test_curves_and_faces_give_paths_too(cell):
    cell.do("targets along-curve arch normal 0,0,1 through (400,-200,300) (500,0,400) (400,200,300) spacing 50 --even")
    rows = cell.do("targets of arch").rows
    assert rows[0][1:4] == pytest.approx((400, -200, 300))
    assert rows[-1][1:4] == pytest.approx((400, 200, 300))
    answer = cell.do("targets over-face Cube top to raster rows 100 spacing 100 margin 20 gap 10")
    assert "in 11 rows over the face top of Cube" in str(answer)
    assert {row[3] for row in cell.do("targets of raster").rows} == {885.0}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("targets along-edge Cube left top to seam", "Give either the spacing"),
        ("targets along-edge Cube left lid to seam spacing 10", "no face called 'lid'"),
        ("targets along-edge Cube left top to seam spacing 0.1", "would be 1100. points; at most 10000 are"),
        ("targets along-edge Cube left top to seam spacing 1e-320", "would be inf points"),
        ("targets along-curve seam normal 0,0,1 spacing 10", "Give exactly one of `of`"),
        ("targets along-edge Cube left top to taken spacing 100", "path called 'taken' already"),
    ],
)
def test_a_refused_command_changes_nothing(cell, line, message):
    cell.do("create path taken")
    revision = cell.session.revision
    with pytest.raises(WorkcellError, match=message):
        cell.do(line)
    assert cell.session.revision == revision
    assert cell.database.names("target") == []


def test_a_target_name_that_is_taken_is_refused_as_a_whole(cell):
    cell.do("create target seam-3")
    with pytest.raises(NameTaken, match="seam-3"):
        cell.do("targets along-edge Cube left top to seam spacing 100")
    assert cell.database.find("path", "seam") is None


def test_faces_of_several_blocks_are_named_with_their_block(cell):
    for line in (
        "create block plate box 200 200 10",
        "create block pin cylinder 20 50",
        "create object part",
        "attach plate to part",
        "attach pin to part translate 0,0,30",
        "place part at 0,0,100",
    ):
        cell.do(line)
    assert "targets" in str(cell.do("targets along-edge part plate.left plate.top to one spacing 50"))
    with pytest.raises(Refused, match="different blocks"):
        cell.do("targets along-edge part plate.top pin.side to two spacing 50")
    with pytest.raises(Refused, match="begin with pin, plate"):
        cell.do("targets along-edge part left top to two spacing 50")
