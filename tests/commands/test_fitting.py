"""A tool is on one flange: fitting, attaching, copying, merging; and the figures of its cups as they are typed."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.errors import CommandSyntaxError, InvalidValue, Refused
from workcell.spatial.transform import Transform

ARMS = (
    "create robot A ur10e", "create robot B kr16 at 3000,0,0", "create tool vac vacuum-2x2", "fit tool vac to A",
)  # fmt: skip


def made(*lines):
    cell = wc.Cell()
    for line in lines:
        cell.do(line)
    return cell


def flanges(cell, tool="vac"):
    database = cell.database
    found = database.find("gripper", tool) or database.entity("tool", tool)
    return [database.by_id(one.parent).name for one in database.pointers(found) if one.kind == "mount"]


def tools_of(cell):
    return {placed.name: placed.held_tool for placed in cell.snapshot().robots}


# ---- one flange -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["fit tool vac to B", "attach vac to B", "fit tool vac to B tcp 0,0,100"])
def test_a_tool_that_is_fitted_is_refused_for_another_arm(line):
    with made(*ARMS) as cell:
        rows = cell.database.rows()
        with pytest.raises(
            Refused, match="vac is on the flange of A; `take-off A` first, or fit a copy: `copy vac as NAME`"
        ):
            cell.do(line)
        assert cell.database.rows() == rows
        cell.do("copy vac as vac2")
        cell.do(line.replace("vac", "vac2"))
        assert (flanges(cell), flanges(cell, "vac2")) == (["A"], ["B"])
        cell.do("take-off A")
        cell.do("take-off B")
        cell.do(line)
        assert flanges(cell) == ["B"]
        assert cell.replayed().database.rows() == cell.database.rows()


def test_attaching_a_second_tool_to_an_arm_is_refused():
    with made(*ARMS, "create tool other magnet-1") as cell:
        for line in ("attach other to A", "fit tool other to A"):
            with pytest.raises(Refused, match="A already has a tool; `take-off A` takes it off"):
                cell.do(line)


@pytest.mark.parametrize(("fits", "told"), [
    (("fit tool vac to A", "fit tool vac to B"), "a tool can be on one flange only; ours fits it to A, theirs to B"),
    (("fit tool vac to A", "fit tool mag to A"), "a robot can have only one tool; ours fits vac, theirs mag"),
])  # fmt: skip
@pytest.mark.parametrize("take", ["ours", "theirs"])
def test_cells_that_fit_a_tool_otherwise_do_not_merge_silently(tmp_path, fits, told, take):
    with made(*ARMS[:-1], "create tool mag magnet-1") as cell:
        cell.do(f"save {tmp_path}/base.cell")
    for side, line in zip(("ours", "theirs"), fits, strict=True):
        with wc.Cell.copy_of(tmp_path / "base.cell") as cell:
            cell.do(line)
            cell.do(f"save {tmp_path}/{side}.cell")
    with wc.Cell.copy_of(tmp_path / "ours.cell") as cell:
        rows = cell.database.rows()
        with pytest.raises(Refused) as refused:
            cell.do(f"load {tmp_path}/theirs.cell base {tmp_path}/base.cell")
        assert told in str(refused.value)
        assert cell.database.rows() == rows
        cell.do(f"load {tmp_path}/theirs.cell base {tmp_path}/base.cell take {take}")
        wanted = fits[0] if take == "ours" else fits[1]
        _, _, tool, _, robot = wanted.split()
        assert tools_of(cell) == {
            **{"A": "A/two-finger gripper", "B": "B/two-finger gripper"},
            robot: f"{robot}/{tool}",
        }
        assert cell.replayed().database.rows() == cell.database.rows()


def test_a_cell_of_before_with_a_tool_on_two_flanges_opens_with_a_note():
    with made(*ARMS) as cell:
        database = cell.database
        with database.edit(lambda: "as an older Workcell did", "test") as rows:
            database.attach(rows, database.entity("robot", "B"), database.entity("gripper", "vac"), "vac", Transform())
        assert tools_of(cell) == {"A": "A/vac", "B": "B/vac"}
        (note,) = cell.notes
        assert note == "vac is on the flanges of A and B; `take-off B` and fit a copy there: `copy vac as NAME`."
        cell.do("take-off B")
        assert cell.notes == []


# ---- copies -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["", " --deep"])
def test_a_copied_arm_has_a_copy_of_its_tool_where_the_tool_is(how):
    with made(*ARMS) as cell:
        cell.do(f"copy A as Twin{how}")
        cell.do("place Twin at 0,4000,0")
        assert tools_of(cell)["Twin"] == "Twin/Twin vac"
        assert flanges(cell) == ["A"]
        snapshot = cell.snapshot()
        one, other = snapshot.robot("A").robot, snapshot.robot("Twin").robot
        assert np.array_equal(one.X_flange_tool.matrix, other.X_flange_tool.matrix)
        shapes = [[piece.solid.hash for piece in snapshot.body(name).pieces] for name in ("A/vac", "Twin/Twin vac")]
        assert shapes[0] == shapes[1]
        cell.do('modify gripper:"Twin vac" vacuum 40kPa')
        assert cell.database.entity("gripper", "vac").properties["vacuum"] == 60.0
        assert cell.replayed().database.rows() == cell.database.rows()
        cell.do("undo 3")
        assert tools_of(cell) == {"A": "A/vac", "B": "B/two-finger gripper"}


@pytest.mark.parametrize("arm", ["A", "B"])
def test_an_arm_is_copied_without_a_transformation_whether_it_has_a_tool_or_not(arm):
    with made(*ARMS) as cell:
        rows = cell.database.rows()
        with pytest.raises(
            Refused, match=rf"Robot '{arm}' cannot be transformed while it is copied.*`place Twin at …`"
        ):
            cell.do(f"copy {arm} as Twin translate 1000,0,0")
        assert cell.database.rows() == rows


# ---- figures as they are typed ------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [
    "(0,0,80)(50,0,80)", "(0,0,80) (50,0,80)", "(0, 0, 80) (50, 0, 80)", "0,0,80,50,0,80", "(0,0,80,50,0,80)",
    "(0,0,8) (5,0,8) cm", "(0mm,0,8cm) (0.05m,0,80)", "[0,0,80] [50,0,80]", "0 0 80 50 0 80",
])  # fmt: skip
@pytest.mark.parametrize("field", ["cups", "magnets"])
def test_the_places_of_several_cups_are_read_in_one_line(field, text):
    with made(
        "create gripper vac", "modify vac holds suction" if field == "cups" else "modify vac holds magnet"
    ) as cell:
        cell.do(f"modify vac {field} {text}")
        found = cell.database.entity("gripper", "vac").properties[field]
        assert found == pytest.approx([0, 0, 0.08, 0.05, 0, 0.08], abs=1e-15)
        assert cell.replayed().database.rows() == cell.database.rows()


@pytest.mark.parametrize(("text", "told"), [
    ("(0,0) (50,0,80)", r"three numbers such as \(X,Y,Z\) for each place; found 2"),
    ("(0,0,80) (50,0,80,1)", "found 4"), ("(0,0,a) (50,0,80)", "'a' is not a number"),
])  # fmt: skip
def test_places_that_are_none_are_refused(text, told):
    with made("create gripper vac") as cell, pytest.raises(CommandSyntaxError, match=told):
        cell.do(f"modify vac cups {text}")


@pytest.mark.parametrize(("text", "kilopascals"), [
    ("60", 60.0), ("60kPa", 60.0), ("60 kPa", 60.0), ("60000Pa", 60.0), ("0.6bar", 60.0), ("600 mbar", 60.0),
])  # fmt: skip
def test_a_vacuum_is_read_with_its_unit(text, kilopascals):
    with made("create tool vac vacuum-2x2", "modify vac vacuum 1") as cell:
        cell.do(f"modify vac vacuum {text}")
        assert cell.database.entity("gripper", "vac").properties["vacuum"] == pytest.approx(kilopascals, rel=1e-12)
        assert cell.replayed().database.rows() == cell.database.rows()


def test_a_vacuum_in_another_quantity_is_refused_and_a_force_has_its_own_unit():
    with made("create tool vac vacuum-2x2", "create tool mag magnet-1") as cell:
        with pytest.raises(
            CommandSyntaxError, match="Expected a number in kPa, Pa, mbar, hPa, bar, such as 60kPa; found '60mm'"
        ):
            cell.do("modify vac vacuum 60mm")
        with pytest.raises((InvalidValue, CommandSyntaxError)):
            cell.do("modify vac vacuum -5kPa")
        cell.do("modify mag force 0.4kN")
        assert cell.database.entity("gripper", "mag").properties["force"] == pytest.approx(400.0)
