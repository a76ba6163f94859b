"""A welding cell: an IRB 1600 welds a pipe to a flange while a two-axis positioner holds the seam downhand.

The seam is the edge where the pipe meets the plate, so its targets come from the work piece. The positioner tilts by 45
degrees and turns the work once round. The direction away from the work always points up, so the weld pool lies level
under the torch. The flange is not centred on the turntable, so the robot has to follow it. Both move as one machine of
eight joints: limits are kept at every instant, and the tip of the wire stays on the moving seam. Collisions are
watched.
"""

from __future__ import annotations

import workcell as wc

TITLE = "Welding a pipe on a positioner"
SCENE = """
create robot Arm irb1600 at 0,0,600
add solid pedestal cylinder 200 600 at 0,0,300 colour steel
add positioner Table at 1000,0,0 rotate 0,0,90
create block plate box 300 300 12 colour grey
create block pipe cylinder 75 130 colour orange
combine flange union plate pipe translate 0,0,71
place flange at 1040,60,918
create block nozzle cylinder 9 300 colour #b5893c
create tool torch
attach nozzle to torch translate 0,0,150
fit tool torch to Arm tcp 0,0,315
targets along-edge flange plate.top add1:pipe.side to seam spacing 20 tilt 10 --even
speed Arm 0.8rad/s
speed Table 0.8rad/s
watch yes
"""

PROGRAM = """
ride flange on Table
weld Arm with Table along seam speed 12mm/s approach 80
together move-joints-absolute Arm 0,-90,0,0,30,0 & move-joints-absolute Table 0,0
"""


def modelled() -> wc.Cell:
    """Return the cell; the caller closes it."""
    cell = wc.Cell()
    for line in SCENE.strip().splitlines():
        cell.do(line)
    return cell


def sample() -> wc.Cell:
    """Return the cell after a run of the lines as a program; the caller closes it."""
    cell = modelled()
    cell.do(f"program weld-the-seam\n{PROGRAM.strip()}\nend")
    cell.do("run weld-the-seam")
    return cell


def main() -> tuple[wc.Cell, wc.Welded]:
    """Run the program; return the cell, which the caller closes, and the quality of the weld."""
    cell = modelled()
    _, welded, _ = (cell.do(line) for line in PROGRAM.strip().splitlines())
    print(welded)
    print(cell.do("report"))
    return cell, welded


if __name__ == "__main__":
    main()[0].close()
