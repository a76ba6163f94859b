"""The law of pauses: random programs paused, stepped back, saved and loaded anywhere record the same bytes."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from law_programs import PUMA, SETTINGS, Made, Programs, built

import workcell as wc
from workcell.errors import WorkcellError
from workcell.simulation.interpreter import Run
from workcell.simulation.saved_runs import SavedRun
from workcell.simulation.simulator import Simulator
from workcell.simulation.stepping import SteppedRun


@pytest.fixture(scope="module")
def cells() -> Iterator[dict[str, wc.Cell]]:
    made = {name: built(name) for name in SETTINGS}
    yield made
    for cell in made.values():
        cell.close()


@pytest.fixture
def table(tmp_path) -> str:
    q, file = np.radians(PUMA), tmp_path / "waves.csv"
    times = np.linspace(0, 1, 11)
    file.write_text("\n".join(f"{t},{q[0] + 0.1 * t * t * (3 - 2 * t)},0,{q[2]},0,{q[4]},0" for t in times))
    return str(file)


class Pauses:
    """Holds programs to the law, and counts what was done to them."""

    def __init__(self, seed: int, cells: dict[str, wc.Cell], table: str) -> None:
        self.random = random.Random(seed)
        self.cells = cells
        with open(table, "rb") as file:
            self.files = {table: file.read()}
        self.seen: Counter[str] = Counter()

    def begun(self, made: Made) -> Run:
        simulator = Simulator(self.cells[made.cell])
        return Run(simulator, [made.main], {one.name: one for one in made.others}, files=self.files)

    def hold(self, made: Made) -> None:
        whole, stepped = self.begun(made), SteppedRun(self.begun(made))
        refusals = ["", ""]
        try:
            whole.go()
        except WorkcellError as error:
            refusals[0] = str(error)
        try:
            stands = stepped.into()
            while stands:
                stepped, stands = self.step(made, stepped)
        except WorkcellError as error:
            refusals[1] = str(error)
        assert refusals[0] == refusals[1], made.main
        self.seen["refused" if refusals[0] else "carried out"] += 1
        if refusals[0]:
            stepped.run.abandon()
            return
        recorded = stepped.recording.to_bytes(sources=True)
        assert recorded == whole.simulator.recording.to_bytes(sources=True), made.main
        assert stepped.run.ended == whole.ended

    def step(self, made: Made, stepped: SteppedRun) -> tuple[SteppedRun, bool]:
        way = self.random.choice(["into", "into", "into", "over_step", "out", "resume", "back", "back", "back", "save"])
        if way == "resume" and self.random.random() < 0.8:
            way = "into"
        if way == "back":
            count = self.random.randint(0, min(6, stepped.steps_kept))
            if count:
                self.seen["steps back"] += count
                stepped.back(count)
            return stepped, True
        if way == "save":
            self.seen["saved"] += 1
            data = stepped.run.saved().to_bytes()
            stepped.run.abandon()
            return SteppedRun(Run.restored(SavedRun.from_bytes(data), Simulator(self.cells[made.cell]))), True
        self.seen[way] += 1
        return stepped, getattr(stepped, way)()


def test_random_programs_are_paused_anywhere_without_a_trace(cells, table):
    law, programs = Pauses(5, cells, table), Programs(71, cells, table)
    for _ in range(24):
        law.hold(programs.made())
    assert min(law.seen["saved"], law.seen["steps back"], law.seen["carried out"]) > 8


@pytest.mark.soak
def test_three_hundred_random_programs_are_paused_anywhere_without_a_trace(cells, table):
    law, programs = Pauses(6, cells, table), Programs(72, cells, table)
    for _ in range(300):
        law.hold(programs.made())
    print("law of pauses, 300 random programs:", dict(sorted(law.seen.items())))
