"""A Gantt chart of a recording: rows of moves, belts, shared zones, faults and sensors over simulated time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from workcell.simulation.drives import RUN
from workcell.simulation.event_text import text_of
from workcell.simulation.events import (
    FALLS,
    STOPS,
    ConveyorRuns,
    Deadlocked,
    FaultBegan,
    FaultEnded,
    Gripped,
    Noted,
    Released,
    SensorChanged,
    WaitBegan,
)
from workcell.simulation.happenings import Move, Signalled
from workcell.simulation.move_lines import MoveKey, key_of
from workcell.simulation.plots import COLOURS, GRID, INK, WIDTH, Bar, Label, Plot, Stroke, text_width, ticks
from workcell.simulation.program_waits import ProgramWait
from workcell.simulation.recording import Recording
from workcell.simulation.zone_stays import stays

WAITS = "#b6bcc4"
"""The colour of waits, which are drawn hatched."""
_STOP, _INSIDE, _RUNS, _FAULT, _SENSES = "#e0122c", "#e3a008", "#0b4f4a", "#f28ba8", "#84cc16"
_MARKED = {"stop": _STOP, "grip": INK, "release": INK}
"""Notes of old recordings that a chart marks. They name no robot, so the mark goes through all rows."""
_LEFT, _SPAN, _TOP, _BOTTOM, _ROW, _LINE = 80.0, WIDTH - 230.0, 34.0, 46.0, 40.0, 18.0
_LONGEST = 60
"""A longer name is shortened in the middle; the tooltip of a bar shows all of it."""
_LOOKS = 4000
"""At how many instants a belt is tested for motion: six per pixel."""


_NOWHERE: Mapping[MoveKey, str] = {}


@dataclass
class Row:
    """A row: its name, and bars as begin and end [s], colour and text; a ``curve`` is drawn as steps."""

    label: str
    bars: list[tuple[float, float, str, str]] = field(default_factory=list)
    thin: bool = True
    curve: list[tuple[float, float]] = field(default_factory=list)


def rows_of(
    recording: Recording,
    conveyors: Iterable[str] = (),
    waits: Sequence[ProgramWait] = (),
    places: Mapping[MoveKey, str] = _NOWHERE,
) -> tuple[list[Row], list[tuple[str, str]]]:
    """Return the rows of the chart, those of robots first, and what its colours mean; see :func:`gantt`."""
    belts = _belts(recording, conveyors)
    moves = [move for move in recording.moves if move.kind != RUN]
    grips = (event.robot for event in recording.events if isinstance(event, Gripped | Released))
    robots = sorted({*(move.device for move in moves), *grips})
    kinds = sorted({move.kind for move in moves})
    colours = {kind: COLOURS[k % len(COLOURS)] for k, kind in enumerate(kinds)}
    zones, faults, sensors = _zones(recording), _faults(recording), _sensors(recording)
    working = [_moves(moves, robot, colours, places) for robot in robots]
    rows = [*working, *_waits(recording, waits, working), *belts, *zones, *faults, *sensors]
    drawn = {bar[2] for row in rows for bar in row.bars}
    legend = [(colour, kind) for kind, colour in colours.items()]
    legend += [
        (colour, text)
        for colour, text in (
            (_RUNS, "belt runs"), (_INSIDE, "in the zone"), (WAITS, "waits"), (_FAULT, "fault"),
            (_SENSES, "sensor is 1"),
        )
        if colour in drawn
    ]  # fmt: skip
    return rows, legend


def stops_of(recording: Recording) -> list[tuple[float, str, str]]:
    """Return when everything or something stopped, fell or waited for each other: times [s], colours and texts."""
    return [
        (event.time, _STOP, text_of(event))
        for event in recording.events
        if isinstance(event, (*STOPS, *FALLS, Deadlocked)) or _noted(event, "stop")
    ]


def gantt(
    recording: Recording,
    conveyors: Iterable[str] = (),
    waits: Sequence[ProgramWait] = (),
    places: Mapping[MoveKey, str] = _NOWHERE,
) -> Plot:
    """Draw when each robot moved, with a colour per kind of move, when it waited, and when it gripped and released.

    Below are the waits of programs that move nothing, the belts that ran, the programs in each shared zone and waiting
    for it, the faults and the sensors.

    Args:
        recording: what happened.
        conveyors: the conveyors of the cell; those that were started or stopped are found anyway.
        waits: when programs waited; see :func:`~workcell.simulation.program_waits.program_waits`.
        places: the line and program of each move.
    """
    rows, legend = rows_of(recording, conveyors, waits, places)
    robots = [row.label for row in rows if not row.thin]
    events = recording.events
    marked = [
        ("stop or fall", any(isinstance(one, (*STOPS, *FALLS)) or _noted(one, "stop") for one in events)),
        ("deadlock", any(isinstance(one, Deadlocked) for one in events)),
        ("gripper closes (above)", any(isinstance(one, Gripped) or _noted(one, "grip") for one in events)),
        ("gripper opens (below)", any(isinstance(one, Released) or _noted(one, "release") for one in events)),
    ]
    signs = [text for text, found in marked if found]
    height = _TOP + _BOTTOM + max(_ROW * max(len(rows), 1), _LINE * (len(legend) + len(signs)))
    left = max(_LEFT, 16.0 + max((text_width(_short(row.label)) for row in rows), default=0.0))
    right = 44.0 + max((text_width(text) for text in (*(text for _, text in legend), *signs)), default=0.0)

    def x(time: float) -> float:
        return left + (time - recording.start.time) / (recording.duration or 1.0) * _SPAN

    bottom = height - _BOTTOM
    marks: list[Stroke | Bar | Label] = [Label((left, 20), f"moves, cycle time {recording.duration:.4f} s")]
    for tick in ticks(recording.start.time, recording.end):
        marks += [
            Stroke(((x(tick), _TOP), (x(tick), bottom)), GRID),
            Label((x(tick), bottom + 18), f"{tick:g}", "middle"),
        ]
    marks.append(Label((left + _SPAN / 2, bottom + 36), "simulated time [s]", "middle"))
    for number, row in enumerate(rows):
        marks += _drawn(row, left, _TOP + _ROW * number + 8, x)
    marks += _legend(legend, signs, left + _SPAN + 14)
    for event in events:
        at = x(event.time)
        if isinstance(event, (*STOPS, *FALLS, Deadlocked)):
            marks.append(Bar((at - 1.0, _TOP, 2.0, bottom - _TOP), _STOP, text_of(event)))
        elif isinstance(event, Gripped | Released):
            # A closing gripper marks the upper edge of its row, an opening one the lower edge.
            top = _TOP + _ROW * robots.index(event.robot) + (2 if isinstance(event, Gripped) else 30)
            marks.append(Bar((at - 2.0, top, 4.0, 8.0), INK, text_of(event)))
        elif isinstance(event, Noted) and event.was in _MARKED:
            marks.append(Bar((at - 1.0, _TOP, 2.0, bottom - _TOP), _MARKED[event.was], text_of(event)))
    return Plot(tuple(marks), (max(WIDTH, math.ceil(left + _SPAN + right)), math.ceil(height)))


# ---- rows -----------------------------------------------------------------------------------------------------


def _moves(moves: Iterable[Move], robot: str, colours: dict[str, str], places: Mapping[MoveKey, str]) -> Row:
    def text(one: Move) -> str:
        place = places.get(key_of(one), "")
        return ", ".join(filter(None, [one.kind, f"{one.duration:.4f} s", one.limited, place]))

    bars = [(one.start, one.end, colours[one.kind], text(one)) for one in moves if one.device == robot]
    return Row(robot, bars, thin=False)


def _waits(recording: Recording, waits: Sequence[ProgramWait], working: Sequence[Row]) -> list[Row]:
    """Add waits to the rows of the robots that stood meanwhile; return rows for those in which no robot stood.

    Waits that were typed belong to no program.
    """
    by_robot = {row.label: row for row in working}
    rows: dict[str, Row] = {}
    lines = {one.time for one in recording.sources if not one.program}
    typed = [
        ProgramWait(one.time, one.time + one.seconds, "", "waits", "typed", ())
        for one in recording.events
        if isinstance(one, WaitBegan) and one.time in lines
    ]
    for wait in sorted([*waits, *typed]):
        text = f"{wait.what}, {wait.end - wait.start:.4f} s, {wait.place}"
        held = [by_robot[name] for name in wait.devices if name in by_robot]
        label = f"program {wait.program}" if wait.program else "typed waits"
        for row in held or [rows.setdefault(label, Row(label))]:
            row.bars.append((wait.start, wait.end, WAITS, text))
            row.bars.sort(key=lambda bar: bar[:2])
    return [rows[key] for key in sorted(rows)]


def _belts(recording: Recording, conveyors: Iterable[str]) -> list[Row]:
    """Return the belts that ran, by the motion of their joints, including while they were held or slowed by a fault."""
    ran = {move.device for move in recording.moves if move.kind == RUN}
    ran |= {event.conveyor for event in recording.events if isinstance(event, ConveyorRuns)}
    belts = sorted({*conveyors, *ran} & set(recording.robots))
    if not belts or not recording.duration > 0.0:
        return []
    times = np.linspace(recording.start.time, recording.end, _LOOKS + 1)
    joints = recording.joints_at(times)
    rows = []
    for name in belts:
        goes = np.abs(np.diff(joints[name][:, 0])) > 1e-9
        edges = np.flatnonzero(np.diff(np.concatenate(([False], goes, [False])).astype(int)))
        bars = []
        for a, b in edges.reshape(-1, 2).tolist():
            way, took = joints[name][b, 0] - joints[name][a, 0], times[b] - times[a]
            text = f"{name} runs for {took:.2f} s, {way * 1e3:.1f} mm, {way / took * 1e3:.1f} mm/s on average"
            bars.append((float(times[a]), float(times[b]), _RUNS, text))
        if bars:
            rows.append(Row(f"belt {name}", bars))
    return rows


def _zones(recording: Recording) -> list[Row]:
    """Return one row per shared zone and program: while it waits, and while it is inside."""
    rows: dict[tuple[str, str], Row] = {}
    for stay in stays(recording.events):
        row = rows.setdefault((stay.zone, stay.program), Row(f"zone {stay.zone}: {stay.program}"))
        end = recording.end if stay.left is None else stay.left
        entered = end if stay.entered is None else stay.entered
        for begin, over, colour, what in ((stay.asked, entered, WAITS, "waits for"), (entered, end, _INSIDE, "is in")):
            if over > begin:
                text = f"{stay.program} {what} zone {stay.zone}, {over - begin:.4f} s"
                row.bars.append((begin, over, colour, text))
    return [rows[key] for key in sorted(rows)]


def _faults(recording: Recording) -> list[Row]:
    """Return one row per fault, from when it began to when it ended."""
    rows: dict[str, Row] = {}
    began: dict[str, FaultBegan] = {}

    def over(one: FaultBegan, end: float) -> None:
        of = one.thing or one.signal
        text = f"{one.fault}: {one.does} of {of}, {end - one.time:.4f} s"
        rows.setdefault(one.fault, Row(f"fault {one.fault} of {of}")).bars.append((one.time, end, _FAULT, text))

    for event in recording.events:
        if isinstance(event, FaultBegan):
            began[event.fault] = event
        elif isinstance(event, FaultEnded) and event.fault in began:
            over(began.pop(event.fault), event.time)
    for one in began.values():
        over(one, recording.end)
    return [rows[key] for key in sorted(rows)]


def _sensors(recording: Recording) -> list[Row]:
    """Return one row per sensor that changed: a bar while it is 1, or steps if it has other values."""
    start = recording.start
    steps = {
        name: [(start.time, start.signals.get(name, 0.0))]
        for name in (event.signal for event in recording.events if isinstance(event, SensorChanged))
    }
    for change in recording.changes:  # the first reading is a change but not an event
        if isinstance(change, Signalled) and change.signal in steps:
            if change.time <= start.time:
                steps[change.signal].clear()
            steps[change.signal].append((change.time, change.value))
    rows = []
    for name in sorted(steps):
        some = steps[name]
        if not {value for _, value in some} <= {0.0, 1.0}:
            rows.append(Row(f"sensor {name}", curve=[*some, (recording.end, some[-1][1])]))
            continue
        row = Row(f"sensor {name}")
        since: float | None = None
        for time, value in (*some, (recording.end, 0.0)):
            if value and since is None:
                since = time
            elif not value and since is not None:
                row.bars.append((since, time, _SENSES, f"{name} is 1, {time - since:.4f} s"))
                since = None
        rows.append(row)
    return rows


# ---- drawing --------------------------------------------------------------------------------------------------


def _drawn(row: Row, left: float, top: float, x: Callable[[float], float]) -> Iterable[Stroke | Bar | Label]:
    yield Label((left - 8, top + 16), _short(row.label), "end")
    inset, tall = (4.0, 16.0) if row.thin else (0.0, 24.0)
    for begin, end, colour, text in row.bars:
        # Leave a gap between two bars, so that consecutive moves can be distinguished.
        box = x(begin), top + inset, max(x(end) - x(begin) - 1.0, 0.5), tall
        yield Bar(box, colour, text, hatched=colour == WAITS)
    values = [value for _, value in row.curve if math.isfinite(value)]
    if values:
        low, high = min(values), max(values)
        points: list[tuple[float, float]] = []
        for time, value in row.curve:
            part = (min(max(value, low), high) - low) / (high - low or 1.0)
            y = top + 22.0 - 20.0 * part
            points += [(x(time), points[-1][1])] if points else []
            points.append((x(time), y))
        yield Stroke(tuple(points), _SENSES, 2.0)
        yield Label((x(row.curve[-1][0]) - 2, top + 6), f"{low:g} to {high:g}", "end")


def _legend(colours: list[tuple[str, str]], signs: list[str], left: float) -> Iterable[Bar | Label]:
    top = _TOP
    for colour, text in colours:
        yield Bar((left, top, 10.0, 10.0), colour, text, hatched=colour == WAITS)
        yield Label((left + 16, top + 9), text)
        top += _LINE
    for text in signs:
        yield (
            Bar((left + 4, top, 2.0, 12.0), _STOP)
            if text in ("stop or fall", "deadlock")
            else Bar((left + 3, top + (4.0 if "below" in text else 0.0), 4.0, 8.0), INK)
        )
        yield Label((left + 16, top + 9), text)
        top += _LINE


def _noted(event: object, was: str) -> bool:
    return isinstance(event, Noted) and event.was == was


def _short(text: str) -> str:
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}…{text[1 - half :]}"
