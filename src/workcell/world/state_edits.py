"""Edits of the stored state of a cell, for edits that move or remove things that have a place in it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from workcell.spatial.pose import Pose
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.world.database import Database
    from workcell.world.row_writer import Writer
    from workcell.world.snapshot import Snapshot


def forget_in_state(
    database: Database, rows: Writer, names: Collection[str], fields: Sequence[str] = ("joints", "poses", "attached")
) -> None:
    """Put things where the cell has them from now on."""
    text = database.state_json()
    if not text:
        return
    state = CellState.from_json(text)
    kept = {
        field: {name: value for name, value in getattr(state, field).items() if name not in names} for field in fields
    }
    if any(len(of) < len(getattr(state, field)) for field, of in kept.items()):
        database.set_state(rows, state.with_(**kept).to_json())


def leave_in_state(
    database: Database, rows: Writer, snapshot: Snapshot, state: CellState, carriers: Collection[str]
) -> None:
    """Leave everything that objects or robots carry where it is, free, before the carriers are removed."""
    if not database.state_json():
        return
    owners = {body.name: body.owner for body in snapshot.bodies}
    left = [name for name, held in state.attached.items() if owners.get(held.frame) in carriers]
    if not left:
        return
    poses = dict(zip(owners, snapshot.body_poses(state), strict=True))
    free = {name: Pose(poses[name]) for name in left}
    attached = {name: held for name, held in state.attached.items() if name not in left}
    database.set_state(rows, state.with_(attached=attached, poses={**state.poses, **free}).to_json())
