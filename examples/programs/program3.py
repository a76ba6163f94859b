"""Program 3 of the thesis: two robots hand a sphere from one to the other.

It needs the cell of `workcell3.txt`: `workcell shell three.cell --script examples/programs/workcell3.txt`, then
`workcell serve three.cell`, then `python examples/programs/program3.py [ADDRESS]`.
"""

from __future__ import annotations

import math
import sys

from communication import affect_var, clean, close_gripper, init_comm, move_end_effector, move_joints_abs, open_gripper

import workcell as wc

DOWN = wc.Pose.from_axis_angle((0, 1, 0), math.pi) @ wc.Pose.from_axis_angle((0, 0, 1), math.pi / 2)
"""The first hand comes from above and closes along y."""
ACROSS = wc.Pose.from_axis_angle((0, 1, 0), -math.pi / 2)
"""The second hand comes along x and closes along z."""
MEETING = wc.Pose.from_xyz(0.75, 0.0, 0.6)
"""In the intersection of both workspaces."""
C1 = wc.Pose.from_xyz(0.5, -0.15, 0.03) @ DOWN
"""Suitable for grasping the sphere."""
C2 = MEETING @ DOWN
C3 = MEETING @ ACROSS
"""Suitable for grasping the sphere that Puma_1 holds."""
C4 = wc.Pose.from_xyz(1.0, 0.15, 0.08) @ DOWN
"""Above the second table."""
V1 = V2 = affect_var(0, 0, -90, 0, 90, 0)
"""The initial configurations."""


def main(address: str | None = None) -> int:
    """Run the program; return 0, or 1 if a command failed."""
    init_comm(address)
    try:
        carried_out = (
            move_end_effector("Puma_1", C1)
            and close_gripper("Puma_1")
            and move_end_effector("Puma_1", C2)
            and move_end_effector("Puma_2", C3)
            and close_gripper("Puma_2")
            and open_gripper("Puma_1")
            and move_joints_abs("Puma_1", V1)
            and move_end_effector("Puma_2", C4)
            and open_gripper("Puma_2")
            and move_joints_abs("Puma_2", V2)
        )
        return 0 if carried_out else 1
    finally:
        clean()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
