"""The examples run and do what their pages describe."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from workcell.collision.batch import check_batch
from workcell.simulation.event_text import text_of
from workcell.simulation.events import Gripped
from workcell.simulation.playback import body_poses
from workcell.simulation.watching import Watch

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("[0-9]*.py"))


def example(number: str):
    """The module of an example."""
    (name,) = [name for name in EXAMPLES if name.startswith(number)]
    spec = importlib.util.spec_from_file_location(f"example_{number}", ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_of_the_simulation_is_tested_here():
    assert {name[:2] for name in EXAMPLES} >= {"01", "02", "03", "04"}


def test_thesis_example_one_takes_the_same_time_in_all_modes():
    for durations in example("01").main().values():
        assert durations == pytest.approx([4.0724, 2.3271, 3.4907], abs=5e-5)
        assert sum(durations) == pytest.approx(9.8902, abs=5e-5)


def test_thesis_example_two_puts_the_cube_on_the_stage():
    with example("02").main() as cell:
        assert cell.state.poses["cube"].xyz == pytest.approx([0.45, 0.25, 0.08], abs=1e-6)
        assert np.degrees(cell.state.joints["Puma"]) == pytest.approx([0, 0, -90, 0, 90, 0], abs=1e-9)
        assert cell.state.attached == {}
        recording = cell.session.recording
        poses = body_poses(cell.snapshot(), recording, np.linspace(0.0, recording.end, 200))
        cube = [body.name for body in cell.snapshot().bodies].index("cube")
        steps = np.linalg.norm(np.diff(poses[:, cube, :3, 3], axis=0), axis=1)
        assert steps.max() < 0.05  # it is carried, it does not jump


def test_thesis_example_three_hands_the_ball_over_without_touching():
    cell = example("03").main()
    with cell:
        state, recording, snapshot = cell.state, cell.session.recording, cell.snapshot()
        model = Watch(snapshot).model
    assert state.poses["ball"].xyz == pytest.approx([1.0, 0.15, 0.03], abs=2e-4)
    assert [text_of(event) for event in recording.events if isinstance(event, Gripped)] == [
        "Puma_1 takes ball",
        "Puma_2 takes ball from Puma_1",
    ]
    for robot in ("Puma_1", "Puma_2"):
        assert state.joints[robot] == pytest.approx(snapshot.robot(robot).robot.home, abs=1e-9)
    # Looked at again between the samples that were watched: only ball and tables may touch.
    times = np.linspace(0.0, recording.end, 300)
    found = check_batch(model, [recording.state_at(float(time)) for time in times])
    for row in np.flatnonzero(found.touching):
        assert set(found.pair(int(row))) <= {"ball", "table_1", "table_2"}


def test_dings_case_one_stays_on_branch_eight():
    facts = json.loads((ROOT / "tests/data/simulation/ding_case_one.json").read_text())
    sim, passed = example("04").main()
    assert len(passed) == len(facts["points"]) == 7
    for q, point in zip(passed, facts["points"], strict=True):
        assert np.degrees(q) == pytest.approx(point["branch8"], abs=1e-5)
    robot = sim.snapshot.robot("IRB").robot
    for q in passed[:6]:
        found = next(one for one in robot.ik(robot.fk(q)) if np.allclose(one.q, q, atol=1e-6))
        assert found.label == (-1, -1, -1)
    edge = [move for move in sim.recording.moves if move.kind == "line"]
    assert max(move.deviation for move in edge) <= 1e-6
    times = np.linspace(edge[0].start, edge[-1].end, 500)
    joints = sim.recording.joints_at(times)["IRB"]
    assert np.abs(np.diff(joints, axis=0)).max() < np.radians(1.0)  # continuous
    hands = robot.fk_batch(joints)[:, :3, 3]
    assert np.abs(hands[:, [0, 2]] - [1.3995, 0.8755]).max() < 5e-5


def test_the_running_line_loses_no_parcel(tmp_path):
    found = example("07").main(tmp_path)
    assert found["time"] == 60.0
    assert found["parts in"] == found["parts out"] + found["on the line"]
    assert (found["parts in"], found["parts out"]) == (30, 16)
    assert found["waited"] > 3
    assert found["parts out"] <= found["seen by the barrier"] <= found["parts in"]
    assert (tmp_path / "line.png").stat().st_size > 10_000
