"""What things of a cell weigh, and what its robots carry."""

from __future__ import annotations

import pytest

import workcell as wc
from workcell.robots.payload import PayloadCheck
from workcell.spatial.pose import Pose
from workcell.world.loads import load_of
from workcell.world.snapshot import Snapshot
from workcell.world.state import Attachment, CellState


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        for line in (
            "create robot R kr6",
            "modify R gripper_mass 1kg",
            "create material steel",
            "modify steel density 7850",
            "add solid cube box 100 100 100 at 900,0,50 --movable",
        ):
            cell.do(line)
        yield cell


def flange(snapshot: Snapshot, robot: str = "R") -> str:
    return snapshot.bodies[snapshot.robot(robot).bodies[-1]].name


def held(cell: wc.Cell, **frames: str) -> CellState:
    """The state with parts on the flange, or on what is named."""
    snapshot, state = cell.snapshot(), cell.state
    at = Pose.from_xyz(0.0, 0.0, 0.1)
    attached = {part: Attachment(frame or flange(snapshot), at) for part, frame in frames.items()}
    poses = {name: pose for name, pose in state.poses.items() if name not in attached}
    return state.with_(attached=attached, poses=poses)


def carried(cell: wc.Cell, **frames: str) -> PayloadCheck:
    return load_of(cell.snapshot(), held(cell, **frames), "R")


def test_a_part_is_weighed_by_its_material_its_density_or_its_mass(cell) -> None:
    assert carried(cell, cube="").unknown == ("cube",)
    assert "cube-solid has no mass, density or material" in str(carried(cell, cube=""))
    cell.do("modify cube material steel")
    assert carried(cell, cube="").mass == pytest.approx(1.0 + 7.85)
    assert "cube 7.85 kg (1 dm³ of steel at 7850 kg/m³)" in str(carried(cell, cube=""))
    cell.do("modify block cube-solid density 1000")
    assert carried(cell, cube="").mass == pytest.approx(2.0)
    cell.do("modify cube mass 500kg")
    assert carried(cell, cube="").excess == pytest.approx(501.0 - 6.0)
    assert cell.do("measure cube").mass == pytest.approx(500.0)


def test_measure_and_the_load_agree(cell) -> None:
    for line in (
        "create block plate box 200 100 10",
        "create block peg cylinder 10 50",
        "create object part --movable",
        "attach plate to part as plate",
        "attach peg to part as peg translate 20,0,30",
        "modify part material steel",
        "modify peg mass 3kg",
        "place part at 0,900,0",
    ):
        cell.do(line)
    load = next(one for one in carried(cell, part="").loads if one.name == "part")
    measured = cell.do("measure part")
    assert load.mass == pytest.approx(measured.mass)
    assert load.mass == pytest.approx(0.2 * 0.1 * 0.01 * 7850 + 3.0)
    X = Pose.from_xyz(0.0, 0.0, 0.1)
    assert load.centre == pytest.approx(X.apply(measured.centroid).tolist())
    assert load.source == "0.2 dm³ of steel at 7850 kg/m³ + 3 kg stated"


def test_a_material_without_a_density_is_named(cell) -> None:
    cell.do("create material wax")
    cell.do("modify cube material wax")
    assert "is made of 'wax', a material without a density" in str(carried(cell, cube=""))
    cell.do("remove material wax")
    assert "is made of 'wax', a material that the cell does not have" in str(carried(cell, cube=""))


def test_what_stands_on_the_part_counts_and_what_stands_elsewhere_does_not(cell) -> None:
    for name in ("upper", "other"):
        cell.do(f"add solid {name} box 100 100 100 at 900,500,50 --movable")
        cell.do(f"modify {name} mass 2kg")
    cell.do("modify cube mass 2kg")
    check = carried(cell, cube="", upper="cube", other="world")
    assert [load.name for load in check.loads] == ["two-finger gripper", "cube", "upper"]
    assert check.mass == pytest.approx(5.0)


def test_the_tool_is_weighed_by_its_solids_or_by_what_it_states(cell) -> None:
    for line in (
        "create block barrel cylinder 20 200",
        "create tool torch",
        "attach barrel to torch as barrel",
        "fit tool torch to R tcp 0,0,200",
    ):
        cell.do(line)
    assert carried(cell).unknown == ("torch",)
    cell.do("modify barrel material steel")
    assert carried(cell).mass == pytest.approx(cell.do("measure barrel").mass)
    cell.do("modify torch payload 8kg")
    assert carried(cell).excess == pytest.approx(2.0)
    cell.do("modify torch mass 3kg")
    assert carried(cell).mass == pytest.approx(3.0)
    cell.do("take-off R")
    assert carried(cell).mass == pytest.approx(1.0)
    cell.do("take-off R")
    assert str(carried(cell)) == "R carries nothing"


def test_a_gripper_with_drawn_fingers_has_to_state_its_mass(cell) -> None:
    for line in (
        "create block palm box 60 60 60",
        "modify palm density 2700",
        "create gripper hand",
        "attach palm to hand as palm",
        "modify hand opening 100",
        "modify hand reach 150",
        "fit tool hand to R",
    ):
        cell.do(line)
    assert "hand states no mass; `modify hand mass` does" in str(carried(cell))
    cell.do("modify hand mass 1.5kg")
    assert carried(cell).mass == pytest.approx(1.5)


def test_a_robot_on_the_flange_counts_with_what_it_carries(cell) -> None:
    cell.do("create robot Small puma260 at 0,2000,0")
    cell.do("modify Small gripper_mass 0.5kg")
    cell.do("mount Small on R")
    names = [load.name for load in carried(cell).loads]
    assert names == ["two-finger gripper", "Small", "two-finger gripper"]
    weight = cell.snapshot().robot("Small").robot.weight
    assert carried(cell).mass == pytest.approx(1.0 + 0.5 + (weight or 0.0))
    assert carried(cell).unknown == (() if weight else ("Small",))


def test_a_shape_that_cannot_be_weighed_is_not_known(cell) -> None:
    cell.do("create surface square contour (0,0) (100,0) (100,100) (0,100)")
    cell.do("create block shell")
    cell.do("attach square to shell as one")
    cell.do("create object open --movable")
    cell.do("attach shell to open as shell")
    cell.do("modify open material steel")
    cell.do("place open at 0,900,0")
    assert carried(cell, open="").unknown == ("open",)
