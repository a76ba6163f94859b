"""Robots made in Python: the cell keeps the whole of them, through every way that a cell is kept."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import workcell as wc
from workcell.commands.given_robots import robot_text
from workcell.errors import InvalidValue
from workcell.robots.controller import ControllerMap
from workcell.robots.gripper import Gripper
from workcell.robots.link import Link, MassProperties, Part
from workcell.robots.open_robot import parse
from workcell.robots.robot import Robot
from workcell.robots.tool import Tool
from workcell.spatial.pose import Pose
from workcell.world.database import Database
from workcell.world.robot_shape import robot_of
from workcell.world.text_form import from_text, to_text

ROWS = [(0.0, 0.4, 0.0, math.pi / 2), (0.0, 0.0, 0.35, 0.0), (0.0, 0.0, 0.3, 0.0)]


def own_arm() -> Robot:
    """An arm with something of everything that a robot can have."""
    links = [Link("foot", (Part(wc.solids.box(0.2, 0.2, 0.1), (1.0, 0.0, 0.0), "plate"),))]
    links += [
        Link(
            f"member {i}",
            (
                Part(wc.solids.cylinder(0.04, 0.2), (0.0, 1.0, 0.0), "seen", "visual"),
                Part(wc.solids.box(0.1, 0.1, 0.2), (0.0, 0.0, 1.0), "tested", "collision"),
                Part(wc.solids.box(0.3, 0.3, 0.3), (0.0, 0.0, 0.0), "room", ghost=True),
            ),
            MassProperties(3.0 + i, np.array([0.01, 0.0, 0.02]), np.diag([0.1, 0.2, 0.3])),
        )
        for i in (1, 2, 3)
    ]
    torch = Tool(
        "torch",
        Pose.from_xyz(0.0, 0.02, 0.15) @ Pose.from_axis_angle((0.0, 1.0, 0.0), 0.5),
        MassProperties(1.25, np.array([0.0, 0.0, 0.07])),
        (Part(wc.solids.cylinder(0.01, 0.15), (0.2, 0.2, 0.2), "nozzle"),),
    )
    arm = Robot.from_dh(
        ROWS,
        "own arm",
        limits=np.radians([(-170, 170), (-90, 120), (-150, 150)]),
        speeds=np.radians([100.0, 110.0, 120.0]),
        accelerations=np.radians([300.0, 310.0, 320.0]),
        home=np.radians([10.0, 20.0, -30.0]),
        joint_names=("waist", "shoulder", "elbow"),
        links=tuple(links),
        gripper=Gripper(0.1, 0.2, "wide hand", pad=0.03, least=0.01, close_time=0.4, build_up=0.1, mass=2.0),
        controller=ControllerMap(
            np.array([[-1.0, 0.0, 0.0], [0.0, 2.5, 0.0], [0.0, -0.5, 1.0]]),
            np.array([0.0, 0.1, 0.2]),
            ("A1", "A2", "A3"),
            "measured",
        ),
        payload=8.0,
        moments=(None, 20.0, 10.0),
        reach=0.65,
        maker="Us",
        model="Own 1",
        about="made here",
    )
    return arm.with_tool(torch)


def check_same(found: Robot, made: Robot) -> None:
    """The two robots are the same one, whatever the chain's tool is."""
    assert np.allclose(found.chain.table, made.chain.table, atol=1e-12)
    for name in ("limits", "speeds", "accelerations", "home"):
        assert np.allclose(getattr(found, name), getattr(made, name), rtol=1e-11, atol=1e-12), name
    for name in ("name", "joint_names", "maker", "model", "about", "kind", "payload", "moments", "reach"):
        assert getattr(found, name) == getattr(made, name), name
    assert dict(found.assumed) == dict(made.assumed)
    assert found.gripper == made.gripper
    assert (found.controller is None) == (made.controller is None)
    if found.controller is not None and made.controller is not None:
        assert np.allclose(found.controller.matrix, made.controller.matrix)
        assert np.allclose(found.controller.zeros, made.controller.zeros)
        assert (found.controller.names, found.controller.source) == (made.controller.names, made.controller.source)
    if any(link.parts for link in made.links):
        assert [link.name for link in found.links] == [link.name for link in made.links]
        for one, other in zip(found.links, made.links, strict=True):
            assert [(p.solid.hash, p.name, p.use, p.ghost) for p in one.parts] == [
                (p.solid.hash, p.name, p.use, p.ghost) for p in other.parts
            ]
            assert np.allclose([p.colour for p in one.parts], [p.colour for p in other.parts], atol=1 / 500)
            assert (one.mass is None) == (other.mass is None)
            if one.mass is not None and other.mass is not None:
                assert one.mass.mass == other.mass.mass
                assert np.allclose(one.mass.centre, other.mass.centre)
                assert np.allclose(one.mass.inertia, other.mass.inertia)


