"""An IRB 6400 follows the edge of a cube through the targets of Ding's case one (Ding 2005, tables 5.3 to 5.9).

The targets lie 200 mm apart on a line, the hand tilted by 45 degrees. The branch (A, E, W) = (−, −, −) is taken at the
first target and kept along the line, which the hand follows within a micrometre; the seventh target is the home pose.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import workcell as wc
from workcell.simulation.simulator import Simulator
from workcell.spatial.pose import Pose

TILT = (-135.0, 0.0, 90.0)
EDGE = [(1399.5, y, 875.5) for y in (-650.25, -450.25, -250.25, -50.25, 150.25, 350.25)]
HOME = (0.0, 90.0, 0.0, 180.0, 0.0, 180.0)
"""The seventh target, as joint values: the wrist is stretched there."""


def targets() -> list[Pose]:
    """The six targets on the edge, in the world."""
    angles = np.radians(TILT)
    return [Pose.from_xyz_angles(np.array(xyz) * 1e-3, angles, "ding_ypr") for xyz in EDGE]


def main() -> tuple[Simulator, list[NDArray[np.float64]]]:
    """Run it; returns the simulator and the joint values at the seven targets [rad]."""
    with wc.Cell() as cell:
        cell.add_robot("irb6400", name="IRB")
        sim = Simulator(cell)
        robot = sim.robot("IRB")
        first, *rest = targets()
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
