"""An IRB 6400 follows the edge of a cube through the targets of Ding's case one (Ding 2005, tables 5.2 to 5.9).

The cube stands in front of the robot; its left face and its top meet in the edge. Six targets lie along the edge. At
each, the hand points down onto the top and 45 degrees ahead, 0.25 and 0.5 mm away from the two faces, as in Ding's
tables. The arm takes the branch (A, E, W) = (−, −, −) at the first target and keeps it. The hand follows the line
within a micrometre. The seventh target is the home pose.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import workcell as wc

TITLE = "Along the edge of a cube"
SCENE = """
create robot IRB irb6400
add solid Cube box 300.5 1100.5 350 at 1550,-100,700
targets along-edge Cube left top to edge at 0,200,400,600,800.5,1000.5 approach second tilt 45 roll 180 gaps 0.25,0.5
"""
HOME = (0.0, 90.0, 0.0, 180.0, 0.0, 180.0)
"""The seventh target, as joint values [deg]; the wrist is stretched there."""
PROGRAM = """program follow-the-edge
  move-end-effector IRB edge-1 branch ---
  move-straight-line IRB edge-2 speed 250mm/s
  move-straight-line IRB edge-3 speed 250mm/s
  move-straight-line IRB edge-4 speed 250mm/s
  move-straight-line IRB edge-5 speed 250mm/s
  move-straight-line IRB edge-6 speed 250mm/s
  move-joints-absolute IRB 0,90,0,180,0,180
end"""
"""The same moves as commands."""


def modelled() -> tuple[wc.Cell, list[wc.Pose]]:
    """Return the cell and the six targets on the edge, in the world."""
    cell = wc.Cell()
    robot, cube, edge = (cell.do(line) for line in SCENE.strip().splitlines())
    print(robot, cube, edge, sep="\n")
    X_world_cube = cell.snapshot().initial.poses["Cube"]
    return cell, [X_world_cube @ wc.Pose(pose) for pose in edge.poses]


def sample() -> wc.Cell:
    """Return the cell after the same moves, made by commands; the caller closes it."""
    cell, _ = modelled()
    cell.do(PROGRAM)
    cell.do("run follow-the-edge")
    return cell


def main() -> tuple[wc.Simulator, list[NDArray[np.float64]]]:
    """Follow the edge; return the simulator and the joint values at the seven targets [rad]."""
    cell, (first, *rest) = modelled()
    with cell:
        sim = wc.Simulator(cell)
        robot = sim.robot("IRB")
        robot.move_end_effector(first, branch=(-1, -1, -1))
        passed = [robot.joints]
        for target in rest:
            robot.move_straight_line(target, hand_speed=0.25)
            passed.append(robot.joints)
        robot.move_joints_absolute(np.radians(HOME))
        passed.append(robot.joints)
        for number, q in enumerate(passed, start=1):
            print(f"target {number}:", *(f"{value:9.3f}" for value in np.degrees(q)))
        worst = max(move.deviation or 0.0 for move in sim.recording.moves)
        print(f"{sim.time:.3f} s; the hand leaves the edge by {worst * 1e6:.3f} µm at most")
        return sim, passed


if __name__ == "__main__":
    main()
