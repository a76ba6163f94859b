"""Drawings as SVG or PNG, and the plot of joint values over time; the Gantt chart is in gantt.py."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workcell.errors import FileProblem, InvalidValue, UnknownName
from workcell.simulation.recording import Recording

Array = NDArray[np.float64]

COLOURS = ("#1f6fb4", "#d9622b", "#2f9e5b", "#c0392b", "#7d5ba6", "#8a6d3b", "#3aa6a6", "#6b7280")
INK, GRID = "#30343a", "#d8dce1"
_PALE = "#eef0f3"
"""The ground of what is hatched."""
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
    """A filled rectangle: left, top, width, height in pixels, with a tooltip; ``hatched`` on a pale ground."""

    box: tuple[float, float, float, float]
    colour: str
    title: str = ""
    hatched: bool = False


@dataclass(frozen=True)
class Label:
    """A text; ``anchor`` is start, middle or end."""

    place: tuple[float, float]
    text: str
    anchor: str = "start"
    colour: str = INK


@dataclass(frozen=True)
class Plot:
    """A drawing of strokes, bars and labels."""

    marks: tuple[Stroke | Bar | Label, ...]
    size: tuple[int, int] = (WIDTH, HEIGHT)

    def svg(self) -> str:
        """Return the drawing as SVG."""
        width, height = self.size
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        ]
        hatches = sorted({mark.colour for mark in self.marks if isinstance(mark, Bar) and mark.hatched})
        lines += [
            f'<defs><pattern id="hatch{colour[1:]}" width="6" height="6" patternUnits="userSpaceOnUse" '
            f'patternTransform="rotate(45)"><rect width="6" height="6" fill="{_PALE}"/>'
            f'<rect width="2" height="6" fill="{colour}"/></pattern></defs>'
            for colour in hatches
        ]
        for mark in self.marks:
            if isinstance(mark, Stroke):
                points = " ".join(f"{x:.2f},{y:.2f}" for x, y in mark.points)
                lines.append(
                    f'<polyline points="{points}" fill="none" stroke="{mark.colour}" stroke-width="{mark.width:g}"/>'
                )
            elif isinstance(mark, Bar):
                x, y, w, h = mark.box
                fill = f"url(#hatch{mark.colour[1:]})" if mark.hatched else mark.colour
                lines.append(
                    f'<rect x="{x:.2f}" y="{y:.2f}" width="{w:.2f}" height="{h:.2f}" fill="{fill}">'
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
        """Write the drawing as ``.svg`` or ``.png``."""
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
                right = x + max(w, 1.0)
                draw.rectangle((x, y, right, y + h), fill=_PALE if mark.hatched else mark.colour)
                if mark.hatched:  # upright strokes: a slanted one would have to be cut at the edges
                    for at in np.arange(x, right, 6.0):
                        draw.line((at, y, at, y + h), fill=mark.colour, width=2)
            else:
                anchor = {"start": "ls", "middle": "ms", "end": "rs"}[mark.anchor]
                draw.text(mark.place, mark.text, fill=mark.colour, font=font, anchor=anchor)
        image.save(path)


def joint_plot(recording: Recording, robot: str, slides: tuple[bool, ...] = (), names: tuple[str, ...] = ()) -> Plot:
    """Return a plot of every joint of a robot over time: degrees for revolute joints, millimetres for sliding ones.

    Args:
        recording: what happened.
        robot: the robot.
        slides: for each joint whether it slides; none does by default.
        names: what the joints are called; by default by their numbers.
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
    called = names or tuple(f"joint {joint + 1}" for joint in range(values.shape[1]))
    for joint, name in enumerate(called):
        colour = COLOURS[joint % len(COLOURS)]
        marks.append(Stroke(tuple(zip(x.tolist(), y[:, joint].tolist(), strict=True)), colour, 2.0))
        marks.append(Label((WIDTH - _RIGHT + 14, _TOP + 18 * (joint + 1)), name, colour=colour))
    return Plot(tuple(marks))


def _axes(recording: Recording, span: tuple[float, float], title: str) -> list[Stroke | Bar | Label]:
    low, high = span
    bottom, right = HEIGHT - _BOTTOM, WIDTH - _RIGHT
    marks: list[Stroke | Bar | Label] = [Label((_LEFT, 20), title)]
    for tick in ticks(low, high):
        y = bottom - (tick - low) / ((high - low) or 1.0) * (bottom - _TOP)
        marks += [Stroke(((_LEFT, y), (right, y)), GRID), Label((_LEFT - 8, y + 4), f"{tick:g}", "end")]
    for tick in ticks(recording.start.time, recording.end):
        x = float(_x(np.array([tick]), recording)[0])
        marks += [Stroke(((x, _TOP), (x, bottom)), GRID), Label((x, bottom + 18), f"{tick:g}", "middle")]
    marks.append(Label(((_LEFT + right) / 2, HEIGHT - 8), "simulated time [s]", "middle"))
    return marks


def _x(times: Array, recording: Recording) -> Array:
    span = recording.duration or 1.0
    return np.asarray(_LEFT + (times - recording.start.time) / span * (WIDTH - _LEFT - _RIGHT))


def text_width(text: str) -> float:
    """Return the width of a text as drawn [pixels], plus a tenth for other fonts."""
    from PIL import ImageFont

    return 1.1 * ImageFont.load_default(12).getlength(text)


def ticks(low: float, high: float) -> list[float]:
    """Return about six round numbers from low to high."""
    if not high > low:
        return [low]
    raw = (high - low) / 6.0
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * factor for factor in (1.0, 2.0, 5.0, 10.0) if size * factor >= raw)
    return [round(step * k, 12) for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]
