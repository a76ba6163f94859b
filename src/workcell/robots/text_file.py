"""The text of a file that describes robots, links or tools."""

from __future__ import annotations

from pathlib import Path

from workcell.errors import FileProblem
from workcell.wording import capital


def text_in(place: Path, what: str) -> str:
    """The text of a file; an unreadable one is refused under the name ``what``: 'the robot file'."""
    try:
        return place.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise FileProblem(f"{capital(what)} {place.name!r} cannot be read: {reason}.", path=str(place)) from error
