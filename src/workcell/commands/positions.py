"""Commands on positions, which are named joint values: record-position, forget-position, positions, and their files."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import msgspec

from workcell.commands.language.joint_values import JointVector
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.tokens import unquote
from workcell.commands.language.values import File, NewName, Text
from workcell.commands.results import Done, Result
from workcell.commands.script import read_lines
from workcell.errors import FileProblem, InvalidValue, UnknownName
from workcell.simulation.in_scene import simulated
from workcell.wording import counted, quoted
from workcell.world.entities import Entity
from workcell.world.kept_files import BLOB
from workcell.world.names import check_name
from workcell.world.setup import POSITIONS

if TYPE_CHECKING:
    from workcell.commands.session import Session

_PUMA = "> create robot Puma puma560 joints 0,0,-90,0,90,0"
_MOST_BYTES = 1 << 24
_LINE = re.compile(r'\s*("[^"]*"|\S+)(.*)')
_HEAD = "; positions: a name, then the joint values [deg or mm]; a value that slides ends in mm"


class Position(Result, frozen=True):
    """Named joint values [rad or m], and which of them slide."""

    name: str
    joints: list[float]
    slides: list[bool]


class Positions(Result, frozen=True):
    """All positions of a cell."""

    positions: tuple[Position, ...]

    def __str__(self) -> str:
        return "\n".join(_line(one) for one in self.positions) or "There are no positions"


def _kept(session: Session) -> dict[str, Position]:
    text = session.database.setting(POSITIONS)
    found = msgspec.json.decode(text) if text else {}
    return {
        name: Position(name, [float(v) for v in values], [kind == "m" for kind in kinds])
        for name, (kinds, *values) in found.items()
    }


def _keep(session: Session, positions: dict[str, Position]) -> None:
    kept = {
        name: ["".join("m" if slides else "r" for slides in one.slides), *one.joints] for name, one in positions.items()
    }
    session.database.set_setting(session.rows, POSITIONS, msgspec.json.encode(kept).decode())


@command(
    "record-position {name} of {robot} [joints {joints}]",
    help="store the joint values of a robot under a name",
    effect="edits",
    name=NewName(),
    robot=Ref("robot", "mechanism"),
    joints=JointVector(),
    param_help={
        "name": "the name of the position; one of that name is replaced",
        "joints": "joint values to store instead of the current ones",
    },
    examples=[_PUMA, "record-position rest of Puma", "record-position up of Puma joints 0,-90,90,0,0,0"],
)
def record_position(session: Session, name: str, robot: Entity, joints: tuple[float, ...] | None = None) -> Done:
    """A position belongs to the cell, and any robot with as many joints can go there.

    Use `learn target` for a place of the hand.
    """
    one = simulated(session.simulator, robot)
    values = one.robot.checked(one.joints if joints is None else joints)
    session.resolve(joints=tuple(float(v) for v in values))
    found = Position(name, [float(v) for v in values], [row.prismatic for row in one.robot.rows])
    _keep(session, {**_kept(session), name: found})
    return Done(f"position {_line(found)}")


@command(
    "forget-position {name}",
    help="remove a position",
    effect="edits",
    name=Text(),
    param_help={"name": "the name of the position"},
    examples=[_PUMA, "> record-position rest of Puma", "forget-position rest"],
)
def forget_position(session: Session, name: str) -> Done:
    """The robots do not move."""
    known = _kept(session)
    if name not in known:
        raise UnknownName.among("position", name, known)
    _keep(session, {key: one for key, one in known.items() if key != name})
    return Done(f"position {name!r} removed")


@command("positions", help="list the positions of the cell", effect="reads", examples=["positions"])
def positions(session: Session) -> Positions:
    """Each line has a name and the joint values, in degrees and millimetres."""
    return Positions(tuple(_kept(session).values()))


@command(
    "save-positions {file} [--replace]",
    help="write all positions to a text file",
    effect="reads",
    file=File(),
    param_help={"file": "a text file", "replace": "overwrite a file that exists"},
    examples=[_PUMA, "> record-position rest of Puma", "save-positions places.txt"],
)
def save_positions(session: Session, file: str, replace: bool = False) -> Done:
    """Each line of the file has a name and the joint values, in degrees and millimetres."""
    found = _kept(session)
    lines = [_HEAD, *(_line(one) for one in found.values())]
    session.files.write(file, ("\n".join(lines) + "\n").encode(), replace)
    return Done(f"{counted(len(found), 'position')} saved")


@command(
    "load-positions {file}",
    help="read positions from a text file; those of the same names are replaced",
    effect="edits",
    file=File(),
    param_help={"file": "a text file that `save-positions` wrote"},
    examples=[
        _PUMA,
        "> record-position rest of Puma",
        "> save-positions places.txt",
        "> forget-position rest",
        "load-positions places.txt",
    ],
)
def load_positions(session: Session, file: str) -> Done:
    """Positions that are not in the file stay."""
    if file.startswith(BLOB):
        data = session.database.blob(file[len(BLOB) :])
    else:
        data = session.files.read(file, _MOST_BYTES)
        session.resolve(file=BLOB + session.database.keep_blob(data))
    found = {one.name: one for one in _read(data)}
    _keep(session, {**_kept(session), **found})
    return Done(f"{counted(len(found), 'position')} loaded")


def _read(data: bytes) -> list[Position]:
    found = []
    for number, line in enumerate(read_lines(data), start=1):
        found_line = _LINE.match(line.partition(";")[0])
        if found_line is None:
            continue
        name, words = unquote(found_line[1]), found_line[2].split()
        slides = [word.endswith("mm") for word in words]
        try:
            values = [
                float(word[:-2]) * 1e-3 if slide else math.radians(float(word))
                for word, slide in zip(words, slides, strict=True)
            ]
            good = bool(values) and all(map(math.isfinite, values)) and bool(check_name(name))
        except (ValueError, InvalidValue):
            good = False
        if not good:
            raise FileProblem(
                f"Line {number} of the file is no position; expected a name and joint values, such as `rest 0 -90 90`."
            )
        found.append(Position(name, values, slides))
    return found


def _line(one: Position) -> str:
    values = [
        f"{value * 1e3!r}mm" if slides else repr(math.degrees(value))
        for value, slides in zip(one.joints, one.slides, strict=True)
    ]
    return " ".join([quoted(one.name), *values])
