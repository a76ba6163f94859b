"""Snapshots sent to another process: whole the first time, then only what changed."""

from __future__ import annotations

import concurrent.futures
import multiprocessing

import pytest
from test_snapshot_sharing import CELL as RICH

import workcell as wc
from workcell.geometry.mesh import Mesh
from workcell.geometry.solids import box
from workcell.spatial.pose import Pose
from workcell.world.shipping import PartsMissing, Receiver, Sender


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        for line in RICH:
            cell.do(line)
        yield cell


def meshed(snapshot):
    for body in snapshot.bodies:
        body.mesh()
    return snapshot


def test_a_snapshot_arrives_as_it_was_packed(cell):
    snapshot = meshed(cell.snapshot())
    found = Receiver().unpack(Sender().pack(snapshot))
    assert found == snapshot
    assert dict(found.sections) == dict(snapshot.sections)
    assert [placed.bodies for placed in found.robots] == [placed.bodies for placed in snapshot.robots]
    assert found.revision == snapshot.revision


def test_the_second_sending_carries_only_what_changed(cell):
    sender, receiver = Sender(), Receiver()
    first = receiver.unpack(sender.pack(meshed(cell.snapshot())))
    for line in (
        "modify post colour red",
        "place part at 1,2,3",
        "modify object:table name desk",
        "undo",
        "remove post --deep",
    ):
        cell.do(line)
        snapshot = meshed(cell.snapshot())
        data = sender.pack(snapshot)
        found = receiver.unpack(data)
        assert found == snapshot, line
        assert len(data) < 0.2 * len(Sender().pack(snapshot)), line
    links = {body.name: body for body in first.bodies if body.link >= 0}
    assert all(body is links[body.name] for body in found.bodies if body.link >= 0)


def test_meshes_travel_with_their_solids_and_once(cell, monkeypatch):
    sender, receiver = Sender(), Receiver()
    snapshot = cell.snapshot()
    bare = sender.pack(snapshot)
    receiver.unpack(bare)
    wanted = {body.name: body.mesh() for body in snapshot.bodies if body.touchable}
    with_meshes = sender.pack(snapshot)
    found = receiver.unpack(with_meshes)
    monkeypatch.setattr("workcell.geometry.derive.mesh", None)  # nothing is meshed any more
    assert {body.name: body.mesh() for body in found.bodies if body.touchable} == wanted
    assert len(sender.pack(snapshot)) < 0.01 * len(with_meshes)


def test_equal_shapes_travel_once():
    sizes = []
    for count in (1, 40):
        with wc.Cell() as cell:
            solid = box(0.1, 0.2, 0.3) - box(0.05, 0.05, 0.5)
            for number in range(count):
                cell.add_solid(solid, f"thing{number}", Pose.from_xyz(number, 0, 0))
            sizes.append(len(Sender().pack(meshed(cell.snapshot()))))
    mesh = len(Mesh.to_bytes(solid.mesh()))
    assert sizes[1] - sizes[0] < 39 * mesh / 2


def test_a_process_that_lacks_parts_says_so_and_gets_them_from_a_new_sender(cell):
    sender = Sender()
    sender.pack(cell.snapshot())
    cell.do("modify post colour red")
    with pytest.raises(PartsMissing, match="new Sender"):
        Receiver().unpack(sender.pack(cell.snapshot()))
    assert Receiver().unpack(Sender().pack(cell.snapshot())) == cell.snapshot()


def test_parts_that_nothing_needs_any_more_are_let_go(cell):
    sender, receiver = Sender(), Receiver()
    for number in range(5):
        cell.do(f"modify post colour #0000{number}0")
        receiver.unpack(sender.pack(cell.snapshot()))
    count = len(receiver._parts)
    assert count == len(sender._there)
    fresh = Receiver()
    fresh.unpack(Sender().pack(cell.snapshot()))
    assert count == len(fresh._parts)


_receiver = Receiver()


def _there(data: bytes) -> tuple[str, int, int]:
    snapshot = _receiver.unpack(data)
    triangles = sum(len(body.mesh().triangles) for body in snapshot.bodies if body.touchable)
    return snapshot.hash, triangles, len(data)


def test_a_spawned_worker_keeps_what_it_was_sent(cell):
    sender = Sender()
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as worker:
        sizes = []
        for line in ("", "modify post colour red", "add solid more box 10 10 10 at 0,900,5"):
            if line:
                cell.do(line)
            snapshot = meshed(cell.snapshot())
            found, triangles, size = worker.submit(_there, sender.pack(snapshot)).result()
            assert found == snapshot.hash
            assert triangles == sum(len(body.mesh().triangles) for body in snapshot.bodies if body.touchable)
            sizes.append(size)
    assert max(sizes[1:]) < 0.1 * sizes[0]
