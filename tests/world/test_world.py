"""The world model of the thesis: levels, relations, instances, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from workcell.commands.cell import Cell
from workcell.errors import (
    CycleRefused,
    InvalidValue,
    NameTaken,
    PointedTo,
    Refused,
    UnknownName,
    WorkcellError,
    WrongLevel,
)

SIDES = [
    "rotate 90,0,0 translate 0,0,0",
    "rotate 90,0,0 translate 0,1,0",
    "rotate 0,-90,0 translate 0,0,0",
    "rotate 0,-90,0 translate 1,0,0",
    "rotate 0,0,0 translate 0,0,0",
    "rotate 0,0,0 translate 0,0,1",
]


@pytest.fixture
def cube(cell: Cell) -> Cell:
    """Section 2.2.2 of the thesis: a unit cube of six relations to one square."""
    cell.do("create surface square1 contour (0,0) (1,0) (1,1) (0,1)")
    cell.do("create block cube1")
    for number, side in enumerate(SIDES, start=1):
        cell.do(f"attach surface square1 to block cube1 as side{number} scale 1,1,1 {side}")
    return cell


def test_the_cube_of_the_thesis_points_six_times_to_one_surface(cube):
    database = cube.database
    assert len(database.entities("surface")) == 1
    assert database.pointed_by(database.entity("surface", "square1")) == 6
    facts = cube.do("show surface square1").facts
    assert facts["pointed_by"] == 6
    with pytest.raises(PointedTo) as refused:
        cube.do("remove surface square1")
    assert refused.value.pointers == [f"cube1/side{n}" for n in range(1, 7)]
    for n in range(1, 7):
        assert f"cube1/side{n}" in str(refused.value)


def test_the_corners_of_the_cube_are_those_of_a_cube(cube):
    square = np.array([[0, 0, 0, 1], [1, 0, 0, 1], [1, 1, 0, 1], [0, 1, 0, 1]], dtype=float) * [1e-3, 1e-3, 1e-3, 1]
    corners = set()
    for relation in cube.database.relations(cube.database.entity("block", "cube1")):
        corners |= {tuple(np.round(point[:3] * 1e3, 12)) for point in square @ relation.matrix.T}
    assert corners == {(float(x), float(y), float(z)) for x in (0, 1) for y in (0, 1) for z in (0, 1)}


def test_the_parallelepiped_both_ways(cube):
    cube.do("create object parallelepiped1")
    cube.do("attach block cube1 to object parallelepiped1 as whole scale 2,3,1.5")
    cube.do("copy block cube1 as parallelepiped2 scale 2,3,1.5")
    database = cube.database
    assert database.pointed_by(database.entity("surface", "square1")) == 12
    block = database.relations(database.entity("object", "parallelepiped1"))[0].matrix
    by_object = [block @ r.matrix for r in database.relations(database.entity("block", "cube1"))]
    by_copy = [r.matrix for r in database.relations(database.entity("block", "parallelepiped2"))]
    assert np.allclose(by_object, by_copy, atol=1e-15)


def test_a_deep_copy_shares_nothing(cube):
    cube.do("copy block cube1 as other --deep")
    database = cube.database
    assert database.pointed_by(database.entity("surface", "square1")) == 6
    parts = {r.child for r in database.relations(database.entity("block", "other"))}
    assert len(parts) == 1
    cube.do("modify other/side1 description changed")
    assert database.relation(database.entity("block", "cube1"), "side1").description == ""


def test_three_robots_of_section_2_1_and_their_questions(cell):
    """Figures 2.1–2.4: components make solids, solids make robots."""
    for line in [
        "create block cylinder cylinder 50 200", "create block sphere sphere 40",
        "create surface face contour (0,0) (1,0) (1,1) (0,1)", "create block volume",
        *[f"attach face to volume as face{n}" for n in range(6)],
        "create object solid1", "attach cylinder to solid1", "create object solid2", "attach volume to solid2",
        "create object solid3", "attach sphere to solid3",
        "create object solid4", "attach sphere to solid4", "attach cylinder to solid4 as c1", "attach cylinder to solid4 as c2",
    ]:  # fmt: skip
        cell.do(line)
    for robot, solids in {
        "robot1": ["solid1", "solid2", "solid3"],
        "robot2": ["solid2", "solid3"],
        "robot3": ["solid2"],
    }.items():
        cell.do(f"create mechanism {robot}")
        for solid in solids:
            cell.do(f"attach {solid} to {robot}")

    def names(question: str) -> list[str]:
        return [row[1] for row in cell.do(f"query {question}").rows]

    assert names("kind object and made-of sphere and made-of cylinder") == ["solid4"]
    assert names("kind object and (made-of sphere or made-of cylinder)") == ["solid1", "solid3", "solid4"]
    assert names("kind mechanism and uses cylinder") == ["robot1"]
    assert names("kind mechanism and uses solid2") == ["robot1", "robot2", "robot3"]
    assert names("uses cylinder >= 2") == ["solid4"]
    assert names("uses face >= 6 and kind object") == ["solid2"]
    assert names("uses surface = 6 and kind mechanism") == ["robot1", "robot2", "robot3"]
    assert names("used-by robot3") == ["face", "volume", "solid2"]
    assert names("part-of robot2") == ["solid2", "solid3"]
    assert names("kind mechanism and not uses sphere") == ["robot3"]
    assert names("pointed_by >= 3") == ["cylinder", "face", "solid2"]
    assert names("uses cylinder < 1 and kind mechanism") == ["robot2", "robot3"]
    assert names("name solid* and parts >= 3") == ["solid4"]
    relations = cell.do("query-relations to cylinder and not of solid1").rows
    assert [row[1] for row in relations] == ["solid4/c1", "solid4/c2"]
    assert [row[1] for row in cell.do("query-relations kind transform-surface and name face[0-2]").rows] == [
        "volume/face0", "volume/face1", "volume/face2",
    ]  # fmt: skip


def test_properties_are_kept_asked_for_and_compared(cell):
    cell.do("create block part box 10 20 30 colour red description heavy")
    cell.do("modify part mass 2.5kg")
    cell.do("add property length of part".replace(" of ", " to ") + " 120mm")
    cell.do("add property supplier to part Smith")
    facts = cell.do("show part").facts
    assert facts["properties"]["mass"] == 2.5
    assert facts["properties"]["length"] == {"quantity": "length", "si": pytest.approx(0.12)}
    assert facts["properties"]["supplier"] == "Smith"
    for question, expected in [
        ("mass > 2400g", 1), ("mass > 2.6", 0), ("length <= 120", 1), ("length < 100", 0), ('supplier = "Smith"', 1),
        ("colour red", 1), ("movable", 0), ("description heav*", 1),
    ]:  # fmt: skip
        assert len(cell.do(f"query {question}").rows) == expected, question
    cell.do("drop property supplier from part")
    with pytest.raises(WorkcellError, match="neither a condition nor a property"):
        cell.do("query supplier")


def test_retyping_keeps_relations_that_fit_and_refuses_others(cell):
    for line in ["create object hand", "create block finger box 1 1 1", "attach finger to hand"]:
        cell.do(line)
    cell.do("modify hand kind gripper")
    assert cell.do("show gripper hand").facts["relations"][0]["kind"] == "transform-block"
    with pytest.raises(WrongLevel, match="a block can be attached to"):
        cell.do("modify gripper:hand kind scene")


@pytest.mark.parametrize(
    ("line", "error", "words"),
    [
        (
            "attach block b to surface s",
            WrongLevel,
            "nothing can be attached to a surface, and a block can be attached to object",
        ),
        ("attach surface s to object o", WrongLevel, "an? object is made of block"),
        ("create block b", NameTaken, "a block called 'b' already"),
        ("modify block:b name b2", NameTaken, "already"),
        ("create block block", WorkcellError, "word of the command language"),
        ("create block a/b", WorkcellError, "cannot be used"),
        ('create block " x"', WorkcellError, "blank"),
        ("attach block b to object o scale 1,0,1", WorkcellError, "zero flattens"),
        ("attach block b to object o rotate 0,0,30 scale 1,2,1", Refused, "Scale before you rotate"),
        ("attach object o to scene sc scale 2,2,2", Refused, "objects and everything that moves keep their size"),
        ("attach block b to object o matrix (1,0.5,0,0, 0,1,0,0, 0,0,1,0)", WorkcellError, "shears"),
        ("attach block b to object o matrix (1,0,0,0, 0,1,0,0, 0,0,0,0)", WorkcellError, "singular"),
        ("attach block b to object o axis 0,0,0 angle 10", WorkcellError, "no direction"),
        (
            "attach block b to object o points (0,0,0)(1,0,0)(2,0,0) to (0,0,0)(1,0,0)(0,1,0)",
            WorkcellError,
            "on one line",
        ),
        ("remove block nobody", UnknownName, "no block called 'nobody'"),
        ("show b/side", UnknownName, "relation of block 'b'"),
        ("copy block b as c scale 2,2,2", Refused, "no shape and no relations that a transformation could change"),
        ("modify b colour blurple", UnknownName, "did you mean blue or purple|purple or blue|blue|purple"),
        ("create surface t hole (0,0) (1,0) (0,1)", InvalidValue, "needs an outer contour"),
    ],
)
def test_refusals_say_why_and_change_nothing(cell, line, error, words):
    for setup in [
        "create surface s",
        "create block b",
        "create block b2",
        "create object o",
        "create scene sc",
        "create mechanism m1",
    ]:
        cell.do(setup)
    before = cell.database.rows(), cell.journal.entries()
    with pytest.raises(error, match=words):
        cell.do(line)
    assert (cell.database.rows(), cell.journal.entries()) == before


def test_cycles_are_refused(cell):
    for line in ["create mechanism rail", "create mechanism table2", "create robot r puma560"]:
        cell.do(line)
    cell.do("attach robot:r to mechanism:rail")
    with pytest.raises(CycleRefused, match="part of"):
        cell.do("attach mechanism:rail to robot:r")
    with pytest.raises(WorkcellError):
        cell.do("attach robot:r to robot:r")


def test_names_of_two_levels_are_told_apart(cell):
    cell.do("create block part")
    cell.do("create object part")
    with pytest.raises(WorkcellError, match="block:part or object:part"):
        cell.do("show part")
    assert cell.do("show object part").kind == "object"
    assert cell.do("show block:part").kind == "block"


def test_merging_reports_all_clashes_before_anything_changes(tmp_path, cell):
    with Cell.create(tmp_path / "other.cell") as other:
        for line in ["create block a", "create block b", "create object c", "attach a to c", "create block d"]:
            other.do(line)
    cell.do("create block a")
    cell.do("create block b")
    before = cell.database.rows()
    with pytest.raises(NameTaken) as refused:
        cell.do(f"load {tmp_path / 'other.cell'}")
    assert refused.value.clashes == ["block 'a'", "block 'b'"]
    assert cell.database.rows() == before
    cell.do(f"load {tmp_path / 'other.cell'} prefix left-")
    assert cell.database.names("object") == ["left-c"]
    (tmp_path / "other.cell").unlink()
    assert cell.replayed().database.rows() == cell.database.rows()


def test_merging_the_same_entities_twice_takes_them_once(tmp_path, cell):
    with Cell.create(tmp_path / "other.cell") as other:
        other.do("create block a")
    cell.do(f"load {tmp_path / 'other.cell'}")
    cell.do(f"load {tmp_path / 'other.cell'}")
    assert cell.database.names("block") == ["a"]


def test_a_part_at_two_depths_is_removed_once(cell):
    for line in (
        "create block a", "create block b", "create block c", "create object o",
        "attach block a to object:o as far", "attach block b to object:o as b", "attach block c to block:b as c",
        "attach block c to object:o as c",
    ):  # fmt: skip
        cell.do(line)
    assert str(cell.do("remove o --deep")).count("block 'c'") == 1
    cell.do("undo")
    assert cell.database.names() == ["a", "b", "c", "o"]
