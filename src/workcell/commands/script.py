"""Scripts: files of commands, one per line; run line by line, or loaded as one step of the history."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from workcell.commands.language.program_blocks import begins, gathered
from workcell.errors import Cancelled, FileProblem, Refused, WorkcellError
from workcell.wording import quoted

if TYPE_CHECKING:
    from workcell.commands.session import Session


class ScriptStopped(Refused):
    """A line of a script was refused; ``line_number`` counts from 1, ``reason`` is the error itself."""


def run_script(
    session: Session, script: str | Iterable[str], answer: Callable[[int, str, Any], None] | None = None
) -> int:
    """Carry out the lines of a script; return how many commands it had.

    Blank lines and lines that begin with ``#`` are skipped; a line that ends with a backslash continues in the next
    one. The script stops at a refused line. The lines before it keep their effect, and an open group is cancelled.
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
        raise ScriptStopped(
            "The script ends inside a group, which was cancelled. Add `end` to keep the group.", line_number=0
        )
    return done


DEEPEST = 20
"""How deeply scripts may load each other."""


def load_script(session: Session, file: str, text: str) -> int:
    """Carry out a script as one step of the history; return how many commands it had.

    If a line is refused, the cell is as before. A script that another script loads is part of the same step.

    Raises:
        ScriptStopped: a line was refused; it names the file, the line and the column.
    """
    name = Path(file).name
    if file in session.scripts or len(session.scripts) >= DEEPEST:
        chain = [Path(one).name for one in (*session.scripts, file)]
        raise Refused(f"Scripts load each other: {' → '.join(chain)}.", chain=chain)
    outer = not session.database.in_step
    lines = lines_of(text)
    commands = list(logical_lines(lines))
    if not commands:
        raise FileProblem(f"{name} has no commands; a script has one command per line.")
    with one_step(session, f"load {quoted(name)}") if outer else nullcontext():
        session.scripts.append(file)
        try:
            for done, (number, line) in enumerate(commands):
                session.progress(done / len(commands), f"line {number} of {name}")
                try:
                    session.do(line)
                except (Cancelled, ScriptStopped):
                    raise
                except WorkcellError as error:
                    raise _stopped(name, lines, number, line, error) from error
        finally:
            session.scripts.remove(file)
    return len(commands)


class Together(msgspec.Struct, frozen=True):
    """The answer to each of several lines, as text; ``refused`` has the numbers of those that were left out, from 0."""

    texts: tuple[str, ...]
    refused: tuple[int, ...] = ()

    def __str__(self) -> str:
        return "\n".join(self.texts)


def carry_out_together(session: Session, lines: Sequence[str], each: bool = False) -> Together:
    """Carry out lines as one step of the history; return the answer to each.

    If one is refused, none of them takes effect; the evidence of its error then has ``place``, its number from 0. With
    ``each``, a refused line is left out, and its answer is the sentence of its error. If the work is cancelled, no
    line takes effect.
    """
    if session.paused is not None:
        raise Refused(
            f"Several commands cannot be one step while {session.paused.called} is paused; "
            "`resume` or `stop-run` it first."
        )
    texts, refused = [], []
    with session.group.taking() if session.group is not None else nullcontext(), one_step(session):
        for place, line in enumerate(lines):
            try:
                with _part(session, place, len(lines), line), session.database.part_of_step():
                    texts.append(str(session.do(line)))
            except WorkcellError as error:
                if not each or isinstance(error, Cancelled):
                    error.evidence["place"] = place
                    raise
                texts.append(str(error))
                refused.append(place)
    return Together(tuple(texts), tuple(refused))


@contextmanager
def _part(session: Session, place: int, count: int, line: str) -> Iterator[None]:
    """Inside, the progress of the session is that of one line of several."""
    whole = session.progress

    def report(fraction: float, label: str = "") -> None:
        whole((place + fraction) / count, f"{place + 1} of {count}: {label or line}")

    report(0.0)
    session.progress = report
    try:
        yield
    finally:
        session.progress = whole


@contextmanager
def one_step(session: Session, typed: str = "") -> Iterator[None]:
    """Make all that is done inside one step of the history; if it is refused, all of it is undone.

    Args:
        session: the session.
        typed: what the history shows, if not each command.
    """
    session.database.begin_step(session.who)
    try:
        yield
        session.database.end_step(typed)
    except BaseException:
        session.database.cancel_step()
        raise


def _stopped(name: str, lines: list[str], number: int, text: str, error: WorkcellError) -> ScriptStopped:
    """Return the refusal of a line of a script, with its place in the file."""
    line, column = number, 0
    if isinstance(at := error.evidence.get("column"), int) and not begins(text):
        line, column = _place(lines, number, at)
    return ScriptStopped(
        f"Line {line}, column {column + 1} of {name}: {error} The cell is as before the script.",
        file=name, line_number=line, column=column, reason=error, text=text,
    )  # fmt: skip


def _place(lines: list[str], number: int, column: int) -> tuple[int, int]:
    """Return where a column of a command is in the file: the line from 1, and the column there from 0.

    In a continued line, the backslash counts as a blank.
    """
    first = lines[number - 1]
    at = column + len(first) - len(first.lstrip())
    while lines[number - 1].endswith("\\") and at >= len(lines[number - 1]) and number < len(lines):
        at -= len(lines[number - 1])
        number += 1
    return number, at


def read_lines(source: bytes | Iterable[str]) -> Iterable[str]:
    """Yield the lines of a script from bytes or from a stream, without a byte-order mark.

    Raises:
        FileProblem: the bytes are not text.
    """
    if isinstance(source, bytes):
        try:
            yield from lines_of(source.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise FileProblem(
                f"A file of commands is text (UTF-8); found {error.reason} at byte {error.start}."
            ) from error
        return
    for number, line in enumerate(source):
        yield line.removeprefix("\ufeff") if number == 0 else line


def lines_of(text: str) -> list[str]:
    """Return the lines of a text; other line breaks of Unicode, such as U+2028, do not end a line."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")


def logical_lines(lines: Iterable[str]) -> Iterable[tuple[int, str]]:
    """Yield commands with their line numbers: continued lines joined, blank lines and comments left out.

    A program is one command.
    """
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
