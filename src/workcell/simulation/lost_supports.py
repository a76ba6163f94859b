"""Reports parts that an edit left without support."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workcell.errors import Cancelled, WorkcellError
from workcell.world.flatten import current_scene, snapshot_of
from workcell.world.state import CellState
from workcell.world.store import COLUMNS

if TYPE_CHECKING:
    from workcell.world.database import Database
    from workcell.world.present import Seen
    from workcell.world.row_writer import Writer
    from workcell.world.snapshot import Snapshot

_MANY = 200
"""A cell with more things is examined for lost supports only if it was flattened before the edit."""
_PARENT = COLUMNS["relation"].index("parent")


def lost_support_lines(database: Database, rows: Writer, before: Snapshot | None, seen: Seen) -> list[str]:
    """Return a line for each support that an edit took away, now or after a reset.

    Args:
        database: the cell after the edit.
        rows: what the edit changed.
        before: the cell before the edit, if it was flattened.
        seen: the cell as it is.
    """
    if not _took_away(database, rows, before is not None):
        return []
    from workcell.simulation.falling import lost_supports

    try:
        after = seen.snapshot()
        if not any(body.movable for body in after.bodies):
            return []
        if before is None or before.scene != after.scene:
            before = snapshot_of(database, after.scene, undone=reversed(rows.changes))
        then = next((values for table, _, values, _ in rows.changes if table == "state"), (1, database.state_json()))
        kept = CellState.from_json(str(then[1])) if then is not None and then[1] else before.initial
        then_state = kept if kept is before.initial else before.fitted(kept)
        lost = lost_supports(before, then_state, after, seen.state)
        later = [] if then_state is before.initial else lost_supports(before, before.initial, after, after.initial)
    except Cancelled:
        raise
    except WorkcellError:
        return []  # what cannot be flattened has no place
    named = {part for _, parts in lost for part in parts}
    lines = [f"but {_and(parts)} stood on {support}, which is no longer under {_it(parts)}" for support, parts in lost]
    for support, parts in later:
        new = [part for part in parts if part not in named]
        if new:
            lines.append(f"but after a reset {_and(new)} would stand on {support}, which is no longer under {_it(new)}")
    return lines


def _took_away(database: Database, rows: Writer, looked_at: bool) -> bool:
    """Return whether an edit moved or removed something in the scene, and it is worthwhile to see what stood on it.

    Flattening a large cell takes long, and scripts move many things that nobody looks at meanwhile.
    """
    moved = [
        (before, after is None)
        for table, columns, before, after in rows.changes
        if table == "relation" and before is not None and (after is None or "matrix" in columns)
    ]
    scene = database.find("scene", current_scene(database)) if moved else None
    if scene is None:
        return False
    if not looked_at and database.has_more_parts(scene, _MANY):
        return False
    if any(before[_PARENT] == scene.id for before, removed in moved if removed):
        return True
    return scene.id in database.parents({_number(before[0]) for before, removed in moved if not removed})


def _number(value: object) -> int:
    assert isinstance(value, int)
    return value


def _and(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _it(names: Sequence[str]) -> str:
    return "them" if len(names) > 1 else "it"
