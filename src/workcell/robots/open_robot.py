"""Robots from any file that holds some, mounted on each other as the file says."""

from __future__ import annotations

from typing import NamedTuple

from workcell.robots import robot_reader
from workcell.robots.formats.urdf_files import Fetch, no_files
from workcell.robots.mounting import Mounting, mounted


class Opened(NamedTuple):
    """What a file holds: its robots, mounted on each other, and what it has that is not read, one line each."""

    mounting: Mounting
    notes: tuple[str, ...] = ()


def parse(text: str, where: str = "the text", fetch: Fetch = no_files, unknown_shapes: bool = False) -> Opened:
    """Every robot in a text.

    Args:
        text: of the file.
        where: what a message calls it.
        fetch: gives the bytes of the meshes that a URDF names.
        unknown_shapes: whether a link whose shape cannot be read is marked, in place of a refusal.
    """
    found = robot_reader.parse(text, where, fetch, unknown_shapes)
    return Opened(mounted(found.robots), found.notes)
