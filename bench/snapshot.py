"""The snapshot of a large cell after one edit, and how much of it travels to a worker.

Figures to reach: after an edit of one thing in a cell of 10,000 bodies, the new snapshot takes less than 20 ms.
"""

from __future__ import annotations

import argparse
import pickle
import statistics
import time

from workcell.commands.cell import Cell
from workcell.geometry.recipe import encode
from workcell.geometry.solids import box
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.world.shipping import Sender

EDITS = {
    "a body moved": "place thing{n} at {n},0,0",
    "a body recoloured": "modify thing{n} colour red",
    "a body renamed": "modify object:thing{n} name other{n}",
    "a body added": "add solid new{n} box 10 10 10 at 0,0,{n}",
    "a body removed": "remove object:thing{n} --deep",
    "a robot's speed": "modify A speed {n}",
    "a target moved": "place spot at {n},0,0",
    "a program written": "program go\n  move-joints-relative A {n},0,0,0,0,0\nend",
    "undo": "undo",
}


def large(cell: Cell, count: int) -> None:
    """Make a robot, a target, a program and many bodies, every tenth movable."""
    cell.do("create robot A puma560")
    cell.do("create target spot")
    cell.do("place spot at 400,0,300")
    cell.do("program go\n  move-joints-relative A 10,0,0,0,0,0\nend")
    database = cell.database
    with database.edit(lambda: "help", "bench") as rows:
        scene = database.entity("scene", "main")
        for number in range(count - 9):
            shape = encode(box(0.01 + number % 50 * 1e-3, 0.02, 0.03).recipe).decode()
            block = database.by_id(database.add_entity(rows, "block", f"thing{number}-solid", shape=shape))
            whole = database.by_id(database.add_entity(rows, "object", f"thing{number}", movable=number % 10 == 0))
            database.attach(rows, whole, block, block.name)
            place = Transform.from_pose(Pose.from_xyz(number % 100, number // 100, 0.0))
            database.attach(rows, scene, whole, whole.name, place)


def edits_bench(cell: Cell, rounds: int) -> None:
    number = 0
    for what, line in EDITS.items():
        times, busy, hashes = [], [], []
        for _ in range(rounds):
            number += 1
            cell.do(line.format(n=number))
            begin, worked = time.perf_counter(), time.thread_time()
            snapshot = cell.snapshot()
            times.append(time.perf_counter() - begin)
            busy.append(time.thread_time() - worked)
            worked = time.thread_time()
            assert snapshot.hash
            hashes.append(time.thread_time() - worked)
        a, b, c = (statistics.median(one) * 1e3 for one in (times, busy, hashes))
        print(
            f"{what:18}: the snapshot takes {a:6.2f} ms ({b:6.2f} ms of CPU; below 20 ms), its hash {c:6.2f} ms of CPU"
        )


def shipping_bench(cell: Cell) -> None:
    """Measure what travels to a worker: the whole cell with its meshes, then the cell after an edit of one body."""
    sender = Sender()
    for body in cell.snapshot().bodies:
        body.mesh()
    for what, line in (
        ("at first", ""),
        ("a body moved", "place thing500 at 1,2,3"),
        ("recoloured", "modify thing501 colour red"),
    ):
        if line:
            cell.do(line)
        snapshot = cell.snapshot()
        begin = time.perf_counter()
        size = len(sender.pack(snapshot))
        print(f"to a worker, {what:12}: {size:12,} bytes, packed in {(time.perf_counter() - begin) * 1e3:8.1f} ms")
    print(f"the same by pickle       : {len(pickle.dumps(snapshot)):12,} bytes, without any mesh")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bodies", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    with Cell(who="bench") as cell:
        large(cell, asked.bodies)
        begin = time.perf_counter()
        snapshot = cell.snapshot()
        print(
            f"from scratch      : {len(snapshot.bodies):,} bodies are flattened in {time.perf_counter() - begin:.2f} s"
        )
        edits_bench(cell, asked.rounds)
        shipping_bench(cell)


if __name__ == "__main__":
    main()
