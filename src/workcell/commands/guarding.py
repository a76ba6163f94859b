"""The robots of the session's simulator, guarded as the cell says: slowed down in zones, watched for collisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.errors import Refused, UnknownName
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.simulated_robot import SimulatedRobot


def simulated(session: Session, entity: Entity) -> SimulatedRobot:
    """The robot in the session's simulator; one that stands in no scene is refused."""
    try:
        one = session.simulator.robot(entity.name)
    except UnknownName as error:
        raise Refused(f"Robot {entity.name!r} stands in no scene; `place {entity.name} at …` first.") from error
    set_guards(session)
    return one


def set_guards(session: Session) -> None:
    """Let the simulator slow down in the cell's zones and watch for collisions where the cell says so."""
    simulator = session.simulator
    if simulator.slowing is not None or session.database.names("zone", most=1):
        from workcell.commands.collisions import pair_table

        simulator.slow_down_in_zones_of(session.database, pair_table(session))
    how = session.database.setting("watch")
    if not how:
        simulator.watch = None
        return
    from workcell.collision.zones import zones_of
    from workcell.commands.collisions import pair_table
    from workcell.simulation.watching import Watch

    method: Any = "certified" if how.startswith("certified") else "sampled"
    wanted = (pair_table(session), method, how.endswith("undecided"), zones_of(session.database))
    now = simulator.watch
    if now is None or (now.pairs, now.method, now.allow_undecided, now.zones) != wanted:
        simulator.watch = Watch(simulator.snapshot, *wanted)


def unwatched(session: Session) -> tuple[str, ...]:
    """The bodies of unknown shape, which a watch for collisions does not see; none where nothing is watched."""
    return session.snapshot().unknown if session.database.setting("watch") else ()
