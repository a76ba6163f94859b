"""The bodies on the flange of a robot, and the pieces of bodies."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from workcell.geometry.kernel.cache import MeshCache
from workcell.robots.gripper import FINGER, PALM, Gripper
from workcell.robots.link import Part
from workcell.robots.robot import Robot
from workcell.world.body import Body, Piece
from workcell.world.gripper_names import finger_names, gripper_signal, opening_signal
from workcell.world.scene_items import Fitted


def pieces_of(parts: tuple[Part, ...]) -> tuple[Piece, ...]:
    """The pieces of a body from the parts of a link."""
    return tuple(Piece(part.solid, part.colour, part.ghost, part.transparency) for part in parts)


def seen_through(body: Body, transparency: float) -> Body:
    """The same body, drawn translucent."""
    pieces, tested = (
        tuple(dataclasses.replace(piece, transparency=transparency) for piece in some)
        for some in (body.pieces, body.tested)
    )
    return dataclasses.replace(body, pieces=pieces, tested=tested)


def _kept(parts: Iterable[Part], meshes: MeshCache) -> tuple[Piece, ...]:
    return tuple(Piece(part.solid.kept_in(meshes), part.colour, part.ghost, part.transparency) for part in parts)


def tool_body(bodies: list[Body], label: str, fitted: Fitted, meshes: MeshCache) -> str:
    """Add the body of the tool or gripper on the flange of a robot; return its name, or '' if it has no shape."""
    hand, seen, tested = fitted.robot.gripper, fitted.pieces, fitted.pieces
    if not fitted.tool:
        return ""
    if hand is not None and not isinstance(hand, Gripper):
        parts = (*(() if seen else hand.body_parts()), *hand.pad_parts())
        seen = (*seen, *_kept((part for part in parts if part.use != "collision"), meshes))
        tested = (*tested, *_kept((part for part in parts if part.use != "visual"), meshes))
    elif hand is not None and not seen:
        seen = tested = (Piece(hand.palm().kept_in(meshes), PALM),)
    if not seen:
        return ""
    taken = {body.name for body in bodies} | set(finger_names(label))
    if fitted.own:
        taken |= {gripper_signal(label), opening_signal(label)}
    name = f"{label}/{fitted.tool}"
    while name in taken:
        name += " tool"
    link = fitted.robot.n
    palm_of = f"{label}/{fitted.robot.links[link].name}" if fitted.own and isinstance(hand, Gripper) else ""
    bodies.append(Body(name, label, link, seen, tested=() if tested == seen else tested, built_on=palm_of))
    return name


def finger_bodies(label: str, robot: Robot, meshes: MeshCache) -> Iterator[Body]:
    """The bodies of the fingers of a gripper; none for other hands."""
    if isinstance(robot.gripper, Gripper):
        finger = Piece(robot.gripper.finger().kept_in(meshes), FINGER)
        yield from (Body(name, label, robot.n, (finger,)) for name in finger_names(label))
