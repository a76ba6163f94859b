"""Links that Workcell draws from an arm's dimensions leave the arm movable, and hide no true collision."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from shares import share
from workcell.collision.batch import check_batch
from workcell.collision.bodies import CollisionModel, collision_model
from workcell.collision.check import check
from workcell.errors import CollisionStop
from workcell.robots.catalogue import robots
from workcell.robots.robot import Robot
from workcell.robots.robot_file import parse as parse_robot_file

H = math.pi / 2
Rows = list[dict[str, float]]
UR10E: Rows = [
    {"theta": 0.0, "d": 0.1807, "a": 0.0, "alpha": H},
    {"theta": 0.0, "d": 0.0, "a": -0.6127, "alpha": 0.0},
    {"theta": 0.0, "d": 0.0, "a": -0.57155, "alpha": 0.0},
    {"theta": 0.0, "d": 0.17415, "a": 0.0, "alpha": H},
    {"theta": 0.0, "d": 0.11985, "a": 0.0, "alpha": -H},
    {"theta": 0.0, "d": 0.11655, "a": 0.0, "alpha": 0.0},
]


def rows(*table: tuple[float, float, float]) -> Rows:
    """A DH table of (d, a, alpha), the lengths in metres."""
    return [{"theta": 0.0, "d": d, "a": a, "alpha": alpha} for d, a, alpha in table]


def within(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high).map(lambda x: round(x, 3))


def some(low: float, high: float) -> st.SearchStrategy[float]:
    """Zero, or a length."""
    return st.one_of(st.just(0.0), within(low, high))


@st.composite
def ur_like(draw: st.DrawFn) -> Rows:
    upper, lower = draw(within(0.25, 0.7)), draw(within(0.2, 0.6))
    return rows(
        (draw(within(0.08, 0.3)), 0, H), (0, -upper, 0), (0, -lower, 0), (draw(within(0.08, 0.2)), 0, H),
        (draw(within(0.07, 0.14)), 0, -H), (draw(within(0.06, 0.14)), 0, 0),
    )  # fmt: skip


@st.composite
def puma_like(draw: st.DrawFn) -> Rows:
    return rows(
        (draw(some(0.2, 0.7)), draw(some(0.02, 0.3)), H), (0, draw(within(0.3, 0.8)), 0),
        (draw(some(0.02, 0.2)), draw(some(-0.1, 0.1)), -H), (draw(within(0.3, 0.8)), 0, H), (0, 0, -H),
        (draw(some(0.03, 0.15)), 0, 0),
    )  # fmt: skip


@st.composite
def scara(draw: st.DrawFn) -> Rows:
    table = rows(
        (draw(within(0.1, 0.4)), draw(within(0.15, 0.4)), 0), (draw(some(0.02, 0.1)), draw(within(0.15, 0.4)), math.pi),
        (0, 0, 0), (draw(some(0.02, 0.1)), 0, 0),
    )  # fmt: skip
    table[2]["prismatic"] = True
    return table


@st.composite
def seven_axes(draw: st.DrawFn) -> Rows:
    d = [draw(within(0.2, 0.4)), 0, draw(within(0.25, 0.5)), 0, draw(within(0.25, 0.5)), 0, draw(within(0.06, 0.15))]
    offset = draw(some(0.05, 0.1))
    a = [0, 0, offset, -offset, 0, offset, 0]
    return rows(*zip(d, a, [-H, H, H, -H, -H, H, 0], strict=True))


@st.composite
def stanford_like(draw: st.DrawFn) -> Rows:
    table = rows(
        (draw(within(0.2, 0.5)), 0, -H), (draw(within(0.1, 0.2)), 0, H), (draw(within(0.1, 0.3)), 0, 0), (0, 0, -H),
        (0, 0, H), (draw(within(0.05, 0.3)), 0, 0),
    )  # fmt: skip
    table[2]["prismatic"] = True
    return table


FAMILIES = {
    "ur-like": ur_like(), "puma-like": puma_like(), "scara": scara(), "seven axes": seven_axes(),
    "stanford-like": stanford_like(),
}  # fmt: skip


def model_of(table: Rows | Robot) -> CollisionModel:
    with wc.Cell() as cell:
        cell.add_robot(table if isinstance(table, Robot) else Robot.from_dh(table, name="Arm"), name="Arm")
        return collision_model(cell.snapshot(), warn=False)


def random_poses(model: CollisionModel, count: int) -> np.ndarray:
    limits = model.snapshot.robot("Arm").robot.limits
    return np.random.default_rng(7).uniform(limits[:, 0], limits[:, 1], (count, len(limits)))


def free_share(model: CollisionModel, count: int = 300) -> float:
    return float((~check_batch(model, {"Arm": random_poses(model, count)}).touching).mean())


def shapes_of(model: CollisionModel) -> list[tuple[np.ndarray, np.ndarray]]:
    arm = model.snapshot.robot("Arm")
    meshes = [model.snapshot.bodies[place].mesh() for place in arm.bodies]
    return [(mesh.vertices, mesh.triangles.astype(np.uint32)) for mesh in meshes]


def overlaps(model: CollisionModel, q: np.ndarray) -> set[tuple[int, int]]:
    """The pairs of links, neighbours left out, that share more than a little volume, by another library."""
    import manifold3d

    frames = model.snapshot.robot("Arm").robot.frames(q)
    solids = [
        manifold3d.Manifold.batch_boolean(
            manifold3d.Manifold(
                manifold3d.Mesh((points @ X[:3, :3].T + X[:3, 3]).astype(np.float32), triangles)
            ).decompose(),
            manifold3d.OpType.Add,
        )
        for (points, triangles), X in zip(shapes_of(model), frames, strict=True)
    ]
    n = len(solids)
    return {(i, j) for i in range(n) for j in range(i + 2, n) if (solids[i] ^ solids[j]).volume() > 1e-7}


def left_out(model: CollisionModel) -> dict[tuple[int, int], str]:
    """The pairs of links that are not tested for how they are drawn, and why."""
    bodies = model.bodies
    return {
        (min(i, j), max(i, j)): why
        for (a, b), why in model.touching_as_drawn.items()
        for i, j in [(bodies[a].link, bodies[b].link)]
    }


def test_the_dimensions_of_a_ur10e_give_an_arm_that_can_move() -> None:
    model = model_of(UR10E)
    assert free_share(model) > 0.35
    assert left_out(model) == {}


@pytest.mark.parametrize("family", FAMILIES)
def test_arms_drawn_from_random_dimensions_are_free_in_a_good_part_of_their_poses(family: str) -> None:
    @settings(max_examples=12, deadline=None, derandomize=True)
    @given(FAMILIES[family])
    def law(table: Rows) -> None:
        model = model_of(table)
        assert free_share(model) > 0.15
        assert check(model, model.snapshot.initial).contacts == ()

    law()


@pytest.mark.sampled
@pytest.mark.parametrize("family", FAMILIES)
def test_only_pairs_that_touch_in_nearly_all_poses_are_left_out_and_all_others_are_reported(family: str) -> None:
    """The oracle is the volume that links share, by another library, in poses that were not looked at before."""

    @settings(max_examples=3, deadline=None, derandomize=True)
    @given(FAMILIES[family])
    def law(table: Rows) -> None:
        model = model_of(table)
        known = left_out(model)
        Q = random_poses(model, share(25))
        shared = [overlaps(model, q) for q in Q]
        for pair, why in known.items():
            if "slides or turns" not in why:
                assert sum(pair in found for found in shared) >= 0.85 * len(Q)
        for q, found in zip(Q, shared, strict=True):
            state = model.snapshot.initial.with_joints("Arm", q)
            contacts = check(model, state).contacts
            told = {tuple(sorted(model.body(name).link for name in one.pair)) for one in contacts}
            assert found - set(known) <= told
            assert not told & set(known)

    law()


def test_a_pair_is_left_out_for_one_line_only_where_the_joints_between_have_one_axis() -> None:
    table = rows((0.3, 0.3, 0), (0.0, 0.3, math.pi), (0, 0, 0), (0.0, 0, 0))
    table[2]["prismatic"] = True
    known = left_out(model_of(table))
    assert set(known) == {(2, 4)}
    assert known[2, 4].endswith("one slides or turns in the other")


def test_far_links_that_are_folded_into_each_other_are_reported() -> None:
    model = model_of(UR10E)
    for elbow in (174, 180, -175):
        q = np.radians([0, -90, elbow, 0, 0, 0])
        found = check(model, model.snapshot.initial.with_joints("Arm", q)).contacts
        assert {"Arm/link 1", "Arm/link 3"} in [set(one.pair) for one in found]
    down = np.radians([0, 90, 0, 0, 0, 0])
    found = check(model, model.snapshot.initial.with_joints("Arm", down)).contacts
    assert {"Arm/base", "Arm/link 2"} in [set(one.pair) for one in found]


@pytest.mark.parametrize("name", robots())
def test_every_pair_of_an_arm_of_the_library_is_tested(name: str) -> None:
    assert left_out(model_of(wc.robot(name))) == {}


WRIST = rows((0.4, 0, H), (0, 0.5, 0), (0, 0, -H), (0.5, 0, H), (0, 0, -H), (0, 0, 0))
"""An arm whose flange is where the axes of its wrist meet: links 4 and 6 share a point whatever the joints do."""


@pytest.fixture
def cell():
    with wc.Cell() as made:
        made.add_robot(Robot.from_dh(WRIST, name="Arm"))
        yield made


def lines(cell) -> list[tuple[str, ...]]:
    return [tuple(map(str, row)) for row in cell.do("pairs").rows]


def test_pairs_that_are_left_out_are_listed_with_the_reason_and_can_be_tested(cell) -> None:
    told = "both are drawn from the dimensions of the robot, and they touch in all 256 random poses"
    (row,) = lines(cell)
    assert row[0] == "not tested"
    assert {row[1], row[2]} == {"Arm/link 4", "Arm/link 6"}
    assert row[3] == f"{told}; `test` tests them anyway"
    assert str(cell.do('why "Arm/link 4" with "Arm/link 6"')).endswith(f"not tested: {told}")
    assert str(cell.do("contacts")) == "nothing touches"
    cell.do('test "Arm/link 4" with "Arm/link 6"')
    assert "not tested" not in [row[0] for row in lines(cell)]
    assert "Arm/link 6 touches Arm/link 4" in str(cell.do("contacts"))
    cell.do('forget "Arm/link 4" with "Arm/link 6"')
    assert lines(cell) == [row]


def test_an_arm_of_a_table_moves_under_watch_in_a_program_and_in_the_file_that_was_saved(cell, tmp_path) -> None:
    cell.do("watch yes")
    cell.do("move-joints-relative Arm 10,10,-10,10,10,10")
    cell.do("program go\n  move-joints-relative Arm 10,0,0,0,0,0\n  home Arm\nend")
    cell.do("run go")
    known = lines(cell)
    assert cell.replayed().state == cell.state
    cell.do(f"save {tmp_path / 'a.cell'}")
    cell.do("modify robot:Arm name Bob")
    assert [tuple(text.replace("Bob", "Arm") for text in row) for row in lines(cell)] == known
    cell.do("undo")
    with wc.Cell.open(tmp_path / "a.cell") as again:
        assert lines(again) == known
        again.do("watch certified")
        again.do("run go")
    with wc.Cell() as other:
        other.do(f"load {tmp_path / 'a.cell'} prefix other_")
        other.do("use scene other_main")
        assert [tuple(text.replace("other_Arm", "Arm") for text in row) for row in lines(other)] == known
    with wc.Cell.copy_of(tmp_path / "a.cell") as text_form:
        assert lines(text_form) == known


def test_that_a_shape_is_drawn_survives_the_file_of_the_robot(cell, tmp_path) -> None:
    cell.do(f"export robot Arm {tmp_path / 'arm.toml'}")
    file = parse_robot_file((tmp_path / "arm.toml").read_text())
    loaded = Robot.load(tmp_path / "arm.toml")
    assert all(link.drawn for link in loaded.links)
    assert all(part.drawn for part in file.solid)
    assert set(left_out(model_of(loaded))) == {(4, 6)}


def test_a_link_that_was_given_a_shape_is_tested(cell) -> None:
    cell.do("create block tube cylinder 40 300")
    cell.do("assign link Arm 4 tube translate 0,0,0")
    assert lines(cell)[0][0] == "proposed"
    assert "not tested" not in str(cell.do('why "Arm/link 4" with "Arm/link 6"'))


def test_an_arm_that_touches_itself_at_the_start_is_refused_with_what_to_do(cell) -> None:
    cell.do('test "Arm/link 4" with "Arm/link 6"')
    cell.do("watch yes")
    with pytest.raises(CollisionStop) as stop:
        cell.do("move-joints-relative Arm 1,0,0,0,0,0")
    text = str(stop.value)
    assert text == (
        "Arm cannot start: Arm/link 6 and Arm/link 4 touch already; "
        '`allow "Arm/link 6" with "Arm/link 4" because REASON` lets them touch, `test-self Arm no` leaves Arm untested '
        "against itself."
    )
    cell.do('allow "Arm/link 6" with "Arm/link 4" because "drawn"')
    cell.do("move-joints-relative Arm 1,0,0,0,0,0")
    cell.do('test "Arm/link 4" with "Arm/link 6"')
    cell.do("test-self Arm no")
    cell.do('forget "Arm/link 4" with "Arm/link 6"')
    cell.do("move-joints-relative Arm 1,0,0,0,0,0")


def test_an_arm_that_touches_something_else_at_the_start_is_refused_with_what_to_do(cell) -> None:
    cell.do("add solid wall box 100 100 2000 at 250,0,1000")
    cell.do("watch yes")
    with pytest.raises(
        CollisionStop, match=r"`allow \S+( \d\S*)? with wall because REASON` lets them touch, or move one"
    ):
        cell.do("move-joints-relative Arm 1,0,0,0,0,0")
