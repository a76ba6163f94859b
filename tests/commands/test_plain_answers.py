"""Answers name what works: parameters by their names, models by theirs, things that stand nowhere, who holds what."""

from __future__ import annotations

from pathlib import Path

import pytest

import workcell as wc
from workcell.errors import WorkcellError
from workcell.world.recovery import Recovered


def test_the_history_names_the_model_that_python_named(tmp_path: Path) -> None:
    cell = wc.Cell.create(tmp_path / "a.cell")
    cell.add_robot("puma560", name="P")
    cell.call("create robot", name="Q", model="kr6", pose=wc.Pose.from_xyz(2.0, 0.0, 0.0))
    cell.call("replace robot", robot="Q", model="kr16")
    cell.add_robot(wc.robot("puma560").replace(name="mine"), name="R", at=wc.Pose.from_xyz(0.0, 3.0, 0.0))
    lines = [entry.label for entry in cell.database.history.entries()]
    assert lines[0] == "create robot P puma560"
    assert lines[1].startswith("create robot Q kr6 at ")
    assert lines[2] == "replace robot Q with kr16"
    assert lines[3] == "create robot R mine at 0,3000,0"
    kept = [entry.command for entry in cell.database.history.entries()]
    assert all("blob:" in line for line in kept)  # the library may change; the cell does not
    again = cell.replayed()
    assert again.database.rows() == cell.database.rows()
    assert [entry.label for entry in again.database.history.entries()] == lines


def test_a_robot_that_stands_in_no_scene_is_nowhere_for_where_as_for_fk(cell: wc.Cell) -> None:
    cell.do("create robot Crane puma560")
    cell.do("copy Crane as K")
    told = []
    for word in ("where", "fk"):
        with pytest.raises(WorkcellError, match="Robot 'K' stands in no scene; `place K at …` first") as caught:
            cell.do(f"{word} K")
        told.append(str(caught.value))
    assert told[0] == told[1]


def test_a_wrong_parameter_is_answered_with_those_there_are(cell: wc.Cell) -> None:
    known = "its parameters are 'name', 'model', 'lengths', 'pose' and 'joints'"
    with pytest.raises(WorkcellError, match=f"has no parameter 'at'; {known}"):
        cell.call("create robot", name="Q", model="kr6", at=[0, 0, 0])
    with pytest.raises(WorkcellError, match=f"needs 'model'; {known}"):
        cell.call("create robot", name="Q")


def test_forgetting_a_decision_says_that_it_is_over(cell: wc.Cell) -> None:
    for line in ("add solid A box 50 50 50", "add solid B box 50 50 50 at 500,0,0", "allow A with B because near"):
        cell.do(line)
    assert str(cell.do("forget A with B")) == "the rules apply to A and B again"


def test_one_of_a_kind_is_counted_in_the_singular() -> None:
    kept = {"entity": 1, "relation": 1, "setting": 1, "state": 1, "journal": 1, "blob": 1}
    first = str(Recovered("a", "b", 1, 0, kept, ())).split("\n")[0]
    assert first == "b: 1 entity, 1 relation, 1 setting, 1 state, 1 step, 1 kept file"
    assert "2 entities" in str(Recovered("a", "b", 1, 0, {"entity": 2}, ()))


def test_only_what_works_is_named_to_let_a_part_go(cell: wc.Cell) -> None:
    for line in (
        "create robot Puma puma560",
        "create tool vac vacuum-2x2",
        "add solid cube box 40 40 40 at 500,-150,20 --movable",
        "move-end-effector Puma 500,-150,20 euler fanuc_wpr 180,0,180 of grip",
        "close-gripper Puma",
    ):
        cell.do(line)
    with pytest.raises(WorkcellError, match="; `open-gripper Puma` first"):
        cell.do("fit tool vac to Puma")
    cell.do("open-gripper Puma")
    cell.do("grip cube with Puma")
    with pytest.raises(WorkcellError, match="; `release cube` first"):
        cell.do("fit tool vac to Puma")
    cell.do("release cube")
    cell.do("fit tool vac to Puma")


def test_a_forgotten_recording_is_nothing_that_could_fit(cell: wc.Cell) -> None:
    cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
    without = cell.do("replace robot Puma with ur5e")
    cell.do("undo")
    cell.do("move-joints-absolute Puma 20,0,-90,0,90,0")
    answer = cell.do("replace robot Puma with ur5e")
    assert answer.misfits == without.misfits
    head, told = str(answer).split("\n")[0], str(without).split("\n")[0]
    assert head.replace("; the recording was removed, because the old arm made its moves", "") == told
    assert head != told
