"""Draw the figures of docs/guidance.md: the thesis' planar example, its successive positions and its trajectories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workcell.planning.guidance.links import LinkArm
from workcell.planning.guidance.obstacles import Cylinder
from workcell.planning.guidance.runs import GuidedRun, guide_links

Array = NDArray[np.float64]

HERE = Path(__file__).parent.parent / "docs" / "images"
GOAL = (6.8, 8.0, 0.0)
POSTS = tuple(Cylinder((x, y, -5.0), (x, y, 5.0), 1.5) for x, y in ((4.4, 5.0), (9.0, 5.5), (7.5, 1.5)))
COLOURS = ("#1b6ca8", "#2a9d8f", "#e9a23b", "#d1495b", "#6d4c91")
LOW, HIGH = (-2.6, -0.8), (11.0, 9.0)
"""What is drawn of the plane."""


def run() -> GuidedRun:
    """Return the planar example with the step of the reference."""
    arm = LinkArm.of([0.0] + [2.0] * 6, [0.0] * 6, [(-3.14, 3.14)] * 6)
    b = 1.44
    return guide_links(arm, arm.posture([b, -2 * b, 2 * b, -2 * b, 2 * b, -2 * b]), GOAL, POSTS, period=0.1)


def panel(x0: float, y0: float, scale: float, content: Iterator[str], title: str) -> str:
    """Return one drawing of the plane: obstacles, destination, and what is given, with its upper left corner there."""
    width, height = scale * (HIGH[0] - LOW[0]), scale * (HIGH[1] - LOW[1])
    parts = [
        f'<rect x="{x0:.1f}" y="{y0:.1f}" width="{width:.1f}" height="{height:.1f}" fill="#ffffff" stroke="#c9ced6"/>'
    ]
    for post in POSTS:
        (cx, cy), r = place(post.a, x0, y0, scale), post.radius * scale
        parts.append(f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="{r:.1f}" fill="#dfe3ea" stroke="#7d8591"/>')
    gx, gy = place(GOAL, x0, y0, scale)
    arm = 0.25 * scale
    parts.append(
        f'<path d="M{gx - arm:.1f},{gy:.1f}H{gx + arm:.1f}M{gx:.1f},{gy - arm:.1f}V{gy + arm:.1f}" '
        'stroke="#b3261e" stroke-width="1.5"/>'
    )
    parts += content
    parts.append(f'<text x="{x0 + 6:.1f}" y="{y0 + 15:.1f}" font-size="11" fill="#3b424c">{title}</text>')
    return "\n".join(parts)


def place(point: Sequence[float] | Array, x0: float, y0: float, scale: float) -> tuple[float, float]:
    """Return where a point of the plane is in the drawing."""
    return x0 + scale * (float(point[0]) - LOW[0]), y0 + scale * (HIGH[1] - float(point[1]))


def line(points: Array, x0: float, y0: float, scale: float, style: str) -> str:
    """Return a line through points of the plane."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(one, x0, y0, scale) for one in points))
    return f'<polyline points="{path}" fill="none" {style}/>'


def arm_lines(points: Array, x0: float, y0: float, scale: float) -> Iterator[str]:
    """Yield the links of an arm and its end points."""
    yield line(points, x0, y0, scale, 'stroke="#1b6ca8" stroke-width="2" stroke-linejoin="round"')
    for one in points:
        x, y = place(one, x0, y0, scale)
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.9" fill="#12395a"/>'


def drawing(width: float, height: float, parts: Sequence[str]) -> str:
    """Return a whole SVG file."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif">'
    back = f'<rect width="{width:.0f}" height="{height:.0f}" fill="#f6f7f9"/>'
    return "\n".join([head, back, *parts, "</svg>", ""])


def positions(found: GuidedRun) -> str:
    """Return the 21 successive positions, as the thesis' figures 14 to 34."""
    scale, gap, columns = 15.0, 8.0, 7
    width, height = scale * (HIGH[0] - LOW[0]), scale * (HIGH[1] - LOW[1])
    parts = []
    for number, step in enumerate(np.linspace(0, found.steps, 21).round().astype(int)):
        row, column = divmod(number, columns)
        x0, y0 = gap + column * (width + gap), gap + row * (height + gap)
        lines = arm_lines(found.points[step], x0, y0, scale)
        parts.append(panel(x0, y0, scale, lines, f"{number + 1}: t = {found.times[step]:.1f}"))
    return drawing(gap + columns * (width + gap), gap + 3 * (height + gap), parts)


def trajectories(found: GuidedRun) -> str:
    """Return the trajectories of P3 to P7, as the thesis' figures 9 to 13."""
    scale, gap = 44.0, 10.0
    width, height = scale * (HIGH[0] - LOW[0]), scale * (HIGH[1] - LOW[1])

    def content() -> Iterator[str]:
        for one in (0, found.steps):
            yield line(found.points[one], gap, gap, scale, 'stroke="#9aa3af" stroke-width="2" stroke-dasharray="5 4"')
        for number, colour in zip(range(2, 7), COLOURS, strict=True):
            way = found.points[:, number]
            yield line(way, gap, gap, scale, f'stroke="{colour}" stroke-width="2"')
            x, y = place(way[-1], gap, gap, scale)
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
            yield f'<text x="{x + 7:.1f}" y="{y - 6:.1f}" font-size="13" fill="{colour}">P{number + 1}</text>'

    title = "ways of P3 to P7; the arm at the start and at the end is dashed"
    return drawing(width + 2 * gap, height + 2 * gap, [panel(gap, gap, scale, content(), title)])


def main() -> None:
    found = run()
    print(found.sentence)
    for name, text in (("guidance_positions.svg", positions(found)), ("guidance_ways.svg", trajectories(found))):
        (HERE / name).write_text(text, encoding="utf-8")
        print(HERE / name)


if __name__ == "__main__":
    main()
