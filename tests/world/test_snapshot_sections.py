"""The sections of a snapshot: an edit changes the identity of what it edits, and of nothing else."""

from __future__ import annotations

import dataclasses
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import workcell as wc
from workcell.spatial.pose import Pose
from workcell.world.fault_places import FaultPlace
from workcell.world.grasps import Grasp
from workcell.world.identity import identity
from workcell.world.machine_places import MachinePlace
from workcell.world.matter import Matter
from workcell.world.sections import SECTIONS
from workcell.world.setup import Setup, StoredProgram
from workcell.world.state import CellState
from workcell.world.station_places import StationPlace

CELL = (
    "create robot A puma560 joints 0,0,-90,0,90,0",
    "add solid post box 60 60 2000 at 350,350,1000",
    "add solid part box 40 40 40 at 500,0,20 --movable",
    "create target spot",
    "place spot at 400,0,300",
    "create signal ready",
    "add zone near box 100 100 100 at 900,0,0",
    "add light-barrier gate length 300 at 500,0,20 sees part",
    "add rail track 1000 at 0,5000,0",
    "program go\n  move-joints-relative A 10,0,0,0,0,0\nend",
)
EDITS = {
    "modify post colour red": {"bodies"},
    "modify object:part mass 2": {"loads"},
    "modify A speed 10": {"robot set-up"},
    "profile A jerk": {"robot set-up"},
    "branch A roomiest": {"robot set-up"},
    "place spot at 1,2,3": {"places"},
    "place part at 500,0,30": {"state"},
    "modify ready value 1": {"signals"},
    "modify near rule slow-down": {"zones"},
    "modify gate length 200": {"sensors"},
    "place gate at 400,0,20": {"sensors"},
    "create machine pair of track of A": {"machines"},
    "add fault dirt of gate sticks at 3s": {"faults"},
    "mode joint-by-joint": {"motion"},
    "step 5deg": {"motion"},
    "watch yes": {"watch"},
    "allow A with post because planned": {"pairs"},
    "program go\n  move-joints-relative A 20,0,0,0,0,0\nend": {"programs"},
    "add solid more box 10 10 10 at 0,900,5": {"bodies", "state"},
    "modify post description heavy": set(),
    "units m deg": set(),
}


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        for line in CELL:
            cell.do(line)
        yield cell


def changed(before, after):
    return {name for name in SECTIONS if before.sections[name] != after.sections[name]}


@pytest.mark.parametrize("line", EDITS)
def test_an_edit_changes_the_identity_of_the_sections_that_it_edits_only(cell, line):
    before = cell.snapshot()
    cell.do(line)
    after = cell.snapshot()
    assert changed(before, after) == EDITS[line]
    assert (before.hash == after.hash) == (not EDITS[line])
    cell.undo()
    assert cell.snapshot() == before
    assert cell.snapshot().hash == before.hash


def test_a_move_changes_no_section(cell):
    before = cell.snapshot().hash
    cell.do("move-joints-relative A 10,0,0,0,0,0")
    assert cell.snapshot().hash == before


def test_every_field_but_the_revision_is_in_the_hash(cell):
    snapshot = cell.snapshot()
    other = {
        "scene": "another",
        "bodies": snapshot.bodies[:-1],
        "robots": (dataclasses.replace(snapshot.robots[0], X_parent_base=Pose.from_xyz(0, 0, 1e-12)),),
        "initial": snapshot.initial.with_(time=1e-12),
        "notes": ("something",),
        "places": dataclasses.replace(snapshot.places, spots={}),
        "grasps": {"part": (Grasp("held", Pose.identity()),)},
        "zones": (),
        "sensors": (),
        "machines": (MachinePlace("pair", ("A", "track")),),
        "stations": (StationPlace("bar", "stop", "belt", 0.5),),
        "faults": (FaultPlace("jam", "stops", thing="Puma"),),
        "setup": Setup(programs=(StoredProgram("go", "", ""),)),
    }
    assert {*other, "revision"} == {field.name for field in dataclasses.fields(snapshot)}
    for name, value in other.items():
        assert dataclasses.replace(snapshot, **{name: value}).hash != snapshot.hash, name
    assert dataclasses.replace(snapshot, revision=(99, 1)).hash == snapshot.hash


