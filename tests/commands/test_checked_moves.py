"""Verdicts on moves, and the volume that a run swept: against single checks at single instants."""

from __future__ import annotations

import threading

import manifold3d
import numpy as np
import pytest

from workcell import Cell
from workcell.collision.check import check
from workcell.collision.supports import at_rest
from workcell.commands.collisions import collision_model_of
from workcell.errors import WorkcellError
from workcell.workbench.gallery import Gallery


@pytest.fixture
def cell():
    with Cell() as cell:
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        cell.do("add solid table box 560 800 30 at 780,-100,385")
        yield cell


def run(cell):
    for joints in ("30,0,-90,0,90,0", "30,-30,-90,0,90,0", "0,0,-90,0,90,0"):
        cell.do(f"move-joints-absolute Puma {joints}")


def test_what_touches_at_any_instant_is_in_a_span_and_what_is_proved_free_is_free(cell):
    run(cell)
    found = cell.do("check moves")
    assert [move.verdict for move in found.moves] == ["free", "contact", "contact"]
    assert not found.proved
    recording, model = cell.session.recording, collision_model_of(cell.session)
    step = float(np.diff(recording.times).max())
    for time in np.linspace(0.0, recording.end, 97):
        state = recording.state_at(float(time))
        touches = bool(check(at_rest(model, state), state).contacts)
        inside = any(one.begin <= time <= one.end for one in found.spans if one.verdict == "contact")
        well_inside = any(one.begin <= time <= one.end - step for one in found.spans if one.verdict == "contact")
        assert inside or not touches
        assert touches or not well_inside
    assert found.spans[0].begin <= cell.do("check recording").time


def test_the_moves_of_an_arm_that_stands_aside_are_free(cell):
    cell.do("create robot Other puma560 at 0,3000,0 joints 0,0,-90,0,90,0")
    cell.do("move-joints-absolute Other 20,0,-90,0,90,0")
    cell.do("move-joints-absolute Puma 0,-30,-90,0,90,0")
    verdicts = {move.device: move.verdict for move in cell.do("check moves").moves}
    assert verdicts == {"Other": "free", "Puma": "contact"}


def test_a_whole_sample_is_proved_with_grips_and_rests():
    with Gallery().open("pick-and-place") as cell:
        found = cell.do("check moves")
        assert found.proved
        assert {move.verdict for move in found.moves} == {"free"}
        assert str(found) == f"moves: {len(found.moves)} proved free"


def test_the_check_is_refused_without_a_recording_and_can_be_cancelled(cell):
    with pytest.raises(WorkcellError, match="Nothing was recorded"):
        cell.do("check moves")
    run(cell)
    cell.session.cancel = threading.Event()
    cell.session.cancel.set()
    with pytest.raises(WorkcellError, match="cancelled"):
        cell.do("check moves")


def test_the_swept_volume_of_a_run_holds_every_link_and_the_part_within_its_tolerance():
    tolerance = 0.06
    with Gallery().open("pick-and-place") as cell:
        recording, snapshot = cell.session.recording, cell.snapshot()
        gripped = next(t for t in np.arange(0.0, recording.end, 0.1) if recording.state_at(t).attached)
        begin, end = gripped - 1.0, gripped + 2.0
        meshes = {one.name: one.tree.triangles for one in collision_model_of(cell.session).bodies}
        cell.do(f"add swept-run way of Puma from {begin} to {end} tolerance {tolerance * 1e3}mm as ghost")
        body = next(one for one in cell.snapshot().bodies if one.name == "way")
        found = body.pieces[0].solid.mesh(1e-3)
    triangles = np.asarray(found.triangles).astype(np.uint64)
    swept = manifold3d.Manifold(manifold3d.Mesh64(np.array(found.vertices, dtype=np.float64, order="C"), triangles))
    ball = manifold3d.Manifold.sphere(1.1 * tolerance, 16)
    tested, carried = 0, False
    for time in np.linspace(begin, end, 7):
        state = recording.state_at(float(time))
        for one, X in zip(snapshot.bodies, snapshot.body_poses(state), strict=True):
            held = one.name in state.attached
            if (one.owner == "Puma" and one.link > 0) or held:
                carried = carried or held
                corners = meshes[one.name].reshape(-1, 3)[::97] @ X[:3, :3].T + X[:3, 3]
                for point in corners[:5]:
                    assert not (swept ^ ball.translate(tuple(point))).is_empty()
                    tested += 1
    assert tested > 100
    assert carried
    assert swept.volume() < 1.0  # and not everything


@pytest.mark.parametrize("span", ["from 5 to 2", "from -1", "to 99"])
def test_a_part_that_the_recording_does_not_have_is_refused(cell, span):
    run(cell)
    with pytest.raises(WorkcellError, match="not a part of it"):
        cell.do(f"add swept-run way of Puma {span} as ghost")
