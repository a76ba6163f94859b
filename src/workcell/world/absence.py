"""Parts that are not there yet, or no longer there: they are kept in a store far below the cell.

The set of bodies is fixed while a cell is simulated, so a source cannot make bodies. An absent part is attached to
the world at a place of its own, so far away that nothing touches, senses or carries it, and it is not drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.errors import Refused
from workcell.spatial.pose import Pose
from workcell.world.places import WORLD

if TYPE_CHECKING:
    from workcell.world.entities import Relation
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import Attachment, CellState

STOCK = "in_stock"
"""The property of a relation to the scene that marks its part as absent at the start."""
_DEEP = 1e4
"""The depth of the store below the cell [m]."""
_APART = 100.0
"""The distance between parts in it [m]."""


def in_stock(relation: Relation) -> bool:
    """Whether the part that the relation places is absent at the start."""
    return f'"{STOCK}"' in relation.raw_properties and bool(relation.properties.get(STOCK))


def store_place(number: int, row: int = 0) -> Pose:
    """A place in the store, for a part with a number of its own in the row."""
    return Pose.from_xyz(_APART * number, _APART * row, -_DEEP)


def is_absent(held: Attachment | None) -> bool:
    """Whether a part with this attachment is absent."""
    return held is not None and held.frame == WORLD and out_of_sight(float(held.X_frame_body.xyz[2]))


def out_of_sight(height: float) -> bool:
    """Whether a height is that of the store [m]."""
    return height <= -0.5 * _DEEP


def absent_parts(state: CellState) -> frozenset[str]:
    """The absent parts."""
    return frozenset(name for name, held in state.attached.items() if is_absent(held))


def absence(snapshot: Snapshot, state: CellState, part: str) -> str:
    """Where an absent part is, for an answer; '' for one that is present."""
    if not is_absent(state.attached.get(part)):
        return ""
    source = next((one.name for one in snapshot.stations if part in one.stock), "")
    return f"{part} is absent: " + (f"it is in the store of {source}" if source else "a sink has taken it")


def require_there(snapshot: Snapshot, state: CellState, part: str) -> None:
    """Refuse to do something with an absent part."""
    gone = absence(snapshot, state, part)
    if gone:
        raise Refused(f"{gone}; wait until it lies on a belt.", part=part)
