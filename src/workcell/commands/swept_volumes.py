"""Commands on swept volumes: add swept, add swept-run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.collisions import CELL, collision_model_of
from workcell.commands.language.joint_values import JointVector
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Choice, Length, NewName, Number
from workcell.commands.model import add_solid, make
from workcell.commands.results import Made
from workcell.commands.zones import new_zone
from workcell.errors import Refused
from workcell.simulation.in_scene import simulated
from workcell.spatial.transform import Transform
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.collision.swept import SweptVolume
    from workcell.commands.session import Session

_KINDS = Choice(
    {
        "zone": "other robots keep out of it",
        "ghost": "in the scene, only to look at",
        "block": "a block that is in no scene, to export or to place as a ghost",
    }
)
_HELP = {
    "kind": "zone: other robots keep out of it, the default; ghost: to look at; block: a block that is in no "
    "scene, to export or to place",
    "tolerance": "how far the volume may fall short of the true one; default 20 mm",
}


@command(
    "add swept {name} of {robot} {joints} [tolerance {tolerance}] [as {kind}]",
    help="add the volume that a robot sweeps on the way to given joint values, as a zone, a ghost or a block",
    effect="edits",
    name=NewName(),
    robot=Ref("robot", "mechanism"),
    joints=JointVector(),
    tolerance=Length(positive=True),
    kind=_KINDS,
    param_help=_HELP,
    examples=[
        *CELL,
        "add swept way of Puma 10,0,-90,0,90,0 tolerance 40mm as block",
        "export solid way way.stl",
        "add swept seen of Puma 10,0,-90,0,90,0 tolerance 40mm as ghost",
    ],
)
def add_swept(
    session: Session,
    name: str,
    robot: Entity,
    joints: tuple[float, ...],
    tolerance: float = 0.02,
    kind: str = "zone",
) -> Made:
    """What the robot carries counts too. The robot itself may be in its zone."""
    from workcell.collision.swept import swept_volume
    from workcell.motion.profiles import linear

    one = simulated(session.simulator, robot)
    target = one.robot.checked(joints)
    one.robot.require_limits(target)
    motion = linear(one.joints, target, session.snapshot().robot(robot.name).speed)
    found = swept_volume(
        collision_model_of(session), {robot.name: motion}, (), session.state, tolerance,
        session.progress, session.cancel,
    )  # fmt: skip
    return _kept(session, name, robot, found, kind)


@command(
    "add swept-run {name} of {robot} [from {begin}] [to {end}] [tolerance {tolerance}] [as {kind}]",
    help="add the volume that a robot swept in the recording, as a zone, a ghost or a block",
    effect="edits",
    name=NewName(),
    robot=Ref("robot", "mechanism"),
    begin=Number("time"),
    end=Number("time"),
    tolerance=Length(positive=True),
    kind=_KINDS,
    param_help={
        **_HELP,
        "begin": "from this time of the recording on [s]; default: its beginning",
        "end": "up to this time [s]; default: its end",
    },
    examples=[
        *CELL,
        "> move-joints-absolute Puma 10,0,-90,0,90,0",
        "add swept-run way of Puma tolerance 40mm as ghost",
        "add swept-run first of Puma from 0 to 0.2 tolerance 40mm as block",
    ],
)
def add_swept_run(
    session: Session,
    name: str,
    robot: Entity,
    begin: float | None = None,
    end: float | None = None,
    tolerance: float = 0.02,
    kind: str = "zone",
) -> Made:
    """What the robot carried counts too. The bodies are those of the present cell."""
    from workcell.simulation.swept_run import swept_run

    recording = session.recording
    if recording.duration <= 0.0:
        raise Refused("Nothing was recorded since the last reset; move something, or `run` a program first.")
    span = recording.start.time if begin is None else begin, recording.end if end is None else end
    model = collision_model_of(session)
    found = swept_run(recording, model, robot.name, span, tolerance, session.progress, session.cancel)
    return _kept(session, name, robot, found, kind)


def _kept(session: Session, name: str, robot: Entity, found: SweptVolume, kind: str) -> Made:
    """Keep a volume as a zone, a ghost or a block."""
    from workcell.geometry.recipe import Triangles, encode
    from workcell.geometry.solid import Solid

    shape = Solid(Triangles.of(found.mesh))
    if kind == "ghost":
        return add_solid(session, name, shape, ghost=True)
    if kind == "block":
        return make(session, "block", name, shape=encode(shape.recipe).decode(), properties={"ghost": True})
    return new_zone(session, name, shape, Transform(), {"rule": "keep-out", "except": robot.name})
