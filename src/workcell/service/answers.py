"""What a server says of a session and of errors, as messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from workcell.commands.program_store import opening_notes
from workcell.errors import ServiceError, WorkcellError
from workcell.service import protocol
from workcell.service.poses import seven

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.world.state import CellState


def hello(session: Session) -> protocol.Hello:
    """Who is there; what the client is called is not known yet."""
    from workcell import __version__

    notes = opening_notes(session.database)
    return protocol.Hello(protocol.VERSION, __version__, cell_name(session), "", vocabulary(session), notes)


def cell_name(session: Session) -> str:
    """The file, else the scene that is shown."""
    path = session.database.store.path
    return path.name if path else session.snapshot().scene or "untitled cell"


def vocabulary(session: Session) -> list[protocol.CommandInfo]:
    """Every command, in short."""
    return [
        protocol.CommandInfo(command.name, command.syntax.shown(), command.help, command.effect)
        for command in session.registry.commands
    ]


def state_message(request: int, state: CellState) -> protocol.State:
    """Where everything is now."""
    return protocol.State(
        request=request,
        time=float(state.time),
        joints={name: [float(value) for value in values] for name, values in state.joints.items()},
        poses={name: cast(protocol.Seven, tuple(seven(pose.matrix).tolist())) for name, pose in state.poses.items()},
        attached={name: held.frame for name, held in state.attached.items()},
        signals=dict(state.signals),
    )


def called_text(command: str, parameters: dict[str, Any]) -> str:
    """A call as a person reads it, not too long."""
    text = " ".join([command, *(str(value) for value in parameters.values())])
    return text if len(text) <= 80 else f"{text[:79]}…"


def text_of(message: protocol.ServerMessage) -> str:
    """A message as the text of its frame."""
    return protocol.encode(message).decode()


def failure(request: int, error: WorkcellError) -> protocol.Failure:
    """An error as it crosses the wire: by class name, sentence and facts."""
    line, column = error.evidence.get("line"), error.evidence.get("column")
    return protocol.Failure(
        request=request,
        kind=public_kind(type(error)),
        message=error.message,
        evidence=dict(error.evidence),
        line=line if isinstance(line, str) else None,
        column=column if isinstance(column, int) else None,
    )


def public_kind(kind: type[WorkcellError]) -> str:
    """The name of the class, or of its nearest ancestor in ``errors``: the other end knows only those."""
    return next(base.__name__ for base in kind.__mro__ if base.__module__ == WorkcellError.__module__)


def unforeseen(error: Exception) -> ServiceError:
    """An error of ours, reported as one."""
    return ServiceError(
        f"The server failed on this request: {type(error).__name__}: {error}. The cell is as it was; "
        "this is a fault of Workcell worth reporting."
    )
