"""The rows of a cell as facts, the units of merges and conflicts."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import msgspec

from workcell.spatial.transform import Transform
from workcell.world.contents import Contents, Row
from workcell.world.journal import FLOOR

Key: TypeAlias = tuple[str, str]
"""The word for a fact, and the name of its property or part."""
Facts: TypeAlias = dict[Key, Any]
_sorted = msgspec.json.Encoder(order="sorted").encode
_ENTITY = ("kind", "name", "description", "colour", "movable")
NAME, SHAPE, TRANSFORM = ("name", ""), ("shape", ""), ("transform", "")
_TABLES = {"joints": "joints", "signal": "signals"}


class Side(NamedTuple):
    """One version of a cell: the facts of its entities and relations by id, its settings and its state."""

    entities: dict[int, Facts]
    relations: dict[int, Facts]
    settings: dict[str, str]
    state: Facts | None
    rows: dict[int, Row]
    """The rows of the entities and relations, by id."""

    @classmethod
    def of(cls, contents: Contents) -> Side:
        """The facts of these rows."""
        rows = contents.rows
        state = [_state_facts(data) for _, data in rows["state"]]
        return cls(
            {row[0]: _entity_facts(row) for row in rows["entity"]},
            {row[0]: _relation_facts(row) for row in rows["relation"]},
            {name: value for name, value in rows["setting"] if name != FLOOR},
            state[0] if state else None,
            {row[0]: row for table in ("entity", "relation") for row in rows[table]},
        )

    @classmethod
    def empty(cls) -> Side:
        """A cell without content."""
        return cls({}, {}, {}, None, {})


def _entity_facts(row: Row) -> Facts:
    facts: Facts = {(name, ""): value for name, value in zip(_ENTITY, row[1:6], strict=True)}
    facts[SHAPE] = None if row[6] is None else msgspec.json.decode(row[6])
    return facts | {("property", key): value for key, value in msgspec.json.decode(row[7]).items()}


def _relation_facts(row: Row) -> Facts:
    _, _, name, parent, child, position, form, _, description, properties = row
    facts: Facts = {
        NAME: name, ("parent", ""): parent, ("child", ""): child, ("position", ""): position, TRANSFORM: form,
        ("description", ""): description,
    }  # fmt: skip
    return facts | {("property", key): value for key, value in msgspec.json.decode(properties).items()}


def _state_facts(data: str) -> Facts:
    state = msgspec.json.decode(data)
    facts: Facts = {(word, ""): state[word] for word in ("time", "clock") if word in state}
    for word, part in _TABLES.items():
        facts |= {(word, name): value for name, value in state[part].items()}
    for name in {**state["poses"], **state["attached"]}:
        facts["body", name] = [state["poses"].get(name), state["attached"].get(name)]
    return facts


def entity_row(number: int, facts: Facts) -> Row:
    """The row of an entity."""
    shape = None if facts.get(SHAPE) is None else msgspec.json.encode(facts[SHAPE]).decode()
    return (number, *(facts[name, ""] for name in _ENTITY), shape, _properties(facts))


def relation_row(number: int, kind: str, facts: Facts) -> Row:
    """The row of a relation."""
    form = facts[TRANSFORM]
    return (
        number, kind, facts[NAME], facts["parent", ""], facts["child", ""], facts["position", ""], form,
        Transform.from_json(form).packed(), facts["description", ""], _properties(facts),
    )  # fmt: skip


def state_row(facts: Facts) -> Row:
    """The row of the state."""
    state: dict[str, Any] = {word: facts[word, ""] for word in ("time", "clock") if facts.get((word, "")) is not None}
    for word, part in _TABLES.items():
        state[part] = {name: value for (found, name), value in facts.items() if found == word}
    bodies = {name: value for (word, name), value in facts.items() if word == "body"}
    state["poses"] = {name: pose for name, (pose, _) in bodies.items() if pose is not None}
    state["attached"] = {name: held for name, (_, held) in bodies.items() if held is not None}
    return 1, _sorted(state).decode()


def _properties(facts: Facts) -> str:
    return _sorted({key: value for (word, key), value in facts.items() if word == "property"}).decode()
