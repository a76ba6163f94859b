"""Forward kinematics: two engines and the textbook product agree; conversions keep the tool pose."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kinematics_arms import product, random_chain, random_pose

from workcell.errors import InvalidValue
from workcell.kinematics.dh import Chain, DHRow, ImplausibleDH
from workcell.kinematics.forward import frames, frames_batch, tool_batch, tool_pose
from workcell.spatial.pose import Pose

seeds = st.integers(0, 2**32 - 1)
lawful = settings(derandomize=True, deadline=None, max_examples=40)


@given(seed=seeds, n=st.integers(1, 9))
@lawful
def test_single_batch_and_textbook_agree(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    chain = random_chain(rng, n)
    Q = rng.uniform(-7, 7, (5, n))
    poses, every = tool_batch(chain, Q), frames_batch(chain, Q)
    for q, pose, links in zip(Q, poses, every, strict=True):
        assert np.abs(tool_pose(chain, q).matrix - pose).max() < 1e-12
        assert np.abs(product(chain, q) - pose).max() < 1e-12
        assert np.abs(frames(chain, q) - links).max() < 1e-12
        assert np.abs(links[-1] @ chain.X_n_tool.matrix - pose).max() < 1e-12
        assert np.abs(links[0] - chain.X_base_0.matrix).max() < 1e-15


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 1000])
def test_a_batch_of_any_size_is_its_rows(rng: np.random.Generator, size: int) -> None:
    chain = random_chain(rng, 6)
    Q = rng.uniform(-3, 3, (size, 6))
    whole = tool_batch(chain, Q)
    assert whole.shape == (size, 4, 4)
    for q, pose in zip(Q[-3:], whole[-3:], strict=True):
        assert np.array_equal(tool_batch(chain, q[None])[0], pose)


def test_turns_by_thousands_and_millions_are_as_exact(rng: np.random.Generator) -> None:
    chain = random_chain(rng, 3, slides=0.0)
    for scale in (1e3, 9e5, 1e9):
        Q = rng.uniform(-scale, scale, (10, 3))
        for q, pose in zip(Q, tool_batch(chain, Q), strict=True):
            assert np.abs(product(chain, q) - pose).max() < 1e-12


def test_read_only_input_is_accepted(rng: np.random.Generator) -> None:
    chain = random_chain(rng, 4)
    Q = rng.uniform(-1, 1, (3, 4))
    Q.flags.writeable = False
    assert tool_batch(chain, Q).shape == (3, 4, 4)


@given(seed=seeds, n=st.integers(1, 7))
@lawful
def test_modified_rows_are_converted(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [DHRow(*rng.uniform(-1.5, 1.5, 4), prismatic=bool(rng.random() < 0.3)) for _ in range(n)]
    base, tool = random_pose(rng), random_pose(rng)
    q = rng.uniform(-2, 2, n)
    expected = base
    for row, value in zip(rows, q, strict=True):
        d, theta = (row.d + value, row.theta) if row.prismatic else (row.d, row.theta + value)
        expected = (
            expected
            @ Pose.from_axis_angle((1, 0, 0), row.alpha)
            @ Pose.from_xyz(row.a, 0, 0)
            @ Pose.from_axis_angle((0, 0, 1), theta)
            @ Pose.from_xyz(0, 0, d)
        )
    found = tool_pose(Chain.from_modified(rows, base, tool), q)
    assert found.is_close(expected @ tool, 1e-12, 1e-7)


@given(seed=seeds, n=st.integers(1, 7), parallel=st.booleans(), crossing=st.booleans())
@lawful
def test_a_chain_from_axes_turns_about_those_axes(seed: int, n: int, parallel: bool, crossing: bool) -> None:
    rng = np.random.default_rng(seed)
    points, directions = rng.uniform(-1, 1, (n, 3)), rng.normal(size=(n, 3))
    slides = rng.random(n) < 0.3
    if parallel and n > 1:
        directions[1] = -2.0 * directions[0]
    if crossing and n > 2:
        points[2] = points[1] + 0.3 * directions[1]
    tool = random_pose(rng)
    q = rng.uniform(-2, 2, n)
    expected = Pose.identity()
    for point, direction, slide, value in zip(points, directions, slides, q, strict=True):
        unit = direction / np.linalg.norm(direction)
        if slide:
            expected = expected @ Pose.from_xyz(*(unit * value))
        else:
            expected = expected @ Pose.from_axis_angle(unit, value, point)
    chain = Chain.from_axes(points, directions, list(slides), tool)
    assert np.abs(tool_pose(chain, q).matrix - (expected @ tool).matrix).max() < 1e-12


def test_chains_are_values(rng: np.random.Generator) -> None:
    chain = random_chain(rng, 6)
    tool_pose(chain, np.zeros(6))
    copy = pickle.loads(pickle.dumps(chain))
    assert copy == chain
    assert hash(copy) == hash(chain)
    assert copy.with_tool(Pose.from_xyz(1, 0, 0)) != chain
    with pytest.raises(AttributeError, match="frozen"):
        chain.rows = ()
    with pytest.raises(ValueError, match="read-only"):
        chain.table[0, 0] = 1.0


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "empty"),
        ([(0, 0, 0)], "DH row 1 has 3 entries; it needs theta, d, a, alpha"),
        ([(0, 0, 0, 0), (0, 0, 0, 0, False, 1)], "DH row 2 has 6 entries"),
        ([(0, math.nan, 0, 0)], "d of DH row 1 must be finite; found nan"),
        ([(0, "long", 0, 0)], "DH row 1 must hold numbers"),
        ([{"theta": 0, "d": 0, "a": 0}], "DH row 1 has no alpha"),
        ([{"theta": 0, "d": 0, "a": 0, "alpha": 0, "b": 1}], "DH row 1 has unknown b"),
        ([(0, 0, 0, 0, "yes")], "prismatic of DH row 1 must be true or false"),
        ("rows", "A DH table is a list of rows; found str"),
    ],
)
def test_a_bad_table_is_refused_in_one_line(rows: object, message: str) -> None:
    with pytest.raises(InvalidValue, match=message) as caught:
        Chain(rows)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_degrees_and_millimetres_are_warned_of() -> None:
    with pytest.warns(ImplausibleDH, match=r"alpha of DH row 1 is -90 rad; if degrees were meant, it is -1.5708"):
        Chain([(0, 0, 0, -90)])
    with pytest.warns(ImplausibleDH, match="a of DH row 1 is 950 m; if millimetres were meant, it is 0.95 m"):
        Chain([(0, 0, 950, 0)])


def test_rows_that_follow_from_axes_are_not_warned_of() -> None:
    """Warnings are errors in tests."""
    chain = Chain.from_axes([(0, 0, 0), (400, 0, 0)], [(0, 0, 1), (0, 1, 0)])
    assert chain.table[0, 2] == 400.0
    assert chain.with_tool(Pose.from_xyz(0, 0, 1)).rows == chain.rows


def test_the_bad_row_of_a_batch_is_named() -> None:
    chain = Chain([(0, 0, 1, 0), (0, 0, 1, 0)])
    Q = np.zeros((5, 2))
    Q[3] = math.inf, -math.inf
    with pytest.raises(InvalidValue, match="row 3 is"):
        tool_batch(chain, Q)


@pytest.mark.parametrize("values", [[0.0], [0.0, math.inf], ["a", "b"], [[0.0, 0.0]]])
def test_bad_joint_values_are_refused(values: list[object]) -> None:
    chain = Chain([(0, 0, 1, 0), (0, 0, 1, 0)])
    with pytest.raises(InvalidValue, match=r"[Jj]oint"):
        tool_pose(chain, values)
    with pytest.raises(InvalidValue, match=r"[Jj]oint"):
        tool_batch(chain, [values] if not isinstance(values[0], list) else values[0])
