"""Link files and links made of solids, by command: joint frames, DH parameters, robots assembled link by link."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import workcell as wc
from workcell.errors import FileProblem, InvalidValue, Refused, WorkcellError
from workcell.geometry.mesh import merge
from workcell.robots.formats import link_file
from workcell.spatial.pose import Pose


@pytest.fixture
def cell():
    return wc.Cell()


TABLE_1 = [
    "create block column cylinder 10 50",
    "create object base",
    "attach column to base as column translate 0,-30,0",
    "add joint i+1 revolute to base at rotate -45,0,0 rotate 0,0,90 translate -5,-30,55",
    "add joint i fixed to base at 0,-30,-25",
]
"""The base link of ROBOSIM's table 1: its cylinder and its joints."""
CRANE = [
    "create block column cylinder 100 500 colour red",
    "create object base",
    "attach column to base",
    "modify column density 1000",
    "add joint i fixed to base at 0,0,-250",
    "add joint i+1 revolute to base at 0,0,250",
    "create block beam box 400 80 80 colour blue",
    "create object arm",
    "attach beam to arm",
    "modify beam density 2000",
    "add joint i revolute to arm at -200,0,-40 turns -100,120",
    "add joint i+1 prismatic to arm at 200,0,0 rotate 180,0,0",
    "create block rod cylinder 20 600",
    "create object lift",
    "attach rod to lift",
    "add joint i prismatic to lift at 0,0,-300 travel 0,500",
    "add joint i+1 fixed to lift at 0,0,300",
    "create block plate box 100 100 10",
    "create object hand",
    "attach plate to hand",
    "add joint i fixed to hand at 0,0,-5",
    "add joint i+1 fixed to hand at 0,0,5",
]


def do(cell, lines: list[str]) -> None:
    for line in lines:
        cell.do(line)


def test_the_base_link_of_table_1_is_checked_and_written(cell, tmp_path: Path) -> None:
    do(cell, TABLE_1)
    told = cell.do("check joints base")
    # By hand: the axes meet at z = 50; the frame stands on the slanted face, 5 mm off the first axis.
    assert np.degrees([told.theta, told.alpha]) == pytest.approx([90, -45])
    assert [told.d, told.a] == pytest.approx([0.075, 0], abs=1e-12)
    assert told.faults == ["the x axis of joint i+1 passes the z axis of joint i at 5 mm instead of meeting it"]
    assert str(told).startswith("base: joint i fixed, joint i+1 revolute")
    cell.do("modify column mass 2kg")
    cell.do(f"export link base {tmp_path}/C.LOC")
    link = link_file.read(tmp_path / "C.LOC")
    assert (link.theta, link.dz, link.da, link.alpha) == pytest.approx((90, 75, 0, -45), abs=1e-9)
    assert link.input_frame[:3, 3] == pytest.approx([0, -30, -25])
    assert link.inertia[3, 3] == pytest.approx(2.0)
    assert link.types == (3, 1)
    assert len(link.vectors) > 0


def test_a_robot_of_objects_moves_about_the_axes_that_were_put_on_them(cell) -> None:
    do(cell, CRANE)
    told = str(cell.do("assemble robot crane of base of arm of lift of hand at 1000,0,0"))
    assert told == "robot 'crane' made of 4 objects: 2 joints"
    placed = cell.snapshot().robot("crane")
    arm = placed.robot
    assert arm.chain.prismatic.tolist() == [False, True]
    assert np.degrees(arm.limits[0]) == pytest.approx([-100, 120])
    assert arm.limits[1] == pytest.approx([0, 0.5])
    # By hand: 500 up, 400 out, 40 up to the axis in the beam's middle, then down the lift and the plate.
    for turn, travel in ((0.0, 0.0), (0.7, 0.0), (-0.4, 0.3)):
        hand = arm.fk([turn, travel])
        reach = np.array([0.4 * np.cos(turn), 0.4 * np.sin(turn), 0.54 - 0.61 - travel])
        assert hand.xyz == pytest.approx(reach, abs=1e-12)
        assert hand.rotation[:, 2] == pytest.approx([0, 0, -1], abs=1e-12)
    base, beam, lift = arm.links
    assert base.mass is not None
    assert base.mass.mass == pytest.approx(1000 * np.pi * 0.01 * 0.5)
    assert beam.mass is not None
    middle = beam.mass.moved(Pose(arm.frames([0.7, 0.0])[1])).centre
    assert middle == pytest.approx([0.2 * np.cos(0.7), 0.2 * np.sin(0.7), 0.54])
    assert lift.mass is None  # nobody stated one
    # The plate is part of the lift, where the frames put it.
    low, high = _bounds(cell, "crane", 2, [0.0, 0.1])
    assert low[2] == pytest.approx(0.54 - 0.61 - 0.1)
    assert high[2] == pytest.approx(0.54 - 0.1)


def _bounds(cell, name: str, link: int, q: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """The box of a link at joint values, in the base of the robot."""
    arm = cell.snapshot().robot(name).robot
    frame = Pose(arm.frames(q)[link])
    return merge([part.solid.mesh().moved(frame) for part in arm.links[link].parts]).bounds


def _facets(mesh) -> float:
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles], 1, 0)
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def test_the_robot_lives_on_with_the_cell(cell, tmp_path: Path) -> None:
    do(cell, CRANE)
    cell.do("assemble robot crane of base of arm of lift of hand")
    cell.do("modify base name foot")
    cell.do("modify beam shape box 400 80 120")
    volume = sum(part.solid.volume for part in cell.snapshot().robot("crane").robot.links[1].parts)
    assert volume == pytest.approx(0.4 * 0.08 * 0.12)
    assert cell.replayed().database.rows() == cell.database.rows()
    cell.do(f"save {tmp_path}/kept.celltext")
    other = wc.Cell()
    other.do(f"load {tmp_path}/kept.celltext")
    assert (
        other.snapshot()
        .robot("crane")
        .robot.fk([0.1, 0.2])
        .is_close(cell.snapshot().robot("crane").robot.fk([0.1, 0.2]), 1e-12, 1e-12)
    )
    cell.do("add joint i+1 revolute to foot at 0,0,300")  # put again, it moves
    assert cell.do("check joints foot").d == pytest.approx(0.55)
    assert len([one for one in cell.database.names("frame") if one.startswith("base-")]) == 2
    cell.do("undo")
    assert cell.do("check joints foot").d == pytest.approx(0.5)


