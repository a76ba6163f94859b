"""While a run is paused, the cell may be renamed and edited: queries see the run under the present names.

What a thing is follows from its id, never from its name: a new thing with an old name is another thing.
"""

from __future__ import annotations

import contextlib
import random

import numpy as np
import pytest

import workcell as wc
from workcell.errors import Refused, WorkcellError

STAGE = (
    "create robot A puma560 joints 0,0,-90,0,90,0",
    "create robot B puma560 at 0,2000,0 joints 0,0,-90,0,90,0",
    "add solid cube box 40 40 40 at 700,700,20 --movable",
    "create signal ready",
    "create signal other",
    "program main\nmove-joints-relative A 20,0,0,0,0,0\nset-signal other 3\nmove-solid cube through 700,900,20 in 1s\n"
    "wait-for ready\nwait 1\nend",
)


@pytest.fixture
def paused():
    """A run that stands before `wait-for ready`: A and the cube have moved, and `other` is 3."""
    with wc.Cell() as cell:
        for line in STAGE:
            cell.do(line)
        cell.do("break main 4")
        cell.do("run main")
        assert cell.session.paused is not None
        yield cell


def moved(cell, robot):
    return np.rad2deg(cell.state.joints[robot][0])


def test_questions_about_a_renamed_robot_are_answered_from_where_the_run_stands(paused):
    cell = paused
    before, where = str(cell.do("show A")), str(cell.do("where A"))
    cell.do("modify robot:A name Arm")
    assert moved(cell, "Arm") == pytest.approx(20)
    assert str(cell.do("show Arm")) == before.replace("A", "Arm")
    assert str(cell.do("where Arm")) == where.replace("A:", "Arm:")
    assert cell.session.beside().state == cell.state
    assert cell.session.recording.robots == ("Arm",)
    assert [one.device for one in cell.session.recording.moves] == ["Arm", "cube"]
    assert "Arm" in str(cell.do("report"))
    cell.do("modify robot:Arm name Last")
    assert moved(cell, "Last") == pytest.approx(20)


def test_a_renamed_body_stays_where_the_run_has_put_it(paused):
    paused.do("modify object:cube name crate")
    assert paused.state.poses["crate"].matrix[:3, 3] == pytest.approx([0.7, 0.9, 0.02])


def test_a_renamed_signal_keeps_its_value_and_can_be_set(paused):
    cell = paused
    cell.do("modify signal:other name third")
    cell.do("modify signal:ready name go")
    assert cell.state.signals["third"] == 3
    assert "other" not in cell.state.signals
    assert str(cell.do("set-signal go 1")) == "go = 1"
    assert cell.state.signals["go"] == 1
    cell.do("resume")
    assert cell.state.signals["go"] == 1
    assert cell.state.signals["third"] == 3
    assert not {"ready", "other"} & cell.state.signals.keys()
    again = cell.replayed()
    assert again.state == cell.state


def test_names_that_change_places_in_a_pause(paused):
    cell = paused
    for line in ("modify robot:A name C", "modify robot:B name A", "modify robot:C name B"):
        cell.do(line)
    cell.do("modify signal:ready name x")
    cell.do("modify signal:other name ready")
    cell.do("modify signal:x name other")
    assert moved(cell, "B") == pytest.approx(20)
    assert moved(cell, "A") == pytest.approx(0)
    assert cell.state.signals["ready"] == 3
    cell.do("set-signal other 1")
    cell.do("resume")
    assert moved(cell, "B") == pytest.approx(20)
    assert moved(cell, "A") == pytest.approx(0)
    assert (cell.state.signals["ready"], cell.state.signals["other"]) == (3, 1)
    assert cell.session.recording.robots == ("B",)
    assert cell.replayed().state == cell.state


def test_a_new_thing_with_an_old_name_is_another_thing(paused):
    cell = paused
    cell.do("modify robot:A name Arm")
    cell.do("create robot A puma560 at 0,4000,0 joints 5,0,-90,0,90,0")
    assert moved(cell, "Arm") == pytest.approx(20)
    assert moved(cell, "A") == pytest.approx(5)
    cell.do("remove object:cube --deep")
    cell.do("add solid cube box 40 40 40 at -700,-700,20 --movable")
    assert cell.state.poses["cube"].matrix[:3, 3] == pytest.approx([-0.7, -0.7, 0.02])
    assert [one.device for one in cell.session.recording.moves] == ["Arm"]
    cell.do("remove signal:other")
    cell.do("create signal other")
    assert cell.state.signals["other"] == 0
    cell.do("set-signal ready 1")
    cell.do("resume")
    assert moved(cell, "Arm") == pytest.approx(20)
    assert moved(cell, "A") == pytest.approx(5)
    assert cell.state.poses["cube"].matrix[:3, 3] == pytest.approx([-0.7, -0.7, 0.02])
    assert cell.state.signals["other"] == 0
    assert cell.replayed().state == cell.state


