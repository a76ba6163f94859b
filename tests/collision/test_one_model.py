"""One collision model per snapshot: made once for all who ask, kept through edits of what it does not read."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.collision.bodies import READS, ImplausibleSize, collision_model
from workcell.collision.clearance import distance_between
from workcell.collision.zones import pair_table_of, zones_of
from workcell.commands.collisions import collision_model_of
from workcell.simulation.guarding import watch_of
from workcell.world.sections import SECTIONS

CELL = (
    "create robot A puma560 joints 0,0,-90,0,90,0",
    "add rail track 1000 at 0,5000,0",
    "add solid post box 60 60 2000 at 350,350,1000",
    "add solid part box 40 40 40 at 500,0,20 --movable",
    "create target spot",
    "place spot at 400,0,300",
    "create signal ready",
    "add zone near box 100 100 100 at 900,0,0",
    "program go\n  move-joints-relative A 10,0,0,0,0,0\nend",
    "watch yes",
)
KEEPS = (
    "create machine pair of track of A",
    "program go\n  move-joints-relative A 20,0,0,0,0,0\nend",
    "place spot at 1,2,3",
    "modify A speed 10",
    "branch A roomiest",
    "modify ready value 1",
    "modify object:part mass 2",
    "place part at 500,0,30",
    "mode joint-by-joint",
    "modify post description words",
)
DISCARDS = (
    "modify post colour red",
    "place A at 0,0,10",
    "add solid more box 10 10 10 at 0,900,5",
    "remove post --deep",
)


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        for line in CELL:
            cell.do(line)
        yield cell


def test_everyone_who_asks_gets_the_same_model(cell):
    snapshot = cell.snapshot()
    watch = watch_of(snapshot)
    model = collision_model_of(cell.session)
    assert watch.model is model
    assert collision_model(snapshot, pair_table_of(snapshot), zones=zones_of(snapshot)) is model
    assert wc.Simulator(cell).snapshot is snapshot


@pytest.mark.parametrize("line", KEEPS)
def test_an_edit_of_what_a_model_does_not_read_discards_nothing(cell, line):
    before = collision_model_of(cell.session)
    packed, arranged = before.packed, before.arrangement(cell.state)
    cell.do(line)
    after = collision_model_of(cell.session)
    assert after.snapshot is cell.snapshot()
    assert after.bodies is before.bodies
    assert after.packed is packed
    if not line.startswith("place part"):
        assert after.arrangement(cell.state) is arranged


@pytest.mark.parametrize("line", DISCARDS)
def test_an_edit_of_what_a_model_reads_gives_another(cell, line):
    before = collision_model_of(cell.session)
    cell.do(line)
    after = collision_model_of(cell.session)
    assert after.packed is not before.packed
    mine = {id(body) for body in before.bodies if body.zone is None}
    kept = sum(id(body) in mine for body in after.bodies)
    assert kept >= len(mine) - 1


def test_a_model_that_is_kept_asks_about_the_state_of_now(cell):
    found = []
    for at in ("400,350,500", "900,350,500"):
        cell.do(f"place part at {at}")
        model = collision_model_of(cell.session)
        found.append(distance_between(model, model.snapshot.initial, "part", "post").distance)
    assert found == pytest.approx([0.0, 0.5], abs=1e-6)


def test_models_for_other_pairs_zones_and_tolerances_are_others(cell):
    snapshot = cell.snapshot()
    table = pair_table_of(snapshot)
    models = [
        collision_model(snapshot, table, warn=False),
        collision_model(snapshot, table.require(0.01), warn=False),
        collision_model(snapshot, table, zones=zones_of(snapshot), warn=False),
        collision_model(snapshot, table, tolerance=1e-3, warn=False),
    ]
    assert len({id(model) for model in models}) == len(models)
    assert collision_model(snapshot, table, warn=False) is models[0]


def test_a_scan_in_place_of_a_body_is_not_kept_for_others(cell):
    snapshot = cell.snapshot()
    plain = collision_model(snapshot, warn=False)
    scan = snapshot.body("part").mesh().transformed(np.diag([2.0, 2.0, 2.0, 1.0]))
    other = collision_model(snapshot, meshes={"part": scan}, warn=False)
    assert other.body("part").tree.extent > plain.body("part").tree.extent
    assert collision_model(snapshot, warn=False) is plain


def test_strange_sizes_are_warned_of_each_time_they_are_asked_about(cell):
    cell.do("add solid giant box 900000 10 10 at 0,0,-90000")
    for _ in range(2):
        with pytest.warns(ImplausibleSize, match="giant"):
            model = collision_model(cell.snapshot())
        assert any("giant" in note for note in model.notes)


@pytest.mark.parametrize("section", SECTIONS)
def test_a_cache_depends_only_on_the_sections_that_it_reads(cell, section):
    made = []
    edits = {
        "scene": "create scene other", "bodies": "modify post colour red", "loads": "modify object:part mass 2",
        "robots": "place A at 0,0,10", "robot set-up": "modify A speed 10", "state": "place part at 500,0,30",
        "signals": "modify ready value 1", "places": "place spot at 1,2,3", "grasps": "create grasp side",
        "zones": "modify near rule slow-down", "motion": "mode playback", "watch": "watch no",
        "pairs": "allow A with post because planned", "programs": "program go\n  comment hello\nend",
        "sensors": "add light-barrier gate from 2000,0,30 to 2000,150,30",
        "machines": "create machine pair of track of A", "stations": "add stop bar on belt at 500",
        "faults": "add fault lame of A slow part 0.5",
    }  # fmt: skip
    if section == "stations":
        cell.do("add conveyor belt 1000 at 0,9000,0")
    for name in SECTIONS:
        cell.snapshot().keeping(name, [name], 0, lambda name=name: made.append(name))
    made.clear()
    before = cell.snapshot()
    cell.do(edits[section])
    if section == "grasps":
        cell.do("attach side to part as held")
    elif section == "scene":
        cell.do("use scene other")
    after = cell.snapshot()
    changed = [name for name in SECTIONS if before.sections[name] != after.sections[name]]
    assert section in changed
    for name in SECTIONS:
        after.keeping(name, [name], 0, lambda name=name: made.append(name))
    assert sorted(made) == sorted(changed) or section == "scene"  # another scene has a history of its own
    assert set(READS) & set(changed) == {section} & set(READS) or section == "scene"
