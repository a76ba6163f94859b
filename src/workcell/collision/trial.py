"""The contacts that a robot would be part of at other joint values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from workcell.collision.check import check
from workcell.collision.supports import at_rest

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.collision.check import Contact
    from workcell.world.state import CellState


class Trial:
    """Tries joint values of one robot in a state; nothing moves.

    A part may touch what it rests on. What already touches elsewhere in the cell does not count, nor do bodies that
    cannot move against each other.

    Args:
        model: the bodies and the pair table.
        state: where everything is.
        robot: the robot whose joint values are tried.
    """

    def __init__(self, model: CollisionModel, state: CellState, robot: str) -> None:
        self._model = at_rest(model, state)
        self._state = state
        self._robot = robot
        self._elsewhere = {one.pair for one in check(self._model, state).contacts}
        self._arrangement = self._model.arrangement(state)
        self._own = {body.name for body in model.snapshot.bodies if body.owner == robot} | {
            name for name, held in state.attached.items() if held.frame.partition("/")[0] == robot
        }

    def contacts(self, joints: ArrayLike) -> tuple[Contact, ...]:
        """Return the contacts with these joint values, the deepest first."""
        found = check(self._model, self._state.with_joints(self._robot, np.asarray(joints, dtype=float)))
        mine = [one for one in found.contacts if self._own & set(one.pair) or one.pair not in self._elsewhere]
        return tuple(sorted((one for one in mine if not self._rigid(one)), key=lambda one: -one.depth))

    def _rigid(self, contact: Contact) -> bool:
        first, second = (self._arrangement.carrier[self._arrangement.place(name)] for name in contact.pair)
        return bool(first == second)