def test_a_robot_removed_in_a_pause_is_not_seen_any_more(paused):
    cell = paused
    cell.do("remove robot:A --deep")
    assert "A" not in cell.state.joints
    cell.do("create robot A puma560 at 0,4000,0 joints 5,0,-90,0,90,0")
    assert moved(cell, "A") == pytest.approx(5)
    cell.do("set-signal ready 1")
    assert "A moved in it and is gone" in str(cell.do("resume"))
    assert moved(cell, "A") == pytest.approx(5)


def test_a_signal_of_after_the_beginning_is_refused_in_one_sentence(paused):
    cell = paused
    cell.do("create signal late")
    with pytest.raises(Refused, match="Signal 'late' was made after the run of 'main' began, so the run does not have"):
        cell.do("set-signal late 1")
    assert "late" in cell.state.signals


def test_a_body_whose_shape_is_changed_stands_where_the_run_has_it(paused):
    cell = paused
    cell.do("modify cube-solid name stuff")
    cell.do("modify object:cube colour red")
    assert cell.state.poses["cube"].matrix[:3, 3] == pytest.approx([0.7, 0.9, 0.02])


def test_a_rename_that_was_undone_before_the_run_began_means_nothing_to_it():
    with wc.Cell() as cell:
        for line in STAGE:
            cell.do(line)
        cell.do("modify robot:A name Arm")
        cell.do("undo")
        cell.do("break main 4")
        cell.do("run main")
        cell.do("speed A 0.1rad/s")
        cell.do("set-signal ready 1")
        cell.do("resume")
        assert moved(cell, "A") == pytest.approx(20)
        assert cell.session.recording.robots == ("A",)


def test_a_rename_that_is_redone_in_a_pause_is_followed():
    with wc.Cell() as cell:
        for line in STAGE:
            cell.do(line)
        cell.do("modify robot:A name Arm")
        cell.do("undo")
        cell.do("break main 4")
        cell.do("run main")
        cell.do("redo")
        assert moved(cell, "Arm") == pytest.approx(20)
        cell.do("set-signal ready 1")
        cell.do("resume")
        assert moved(cell, "Arm") == pytest.approx(20)
        assert cell.replayed().state == cell.state


def test_a_renamed_signal_keeps_its_value_after_a_run():
    with wc.Cell() as cell:
        for line in STAGE:
            cell.do(line)
        cell.do("set-signal other 4")
        cell.do("modify signal:other name third")
        assert cell.state.signals["third"] == 4
        assert "other" not in cell.state.signals
        assert cell.session.recording.state_at(cell.state.time).signals["third"] == 4
        cell.do("undo")
        assert cell.state.signals["other"] == 4
        assert "third" not in cell.state.signals


