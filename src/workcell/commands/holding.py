"""What is mounted or held, and so must be let go before an edit takes it elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.errors import Refused
from workcell.world.conveyors import is_conveyor
from workcell.world.entities import Entity, quoted

if TYPE_CHECKING:
    from workcell.commands.session import Session

_DEVICES = ("robot", "mechanism")
_TOOLS = ("tool", "gripper")


def refuse_mounted(session: Session, thing: Entity) -> None:
    """Refuse to stand a robot or tool in a scene while it is mounted: it would be there twice."""
    if thing.kind not in (*_DEVICES, *_TOOLS):
        return
    for relation in session.database.pointers(thing):
        if relation.kind != "mount":
            continue
        carrier = session.database.by_id(relation.parent)
        if thing.kind in _TOOLS:
            raise Refused(
                f"{thing.name} is on the flange of {carrier.name}; `take-off {quoted(carrier.name)}` first.",
                carrier=carrier.name,
            )
        raise Refused(
            f"{thing.name} is mounted on {carrier.name}; `unmount {quoted(thing.name)}` first, or "
            f"`mount {quoted(thing.name)} on {quoted(carrier.name)} at …` moves it there.",
            carrier=carrier.name,
        )


def refuse_holding(session: Session, robot: Entity) -> None:
    """Refuse to change what is on the flange of a robot while it holds a part."""
    for holder, part, _ in _holds(session):
        if holder == robot.name:
            _refuse(session, holder, part)


def refuse_held(session: Session, thing: Entity) -> None:
    """Refuse to take an object away while a robot holds it."""
    for holder, part, owner in _holds(session):
        if thing.kind == "object" and owner == thing.name:
            _refuse(session, holder, part)


def holder_of(session: Session, thing: Entity) -> str:
    """The robot that holds an object, or ''."""
    return next((one for one, part, _ in _holds(session) if thing.kind == "object" and part == thing.name), "")


def refuse_tool_in_use(session: Session, tool: Entity) -> None:
    """Refuse to change how a tool holds parts while its robot holds one."""
    if tool.kind in _TOOLS:
        for relation in session.database.pointers(tool):
            if relation.kind == "mount":
                refuse_holding(session, session.database.by_id(relation.parent))


def _holds(session: Session) -> list[tuple[str, str, str]]:
    """Every part that a robot holds: the robot, the part and the object that it is."""
    from workcell.simulation.held import held_parts

    if not session.database.state_json():
        return []
    snapshot, state = session.snapshot(), session.state
    return [
        (placed.name, part, snapshot.body(part).owner)
        for placed in snapshot.robots
        if not is_conveyor(placed.robot)
        for part in held_parts(state, placed.name, snapshot)
    ]


def _refuse(session: Session, robot: str, part: str) -> None:
    database = session.database
    entity = database.find("robot", robot)
    mounted = [database.by_id(one.child) for one in database.relations(entity)] if entity is not None else []
    by = next((f" with {one.name}" for one in mounted if one.kind in _TOOLS), "")
    ways = [f"`open-gripper {quoted(robot)}`"] if session.snapshot().robot(robot).robot.gripper is not None else []
    ways.append(f"`release {quoted(part)}`")
    raise Refused(f"{robot} holds {part}{by}; {' or '.join(ways)} first.", robot=robot, part=part)
