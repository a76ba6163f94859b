"""Commands on recordings: report, plot, gantt, export-recording, compare-recordings."""

from __future__ import annotations

import dataclasses
import math
from contextlib import nullcontext
from typing import TYPE_CHECKING

import numpy as np

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import File, Number
from workcell.commands.report_answers import CauseLine, CycleLine, FaultLine, LoadLine, MoveLine, RunReport, ZoneLine
from workcell.commands.results import Done, Table
from workcell.commands.run_lines import places_of, waits_of
from workcell.commands.series_answers import Compared
from workcell.errors import Refused
from workcell.simulation.in_scene import simulated
from workcell.simulation.move_lines import key_of
from workcell.spatial.units import tidy
from workcell.world.conveyors import is_conveyor
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workcell.commands.session import Session
    from workcell.simulation.comparison import Difference
    from workcell.simulation.recording import Recording
    from workcell.simulation.report import MoveReport
    from workcell.spatial.units import Units

_STAGE = (
    "> create robot Puma puma560 joints 0,0,-90,0,90,0",
    "> move-joints-relative Puma -70,-10,10,30,-20,-10",
)


_EMPTY = "has been recorded since the cell was opened or reset"


def _recorded(session: Session) -> Recording:
    """Return the recording; refused if it is empty."""
    if session.recording.empty:
        raise Refused(f"Nothing {_EMPTY}; move something first.")
    return session.recording


@command(
    "report [--clearance] [--limits]",
    help="report every move since the last reset: its time, what limited it, loads, and waits for zones",
    effect="reads",
    background=True,
    param_help={
        "clearance": "add the smallest distances to other bodies and between the robot's own links, at every "
        "recorded sample",
        "limits": "list for every move which joint was at which limit, and when",
    },
    examples=[*_STAGE, "report", "report --clearance", "report --limits"],
)
def report(session: Session, clearance: bool = False, limits: bool = False) -> RunReport:
    """For each move: duration, largest joint travel and speed, path length of the hand, and distance to a singularity.

    For each robot: how it spent its time. This is how long each joint was at its limit of speed, acceleration or jerk,
    how long the speed of the hand, a slow-down zone or the override limited it, the time of the gripper, and the waits.
    """
    from workcell.simulation.falling import fall_lines
    from workcell.simulation.line_report import line_lines
    from workcell.simulation.loading import load_lines
    from workcell.simulation.report import report as make
    from workcell.simulation.tracked_moves import tracking_lines

    if session.recording.empty:
        return RunReport(0.0, [], {}, f"nothing {_EMPTY}")
    model = None
    if clearance:
        from workcell.commands.collisions import collision_model_of

        model = collision_model_of(session)
    found = make(session.snapshot(), session.recording, model, session.progress, session.cancel)
    units = session.units
    places = places_of(session, session.recording)
    lines, rows = [], []
    starts = session.recording.clock(np.array([one.move.start for one in found.moves])).tolist()
    for one, start in zip(found.moves, starts, strict=True):
        move = one.move
        place = places.get(key_of(move), "")
        lines.append(
            MoveLine(
                move.device, move.kind, start, move.duration, move.profile, move.limited, one.travel.tolist(),
                one.peak_speed.tolist(), one.hand_path, None if one.singularity != one.singularity else one.singularity,
                move.deviation, move.bound, _finite(one.clearance), one.nearest and one.nearest[0],
                one.nearest and one.nearest[1], one.own, place,
            )
        )  # fmt: skip
        rows.append(
            (
                move.device, move.kind, round(start, 4), round(move.duration, 4), move.profile, move.limited,
                _most(session, move.device, one.travel, "angle", "length"),
                _most(session, move.device, one.peak_speed, "angular speed", "speed"),
                round(units.from_si(one.hand_path, "length"), 4), _number(one.singularity),
                *_near(one, units, clearance), *([place] if places else []),
            )
        )  # fmt: skip
    headings: tuple[str, ...] = (
        "robot", "move", "start [s]", "takes [s]", "profile", "limited by", "travel", "peak",
        f"hand [{units.length}]", "singular",
    )  # fmt: skip
    if clearance:
        headings += (f"clearance [{units.length}]", "nearest", f"own links [{units.length}]")
    if places:
        headings += ("made by",)
    busy = {robot.robot: robot.busy for robot in found.robots}
    shares = "; ".join(f"{name} moves {seconds:.4f} s" for name, seconds in busy.items())
    caption = f"cycle time {found.cycle_time:.4f} s" + (f"; {shares}" if shares else "")
    text = str(Table(headings, tuple(rows), caption))
    if limits:
        text += "".join(
            f"\nmove {number} of {line.robot}: joint {joint} at its {kind} limit from {a:.4f} to {b:.4f} s "
            f"after the start of the move"
            for number, line in enumerate(lines, start=1)
            for joint, kind, a, b in line.bound
        )
    if model is not None:
        text = "\n".join([text, *model.notes])
    falls = fall_lines(session.recording.events)
    conveyors = line_lines(session.recording.events, session.recording.duration)
    tracked = tracking_lines(session.recording.events)
    wrong = [*map(str, found.zones), *map(str, found.faults), *falls]
    spent = [f"time of {one}" for one in found.cycles]
    after = [*spent, *wrong, *conveyors, *tracked, *load_lines(found.loads), *_assumed(session, lines)]
    text += "".join(f"\n{line}" for line in after)
    loads = tuple(LoadLine(one.robot, one.time, one.verdict, one.figures, one.text) for one in found.loads)
    zones = tuple(ZoneLine(**dataclasses.asdict(one)) for one in found.zones)
    faults = tuple(FaultLine(**dataclasses.asdict(one)) for one in found.faults)
    timed = tuple(
        CycleLine(one.robot, one.duration, tuple(CauseLine(**dataclasses.asdict(cause)) for cause in one.causes))
        for one in found.cycles
    )
    return RunReport(found.cycle_time, lines, busy, text, loads, falls, zones, conveyors, tracked, faults, timed)


