"""The rows of a cell as values, and their check.

The same rules apply to a database, a text form and the recovered rows of a damaged file, before anything is made
from them: every value has its type, ids and names occur once, relations have both ends, fit their levels and form no
circle, and the history can be read.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import msgspec

from workcell.errors import InvalidValue, WorkcellError
from workcell.geometry import recipe as r
from workcell.geometry.nurbs.kept import curve_of
from workcell.spatial.transform import Transform, rigid, shear_of, unpacked
from workcell.spatial.units import SCALES, Units
from workcell.wording import an
from workcell.world.connection import damaged
from workcell.world.entities import ENTITY_COLUMNS, RELATION_COLUMNS
from workcell.world.foothold import BASE_ID
from workcell.world.kinds import KINDS, NOT_NEGATIVE, POSITIVE, SHARES, property_of, relation_kind
from workcell.world.modelling import SCALED
from workcell.world.names import is_name
from workcell.world.operations import is_operation, operation_of, surface_of
from workcell.world.riding import CARRIER, LINK
from workcell.world.robot_shape import robot_of_text
from workcell.world.row_change import change_problem
from workcell.world.row_change import decode as changes_of
from workcell.world.setup import FALL, STEP, WORDS
from workcell.world.state import CellState
from workcell.world.store import Store
from workcell.world.transaction import Transaction

Row: TypeAlias = tuple[Any, ...]
TABLES: dict[str, tuple[str, ...]] = {
    "setting": ("name", "value"),
    "entity": ENTITY_COLUMNS,
    "relation": RELATION_COLUMNS,
    "state": ("id", "data"),
    "journal": ("seq", "who", "time", "command", "typed", "difference", "world", "undone"),
    "blob": ("hash", "data"),
}
"""The tables of a cell, the key first."""
_LARGEST = 2**63 - 1
FARTHEST = 1e6
"""The farthest joint value that a cell stores [rad or m]; limits may be tighter now than when it was stored."""
_FAULTS = (WorkcellError, msgspec.MsgspecError, ValueError, TypeError, KeyError, OverflowError, RecursionError)

_object = msgspec.json.Decoder(dict[str, Any]).decode
_units = msgspec.json.Decoder(Units).decode


class Problem(NamedTuple):
    """One row that cannot be part of a cell."""

    table: str
    place: int
    """The index of the row in its table, from 0."""
    text: str
    mendable: bool = True
    """Whether another value in the row could repair it."""


class _Dangling(InvalidValue):
    """A relation without one of its ends."""


class Contents(msgspec.Struct):
    """The rows of every table."""

    rows: dict[str, list[Row]]

    @classmethod
    def empty(cls) -> Contents:
        """No rows."""
        return cls({table: [] for table in TABLES})

    def write_to(self, store: Store) -> None:
        """Fill an empty database, in one transaction."""
        with Transaction(store.connection):
            for table, columns in TABLES.items():
                insert = f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})"
                for row in self.rows[table]:
                    store.connection.execute(insert, row)


def refuse_damaged(store: Store) -> None:
    """Refuse a database whose rows are not those of a cell; history and kept files are checked when they are used."""
    execute = store.connection.execute
    known = {table: f"SELECT {', '.join(columns)} FROM {table}" for table, columns in TABLES.items()}
    known["journal"] = "SELECT seq, who, time, command, typed, x'90', world, undone FROM journal"
    known["blob"] += " WHERE 0"
    found = problems(Contents({table: execute(query).fetchall() for table, query in known.items()}))
    if found:
        more = f" and {len(found) - 1} more problem{'s' if len(found) > 2 else ''}" if len(found) > 1 else ""
        raise damaged(store.connection.file, f"{found[0].text}{more}", [one.text for one in found])


def problems(contents: Contents) -> list[Problem]:
    """All problems, table by table."""
    return list(_Check(contents).problems())


class _Check:
    def __init__(self, contents: Contents) -> None:
        self._rows = contents.rows
        self._kinds: dict[int, tuple[str, str]] = {}
        self._ids: dict[int, str] = {}
        self._links: dict[int, int] = {}  # the number of the last link of each robot and mechanism

    def problems(self) -> Iterator[Problem]:
        """Rows that are not valid."""
        checks: dict[str, Callable[[Row], str]] = {
            "setting": self._setting, "entity": self._entity, "relation": self._relation, "state": self._state,
            "journal": self._step, "blob": self._blob,
        }  # fmt: skip
        for table, columns in TABLES.items():
            self._seen: set[object] = set()
            for place, row in enumerate(self._rows[table]):
                mendable = True
                try:
                    text = checks[table](row) if len(row) == len(columns) else "it has the wrong number of values"
                except _FAULTS as error:
                    text, mendable = _reason(error), not isinstance(error, _Dangling)
                if text:
                    yield Problem(table, place, text, mendable)
            if table == "relation":
                yield from self._circles()
        yield from self._order_of_steps()

    def _once(self, key: object, text: str) -> str:
        if key in self._seen:
            return text
        self._seen.add(key)
        return ""

    def _number(self, value: object, what: str = "id") -> str:
        if type(value) is not int or not 0 < value <= _LARGEST:
            return f"the {what} {value!r} is not a whole number from 1 to 2⁶³ - 1"
        return ""

    def _new_id(self, number: int, what: str) -> str:
        if number in self._ids:
            return f"the id {number:016x} already belongs to {self._ids[number]}"
        self._ids[number] = what
        return ""

    def _entity(self, row: Row) -> str:
        number, kind, name, description, colour, movable, shape, properties = row
        if kind not in KINDS:
            return f"{kind!r} is not a kind of entity"
        if not isinstance(name, str) or not is_name(name):
            return f"{name!r} cannot be the name of {an(kind)}"
        what = f"{kind} {name!r}"
        problem = self._number(number) or self._new_id(number, what)
        if problem:
            return problem
        self._kinds[number] = kind, name
        if not isinstance(description, str) or not isinstance(colour, str | None):
            return f"the description or the colour of {what} is not a text"
        if movable not in (0, 1):
            return f"{what} must be movable (1) or not (0); found {movable!r}"
        problem = self._once((kind, name), f"{an(what)} already exists") or self._shape(number, kind, what, shape)
        return problem or values_problem(kind, what, _object(_text(properties)))

    def _shape(self, number: int, kind: str, what: str, shape: object) -> str:
        if shape is None:
            return ""
        text = _text(shape)
        if kind == "block":
            operation_of(text) if is_operation(text) else r.decode(text.encode())
        elif kind == "surface":
            surface_of(text)
        elif kind == "curve":
            curve_of(text)
        else:
            found = _object(text)
            if not isinstance(found.get("kind", ""), str):
                return f"the kind of the shape of {what} must be a text; found {_short(found['kind'])}"
            if kind in ("robot", "mechanism") and found.get("kind") == "robot":
                self._links[number] = robot_of_text(_text(found.get("file"))).n
        return ""

    def _relation(self, row: Row) -> str:
        number, kind, name, parent, child, position, form, matrix, description, properties = row
        if not isinstance(name, str) or not is_name(name):
            return f"{name!r} cannot be the name of a relation"
        for end, which in ((parent, "parent"), (child, "child")):
            if end not in self._kinds:
                shown = f"{end:016x}" if type(end) is int else repr(end)
                raise _Dangling(f"the {which} of relation {name!r} is the id {shown}, which no entity has")
        owner = f"{self._kinds[parent][0]} {self._kinds[parent][1]!r}"
        problem = self._number(number) or self._new_id(number, f"relation {name!r}")
        problem = problem or self._once((parent, name), f"{owner} has a relation called {name!r} already")
        if problem:
            return problem
        wanted = relation_kind(self._kinds[parent][0], self._kinds[child][0])
        if kind != wanted:
            return f"relation {name!r} of {owner} must be of the kind {wanted}; found {kind!r}"
        if type(position) is not int or not -_LARGEST <= position <= _LARGEST or not isinstance(description, str):
            return f"the position or the description of relation {name!r} of {owner} is not valid"
        what = f"relation {name!r} of {owner}"
        return self._placed(what, kind, form, matrix) or _links_problem(
            what, _object(_text(properties)), self._links.get(parent)
        )

    def _placed(self, what: str, kind: str, form: object, matrix: object) -> str:
        rows = Transform.from_json(_text(form)).rows()
        if not isinstance(matrix, bytes) or len(matrix) != 128:
            return f"the matrix of {what} does not have 16 numbers"
        kept = unpacked(matrix).ravel().tolist()
        if not all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) for a, b in zip(rows, kept, strict=False)):
            return f"the matrix of {what} does not follow from its steps"
        if kept[12:] != [0.0, 0.0, 0.0, 1.0] or (bool(shear_of(rows)) if kind in SCALED else not rigid(rows)):
            return f"the transformation of {what} {'contains shear' if kind in SCALED else 'is not rigid'}"
        return ""

    def _circles(self) -> Iterator[Problem]:
        """Relations that make an entity part of itself: edges back to an entity on the way of a walk."""
        parts: dict[int, list[tuple[int, int]]] = {}
        for place, row in enumerate(self._rows["relation"]):
            if len(row) == len(RELATION_COLUMNS) and row[3] in self._kinds and row[4] in self._kinds:
                parts.setdefault(row[3], []).append((row[4], place))
        state: dict[int, int] = {}  # 1 in progress, 2 done
        for start, first in parts.items():
            if start in state:
                continue
            state[start] = 1
            walk = [(start, iter(first))]
            while walk:
                owner, left = walk[-1]
                step = next(left, None)
                if step is None:
                    state[owner] = 2
                    walk.pop()
                    continue
                child, place = step
                if state.get(child) == 1:
                    kind, name = self._kinds[child]
                    relation = self._rows["relation"][place][2]
                    text = f"relation {relation!r} makes {kind} {name!r} a part of itself"
                    yield Problem("relation", place, text, mendable=False)
                elif child not in state:
                    state[child] = 1
                    walk.append((child, iter(parts.get(child, ()))))

    def _setting(self, row: Row) -> str:
        name, value = row
        if not isinstance(name, str) or not isinstance(value, str):
            return "a setting must be a name and a text"
        if name == "units" and value:
            _units(value)
        if value and value not in WORDS.get(name, (value,)):
            return f"the setting {name!r} must be one of {', '.join(WORDS[name])}; found {_short(value)}"
        if name == STEP and value and not 0.0 < float(value) < math.inf:
            return f"the setting {name!r} must be an angle of more than zero [rad]; found {_short(value)}"
        if name == FALL and value and not 0.0 <= float(value) < math.inf:
            return f"the setting {name!r} must be a height of zero or more [m]; found {_short(value)}"
        return self._once(name, f"the setting {name!r} occurs twice")

    def _state(self, row: Row) -> str:
        number, data = row
        CellState.from_json(_text(data))
        return self._once(1, "there is already a state") or ("" if number == 1 else "the number of the state must be 1")

    def _step(self, row: Row) -> str:
        seq, who, time, command, typed, difference, world, undone = row
        problem = self._number(seq, "number of a step") or self._once(seq, f"there is already a step {seq}")
        if problem:
            return problem
        if not all(isinstance(text, str) for text in (who, command, typed)):
            return f"step {seq} has a command that is not a text"
        if not isinstance(time, int | float) or not math.isfinite(time):
            return f"the time of step {seq} is not a number"
        if world not in (0, 1) or undone not in (0, 1):
            return f"step {seq} must have 0 or 1 for `world` and `undone`"
        faults = (change_problem(change) for change in changes_of(difference))
        found = next((fault for fault in faults if fault), "")
        return f"step {seq} cannot be undone: {found}" if found else ""

    def _order_of_steps(self) -> Iterator[Problem]:
        numbered = [(row[0], place, row[7]) for place, row in enumerate(self._rows["journal"]) if len(row) == 8]
        steps = sorted(step for step in numbered if type(step[0]) is int)
        first = next((seq for seq, _, undone in steps if undone), 0)
        for seq, place, undone in steps:
            if first and seq > first and not undone:
                yield Problem("journal", place, f"step {seq} is in force after step {first}, which is undone")

    def _blob(self, row: Row) -> str:
        digest, data = row
        if not isinstance(data, bytes) or hashlib.sha256(data).hexdigest() != digest:
            return "the bytes of a kept file do not have the hash that names them"
        return self._once(digest, f"the kept file {digest} occurs twice")


def values_problem(kind: str, what: str, properties: dict[str, Any]) -> str:
    """What is wrong with the properties of an entity of a kind; '' if nothing is."""
    for name, value in properties.items():
        declared = property_of(kind, name)
        if declared is not None and not _fits(declared.quantity, value):
            return f"the {name} of {what} must be {_WANTED.get(declared.quantity, 'a number')}; found {_short(value)}"
        if declared is not None and name in POSITIVE and value <= 0:
            return f"the {name} of {what} must be more than zero; found {_short(value)}"
        if declared is not None and name in NOT_NEGATIVE and value < 0:
            return f"the {name} of {what} must be zero or more; found {_short(value)}"
        if declared is not None and name in SHARES and not 0 <= value <= 1:
            return f"the {name} of {what} must be from 0 to 1; found {_short(value)}"
        if declared is not None and declared.quantity == "joints" and any(abs(one) > FARTHEST for one in value):
            return f"the {name} of {what} must be from -{FARTHEST:g} to {FARTHEST:g} rad or m; found {_short(value)}"
        if declared is not None and name == "holds" and value and value not in declared.words:
            return f"the {name} of {what} must be one of {', '.join(declared.words)}; found {_short(value)}"
        if name == "profile" and kind in ("robot", "mechanism") and value and value not in WORDS["profile"]:
            return f"the profile of {what} must be one of {', '.join(WORDS['profile'])}; found {_short(value)}"
        if (
            declared is None
            and isinstance(value, dict)
            and "si" in value
            and not isinstance(value.get("quantity"), str)
        ):
            return f"the {name} of {what} has no quantity"
    return ""


_WANTED = {
    "text": "a text", "yes/no": "true or false", "vector": "three numbers", "joints": "a row of numbers",
    "pose": "twelve numbers", "lengths": "a row of numbers",
}  # fmt: skip


def _fits(quantity: str, value: object) -> bool:
    if quantity == "text":
        return isinstance(value, str)
    if quantity == "yes/no":
        return isinstance(value, bool) or value in (0, 1)
    if quantity in ("vector", "joints", "pose", "lengths"):
        counts = {"vector": (3,), "pose": (12,)}.get(quantity)
        return isinstance(value, list) and all(map(_is_number, value)) and (counts is None or len(value) in counts)
    return _is_number(value) if quantity in SCALES or quantity == "number" else True


def _links_problem(what: str, properties: dict[str, Any], last: int | None) -> str:
    for name in ("link", LINK):
        link: Any = properties.get(name)
        if name in properties and (not _is_number(link) or link < 0 or link != int(link)):
            return f"the {name} of {what} must be a whole number, counted from 0; found {_short(link)}"
    if last is not None and properties.get("link", 0) > last:
        return f"the link of {what} must be from 0 (base) to {last}; found {_short(properties['link'])}"
    for name in (BASE_ID, CARRIER):
        if name in properties:
            int(_text(properties[name]), 16)
    return ""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidValue(f"a text was expected; found {_short(value)}")
    return value


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _reason(error: BaseException) -> str:
    text = "it is nested too deeply" if isinstance(error, RecursionError) else str(error) or type(error).__name__
    return " ".join(text.split()).rstrip(".")
