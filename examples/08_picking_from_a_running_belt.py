"""Six parts are taken from a belt that never stops and put into a tray.

The program does not know where the parts are. It waits for a light barrier, reads the encoder of the belt, and meets
the part where it will be. How far the hand was from where it should hold each part is printed.
"""

from __future__ import annotations

import workcell as wc

PARTS = 6
SPEEDS = (100, 200, 300)
"""Of the belt [mm/s]."""
SPACING = 8.5
"""How long after each other parts come [s]."""
GATE, BELT = -600, 500
"""Where the light barrier is along the belt, and where the belt is [mm]."""
DOWN = "euler fanuc_wpr 180,0,180 of grip"


def modelled(speed: float) -> wc.Cell:
    """A Puma between a belt and a tray; the parts lie so that they come one after the other at this speed [mm/s]."""
    cell = wc.Cell()
    cell.do("create robot Puma puma560 joints 90,0,-90,0,90,0")
    cell.do("speed Puma 4rad/s")
    cell.do(f"add conveyor Belt 17000 at -16000,{BELT},-600")
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
    """Where a part lies at the start along the belt [mm]; not on whole steps of the encoder."""
    return -800.013 - (SPACING * speed + 0.0171) * number


def program(speed: float) -> str:
    """What the Puma does. A part breaks the beam with its front, which is 15 mm before its middle."""
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


def main(speeds: tuple[float, ...] = SPEEDS) -> dict[float, list[wc.events.GraspMissed]]:
    """Take all parts at each speed; returns how far the hand was off when it took them."""
    found: dict[float, list[wc.events.GraspMissed]] = {}
    for speed in speeds:
        with modelled(speed) as cell:
            cell.do("create program pick")
            cell.do(f'modify pick text "{program(speed).replace(chr(10), "%0A")}"')
            cell.do("run pick")
            events = cell.session.recording.events
            found[speed] = [event for event in events if isinstance(event, wc.events.GraspMissed)]
            misses = " ".join(f"{event.distance * 1e6:5.1f}" for event in found[speed])
            print(
                f"{speed:g} mm/s: {len(found[speed])} parts in {cell.session.state.time:.1f} s, missed by {misses} µm"
            )
    return found


if __name__ == "__main__":
    main()