def test_everything_of_a_robot_is_in_its_file_and_in_the_cell() -> None:
    made = own_arm()
    again = parse(robot_text(made)).mounting.items[0].device
    assert isinstance(again, Robot)
    check_same(again, made)
    assert again.tool is not None
    assert made.tool is not None
    assert again.tool.name == "torch"
    assert again.tool.X_flange_tcp.is_close(made.tool.X_flange_tcp)
    assert again.tool.payload is not None
    assert again.tool.payload.mass == 1.25
    assert [p.solid.hash for p in again.tool.parts] == [p.solid.hash for p in made.tool.parts]
    cell = wc.Cell()
    entity = cell.add_robot(made, "A", at=Pose.from_xyz(1.0, 0.0, 0.0), joints=[0.1, 0.2, 0.3])
    check_same(robot_of(entity), made)
    placed = cell.snapshot().robot("A")
    # The tool is one of the cell, on the flange, in the place of the gripper; without it the hand is there again.
    assert placed.robot.fk(made.home).is_close(made.fk(made.home))
    assert cell.state.joints["A"] == pytest.approx([0.1, 0.2, 0.3])
    assert "torch 1.25 kg" in str(cell.do("payload A"))
    cell.do("take-off A")
    bare = cell.snapshot().robot("A").robot
    assert bare.fk(made.home).is_close(made.with_tool(None).fk(made.home))
    assert bare.gripper == made.gripper


def test_a_robot_from_python_lives_as_any_other(tmp_path: Path) -> None:
    path = tmp_path / "own.cell"
    with wc.Cell.create(path) as cell:
        cell.add_robot(own_arm(), "A")
        cell.do("modify A speed 60")
        whole = cell.snapshot().hash
        assert cell.replayed().snapshot().hash == whole
        cell.undo()
        cell.undo()
        assert not cell.snapshot().robots
        assert not cell.database.names("tool") + cell.database.names("block")
        cell.redo()
        cell.redo()
        assert cell.snapshot().hash == whole
        cell.do("modify A name Arm")
        cell.do("modify Arm name A")
        text = to_text(cell.database)
    with wc.Cell.open(path) as cell:
        assert cell.snapshot().hash == whole
        assert cell.replayed().snapshot().hash == whole
    other = Database.memory()
    from_text(text, other)
    assert wc.Cell(other).snapshot().hash == whole
    wide = wc.Cell()
    wide.do(f'load "{path}" prefix left-')
    check_same(wide.snapshot().robot("left-A").robot.with_tool(None), own_arm().replace(gripper=None).with_tool(None))


def test_a_robot_is_replaced_by_one_from_python_and_undone() -> None:
    cell = wc.Cell()
    cell.add_robot("puma560", "A")
    before = cell.snapshot().hash
    found = cell.call("replace robot", robot="A", model=own_arm())
    assert "own arm" in str(found)
    assert cell.snapshot().robot("A").robot.tool is not None
    after = cell.snapshot().hash
    assert cell.replayed().snapshot().hash == after
    cell.undo()
    assert cell.snapshot().hash == before
    cell.redo()
    assert cell.snapshot().hash == after


def test_a_changed_robot_of_the_library_keeps_its_change(tmp_path: Path) -> None:
    cell = wc.Cell()
    slow = wc.robot("ur5e").replace(name="slow", speeds=np.full(6, 0.25))
    assert cell.add_robot(slow).name == "slow"
    assert cell.snapshot().robot("slow").robot.speeds == pytest.approx(np.full(6, 0.25))
    place = tmp_path / "slow.toml"
    cell.do(f'export robot slow "{place}"')
    other = wc.Cell()
    other.add_robot(wc.Robot.load(place), "copy")
    check_same(robot_of(other.database.entity("robot", "copy")), robot_of(cell.database.entity("robot", "slow")))


@given(
    st.lists(
        st.tuples(*[st.floats(-3.0, 3.0) for _ in range(4)], st.booleans()),
        min_size=1,
        max_size=7,
    ),
    st.integers(0, 2**31),
)
def test_the_hand_of_any_arm_is_where_it_was(rows: list[tuple[float, float, float, float, bool]], seed: int) -> None:
    random = np.random.default_rng(seed)
    table = [
        {"theta": theta, "d": d, "a": a, "alpha": alpha, "prismatic": slides} for theta, d, a, alpha, slides in rows
    ]
    arm = Robot.from_dh(table, "any", links=tuple(Link(f"l{i}") for i in range(len(rows) + 1)))
    arm = arm.replace(links=(Link("l0", (Part(wc.solids.box(0.1, 0.1, 0.1), (0.5, 0.5, 0.5)),)), *arm.links[1:]))
    cell = wc.Cell()
    cell.add_robot(arm, "A")
    kept = robot_of(cell.database.entity("robot", "A"))
    q = random.uniform(arm.limits[:, 0], arm.limits[:, 1])
    assert kept.fk(q).is_close(arm.fk(q), 1e-8)
    assert cell.replayed().snapshot().hash == cell.snapshot().hash


@pytest.mark.parametrize("wrong", [7, None, ["puma560"], {"name": "puma560"}, object])
def test_what_is_no_robot_is_refused_in_a_sentence(wrong: object) -> None:
    cell = wc.Cell()
    with pytest.raises(InvalidValue, match=r"Expected a robot: .* found") as caught:
        cell.add_robot(wrong, "A")  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    assert not cell.database.names("robot")


def test_the_page_on_robots_runs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "robots.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    assert len(blocks) == 3
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "robots.md", "exec"), names)
    assert [placed.robot.name for placed in names["cell"].snapshot().robots] == ["slow", "slow"]  # type: ignore[attr-defined]
