"""Messages about a session and about errors."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import msgspec

from workcell.commands.program_store import opening_notes
from workcell.commands.results import Done
from workcell.errors import ServiceError, WorkcellError
from workcell.service import protocol

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.service.cell_thread import Settled
    from workcell.spatial.pose import Pose
    from workcell.world.state import CellState

log = logging.getLogger("workcell.service")


def hello(session: Session) -> protocol.Hello:
    """Return the greeting; the name of the client is not known yet."""
    from workcell import __version__

    notes = opening_notes(session.database)
    return protocol.Hello(protocol.VERSION, __version__, cell_name(session), "", vocabulary(session), notes)


def cell_name(session: Session) -> str:
    """Return the name of the file or, without one, of the scene."""
    path = session.database.store.path
    return path.name if path else session.snapshot().scene or "untitled cell"


def vocabulary(session: Session) -> list[protocol.CommandInfo]:
    """Return every command with its syntax and help."""
    return [
        protocol.CommandInfo(command.name, command.syntax.shown(), command.help, command.effect)
        for command in session.registry.commands
    ]


def state_message(request: int, state: CellState) -> protocol.State:
    """Return the message with the current state."""
    return protocol.State(
        request=request,
        time=float(state.time),
        joints={name: [float(value) for value in values] for name, values in state.joints.items()},
        poses={name: _rows(pose) for name, pose in state.poses.items()},
        attached={
            name: protocol.AttachedInfo(held.frame, _rows(held.X_frame_body)) for name, held in state.attached.items()
        },
        signals=dict(state.signals),
        clock=state.clock,
    )


def _rows(pose: Pose) -> list[float]:
    rows: list[float] = pose.matrix[:3].ravel().tolist()
    return rows


def called_text(command: str, parameters: dict[str, Any]) -> str:
    """Return a call as a short text."""
    return _short(" ".join([command, *(str(value) for value in parameters.values())]))


def title_of(lines: Sequence[str]) -> str:
    """Return several lines as a short text."""
    return f"{_short(lines[0])} and {len(lines) - 1} more" if len(lines) > 1 else "".join(lines)


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"


def text_of(message: protocol.ServerMessage) -> str:
    """Return a message as the text of its frame."""
    return protocol.encode(message).decode()


def failure(request: int, error: WorkcellError) -> protocol.Failure:
    """Return an error as a message: class name, sentence and facts."""
    line, column = error.evidence.get("line"), error.evidence.get("column")
    return protocol.Failure(
        request=request,
        kind=public_kind(type(error)),
        message=error.message,
        evidence=dict(error.evidence),
        line=line if isinstance(line, str) else None,
        column=column if isinstance(column, int) else None,
    )


def paused(request: int) -> protocol.Result:
    """Return the answer to `pause` during a run."""
    done = Done("the run will pause before its next step")
    return protocol.Result(request, "Done", str(done), msgspec.Raw(protocol.encode(done)), "")


def public_kind(kind: type[WorkcellError]) -> str:
    """Return the name of the class or of its nearest ancestor in ``errors``, because clients know only those."""
    return next(base.__name__ for base in kind.__mro__ if base.__module__ == WorkcellError.__module__)


def unforeseen(error: Exception) -> ServiceError:
    """Return the error for a fault of Workcell itself."""
    return ServiceError(
        f"The server failed on this request: {type(error).__name__}: {error}. The cell did not change. This is a "
        "fault of Workcell; please report it."
    )


def result_of(request: int, answer: Future[Any] | Settled) -> Any:
    """Return the result of a thread, or its error as a message."""
    try:
        return answer.result()
    except WorkcellError as error:
        return failure(request, error)
    except Exception as error:
        log.exception("A request failed with an unexpected error.")
        return failure(request, unforeseen(error))
