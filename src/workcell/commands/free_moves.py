"""Commands for motions given as data: joints that follow a table or a function of time, solids along a path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.references import Ref, Target
from workcell.commands.language.registry import command
from workcell.commands.language.values import Choice, File, Length, Number, Text
from workcell.commands.moved import Moved, moved
from workcell.programs import steps as s
from workcell.world.devices import placed_robot
from workcell.world.kept_files import BLOB

if TYPE_CHECKING:
    from workcell.commands.session import Session

MOST_BYTES = 32 * 1024 * 1024
"""How much of a table is read, so that a pipe that never ends does not fill the memory [bytes]."""
_PUMA = "> create robot Puma puma560 joints 0,0,-90,0,90,0"
_UNITS = Choice({"radians": "radians and metres, as exported", "degrees": "degrees and millimetres"})
_LIMIT = "where it leaves a limit, stop at the last good instant; refused as a whole unless given"
_ACCELERATION = "let accelerations be what they are, also above those of the robot"


@command(
    "follow-table {robot} {file} [joint {joint}] [in {units}] [between {between}] [--until-limit] [--any-acceleration]",
    help="let the joints of a robot follow a table of values over time",
    effect="simulates",
    robot=Ref("robot", "mechanism"),
    file=File((".csv", ".txt", ".dat")),
    joint=Number(whole=True, positive=True),
    units=_UNITS,
    between=Choice({"cubic": "a cubic spline through the rows", "linear": "straight lines from row to row"}),
    param_help={
        "file": "lines of a time [s] and joint values; `-` is the standard input, a named pipe is read to its end",
        "joint": "the table is about this joint only, the others stand still",
        "units": "of the values; radians and metres unless given",
        "between": "what happens between two rows; cubic unless given",
        "until_limit": _LIMIT,
        "any_acceleration": _ACCELERATION,
    },
    examples=[
        _PUMA,
        "> move-joints-relative Puma 10,0,0,0,-20,0",
        "> export-recording waves.csv every 0.1s",
        "> reset",
        "follow-table Puma waves.csv between linear",
    ],
)
def follow_table(session: Session, file: str, **given: Any) -> Moved:
    """It must begin where the robot stands, and keeps all limits at every instant; times count from its first line.

    Where a line of headings has columns such as `Puma.1`, as exported recordings do, those of the robot are taken.
    """
    placed_robot(session.snapshot(), given["robot"])
    if file.startswith(BLOB):
        data = session.database.blob(file[len(BLOB) :])
    else:
        data = table_bytes(session, file)
        session.kept.keep_file("file", data)
    return moved(session, s.FollowTable, {"file": file, **given}, {file: data})


@command(
    "follow-function {robot} joint {joint} by {function} for {duration} [in {units}] [--until-limit] "
    "[--any-acceleration]",
    help="let a joint of a robot follow a function of time",
    effect="simulates",
    robot=Ref("robot", "mechanism"),
    joint=Number(whole=True, positive=True),
    function=Text(),
    duration=Number("time", positive=True),
    units=_UNITS,
    param_help={
        "function": "of t [s], added to where the joint stands, such as `10*sin(2*t)`; it must be 0 at t = 0",
        "units": "of what it gives; degrees and millimetres unless given",
        "until_limit": _LIMIT,
        "any_acceleration": _ACCELERATION,
    },
    examples=[_PUMA, 'follow-function Puma joint 1 by "10*sin(t)" for 6s'],
)
def follow_function(session: Session, **given: Any) -> Moved:
    """Fitted by cubic polynomials within a microradian; it keeps all limits at every instant."""
    return moved(session, s.FollowFunction, given)


@command(
    "move-solid {solid} [through {poses}]* [along {path}] [blend {radius}] [speed {speed}] [in {duration}] "
    "[acceleration {acceleration}]",
    help="move a free solid straight from pose to pose, or along a path of targets",
    effect="simulates",
    solid=Ref("object"),
    poses=Target(),
    path=Ref("path"),
    radius=Length(positive=True),
    speed=Number("speed", positive=True),
    duration=Number("time", positive=True),
    acceleration=Number(positive=True),
    param_help={
        "poses": "in the world, in order",
        "path": "its targets are gone through in order; the first may be where the solid stands",
        "radius": "how far from a corner the rounding begins; sharp corners unless given",
        "speed": "the greatest speed",
        "duration": "how long it is to take; refused when that needs more than the speed given",
        "acceleration": "the greatest acceleration, in m/s²; it starts and stops at once unless given",
    },
    examples=[
        "> add solid crate box 100 100 100 at 0,0,50 --movable",
        "move-solid crate through 300,0,50 through 300,200,50 blend 40 speed 100mm/s",
        "move-solid crate through 0,0,50 rotate 0,0,90 in 4s acceleration 0.2",
    ],
)
def move_solid(session: Session, **given: Any) -> Moved:
    """It must be movable and held by nobody; what it would touch stops it where collisions are watched."""
    return moved(session, s.MoveSolid, given)


def table_bytes(session: Session, file: str) -> bytes:
    """The bytes of a table; no more than is allowed."""
    return session.files.standard_input(MOST_BYTES) if file == "-" else session.files.read(file, MOST_BYTES)
