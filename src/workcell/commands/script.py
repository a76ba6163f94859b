"""Scripts: files of commands, one a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from workcell.commands.program_blocks import begins, gathered
from workcell.errors import Refused, WorkcellError

if TYPE_CHECKING:
    from workcell.commands.session import Session


class ScriptStopped(Refused):
    """A line of a script was refused; ``line_number`` counts from 1, ``reason`` is the error itself."""


def run_script(
    session: Session, script: str | Iterable[str], answer: Callable[[int, str, Any], None] | None = None
) -> int:
    """Carry out the lines of a script; returns how many commands it had.

    Blank lines and lines that begin with ``#`` are passed over; a backslash at the end goes on in the next line. At a
    refused line it stops: what came before stays, nothing of the refused command does, and a group that was open is
    given up.
    """
    done = 0
    for number, text in logical_lines(lines_of(script) if isinstance(script, str) else script):
        try:
            result = session.do(text)
        except WorkcellError as error:
            session.leave_group(keep=False)
            raise ScriptStopped(f"Line {number}: {error}", line_number=number, reason=error, text=text) from error
        done += 1
        if answer is not None:
            answer(number, text, result)
    if session.leave_group(keep=False):
        raise ScriptStopped("The script ends inside a group; it was given up. `end` commits a group.", line_number=0)
    return done


def lines_of(text: str) -> list[str]:
    """The lines of a text. Other breaks that Unicode knows, such as U+2028, are part of a line."""
    return text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")


def logical_lines(lines: Iterable[str]) -> Iterable[tuple[int, str]]:
    """Lines with their numbers, continued ones joined, blank ones and comments left out; a program is one text."""
    held, start = "", 0
    for number, line in gathered(lines):
        if not held and begins(line):
            yield number, line
            continue
        start = start or number
        if line.endswith("\\"):
            held += line[:-1] + " "
            continue
        text = (held + line).strip()
        if text and not text.startswith("#"):
            yield start, text
        held, start = "", 0
    if held.strip():
        yield start, held.strip()
