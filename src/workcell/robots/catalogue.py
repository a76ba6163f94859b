"""The library of robots: their list, and each robot by its name."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from pathlib import Path

from workcell.errors import UnknownName
from workcell.robots.robot import Robot


@lru_cache(maxsize=1)
def _files() -> dict[str, Path]:
    folder = Path(str(resources.files("workcell.robots.library")))
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def robots() -> tuple[str, ...]:
    """The names of all robots of the library, in alphabetical order."""
    return tuple(_files())


def robot(name: str) -> Robot:
    """A robot of the library by its name; case, spaces, dashes and slashes do not matter.

    An unknown name is refused with the closest ones.
    """
    return _load(_key(name))


def library_name(name: str) -> str:
    """The library's own spelling of a robot's name."""
    return _key(name)


def library_text(name: str) -> str:
    """The text of a robot's data file."""
    return _files()[_key(name)].read_text(encoding="utf-8")


@lru_cache(maxsize=64)
def _load(key: str) -> Robot:
    from workcell.robots.build import robot_from_file
    from workcell.robots.robot_file import read

    return robot_from_file(read(_files()[key]))


def table() -> str:
    """The library as a Markdown table: name, model, joints, payload, reach and the source of the check."""
    lines = ["| name | robot | joints | payload | reach | checked against |", "|---|---|---|---|---|---|"]
    for name in robots():
        arm = robot(name)
        kinds = "".join("P" if row.prismatic else "R" for row in arm.rows)
        payload = "" if arm.payload is None else f"{arm.payload:g} kg"
        reach = "" if arm.reach is None else f"{arm.reach * 1e3:g} mm"
        source = arm.checks[0].source.split("; ")[0] if arm.checks else ""
        lines.append(f"| `{name}` | {arm.maker} {arm.model} | {kinds} | {payload} | {reach} | {source} |")
    return "\n".join(lines)


def _key(name: str) -> str:
    plain = "".join(c for c in str(name).lower() if c.isalnum())
    for key in _files():
        if plain == key.replace("_", ""):
            return key
    raise UnknownName.among("robot", str(name), _files(), "`workcell robots` lists them all.")
