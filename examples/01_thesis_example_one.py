"""Three moves of a Puma in joint space, as in the first example of the thesis (Kahloun 1987, section 5.1.1).

The joint that moves most runs at a constant 0.3 rad/s, so the moves take 4.0724, 2.3271 and 3.4907 s in each of the
three modes. The thesis uses a Puma 260 and this example a Puma 560: the times only depend on the angles.
"""

from __future__ import annotations

import numpy as np

import workcell as wc

TITLE = "Three moves of a Puma"
HOME = np.radians([0, 0, -90, 0, 90, 0])
SCENE = """
create robot Puma puma560 joints 0,0,-90,0,90,0
speed Puma 0.3rad/s
profile Puma linear
"""
PROGRAM = """program three-moves
  move-joints-relative Puma -70,-10,10,30,-20,-10
  move-joints-absolute Puma -60,0,-70,0,90,30
  move-joints-absolute Puma 0,0,-90,0,90,0
end"""
"""The same moves as commands."""


def run(mode: wc.Mode) -> list[float]:
    """Return the durations of the three moves [s]."""
    with wc.Cell() as cell:
        cell.add_robot("puma560", name="Puma", joints=HOME)
        sim = wc.Simulator(cell, mode=mode)
        puma = sim.robot("Puma")
        puma.speed(0.3)
        puma.profile("linear")  # the thesis has no accelerations; the default is `trapezoid`
        return [
            puma.move_joints_relative(np.radians([-70, -10, 10, 30, -20, -10])),
            puma.move_joints_absolute(np.radians([-60, 0, -70, 0, 90, 30])),
            puma.move_joints_absolute(HOME),
        ]


def sample() -> wc.Cell:
    """Return the cell after the moves, made by commands; the caller closes it."""
    cell = wc.Cell()
    for line in (*SCENE.strip().splitlines(), PROGRAM, "run three-moves"):
        cell.do(line)
    return cell


def main() -> dict[str, list[float]]:
    """Run the moves in every mode and print the durations."""
    found: dict[str, list[float]] = {mode: run(mode) for mode in wc.MODES}
    for mode, durations in found.items():
        print(f"{mode:15}", *(f"{seconds:.4f}" for seconds in durations), f"= {sum(durations):.4f} s")
    return found


if __name__ == "__main__":
    main()
