"""What an edit does to what depends on it: blocks that cannot be made, any more or still, and faces that are gone.

An edit is not refused for that, since the next one may put it right; but whoever gave it is told at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from workcell.commands.results import Done, Made
from workcell.errors import Cancelled, WorkcellError
from workcell.world.entities import Entity
from workcell.world.expand import Expander, is_closed
from workcell.world.flatten import current_scene, snapshot_of
from workcell.world.journal import Writer
from workcell.world.operations import is_operation
from workcell.world.standing import Footing, stands
from workcell.world.state import CellState
from workcell.world.store import COLUMNS

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.world.snapshot import Snapshot


_PARENT = COLUMNS["relation"].index("parent")

_MANY = 200
"""A cell with more things than this is looked at for lost supports only where somebody looked at it before the edit."""


def with_consequences(session: Session, rows: Writer, result: Any) -> Any:
    """The result of an edit, and what it broke; nothing is computed unless something depends on what was changed."""
    if not isinstance(result, Done | Made):
        return result
    touched, grown = _touched(session, rows)
    if not touched and all(map(session.database.named.is_loose, grown)):
        return result
    there = session.database.with_ids(touched | grown)  # what was removed has no say
    # A block that surfaces are being put to one by one is no news before it closes up.
    changed = {number for number, (one, _) in there.items() if number in touched or is_operation(one.shape)}
    if not changed and not any(used for _, used in there.values()):
        return result
    lines = [
        *_broken_blocks(session, rows, changed | above(session, changed)),
        *_gone_faces(session, set(there)),
    ]
    if not lines:
        return result
    if isinstance(result, Made):
        return msgspec.structs.replace(result, broken=tuple(lines))
    return msgspec.structs.replace(result, text="\n".join([result.text, *lines]))


def with_lost_supports(session: Session, rows: Writer, before: Snapshot | None, result: Any) -> Any:
    """The answer to an edit that was made, and the parts that it took the support from under.

    Args:
        session: whose edit.
        rows: what it changed.
        before: the cell as it was, where that is known already.
        result: the answer.
    """
    if not isinstance(result, Done) or not _took_away(session, rows, before is not None):
        return result
    from workcell.simulation.falling import lost_supports

    database = session.database
    try:
        after = session.snapshot()
        if not any(body.movable for body in after.bodies):
            return result
        if before is None or before.scene != after.scene:
            before = snapshot_of(database, after.scene, undone=reversed(rows.changes))
        then = next((values for table, _, values, _ in rows.changes if table == "state"), (1, database.state_json()))
        kept = CellState.from_json(str(then[1])) if then is not None and then[1] else before.initial
        then_state, now = before.fitted(kept), session.state
        lost = lost_supports(before, then_state, after, now)
        told = {part for _, parts in lost for part in parts}
        later = [] if then_state is before.initial else lost_supports(before, before.initial, after, after.initial)
    except Cancelled:
        raise
    except WorkcellError:
        return result  # what cannot be flattened stands nowhere
    lines = [f"but {_and(parts)} stood on {support}, which is no longer under {_it(parts)}" for support, parts in lost]
    for support, parts in later:
        new = [part for part in parts if part not in told]
        if new:
            lines.append(f"but after a reset {_and(new)} would stand on {support}, which is no longer under {_it(new)}")
    return msgspec.structs.replace(result, text="\n".join([result.text, *lines])) if lines else result


def _took_away(session: Session, rows: Writer, looked_at: bool) -> bool:
    """Whether an edit moved or removed something that stands in the scene, and it is worth looking what stood on it.

    Flattening a large cell takes long, and scripts move many things that nobody looks at meanwhile.
    """
    moved = [
        (before, after is None)
        for table, columns, before, after in rows.changes
        if table == "relation" and before is not None and (after is None or "matrix" in columns)
    ]
    scene = session.database.find("scene", current_scene(session.database)) if moved else None
    if scene is None:
        return False
    parent = COLUMNS["relation"].index("parent")
    known = {relation.id for relation in session.database.relations(scene)}
    if len(known) > _MANY and not looked_at:
        return False
    return any(before[parent] == scene.id if removed else before[0] in known for before, removed in moved)


def _and(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _it(names: Sequence[str]) -> str:
    return "them" if len(names) > 1 else "it"


def _touched(session: Session, rows: Writer) -> tuple[set[int], set[int]]:
    """The entities whose own shape was changed or whose parts were moved or taken away; and those that got a part."""
    found: set[int] = set()
    moved: set[int] = set()
    grown: set[int] = set()
    made: set[object] = set()
    for table, columns, before, after in rows.changes:
        if before is None:
            assert after is not None
            if table == "relation":
                grown.add(_number(after[_PARENT]))
            elif table == "entity":
                made.add(after[0])
        elif table == "entity" and after is not None and "shape" in columns:
            found.add(_number(before[0]))
        elif table == "relation" and after is None:
            found.add(_number(before[_PARENT]))
        elif table == "relation" and "matrix" in columns:
            moved.add(_number(before[0]))
    if moved:
        found |= session.database.parents(moved)
    return found, grown - made


def _number(value: object) -> int:
    assert isinstance(value, int)
    return value


def above(session: Session, touched: set[int]) -> set[int]:
    """Everything that the entities are parts of."""
    found: set[int] = set()
    waiting = list(touched)
    while waiting:
        for relation in session.database.pointers(waiting.pop()):
            if relation.parent not in found:
                found.add(relation.parent)
                waiting.append(relation.parent)
    return found


def _broken_blocks(session: Session, rows: Writer, numbers: Iterable[int]) -> list[str]:
    """The blocks among these entities that cannot be made, each with the reason, and whether they could be before."""
    expander: Expander | None = None
    before: Expander | None = None
    lines = []
    for number in sorted(numbers):
        block = session.database.by_id(number)
        if block.kind == "block":
            expander = expander or Expander(session.database)
            told = _problem(session, expander, block)
            if told:
                before = before or Expander(session.database, undone=reversed(rows.changes))
                could = not _problem(session, before, before.as_it_was(block))
                how = "cannot be made any more" if could else "still cannot be made"
                lines.append(f"but block {block.name!r} {how}: {told}")
    return lines


def _problem(session: Session, expander: Expander, block: Entity) -> str:
    from workcell.geometry.recipe import Sewn

    try:
        solid = expander.solid(block)
        if solid is None:
            return ""
        if isinstance(solid.recipe, Sewn) and not is_closed(solid.recipe, session.database.meshes):
            return "its surfaces do not close up"
        solid.mesh(progress=session.progress, cancel=session.cancel)  # which the picture needs anyway
    except Cancelled:
        raise
    except WorkcellError as error:
        return str(error)
    return ""


def _gone_faces(session: Session, changed: set[int]) -> list[str]:
    """What stands on a face that is not there any more, among the objects that these are parts of and their bases."""
    database = session.database
    wholes = above(session, changed)
    name = current_scene(database) if wholes else ""
    scene = database.find("scene", name) if name else None
    lines: list[str] = []
    if scene is None or scene.id not in wholes:  # nothing that was changed is placed
        return lines
    standing = [one for one in database.relations(scene) if stands(one)]
    if not standing:
        return lines
    numbers = changed | wholes
    footing = Footing(Expander(database), scene)
    for relation in standing:
        base = footing.base(relation)
        if base is None or not {relation.child, base.child} & numbers:
            continue
        try:
            footing.touching(relation)
        except Cancelled:
            raise
        except WorkcellError as error:
            lines.append(f"but {relation.name!r} stands on a face that is gone: {error}")
    return lines