@pytest.mark.parametrize("seed", range(4))
def test_random_edits_in_a_pause_follow_the_ids(seed):
    """Whatever is renamed, removed and made: what the run moved is found by its id, all else stands as it begins."""
    pick = random.Random(seed)
    with wc.Cell() as cell:
        for line in STAGE:
            cell.do(line)
        find = cell.session.database.find
        ids = {"A": find("robot", "A").id, "B": find("robot", "B").id}
        signals = {"ready": find("signal", "ready").id, "other": find("signal", "other").id}
        cell.do("break main 4")
        cell.do("run main")
        for number in range(12):
            robots = [one.name for one in cell.session.database.entities("robot")]
            named = [one.name for one in cell.session.database.entities("signal")]
            line = pick.choice(
                [f"modify robot:{pick.choice(robots)} name {pick.choice('ABCDE')}",
                 f"modify signal:{pick.choice(named)} name {pick.choice(['ready', 'other', 'u', 'v'])}",
                 f"create robot {pick.choice('ABCDE')} puma560 at {3000 + 900 * number},0,0 joints 3,0,-90,0,90,0",
                 f"create signal {pick.choice(['ready', 'other', 'u', 'v'])}",
                 "modify object:cube colour red"]
            )  # fmt: skip
            with contextlib.suppress(WorkcellError):
                cell.do(line)
            state = cell.state
            for one in cell.session.database.entities("robot"):
                begun = 20 if one.id == ids["A"] else 0 if one.id == ids["B"] else 3
                assert np.rad2deg(state.joints[one.name][0]) == pytest.approx(begun), line
            values = {
                one.name: 3 if one.id == signals["other"] else 0 for one in cell.session.database.entities("signal")
            }
            assert {name: value for name, value in state.signals.items() if "/" not in name} == values
        called = {one.id: one.name for one in cell.session.database.entities("signal")}
        cell.do(f"set-signal {called[signals['ready']]} 1")
        cell.do("resume")
        arm = next(one.name for one in cell.session.database.entities("robot") if one.id == ids["A"])
        assert moved(cell, arm) == pytest.approx(20)
        assert cell.session.recording.robots == (arm,)
        assert cell.state.signals[called[signals["other"]]] == 3
        assert cell.replayed().state == cell.state


# ---- saving a run after a rename ----------------------------------------------------------------------------

RENAMES = (
    ("modify robot:A name Arm",),
    ("modify signal:ready name go", "modify signal:other name third"),
    ("modify object:cube name crate",),
    ("modify program:main name first",),
    ("modify robot:A name C", "modify robot:B name A", "modify robot:C name B"),
    ("modify signal:ready name x", "modify signal:other name ready", "modify signal:x name other"),
    ("modify robot:A name Arm", "undo", "modify robot:B name 'the other'".replace("'", '"')),
)


@pytest.mark.parametrize("renames", RENAMES, ids=lambda lines: lines[-1].removeprefix("modify "))
def test_a_run_saved_after_a_rename_goes_on_under_the_new_names_to_the_same_bytes(paused, renames, tmp_path):
    cell = paused
    go = cell.database.find("signal", "ready").id
    cell.do("set-signal ready 1")
    for line in renames:
        if line == "undo":
            cell.database.undo(1)  # the command would end the run first
        else:
            cell.do(line)
    main = cell.database.by_id(next(iter(cell.session.paused.programs))).name
    stood, standing = cell.state, cell.session.paused.stepped.where()
    cell.do(f"save-run {tmp_path / 'half.run'}")
    assert cell.state == stood
    assert cell.session.paused.stepped.where() == standing
    cell.do("stop-run")
    cell.do(f"load-run {tmp_path / 'half.run'}")
    assert cell.state == stood
    assert cell.session.paused.names == (main,)
    cell.do("resume")
    recorded = cell.session.recording.to_bytes()
    assert cell.replayed().session.recording.to_bytes() == recorded
    cell.do("undo")
    cell.do(f"break program:{main} 4")
    cell.do(f"run program:{main}")
    cell.do(f'set-signal "{cell.database.by_id(go).name}" 1')
    cell.do("resume")
    assert cell.session.recording.to_bytes() == recorded


@pytest.mark.parametrize(
    "edit",
    [
        "place cube at 1,2,3",
        "create signal late",
        "remove robot:B --deep",
        "modify B speed 10deg/s",
        "watch yes",
        "program main\nwait 1\nend",
        "add fault jam of A stops at 100s",
    ],
)
def test_a_run_is_not_saved_after_other_edits_than_names(paused, edit, tmp_path):
    paused.do("modify robot:A name Arm")
    paused.do(edit.replace(" A ", " Arm "))
    with pytest.raises(Refused, match="The cell was edited since the run began, so a saved run would not fit the cell"):
        paused.do(f"save-run {tmp_path / 'half.run'}")
    assert not (tmp_path / "half.run").exists()
    assert paused.session.paused is not None


def test_a_run_with_values_that_name_renamed_things_is_not_saved(tmp_path):
    with wc.Cell() as cell:
        for line in (
            STAGE[0],
            "learn target spot from A",
            "program go\nparameter where pose\nwait 1\nmove-end-effector A where\nend",
        ):
            cell.do(line)
        cell.do("debug go with spot")
        cell.do("modify target:spot name place")
        with pytest.raises(Refused, match="it was started with values that name things"):
            cell.do(f"save-run {tmp_path / 'half.run'}")
