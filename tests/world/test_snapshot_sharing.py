"""An edited cell is flattened from what was known of it: the same as from scratch, sharing what no edit touched."""

from __future__ import annotations

import contextlib
import random
import re

import pytest
from script_maker import ScriptMaker

import workcell as wc
from workcell.errors import WorkcellError
from workcell.world.flatten import snapshot_of
from workcell.world.places import OBJECT

CELL = (
    "create robot A puma560 at 0,0,0 joints 0,0,-90,0,90,0",
    "create robot B puma560 at 2000,0,0",
    "add conveyor belt 2000 at 0,-900,0",
    "add solid post box 60 60 2000 at 350,350,1000",
    "add solid table box 800 800 40 at 0,900,200",
    "add solid part box 40 40 40 at 500,0,20 --movable",
    "add solid lid box 40 40 10 at 900,0,20 --movable",
    "create colour brand",
    "create material brass",
    "create target spot",
    "place spot at 400,0,300",
    "create target loose",
    "create frame origin",
    "attach origin to table as origin translate 0,0,20",
    "create path way",
    "attach loose to way as first translate 10,0,0",
    "create grasp side",
    "attach side to part as held",
    "create signal ready",
    "add zone near box 100 100 100 at 900,0,0",
    "program go\n  move-joints-relative A 10,0,0,0,0,0\nend",
)


def edits(pick: random.Random, number: int) -> str:
    """One edit of the cell above; some are refused."""
    at = ",".join(f"{pick.uniform(-900, 900):.1f}" for _ in range(3))
    robot, thing = pick.choice(["A", "B"]), pick.choice(["post", "table", "part", "lid"])
    return pick.choice(
        [
            f"place {thing} at {at}", f"place {robot} at {at}", f"place spot at {at}", f"place near at {at}",
            f"modify {thing} colour {pick.choice(['red', 'brand', 'steel'])}", f"modify object:{thing} mass 2",
            f"modify object:{thing} material brass", "modify brass density 8000", "modify brand rgb 0.1,0.2,0.3",
            f"modify object:{thing} movable {pick.choice(['yes', 'no'])}", f"modify object:{thing} name {thing}{number}",
            f"modify robot:{robot} name {robot}{number}", f"modify {robot} speed {pick.randint(5, 50)}",
            f"profile {robot} {pick.choice(['linear', 'jerk'])}", "profile all linear",
            f"remove object:{thing} --deep", f"remove robot:{robot}", f"detach main/{thing}",
            f"copy object {thing} as more{number}", f"attach object:{thing} to main as again{number} translate {at}",
            f"mount {robot} on {pick.choice(['A', 'B'])}", f"unmount {robot}", f"ride {thing} on belt",
            f"face attach {thing} bottom to table top", f"face detach {thing}", f"modify {thing}-solid description words",
            f"attach spot to way as r{number}", "detach way/first", f"modify way/first transform translate {at}",
            f"attach loose to main as l{number}", f"modify frame:origin name o{number}", "add property made to path:way yes",
            f"modify table/origin transform translate {at}", f"modify side opening {pick.randint(10, 50)}",
            f"modify ready value {number}", f"modify near rule {pick.choice(['slow-down', 'keep-out'])}",
            f"modify near robots {robot}", f"watch {pick.choice(['yes', 'no', 'certified'])}",
            f"mode {pick.choice(['path', 'playback'])}", f"allow A with {thing} because planned", "step 2deg",
            f"program go\n  move-joints-relative A {number},0,0,0,0,0\nend", f"modify program:go name go{number}",
            f"create scene other{number}", f"use scene {pick.choice(['other1', 'main', 'main'])}",
            f"add solid new{number} box 5 5 5 at {at}", f"create target t{number}", "undo", "undo", "redo", "group", "end",
            "cancel-group", f"move-joints-relative {robot} 1,0,0,0,0,0",
        ]
    )  # fmt: skip


def anew(database):
    """The snapshot from scratch, without disturbing what follows the database."""
    kept, touched = database.flattener, database.history.touched
    database.flattener = None
    try:
        return snapshot_of(database)
    finally:
        database.flattener, database.history.touched = kept, touched


def assert_as_from_scratch(cell, done):
    found, wanted = cell.snapshot(), anew(cell.database)
    assert dict(found.sections) == dict(wanted.sections), done
    assert [placed.bodies for placed in found.robots] == [placed.bodies for placed in wanted.robots], done
    assert found.revision == wanted.revision


def carried_out(cell, line):
    try:
        cell.do(line)
    except WorkcellError:
        return False
    return True


def played(seed: int, count: int) -> int:
    pick, others = random.Random(seed), ScriptMaker(seed)
    worked = 0
    with wc.Cell() as cell:
        for line in CELL:
            carried_out(cell, line)
        done = []
        for number in range(count):
            line = edits(pick, number) if pick.random() < 0.8 else others.line()
            done.append(line)
            if pick.random() < 0.1:
                with contextlib.suppress(WorkcellError):
                    cell.session.preview(line)
            worked += carried_out(cell, line)
            if pick.random() < 0.7:
                assert_as_from_scratch(cell, done[-6:])
        assert_as_from_scratch(cell, done[-6:])
    return worked


