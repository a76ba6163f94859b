"""Commands that give the numbers behind pictures, such as series, gantt-rows, body-poses, joint-frames, place-poses."""

from __future__ import annotations

import math
from contextlib import nullcontext
from typing import TYPE_CHECKING

import numpy as np

from workcell.commands.collision_answers import contact_row
from workcell.commands.collisions import collision_model_of
from workcell.commands.language.joint_values import JointVector
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Choice, File, Number
from workcell.commands.run_lines import places_of, waits_of
from workcell.commands.series_answers import (
    BodyPoses,
    Chart,
    ChartBar,
    ChartRow,
    JointFrames,
    MovedWith,
    PathLine,
    PlacePose,
    PlacePoses,
    Rider,
    Series,
    SeriesLine,
)
from workcell.cost import Bound
from workcell.errors import InvalidValue, Refused
from workcell.simulation.in_scene import simulated
from workcell.spatial.quaternions import seven
from workcell.wording import counted
from workcell.world.conveyors import is_conveyor
from workcell.world.entities import Entity
from workcell.world.places import WORLD
from workcell.world.together import PLACEABLE, movers, moves_with

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workcell.commands.session import Session
    from workcell.robots.robot import Robot
    from workcell.simulation.recording import Recording

_STAGE = (
    "> create robot Puma puma560 joints 0,0,-90,0,90,0",
    "> move-joints-relative Puma -70,-10,10,30,-20,-10",
)
_QUANTITIES = {
    "position": "the joint values",
    "speed": "the speeds of the joints",
    "acceleration": "the accelerations of the joints",
    "tool-speed": "the speed of the tool in the world",
    "clearance": "the distance to the nearest other body",
}
_ORDER = {"position": 0, "speed": 1, "acceleration": 2}
_PER = ("", "/s", "/s²")
POINTS = Bound(20_000, "points", "Take fewer points.")
"""The points of one series."""
SLOW_POINTS = Bound(2_000, "points", "Take fewer points; each is a whole state of the cell.")
"""The points of a series of clearances, and the spans of one with its peaks."""


@command(
    "series {robot} {quantity} [points {count}] [from {begin}] [to {end}] [at {time}] [of {file}] [--peaks]",
    help="give values of a robot over time, from the exact motions of the recording",
    effect="reads",
    background=True,
    robot=Ref("robot", "mechanism"),
    quantity=Choice(_QUANTITIES, "QUANTITY"),
    count=Number(positive=True, whole=True),
    begin=Number("time"),
    end=Number("time"),
    time=Number("time"),
    file=File((".rec",)),
    param_help={
        "quantity": "position, speed, acceleration, tool-speed or clearance",
        "count": "how many times, evenly spaced; default 500",
        "begin": "the first time; default: the start of the recording",
        "end": "the last time; default: its end",
        "time": "one time in place of a span",
        "file": "a saved recording in place of the present one, to compare two runs",
        "peaks": "choose the times: each of so many equal spans has the extremes of every joint, and both sides of "
        "a jump; for clearance, so many samples where robots are fast, stop or change",
    },
    examples=[
        *_STAGE,
        "series Puma position",
        "series Puma tool-speed points 100 from 0.2s to 1s",
        "series Puma speed points 200 --peaks",
        "series Puma acceleration at 0.3s",
        "> save-recording one.rec",
        "series Puma speed of one.rec",
    ],
)
def series(
    session: Session,
    robot: Entity,
    quantity: str,
    count: float = 500,
    begin: float | None = None,
    end: float | None = None,
    time: float | None = None,
    file: str = "",
    peaks: bool = False,
) -> Series:
    """The values are in SI units: seconds, radians, metres."""
    recording = _recording(session, file)
    exact = quantity != "clearance"
    (POINTS if exact and not peaks else SLOW_POINTS).check(count, f"A series of {counted(round(count), 'point')}")
    if count < 2:
        raise InvalidValue(f"A series has at least 2 points; found {count:g}.")
    first, last = _span(recording, begin, end, time)
    if time is None and peaks:
        times, lines, pairs = _telling(session, recording, robot, quantity, (first, last), int(count))
    else:
        times = np.array([first]) if time is not None else np.linspace(first, last, int(count))
        lines, pairs = _lines(session, recording, robot, quantity, times)
    values = [value for line in lines for value in line.values if value is not None]
    low, high = (min(values), max(values)) if values else (math.nan, math.nan)
    unit = ", ".join(dict.fromkeys(line.unit for line in lines))
    text = f"{quantity} of {robot.name}: {counted(len(times), 'point')}, from {low:.6g} to {high:.6g} {unit}"
    span = recording.start.time, recording.end
    return Series(robot.name, quantity, times.tolist(), lines, text, pairs, *span, not (peaks and exact))


