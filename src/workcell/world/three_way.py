"""Merges three versions of a cell: changes of one side are used, different changes of both are a conflict.

Entities and relations are the same in two versions if they have the same id. Each of their facts is merged
separately, the text of a program line by line. Where the sides disagree, the preferred one is followed, and the
conflict is reported with the values of all three. The result is checked by the same rules as a file that is opened.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from workcell.errors import Refused, WorkcellError
from workcell.world.conflict import OURS, THEIRS, Conflict
from workcell.world.contents import Contents, problems
from workcell.world.facts import NAME, SHAPE, Facts, Key, Side, entity_row, relation_row, state_row
from workcell.world.kinds import RIVALS, relation_kind
from workcell.world.line_merge import merge_lines
from workcell.world.merge_values import Values
from workcell.world.riding import CARRIER


class Merged(msgspec.Struct, frozen=True):
    """The result of a merge: the rows of the cell without a history, and the conflicts."""

    contents: Contents
    conflicts: tuple[Conflict, ...]


def three_way(base: Side, ours: Side, theirs: Side, prefer: str = OURS) -> Merged:
    """Merge the changes of two sides since their common base."""
    return _Merge(base, ours, theirs, prefer).run()


class _Merge:
    def __init__(self, base: Side, ours: Side, theirs: Side, prefer: str) -> None:
        self.base, self.ours, self.theirs = base, ours, theirs
        self.prefer = prefer
        self.conflicts: list[Conflict] = []
        self.entities: dict[int, Facts] = {}
        self.relations: dict[int, Facts] = {}

    def run(self) -> Merged:
        """Merge everything, then settle rows that do not fit together."""
        lost = self._merge_rows("entities")
        lost_relations = self._merge_rows("relations")
        for number, keeper in lost.items():
            self._settle_removed(number, keeper)
        self._settle_removed_relations(
            {n: keeper for n, keeper in lost_relations.items() if not self._disputed(n, lost)}
        )
        self._settle_missing()
        self._settle_fit()
        self._settle_circles()
        self._settle_fitted()
        names = self._names()
        self.conflicts += names
        contents = self._contents()
        if not names:
            contents = self._judged(contents)
        return Merged(contents, tuple(self.conflicts))

    @property
    def _preferred(self) -> Side:
        return self.ours if self.prefer == OURS else self.theirs

    def _side(self, name: str) -> Side:
        return self.ours if name == OURS else self.theirs

    # ---- facts ----------------------------------------------------------------------------------------

    def _merge_rows(self, what: str) -> dict[int, str]:
        """Merge entities or relations; return those that one side removed and the other, the keeper, changed."""
        base, ours, theirs = (getattr(side, what) for side in (self.base, self.ours, self.theirs))
        merged, lost = getattr(self, what), {}
        for number in {**ours, **theirs}:
            was, left, right = base.get(number), ours.get(number), theirs.get(number)
            if right in (left, was):
                chosen = left
            elif left == was:
                chosen = right
            elif left is not None and right is not None:
                chosen = self._facts(number, was or {}, left, right, what == "entities")
            else:
                chosen = None
                lost[number] = THEIRS if left is None else OURS
            if chosen is not None:
                merged[number] = chosen
        return lost

    def _facts(self, number: int, was: Facts, left: Facts, right: Facts, entity: bool) -> Facts:
        merged: Facts = {}
        for key in {**left, **right}:
            value = self._value(number, key, was.get(key), left.get(key), right.get(key), entity)
            if value is not None or (key in left and key[1] == ""):
                merged[key] = value
        return merged

    def _value(self, number: int, key: Key, was: Any, left: Any, right: Any, entity: bool) -> Any:
        if right in (left, was):
            return left
        if left == was:
            return right
        kind, name = self._called(number) if entity else ("relation", self._path(number))
        if key == ("property", "text") and kind == "program":
            return self._program(number, name, was, left, right)
        if key == SHAPE and isinstance(shape := _merged_numbers(was, left, right), dict):
            return shape
        self._conflict("changed", kind, name, id=number, field=key[1] or key[0], base=was, ours=left, theirs=right)
        return left if self.prefer == OURS else right

    def _program(self, number: int, name: str, was: Any, left: Any, right: Any) -> Any:
        texts = [str(text or "").split("\n") for text in (was, left, right)]
        lines, disputes = merge_lines(texts[0], texts[1], texts[2], self.prefer == OURS)
        for one in disputes:
            values = {side: "\n".join(getattr(one, side)) for side in ("base", "ours", "theirs")}
            self._conflict("line", "program", name, id=number, field="text", line=one.line, **values)
        return "\n".join(lines)

    def _conflict(self, what: str, kind: str, name: str, **more: Any) -> None:
        self.conflicts.append(Conflict(what, kind, name, **more))

    # ---- removed here, changed there ------------------------------------------------------------------

    def _disputed(self, number: int, lost: Iterable[int]) -> bool:
        """Whether a relation belongs to an entity that is itself in dispute."""
        facts = self.ours.relations.get(number) or self.theirs.relations[number]
        return facts["parent", ""] in lost or facts["child", ""] in lost

    def _settle_removed(self, number: int, keeper: str) -> None:
        kind, name = self._called(number, keeper)
        now, was = self._side(keeper).entities[number], self.base.entities.get(number, {})
        changed = sorted(key[1] or key[0] for key in {**now, **was} if now.get(key) != was.get(key))
        remover = THEIRS if keeper == OURS else OURS
        self._conflict("removed", kind, name, id=number, field=", ".join(changed), removed=remover)
        if keeper == self.prefer:
            self._bring_back(number, keeper)

    def _settle_removed_relations(self, lost: dict[int, str]) -> None:
        for number, keeper in lost.items():
            facts = self._side(keeper).relations[number]
            gone = [end for end in (facts["parent", ""], facts["child", ""]) if end not in self.entities]
            if not gone:
                remover = THEIRS if keeper == OURS else OURS
                self._conflict("removed", "relation", self._path(number, keeper), id=number, removed=remover)
            if keeper == self.prefer:
                self.relations[number] = facts
            elif gone:
                self._missing(number, gone[0], keeper)

    def _bring_back(self, number: int, keeper: str) -> None:
        """Restore an entity as one side has it, with its parts and the relations to its wholes."""
        side, waiting = self._side(keeper), [number]
        while waiting:
            one = waiting.pop()
            self.entities[one] = side.entities[one]
            for key, facts in side.relations.items():
                parent, child = facts["parent", ""], facts["child", ""]
                if parent == one and child not in self.entities:
                    waiting.append(child)
                if parent == one or (child == one and parent in self.entities):
                    self.relations.setdefault(key, facts)

    def _settle_missing(self) -> None:
        """Settle relations to or from something that the other side removed."""
        again = True
        while again:
            again = False
            for number, facts in list(self.relations.items()):
                ends = [facts["parent", ""], facts["child", ""], *_carriers(facts)]
                for end in ends:
                    if number in self.relations and end not in self.entities:
                        again = True
                        self._settle_end(number, end)

    def _settle_end(self, number: int, end: int) -> None:
        keeper = OURS if end in self.ours.entities else THEIRS
        if end not in self._side(keeper).entities:
            del self.relations[number]
            return
        self._missing(number, end, keeper)
        if keeper == self.prefer:
            self._bring_back(end, keeper)
        else:
            del self.relations[number]

    def _missing(self, number: int, end: int, keeper: str) -> None:
        kind, name = self._called(end, keeper)
        values = {keeper: f"{kind} {name!r}"}
        remover = THEIRS if keeper == OURS else OURS
        self._conflict("missing", "relation", self._path(number, keeper), id=number, removed=remover, **values)

    # ---- what is valid alone but not together ---------------------------------------------------------

    def _settle_fit(self) -> None:
        for number, facts in list(self.relations.items()):
            kinds = [self.entities[facts[end, ""]]["kind", ""] for end in ("parent", "child")]
            try:
                relation_kind(kinds[0], kinds[1])
            except WorkcellError:
                self._conflict("fit", "relation", self._path(number), id=number, base=f"{kinds[1]} in {kinds[0]}")
                del self.relations[number]

    def _settle_circles(self) -> None:
        while circle := self._circle():
            known = self._preferred.relations
            odd = [number for number in circle if known.get(number) != self.relations[number]] or circle
            number = odd[0]
            kind, name = self._called(self.relations[number]["parent", ""])
            self._conflict("circle", kind, name, id=number, field=self.relations[number][NAME])
            before = known.get(number)
            if before is not None and before != self.relations[number]:
                self.relations[number] = before
            else:
                del self.relations[number]

    def _circle(self) -> list[int]:
        """The relations of a circle, or none."""
        parts: dict[int, list[tuple[int, int]]] = {}
        for number, facts in self.relations.items():
            parts.setdefault(facts["parent", ""], []).append((facts["child", ""], number))
        done: set[int] = set()
        for start, first in parts.items():
            if start in done:
                continue
            path: list[tuple[int, int]] = [(start, 0)]
            on_path, walks = {start}, [iter(first)]
            while walks:
                step = next(walks[-1], None)
                if step is None:
                    done.add(path[-1][0])
                    on_path.discard(path.pop()[0])
                    walks.pop()
                    continue
                child, number = step
                if child in on_path:
                    at = next(place for place, (one, _) in enumerate(path) if one == child)
                    return [*(via for _, via in path[at + 1 :]), number]
                if child not in done:
                    path.append((child, number))
                    on_path.add(child)
                    walks.append(iter(parts.get(child, ())))
        return []

    def _settle_fitted(self) -> None:
        """Settle a tool that both sides fitted to different robots, and a robot with different tools on both sides."""
        laws = (
            "a tool can be on one flange only; ours fits it to {}, theirs to {}",
            "a robot can have only one tool; ours fits {}, theirs {}",
        )
        for (end, other), law in zip((("child", "parent"), ("parent", "child")), laws, strict=True):
            fits: dict[int, list[int]] = {}
            for number, facts in sorted(self.relations.items()):
                kinds = [self.entities[facts[one, ""]]["kind", ""] for one in ("parent", "child")]
                if kinds[0] == "robot" and kinds[1] in ("tool", "gripper"):
                    fits.setdefault(facts[end, ""], []).append(number)
            for thing, numbers in fits.items():
                sides = {name: [n for n in numbers if n in self._side(name).relations] for name in (OURS, THEIRS)}
                if len(numbers) in (1, *map(len, sides.values())):
                    continue  # or one side had it before
                names = [
                    " and ".join(self._called(self.relations[n][other, ""])[1] for n in has) for has in sides.values()
                ]
                kind, name = self._called(thing)
                self._conflict("fit", kind, name, id=thing, base=law.format(*names))
                for number in numbers:
                    if number not in sides[self.prefer]:
                        del self.relations[number]

    def _names(self) -> list[Conflict]:
        """Conflicts of one name for two things: entities of a kind, or of kinds used by name alone, and relations."""
        found: list[Conflict] = []
        taken: dict[tuple[Any, str], int] = {}
        for number, facts in sorted(self.entities.items()):
            kind, name = facts["kind", ""], facts[NAME]
            others = [taken[one, name] for one in (kind, *RIVALS.get(kind, ())) if (one, name) in taken]
            if others:
                found.append(self._clash(kind, name, others[0], number))
            taken.setdefault((kind, name), number)
        for number, facts in sorted(self.relations.items()):
            owner, name = facts["parent", ""], facts[NAME]
            other = taken.setdefault((owner, name), number)
            if other != number:
                found.append(self._clash("relation", self._path(number), other, number))
        return found

    def _clash(self, kind: str, name: str, first: int, second: int) -> Conflict:
        """Two things with one name; the first of ``ours`` and ``theirs`` is the id of the thing of that side."""
        mine, other = (first, second) if self._named_by(OURS, first) else (second, first)
        return Conflict("name", kind, name, id=other if self.prefer == OURS else mine, ours=mine, theirs=other)

    def _named_by(self, side: str, number: int) -> bool:
        """Whether a side has the thing under its present name."""
        has, now = self._side(side), {**self.entities, **self.relations}[number]
        facts = has.entities.get(number) or has.relations.get(number)
        return facts is not None and facts[NAME] == now[NAME]

    # ---- the result -----------------------------------------------------------------------------------

    def _contents(self) -> Contents:
        contents = Contents.empty()
        for number, facts in sorted(self.entities.items()):
            row = self._as_it_was("entities", number, facts)
            contents.rows["entity"].append(row or entity_row(number, facts))
        for number, facts in sorted(self.relations.items()):
            kinds = [self.entities[facts[end, ""]]["kind", ""] for end in ("parent", "child")]
            row = self._as_it_was("relations", number, facts)
            kind = relation_kind(kinds[0], kinds[1])
            contents.rows["relation"].append(
                row if row is not None and row[1] == kind else relation_row(number, kind, facts)
            )
        values = Values(self.base, self.ours, self.theirs, self.prefer)
        contents.rows["setting"] = sorted(values.settings().items())
        state = values.state()
        contents.rows["state"] = [] if state is None else [state_row(state)]
        self.conflicts += values.conflicts
        return contents

    def _as_it_was(self, what: str, number: int, facts: Facts) -> tuple[Any, ...] | None:
        """The row of the side that has exactly these facts."""
        for side in (self.ours, self.theirs):
            if getattr(side, what).get(number) == facts:
                return side.rows[number]
        return None

    def _judged(self, contents: Contents) -> Contents:
        """Check the result by the rules for files; a wrong merged thing becomes that of the preferred side."""
        for one in problems(contents):
            row = contents.rows[one.table][one.place]
            before = self._preferred.rows.get(row[0]) if one.table in ("entity", "relation") else None
            if before is None or before == row:
                raise Refused(f"The two versions do not fit each other: {one.text}.", problems=[one.text])
            kind, name = self._called(row[0]) if one.table == "entity" else ("relation", self._path(row[0]))
            self._conflict("fit", kind, name, id=row[0], base=one.text)
            contents.rows[one.table][one.place] = before
        left = problems(contents) if self.conflicts else []
        if left:
            raise Refused(f"The two versions do not fit each other: {left[0].text}.", problems=[left[0].text])
        return contents

    # ---- names in messages ----------------------------------------------------------------------------

    def _called(self, number: int, side: str = "") -> tuple[str, str]:
        """The kind and the name of an entity: in the result, or as on a side."""
        order = [self._side(side)] if side else [self.ours, self.theirs, self.base]
        facts = next(found for one in order if (found := one.entities.get(number)))
        return facts["kind", ""], facts[NAME]

    def _path(self, number: int, side: str = "") -> str:
        """A relation as its owner and its name."""
        order = [self._side(side)] if side else [self.ours, self.theirs]
        for one in order:
            facts = one.relations.get(number)
            if facts is not None:
                owner = one.entities.get(facts["parent", ""], {}).get(NAME, "?")
                return f"{owner}/{facts[NAME]}"
        return "?"


def _carriers(facts: Facts) -> list[int]:
    """The mechanism that a relation rides on."""
    carrier = facts.get(("property", CARRIER))
    return [int(carrier, 16)] if isinstance(carrier, str) else []


def _merged_numbers(was: Any, left: Any, right: Any) -> Any:
    """A shape in which both sides changed numbers, but different ones; None if they do not fit together."""
    sides = was, left, right
    if not all(
        isinstance(one, dict) and one.get("kind") == left.get("kind") and one.keys() == left.keys() for one in sides
    ):
        return None
    merged = {}
    for key in left:
        before, mine, other = (one[key] for one in sides)
        if mine != other and not all(type(value) in (int, float) for value in (before, mine, other)):
            return None
        if mine != other and before not in (mine, other):
            return None
        merged[key] = other if mine == before else mine
    return merged