@pytest.mark.parametrize("seed", range(6))
def test_after_any_edits_a_snapshot_is_the_one_from_scratch(seed):
    assert played(seed, 60) > 20


@pytest.mark.soak
def test_after_very_many_edits_a_snapshot_is_the_one_from_scratch():
    worked = sum(played(1000 + seed, 100) for seed in range(60))
    print(f"snapshots after edits: {worked:,} random edits carried out in 60 cells, each as from scratch")


@pytest.fixture
def cell():
    with wc.Cell() as cell:
        for line in CELL:
            cell.do(line)
        yield cell


def test_an_edit_shares_the_bodies_and_sections_that_it_does_not_touch(cell):
    before = cell.snapshot()
    cell.do("modify post colour red")
    after = cell.snapshot()
    changed = [body.name for body, other in zip(before.bodies, after.bodies, strict=True) if body is not other]
    assert changed == ["post"]
    for name in ("robots", "initial", "places", "grasps", "zones", "setup", "notes"):
        assert getattr(after, name) is getattr(before, name), name


def test_an_edit_of_a_program_or_target_shares_everything_else(cell):
    before = cell.snapshot()
    cell.do("program go\n  move-joints-relative A 20,0,0,0,0,0\nend")
    program = cell.snapshot()
    cell.do("place spot at 1,2,3")
    target = cell.snapshot()
    for name in ("bodies", "robots", "initial", "grasps", "zones"):
        assert getattr(program, name) is getattr(before, name), name
        assert getattr(target, name) is getattr(before, name), name
    assert program.places is before.places
    assert target.setup is program.setup


def test_a_new_speed_keeps_the_robot_that_was_built(cell):
    before = cell.snapshot()
    cell.do("modify A speed 10")
    after = cell.snapshot()
    assert after.robot("A").speed != before.robot("A").speed
    assert after.robot("A").robot is before.robot("A").robot
    assert after.bodies is before.bodies


def test_an_edit_that_says_the_same_again_shares_the_body(cell):
    before = cell.snapshot()
    cell.do("modify object:post description again")
    assert cell.snapshot().bodies is before.bodies
    cell.do("modify brand rgb 0.5,0.5,0.5")  # a colour that nothing has
    assert cell.snapshot().bodies is before.bodies


def test_a_snapshot_in_a_command_that_is_refused_leaves_no_trace(cell):
    session = cell.session
    database = cell.database
    session.present.made = None
    with contextlib.suppress(KeyError), database.edit(lambda: "", "test") as rows:
        database.rename(rows, database.entity("object", "post"), "pole")
        assert "pole" in {body.name for body in snapshot_of(database).bodies}
        assert "pole" in {body.name for body in session.snapshot().bodies}
        raise KeyError
    assert "post" in {body.name for body in session.snapshot().bodies}
    assert_as_from_scratch(cell, "a refused edit")


def test_a_snapshot_in_a_preview_leaves_no_trace(cell):
    before = cell.snapshot()
    database = cell.database
    with database.preview() as rows:
        database.rename(rows, database.entity("object", "post"), "pole")
        assert "pole" in {body.name for body in cell.snapshot().bodies}
        database.rename(rows, database.entity("object", "pole"), "mast")
        assert "mast" in {body.name for body in cell.snapshot().bodies}
    assert cell.snapshot() == before
    assert_as_from_scratch(cell, "a preview")


def test_two_sessions_of_one_cell_see_each_others_edits(cell):
    from workcell.commands.session import Session

    other = Session(cell.database, "second")
    assert other.snapshot() == cell.snapshot()
    other.do("modify object:post name pole")
    cell.do("modify object:table name desk")
    assert {"pole", "desk"} <= {body.name for body in other.snapshot().bodies}
    assert other.snapshot() == cell.snapshot() == anew(cell.database)


def test_the_edits_of_the_law_are_commands():
    words = {re.split(r"[\s\n]", edits(random.Random(seed), 1))[0] for seed in range(400)}
    assert len(words) > 20


def test_a_cell_without_a_scene_has_its_targets_too():
    with wc.Cell() as cell:
        cell.do("create target spot")
        assert not cell.snapshot().scene
        with pytest.raises(WorkcellError, match="'spot' stands in no scene"):
            cell.snapshot().place_pose(cell.state, "spot")


def test_a_place_is_carried_by_what_carries_its_path(cell):
    database = cell.database
    with database.edit(lambda: "help", "test") as rows:
        database.set_properties(rows, database.entity("path", "way"), {OBJECT: "table"})
    snapshot = cell.snapshot()
    assert snapshot.object_under("loose") == snapshot.object_under("origin", "frame") == "table"
    assert snapshot.object_under("spot") == ""
    cell.do("place table at 0,900,500")
    moved = cell.snapshot()
    up = moved.place_pose(moved.initial, "loose").xyz - snapshot.place_pose(snapshot.initial, "loose").xyz
    assert up.tolist() == pytest.approx([0.0, 0.0, 0.3])
