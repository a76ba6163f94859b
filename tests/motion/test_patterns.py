"""Patterns of poses, against numpy and against the laws of mirrors."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import workcell as wc
from workcell.errors import WorkcellError
from workcell.motion.patterns import grid, mirrored
from workcell.spatial.pose import Pose

numbers = st.floats(-2.0, 2.0, allow_nan=False)
counts = st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3))
poses = st.tuples(*[numbers] * 6).map(lambda v: Pose.from_xyz_angles(v[:3], v[3:], "fanuc_wpr"))


@given(size=counts, pitch=st.tuples(numbers, numbers, numbers), first=poses)
def test_a_grid_is_numpys(size, pitch, first):
    found = np.array([pose.xyz for pose in grid(size, pitch, first)])
    z, y, x = np.meshgrid(*(np.arange(n) * p for n, p in zip(size[::-1], pitch[::-1], strict=True)), indexing="ij")
    assert np.allclose(found, first.xyz + np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1))
    assert all(np.allclose(pose.rotation, first.rotation) for pose in grid(size, pitch, first))


@given(size=counts, first=poses, stagger=numbers, turn=numbers)
def test_a_numbering_to_and_fro_has_the_same_poses_and_shorter_ways(size, first, stagger, turn):
    plain = grid(size, (0.3, 0.2, 0.1), first, stagger=stagger, turn=turn)
    snake = grid(size, (0.3, 0.2, 0.1), first, stagger=stagger, turn=turn, zigzag=True)
    assert {tuple(np.round(pose.matrix.ravel(), 6) + 0.0) for pose in plain} == {
        tuple(np.round(pose.matrix.ravel(), 6) + 0.0) for pose in snake
    }
    if stagger == turn == 0.0:
        steps = np.linalg.norm(np.diff([pose.xyz for pose in snake], axis=0), axis=1)
        assert (steps <= 0.3 + 1e-9).all(), "neighbours follow each other"


@given(size=counts, first=poses, turn=numbers)
def test_layers_turn_about_their_common_middle(size, first, turn):
    found = np.array([pose.xyz for pose in grid(size, (0.3, 0.2, 0.1), first, turn=turn)])
    layers = found.reshape(size[2], -1, 3)
    middle = layers.mean(axis=1)
    assert np.allclose(middle - middle[0], np.arange(size[2])[:, None] * [0.0, 0.0, 0.1], atol=1e-9)
    turned = [pose.rotation for pose in grid(size, (0.3, 0.2, 0.1), first, turn=turn)][:: size[0] * size[1]]
    for layer, rotation in enumerate(turned):
        angle = layer * turn
        about_z = [[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]]
        assert np.allclose(rotation, about_z @ first.rotation, atol=1e-9)


@given(some=st.lists(poses, min_size=1, max_size=4), normal=st.tuples(numbers, numbers, numbers), point=poses)
def test_a_mirror_is_its_own_inverse_and_gives_right_handed_poses(some, normal, point):
    if np.linalg.norm(normal) < 1e-3:
        return
    once = mirrored(some, normal, point.xyz)
    assert all(one.is_close(two, 1e-9, 1e-9) for one, two in zip(mirrored(once, normal, point.xyz), some, strict=True))
    n = np.asarray(normal) / np.linalg.norm(normal)
    for before, after in zip(some, once, strict=True):
        assert np.linalg.det(after.rotation) == pytest.approx(1.0)
        assert (before.xyz - point.xyz) @ n == pytest.approx(-(after.xyz - point.xyz) @ n, abs=1e-9)
        assert before.rotation[:, 2] @ n == pytest.approx(-after.rotation[:, 2] @ n, abs=1e-9)
        assert np.cross(before.xyz - after.xyz, n) == pytest.approx(np.zeros(3), abs=1e-9)


def test_a_grid_by_command_hangs_on_its_pallet_and_is_a_family_of_programs():
    with wc.Cell() as cell:
        cell.do("create robot Arm irb1600")
        cell.do("add solid pallet box 600 400 100 at 900,0,50 --movable")
        made = cell.do("targets grid 2x2x2 to spots pitch 200,150,80 on pallet at -100,-75,250 rotate 180,0,0 --zigzag")
        assert "8 targets in a grid of 2 by 2 by 2 on pallet" in made.text
        cell.do(
            "program go\nlet n = 0\nfor t in spots\nlet n = n + 1\nmove-end-effector Arm t\nend\n"
            "move-end-effector Arm target(spots, count(spots))\nmessage n\nend"
        )
        cell.do("place pallet at 900,200,50 rotate 0,0,15")
        cell.do("run go")
        state, snapshot = cell.session.state, cell.session.snapshot()
        last = snapshot.path_poses(state, "spots")[-1]
        assert snapshot.tool_pose(state, "Arm").is_close(last, 1e-6, 1e-6)
        cell.do("targets mirror spots to others across 0,1,0")
        shift = snapshot.body_pose(state, "pallet")
        for one, two in zip(
            snapshot.path_poses(state, "spots"), cell.session.snapshot().path_poses(state, "others"), strict=True
        ):
            a, b = shift.inverse() @ one, shift.inverse() @ two
            assert np.allclose(a.xyz * [1, -1, 1], b.xyz)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("targets grid 4 to g pitch 1,1", "Expected the size of a grid such as 4x3 or 4x3x2; found '4'"),
        ("targets grid 0x3 to g pitch 1,1", "needs at least one target in each direction"),
        ("targets grid 2x3x2 to g pitch 1,1", "needs a third pitch"),
        ("targets grid 2x3 to g pitch 1", "two lengths, or three if it has layers"),
        ("targets grid 900x900 to g pitch 1,1", "holds at most 5000"),
        ("targets mirror empty to g across 1,0,0", "has no targets"),
        ("targets mirror full to g across 0,0,0", "normal of a mirror must be a direction"),
    ],
)
def test_what_is_no_pattern_is_refused(line, sentence):
    with wc.Cell() as cell:
        cell.do("create path empty")
        cell.do("targets grid 2x2 to full pitch 10,10")
        with pytest.raises(WorkcellError, match=sentence):
            cell.do(line)
        assert cell.database.find("path", "g") is None


def test_a_preview_has_the_targets_that_the_command_makes_and_makes_none():
    lines = (
        "targets along-edge crate left top to seam spacing 60 gap 5",
        "targets over-face crate top to raster rows 100 spacing 100",
        "targets along-curve arch normal 0,0,1 through (0,0,60) (100,0,90) (200,0,60) on crate spacing 50",
        "targets grid 2x2 to spots pitch 100,100 on Arm link 0 at 300,0,200 rotate 180,0,0",
        "targets mirror seam to other across 1,0,0",
    )
    with wc.Cell() as cell:
        cell.do("create robot Arm irb1600 at 0,500,0 rotate 0,0,30")
        cell.do("add solid crate box 400 300 100 at 900,0,50 rotate 0,0,20")
        for line in lines:
            steps = len(cell.journal)
            shown = cell.do(f"targets preview {line}")
            assert len(cell.journal) == steps
            made = cell.do(line)
            assert shown.text == made.text
            there = cell.session.snapshot().path_poses(cell.session.state, made.path)
            assert [place[:3] for place in shown.places] == [pytest.approx(pose.xyz, abs=1e-9) for pose in there]
            assert not shown.ring
        for line, sentence in (
            ("place crate at 0,0,0", "would make; found `place`"),
            ("targets along-edge crate left tip to new spacing 60", "no face called 'tip'"),
            (lines[0], "There is a path called 'seam' already"),
        ):
            with pytest.raises(WorkcellError, match=re.escape(sentence)):
                cell.do(f"targets preview {line}")
