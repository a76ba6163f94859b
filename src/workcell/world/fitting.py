"""Tools on flanges: a tool is on one flange, and a flange carries one tool."""

from __future__ import annotations

from workcell.errors import Refused
from workcell.wording import quoted
from workcell.world.database import Database
from workcell.world.entities import Entity, Relation

TOOLS = ("tool", "gripper")


def fitted(database: Database, robot: Entity) -> list[Relation]:
    """The relations of a robot to the tools on its flange."""
    return [one for one in database.relations(robot) if one.kind == "mount" and database.by_id(one.child).kind in TOOLS]


def require_one_flange(database: Database, tool: Entity, robot: Entity) -> None:
    """Refuse to fit a tool that is already on a flange, or to fit one to a robot that already has one."""
    if fitted(database, robot):
        raise Refused(f"{robot.name} already has a tool; `take-off {quoted(robot.name)}` takes it off.")
    carriers = _carriers(database, tool)
    if carriers:
        raise Refused(
            f"{tool.name} is on the flange of {carriers[0]}; `take-off {quoted(carriers[0])}` first, or fit a copy: "
            f"`copy {quoted(tool.name)} as NAME`.",
            carrier=carriers[0],
        )


def fitted_twice(database: Database) -> list[str]:
    """A sentence for every tool that is on several flanges, which older versions allowed."""
    found = []
    for tool in (one for kind in TOOLS for one in database.entities(kind)):
        robots = _carriers(database, tool)
        if len(robots) > 1:
            found.append(
                f"{tool.name} is on the flanges of {' and '.join(robots)}; `take-off {quoted(robots[-1])}` and fit a "
                f"copy there: `copy {quoted(tool.name)} as NAME`."
            )
    return found


def _carriers(database: Database, tool: Entity) -> list[str]:
    """The names of the robots that a tool is fitted to."""
    return [database.by_id(one.parent).name for one in database.pointers(tool) if one.kind == "mount"]
