"""The robots of the session's simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.errors import Refused, UnknownName
from workcell.world.entities import Entity
from workcell.world.machine_places import fault_of, is_arm

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.simulated_robot import SimulatedRobot
    from workcell.world.snapshot import PlacedMachine, PlacedRobot


def placed_robot(session: Session, entity: Entity) -> PlacedRobot:
    """The robot as it stands in the scene; one that stands in none is refused."""
    try:
        return session.snapshot().robot(entity.name)
    except UnknownName as error:
        raise Refused(f"Robot {entity.name!r} stands in no scene; `place {entity.name} at …` first.") from error


def placed_device(session: Session, entity: Entity) -> PlacedRobot | PlacedMachine:
    """A robot or mechanism as it stands in the scene, or a machine whose members do; else refused."""
    return session.snapshot().machine(entity.name) if entity.kind == "machine" else placed_robot(session, entity)


def require_machine(session: Session, name: str, members: tuple[str, ...]) -> None:
    """Refuse robots and mechanisms that cannot be a machine of a name."""
    snapshot = session.snapshot()
    robots = {placed.name: placed.robot for placed in snapshot.robots}
    others = [one for one in snapshot.machines if one.name != name and not one.problem]
    owners = {member: one.name for one in others for member in one.members if is_arm(robots[member])}
    fault = fault_of(name, members, robots, owners)
    if fault:
        raise Refused(fault.rpartition("; ")[0] + ".", machine=name)


def simulated(session: Session, entity: Entity) -> SimulatedRobot:
    """The robot in the session's simulator; one that stands in no scene is refused."""
    return session.simulator.robot(placed_robot(session, entity).name)


def unwatched(session: Session) -> tuple[str, ...]:
    """The bodies of unknown shape, which a watch for collisions does not see; none where nothing is watched."""
    return session.snapshot().unknown if session.snapshot().setup.watch else ()
