"""Draws the rooms of the package and their imports for docs/architecture.md."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

from module_graph import imports

ROOT = Path(__file__).resolve().parent.parent
STEP, LEFT, TOP, BOX = 30, 16, 12, 92
SIZES = ((16, 8.0, "16 files or more"), (4, 5.5, "4 to 15 files"), (1, 3.0, "1 to 3 files"))
"""The least number of importing files for each radius of a dot."""
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2933 }
.small { font-size: 12px; fill: #52606d }
.room { fill: #e8eef4; stroke: #9fb3c8 }
.line { stroke: #e4e7eb }
.dot { fill: #1b6ca8 }
"""


def rooms() -> list[str]:
    """Return the rooms that exist, the uppermost first, in the order of the import contract."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    named = [room.strip(" ()") for layer in layers for room in layer.split("|")]
    package = ROOT / "src" / "workcell"
    return [room for room in named if (package / room / "__init__.py").exists() or (package / f"{room}.py").exists()]


def counted() -> Counter[tuple[str, str]]:
    """Count the modules of each room that import another room: (importer, imported)."""
    built = set(rooms())
    found: Counter[tuple[str, str]] = Counter()
    for module, others in imports().items():
        room = room_of(module)
        found.update((room, other) for other in {room_of(one) for one in others} & built if room in built - {other})
    return found


def room_of(module: str) -> str:
    """Return the room of a module; '' for the package itself."""
    return module.split(".")[1] if "." in module else ""


def diagram() -> str:
    """Return the SVG: the row of each room has a dot in the column of every room that it imports."""
    names, used = rooms(), counted()
    at = {name: place for place, name in enumerate(names)}
    end = LEFT + STEP * (len(names) - 1) + BOX
    wide, high = end + 12, TOP + STEP * len(names) + 12
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}">',
        "<title>Which rooms import which</title>",
        f"<style>{STYLE}</style>",
        f'<rect width="{wide}" height="{high}" fill="#ffffff"/>',
        *legend(LEFT, high - 120),
    ]
    for row in range(len(names)):
        x, y = LEFT + STEP * row + BOX, TOP + STEP * row
        lines += [
            f'<line class="line" x1="{x}" y1="{y + STEP / 2:g}" x2="{end}" y2="{y + STEP / 2:g}"/>',
            f'<line class="line" x1="{x - 16}" y1="{TOP}" x2="{x - 16}" y2="{y}"/>',
        ]
    for (who, whom), number in sorted(used.items()):
        radius = next(radius for least, radius, _ in SIZES if number >= least)
        x, y = LEFT + STEP * at[whom] + BOX - 16, TOP + STEP * at[who] + STEP // 2
        lines.append(
            f'<circle class="dot" cx="{x}" cy="{y}" r="{radius:g}"><title>{who} imports {whom}</title></circle>'
        )
    for name, row in at.items():
        x, y = LEFT + STEP * row, TOP + STEP * row
        lines += [
            f'<rect class="room" x="{x}" y="{y + 3}" width="{BOX}" height="{STEP - 6}" rx="4"/>',
            f'<text x="{x + BOX / 2:g}" y="{y + STEP / 2 + 4.5:g}" text-anchor="middle">{name}</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])


def legend(x: float, y: float) -> list[str]:
    """Return the legend of the dots."""
    lines = [
        f'<text x="{x}" y="{y}">A dot in the row of a room: it imports</text>',
        f'<text x="{x}" y="{y + 18}">the room of that column, in</text>',
    ]
    for number, (_, radius, words) in enumerate(SIZES):
        middle = y + 42 + 24 * number
        lines += [
            f'<circle class="dot" cx="{x + 10}" cy="{middle}" r="{radius:g}"/>',
            f'<text class="small" x="{x + 26}" y="{middle + 4}">{words}</text>',
        ]
    return lines
