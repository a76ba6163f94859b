"""The plant: the cost of a callback, a reading and a watched set-point, and sixty robots at once; processor time.

Figures to reach: a callback that reads nothing at most 8 µs, reading one arm's joints and speeds at most 5 µs more, a
watched set-point among 20 obstacles at most 150 µs; 60 robots out of each other's reach, recorded to disk, at least
100 × real time. The yardstick is a bare loop of a heap and NumPy in the same process.
"""

from __future__ import annotations

import heapq
import random
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import workcell as wc
from workcell.commands.language.program_reader import read_program
from workcell.simulation.interpreter import Run
from workcell.simulation.recording_file import RecordingWriter
from workcell.simulation.simulated_robot import SimulatedRobot
from workcell.simulation.watching import Watch
from workcell.world.snapshot import Snapshot

TICKS = 2000
ROUNDS = 3
"""How often sixty robots run; the fastest counts. The first run also prepares the cell for collision tests."""
COUNTS = (15, 60)
"""How many robots run at once."""
HOME = "0,0,-90,0,90,0"
PAUSES = 5
"""How often each program moves there and back."""


def bare() -> None:
    """Run a loop as a Drake-like simulator has: a heap of instants, and a row of six numbers at each."""
    queue, row = [(0, 0)], np.zeros(6)
    for number in range(TICKS):
        at, _ = heapq.heappop(queue)
        row = row + 1e-3
        heapq.heappush(queue, (at + 1_000_000, number))


def ticked(snapshot: Snapshot, call: Callable[[SimulatedRobot], object] | None, watched: str = "") -> float:
    """Return processor seconds for one simulated second in which an arm moves, with a call each millisecond."""
    sim = wc.Simulator(snapshot)
    if watched:
        sim.watch = Watch(snapshot, method="certified" if watched == "certified" else "sampled")
    arm = sim.robot("A")
    arm.speed(0.1)
    if call is not None:
        sim.every(1e-3, lambda _: call(arm))
    begin = time.process_time()
    sim.wait(TICKS * 1e-3)
    return time.process_time() - begin


def timed(work: Callable[[], object]) -> Callable[[], float]:
    """Return a function that returns the processor seconds of a work."""

    def measured() -> float:
        begin = time.process_time()
        work()
        return time.process_time() - begin

    return measured


def least(work: Callable[[], float], rounds: int = 3) -> float:
    return min(work() for _ in range(rounds))


def cost_of_calls() -> None:
    with wc.Cell() as cell:
        cell.do(f"create robot A puma560 joints {HOME}")
        for number in range(20):
            angle = 2.0 * np.pi * number / 20
            place = f"{1250 * np.cos(angle):.1f},{1250 * np.sin(angle):.1f},400"
            cell.do(f"add solid post{number} cylinder 30 800 at {place}")
        snapshot = cell.snapshot()
    start = snapshot.initial.joints["A"]
    swing = np.array([0.2, 0.1, 0.0, 0.0, 0.0, 0.2])

    def read(arm: SimulatedRobot) -> object:
        return arm.joints, arm.velocities

    def moving(call: Callable[[SimulatedRobot], object] | None) -> float:
        sim = wc.Simulator(snapshot)
        arm = sim.robot("A")
        arm.speed(0.1)
        if call is not None:
            sim.every(1e-3, lambda _: call(arm))
        begin = time.process_time()
        took = arm.move_joints_relative(swing)
        return (time.process_time() - begin) / (took * 1e3)

    yardstick = least(timed(bare), 9) / TICKS
    none = least(lambda: moving(None))
    called = least(lambda: moving(lambda _: None)) - none
    reading = least(lambda: moving(read)) - none - called
    rows = [
        ("a bare heap and NumPy, a tick", yardstick, ""),
        ("a callback that reads nothing", called, "at most 8 µs"),
        ("joints and speeds of one arm, more", reading, "at most 5 µs"),
    ]
    for label, watched in (("unwatched", ""), ("watched by samples", "sampled"), ("watched by proof", "certified")):
        goals = [start + swing * np.sin(k * 1e-3) for k in range(TICKS + 2)]

        def follow(arm: SimulatedRobot, goals: list[np.ndarray] = goals) -> object:
            return arm.track(goals[round(arm._simulator.time * 1e3)])

        cost = least(lambda follow=follow, watched=watched: ticked(snapshot, follow, watched)) / TICKS
        rows.append((f"a set-point, {label}", cost, "at most 150 µs" if watched else ""))
    print("A call each millisecond while an arm moves among 20 posts, processor time")
    for label, cost, bound in rows:
        print(f"  {label:36s} {cost * 1e6:8.1f} µs {cost / yardstick:7.1f} × bare   {bound}")


def many(count: int, watched: bool) -> tuple[float, float]:
    """Return simulated and processor seconds of robots out of each other's reach, each with its program."""
    rnd = random.Random(6)
    with wc.Cell() as cell:
        for k in range(count):
            cell.do(f"create robot R{k} puma560 joints {HOME} at {3000 * (k % 8)},{3000 * (k // 8)},0")
            cell.do(f"create signal s{k}")
        if watched:
            cell.do("watch yes")
        snapshot = cell.snapshot()
    programs = []
    for k in range(count):
        there = [rnd.randint(20, 60), *(rnd.randint(-9, 9) for _ in range(5))]
        lines = [
            f"repeat {PAUSES}",
            f"move-joints-relative R{k} {','.join(map(str, there))}",
            f"set-signal s{k} 1",
            f"wait-for s{(k + 1) % count}",
            f"move-joints-relative R{k} {','.join(str(-one) for one in there)}",
            f"wait {rnd.randint(1, 9) / 10}",
            "end",
        ]
        programs.append(read_program(f"p{k}", "\n".join(lines)).program)
    best = np.inf
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            with RecordingWriter(Path(folder) / "many.rec", snapshot.initial) as recorder:
                sim = wc.Simulator(snapshot, recorder=recorder)
                run = Run(sim, programs)
                begin = time.process_time()
                run.go()
            best = min(best, time.process_time() - begin)
    return sim.time, best


def main() -> None:
    cost_of_calls()
    print(
        "Robots out of each other's reach, each with its program and signals, recorded to disk   (at least 100 × real time)"
    )
    for watched in (False, True):
        costs = []
        for count in COUNTS:
            simulated, took = many(count, watched)
            costs.append(took)
            how = "watched" if watched else "unwatched"
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(
                f"  {count:3d} robots, {how:10s} {simulated:6.2f} s simulated in {took:7.3f} s: {simulated / took:7.1f} × "
                f"real time, peak {memory:.0f} MB"
            )
        few, most = COUNTS
        bound = most * np.log(most) / (few * np.log(few))
        print(f"      {most} robots cost {costs[1] / costs[0]:.1f} times as much as {few}   (n log n: {bound:.1f})")


if __name__ == "__main__":
    main()
