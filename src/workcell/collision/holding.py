"""Which parts may touch what carries them: the hand that holds a part, and a body that it only lies against."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.world.places import WORLD

if TYPE_CHECKING:
    from workcell.collision.arrangement import Arrangement

Pairs = list[tuple[int, int]]

_CARRIERS = ("rail", "positioner", "portal", "conveyor")
"""The kinds of mechanisms that carry parts and do not hold them."""


def carried_pairs(arrangement: Arrangement) -> tuple[Pairs, Pairs]:
    """Return the pairs of a carried part and a body that it may touch, and those of a part and what it reaches into.

    A part may touch its carrier, what is on that, and the whole of a gripper. A robot that is mounted on another and
    has no hand of its own is a gripper. What is on a flange touches the rest of its arm as the links do. A part that is
    carried by anything else than a hand may only lie against it.
    """
    model, robots = arrangement.model, arrangement.robots
    bodies, place = model.bodies, arrangement.place
    held: Pairs = []
    reaching_in: Pairs = []
    fingers: dict[str, list[int]] = {}
    for name, attachment in arrangement.attached.items():
        if bodies[place(name)].is_link:
            fingers.setdefault(attachment.frame, []).append(place(name))
    grippers = {placed.name for placed in robots if placed.parent != WORLD and placed.robot.gripper is None}
    hands = grippers | {placed.name for placed in robots if placed.robot.kind not in _CARRIERS}
    for name, attachment in arrangement.attached.items():
        if attachment.frame == WORLD:
            continue
        part, carrier = place(name), place(attachment.frame)
        owner = bodies[carrier].owner
        if owner not in hands and model.footings.reaches_in(model, part, carrier, attachment.X_frame_body):
            reaching_in.append((part, carrier))
            continue
        whole = owner in grippers and not bodies[part].is_link
        hand = model.bodies_called(owner) if whole else (carrier, *fingers.get(attachment.frame, ()))
        held += [(part, one) for one in hand if one != part]
    return held, reaching_in
