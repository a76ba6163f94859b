"""What guards moving robots by the settings of the cell: slow-down zones, and the watch for collisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.world.snapshot import Snapshot

if TYPE_CHECKING:
    from workcell.simulation.slowing import Slowing
    from workcell.simulation.watching import Method, Watch


def slowing_of(snapshot: Snapshot) -> Slowing | None:
    """Return what slows robots down in the zones of a cell; None if it has no such zone."""
    if not any(zone.rule == "slow down" for zone in snapshot.zones):
        return None
    from workcell.collision.zones import pair_table_of, zones_of
    from workcell.simulation.slowing import Slowing

    return Slowing(snapshot, zones_of(snapshot), pair_table_of(snapshot))


def watch_of(snapshot: Snapshot) -> Watch | None:
    """Return the watch for collisions while robots move; None if the cell does not ask for it."""
    how = snapshot.setup.watch
    if not how:
        return None
    from workcell.collision.zones import pair_table_of, zones_of
    from workcell.simulation.watching import Watch

    method: Method = "certified" if how.startswith("certified") else "sampled"
    return Watch(snapshot, pair_table_of(snapshot), method, how.endswith("undecided"), zones_of(snapshot))
