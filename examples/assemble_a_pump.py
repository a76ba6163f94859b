"""Two arms assemble a pump by a recipe: parts, robots and places by name, and everything proved before it moves.

The left arm puts the rotor into the middle of the body. The right arm fetches the cover, which only it can reach, and
hands it over; the left arm puts it on top. The recipe is checked first: one problem is made on purpose, and mended.
"""

from __future__ import annotations

import workcell as wc

TITLE = "Two arms assemble a pump"

CELL = """
create robot left puma560 joints 0,0,-90,0,90,0
create robot right puma560 at 1500,0,0 rotate 0,0,180 joints 0,0,-90,0,90,0
add solid bench_1 box 500 800 100 at 350,0,-50
add solid bench_2 box 500 800 100 at 1150,0,-50
add solid body box 100 100 120 at 500,150,60
add solid rotor cylinder 15 50 at 450,-150,25 --movable
add solid cover box 60 60 40 at 1050,-250,20 --movable
set grasp cover named top at 0,0,10 rotate 180,0,0
set grasp cover named edge at -20,0,0 rotate 0,0,90 rotate 0,90,0
watch certified
"""
RECIPES = """
program fit
  parameter what part
  parameter onto part
  parameter arm robot
  pick what with arm
  place what on onto
end
program assemble
  parameter inner part
  parameter lid part
  parameter arm robot
  parameter helper robot
  call fit inner, body, arm
  pick lid with helper
  hand lid to arm
  place lid on inner
  move arm above lid
  message lid + " is on " + inner
end
"""


def pump() -> wc.Cell:
    """Return the cell with its recipes."""
    cell = wc.Cell()
    for line in CELL.strip().splitlines():
        cell.do(line)
    for block in RECIPES.strip().split("\nend"):
        if block.strip():
            cell.do(f"{block.strip()}\nend")
    return cell


def sample() -> wc.Cell:
    """Return the cell after the pump was assembled; the caller closes it."""
    cell = pump()
    cell.do("assemble rotor cover with left and right")
    return cell


def main() -> wc.Cell:
    """Check the recipe, mend what is wrong, carry it out, and return the cell."""
    cell = pump()
    cell.do("place rotor at 450,-900,25")
    print(cell.do("check task assemble with rotor, cover, left, right"))
    cell.do("undo")
    print(cell.do("check task assemble with rotor, cover, left, right"))
    print(cell.do("assemble rotor cover with left and right"))
    print(cell.do("check recording"))
    return cell


if __name__ == "__main__":
    main().close()