def test_every_field_of_the_set_up_is_in_some_section(cell):
    snapshot = cell.snapshot()
    other = {
        "mode": "playback", "step": 0.5, "watch": "yes", "pairs": "{}", "programs": (), "fall": 0.125, "grasp_gap": 0.01,
    }  # fmt: skip
    assert other.keys() == {field.name for field in dataclasses.fields(snapshot.setup)}
    for name, value in other.items():
        setup = dataclasses.replace(snapshot.setup, **{name: value})
        assert dataclasses.replace(snapshot, setup=setup).hash != snapshot.hash, name


@pytest.mark.parametrize("of", ["bodies", "robots"])
def test_every_field_of_a_body_and_of_a_robot_is_in_some_section(cell, of):
    snapshot = cell.snapshot()
    things = getattr(snapshot, of)
    first = things[0]
    other = {
        "name": "B", "owner": "B", "link": 7, "pieces": (), "movable": True, "matter": Matter("B", 1.0),
        "tested": first.pieces if of == "bodies" else (), "unknown": "nobody measured it", "parent": "B",
        "robot": snapshot.robots[0].robot.replace(payload=1.0), "parent_link": 3,
        "X_parent_base": Pose.from_xyz(0, 0, 1), "speed": 0.125, "profile": "345", "branch": "up",
        "tool": Matter("B", 1.0), "runs": 0.5, "ferromagnetic": True, "lacks": "its `cups`", "held_tool": "B/vac",
        "built_on": "B/link 7",
    }  # fmt: skip
    for field in dataclasses.fields(first):
        if (of, field.name) == ("robots", "bodies"):
            continue  # they follow from the owners and links of the bodies
        changed_thing = dataclasses.replace(first, **{field.name: other[field.name]})
        after = dataclasses.replace(snapshot, **{of: (changed_thing, *things[1:])})
        assert after.hash != snapshot.hash, field.name


def test_a_snapshot_pickles_to_the_same_bytes_however_much_was_asked_of_it(cell):
    snapshot = cell.snapshot()
    fresh = pickle.dumps(snapshot)
    snapshot.body_poses(snapshot.initial)
    for body in snapshot.bodies:
        body.mesh()
    assert snapshot.hash
    assert pickle.dumps(snapshot) == fresh
    again = pickle.loads(fresh)
    assert again == snapshot
    assert dict(again.sections) == dict(snapshot.sections)


def test_arrays_of_a_snapshot_that_travelled_are_read_only(cell):
    cell.do("create path way")
    cell.do("attach spot to way")
    path = pickle.loads(pickle.dumps(cell.snapshot())).places.path("way")
    with pytest.raises(ValueError, match="read-only"):
        path.ups[0, 0] = 1.0


def test_the_hash_is_the_same_in_another_process():
    lines = "\n".join(f"    cell.do({line!r})" for line in CELL)
    script = f"import workcell as wc\nwith wc.Cell() as cell:\n{lines}\n    print(cell.snapshot().hash)"
    found = {
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_values_that_differ_have_other_identities():
    values = [
        None, True, False, 0, 1, 0.0, 1.0, -0.0, "", "0", b"", b"0", (), ((),), ("a", "b"), ("ab",), ("a", ("b",)), {},
        {"a": 1}, {"a": {"b": 1}}, np.zeros(2), np.zeros((2, 1)), np.zeros(2, dtype=np.float32), Pose.identity(),
        Pose.from_xyz(0, 0, 1e-15),
    ]  # fmt: skip
    assert len({identity(value) for value in values}) == len(values)
    assert identity({"a": 1, "b": 2}) == identity({"b": 2, "a": 1})
    with pytest.raises(TypeError, match="no stated content"):
        identity(object())


def test_the_order_in_which_a_state_was_made_does_not_matter(cell):
    snapshot = cell.snapshot()
    poses = dict(reversed(snapshot.initial.poses.items()))
    state = snapshot.initial
    turned = CellState(state.time, state.joints, poses, state.attached, state.signals)
    assert dataclasses.replace(snapshot, initial=turned).hash == snapshot.hash
