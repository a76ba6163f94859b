"""The page on machines runs, and the example on a rail."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

from workcell.simulation.events import Gripped

ROOT = Path(__file__).parents[2]


def test_the_code_of_the_page_runs():
    page = (ROOT / "docs" / "machines.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    assert len(blocks) == 3
    namespace: dict[str, object] = {}
    for block in blocks:
        exec(block, namespace)


def test_an_arm_on_a_rail_tends_stations_beyond_its_reach():
    spec = importlib.util.spec_from_file_location("example_09", ROOT / "examples/09_tending_on_a_rail.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with module.tended() as cell:
        sim = cell.session.simulator
        recording = sim.recording
        grips = [event for event in recording.events if isinstance(event, Gripped)]
        rail = [recording.state_at(event.time).joints["track"][0] for event in grips]
        assert len(grips) == 4
        assert max(rail) - min(rail) > 1.45  # farther than the arm reaches
        for part in ("part1", "part2"):
            assert sim.snapshot.body(sim.state.attached[part].frame).owner == "Table"
        last = recording.moves[-3:]
        assert {one.device for one in last} == {"track", "Arm", "Table"}
        assert len({(one.start, one.end) for one in last}) == 1
        assert sim.state.joints["Table"] == pytest.approx(np.radians([25.0, 120.0]))
