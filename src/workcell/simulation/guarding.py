"""What guards moving robots by the settings of the cell: slow-down zones, and the watch for collisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.robots.gripper import Gripper
from workcell.world.gripper_names import finger_names
from workcell.world.placed import PlacedRobot
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
    return _watch(snapshot, how) if how else None


def proving_watch(snapshot: Snapshot, handled: frozenset[str] = frozenset()) -> Watch:
    """Return a watch that proves every motion, whatever the cell asks for; what stays undecided goes on.

    A cell that asks for proofs keeps its own watch, which may also stop where nothing is decided.

    Args:
        snapshot: what exists.
        handled: parts that hands take or release now, on ways that were proved. Hands may touch these, unless the cell
            watches: then a run would stop.
    """
    how = snapshot.setup.watch
    watch = _watch(snapshot, how if how.startswith("certified") else "certified undecided")
    if handled and not how and watch.pairs is not None:
        for placed in snapshot.robots:
            if placed.robot.gripper is not None:
                for part in sorted(handled):
                    for hand in hand_bodies(snapshot, placed):
                        watch.pairs = watch.pairs.allow(hand, part, "handled")
    return watch


def _watch(snapshot: Snapshot, how: str) -> Watch:
    from workcell.collision.zones import pair_table_of, zones_of
    from workcell.simulation.watching import Watch

    method: Method = "certified" if how.startswith("certified") else "sampled"
    return Watch(snapshot, pair_table_of(snapshot), method, how.endswith("undecided"), zones_of(snapshot))


def hand_bodies(snapshot: Snapshot, placed: PlacedRobot) -> tuple[str, ...]:
    """Return the bodies of an arm that touch what its hand holds: the fingers, or those of a hand without."""
    if isinstance(placed.robot.gripper, Gripper):
        return tuple(finger_names(placed.name))
    last = placed.robot.n
    return tuple(body.name for body in snapshot.bodies if body.owner == placed.name and body.link == last)
