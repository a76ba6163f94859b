"""Two arms work at one fixture: their paths are found together, and their programs take turns.

Each arm fetches parts at its own place and works at the fixture between them. Run as they are written, the programs
touch. `check together` lists where, `schedule` writes the turns into them, and the run is proved free.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import workcell as wc

TITLE = "Two arms at one fixture"
PROGRAMS = {
    "left": """
move-joints-absolute A 5,20,-120,0,60,0
wait 1.5
move-joints-absolute A 100,20,-120,0,60,0
wait 2
home A
""",
    "right": """
move-joints-absolute B 100,20,-120,0,60,0
wait 0.5
move-joints-absolute B 5,20,-120,0,60,0
wait 1
home B
""",
}


def two_arms() -> wc.Cell:
    """Return a cell with two arms that face each other over a fixture."""
    cell = wc.Cell()
    for line in (
        "create robot A puma560 joints 90,20,-120,0,60,0",
        "create robot B puma560 at 1450,0,0 rotate 0,0,180 joints 90,20,-120,0,60,0",
        "add solid fixture box 300 300 200 at 725,0,100",
    ):
        cell.do(line)
    for name, text in PROGRAMS.items():
        cell.do(f'write program {name} "{"%0A".join(text.strip().splitlines())}"')
    return cell


def sample() -> wc.Cell:
    """Return the cell after the programs were scheduled and run; the caller closes it."""
    cell = two_arms()
    cell.do("schedule left right")
    cell.do("run-together left right")
    return cell


def main(folder: str | Path) -> wc.Cell:
    """Plan, check, schedule and run; write the diagram of the run into a folder. Return the cell."""
    cell = two_arms()
    across = np.radians([30.0, 20.0, -120.0, 0.0, 60.0, 0.0])
    plan = wc.find_paths(cell, {"A": across, "B": np.radians([150.0, 20.0, -120.0, 0.0, 60.0, 0.0])})
    print(plan)
    before = cell.do("check together left right")
    print(str(before).splitlines()[0])
    print(cell.do("schedule left right"))
    print(cell.do("run-together left right"))
    print(cell.do("check recording"))
    cell.do(f"gantt {Path(folder) / 'two_arms.svg'}")
    return cell


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as where:
        main(where).close()
