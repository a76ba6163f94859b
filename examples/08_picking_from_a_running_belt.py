"""A Puma takes six parts from a belt that never stops and puts them into a tray.

The program does not know where the parts are. It waits for a light barrier, reads the encoder of the belt, and meets
the part on its way. The example prints how far the hand was from the correct grip of each part.
"""

from __future__ import annotations

import workcell as wc

TITLE = "Picking from a running belt"
PARTS = 6
SPEEDS = (100, 200, 300)
"""The speeds of the belt [mm/s]."""
SPACING = 8.5
"""The time between parts [s]."""
GATE, BELT = -600, 500
"""The x of the light barrier and the y of the belt [mm]."""
DOWN = "euler fanuc_wpr 180,0,180 of grip"


def modelled(speed: float) -> wc.Cell:
    """Return a cell with a Puma between a belt and a tray; parts arrive every ``SPACING`` at this speed [mm/s]."""
    cell = wc.Cell()
    cell.do("create robot Puma puma560 joints 90,0,-90,0,90,0")
    cell.do("speed Puma 4rad/s")
    length = round(2000 + SPACING * speed * PARTS)
    cell.do(f"add conveyor Belt {length} at {1000 - length},{BELT},-600")
    cell.do("add solid tray box 400 300 20 at 620,-50,-10")
    for number in range(PARTS):
        cell.do(f"add solid part{number} box 30 30 40 at {_place(speed, number):.3f},{BELT},120 --movable")
        cell.do(f"create grasp hold{number}")
        cell.do(f"attach hold{number} to part{number} euler fanuc_wpr 180,0,180 translate 0,0,5")
        cell.do(f"ride part{number} on Belt")
    seen = " ".join(f"sees part{number}" for number in range(PARTS))
    cell.do(f"add light-barrier gate from {GATE},{BELT - 200},120 to {GATE},{BELT + 200},120 {seen}")
    cell.do("add encoder counts on Belt joint 1 resolution 0.05mm")
    cell.do("keep state")
    return cell


def _place(speed: float, number: int) -> float:
    """Return the initial place of a part along the belt [mm], which is not on a whole step of the encoder."""
    return -800.013 - (SPACING * speed + 0.0171) * number


def program(speed: float) -> str:
    """Return the program. The front of a part interrupts the beam; it is 15 mm before the middle of the part."""
    lines = [f"move-end-effector Puma -400,450,300 {DOWN}", f"run-conveyor Belt {speed:g}mm/s"]
    for number in range(PARTS):
        x, y = 500 + 100 * (number % 3), -100 + 100 * (number // 3)
        lines += [
            "wait-for gate",
            "let read = signal(counts)",
            f"move-end-effector Puma {GATE - 15},{BELT},240 {DOWN} on Belt when read",
            f"move-straight-line Puma {GATE - 15},{BELT},125 {DOWN} on Belt when read",
            "close-gripper Puma",
            f"move-straight-line Puma {GATE - 15},{BELT},240 {DOWN} on Belt when read",
            f"move-end-effector Puma {x},{y},120 {DOWN}",
            f"move-straight-line Puma {x},{y},26 {DOWN}",
            "open-gripper Puma on tray",
            "move-hand Puma 0,0,100 along world",
            f"move-end-effector Puma -400,450,300 {DOWN}",
        ]
    return "\n".join(lines)


def sample(speed: float = SPEEDS[0]) -> wc.Cell:
    """Return the cell after its run at this speed of the belt [mm/s]; the caller closes it."""
    cell = modelled(speed)
    cell.do("create program pick")
    cell.do(f'modify pick text "{program(speed).replace(chr(10), "%0A")}"')
    cell.do("run pick")
    return cell


def main(speeds: tuple[float, ...] = SPEEDS) -> dict[float, list[wc.events.GraspMissed]]:
    """Take all parts at each speed; return how far the hand was off at each grip."""
    found: dict[float, list[wc.events.GraspMissed]] = {}
    for speed in speeds:
        with sample(speed) as cell:
            events = cell.session.recording.events
            found[speed] = [event for event in events if isinstance(event, wc.events.GraspMissed)]
            misses = " ".join(f"{event.distance * 1e6:5.1f}" for event in found[speed])
            print(
                f"{speed:g} mm/s: {len(found[speed])} parts in {cell.session.state.time:.1f} s, missed by {misses} µm"
            )
    return found


if __name__ == "__main__":
    main()
