"""Pick a cube from a table and place it on a stage, as in the second example of the thesis (Kahloun 1987, 5.1.2).

All lines are commands, as you type them in the shell. Collisions are watched while the robot moves.
"""

from __future__ import annotations

import workcell as wc

TITLE = "Pick and place"
SCENE = """
create robot Puma puma560
add solid table box 600 800 100 at 550,0,-50
add solid stage box 120 120 60 at 450,250,30
add solid cube box 40 40 40 at 500,-150,20 --movable
speed Puma 0.3rad/s
watch yes
"""

PROGRAM = """program pick-and-place
move-end-effector Puma 500,-150,150 euler fanuc_wpr 180,0,180 of grip
move-straight-line Puma 500,-150,20 euler fanuc_wpr 180,0,180 of grip
close-gripper Puma
move-hand Puma 0,0,150 along world
move-end-effector Puma 450,250,200 euler fanuc_wpr 180,0,180 of grip
move-straight-line Puma 450,250,82 euler fanuc_wpr 180,0,180 of grip
open-gripper Puma --settle
move-hand Puma 0,0,100 along world
move-joints-absolute Puma 0,0,-90,0,90,0
end"""


def main() -> wc.Cell:
    """Model the cell, run the program and return the cell; the caller closes it."""
    cell = wc.Cell()
    for line in SCENE.strip().splitlines():
        cell.do(line)
    cell.do(PROGRAM)
    print(cell.do("run pick-and-place"))
    print(cell.do("report"))
    return cell


def sample() -> wc.Cell:
    """Return the cell after its run; the caller closes it."""
    return main()


if __name__ == "__main__":
    main().close()