def _span(recording: Recording, begin: float | None, end: float | None, time: float | None) -> tuple[float, float]:
    """Return the first and the last time, both in the recording."""
    start, stop = recording.start.time, recording.end
    if time is not None:
        if begin is not None or end is not None:
            raise InvalidValue("A series is at one time, or from one to another; leave out `at`, or `from` and `to`.")
        if not start - 1e-9 <= time <= stop + 1e-9:
            raise InvalidValue(f"The recording is from {start:.4f} to {stop:.4f} s; found {time:g} s.")
        return (min(max(time, start), stop),) * 2
    first, last = start if begin is None else begin, stop if end is None else end
    if not start <= first < last <= stop + 1e-9:
        raise InvalidValue(
            f"The times must be in order within the recording, from {start:.4f} to {stop:.4f} s; "
            f"found {first:g} to {last:g} s."
        )
    return first, min(last, stop)


def _telling(
    session: Session, recording: Recording, robot: Entity, quantity: str, span: tuple[float, float], count: int
) -> tuple[NDArray[np.float64], list[SeriesLine], list[tuple[str, str] | None]]:
    """Return the times that show the curves best in so many columns or samples, the curves, and the nearest pairs."""
    from workcell.simulation.series import carrying
    from workcell.simulation.series_times import costly_times, telling_times

    _present(session, recording, robot)
    known: list[SeriesLine] = []
    pair_at: dict[float, tuple[str, str] | None] = {}

    def curves(times: NDArray[np.float64]) -> NDArray[np.float64]:
        known[:], pairs = _lines(session, recording, robot, quantity, times)
        pair_at.update(zip(times.tolist(), pairs, strict=False))
        return np.array([line.values for line in known], dtype=float).T

    if quantity == "clearance":
        times, values = costly_times(recording, *span, count, curves)
    else:
        moving = carrying(session.snapshot(), recording, robot.name) if quantity == "tool-speed" else [robot.name]
        times, values = telling_times([recording.way(name) for name in moving], *span, count, curves)
    columns = [[value if math.isfinite(value) else None for value in column] for column in values.T.tolist()]
    lines = [SeriesLine(line.name, line.unit, column) for line, column in zip(known, columns, strict=True)]
    return times, lines, [pair_at[time] for time in times.tolist()] if pair_at else []


def _recording(session: Session, file: str) -> Recording:
    from workcell.simulation.recording import Recording

    with session.files.readable(file) if file else nullcontext() as path:
        recording = session.recording if path is None else Recording.load(path)
    if not recording.duration > 0.0:
        raise Refused("Nothing has moved in the recording; move something, or `run` a program, first.")
    return recording


def _present(session: Session, recording: Recording, robot: Entity) -> Robot:
    """Return the robot; refused if it is not in the recording."""
    one = simulated(session.simulator, robot).robot
    if len(recording.start.joints.get(robot.name, ())) != one.n:
        raise Refused(f"{robot.name} is not in this recording with {counted(one.n, 'joint')}.")
    return one


def _lines(
    session: Session, recording: Recording, robot: Entity, quantity: str, times: NDArray[np.float64]
) -> tuple[list[SeriesLine], list[tuple[str, str] | None]]:
    from workcell.simulation.series import clearances, joint_series, tool_speeds

    one, snapshot = _present(session, recording, robot), session.snapshot()
    if quantity == "tool-speed":
        return [SeriesLine("tool", "m/s", tool_speeds(snapshot, recording, robot.name, times).tolist())], []
    if quantity == "clearance":
        distances, pairs = clearances(collision_model_of(session), recording, robot.name, times)
        values = [value if math.isfinite(value) else None for value in distances.tolist()]
        return [SeriesLine("clearance", "m", values)], pairs
    order = _ORDER[quantity]
    rows = joint_series(recording, robot.name, times, order)
    units = [("m" if row.prismatic else "rad") + _PER[order] for row in one.rows]
    named = enumerate(zip(one.joint_names, units, strict=True))
    return [SeriesLine(name, unit, rows[:, k].tolist()) for k, (name, unit) in named], []


@command(
    "gantt-rows",
    help="give the rows of the Gantt chart of the recording, as `gantt` draws them",
    effect="reads",
    background=True,
    examples=[*_STAGE, "gantt-rows"],
)
def gantt_rows(session: Session) -> Chart:
    """The times are in seconds of the recording. Waits have the text of what was waited for."""
    from workcell.simulation.gantt import WAITS, rows_of, stops_of

    recording = session.recording
    conveyors = [placed.name for placed in session.snapshot().robots if is_conveyor(placed.robot)]
    found, legend = rows_of(recording, conveyors, waits_of(session, recording), places_of(session, recording))
    rows = [
        ChartRow(row.label, not row.thin, [ChartBar(*bar, bar[2] == WAITS) for bar in row.bars], row.curve)
        for row in found
    ]
    text = "\n".join(f"{row.label}: {counted(len(row.bars), 'bar')}" for row in rows) or "nothing has been recorded"
    stops = [ChartBar(time, time, colour, words) for time, colour, words in stops_of(recording)]
    return Chart(recording.start.time, recording.end, rows, legend, text, stops)


