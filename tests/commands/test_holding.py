"""What is mounted or held stays where it is until it is let go: edits that would tear it away are refused."""

from __future__ import annotations

import pytest

import workcell as wc
from workcell.errors import PointedTo, Refused
from workcell.world.text_form import to_text


def unchanged(cell: wc.Cell, line: str, *says: str) -> None:
    """A line is refused with these words and changes nothing."""
    before, state = to_text(cell.session.database), cell.session.state.to_json()
    with pytest.raises(Refused) as caught:
        cell.do(line)
    for word in says:
        assert word in str(caught.value)
    assert to_text(cell.session.database) == before
    assert cell.session.state.to_json() == state


@pytest.mark.parametrize("line", ["place Arm at 0,1500,500", "attach Arm to main"])
def test_a_mounted_robot_is_placed_only_after_it_is_unmounted(line):
    with wc.Cell() as cell:
        for one in ("add rail track 2000", "create robot Arm kr16", "mount Arm on track"):
            cell.do(one)
        unchanged(cell, line, "mounted on track", "`unmount Arm`", "`mount Arm on track at …`")
        cell.do("unmount Arm")
        cell.do("place Arm at 0,1500,500")
        assert [one.name for one in cell.session.snapshot().robots].count("Arm") == 1
        assert "Arm 2" not in {one.name for one in cell.session.snapshot().robots}


@pytest.mark.parametrize("line", ["place vac at 0,1500,500", "attach vac to main"])
def test_a_tool_on_a_flange_is_placed_only_after_it_is_taken_off(line):
    with wc.Cell() as cell:
        for one in ("create robot Arm ur10e", "create tool vac vacuum-2x2", "fit tool vac to Arm"):
            cell.do(one)
        unchanged(cell, line, "on the flange of Arm", "`take-off Arm`")
        cell.do("take-off Arm")
        cell.do(line)


@pytest.fixture
def holding():
    with wc.Cell() as cell:
        for line in (
            "create robot Arm ur10e",
            "create tool vac vacuum-2x2",
            "create tool other vacuum-2x2",
            "fit tool vac to Arm",
            "add solid table box 200 200 40 at 0,900,20",
            "add solid box1 box 300 200 150 at 600,0,75 --movable",
            "modify box1 mass 3kg",
            "move-end-effector Arm 600,0,150 euler fanuc_wpr 180,0,0",
            "close-gripper Arm",
        ):
            cell.do(line)
        yield cell


TORN = [
    "take-off Arm",
    "detach Arm/vac",
    "remove vac --deep",
    "modify vac holds magnet",
    "detach main/box1",
    "attach object:box1 to object:table",
    "modify object:box1 movable no",
]


@pytest.mark.parametrize("line", TORN)
def test_nothing_tears_a_held_part_and_its_tool_apart(holding, line):
    unchanged(holding, line, "Arm holds box1 with vac", "`open-gripper Arm` or `release box1`")
    holding.do("open-gripper Arm")
    holding.do(line)
    holding.do("undo 2")
    assert "box1" in holding.session.state.attached


def test_a_bare_flange_that_holds_a_part_gets_no_tool():
    with wc.Cell() as cell:
        for line in ("create robot Arm ur10e", "create tool vac vacuum-2x2", "add solid box1 box 50 50 50 --movable"):
            cell.do(line)
        cell.do("grip object:box1 with Arm")
        unchanged(cell, "fit tool vac to Arm", "Arm holds box1", "`release box1`")
        cell.do("release object:box1")
        cell.do("fit tool vac to Arm")


def test_a_held_part_that_is_placed_is_let_go_and_the_answer_tells_it(holding):
    assert "Arm lets go of it" in str(holding.do("place object:box1 at 0,-900,75"))
    assert "box1" not in holding.session.state.attached
    holding.do("undo")
    assert "box1" in holding.session.state.attached


def test_a_held_part_is_removed_from_the_hand(holding):
    holding.do("remove object:box1 --deep")
    assert "box1" not in holding.session.state.attached


# ---- removing what hangs --------------------------------------------------------------------------------------


@pytest.fixture
def pallet():
    with wc.Cell() as cell:
        cell.do("add solid p box 600 400 100 at 700,100,50")
        cell.do("targets grid 2x2 to sp pitch 100,100 on p at 0,0,50 rotate 180,0,0")
        cell.do("add target spot 700,100,100 on p")
        yield cell


def test_a_path_that_hangs_is_removed_with_its_targets_and_comes_back(pallet):
    before = to_text(pallet.session.database)
    with pytest.raises(PointedTo, match=r"hangs on object 'p'.*--deep"):
        pallet.do("remove path:sp")
    answer = pallet.do("remove path:sp --deep")
    assert len(answer.removed) == 5
    assert [one.name for one in pallet.session.database.entities("target")] == ["spot"]
    assert pallet.session.database.find("path", "sp") is None
    pallet.do("undo")
    assert to_text(pallet.session.database) == before


def test_a_target_that_hangs_is_removed_and_one_of_a_path_is_not(pallet):
    pallet.do("remove spot --deep")
    assert pallet.session.database.find("target", "spot") is None
    target = next(one.name for one in pallet.session.database.entities("target"))
    with pytest.raises(PointedTo):
        pallet.do(f"remove target:{target} --deep")


def test_a_path_that_goes_alone_names_the_targets_that_it_leaves(pallet):
    pallet.do("detach p/sp")
    answer = pallet.do("remove path:sp")
    assert "are in no place now" in str(answer)
    assert len(pallet.session.database.entities("target")) == 5


# ---- saving ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "command"),
    [("x.png", "render"), ("x.URDF", "export robot"), ("y.step", "export solid"), ("y.gif", "film")],
)
def test_a_cell_is_not_saved_under_the_ending_of_another_format(tmp_path, name, command):
    with wc.Cell() as cell:
        with pytest.raises(Refused, match=f"`{command} …`"):
            cell.do(f'save "{tmp_path / name}"')
        assert not (tmp_path / name).exists()
