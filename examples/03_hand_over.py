"""Two Pumas hand a sphere from one to the other, as in the third example of the thesis (Kahloun 1987, 5.1.3).

Each robot stands on its own table. The first picks the sphere up, and both meet where their reaches overlap. The second
closes its gripper, the first opens its own, and the second puts the sphere on its table. Then both go home together.
Collisions are watched all the time. All lines are commands, as you type them in the shell.
"""

from __future__ import annotations

import workcell as wc

TITLE = "Two Pumas hand over a sphere"
SCENE = """
create robot Puma_1 puma560
create robot Puma_2 puma560 at 1500,0,0 rotate 0,0,180
add solid table_1 box 900 800 100 at 200,0,-50
add solid table_2 box 900 800 100 at 1300,0,-50
add solid ball sphere 30 at 500,-150,30 --movable
speed Puma_1 0.5rad/s
speed Puma_2 0.5rad/s
profile Puma_1 trapezoid
profile Puma_2 trapezoid
allowed-fall 200
watch yes
"""
DOWN = "euler fanuc_wpr 0,180,-90 of grip"
"""The first hand approaches from above and closes along y, so that its fingers leave room for the second."""
ACROSS = "euler fanuc_wpr 0,-90,0"
"""The second hand approaches along x, from the other side, and closes along z."""
PROGRAM = f"""program hand-over
  together move-end-effector Puma_1 500,-150,200 {DOWN} & move-end-effector Puma_2 950,0,600 {ACROSS} branch --- of grip
  move-straight-line Puma_1 500,-150,30 {DOWN}
  close-gripper Puma_1
  move-hand Puma_1 0,0,300 along world
  move-end-effector Puma_1 750,0,600 {DOWN}
  move-straight-line Puma_2 750,0,600 {ACROSS} of grip
  close-gripper Puma_2
  open-gripper Puma_1
  together move-hand Puma_1 0,0,200 along world & move-hand Puma_2 150,0,0 along world
  move-end-effector Puma_2 1000,150,200 {DOWN}
  open-gripper Puma_2 --settle
  together home Puma_1 & home Puma_2
end"""


def main() -> wc.Cell:
    """Model the cell, run the program and return the cell; the caller closes it."""
    cell = wc.Cell()
    for line in SCENE.strip().splitlines():
        cell.do(line)
    cell.do(PROGRAM)
    print(cell.do("run hand-over"))
    for event in cell.session.recording.events:
        print(f"{event.time:8.4f} s  {wc.text_of(event)}")
    return cell


def sample() -> wc.Cell:
    """Return the cell after its run; the caller closes it."""
    return main()


if __name__ == "__main__":
    main().close()
