"""Commands for free motions: joints that follow a table or a function of time, and solids along a path."""

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
"""The most that is read of a table [bytes], so that an endless pipe does not fill the memory."""
_PUMA = "> create robot Puma puma560 joints 0,0,-90,0,90,0"
_UNITS = Choice({"radians": "radians and metres", "degrees": "degrees and millimetres"})
_LIMIT = "stop before a limit is exceeded; default: refuse the whole motion"
_ACCELERATION = "allow accelerations above the limits of the robot"


@command(
    "follow-table {robot} {file} [joint {joint}] [in {units}] [between {between}] [--until-limit] [--any-acceleration]",
    help="move the joints of a robot along a table of values over time",
    effect="simulates",
    robot=Ref("robot", "mechanism"),
    file=File((".csv", ".txt", ".dat")),
    joint=Number(whole=True, positive=True),
    units=_UNITS,
    between=Choice({"cubic": "a cubic spline through the rows", "linear": "straight lines from row to row"}),
    param_help={
        "file": "a line for each instant: the time [s], then joint values; `-` is the standard input, and a named "
        "pipe is read to its end",
        "joint": "the table is for this joint only, counted from 1; the others do not move",
        "units": "of joint values whose heading names none: radians and metres, the default, or degrees and "
        "millimetres",
        "between": "cubic: a spline through the rows, the default; linear: straight lines from row to row",
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
    """The first row must be where the robot is, and the motion must obey all limits. Times count from the first row.

    If the table has headings such as `Puma.1`, as exported recordings do, the columns of the robot are used. A heading
    such as `Puma.1 [deg]` names the unit of its column.
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
    help="move a joint of a robot as a function of time",
    effect="simulates",
    robot=Ref("robot", "mechanism"),
    joint=Number(whole=True, positive=True),
    function=Text(),
    duration=Number("time", positive=True),
    units=_UNITS,
    param_help={
        "function": 'of t [s], such as "10*sin(2*t)"; it is added to the current joint value and must be 0 at t = 0',
        "units": "of the values: degrees and millimetres, the default, or radians and metres",
        "until_limit": _LIMIT,
        "any_acceleration": _ACCELERATION,
        "joint": "its number, counted from 1",
        "duration": "in seconds",
    },
    examples=[_PUMA, 'follow-function Puma joint 1 by "10*sin(t)" for 6s'],
)
def follow_function(session: Session, **given: Any) -> Moved:
    """The motion consists of cubic polynomials within a microradian of the function. It must obey all limits."""
    return moved(session, s.FollowFunction, given)


@command(
    "move-solid {solid} [through {poses}]* [along {path}] [blend {radius}] [speed {speed}] [in {duration}] "
    "[acceleration {acceleration}]",
    help="move a free solid in straight lines from pose to pose, or along a path of targets",
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
        "path": "moves through its targets in order; the first may be where the solid is",
        "radius": "how far from a corner the rounding begins; default: sharp corners",
        "speed": "the highest speed",
        "duration": "how long the move takes, in seconds; refused if that needs more than the given speed",
        "acceleration": "the highest acceleration [m/s²]; default: it starts and stops at once",
        "solid": "a movable object",
    },
    examples=[
        "> add solid crate box 100 100 100 at 0,0,50 --movable",
        "move-solid crate through 300,0,50 through 300,200,50 blend 40 speed 100mm/s",
        "move-solid crate through 0,0,50 rotate 0,0,90 in 4s acceleration 0.2",
    ],
)
def move_solid(session: Session, **given: Any) -> Moved:
    """The solid must be movable, and no robot may hold it.

    If collisions are watched, it stops before it touches anything.
    """
    return moved(session, s.MoveSolid, given)


def table_bytes(session: Session, file: str) -> bytes:
    """Return the bytes of a table, :data:`MOST_BYTES` at most."""
    return session.files.standard_input(MOST_BYTES) if file == "-" else session.files.read(file, MOST_BYTES)
