"""The work of every room, timed; ``against.py`` runs it with the present code and with that of an older commit.

It uses only names that both commits have: public ones, and modules that have not moved.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import workcell as wc

Works = dict[str, tuple[Callable[[], object], int]]
PARTS = 5
"""Every work is timed in this many parts; the fastest counts, because it was disturbed least."""
HOME = np.radians([0, 0, -90, 0, 90, 0])
MEMORY = Path("/dev/shm")
"""A folder of files in memory, where there is one."""
CELL = [
    "add solid table box 600 800 100 at 700,0,-50",
    "add solid post box 60 60 900 at 600,700,450",
]


def kinematics(cell: wc.Cell) -> Works:
    """Poses of many joint values, and all solutions of many poses."""
    from workcell.kinematics import forward
    from workcell.kinematics.inverse import ik_batch

    chain = cell.snapshot().robot("Puma").robot.chain
    Q = np.random.default_rng(1).uniform(-2.0, 2.0, (5000, 6))
    poses = forward.tool_batch(chain, Q)
    return {
        "kinematics: 5,000 tool poses": (lambda: forward.tool_batch(chain, Q), 40),
        "kinematics: 5,000 inverses, all branches": (lambda: ik_batch(chain, poses, threads=1), 8),
    }


def motion() -> Works:
    """A time-optimal path, and a move that is superseded."""
    from workcell.motion.limits import Limits
    from workcell.motion.path import JointPath
    from workcell.motion.steering import supersede
    from workcell.motion.timing import time_optimal

    points = np.random.default_rng(2).uniform(-2.0, 2.0, (6, 6))
    path, limits = JointPath.polyline(points, blend=0.3), Limits.of(6, 2.0, 6.0, 40.0)
    sharp = Limits.of(6, 2.0, 6.0)
    speed = np.full(6, 0.2)
    return {
        "motion: a time-optimal path": (lambda: time_optimal(path, sharp), 20),
        "motion: supersede": (lambda: supersede(points[0], speed, None, points[1], limits), 300),
    }


def collision(cell: wc.Cell) -> Works:
    """Contacts, distances and proofs of one cell."""
    from workcell.collision.batch import check_batch
    from workcell.collision.bodies import collision_model
    from workcell.collision.certify import certify
    from workcell.collision.check import check
    from workcell.collision.clearance import clearance
    from workcell.motion.profiles import linear

    model = collision_model(cell.snapshot())
    rng = np.random.default_rng(3)
    Q = HOME + rng.uniform(-0.6, 0.6, (2000, 6))
    states = [cell.snapshot().initial.with_joints("Puma", q) for q in Q[:40]]
    motions = [linear(Q[2 * k], Q[2 * k + 1], 1.0) for k in range(20)]
    return {
        "collision: 2,000 states, 1 thread": (lambda: check_batch(model, {"Puma": Q}, threads=1), 10),
        "collision: 40 single states": (lambda: [check(model, state) for state in states], 20),
        "collision: 40 clearances": (lambda: [clearance(model, state) for state in states], 5),
        "collision: 20 proofs": (lambda: [certify(model, {"Puma": one}) for one in motions], 5),
    }


def world(folder: Path) -> Works:
    """Edits in memory and on disk, and the snapshot after an edit."""
    count = iter(range(10_000_000))
    kept, stored, large = wc.Cell(), wc.Cell.create(folder / "stored.cell"), wc.Cell()
    for number in range(1000):
        large.do(f"add solid thing{number} box 10 20 30 at {100 * (number % 40)},{100 * (number // 40)},0")

    def edited() -> object:
        large.do(f"modify thing{next(count) % 1000} colour red")
        return large.snapshot().hash

    return {
        "world: create block in memory": (lambda: kept.do(f"create block b{next(count)} box 10 20 30"), 200),
        "world: create block on disk": (lambda: stored.do(f"create block b{next(count)} box 10 20 30"), 100),
        "world: an edit and a snapshot, 1,000 bodies": (edited, 50),
    }


def programs(cell: wc.Cell) -> Works:
    """A program that is read, checked and kept, and one that runs."""
    cell.do("create signal ready")
    lines = []
    for number in range(600):
        lines += [f"  move-joints-absolute Puma {number % 30},0,-90,0,{60 + number % 25},0", f"  wait {number % 7}s"]
        lines += [f"  set-signal ready {number % 2}"]
    text = "\n".join(["program long", *lines, "end"])
    short = "\n".join(["program short", *lines[:60], "end"])
    cell.do(short)

    def kept() -> None:
        cell.do(text)
        cell.do("undo")

    def ran() -> None:
        cell.do("run short")
        cell.do("undo")

    return {"programs: 1,800 steps read and kept": (kept, 3), "programs: 60 steps run": (ran, 5)}


def simulation(cell: wc.Cell, folder: Path) -> Works:
    """Example 1 of the thesis, recorded and watched; and a callback every millisecond.

    The folder should be in memory. On a disk, the file system charges 0.04 to 1 ms of processor time for each new file,
    depending on which files were deleted before, and a run takes 0.6 ms.
    """
    from workcell.simulation.recording_file import RecordingWriter
    from workcell.simulation.watching import Watch

    snapshot = cell.snapshot()
    sampled, proved = Watch(snapshot), Watch(snapshot, method="certified")
    count = iter(range(1_000_000))

    def example(sim: wc.Simulator) -> None:
        puma = sim.robot("Puma")
        puma.speed(0.3)
        puma.profile("linear")
        puma.move_joints_relative(np.radians([-70, -10, 10, 30, -20, -10]))
        puma.move_joints_absolute(np.radians([-60, 0, -70, 0, 90, 30]))
        puma.move_joints_absolute(HOME)

    def to_file() -> None:
        with RecordingWriter(folder / f"{next(count)}.rec", snapshot.initial) as writer:
            example(wc.Simulator(snapshot, recorder=writer))

    def watched(watch: Watch) -> None:
        sim = wc.Simulator(snapshot)
        sim.watch = watch
        example(sim)

    def called_back() -> None:
        sim = wc.Simulator(snapshot)
        puma = sim.robot("Puma")
        sim.every(1e-3, lambda _: puma.joints)
        example(sim)

    return {
        "simulation: recorded to a file": (to_file, 60),
        "simulation: in memory": (lambda: example(wc.Simulator(snapshot)), 60),
        "simulation: watched by samples": (lambda: watched(sampled), 20),
        "simulation: watched by proof": (lambda: watched(proved), 3),
        "simulation: a callback every millisecond": (called_back, 2),
    }


def pictures(cell: wc.Cell) -> Works:
    """A picture of the size of a film."""
    from workcell.pictures.camera import Camera
    from workcell.pictures.render import render
    from workcell.pictures.scene import scene_of
    from workcell.pictures.style import Style

    snapshot = cell.snapshot()
    corners = np.array([[-1.0, -1.0, 0.0], [1.0, 1.0, 1.5]])
    camera, scene = Camera.named("iso", corners, 16 / 9), scene_of(snapshot, snapshot.initial)
    return {"pictures: 640 × 360": (lambda: render(scene, camera, (640, 360), Style()), 10)}


def seconds(work: Callable[[], object], times: int) -> float:
    """Return the mean processor time of a work that is repeated."""
    begin = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - begin) / times


def main() -> None:
    """Print the least seconds of processor time for each work, as JSON."""
    found = {}
    quick = MEMORY if MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory(dir=quick) as light, wc.Cell() as cell:
        folder = Path(name)
        cell.add_robot("puma560", name="Puma", joints=HOME)
        for line in CELL:
            cell.do(line)
        works = {**kinematics(cell), **motion(), **collision(cell), **simulation(cell, Path(light)), **pictures(cell)}
        works |= {**programs(cell), **world(folder)}
        for what, (work, times) in works.items():
            work()
            found[what] = min(seconds(work, max(1, times // PARTS)) for _ in range(PARTS))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