def test_a_joint_stands_on_a_face(cell) -> None:
    do(cell, CRANE[:3])
    cell.do("add joint i fixed to base face bottom")
    cell.do("add joint i+1 revolute to base face top")
    told = cell.do("check joints base")
    assert told.faults == []
    assert [told.d, told.a, told.alpha] == pytest.approx([0.5, 0, 0], abs=1e-12)
    with pytest.raises(WorkcellError, match="face of 'base'"):
        cell.do("add joint i fixed to base face lid")


@pytest.mark.parametrize("model", ["puma560", "stanford", "ur5e", "cobra600"])
def test_robots_go_out_and_in_as_link_files(cell, tmp_path: Path, model: str) -> None:
    cell.do(f"create robot one {model} at 300,0,0")
    cell.do(f"export links one {tmp_path}/arm")
    told = str(cell.do(f"import links two of {tmp_path}/arm at 300,0,0"))
    assert "link files have no joint limits" in told
    snapshot, state = cell.snapshot(), cell.state
    one, two = (snapshot.robot(name).robot for name in ("one", "two"))
    rng = np.random.default_rng(5)
    for dq in [np.zeros(one.n), *rng.uniform(-0.5, 0.5, (4, one.n))]:
        first = one.fk(state.joints["one"] + dq)
        assert two.fk(state.joints["two"] + dq).is_close(first, 1e-9, 1e-9)
    for link, again in zip(one.links, two.links, strict=True):
        volume = sum(_facets(part.solid.mesh()) for part in link.seen)
        assert sum(part.solid.volume for part in again.seen) == pytest.approx(volume, rel=1e-6)
    assert cell.replayed().database.rows() == cell.database.rows()
    names = " ".join(f"of {tmp_path}/arm.{i}" for i in range(len(list(tmp_path.glob("arm.*")))))
    cell.do(f"import links three {names}")
    assert cell.snapshot().robot("three").robot.n == one.n


def test_a_built_robot_goes_out_as_link_files(cell, tmp_path: Path) -> None:
    do(cell, CRANE)
    cell.do("assemble robot crane of base of arm of lift of hand")
    cell.do(f"export links crane {tmp_path}/crane")
    cell.do(f"import links again of {tmp_path}/crane")
    one, two = (cell.snapshot().robot(name).robot for name in ("crane", "again"))
    for dq in ([0.0, 0.0], [0.5, 0.2]):
        assert two.fk(two.home + dq).is_close(one.fk(one.home + dq), 1e-9, 1e-9)
    assert two.links[1].mass is not None
    # The link files of the objects themselves, one by one, make the same robot.
    for name in ("base", "arm", "lift", "hand"):
        cell.do(f"export link {name} {tmp_path}/{name}.lnk")
    cell.do("import links parts " + " ".join(f"of {tmp_path}/{n}.lnk" for n in ("base", "arm", "lift", "hand")))
    three = cell.snapshot().robot("parts").robot
    for dq in ([0.0, 0.0], [0.5, 0.2]):
        assert three.fk(three.home + dq).xyz == pytest.approx(one.fk(one.home + dq).xyz, abs=1e-9)


def test_what_does_not_fit_is_refused_in_a_sentence(cell, tmp_path: Path) -> None:
    do(cell, CRANE)
    for line, kind, message in (
        ("assemble robot x of base of lift", Refused, "Joint i\\+1 of 'base' is revolute, but joint i of 'lift'"),
        (
            "assemble robot x of base",
            Refused,
            "A robot needs at least one joint i that turns or slides; these links have none",
        ),
        ("assemble robot x", Refused, "Name the links of 'x', the base first"),
        ("import links x", Refused, "Name the link files of 'x', the base first"),
        (f"import links x of {tmp_path}/none", FileProblem, "none cannot be read"),
        ("add joint i revolute to arm turns 10,-10", InvalidValue, "its lowest value, then its highest"),
        ("add joint i+1 revolute to arm turns -10,10", Refused, "Only joint i of kind revolute has this range"),
    ):
        with pytest.raises(kind, match=message):
            cell.do(line)
    cell.do("create object bare")
    with pytest.raises(Refused, match="Object 'bare' has no joint i and no joint i\\+1; `add joint i revolute to bare"):
        cell.do("check joints bare")
    (tmp_path / "bad.0").write_text("1 2 3\n")
    with pytest.raises(FileProblem, match=r"bad\.0, line 1: four finite numbers were expected"):
        cell.do(f"import links x of {tmp_path}/bad")
    assert cell.database.find("robot", "x") is None


def test_clients_stay_in_their_folder(cell, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    cell.session.files = cell.session.files.confined_to([tmp_path / "in"])
    cell.do("create robot arm planar2r")
    cell.do("export links arm arm")
    assert (tmp_path / "in" / "arm.0").exists()
    cell.do("import links two of arm")
    for line in ("export links arm ../arm", "import links three of ../arm"):
        with pytest.raises(FileProblem, match="outside"):
            cell.do(line)
