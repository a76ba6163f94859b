"""Program 2 of the thesis: a robot named Puma picks a cube and places it on a stage.

It needs the cell of `workcell2.txt`: `workcell shell two.cell --script examples/programs/workcell2.txt`, then
`workcell serve two.cell`, then `python examples/programs/program2.py [ADDRESS]`.
"""

from __future__ import annotations

import math
import sys

from communication import affect_var, clean, close_gripper, init_comm, move_end_effector, move_joints_abs, open_gripper

import workcell as wc

DOWN = wc.Pose.from_axis_angle((0, 1, 0), math.pi)
C1 = wc.Pose.from_xyz(0.5, -0.15, 0.03) @ DOWN
"""Suitable for grasping the cube."""
C2 = wc.Pose.from_xyz(0.45, 0.25, 0.095) @ DOWN
"""Above the stage."""
V1 = affect_var(0, 0, -90, 0, 90, 0)
"""The initial configuration."""


def main(address: str | None = None) -> int:
    """Run the program; return 0, or 1 if a command failed."""
    init_comm(address)
    try:
        carried_out = (
            move_end_effector("Puma", C1)
            and close_gripper("Puma")
            and move_end_effector("Puma", C2)
            and open_gripper("Puma")
            and move_joints_abs("Puma", V1)
        )
        return 0 if carried_out else 1
    finally:
        clean()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
