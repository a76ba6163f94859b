"""Looking for collisions while robots move: at every recorded sample, then at the last good instant by bisection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.errors import CollisionStop
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.collision.pairs import PairTable
    from workcell.simulation.planned import Planned
    from workcell.simulation.simulator import Simulator

Array = NDArray[np.float64]
_HALVINGS = 12


class Watch:
    """Stops robots before they touch something.

    Args:
        snapshot: what exists.
        pairs: what is tested; everything that the rules do not except, unless given.
    """

    def __init__(self, snapshot: Snapshot, pairs: PairTable | None = None) -> None:
        self._snapshot = snapshot
        self.pairs = pairs
        self._model: CollisionModel | None = None
        self._special: CollisionModel | None = None

    def on(self, snapshot: Snapshot) -> Watch:
        """The same watch over another snapshot."""
        return self if snapshot is self._snapshot else Watch(snapshot, self.pairs)

    @property
    def model(self) -> CollisionModel:
        """The bodies and pairs that are looked at."""
        if self._model is None:
            from workcell.collision.bodies import collision_model

            self._model = collision_model(self._snapshot, self.pairs)
        return self._model

    def guard(self, simulator: Simulator, moves: Sequence[Planned]) -> None:
        """Look along moves that start together; on a contact make them up to the last good instant and raise.

        Raises:
            CollisionStop: with ``time``, ``pair``, ``robots`` and ``stopped``, the time at which they stand now.
        """
        from workcell.collision.batch import check_batch

        state, begin = simulator.state, simulator.time
        times = np.unique(np.concatenate([[0.0], *(planned.shown for planned in moves)]))
        model = self._supported(state, moves)
        found = check_batch(model, _joints(moves, times), state)
        if not found.touching.any():
            return
        row = int(found.touching.argmax())
        pair = found.pair(row)
        robots = tuple(planned.robot for planned in moves)
        who = " and ".join(robots)
        names = f"{pair[0]} and {pair[1]}" if pair else "bodies"
        if row == 0:
            raise CollisionStop(
                f"{who} cannot start: {names} touch already.", time=begin, stopped=begin, pair=pair, robots=robots
            )
        good, bad = float(times[row - 1]), float(times[row])
        for _ in range(_HALVINGS):
            middle = 0.5 * (good + bad)
            inner = check_batch(model, _joints(moves, np.array([middle])), state)
            if inner.touching[0]:
                bad, pair = middle, inner.pair(0)
            else:
                good = middle
        joints = dict(state.joints)
        for planned in moves:
            cut = planned.until(good)
            simulator.record(cut, begin)
            joints[planned.robot] = cut.end
        stopped = begin + good
        names = f"{pair[0]} and {pair[1]}" if pair else "bodies"
        simulator.recorder.note(stopped, "stop", f"{names} would touch")
        simulator.state = state.with_(joints=joints, time=stopped)
        simulator.recorder.reached(simulator.state)
        raise CollisionStop(
            f"{who} stopped at {stopped:.4f} s: {names} would touch at {begin + bad:.4f} s.",
            time=begin + bad,
            stopped=stopped,
            pair=pair,
            robots=robots,
        )

    def _supported(self, state: CellState, moves: Sequence[Planned]) -> CollisionModel:
        """The model for these moves: what rests on something may, and carried parts may leave and arrive."""
        from workcell.collision.check import check
        from workcell.collision.supports import supports_of

        model = self.model
        robots = {planned.robot for planned in moves}
        going = _going(model.snapshot, state, robots)
        # What stands still throughout cannot come to touch by these moves: it rests.
        pairs = model.pairs
        for contact in check(model, state).contacts:
            if contact.first not in going and contact.second not in going:
                pairs = pairs.allow(contact.first, contact.second, "it rests there while robots move")
        carried = [
            part for part in sorted(state.attached) if part in going and not model.bodies[model.index[part]].is_link
        ]
        end = state.with_(joints={**state.joints, **{planned.robot: planned.end for planned in moves}})
        supports = [
            support
            for part in carried
            for support in (*supports_of(model, state, part), *supports_of(model, end, part, "arriving"))
        ]
        pairs = msgspec.structs.replace(pairs, supports=tuple(supports))
        if pairs == model.pairs:
            return model
        if self._special is None or self._special.pairs != pairs:
            self._special = model.with_pairs(pairs)
        return self._special


def _going(snapshot: Snapshot, state: CellState, robots: set[str]) -> set[str]:
    """The bodies that move with robots: their links, robots mounted on them, and parts that any of these carry."""
    movers = set(robots)
    for placed in snapshot.robots:
        if placed.parent in movers:
            movers.add(placed.name)
    going = {body.name for body in snapshot.bodies if body.link >= 0 and body.owner in movers}
    while True:
        more = {part for part, held in state.attached.items() if held.frame in going} - going
        if not more:
            return going
        going |= more


def _joints(moves: Sequence[Planned], times: Array) -> dict[str, Array]:
    """Joint values of the moving robots at times after the start (N, n)."""
    return {planned.robot: planned.at_shown(times) for planned in moves}