def _assumed(session: Session, moves: list[MoveLine]) -> list[str]:
    """Return the assumptions behind the times: accelerations that the makers do not publish."""
    ramped = {move.robot for move in moves if move.profile not in ("linear", "table")}
    caveats = [placed.robot.caveat("accelerations") for placed in session.snapshot().robots if placed.name in ramped]
    return [line for line in dict.fromkeys(caveats) if line]


def _most(session: Session, robot: str, values: NDArray[np.float64], turning: str, sliding: str) -> str:
    """Return the largest joint value with its unit; of a robot with both kinds, that of the turning joints."""
    if not len(values):
        return ""
    slides = np.asarray(session.snapshot().robot(robot).robot.chain.prismatic)
    quantity = sliding if slides.all() else turning
    shown = session.units.from_si(float(values[slides == slides.all()].max()), quantity)
    return f"{tidy(round(shown, 4))} {session.units.default(quantity)}"


def _near(one: MoveReport, units: Units, wanted: bool) -> tuple[object, ...]:
    """Return the smallest distance and its pair, for the table."""
    if not wanted:
        return ()
    own = "" if one.own is None else round(units.from_si(one.own, "length"), 4)
    if one.nearest is None or one.clearance is None:
        return ("", "nothing", own)
    (a, b), at = one.nearest
    return (round(units.from_si(one.clearance, "length"), 4), f"{a} and {b} at {at:.4f} s", own)


def _number(value: float) -> float | None:
    """Return a number for the table; None if the move has none."""
    return round(value, 4) if math.isfinite(value) else None


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


@command(
    "plot {robot} {file}",
    help="draw the joint values of a robot over simulated time, as .svg or .png",
    effect="reads",
    background=True,
    robot=Ref("robot", "mechanism"),
    file=File((".svg", ".png")),
    examples=[*_STAGE, "plot Puma joints.svg", "plot Puma joints.png"],
)
def plot(session: Session, robot: Entity, file: str) -> Done:
    """The drawing shows the recording since the last reset. A file that exists is overwritten."""
    from workcell.simulation.plots import joint_plot

    recording = _recorded(session)
    one = simulated(session.simulator, robot).robot
    slides = tuple(row.prismatic for row in one.rows)
    with session.files.written(file, replace=True) as path:
        joint_plot(recording, robot.name, slides, one.joint_names).save(path)
    return Done(f"joints of {robot.name} drawn as {file}")


@command(
    "gantt {file}",
    help="draw a Gantt chart of the recording, as .svg or .png",
    effect="reads",
    background=True,
    file=File((".svg", ".png")),
    examples=[*_STAGE, "gantt moves.svg"],
)
def gantt(session: Session, file: str) -> Done:
    """It has a row for each robot, each belt that ran, each program in a shared zone, each fault and each sensor.

    Waits of programs are hatched, in the rows of the robots that stood meanwhile. Grippers and stops are marked. A file
    that exists is overwritten.
    """
    from workcell.simulation.gantt import gantt as draw

    recording = _recorded(session)
    conveyors = [placed.name for placed in session.snapshot().robots if is_conveyor(placed.robot)]
    with session.files.written(file, replace=True) as path:
        draw(recording, conveyors, waits_of(session, recording), places_of(session, recording)).save(path)
    return Done(f"moves drawn as {file}")


