"""What is wrong with lines of Agent text, found by reading their arguments without carrying them out."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from workcell.errors import WorkcellError
from workcell.languages.agent.command import AgentCommand
from workcell.languages.agent.lines import LineReader, Words
from workcell.languages.agent.operands import number_places, operands_at
from workcell.languages.agent.settings import Settings
from workcell.languages.agent.table import COMMANDS
from workcell.languages.agent.text_names import VECTOR, TextNames
from workcell.languages.agent.turn import DEGREE, MILLIMETRE, Turn
from workcell.wording import counted

if TYPE_CHECKING:
    from workcell.commands.library_models import Robot
    from workcell.commands.session import Session

_OPEN = ("...", "<parameters>", "<joint angles>", "<agent-type>", "x=")
"""Forms with these take any number of arguments above the least."""
_ARGUMENT = re.compile(r"\[?<[^<>]*>\]?")


class Mistake(NamedTuple):
    """What is wrong with a command: the line where it begins, from 1, the column there, from 0, and the sentence."""

    line: int
    column: int
    sentence: str


def mistakes_of(session: Session, text: str) -> Iterator[Mistake]:
    """Yield the mistakes of Agent lines; nothing is changed in the cell of the session."""
    reader, names, first = LineReader(), TextNames(session), 0
    for number, raw in enumerate(text.split("\n"), start=1):
        first = first if reader.continued else number
        line = reader.read(raw)
        at = 0
        for words in line.commands if line is not None else ():
            place, fault = _fault(session, words, names)
            start = max(at, raw.find(words.name, at))
            at = start + len(words.name)
            if fault:
                yield Mistake(first, _column(raw, start, words, place) if first == number else 0, fault)
            else:
                names.follow(words)


def _column(raw: str, start: int, words: Words, place: int) -> int:
    """Return where a word of a command is in its line: its name, or an argument counted from 1."""
    found = [start + one.start() for one in re.finditer(r"[^\s,;\\]+", raw[start:])]
    return found[place] if place < min(len(found), 1 + len(words.arguments)) else start


def _fault(session: Session, words: Words, names: TextNames) -> tuple[int, str]:
    """Return which word of a command is wrong, and why; '' if none is."""
    one = COMMANDS.get(words.name)
    if one is None:
        near = difflib.get_close_matches(words.name, COMMANDS, 1)
        hint = f"did you mean {near[0]}?" if near else "`agent-words` lists them all."
        return 0, f"There is no command {words.name!r}; {hint}"
    least, most = _counts(one)
    count = len(words.arguments)
    if count < least:
        return 0, f"{one.name} needs {counted(least, 'argument')}: {one.name} {one.form}; found {count}."
    if most is not None and count > most:
        return most + 1, f"{one.name} takes {counted(most, 'argument')} at most: {one.name} {one.form}; found {count}."
    turn = Turn(session, Settings(lambda _: None, lambda: None), words, one.onto, "", made=names.made)
    try:
        _read(turn, one, names)
    except WorkcellError as error:
        return turn.suspect, str(error)
    return 0, ""


def _read(turn: Turn, one: AgentCommand, names: TextNames) -> None:
    """Read the arguments of a command as its turn would; refused as the turn would be."""
    for index in number_places(one.form, turn.count):
        turn.number(index)
    if not names.sure:
        return
    if one.reads is not None:
        one.reads(turn)
    elif one.move is not None and not names.made.keys() & set(turn.words.arguments):
        joints = one.move(turn)[1].get("joints")
        if joints is not None:
            _require_limits(turn, turn.session.snapshot().robot(turn.words.arguments[0]).robot, joints)
    else:
        _read_names(turn, one, names)
        if "<joint angles>" in one.form and one.move is not None:
            _read_joints(turn, names)


def _read_joints(turn: Turn, names: TextNames) -> None:
    """Read the joint values for a robot that an earlier line makes."""
    maker = names.makers.get(turn.words.arguments[0])
    if maker is None or not turn.is_number(2):
        return
    robot = _robot_made(turn, maker)
    if robot is None:
        return
    turn.suspect = 2
    turn.expect(1 + robot.n, 1 + robot.n)
    sizes = (MILLIMETRE if row.prismatic else DEGREE for row in robot.rows)
    _require_limits(turn, robot, [turn.number(index) * size for index, size in enumerate(sizes, start=2)])


def _robot_made(turn: Turn, maker: Words) -> Robot | None:
    """Return the robot that a line makes; None if it would be refused, which is said there."""
    from workcell.commands.library_models import library_model

    one = COMMANDS[maker.name]
    try:
        model = one.reads(replace(turn, words=maker, onto=one.onto)) if one.reads is not None else None
    except WorkcellError:
        return None
    return library_model(model[0]) if isinstance(model, tuple) else None


def _require_limits(turn: Turn, robot: Robot, joints: Sequence[float]) -> None:
    """Refuse joint values out of range, at the first of them."""
    outside = robot.outside(joints)
    if outside and turn.is_number(2):
        turn.suspect = 1 + outside[0][0]
    robot.require_limits(joints)


def _read_names(turn: Turn, one: AgentCommand, names: TextNames) -> None:
    for index in range(turn.count):
        operands = operands_at(one.form, index)
        if operands == ("<agent>",):
            turn.agent(index + 1)
        elif operands == ("<object>",):
            turn.kind_of(index + 1)
        elif operands == ("<color>",):
            turn.colour(index + 1)
        elif operands[:1] == ("x=",):
            turn.keyed(index + 1)
            return
        elif operands in ((), ("<joint angles>", "<vector>")) and turn.word(index + 1) not in dict(names.of(VECTOR)):
            turn.number(index + 1)


def _counts(one: AgentCommand) -> tuple[int, int | None]:
    """Return the least and the greatest number of arguments; None if any number above the least is right."""
    if "|" in one.form and "<" not in one.form:
        return 1, 1
    plain = [part for part in _ARGUMENT.findall(one.form) if not part.startswith("[")]
    if any(part in one.form for part in _OPEN):
        named = [part for part in plain if part[1:-1].replace("-", "_").isidentifier() and part != "<parameters>"]
        return sum(f"={part}" not in one.form for part in named), None
    return len(plain), len(_ARGUMENT.findall(one.form))
