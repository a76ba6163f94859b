"""The law: however a program is carried out, the same is recorded.

Programs without blocks are typed line by line, run, run together with nobody, called from Python, and run by another
process that was given the snapshot. Of programs with blocks what was done is noted and typed, or called, step by step.
"""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import pickle
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import get_args

import numpy as np
import pytest
from law_programs import PUMA, SETTINGS, Made, Programs, built
from law_ways import (
    Outcome,
    by_command,
    elsewhere,
    in_python,
    lines_of,
    trace,
    traced_in_python,
    traced_lines,
    typed,
)

import workcell as wc
from workcell.commands.language.program_printer import program_text
from workcell.commands.language.program_reader import read_program
from workcell.commands.session import Session
from workcell.programs import steps as s
from workcell.programs.problem import ProgramProblems
from workcell.spatial.units import Units

SI = Units("m", "rad")


@pytest.fixture(scope="module")
def cells() -> Iterator[dict[str, wc.Cell]]:
    made = {name: built(name) for name in SETTINGS}
    yield made
    for cell in made.values():
        cell.close()


@pytest.fixture(scope="module")
def pool() -> Iterator[concurrent.futures.Executor]:
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.fixture
def table(tmp_path) -> str:
    q, file = np.radians(PUMA), tmp_path / "waves.csv"
    times = np.linspace(0, 1, 11)
    file.write_text("\n".join(f"{t},{q[0] + 0.1 * t * t * (3 - 2 * t)},0,{q[2]},0,{q[4]},0" for t in times))
    return str(file)


class Typist(Session):
    """Types numbers in one unit and reads messages in another, that of the run."""

    def carry_out(self, command, values, typed=""):
        return self._carry_out(command, values, typed)


class Law:
    """Holds programs to the law, and counts what was seen."""

    def __init__(self, cells: dict[str, wc.Cell], pool: concurrent.futures.Executor, table: str) -> None:
        self.cells, self.pool, self.table = cells, pool, table
        with open(table, "rb") as file:
            self.files = {table: file.read()}
        self.seen: Counter[str] = Counter()
        self.snapshots: dict[str, bytes] = {}
        self.waiting: list[tuple[Made, Outcome, concurrent.futures.Future[Outcome]]] = []

    def hold(self, made: Made) -> None:
        """Carry a program out in all ways that it allows; the other process answers later."""
        cell, programs = self.cells[made.cell], (made.main, *made.others)
        read = read_program("law", program_text(made.main))
        assert not read.problems
        assert read.program == made.main
        for one in programs:
            cell.do(f"program {one.name}\n{program_text(one)}\nend")
        self.seen.update(type(step).__name__ for one in programs for step in one.steps)
        with trace() as done:
            run = by_command(cell, "run law")
        if isinstance(run, ProgramProblems):
            self.seen["found by the checker"] += 1
            if made.straight:
                assert typed(cell.session, lines_of(made.main)).refused is not None, run
            return
        self.seen["refused" if run.refused else "carried out"] += 1
        sent = pickle.dumps(cell.snapshot())
        texts = [(one.name, program_text(one)) for one in programs]
        self.waiting.append((made, run, self.pool.submit(elsewhere, sent, texts, self.files)))
        same(made, "run-together", by_command(cell, "run-together law"), run)
        if made.straight:
            same(made, "typed", typed(cell.session, lines_of(made.main)), run)
            same(made, "python", in_python(cell, made.main), run)
        elif not any(isinstance(step, s.Parallel | s.WaitFor) for step in made.main.steps):
            self.unrolled(made, done, run)

    def unrolled(self, made: Made, done: Sequence, run: Outcome) -> None:
        """What a program with blocks did, step by step; a refusal that a handler took is none of the program."""
        cell = self.cells[made.cell]
        unrolled = [("called", traced_in_python(cell, done))]
        lines = None
        if not any(isinstance(step, s.WaitUntil) for step in made.main.steps):
            lines = traced_lines(cell, done)
        if lines is not None:
            self.seen["unrolled and typed"] += 1
            unrolled.append(("typed", typed(Typist(cell.database, units=SI), lines, after_refusals=True)))
        for way, found in unrolled:
            self.seen["unrolled"] += 1
            same(made, way, Outcome(found.recorded, found.refused if run.refused else None), run)

    def end(self) -> None:
        """Compare what the other process answered."""
        for made, run, answer in self.waiting:
            same(made, "worker", answer.result(), run)
        self.waiting = []


def same(made: Made, way: str, found: Outcome | ProgramProblems, run: Outcome) -> None:
    """Hold a way to what `run` recorded."""
    where = f"{way} in the cell {made.cell!r}:\n{program_text(made.main)}"
    assert isinstance(found, Outcome), where
    assert found.refused == run.refused, where
    assert found.recorded == run.recorded, where


HANDLING = {kind.__name__ for kind in s.HANDLING}


def held(cells, pool, table, seed: int, count: int) -> Counter[str]:
    law, programs = Law(cells, pool, table), Programs(seed, cells, table)
    for number in range(count):
        law.hold(programs.made())
        if number % 50 == 49:
            law.end()
    law.end()
    return law.seen


def test_every_way_of_running_a_program_records_the_same(cells, pool, table):
    seen = held(cells, pool, table, 38, 70)  # a seed whose programs soon have every kind of step
    missing = {kind.__name__ for kind in get_args(s.Step)} - set(seen)
    # The steps that handle parts by name have tests of their own; the random programs do not make them yet.
    assert missing <= HANDLING, "a kind of step that no program had"
    assert seen["carried out"] > 35
    assert seen["refused"] > 3
    assert seen["unrolled and typed"] > 7


def test_what_a_counter_reads_is_recorded_before_the_next_step(cells, pool, table):
    """The encoder of a belt is read when the belt begins to stop; then a part is put on it in the same instant."""
    text = "run-conveyor Band 114mm/s\nrepeat 2\nwait 0.102s\nend\nstop-conveyor Band\nride parcel on Band"
    program = read_program("law", text).program
    law = Law(cells, pool, table)
    law.hold(Made("rail", False, program))
    law.end()
    assert law.seen["carried out"] == 1


def test_what_rides_on_a_belt_does_so_before_a_move_that_takes_no_time(cells, pool, table):
    """A device that is at home already does not move, but its move is recorded; so is the part that the belt takes."""
    program = read_program("law", "run-conveyor Band 114mm/s\nhome Table").program
    law = Law(cells, pool, table)
    law.hold(Made("rail", True, program))
    law.end()
    assert law.seen["carried out"] == 1


@pytest.mark.soak
def test_every_way_of_running_a_program_records_the_same_at_length(cells, pool, table):
    seen = held(cells, pool, table, 1, 5000)
    assert {kind.__name__ for kind in get_args(s.Step)} - set(seen) <= HANDLING
    print(
        f"5000 random programs: {seen['carried out']} carried out, {seen['refused']} refused while running, "
        f"{seen['found by the checker']} refused by the checker; typed, run, run-together, Python, worker and "
        f"{seen['unrolled']} unrolled: the same bytes"
    )
