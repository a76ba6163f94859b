"""The palletising cell: its boxes stand on the grid, on a pallet that was moved and with another arm."""

from __future__ import annotations

import importlib.util
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import workcell as wc
from workcell.simulation.events import Gripped, Released
from workcell.simulation.playback import body_poses

ROOT = Path(__file__).parents[2]
BOX = np.array([0.27, 0.24, 0.14])
PALLETS = {
    "as it was built": ([1.05, 0.15], 0.0),
    "the pallet moved by 200 mm and turned by 15°": ([1.05, -0.05], 15.0),
    "a larger arm": ([1.05, -0.05], 15.0),
}
PAGE = (ROOT / "docs/palletising.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("example_10", ROOT / "examples/10_palletising.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def runs(example):
    """For each run where the boxes are at its end, its recording, and what touches."""
    found = {}
    with example.built() as cell:
        before = cell.database.entity("program", "palletise").properties["text"]
        for what, lines in example.EDITS.items():
            for line in lines:
                cell.do(line)
            cell.do("run palletise")
            boxes = [np.array(cell.do(f"where feed-{n}").matrix) for n in range(1, 13)]
            found[what] = boxes, cell.session.simulator, cell.do("contacts"), cell.snapshot()
        assert cell.database.entity("program", "palletise").properties["text"] == before, "it is the same program"
        yield found


def expected(pallet: list[float], turned: float) -> np.ndarray:
    """Where the twelve boxes are by the grid on the pallet, worked out by hand (12, 3)."""
    places = [
        (-0.145 + 0.290 * i, -0.255 + 0.255 * j, 0.144 + 0.07 + 0.14 * k)
        for k in range(2)
        for j in range(3)
        for i in range(2)
    ]
    R = Rotation.from_euler("z", turned, degrees=True)
    return np.array(R.apply(places)) + [*pallet, 0.0]


@pytest.mark.parametrize("what", PALLETS)
def test_the_boxes_stand_where_the_grid_on_the_pallet_says(runs, what):
    boxes, _, contacts, _ = runs[what]
    pallet, turned = PALLETS[what]
    found = np.array([one[:3, 3] for one in boxes])
    assert np.abs(found - expected(pallet, turned)).max() < 2e-5  # a box stands 0.01 mm before its stop
    R = Rotation.from_euler("z", turned, degrees=True).as_matrix()
    assert all(np.allclose(one[:3, :3], R, atol=1e-6) for one in boxes), "they are turned with the pallet"
    assert not contacts.contacts
    layers = {(f"feed-{n}", "pallet") for n in range(1, 7)} | {(f"feed-{n + 6}", f"feed-{n}") for n in range(1, 7)}
    assert set(contacts.rests) == layers
    assert not contacts.against


@pytest.mark.parametrize("what", PALLETS)
def test_no_box_is_in_another(runs, what):
    boxes, *_ = runs[what]
    _, turned = PALLETS[what]
    R = Rotation.from_euler("z", turned, degrees=True).as_matrix()
    local = np.array([R.T @ one[:3, 3] for one in boxes])
    for a in range(12):
        for b in range(a):
            gap = np.abs(local[a] - local[b]) - BOX
            assert gap.max() > -1e-5, "apart along one of their common axes, or just on top"
    below = local[:6, 2] + BOX[2] / 2
    assert np.allclose(local[6:, 2] - BOX[2] / 2, below, atol=1e-5)


@pytest.mark.parametrize("what", PALLETS)
def test_each_box_is_carried_once_and_never_jumps(runs, what):
    _, sim, _, snapshot = runs[what]
    recording = sim.recording
    taken = [event.part for event in recording.events if isinstance(event, Gripped)]
    left = [event.part for event in recording.events if isinstance(event, Released)]
    assert taken == left == [f"feed-{n}" for n in range(1, 13)]
    times = np.arange(0.0, recording.end, 0.02)
    poses = body_poses(snapshot, recording, times)
    names = [body.name for body in snapshot.bodies]
    for number in range(1, 13):
        path = poses[:, names.index(f"feed-{number}"), :3, 3]
        there = path[:, 2] > 0.0  # absent parts are far below
        steps = np.linalg.norm(np.diff(path[there], axis=0), axis=1)
        assert steps.max() < 0.02 * 4.0, "metres in 20 ms"


def test_the_page_names_the_cycle_times(runs):
    stated = [float(one) for one in re.findall(r"\| (\d+\.\d\d) s \|", PAGE)]
    assert stated == [round(sim.recording.end, 2) for _, sim, _, _ in runs.values()]


def blocks() -> list[str]:
    return re.findall(r"```\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_commands_of_the_page_run_and_are_those_of_the_example(example, runs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    typed = [line for block in blocks() for line in _commands(block)]
    scene = [line for line in typed if line in example.SCENE.strip().splitlines()]
    assert scene == example.SCENE.strip().splitlines()
    assert example.PROGRAM in typed
    ends = []
    with wc.Cell() as cell:
        for line in typed:
            small = line.startswith("film ")
            answer = cell.do(f"{line.split(' factor')[0]} factor 30 fps 1 size 160 90" if small else line)
            assert str(answer)
            if line == "run palletise":
                ends.append(cell.state.time)
    assert ends == [pytest.approx(sim.time) for _, sim, _, _ in runs.values()]
    assert {path.suffix for path in tmp_path.iterdir()} >= {".png", ".svg", ".gif"}


def _commands(block: str) -> list[str]:
    """The lines of a block, a program as one."""
    lines, program = [], []
    for line in block.rstrip("\n").split("\n"):
        if program or line.startswith("program "):
            program.append(line)
            if line == "end":
                lines.append("\n".join(program))
                program = []
        elif line.strip() and not line.startswith(("$", "#")):
            lines.append(re.sub(r" {2,}#.*", "", line))
    return lines


def test_the_pallet_may_stand_anywhere_in_reach(runs):
    """The hand is over the middle of each box when it lets go, whatever the pallet does."""
    for what, (pallet, turned) in PALLETS.items():
        _, sim, _, snapshot = runs[what]
        released = [event for event in sim.recording.events if isinstance(event, Released)]
        tips = [snapshot.tool_pose(sim.recording.state_at(event.time), "Arm").xyz for event in released]
        assert np.abs(np.array(tips) - expected(pallet, turned) - [0, 0, BOX[2] / 2]).max() < 2e-5
        assert all(a.time < b.time for a, b in pairwise(released))
