"""Program 1 of the thesis: three motions of a robot named Puma, in joint space.

Start `workcell serve` first; then `python examples/programs/program1.py [ADDRESS]`.
"""

from __future__ import annotations

import sys

from communication import affect_var, clean, init_comm, move_joints_abs, move_joints_rel, speed


def main(address: str | None = None) -> int:
    """Run the program; return 0, or the number of the motion that failed."""
    init_comm(address)
    try:
        if not speed("Puma", 0.3):  # rad/s of the joint that moves most
            return 4
        if not move_joints_rel("Puma", affect_var(-70, -10, 10, 30, -20, -10)):
            return 1
        if not move_joints_abs("Puma", affect_var(-60, 0, -70, 0, 90, 30)):
            return 2
        if not move_joints_abs("Puma", affect_var(0, 0, -90, 0, 90, 0)):  # back to the start
            return 3
        return 0
    finally:
        clean()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
