"""An arm on a rail tends three stations that are farther apart than it reaches; the last one is a positioner.

The rail, the arm and the positioner are one machine with nine joints. The targets have the property `axes best`, which
moves the rail to the place where the arm stands best. Two parts go from the magazine into the press and then to the
plate of the positioner. At the end the plate tilts and turns while the arm drives away, in one timing.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import workcell as wc

TITLE = "Tending on a rail"
SCENE = """
add rail track 5000 at -500,0,0
create robot Arm irb1600 joints 90,-40,-20,0,60,0
mount Arm on track
create gripper hand
modify hand opening 90
modify hand reach 160
fit tool hand to Arm
add positioner Table at 4200,950,-250
create machine Cell of track of Arm of Table
profile Arm trapezoid
profile track trapezoid
add solid magazine box 500 400 600 at 200,950,300 colour steel
add solid press box 600 500 700 at 2200,1000,350 colour dark-grey
add solid column box 600 80 1300 at 2200,1290,650 colour dark-grey
add solid part1 box 60 60 60 at 100,900,630 colour orange --movable
add solid part2 box 60 60 60 at 300,900,630 colour orange --movable
"""
DOWN = "euler fanuc_wpr 180,0,0"
TARGETS = {
    "from1": "100,900,635",
    "from2": "300,900,635",
    "pressing": "2200,950,735",
    "plate1": "4100,900,718",
    "plate2": "4300,900,718",
}
"""The places of the grip point in the world [mm]."""


def program() -> str:
    """Return the program: each part into the press and then to the plate, then all joints together."""
    lines = []
    for number in (1, 2):
        for take, put in ((f"from{number}", "pressing"), ("pressing", f"plate{number}")):
            for place, hand in ((take, "close-gripper Arm"), (put, "open-gripper Arm --settle")):
                lines += [
                    f"approach Arm {place} by 150 of grip",
                    f"move-straight-line Arm {place} speed 300mm/s of grip axes held",
                    hand,
                    "retract Arm by 150 speed 300mm/s of grip",
                ]
            if put == "pressing":
                lines.append("wait 1")
        lines.append(f"ride part{number} on Table")
    lines += ["move-hand Arm 0,-200,200 along world", "move-joints-relative Cell -1000,0,0,0,0,0,0,25,120"]
    return "\n".join(lines)


def tended() -> wc.Cell:
    """Run the program and return the cell; the caller closes it."""
    cell = wc.Cell()
    for line in SCENE.strip().splitlines():
        cell.do(line)
    for name, place in TARGETS.items():
        cell.do(f"create target {name}")
        cell.do(f"place {name} at {place} {DOWN}")
        cell.do(f"modify {name} axes best")
    cell.do("watch yes")
    cell.do(f'write program tend "{program().replace(chr(10), "%0A")}"')
    cell.do("check program tend")
    cell.do("run tend")
    return cell


def sample() -> wc.Cell:
    """Return the cell after its run; the caller closes it."""
    return tended()


def main(picture: str | Path | None = None) -> None:
    """Tend the stations and print where the rail stood.

    Args:
        picture: the file for a picture of the cell at the end, if any.
    """
    with tended() as cell:
        recording = cell.session.simulator.recording
        for event in recording.events:
            if type(event).__name__ in ("Gripped", "Released"):
                rail = recording.state_at(event.time).joints["track"][0]
                print(f"{event.time:7.3f} s  {type(event).__name__:9} rail at {rail * 1e3:6.0f} mm")
        print(f"cycle time {cell.session.simulator.time:.3f} s")
        print("joints of the machine:", np.round(cell.session.simulator.machine("Cell").joints, 4).tolist())
        if picture is not None:
            cell.do(f"render {picture} size 800 450")


if __name__ == "__main__":
    main("tending_on_a_rail.png")