@command(
    "export-recording {file} [every {step}] [--replace]",
    help="write joint values, signals and parts over time to a .csv or .parquet file",
    effect="reads",
    background=True,
    file=File((".csv", ".parquet")),
    step=Number("time", positive=True),
    param_help={
        "step": "the time between rows, in seconds; default: the recorded samples",
        "replace": "overwrite the file if it exists",
    },
    examples=[*_STAGE, "export-recording run.csv", "export-recording even.csv every 0.1s"],
)
def export_recording(session: Session, file: str, step: float | None = None, replace: bool = False) -> Done:
    """A .csv file is in the units of the cell, which its headings name, such as `Puma.1 [deg]`.

    A .parquet file is in seconds, radians and metres.
    """
    from workcell.simulation.export import save_table

    with session.files.written(file, replace) as path:
        rows = save_table(session.recording, path, step, session.snapshot(), session.cancel, session.units)
    return Done(f"{rows} row{'s' if rows != 1 else ''} written as {file}")


@command(
    "compare-recordings {first} [{second}] [tolerance {tolerance}]",
    help="show where two recordings first differ",
    effect="reads",
    background=True,
    first=File((".rec",)),
    second=File((".rec",)),
    tolerance=Number(),
    param_help={
        "second": "a saved recording; default: the present one",
        "tolerance": "in radians and metres; default 1e-9",
    },
    examples=[
        *_STAGE,
        "> save-recording one.rec",
        "> move-joints-relative Puma 10,0,0,0,0,0",
        "> save-recording two.rec",
        "compare-recordings one.rec two.rec",
        "compare-recordings one.rec",
    ],
)
def compare_recordings(session: Session, first: str, second: str = "", tolerance: float = 1e-9) -> Compared:
    """It compares joint values, parts, signals and the end.

    The answer also states whether they were made in different cells, by other programs or by other people.
    """
    from workcell.simulation.comparison import first_difference
    from workcell.simulation.recording import Recording
    from workcell.world.cell_print import differences, listed, other_names

    with session.files.readable(first) as one, session.files.readable(second) if second else nullcontext() as other:
        ones, others = Recording.load(one), session.recording if other is None else Recording.load(other)
    second = second or "the present recording"
    if ones.cell is not None and others.cell is not None:
        ones = ones.renamed(other_names(ones.cell, others.cell))
    found = first_difference(ones, others, tolerance)
    differs = differences(ones.cell, others.cell) if ones.cell is not None and others.cell is not None else None
    lines = [_compared(session, found, ones, (first, second))]
    if differs:
        lines.append(f"They were made in different cells: {listed(differs)} in {second}.")
    if found is None and ones.sources != others.sources:
        lines.append("The files differ in who gave the steps: which line of which program, or who typed them.")
    text = "\n".join(lines)
    if found is None:
        return Compared(True, text)
    return Compared(False, text, found.time, found.kind, found.device, found.joint, found.most, found.most_time)


def _compared(session: Session, found: Difference | None, one: Recording, files: tuple[str, str]) -> str:
    """Return a sentence on the first difference of two files."""
    if found is None:
        return f"{files[0]} and {files[1]} are the same."
    units, when = session.units, f"{found.time:.4f} s"
    if found.kind == "end":
        longer, shorter = files[found.only - 1], files[2 - found.only]
        return f"They are the same up to {when}, where {shorter} ends; {longer} continues for {found.size:.4f} s."
    head = f"They differ first at {when}: "
    if found.only:
        return f"{head}only in {files[found.only - 1]}, {found.has}."
    if found.kind == "joint":
        slides = _slides(session, one, found)
        far = f"{found.most[0]:.6g} rad or m"
        if slides is not None:
            far = _shown(units, found.most[0], "length" if slides else "angle")
        return f"{head}{found.what}. They are farthest apart at {found.most_time:.4f} s: {far}."
    if found.kind == "pose":
        metres, radians = found.most
        far = f"{_shown(units, metres, 'length')} and {_shown(units, radians, 'angle')}"
        return f"{head}{found.what}. They are farthest apart at {found.most_time:.4f} s: {far}."
    return f"{head}{found.what}{f', by {found.size:.6g}{found.unit}' if math.isfinite(found.size) else ''}."


def _shown(units: Units, value: float, quantity: str) -> str:
    """Return a distance with six digits; the clocks of two recordings round differently."""
    return f"{tidy(float(f'{units.from_si(value, quantity):.6g}'))} {units.default(quantity)}"


def _slides(session: Session, one: Recording, found: Difference) -> bool | None:
    """Return whether the joint of a difference slides; None if the cell does not have that robot."""
    for placed in session.snapshot().robots:
        if placed.name == found.device and placed.robot.n == len(one.start.joints[found.device]):
            return bool(placed.robot.chain.prismatic[found.joint - 1])
    return None
