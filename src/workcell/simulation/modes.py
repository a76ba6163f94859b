"""How moves are made and shown: all joints together, or one after the other as in the thesis."""

from __future__ import annotations

from typing import Literal, TypeAlias

from workcell.errors import UnknownName

Mode: TypeAlias = Literal["joint-by-joint", "path", "playback"]
MODES: tuple[Mode, ...] = ("joint-by-joint", "path", "playback")


def checked_mode(mode: str) -> Mode:
    """Return a mode by name."""
    for known in MODES:
        if mode == known:
            return known
    raise UnknownName.among("simulation mode", str(mode), MODES)
