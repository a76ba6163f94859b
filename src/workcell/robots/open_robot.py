"""Robots from any file that contains some, mounted on each other as in the file."""

from __future__ import annotations

from typing import NamedTuple

from workcell.robots import robot_reader
from workcell.robots.formats.urdf_files import Fetch, no_files
from workcell.robots.mounting import Mounting, mounted


class Opened(NamedTuple):
    """The content of a file: its robots, mounted on each other, and notes on what was not used, one line each."""

    mounting: Mounting
    notes: tuple[str, ...] = ()


def parse(text: str, where: str = "the text", fetch: Fetch = no_files, unknown_shapes: bool = False) -> Opened:
    """Every robot in a text.

    Args:
        text: the text of the file.
        where: its name in messages.
        fetch: returns the bytes of the meshes that a URDF refers to.
        unknown_shapes: whether to mark a link whose shape cannot be read, instead of a refusal.
    """
    found = robot_reader.parse(text, where, fetch, unknown_shapes)
    return Opened(mounted(found.robots), found.notes)
