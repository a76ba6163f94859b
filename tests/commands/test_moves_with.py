"""What `moves-with` names is what moves when the thing is placed elsewhere, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc

STAGE = (
    "create robot Puma puma560 joints 0,0,-90,0,90,0",
    "create robot Rider puma560",
    "add rail track 2000",
    "mount Rider on track",
    "add solid table box 800 600 40 at 900,0,500",
    "add solid lamp cylinder 50 200 --movable",
    "add solid shade cone 80 60",
    "face attach lamp bottom to table top",
    "face attach shade bottom to lamp top",
    "add target spot 900,0,900 on shade",
    "add frame corner 100,100,100",
    "add target beside 100,100,200",
    "attach beside to corner",
    "add frame tip 500,0,900",
    "attach tip to Puma",
    "add zone gate box 300 300 300 at 0,-900,500",
    "add target p1 0,500,500",
    "add target p2 0,700,500",
    "create path way",
    "attach p1 to way",
    "attach p2 to way",
    "place way at 0,0,10",
    "create path ring",
    "create target q1",
    "attach q1 to ring as a translate 0,900,500",
    "attach ring to table",
)


@pytest.fixture
def cell() -> wc.Cell:
    made = wc.Cell()
    for line in STAGE:
        made.do(line)
    return made


def everything(cell: wc.Cell) -> dict[str, np.ndarray]:
    """The pose or the points of every body and place."""
    snapshot, state = cell.session.snapshot(), cell.session.state
    found = {f"body:{b.name}": m for b, m in zip(snapshot.bodies, snapshot.body_poses(state), strict=True)}
    poses = cell.do("place-poses")
    found |= {f"{one.kind}:{one.name}": np.array(one.pose) for one in poses.places}
    return found | {f"path:{one.name}": np.array(one.points) for one in poses.paths}


@pytest.mark.parametrize(
    "name",
    ["table", "lamp", "shade", "Puma", "track", "corner", "tip", "spot", "beside", "p1", "path:way", "path:ring"],
)
def test_it_names_exactly_what_moves(cell: wc.Cell, name: str) -> None:
    answer = cell.do(f"moves-with {name}")
    before = everything(cell)
    x, y, z = (1000 * value for value in np.array(answer.pose)[:3, 3])
    cell.do(f"place {name} at {x + 30},{y - 50},{z + 70} --hanging")
    after = everything(cell)
    moved = {one for one in before if not np.allclose(before[one], after[one], atol=1e-9)}
    named = {*(f"body:{body}" for body in answer.bodies), *answer.places}
    paths = {one for one in moved ^ named if one.startswith("path:")}  # a path is drawn through its targets
    assert moved - paths == named - paths
    cell.do("undo")
    assert all(np.allclose(before[one], pose) for one, pose in everything(cell).items())


def test_what_is_held_or_mounted_moves_with_what_holds_it(cell: wc.Cell) -> None:
    refused = cell.do("moves-with Rider")
    assert "mounted on track" in refused.refusal
    assert "Rider/link 6" in cell.do("moves-with track").bodies
    cell.do("grip lamp with Puma")
    assert {"lamp", "shade"} <= set(cell.do("moves-with Puma").bodies)
    assert "lamp" not in cell.do("moves-with table").bodies
    assert cell.do("moves-with gate").pose[1][3] == pytest.approx(-0.9)


def test_a_hung_target_that_is_placed_hanging_still_follows(cell: wc.Cell) -> None:
    cell.do("place spot at 950,0,900 --hanging")
    assert cell.do("moves-with spot").carrier == "shade"
    cell.do("place table at 900,100,500")
    assert np.array(cell.do("where spot").matrix)[:3, 3] == pytest.approx([0.95, 0.1, 0.9])
    cell.do("place spot at 0,0,900")
    assert cell.do("moves-with spot").carrier == ""


@pytest.mark.parametrize(("face", "base_face"), [("bottom", "top"), ("top", "front"), ("bottom", "bottom")])
def test_face_pose_is_where_face_attach_puts_the_object(cell: wc.Cell, face: str, base_face: str) -> None:
    cell.do("add solid box1 box 100 60 40 at -500,300,20 rotate 0,0,30")
    cell.do("place table at 900,200,500 rotate 10,20,30")
    before = everything(cell)
    wanted = cell.do(f"face-pose box1 {face} on table {base_face}").matrix
    assert all(np.allclose(before[one], pose) for one, pose in everything(cell).items())
    cell.do(f"face attach box1 {face} to table {base_face}")
    assert np.allclose(cell.do("where box1").matrix, wanted)


def test_face_show_names_the_base_and_what_stands_on_it_and_attaching_again_changes_the_place(cell: wc.Cell) -> None:
    cell.do("add solid box1 box 100 60 40 at -500,300,20")
    assert str(cell.do("face show box1")) == "'box1' does not stand on a face, and nothing stands on its faces."
    cell.do("face attach box1 bottom to table top rotate 0,0,30")
    before = cell.do("where box1").matrix
    for shift in (10, 20):
        stands = cell.do("face show box1").stands
        assert (stands.face, stands.base, stands.base_face) == ("bottom", "table", "top")
        table = cell.do("face show table")
        assert table.stands is None
        assert stands in table.carries
        cell.do(f"face attach box1 bottom to table top translate {shift},0,0")  # only the place on it changes
    cell.do("undo")
    cell.do("undo")
    assert np.allclose(cell.do("where box1").matrix, before)
