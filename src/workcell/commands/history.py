"""Commands on the history: undo, redo, history, group, end, cancel-group, compact, preview."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec

from workcell.commands.kept_recording import forget_recording
from workcell.commands.language.registry import command
from workcell.commands.language.values import Number, Rest
from workcell.commands.results import Done, Result, Table
from workcell.commands.undoing import redo_step
from workcell.errors import InvalidValue, Refused
from workcell.wording import counted
from workcell.world.database import KEPT, Compacted

if TYPE_CHECKING:
    from workcell.commands.session import Session


@command(
    "undo [{count}] [--any]",
    help="undo the last steps; while others work on the same cell, your own last steps",
    effect="edits",
    own_transaction=True,
    count=Number(positive=True, whole=True),
    param_help={
        "count": "the number of steps; default 1",
        "any": "undo the last steps of the cell, whoever made them",
    },
    examples=["> create block cube1", "undo", "> create block cube2", "undo --any"],
)
def undo(session: Session, count: int = 1, any: bool = False) -> Done:
    """The answer lists what was undone, and who did it. A step of an open group of another client cannot be undone.

    A step of your own is refused if somebody else has changed the same things since; the message names that step. While
    a run is paused, edits that came after its beginning are undone and the run stays; earlier steps cannot be undone
    until it is resumed or stopped. `undo --any` discards the paused run first.
    """
    entries, note = session.undo(count, anybody=any)
    undone = [f"undone: {entry.label} (by {entry.who})" for entry in entries]
    return Done("\n".join([*([note] if note else []), *undone]))


@command(
    "redo [{count}]",
    help="redo the steps that were undone last",
    effect="edits",
    own_transaction=True,
    count=Number(positive=True, whole=True),
    param_help={"count": "the number of steps; default 1"},
    examples=["> create block cube1", "> undo", "redo"],
)
def redo(session: Session, count: int = 1) -> Done:
    """This works until you make another step. While a run is paused, edits are redone, and runs and moves are not."""
    session.outside_group("redo")
    entries = [redo_step(session)]
    while len(entries) < count and session.database.history.can_redo:
        try:
            entries.append(redo_step(session))
        except Refused:
            break
    return Done("\n".join(f"done again: {entry.label} (by {entry.who})" for entry in entries))


@command(
    "history [{count}]",
    help="list the last steps: when, who, what",
    effect="reads",
    count=Number(positive=True, whole=True),
    param_help={"count": "the number of steps; default 20"},
    examples=["> create block cube1", "history", "history 5"],
)
def history(session: Session, count: int = 20) -> Table:
    """Undone steps, which can be redone, are marked."""
    entries = session.database.history.entries()[-count:]
    rows = tuple(
        (
            entry.seq, _when(entry.time), entry.who,
            "undone" if entry.undone else "", entry.label,
        )
        for entry in entries
    )  # fmt: skip
    return Table(
        ("step", "time", "who", "", "command"), rows, f"{counted(len(session.database.history), 'step')} in force"
    )


def _when(seconds: float) -> str:
    """Return a time of the journal in the local time zone; 'unknown' for an impossible one from a damaged file."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
    except (OSError, OverflowError, ValueError):
        return "unknown"


@command(
    "group",
    help="begin a group: all commands until `end` become one step of the history",
    effect="edits",
    own_transaction=True,
    examples=["group", "> create block cube1", "> create block cube2", "> end"],
)
def group(session: Session) -> Done:
    """Each command takes effect at once. A group belongs to the client that began it, and ends with the session.

    Commands of other clients are not part of it; they split the group into several steps.
    """
    session.outside_group("begin another group")
    if session.paused is not None:
        raise Refused(f"A group cannot begin while {session.paused.called} is paused; `resume` or `stop-run` it first.")
    session.group = session.database.begin_group(session.who)
    return Done("group begun; `end` makes it one step, `cancel-group` discards it")


@command(
    "end",
    help="end the group; all its commands become one step of the history",
    effect="edits",
    own_transaction=True,
    examples=["> group", "> create block cube1", "end"],
)
def end(session: Session) -> Done:
    """`undo` then reverts all of them at once."""
    _in_group(session, "end")
    return Done(session.leave_group())


@command(
    "cancel-group",
    help="cancel the group and discard its commands",
    effect="edits",
    own_transaction=True,
    examples=["> group", "> create block cube1", "cancel-group"],
)
def cancel_group(session: Session) -> Done:
    """What the group changed is again as it was before `group`. Commands of other clients stay.

    This is refused if one of those touches the same things; the message names it and who gave it.
    """
    _in_group(session, "cancel")
    return Done(session.leave_group(keep=False))


@command(
    "compact [{keep}] [--recording]",
    help="make the cell file smaller: discard the states of old runs and moves, and undone steps",
    effect="edits",
    own_transaction=True,
    keep=Number(whole=True),
    param_help={
        "keep": "how many of the last steps can still be undone; default 20",
        "recording": "discard the recording too, which the file otherwise keeps when the cell is closed",
    },
    examples=["> create block cube1", "compact", "compact 5", "compact --recording"],
)
def compact(session: Session, keep: int = KEPT, recording: bool = False) -> Compact:
    """Everything in the cell stays. With --recording, a new recording begins in the present state.

    The whole history can still be read and replayed, but older steps can no longer be undone.

    Without this command, the history keeps 32 MB of states and discards the oldest first.
    """
    session.outside_group("compact the cell")
    if keep < 0:
        raise InvalidValue(f"The number of steps to keep must be zero or more; found {keep}.")
    gone = recording and forget_recording(session)
    return Compact(**msgspec.structs.asdict(session.database.compact(keep)), recording=gone)


class Compact(Compacted, Result, frozen=True):
    """What was removed from a cell, with its text."""

    recording: bool = False

    def __str__(self) -> str:
        gone = [
            "the recording" if self.recording else "",
            f"the states of {_count(self.steps, 'step')} ({self.states / 1e6:.3f} MB)" if self.steps else "",
            f"{_count(self.undone, 'undone step')}" if self.undone else "",
            f"{_count(self.files, 'file')} that nothing uses" if self.files else "",
        ]
        removed = "; ".join(one for one in gone if one) or "nothing"
        size = f"{self.before / 1e6:.3f} → {self.after / 1e6:.3f} MB"
        return f"removed: {removed}. {size}; the last {_count(self.undoable, 'step')} can be undone."


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}"


@command(
    "preview {command}",
    help="show what a command would answer, without carrying it out",
    effect="view",
    command=Rest("COMMAND", "a command"),
    param_help={"command": "any command"},
    examples=["> create block cube1 box 10 10 10", "preview place cube1 at 0,0,100"],
)
def preview(session: Session, command: str) -> Done:
    """Nothing changes, and the history gets no step."""
    return Done(f"would be: {session.preview(command)}")


def _in_group(session: Session, what: str) -> None:
    if session.group is None:
        raise Refused(f"There is no group to {what}; `group` begins one.")
    if session.scripts:
        raise Refused(f"A script cannot {what} a group: the whole script is already one step of the history.")