@command(
    "body-poses {robot} {joints} [--contacts]",
    help="give where the bodies of a robot would be at other joint values, with what it carries",
    effect="reads",
    background=True,
    robot=Ref("robot", "mechanism"),
    joints=JointVector(),
    param_help={"contacts": "also list what would touch there, the deepest first"},
    examples=[_STAGE[0], "body-poses Puma 10,20,-90,0,45,0", "body-poses Puma 10,20,-90,0,45,0 --contacts"],
)
def body_poses(session: Session, robot: Entity, joints: tuple[float, ...], contacts: bool = False) -> BodyPoses:
    """Nothing moves. The answer is for drawing: names of bodies, and their poses in the world."""
    snapshot, state = session.snapshot(), session.state
    one = snapshot.robot(robot.name).robot
    q = one.checked(joints)
    names = list(snapshot.followers(state, robot.name))
    poses = seven(snapshot.poses_of(names, {robot.name: q[None]}, state, 1)[0]).tolist()
    low, high = one.limits.T
    inside = bool(((q >= low - 1e-12) & (q <= high + 1e-12)).all())
    text = f"{counted(len(names), 'body')} of {robot.name}" + ("" if inside else "; outside the joint limits")
    rows = None
    if contacts:
        from workcell.collision.trial import Trial

        found = Trial(collision_model_of(session), state, robot.name).contacts(q)
        rows = [contact_row(one) for one in found]
        text += "".join(f"\n{one}" for one in found) or "\nnothing touches"
    return BodyPoses(robot.name, [float(value) for value in q], names, poses, inside, text, rows)


@command(
    "joint-frames {robot}",
    help="give where the frames of the links of a robot are now, the base first, and the bodies that move with each",
    effect="reads",
    background=True,
    robot=Ref("robot", "mechanism"),
    examples=[_STAGE[0], "joint-frames Puma"],
)
def joint_frames(session: Session, robot: Entity) -> JointFrames:
    """They follow the DH convention: joint i turns about, or slides along, the z axis of frame i-1."""
    snapshot, state = session.snapshot(), session.state
    frames = np.asarray(snapshot.link_frames(state, robot.name))
    followed = snapshot.followers(state, robot.name)
    bodies = seven(snapshot.poses_of(list(followed), {}, state, 1)[0]).tolist()
    return JointFrames(
        robot.name,
        [float(value) for value in snapshot.joints_of(state, robot.name)],
        seven(frames).tolist(),
        [Rider(*one, pose) for one, pose in zip(followed.items(), bodies, strict=True)],
        f"{counted(len(frames), 'frame')} of {robot.name}",
    )


@command(
    "place-poses",
    help="give where all targets, frames and paths are now",
    effect="reads",
    background=True,
    examples=["> add target T1 600,-150,700", "> add frame corner 900,-400,144", "place-poses"],
)
def place_poses(session: Session) -> PlacePoses:
    """The answer is for drawing. What is in no scene is left out."""
    snapshot, state = session.snapshot(), session.state
    places, paths = [], []
    for (kind, name), spot in snapshot.places.spots.items():
        try:
            matrix = snapshot.place_pose(state, name, kind).matrix
        except Refused:
            continue
        pose = seven(matrix).tolist()
        way = spot.ways[0]
        places.append(PlacePose(kind, name, pose, "" if way.frame == WORLD else way.frame, way.link))
    for name, path in snapshot.places.paths.items():
        try:
            points = [pose.matrix[:3, 3].tolist() for pose in snapshot.path_poses(state, name)]
        except Refused:
            continue
        paths.append(
            PathLine(name, list(path.targets), points, path.ring, "" if path.frame == WORLD else path.frame, path.link)
        )
    text = f"{counted(len(places), 'target or frame', 'targets and frames')}, {counted(len(paths), 'path')}"
    return PlacePoses(places, paths, text)


@command(
    "moves-with {thing} [taking {others}]*",
    help="give what moves along if something is placed elsewhere, and where it is now",
    effect="reads",
    background=True,
    thing=Ref(*PLACEABLE),
    others=Ref(*PLACEABLE),
    param_help={"others": "things that are placed with it, as `place … taking` does"},
    examples=[
        "> add solid pallet box 400 300 100 at 900,0,50",
        "> add target spot 900,0,300 on pallet",
        "moves-with pallet",
        "> add solid crate box 400 300 100 at 1500,0,50",
        "moves-with pallet taking crate",
    ],
)
def moved_with(session: Session, thing: Entity, others: list[Entity] | None = None) -> MovedWith:
    """The answer is for drawing while something is dragged. Nothing moves.

    With other things, it lists what moves with any of them; the pose and the carrier are those of the first one.
    """
    first, moved = movers(session, [thing, *(others or [])])
    bodies = dict.fromkeys(body for _, found in moved for body in found.bodies)
    places = dict.fromkeys(one for _, found in moved for one in found.places)
    refusal = " ".join(found.refusal for _, found in moved if found.refusal)
    carrier = moves_with(session, thing).carrier
    names = ", ".join([*bodies, *places]) or "nothing is drawn"
    text = refusal or f"with {thing.name}: {names}"
    return MovedWith(thing.name, thing.kind, first.matrix.tolist(), list(bodies), list(places), carrier, refusal, text)
