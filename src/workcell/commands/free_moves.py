"""Commands for motions given as data: joints that follow a table or a function of time, solids along a path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.files import BLOB
from workcell.commands.guarding import simulated
from workcell.commands.moves import Moved, moved
from workcell.commands.references import Ref, Target
from workcell.commands.registry import command
from workcell.commands.values import Choice, File, Length, Number, Text
from workcell.errors import Refused
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workcell.commands.session import Session
    from workcell.spatial.pose import Pose
    from workcell.spatial.transform import Transform

MOST = 32 * 1024 * 1024
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
def follow_table(
    session: Session,
    robot: Entity,
    file: str,
    joint: int | None = None,
    units: str = "radians",
    between: str = "cubic",
    until_limit: bool = False,
    any_acceleration: bool = False,
) -> Moved:
    """It must begin where the robot stands, and keeps all limits at every instant; times count from its first line.

    Where a line of headings has columns such as `Puma.1`, as exported recordings do, those of the robot are taken.
    """
    from workcell.simulation.tables import table_motion

    one = simulated(session, robot)
    if file.startswith(BLOB):
        data = session.database.blob(file[len(BLOB) :])
    else:
        data = table_bytes(session, file)
        session.keep_file("file", data)
    motion = table_motion(data, file, one, joint, units, between)
    return moved(session, robot, one.follow(motion, "table", until_limit, any_acceleration))


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
def follow_function(
    session: Session,
    robot: Entity,
    joint: int,
    function: str,
    duration: float,
    units: str = "degrees",
    until_limit: bool = False,
    any_acceleration: bool = False,
) -> Moved:
    """Fitted by cubic polynomials within a microradian; it keeps all limits at every instant."""
    from workcell.simulation.tables import function_motion

    one = simulated(session, robot)
    motion = function_motion(function, one, joint, duration, units)
    return moved(session, robot, one.follow(motion, "function", until_limit, any_acceleration))


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
def move_solid(
    session: Session,
    solid: Entity,
    poses: list[Transform] | None = None,
    path: Entity | None = None,
    radius: float = 0.0,
    speed: float | None = None,
    duration: float | None = None,
    acceleration: float | None = None,
) -> Moved:
    """It must be movable and held by nobody; what it would touch stops it where collisions are watched."""
    simulator = session.simulator
    if solid.name not in {body.name for body in simulator.snapshot.bodies}:
        raise Refused(f"{solid.name!r} stands in no scene; `place {solid.name} at …` first.")
    way: list[Pose] = [pose.pose() for pose in poses or ()]
    if path is not None:
        from workcell.commands.targeting import world_poses

        way += _from_here(simulator.state.poses.get(solid.name), world_poses(session, path))
    took = simulator.move_solid(
        solid.name, way, speed=speed, duration=duration, acceleration=acceleration, blend=radius
    )
    return moved(session, solid, took)


def _from_here(here: Pose | None, poses: Sequence[Pose]) -> list[Pose]:
    """The poses of a path, without a first one that is where the solid stands already."""
    first = poses[0] if poses else None
    if here is not None and first is not None and max(here.distance(first)) < 1e-9:
        return list(poses[1:])
    return list(poses)


def table_bytes(session: Session, file: str) -> bytes:
    """The bytes of a table; no more than is allowed."""
    return session.files.standard_input(MOST) if file == "-" else session.files.read(file, MOST)
