"""Commands that step through the history: undo, redo, history, group, end, cancel."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec

from workcell.commands.language.registry import command
from workcell.commands.language.values import Number, Rest
from workcell.commands.results import Done, Result, Table
from workcell.errors import InvalidValue, Refused
from workcell.wording import counted
from workcell.world.database import KEPT, Compacted

if TYPE_CHECKING:
    from workcell.commands.session import Session


@command(
    "undo [{count}]",
    help="take the last steps back",
    effect="edits",
    own_transaction=True,
    count=Number(positive=True, whole=True),
    param_help={"count": "how many steps; one unless given"},
    examples=["> create block cube1", "undo"],
)
def undo(session: Session, count: int = 1) -> Done:
    """Says what was undone and whose it was; refused where a step belongs to a group that somebody works on still.

    While a run is paused, that is the first to go: `undo` ends it and takes nothing else back.
    """
    entries, ended = session.undo(count)
    told = [f"undone: {entry.label} (by {entry.who})" for entry in entries]
    return Done("\n".join([*([ended] if ended else []), *told]))


@command(
    "redo [{count}]",
    help="do the last undone steps again",
    effect="edits",
    own_transaction=True,
    count=Number(positive=True, whole=True),
    param_help={"count": "how many steps; one unless given"},
    examples=["> create block cube1", "> undo", "redo"],
)
def redo(session: Session, count: int = 1) -> Done:
    """As long as nothing else was done since."""
    session.outside_group("redo")
    entries = [session.database.redo()]
    while len(entries) < count and session.database.history.can_redo:
        entries.append(session.database.redo())
    return Done("\n".join(f"done again: {entry.label} (by {entry.who})" for entry in entries))


@command(
    "history [{count}]",
    help="list the last steps: when, by whom, what",
    effect="reads",
    count=Number(positive=True, whole=True),
    examples=["> create block cube1", "history", "history 5"],
)
def history(session: Session, count: int = 20) -> Table:
    """The undone ones, which can be redone, are marked."""
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
    """A time of the journal in the zone of who asks; a damaged file may hold one that no calendar has."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
    except (OSError, OverflowError, ValueError):
        return "unknown"


@command(
    "group",
    help="begin a group: what follows is one step, until `end`",
    effect="edits",
    own_transaction=True,
    examples=["group", "> create block cube1", "> create block cube2", "> end"],
)
def group(session: Session) -> Done:
    """Each command is kept as it is given; a group belongs to who began it, and ends with the session.

    What others do meanwhile is not part of it; where they gave commands in between, it is a step before and one after.
    """
    session.outside_group("begin another group")
    if session.paused is not None:
        raise Refused(f"A group cannot begin while {session.paused.called} is paused; `resume` or `stop-run` it first.")
    session.group = session.database.begin_group(session.who)
    return Done("group begun; `end` makes it one step, `cancel-group` gives it up")


@command(
    "end",
    help="end the group: all that it did is one step",
    effect="edits",
    own_transaction=True,
    examples=["> group", "> create block cube1", "end"],
)
def end(session: Session) -> Done:
    """All its commands become one step."""
    _in_group(session, "end")
    return Done(session.leave_group())


@command(
    "cancel-group",
    help="give the group up: nothing of it was done",
    effect="edits",
    own_transaction=True,
    examples=["> group", "> create block cube1", "cancel-group"],
)
def cancel_group(session: Session) -> Done:
    """Back to where `group` was typed; refused when others have given commands since."""
    _in_group(session, "cancel")
    return Done(session.leave_group(keep=False))


@command(
    "compact [{keep}]",
    help="make the cell smaller: let go of the states of old runs and moves, and of what was undone",
    effect="edits",
    own_transaction=True,
    keep=Number(whole=True),
    param_help={"keep": "how many of the last steps can be undone still; 20 unless given"},
    examples=["> create block cube1", "compact", "compact 5"],
)
def compact(session: Session, keep: int = KEPT) -> Compact:
    """What exists stays, and the history can be read and replayed; the steps before those kept cannot be undone.

    The history of a cell keeps 32 MB of states by itself; the oldest go first.
    """
    session.outside_group("compact the cell")
    if keep < 0:
        raise InvalidValue(f"The number of steps to keep is zero or more; found {keep}.")
    return Compact(**msgspec.structs.asdict(session.database.compact(keep)))


class Compact(Compacted, Result, frozen=True):
    """What a cell let go of, for people too."""

    def __str__(self) -> str:
        gone = [
            f"the states of {_count(self.steps, 'step')} ({self.states / 1e6:.3f} MB)" if self.steps else "",
            f"{_count(self.undone, 'undone step')}" if self.undone else "",
            f"{_count(self.files, 'file')} that nothing names" if self.files else "",
        ]
        said = "; ".join(one for one in gone if one) or "nothing"
        size = f"{self.before / 1e6:.3f} → {self.after / 1e6:.3f} MB"
        return f"removed: {said}. {size}; the last {_count(self.undoable, 'step')} can be undone."


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}"


@command(
    "preview {command}",
    help="see what a command would answer, without doing it",
    effect="view",
    command=Rest("COMMAND", "a command"),
    examples=["> create block cube1 box 10 10 10", "preview place cube1 at 0,0,100"],
)
def preview(session: Session, command: str) -> Done:
    """Nothing is changed and nothing is journalled."""
    return Done(f"would be: {session.preview(command)}")


def _in_group(session: Session, what: str) -> None:
    if session.group is None:
        raise Refused(f"There is no group to {what}; `group` begins one.")
    if session.scripts:
        raise Refused(f"A script cannot {what} a group: all that it does is one step of the history already.")
