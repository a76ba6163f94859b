"""The robots of the session's simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.errors import Refused, UnknownName
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.simulated_robot import SimulatedRobot
    from workcell.world.snapshot import PlacedRobot


def placed_robot(session: Session, entity: Entity) -> PlacedRobot:
    """The robot as it stands in the scene; one that stands in none is refused."""
    try:
        return session.snapshot().robot(entity.name)
    except UnknownName as error:
        raise Refused(f"Robot {entity.name!r} stands in no scene; `place {entity.name} at …` first.") from error


def simulated(session: Session, entity: Entity) -> SimulatedRobot:
    """The robot in the session's simulator; one that stands in no scene is refused."""
    return session.simulator.robot(placed_robot(session, entity).name)


def unwatched(session: Session) -> tuple[str, ...]:
    """The bodies of unknown shape, which a watch for collisions does not see; none where nothing is watched."""
    return session.snapshot().unknown if session.snapshot().setup.watch else ()
