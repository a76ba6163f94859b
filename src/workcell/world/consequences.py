"""What an edit breaks in things that depend on it: blocks that cannot be made, and faces that no longer exist.

The edit is not refused, because the next one may repair it; but its answer reports the problem at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from workcell.errors import Cancelled, WorkcellError
from workcell.world.database import Database
from workcell.world.entities import Entity
from workcell.world.expand import Expander, is_closed
from workcell.world.flatten import current_scene
from workcell.world.foothold import stands
from workcell.world.operations import is_operation
from workcell.world.row_writer import Writer
from workcell.world.standing import Footing
from workcell.world.store import COLUMNS

_PARENT = COLUMNS["relation"].index("parent")


class Consequences:
    """What one edit breaks; nothing is computed unless something depends on the change.

    Args:
        database: the database after the edit.
        rows: the changes of the edit.
        progress: gets the progress of making a solid.
        cancel: stops it.
    """

    def __init__(
        self,
        database: Database,
        rows: Writer,
        progress: Callable[[float, str], None],
        cancel: threading.Event | None,
    ) -> None:
        self._database, self._rows = database, rows
        self._progress, self._cancel = progress, cancel

    def lines(self) -> list[str]:
        """One line for each broken thing."""
        database = self._database
        touched, grown = self._touched()
        if not touched and all(map(database.named.is_loose, grown)):
            return []
        there = database.with_ids(touched | grown)  # removed entities do not count
        # A block that gets its surfaces one by one is not reported before it closes.
        changed = {number for number, (one, _) in there.items() if number in touched or is_operation(one.shape)}
        if not changed and not any(used for _, used in there.values()):
            return []
        return [*self._broken_blocks(changed | above(database, changed)), *self._gone_faces(set(there))]

    def _touched(self) -> tuple[set[int], set[int]]:
        """The entities whose own shape changed or whose parts were moved or removed; and those that got a part."""
        found: set[int] = set()
        moved: set[int] = set()
        grown: set[int] = set()
        made: set[object] = set()
        for table, columns, before, after in self._rows.changes:
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
            found |= self._database.parents(moved)
        return found, grown - made

    def _broken_blocks(self, numbers: Iterable[int]) -> list[str]:
        """The blocks among these entities that cannot be made, each with the reason, and whether they could before."""
        expander: Expander | None = None
        before: Expander | None = None
        lines = []
        for number in sorted(numbers):
            block = self._database.by_id(number)
            if block.kind == "block":
                expander = expander or Expander(self._database)
                problem = self._problem(expander, block)
                if problem:
                    before = before or Expander(self._database, undone=reversed(self._rows.changes))
                    could = not self._problem(before, before.as_it_was(block))
                    how = "cannot be made any more" if could else "still cannot be made"
                    lines.append(f"but block {block.name!r} {how}: {problem}")
        return lines

    def _problem(self, expander: Expander, block: Entity) -> str:
        from workcell.geometry.recipe import Sewn

        try:
            solid = expander.solid(block)
            if solid is None:
                return ""
            if isinstance(solid.recipe, Sewn) and not is_closed(solid.recipe, self._database.meshes):
                return "its surfaces do not close"
            solid.mesh(progress=self._progress, cancel=self._cancel)  # pictures need the mesh anyway
        except Cancelled:
            raise
        except WorkcellError as error:
            return str(error)
        return ""

    def _gone_faces(self, changed: set[int]) -> list[str]:
        """Things that stand on a face that no longer exists, among the wholes of these parts and their bases."""
        database = self._database
        wholes = above(database, changed)
        name = current_scene(database) if wholes else ""
        scene = database.find("scene", name) if name else None
        lines: list[str] = []
        if scene is None or scene.id not in wholes:  # nothing that changed is placed
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
                name = database.called(relation)
                lines.append(f"but {name!r} stands on a face that no longer exists: {error}")
        return lines


def _number(value: object) -> int:
    assert isinstance(value, int)
    return value


def above(database: Database, touched: Iterable[int]) -> set[int]:
    """The ids of everything that contains these entities."""
    found: set[int] = set()
    waiting = list(touched)
    while waiting:
        for relation in database.pointers(waiting.pop()):
            if relation.parent not in found:
                found.add(relation.parent)
                waiting.append(relation.parent)
    return found
