"""What the journal stores of a command, besides what was typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workcell.world.kept_files import kept_name


class Resolved:
    """Values that replace typed ones (a file's hash, a chosen name), and the bytes of the files that were read."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.files: list[bytes] = []

    def begin(self) -> None:
        """Begin another command."""
        self.values, self.files = {}, []

    def keep_file(self, parameter: str, data: bytes) -> None:
        """Store the bytes that a simulating command read, and use their name for its parameter."""
        self.files.append(data)
        self.values[parameter] = kept_name(data)

    def keep_files(self, parameter: str, files: Mapping[str, bytes]) -> None:
        """Store the bytes of several files, and use their names for one parameter."""
        self.files += files.values()
        self.values[parameter] = {name: kept_name(data) for name, data in files.items()}
