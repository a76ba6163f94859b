"""One program moves twelve boxes from a belt onto a pallet, wherever the pallet stands and whichever arm is there.

The targets of the boxes hang on the pallet, and the target where they are picked hangs on the belt. Approaches are
offsets along the axes of the world. The pallet is moved by 200 mm and turned by 15°, then a larger arm replaces the
first. The same program runs each time, and each motion is proved free of collisions. docs/palletising.md explains the
example line by line.
"""

from __future__ import annotations

from pathlib import Path

import workcell as wc

TITLE = "Palletising"
SCENE = """
create robot Arm kr16
create tool vac vacuum-2x2
fit tool vac to Arm
add conveyor Belt 1500 at -1300,1000,0
modify Belt runs 200mm/s
create block carton box 270 240 140 colour orange
create object box --movable
attach carton to box
modify box mass 4kg
add source feed of box on Belt every 4s stock 12 most 12
add stop bar on Belt at 1400
add light-barrier gate from 99,700,770 to 99,1300,770
add target pick -35,1000,840 rotate 180,0,0 on mechanism:Belt
add solid pallet box 600 800 144 at 1050,150,72 colour brown
targets grid 2x3x2 to spots pitch 290,255,140 on pallet at -145,-255,212 rotate 180,0,0
"""
PROGRAM = """program palletise
  for spot in spots
    move-end-effector Arm pick translate 0,0,200 along world
    wait-for gate
    stop-conveyor Belt --reached
    move-straight-line Arm pick
    close-gripper Arm
    move-straight-line Arm pick translate 0,0,300 along world
    run-conveyor Belt 200mm/s
    move-end-effector Arm spot translate 0,0,200 along world
    move-straight-line Arm spot
    open-gripper Arm --settle
    move-straight-line Arm spot translate 0,0,200 along world
  end
  home Arm
end"""
EDITS = {
    "as it was built": (),
    "the pallet moved by 200 mm and turned by 15°": ("place pallet at 1050,-50,72 rotate 0,0,15",),
    "a larger arm": ("replace robot Arm with m710ic50",),
}
"""The edits before each run."""


def built(watch: str = "certified") -> wc.Cell:
    """Return the cell with its program, before any run; the caller closes it."""
    cell = wc.Cell()
    for line in SCENE.strip().splitlines():
        cell.do(line)
    cell.do(PROGRAM)
    cell.do("check program palletise")
    cell.do(f"watch {watch}")
    return cell


def sample() -> wc.Cell:
    """Return the cell after its first run; the caller closes it."""
    cell = built()
    cell.do("run palletise")
    return cell


def main(folder: str | Path | None = None, watch: str = "certified") -> dict[str, float]:
    """Palletise three times and print the cycle times.

    Args:
        folder: the folder for a picture, a Gantt chart and a film of the last run, if any.
        watch: ``yes`` tests for collisions at samples, ``certified`` proves every motion free before it starts.

    Returns:
        The simulated time of each run [s].
    """
    times = {}
    with built(watch) as cell:
        for what, lines in EDITS.items():
            for line in lines:
                cell.do(line)
            times[what] = cell.do("run palletise").time
            print(f"{what}: 12 boxes in {times[what]:.2f} s, one in {times[what] / 12:.2f} s")
        if folder is not None:
            cell.do(f"render {Path(folder) / 'palletising.png'} size 900 600")
            cell.do(f"gantt {Path(folder) / 'palletising.svg'}")
            cell.do(f"film {Path(folder) / 'palletising.gif'} factor 6 fps 8 size 400 225 --clock")
    return times


if __name__ == "__main__":
    main(".")
