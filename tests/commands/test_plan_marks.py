"""A planned program keeps what it was planned for; a cell that is another one since is noticed."""

from __future__ import annotations

import pytest

import workcell as wc
from workcell.commands.converting import database_of
from workcell.commands.merging import merged
from workcell.commands.plan_marks import plan_notes
from workcell.errors import WorkcellError
from workcell.world import planned_for
from workcell.world.planned_for import changed_since
from workcell.world.text_form import contents_of, to_text

CELL = (
    "create robot Arm irb1600",
    "add solid plate box 400 600 20 at 700,0,300",
    "add solid post box 50 50 500 at 700,700,250",
    "targets grid 2x2 to holes pitch 150,200 on plate at -75,-200,180 rotate 180,0,0",
    "plan order holes by Arm to drill spin 90",
)


@pytest.fixture
def cell():
    with wc.Cell() as made:
        for line in CELL:
            made.do(line)
        yield made


def notes(cell, name="drill"):
    return cell.do(f"check program {name}").notes


def test_the_cell_that_a_program_was_planned_for_gives_no_note(cell):
    assert notes(cell) == ()
    assert cell.do("run drill").notes == ()
    assert "planned: for the cell as it is now" in str(cell.do("show drill"))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("place post at 720,700,250", "post stands elsewhere"),
        ("modify Arm joints 10,0,0,0,30,0", "robot Arm starts with other joint values"),
        ("remove post --deep", "post is gone"),
        ("add solid crate box 100 100 100 at 0,900,50", "crate is new"),
        ("add solid crate box 100 100 100 at 0,900,50 --movable", "crate is new"),
        ("add zone door box 500 500 1500 at 0,-900,500", "zone door is new"),
        ("ignore body post", "other pairs are tested"),
    ],
)
def test_what_changed_since_is_named_until_it_is_undone(cell, line, reason):
    cell.do(line)
    (note,) = notes(cell)
    assert note.startswith(f"Program 'drill' was planned for another cell: {reason}")
    assert "`plan order holes by Arm to drill spin 90deg` plans it again" in note
    assert "`plan program drill` proves its moves here" in note
    assert note in str(cell.do("show drill"))
    cell.do("undo")
    assert notes(cell) == ()
    cell.do("redo")
    assert notes(cell) == (note,)


def test_planning_again_is_for_the_cell_as_it_is(cell):
    cell.do("place post at 720,700,250")
    assert cell.do("run drill").notes
    cell.do("plan program drill")
    assert notes(cell) == ()
    cell.do("plan program drill --dry")
    cell.do("place post at 700,700,250")
    assert "`plan program drill` proves its moves here." in notes(cell)[0]
    assert "plan order" not in notes(cell)[0]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("replace robot Arm with irb140", "robot Arm is another arm"),
        ("place plate at 700,3,300", "plate stands elsewhere"),
        ("place Arm at 0,0,3", "robot Arm stands elsewhere"),
        ("offset target:holes-1 0,0,3", ""),
        ("detach holes/holes-1", ""),
    ],
)
def test_an_order_that_misses_its_targets_is_named_also_after_it_was_proved_again(cell, line, reason):
    cell.do(line)
    (note,) = notes(cell)
    other = f"was planned for another cell: {reason}; it " if reason else ""
    assert note.startswith(f"Program 'drill' {other}misses ")
    assert note.endswith("`plan order holes by Arm to drill spin 90deg` plans it again.")
    if "replace" not in line:
        cell.do("plan program drill")
        assert notes(cell)[0].startswith("Program 'drill' misses ")
        cell.do("plan order holes by Arm to drill spin 90")
        assert notes(cell) == ()


def test_an_order_is_missed_by_what_moved(cell):
    cell.do("place plate at 700,3,300")
    assert "misses holes-" in notes(cell)[0]
    assert notes(cell)[0].count("by 3 mm") == 3
    cell.do("place plate at 700,0,300")
    assert notes(cell) == ()


def test_a_replaced_robot_names_the_orders_that_it_misses(cell):
    found = cell.do("replace robot Arm with irb140").checked
    (order,) = [one for one in found if one.name == "the order of drill"]
    assert not order.fits
    assert "misses holes-" in order.problem
    same = cell.do("replace robot Arm with irb1600").checked
    (order,) = [one for one in same if one.name == "the order of drill"]
    assert order.fits


def test_other_names_change_nothing_but_the_names_in_the_note(cell):
    for line in ("modify Arm name Bob", "modify post name pole", "modify holes name gaps", "modify drill name bore"):
        cell.do(line)
    assert notes(cell, "bore") == ()
    cell.do("place pole at 720,700,250")
    (note,) = notes(cell, "bore")
    assert "pole stands elsewhere" in note
    assert "`plan order gaps by Bob to bore spin 90deg`" in note


