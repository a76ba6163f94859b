"""Refuses edits of parts that a robot holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.errors import Refused
from workcell.robots.gripper import Gripper
from workcell.wording import quoted
from workcell.world.conveyors import is_conveyor
from workcell.world.entities import Entity
from workcell.world.gripper_names import gripper_signal

if TYPE_CHECKING:
    from workcell.world.editing import Editing

_DEVICES = ("robot", "mechanism")
_TOOLS = ("tool", "gripper")


def refuse_holding(edit: Editing, robot: Entity) -> None:
    """Refuse to change the tool of a robot while it holds a part."""
    for holder, part, _ in _holds(edit):
        if holder == robot.name:
            _refuse(edit, holder, part)


def refuse_held(edit: Editing, thing: Entity) -> None:
    """Refuse to remove an object while a robot holds it."""
    for holder, part, owner in _holds(edit):
        if thing.kind == "object" and owner == thing.name:
            _refuse(edit, holder, part)


def holder_of(edit: Editing, thing: Entity) -> str:
    """Return the robot that holds an object, or ''."""
    return next((one for one, part, _ in _holds(edit) if thing.kind == "object" and part == thing.name), "")


def refuse_tool_in_use(edit: Editing, tool: Entity) -> None:
    """Refuse to change how a tool holds parts while its robot holds one."""
    if tool.kind in _TOOLS:
        for relation in edit.database.pointers(tool):
            if relation.kind == "mount":
                refuse_holding(edit, edit.database.by_id(relation.parent))


def _holds(edit: Editing) -> list[tuple[str, str, str]]:
    """Return every part that a robot holds: the robot, the part and its object."""
    from workcell.simulation.held import held_parts

    if not edit.database.state_json():
        return []
    snapshot, state = edit.seen()
    return [
        (placed.name, part, snapshot.body(part).owner)
        for placed in snapshot.robots
        if not is_conveyor(placed.robot)
        for part in held_parts(state, placed.name, snapshot)
    ]


def _refuse(edit: Editing, robot: str, part: str) -> None:
    database = edit.database
    entity = database.find("robot", robot)
    mounted = [database.by_id(one.child) for one in database.relations(entity)] if entity is not None else []
    by = next((f" with {one.name}" for one in mounted if one.kind in _TOOLS), "")
    snapshot, state = edit.seen()
    closed = bool(state.signals.get(gripper_signal(robot)))
    ways = [f"`open-gripper {quoted(robot)}`"] if closed else []
    if not closed or not isinstance(snapshot.robot(robot).robot.gripper, Gripper):  # fingers can only open
        ways.append(f"`release {quoted(part)}`")
    raise Refused(f"{robot} holds {part}{by}; {' or '.join(ways)} first.", robot=robot, part=part)
