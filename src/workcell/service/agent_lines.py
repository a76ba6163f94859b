"""The Agent language on a line port: the lines of an Agent in, its reports and errors out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.languages.agent.stream import AgentStream
from workcell.service import protocol
from workcell.service.audience import Client
from workcell.service.cell_work import REFUSED
from workcell.service.hub import Hub

if TYPE_CHECKING:
    from workcell.commands.session import Session


class AgentSpeech:
    """One program's Agent."""

    spoken = "lines of the Agent language"
    comment = ";"
    working = "; …\n"

    def __init__(self) -> None:
        self._stream: AgentStream | None = None  # made and used in the cell thread

    @property
    def ended(self) -> bool:
        """Whether `exit` or `end` was given."""
        return self._stream is not None and self._stream.ended

    def carry_out(self, hub: Hub, client: Client, request: int, line: str) -> bool:
        """Begin the work of a line; every line has an answer, which may be empty."""
        hub.speak(client, request, line, lambda session: self._spoken(session, line))
        return True

    def _spoken(self, session: Session, line: str) -> tuple[str, str]:
        """Return the output of a line, and its errors; runs in the cell thread."""
        first: list[str] = []
        if self._stream is None:
            self._stream = AgentStream(session)
            first = self._stream.begin()
        out = [*first, *self._stream.line(line)]
        return "".join(f"{text}\n" for text in out), "\n".join(self._stream.refused)

    def answer(self, frame: str) -> tuple[str, bool]:
        """Return the output of a line, and whether it has an error."""
        message = protocol.decode_server(frame)
        if isinstance(message, protocol.Failure):
            return f"; {message.message}\n", True
        assert isinstance(message, protocol.Result)
        return message.text, message.kind == REFUSED
