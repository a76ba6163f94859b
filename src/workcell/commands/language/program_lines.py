"""The lines of a program's text: joined lines, and where comments begin."""

from __future__ import annotations

import re
from collections.abc import Iterator

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}(?!\w)")


def joined_lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield lines with their numbers and places in the text; a backslash at the end joins the next line.

    Joined lines keep their lengths, so that a column of the line is a place in the text.
    """
    at, number, start, held, first = 0, 0, 0, "", 1
    if "\\" not in text and "\r" not in text:
        for line in text.split("\n"):
            number += 1
            yield number, at, line
            at += len(line) + 1
        return
    for line in text.split("\n"):
        number += 1
        if not held:
            start, first = at, number
        at += len(line) + 1
        if line.endswith("\\"):
            held += line[:-1] + "  "
            continue
        yield first, start, (held + line).rstrip("\r")
        held = ""
    if held:
        yield first, start, held.rstrip()


def code_end(line: str) -> int:
    """Return where the comment of a line begins, or its end; a colour such as #ff0000 is not a comment."""
    place = line.find("#")
    while place >= 0:
        if line.count('"', 0, place) % 2 == 0 and not _COLOUR.match(line, place):
            return place
        place = line.find("#", place + 1)
    return len(line)