def test_a_part_that_robots_handle_counts_where_it_starts(cell):
    cell.do("add solid crate box 100 100 100 at 0,900,50 --movable")
    cell.do("plan program drill")
    cell.do("place crate at 0,950,50")
    assert "crate stands elsewhere" in notes(cell)[0]


def test_a_run_that_is_stopped_names_the_other_cell_too(cell):
    cell.do("place post at 700,0,600")
    cell.do("watch yes")
    with pytest.raises(WorkcellError, match=r"would touch(.|\n)*was planned for another cell: post stands elsewhere"):
        cell.do("run drill")


def test_callers_of_a_planned_program_are_warned(cell):
    cell.do('write program day "call drill%0Await 1"')
    cell.do("place post at 720,700,250")
    assert "Program 'drill' was planned for another cell" in notes(cell, "day")[0]
    assert cell.do("run day").notes == notes(cell, "day")
    cell.do("create task shift")
    cell.do("attach day to task:shift")
    assert notes(cell, "task:shift") == notes(cell, "day")


def test_a_program_with_other_moves_is_no_longer_planned(cell):
    text = str(cell.session.database.entity("program", "drill").properties["text"])
    cell.call("write program", name="drill", text=text + "\nwait 1s\n# more")
    assert cell.session.database.entity("program", "drill").properties["planned"]
    cell.do("tidy program drill")
    cell.do("place post at 720,700,250")
    assert notes(cell)
    cell.call("write program", name="drill", text=text + "\nhome Arm")
    assert "planned" not in cell.session.database.entity("program", "drill").properties
    assert notes(cell) == ()
    cell.do("undo")
    assert notes(cell)


def test_it_is_kept_by_files_and_by_the_text_form(cell, tmp_path):
    cell.do(f'save "{tmp_path}/a.cell"')
    text = database_of(contents_of(to_text(cell.database)))
    for opened in (wc.Cell.open(tmp_path / "a.cell"), wc.Cell(text)):
        with opened as again:
            assert notes(again) == ()
            again.do("place post at 720,700,250")
            assert "post stands elsewhere" in notes(again)[0]


def test_a_damaged_plan_is_one_sentence(cell):
    for text in ("nonsense", '["plan order", {}]\nthings-9\n', '["plan order", {}]\nthings-1\nrobot 1 2'):
        cell.call("modify", thing="drill", field="planned", value=text)
        (note,) = notes(cell)
        assert note.startswith("It cannot be read for which cell program 'drill' was planned.")


def test_of_very_many_objects_one_identity_is_kept(cell, monkeypatch):
    monkeypatch.setattr(planned_for, "MOST_OBJECTS", 1)
    few = planned_for.planned_for(cell.snapshot())
    assert changed_since(few, cell.snapshot()) == ()
    cell.do("place post at 720,700,250")
    assert changed_since(few, cell.snapshot()) == ("objects moved or changed",)


def test_scheduled_programs_are_planned_too():
    with wc.Cell() as cell:
        cell.do("create robot A puma560 joints 90,20,-120,0,60,0")
        cell.do("create robot B puma560 at 1450,0,0 rotate 0,0,180 joints 90,20,-120,0,60,0")
        cell.do('write program left "move-joints-absolute A 5,20,-120,0,60,0%0Await 1%0Ahome A"')
        cell.do('write program right "move-joints-absolute B 5,20,-120,0,60,0%0Await 1%0Ahome B"')
        cell.do("schedule left right")
        assert notes(cell, "left") == notes(cell, "right") == ()
        cell.do("place B at 1400,0,0 rotate 0,0,180")
        assert "`check together left right` shows whether they still pass." in notes(cell, "left")[0]
        ran = cell.do("run-together left right")
        assert len(ran.notes) == 1
        assert plan_notes(cell.session, ["left", "right"]) == ran.notes


def test_a_merge_with_a_moved_body_is_noticed(cell):
    """One plans, another moves the post: both edits merge, and the plan is for another cell."""
    base = contents_of(to_text(cell.database))

    def after(line):
        with wc.Cell(database_of(base)) as other:
            other.do(line)
            return contents_of(to_text(other.database))

    both = merged(base, after("plan program drill"), after("place post at 720,700,250"))
    assert not both.conflicts
    with wc.Cell(database_of(both.contents)) as result:
        assert "post stands elsewhere" in notes(result)[0]
