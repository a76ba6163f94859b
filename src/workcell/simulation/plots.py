"""Pictures of a recording: joint values over time, and a Gantt chart of the moves; as SVG or PNG."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workcell.errors import FileProblem, InvalidValue, UnknownName
from workcell.simulation.event_text import text_of
from workcell.simulation.events import FALLS, STOPS, Gripped, Noted, Released
from workcell.simulation.recording import Recording
from workcell.simulation.zone_stays import Stay, stays

Array = NDArray[np.float64]

_COLOURS = ("#1f6fb4", "#d9622b", "#2f9e5b", "#c0392b", "#7d5ba6", "#8a6d3b", "#3aa6a6", "#6b7280")
_INK, _GRID, _STOP = "#30343a", "#d8dce1", "#c0392b"
_WAITS, _INSIDE = "#b6bcc4", "#2e87c7"
_MARKED = {"stop": _STOP, "grip": _INK, "release": _INK}
"""Notes of old recordings that a Gantt chart marks; they name no robot, so the mark goes through all rows."""
WIDTH, HEIGHT = 900, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 150, 34, 46


@dataclass(frozen=True)
class Stroke:
    """A polyline in pixels."""

    points: tuple[tuple[float, float], ...]
    colour: str
    width: float = 1.0


@dataclass(frozen=True)
class Bar:
    """A filled rectangle: left, top, width, height in pixels, with a text for people who point at it."""

    box: tuple[float, float, float, float]
    colour: str
    title: str = ""


@dataclass(frozen=True)
class Label:
    """A text; ``anchor`` is start, middle or end."""

    place: tuple[float, float]
    text: str
    anchor: str = "start"
    colour: str = _INK


@dataclass(frozen=True)
class Plot:
    """A drawing of strokes, bars and labels."""

    marks: tuple[Stroke | Bar | Label, ...]
    size: tuple[int, int] = (WIDTH, HEIGHT)

    def svg(self) -> str:
        """The drawing as SVG."""
        width, height = self.size
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        ]
        for mark in self.marks:
            if isinstance(mark, Stroke):
                points = " ".join(f"{x:.2f},{y:.2f}" for x, y in mark.points)
                lines.append(
                    f'<polyline points="{points}" fill="none" stroke="{mark.colour}" stroke-width="{mark.width:g}"/>'
                )
            elif isinstance(mark, Bar):
                x, y, w, h = mark.box
                lines.append(
                    f'<rect x="{x:.2f}" y="{y:.2f}" width="{w:.2f}" height="{h:.2f}" fill="{mark.colour}">'
                    f"<title>{escape(mark.title)}</title></rect>"
                )
            else:
                x, y = mark.place
                lines.append(
                    f'<text x="{x:.2f}" y="{y:.2f}" text-anchor="{mark.anchor}" fill="{mark.colour}">'
                    f"{escape(mark.text)}</text>"
                )
        return "\n".join([*lines, "</svg>", ""])

    def save(self, path: str | Path) -> None:
        """Write it as ``.svg`` or ``.png``."""
        target = Path(path)
        try:
            if target.suffix == ".svg":
                target.write_text(self.svg(), encoding="utf-8")
            elif target.suffix == ".png":
                self._png(target)
            else:
                raise InvalidValue(f"A plot is written as .svg or .png; found {target.name!r}.")
        except OSError as error:
            raise FileProblem(f"Cannot write {path}: {error.strerror}.") from error

    def _png(self, path: Path) -> None:
        from PIL import Image, ImageDraw, ImageFont

        image = Image.new("RGB", self.size, "#ffffff")
        draw, font = ImageDraw.Draw(image), ImageFont.load_default(12)
        for mark in self.marks:
            if isinstance(mark, Stroke):
                draw.line(list(mark.points), fill=mark.colour, width=max(1, round(mark.width)))
            elif isinstance(mark, Bar):
                x, y, w, h = mark.box
                draw.rectangle((x, y, x + max(w, 1.0), y + h), fill=mark.colour)
            else:
                anchor = {"start": "ls", "middle": "ms", "end": "rs"}[mark.anchor]
                draw.text(mark.place, mark.text, fill=mark.colour, font=font, anchor=anchor)
        image.save(path)


def joint_plot(recording: Recording, robot: str, slides: tuple[bool, ...] = ()) -> Plot:
    """Every joint of a robot over time: degrees for turning joints, millimetres for sliding ones.

    Args:
        recording: what happened.
        robot: whose joints.
        slides: for each joint whether it slides; none does unless told.
    """
    if robot not in recording.start.joints:
        raise UnknownName.among("robot", robot, recording.start.joints)
    times, values = recording.column(robot)
    if recording.end > times[-1]:
        times, values = np.append(times, recording.end), np.vstack([values, values[-1]])
    sliding = slides or (False,) * values.shape[1]
    shown = values * np.where(sliding, 1e3, 180.0 / math.pi)
    unit = "mm" if all(sliding) else "degrees" if not any(sliding) else "degrees, mm"
    low, high = float(shown.min()), float(shown.max())
    marks = _axes(recording, (low, high), f"joints of {robot} [{unit}]")
    x = _x(times, recording)
    span = high - low or 1.0
    y = HEIGHT - _BOTTOM - (shown - low) / span * (HEIGHT - _BOTTOM - _TOP)
    for joint in range(values.shape[1]):
        colour = _COLOURS[joint % len(_COLOURS)]
        marks.append(Stroke(tuple(zip(x.tolist(), y[:, joint].tolist(), strict=True)), colour, 2.0))
        marks.append(Label((WIDTH - _RIGHT + 14, _TOP + 18 * (joint + 1)), f"joint {joint + 1}", colour=colour))
    return Plot(tuple(marks))


def gantt(recording: Recording) -> Plot:
    """When each robot moved, one row a robot and one colour a kind of move, and when its gripper closed and opened.

    Below, one row a program that shares zones: when it was inside, and grey when it waited.
    """
    grips = (event.robot for event in recording.events if isinstance(event, Gripped | Released))
    robots = sorted({*(move.robot for move in recording.moves), *grips})
    shared = stays(recording.events)
    programs = list(dict.fromkeys(one.program for one in shared))
    kinds = sorted({move.kind for move in recording.moves})
    colours = {kind: _COLOURS[k % len(_COLOURS)] for k, kind in enumerate(kinds)}
    height = _TOP + _BOTTOM + max(40 * max(len(robots) + len(programs), 1), 16 * len(kinds))
    marks: list[Stroke | Bar | Label] = [Label((_LEFT, 20), f"moves, cycle time {recording.duration:.4f} s")]
    bottom = height - _BOTTOM
    for tick in _ticks(recording.start.time, recording.end):
        at = float(_x(np.array([tick]), recording)[0])
        marks += [
            Stroke(((at, _TOP), (at, bottom)), _GRID),
            Label((at, bottom + 18), f"{tick:g}", "middle"),
        ]
    marks.append(Label(((_LEFT + WIDTH - _RIGHT) / 2, bottom + 36), "simulated time [s]", "middle"))
    for row, robot in enumerate(robots):
        top = _TOP + 40 * row + 8
        marks.append(Label((_LEFT - 8, top + 16), robot, "end"))
        for move in (one for one in recording.moves if one.robot == robot):
            left, right = _x(np.array([move.start, move.end]), recording).tolist()
            title = f"{move.kind}, {move.duration:.4f} s, {move.limited}"
            # A gap between two bars, so that moves that follow each other are told apart.
            marks.append(Bar((left, top, max(right - left - 1.0, 0.5), 24.0), colours[move.kind], title))
    for row, program in enumerate(programs, start=len(robots)):
        top = _TOP + 40 * row + 8
        marks.append(Label((_LEFT - 8, top + 16), program, "end"))
        for stay in (one for one in shared if one.program == program):
            marks += _zone_bars(stay, recording, top)
    for k, kind in enumerate(kinds):
        place = (WIDTH - _RIGHT + 14, _TOP + 16 * k)
        marks += [Bar((*place, 10.0, 10.0), colours[kind], kind), Label((place[0] + 16, place[1] + 9), kind)]
    for event in recording.events:
        at = float(_x(np.array([event.time]), recording)[0])
        if isinstance(event, (*STOPS, *FALLS)):
            marks.append(Bar((at - 1.0, _TOP, 2.0, bottom - _TOP), _STOP, text_of(event)))
        elif isinstance(event, Gripped | Released):
            # A gripper that closes marks the upper edge of its row, one that opens the lower one.
            top = _TOP + 40 * robots.index(event.robot) + (2 if isinstance(event, Gripped) else 30)
            marks.append(Bar((at - 2.0, top, 4.0, 8.0), _INK, text_of(event)))
        elif isinstance(event, Noted) and event.was in _MARKED:
            marks.append(Bar((at - 1.0, _TOP, 2.0, bottom - _TOP), _MARKED[event.was], text_of(event)))
    return Plot(tuple(marks), (WIDTH, height))


def _zone_bars(stay: Stay, recording: Recording, top: float) -> list[Bar]:
    """A bar while a program waits for a zone, and one while it is inside."""
    end = recording.end if stay.left is None else stay.left
    entered = end if stay.entered is None else stay.entered
    bars = []
    for begin, over, colour, what in ((stay.asked, entered, _WAITS, "waits for"), (entered, end, _INSIDE, "is in")):
        left, right = _x(np.array([begin, over]), recording).tolist()
        if over > begin:
            title = f"{stay.program} {what} zone {stay.zone}, {over - begin:.4f} s"
            bars.append(Bar((left, top + 4.0, max(right - left - 1.0, 0.5), 16.0), colour, title))
    return bars


def _axes(recording: Recording, span: tuple[float, float], title: str) -> list[Stroke | Bar | Label]:
    low, high = span
    bottom, right = HEIGHT - _BOTTOM, WIDTH - _RIGHT
    marks: list[Stroke | Bar | Label] = [Label((_LEFT, 20), title)]
    for tick in _ticks(low, high):
        y = bottom - (tick - low) / ((high - low) or 1.0) * (bottom - _TOP)
        marks += [Stroke(((_LEFT, y), (right, y)), _GRID), Label((_LEFT - 8, y + 4), f"{tick:g}", "end")]
    for tick in _ticks(recording.start.time, recording.end):
        x = float(_x(np.array([tick]), recording)[0])
        marks += [Stroke(((x, _TOP), (x, bottom)), _GRID), Label((x, bottom + 18), f"{tick:g}", "middle")]
    marks.append(Label(((_LEFT + right) / 2, HEIGHT - 8), "simulated time [s]", "middle"))
    return marks


def _x(times: Array, recording: Recording) -> Array:
    span = recording.duration or 1.0
    return np.asarray(_LEFT + (times - recording.start.time) / span * (WIDTH - _LEFT - _RIGHT))


def _ticks(low: float, high: float) -> list[float]:
    """About six round numbers from low to high."""
    if not high > low:
        return [low]
    raw = (high - low) / 6.0
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * factor for factor in (1.0, 2.0, 5.0, 10.0) if size * factor >= raw)
    return [round(step * k, 12) for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]
