"""The rows in the blocks of a text form."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec

from workcell.errors import WorkcellError
from workcell.spatial.transform import Transform
from workcell.world.kinds import relation_kind
from workcell.world.text_form_1 import STEPS, Lines, id_of, read_rows
from workcell.world.text_lines import Block, Fact, blocks_of, field, json_text

_sorted = msgspec.json.Encoder(order="sorted").encode
STATE = {"joints": "joints", "pose": "poses", "attached": "attached", "signal": "signals"}
"""The parts of a state that have names, by their words."""


def read_blocks(lines: list[tuple[int, str]]) -> Lines:
    """The rows of a text of the second version, with the lines of a history if it has some."""
    steps = [one for one in lines if one[1].startswith("{")]
    found = read_rows(steps, STEPS)
    blocks = blocks_of([one for one in lines if not one[1].startswith("{")], found.faults)
    files = _files(blocks, found)
    kinds: dict[int, str] = {}
    for block in sorted(blocks, key=lambda block: block.words[0] == "relation"):  # after their owners
        try:
            _READ.get(block.words[0], _read_entity)(_Facts(block, files, kinds, found))
        except _Wrong as error:
            found.faults.append((error.line, error.text))
        except RecursionError:
            found.faults.append((block.line, "it is nested too deeply"))
    return found


class _Wrong(Exception):
    def __init__(self, line: int, text: str) -> None:
        self.line, self.text = line, text


class _Facts:
    """The facts of one block, taken one by one."""

    def __init__(self, block: Block, files: dict[str, str], kinds: dict[int, str], found: Lines) -> None:
        self.line, self.words = block.line, block.words
        self.kinds, self.found = kinds, found
        self.lines: dict[str, int] = {}
        self._files = files
        self._facts: dict[tuple[str, str], Fact] = {}
        for one in block.facts:
            before = self._facts.get((one.word, one.key))
            if before is not None and not (one.item and before.item):
                self.wrong(f"the field {field(one.word, one.key)!r} occurs twice", one.line)
            elif one.item:
                values = [*before.value, one.value] if before is not None else [one.value]
                self._facts[one.word, one.key] = one._replace(value=values)
            else:
                self._facts[one.word, one.key] = one
                self.lines.setdefault(one.key or one.word, one.line)

    def wrong(self, text: str, line: int = 0) -> None:
        """Remember a fault; the other facts are still read."""
        self.found.faults.append((line or self.line, text))

    def heading(self, count: int) -> None:
        """Refuse a heading with the wrong number of words."""
        if len(self.words) != count:
            raise _Wrong(self.line, f"the heading [{' '.join(self.words)}] has the wrong number of words")

    def number(self, place: int) -> int:
        """An id in the heading."""
        return self._id(self.words[place], self.line)

    def take(self, word: str, kind: type | tuple[type, ...], otherwise: Any = None, what: str = "a text") -> Any:
        """The value of a field."""
        one = self._facts.pop((word, ""), None)
        if one is None:
            if otherwise is None:
                raise _Wrong(self.line, f"the field {word!r} is missing")
            return otherwise
        if not isinstance(one.value, kind) or (isinstance(one.value, bool) and kind is not bool):
            raise _Wrong(one.line, f"the field {word!r} must be {what}; found {json_text(one.value)[:60]}")
        return one.value

    def id_at(self, word: str) -> int:
        """The id in a field."""
        one = self._facts.get((word, ""))
        return self._id(self.take(word, str), one.line if one else self.line)

    def keyed(self, word: str) -> dict[str, Any]:
        """The values of the fields that begin with a word, by their keys."""
        named = [key for first, key in self._facts if first == word]
        return {key: self._facts.pop((word, key)).value for key in named}

    def whole(self, value: Any, line: int = 0) -> Any:
        """A value of a shape with its files inserted."""
        if isinstance(value, list):
            return [self.whole(one, line) for one in value]
        if not isinstance(value, dict):
            return value
        if value.keys() == {"@"}:
            if not isinstance(value["@"], str) or value["@"] not in self._files:
                raise _Wrong(
                    line or self.line, f"it names the file {str(value['@'])[:64]!r}, which the text does not contain"
                )
            return self._files[value["@"]]
        return {key.removeprefix("@"): self.whole(one, line) for key, one in value.items()}

    def end(self) -> None:
        """Refuse unused fields."""
        for one in self._facts.values():
            self.wrong(f"the field {field(one.word, one.key)!r} does not belong to [{self.words[0]}]", one.line)

    def _id(self, text: str, line: int) -> int:
        try:
            return id_of(text)
        except ValueError as error:
            raise _Wrong(line, str(error)) from None


def _files(blocks: list[Block], found: Lines) -> dict[str, str]:
    files: dict[str, str] = {}
    for block in blocks:
        if block.words[0] == "file":
            facts = _Facts(block, {}, {}, found)
            try:
                facts.heading(2)
                text, digest = facts.take("text", str), block.words[1]
                facts.end()
                if hashlib.sha256(text.encode(errors="replace")).hexdigest() != digest:
                    facts.wrong("the lines of the file do not have the hash that names it")
                elif digest in files:
                    facts.wrong(f"the file {digest} occurs twice")
                files[digest] = text
            except _Wrong as error:
                found.faults.append((error.line, error.text))
    return files


def _read_settings(facts: _Facts) -> None:
    facts.heading(1)
    for name, value in facts.keyed("setting").items():
        facts.found.put("setting", (name, value), facts.lines.get(name, facts.line))
    facts.end()


def _read_table(facts: _Facts) -> None:
    facts.heading(2)
    facts.found.put("setting", (facts.words[1], _compact(facts.keyed("value"))), facts.line)
    facts.end()


def _read_entity(facts: _Facts) -> None:
    facts.heading(2)
    number, kind = facts.number(1), facts.words[0]
    name = facts.take("name", str)
    description, colour = facts.take("description", str, ""), facts.keyed("colour").get("")
    movable = facts.take("movable", bool, False, "true or false")
    properties, shape = facts.keyed("property"), facts.keyed("shape")
    facts.end()
    text = None
    if shape:
        one = shape.get("", shape)
        if "" in shape and len(shape) > 1:
            raise _Wrong(facts.line, "its shape is given both as a whole and in parts")
        text = _compact(facts.whole(one, facts.lines.get("file", 0)))
    facts.kinds[number] = kind
    row = (number, kind, name, description, colour, int(movable), text, _sorted(properties).decode())
    facts.found.put("entity", row, facts.line, facts.lines)


def _read_relation(facts: _Facts) -> None:
    facts.heading(4)
    number, parent, child = facts.number(1), facts.number(3), facts.id_at("to")
    if facts.words[2] != "of":
        raise _Wrong(
            facts.line, f"the heading of a relation must be [relation ID of ID]; found [{' '.join(facts.words)}]"
        )
    name = facts.take("name", str)
    position = facts.take("position", int, number, "a whole number")
    steps, line = facts.take("transform", list, [], "a list of steps"), facts.lines.get("transform", facts.line)
    description, properties = facts.take("description", str, ""), facts.keyed("property")
    facts.end()
    form = _compact(steps)
    try:
        matrix = Transform.from_json(form).packed()
    except (msgspec.MsgspecError, WorkcellError, ValueError, TypeError, OverflowError) as error:
        raise _Wrong(line, str(error).rstrip(".")) from None
    kind = ""  # a relation without both ends, or that does not fit them, is refused when the rows are checked
    if parent in facts.kinds and child in facts.kinds:
        try:
            kind = relation_kind(facts.kinds[parent], facts.kinds[child])
        except (WorkcellError, KeyError):
            kind = ""
    row = (
        number, kind, name, parent, child, position, form, matrix, description, _sorted(properties).decode(),
    )  # fmt: skip
    facts.found.put("relation", row, facts.line, facts.lines)


def _read_state(facts: _Facts) -> None:
    facts.heading(1)
    whole = facts.take("data", dict, {}, "a state")
    if not whole:
        whole = {"time": facts.take("time", (int, float), what="a number [s]")}
        clock = facts.take("clock", (int, float), what="a number [s]", otherwise="")
        whole |= {"clock": clock} if clock != "" else {}
        whole |= {part: facts.keyed(word) for word, part in STATE.items()}
    facts.end()
    facts.found.put("state", (1, _sorted(whole).decode()), facts.line)


_READ: dict[str, Callable[[_Facts], None]] = {
    "cell": _read_settings, "setting": _read_table, "relation": _read_relation, "state": _read_state,
    "file": lambda _: None,
}  # fmt: skip


def _compact(value: object) -> str:
    return msgspec.json.encode(value).decode()
