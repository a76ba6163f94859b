"""The library of tools: their list, and each tool by its name."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from pathlib import Path

from workcell.errors import UnknownName
from workcell.robots.tool import Tool
from workcell.robots.tool_file import ToolFile, parse, tool_from_file


@lru_cache(maxsize=1)
def _files() -> dict[str, Path]:
    folder = Path(str(resources.files("workcell.robots.tools")))
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def tools() -> tuple[str, ...]:
    """The names of all tools of the library, in alphabetical order."""
    return tuple(_files())


def tool(name: str) -> Tool:
    """A tool of the library by its name; case, spaces and dashes do not matter.

    An unknown name is refused with the closest ones.
    """
    return tool_from_file(tool_file(name))


def tool_name(name: str) -> str:
    """The library's own spelling of a tool's name."""
    plain = "".join(c for c in str(name).lower() if c.isalnum())
    for key in _files():
        if plain == "".join(c for c in key if c.isalnum()):
            return key
    raise UnknownName.among("tool", str(name), _files(), "`tools` lists them all.")


def tool_text(name: str) -> str:
    """The text of a tool's data file."""
    return _files()[tool_name(name)].read_text(encoding="utf-8")


@lru_cache(maxsize=64)
def _read(key: str) -> ToolFile:
    return parse(_files()[key].read_text(encoding="utf-8"), f"{key}.toml")


def tool_file(name: str) -> ToolFile:
    """The data file of a tool."""
    return _read(tool_name(name))
