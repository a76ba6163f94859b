"""A run in which threads sleep until something happens equals a run in which all threads are tested every time."""

from __future__ import annotations

import random

import pytest

import workcell as wc
from workcell.commands.language.program_reader import read_program
from workcell.programs.program import Program
from workcell.simulation.interpreter import Run
from workcell.simulation.sleepers import Sleepers
from workcell.simulation.threads import Thread

ROBOTS = 5


@pytest.fixture(scope="module")
def cell() -> wc.Cell:
    made = wc.Cell()
    for k in range(ROBOTS):
        made.do(f"create robot R{k} puma560 joints 0,0,-90,0,90,0 at {3000 * k},0,0")
        made.do(f"create signal s{k}")
    return made


def programs(seed: int) -> list[Program]:
    """One for each robot: moves, waits of every kind with and without time-outs, branches, handlers."""
    chance = random.Random(seed)
    found = []
    for k in range(ROBOTS):
        mine, other, joints = f"s{k}", f"s{chance.randrange(ROBOTS)}", f"{chance.randint(5, 30)},0,0,0,0,5"
        lines = [
            f"move-joints-relative R{k} {joints}",
            f"set-signal {mine} {chance.randrange(3)}",
            f"wait-until signal({other}) = {chance.randrange(3)} or {mine} > 1 timeout {chance.randint(1, 5) / 10}",
            f"wait-until time() > {chance.randint(1, 30) / 10} timeout 1",
            f"wait {chance.randint(0, 4) / 10}",
            f"let x = {chance.randrange(5)}",
            f"wait-until x < 3 timeout {chance.randint(1, 3) / 10}",
            f"wait-until signal({other}) = {chance.randrange(3)} timeout {chance.randint(1, 5) / 10}",
            f"wait-until signal({mine}) = {chance.randrange(3)} timeout {chance.randint(1, 5) / 10}",
        ]
        chance.shuffle(lines)
        guarded = "\n".join(f"try\n{line}\non-error\nset-signal {mine} 1\nend" for line in lines)
        back = f"home R{k}"
        branches = f"parallel\nset-signal {other} 1\nwait 0.2\nand\nmove-joints-relative R{k} 3,0,0,0,0,0\nend"
        read = read_program(f"p{k}", f"repeat 3\n{guarded}\n{branches}\n{back}\nend")
        assert not read.problems
        found.append(read.program)
    return found


def recorded(cell: wc.Cell, seed: int) -> tuple[bytes, int, dict[str, float]]:
    simulator = wc.Simulator(cell.snapshot())
    chance = random.Random(seed + 1000)

    def disturb(plant: wc.Simulator) -> None:
        match chance.randrange(4):
            case 0:
                plant.hold()
            case 1:
                plant.resume()
            case 2:
                plant.override(chance.randint(20, 100), f"R{chance.randrange(ROBOTS)}")
            case _:
                plant.set_signal(f"s{chance.randrange(ROBOTS)}", chance.randrange(3))
        if plant.time > 3.0:
            plant.resume()

    if seed % 2:
        simulator.every(0.13, disturb)
    run = Run(simulator, programs(seed))
    run.go(lambda _thread, _instruction: False)
    return simulator.recording.to_bytes(sources=True), run.steps, run.ended


@pytest.mark.parametrize("seed", range(6))
def test_sleeping_changes_no_byte(cell: wc.Cell, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    slept = []
    add = Sleepers.add

    def counted(self: Sleepers, thread: Thread) -> None:
        add(self, thread)
        slept.append(thread in self.asleep)

    monkeypatch.setattr(Sleepers, "add", counted)
    sleeping = recorded(cell, seed)
    assert sum(slept) > 50
    monkeypatch.setattr(Sleepers, "add", lambda _self, _thread: None)
    assert recorded(cell, seed) == sleeping
