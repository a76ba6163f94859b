"""The conveyor line runs, as programs in Python and as programs of the cell."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

import workcell as wc
from workcell.collision.batch import check_batch
from workcell.motion.named_profiles import composed
from workcell.motion.trajectory import Trajectory
from workcell.simulation.events import Gripped
from workcell.simulation.happenings import Attached
from workcell.simulation.playback import body_poses

ROOT = Path(__file__).parents[2]
PARTS = [f"part{number}" for number in range(1, 7)]


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("example_06", ROOT / "examples/06_conveyor_pick_line.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def line(example, tmp_path_factory):
    """The simulator after a run, and the chart that it drew."""
    chart = tmp_path_factory.mktemp("line") / "line.svg"
    return example.main(chart), chart


def owner(sim, frame):
    return sim.snapshot.body(frame).owner


def test_every_part_ends_in_its_tray(line):
    sim, _ = line
    assert sim.state.attached == {}
    for number, part in enumerate(PARTS, start=1):
        tray = sim.state.poses["TrayOne" if number % 2 else "TrayTwo"].xyz
        x, y, z = sim.state.poses[part].xyz - tray
        assert abs(x) < 0.14
        assert abs(y) < 0.05
        assert z == pytest.approx(-0.03 + 0.01 + 0.02, abs=1e-6)  # on the floor of the tray
    places = np.array([sim.state.poses[part].xyz for part in PARTS])
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)[np.triu_indices(6, 1)]
    assert apart.min() > 0.05


def test_a_part_is_with_one_carrier_at_a_time_and_never_jumps(line):
    sim, _ = line
    recording = sim.recording
    for number, part in enumerate(PARTS, start=1):
        carriers = [owner(sim, c.frame) for c in recording.changes if isinstance(c, Attached) and c.body == part]
        assert carriers == ["Belt", "One" if number % 2 else "Two"]
    for time in np.linspace(0.0, recording.end, 400):
        state = recording.state_at(float(time))
        held = [owner(sim, own.frame) for own in state.attached.values()]
        assert held.count("One") <= 1
        assert held.count("Two") <= 1
        assert set(state.attached).isdisjoint(state.poses)
    # Carried or riding, a part moves as fast as its carrier does, but for the 30 mm that it falls.
    times = np.arange(0.0, recording.end, 0.01)
    poses = body_poses(sim.snapshot, recording, times)
    names = [body.name for body in sim.snapshot.bodies]
    for part in PARTS:
        steps = np.linalg.norm(np.diff(poses[:, names.index(part), :3, 3], axis=0), axis=1)
        assert np.sort(steps)[-2] < 0.02
        assert steps.max() < 0.031


def test_the_belt_waits_for_the_robots_and_they_for_it(line):
    sim, _ = line
    recording = sim.recording
    for move in recording.moves:
        if move.device == "Belt":
            for signal in ("at_One", "at_Two"):
                middle = recording.state_at(0.5 * (move.start + move.end))
                assert middle.signals.get(signal, 0.0) == 0.0
    grips = [event for event in recording.events if isinstance(event, Gripped)]
    for robot, numbers in (("One", (1, 3, 5)), ("Two", (2, 4, 6))):
        found = [(one.part, one.taken_from) for one in grips if one.robot == robot]
        assert found == [(f"part{n}", "Belt") for n in numbers]
    for event in grips:
        state = recording.state_at(event.time)
        assert state.signals[f"at_{event.robot}"] == 1.0


def test_nothing_touches_what_it_should_not(line):
    sim, _ = line
    recording = sim.recording
    times = np.linspace(0.0, recording.end, 250)
    found = check_batch(sim.watch.model, [recording.state_at(float(time)) for time in times])
    allowed = {*PARTS, "Belt/base", "TrayOne", "TrayTwo", "stand_one", "stand_two"}
    fingers = {f"{robot}/{side} finger" for robot in ("One", "Two") for side in ("right", "left")}
    for row in np.flatnonzero(found.touching):
        first, second = found.pair(int(row))
        assert {first, second} <= allowed or bool({first, second} & fingers and {first, second} & set(PARTS))


def test_robots_work_at_the_same_time(line):
    sim, chart = line
    busy = [move for move in sim.recording.moves if move.device in ("One", "Two")]
    together = [
        (a, b)
        for a in busy
        for b in busy
        if a.device == "One" and b.device == "Two" and a.start < b.end and b.start < a.end and a.start > 5.0
    ]
    assert together
    assert 15.0 < sim.time < 40.0
    assert chart.read_text(encoding="utf-8").count("Belt") >= 1


def test_the_language_says_the_same(example, line):
    sim, _ = line
    with example.by_commands() as cell:
        assert cell.state.time == pytest.approx(sim.time, abs=1e-6)
        for part in PARTS:
            assert cell.state.poses[part].is_close(sim.state.poses[part], 1e-6, 1e-6)
        cell.undo()
        assert cell.state.time == 0.0
        assert set(cell.state.attached) == set(PARTS)


# ---- the pages ------------------------------------------------------------------------------------------


def test_every_example_has_its_place_on_the_page_and_its_picture():
    page = (ROOT / "docs/examples.md").read_text(encoding="utf-8")
    for path in sorted((ROOT / "examples").glob("[0-9]*.py")):
        assert f"](../examples/{path.name})" in page
    pictures = re.findall(r"!\[.+?\]\((images/[^)]+)\)", page)
    assert len(pictures) == 8
    for name in pictures:
        file = ROOT / "docs" / name
        assert file.stat().st_size < 1_000_000
    for name in re.findall(r"\]\(([a-z_]+\.md)\)", page):
        assert (ROOT / "docs" / name).exists()


def test_the_page_on_targets_runs():
    text = (ROOT / "docs/targets.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) == 3
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)


def test_the_commands_on_the_page_of_targets_run():
    text = (ROOT / "docs/targets.md").read_text(encoding="utf-8")
    plain = re.sub(r"```python\n.*?```", "", text, flags=re.DOTALL)
    blocks = re.findall(r"```\n(.*?)```", plain, flags=re.DOTALL)
    assert len(blocks) == 6
    with wc.Cell() as cell:
        cell.do("create robot Arm irb6400")
        cell.do("add solid Cube box 300 1100 350 at 1550,-100,700")
        for block in blocks:
            for line in [block.strip()] if block.startswith("program") else block.strip().splitlines():
                assert str(cell.do(line))


def test_a_break_of_the_path_beside_one_of_the_progress_does_no_harm():
    # Rounding put a break of the path 1e-13 before one of the progress, where its speed changes: a sliver lies between.
    curve = Trajectory(np.array([0.0, 0.5, 1.0]), np.array([[[0.0], [1.0]], [[0.5], [2.0]]]))
    progress = Trajectory(np.array([0.0, 1.0 + 1e-13, 3.0]), np.array([[[0.0], [0.5]], [[0.5 + 5e-14], [0.25]]]))
    motion = composed(curve, progress)
    for time in np.linspace(0.0, 3.0, 31):
        s = float(progress.position(time)[0])
        assert motion.position(time) == pytest.approx(curve.position(s), abs=1e-9)


def test_parts_are_taken_from_a_belt_that_never_stops_and_end_in_the_tray(capsys):
    spec = importlib.util.spec_from_file_location("example_08", ROOT / "examples/08_picking_from_a_running_belt.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.main((300,))
    assert [event.part for event in found[300]] == [f"part{number}" for number in range(6)]
    assert max(event.distance for event in found[300]) < 2.6e-5  # half a step of the encoder, and rounding
    assert "300 mm/s: 6 parts in" in capsys.readouterr().out
