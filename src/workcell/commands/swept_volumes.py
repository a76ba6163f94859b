"""Commands on swept volumes: add swept, add swept-run."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from workcell.commands.collisions import CELL, collision_model_of
from workcell.commands.language.joint_values import JointVector
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Choice, Length, NewName, Number
from workcell.commands.model import add_solid, make
from workcell.commands.prepared import Prepared, prepared
from workcell.commands.results import Made
from workcell.commands.zones import new_zone
from workcell.errors import Refused
from workcell.simulation.in_scene import simulated
from workcell.spatial.transform import Transform
from workcell.world.entities import Entity
from workcell.world.sections import BODIES, ROBOTS

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
_TOLERANCE = 0.02
"""How far a volume may fall short of the true one by default [m]."""
_WHAT = "the swept volume"
_HELP = {
    "kind": "zone: other robots keep out of it, the default; ghost: to look at; block: a block that is in no "
    "scene, to export or to place",
    "tolerance": "how far the volume may fall short of the true one; default 20 mm",
}


def _prepare_swept(session: Session, robot: Entity, joints: tuple[float, ...], **given: Any) -> Prepared:
    return Prepared(_swept(session, robot, joints, given.get("tolerance", _TOLERANCE)), _basis(session, robot))


def _swept(session: Session, robot: Entity, joints: tuple[float, ...], tolerance: float) -> SweptVolume:
    """Return the volume that a robot sweeps on the way to joint values."""
    from workcell.collision.swept import swept_volume
    from workcell.motion.profiles import linear

    one = simulated(session.simulator, robot)
    target = one.robot.checked(joints)
    one.robot.require_limits(target)
    motion = linear(one.joints, target, session.snapshot().robot(robot.name).speed)
    return swept_volume(
        collision_model_of(session), {robot.name: motion}, (), session.state, tolerance,
        session.progress, session.cancel,
    )  # fmt: skip


def _prepare_run(session: Session, robot: Entity, **given: Any) -> Prepared:
    found = _swept_run(session, robot, given.get("begin"), given.get("end"), given.get("tolerance", _TOLERANCE))
    return Prepared(found, (_basis(session, robot), _recorded(session)))


def _swept_run(
    session: Session, robot: Entity, begin: float | None, end: float | None, tolerance: float
) -> SweptVolume:
    """Return the volume that a robot swept in the recording."""
    from workcell.simulation.swept_run import swept_run

    recording = session.recording
    if recording.duration <= 0.0:
        raise Refused("Nothing was recorded since the last reset; move something, or `run` a program first.")
    span = recording.start.time if begin is None else begin, recording.end if end is None else end
    model = collision_model_of(session)
    return swept_run(recording, model, robot.name, span, tolerance, session.progress, session.cancel)


def _basis(session: Session, robot: Entity) -> Hashable:
    """Return what a swept volume depends on: the bodies, the robots and where everything is."""
    sections = session.snapshot().sections
    return robot.id, sections[BODIES], sections[ROBOTS], session.state.with_(signals={}).to_json()


def _recorded(session: Session) -> Hashable:
    """Return how much the recording has."""
    recording = session.recording
    return recording.start.with_(signals={}).to_json(), recording.end, len(recording.moves), len(recording.events)


@command(
    "add swept {name} of {robot} {joints} [tolerance {tolerance}] [as {kind}]",
    help="add the volume that a robot sweeps on the way to given joint values, as a zone, a ghost or a block",
    effect="edits",
    prepares=_prepare_swept,
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
    tolerance: float = _TOLERANCE,
    kind: str = "zone",
) -> Made:
    """What the robot carries counts too. The robot itself may be in its zone."""
    found = prepared(session, _basis(session, robot), lambda: _swept(session, robot, joints, tolerance), _WHAT)
    return _kept(session, name, robot, found, kind)


@command(
    "add swept-run {name} of {robot} [from {begin}] [to {end}] [tolerance {tolerance}] [as {kind}]",
    help="add the volume that a robot swept in the recording, as a zone, a ghost or a block",
    effect="edits",
    prepares=_prepare_run,
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
    tolerance: float = _TOLERANCE,
    kind: str = "zone",
) -> Made:
    """What the robot carried counts too. The bodies are those of the present cell."""
    basis = _basis(session, robot), _recorded(session)
    found = prepared(session, basis, lambda: _swept_run(session, robot, begin, end, tolerance), _WHAT)
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
