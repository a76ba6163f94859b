"""What a simulator does for each kind of step that handles a part by name, with the values of its fields in SI."""

from __future__ import annotations

from workcell.simulation.performing import Acted, Doing, Given


def pick(given: Given, doing: Doing) -> Acted:
    """Let a robot pick a part up."""
    from workcell.simulation.attaching import only_arm
    from workcell.simulation.handling.picking import pick as picked

    robot = given.get("robot") or only_arm(doing.simulator.snapshot)
    moves = picked(doing.simulator, given["part"], robot).handling
    return Acted(moves, moves)


def put(given: Given, doing: Doing) -> Acted:
    """Let a robot put a part down."""
    from workcell.simulation.handling.putting import PutWish
    from workcell.simulation.handling.putting import put as found

    on, pose = given.get("on", ""), given.get("pose")
    if pose is not None and not on:
        pose = doing.placed(pose)
    moves = found(doing.simulator, PutWish(given["part"], given.get("robot", ""), on, pose)).handling
    return Acted(moves, moves)


def hand_over(given: Given, doing: Doing) -> Acted:
    """Let the robot that holds a part hand it to another."""
    from workcell.simulation.handling.handing import hand_over as handed

    moves = handed(doing.simulator, given["part"], given["robot"]).handling
    return Acted(moves, moves)


def move_above(given: Given, doing: Doing) -> Acted:
    """Bring a hand above a part."""
    from workcell.simulation.handling.above import DISTANCE, above

    moves = above(doing.simulator, given["robot"], given["part"], given.get("distance", DISTANCE))
    return Acted(moves, moves)
