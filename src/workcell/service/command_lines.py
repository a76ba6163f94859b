"""The command language on a line port: how lines are read, and what answers them look like.

A line is a command as a person types it. Its answer is the text, each line after a bar, and then ``ok`` or
``error KIND SENTENCE``. A line that begins with a brace is a call in JSON, and so is its answer.
"""

from __future__ import annotations

from typing import Any

import msgspec

from workcell.commands.language.program_blocks import Block, begins
from workcell.errors import ServiceError
from workcell.service import protocol
from workcell.service.answers import failure
from workcell.service.audience import Client
from workcell.service.hub import Hub
from workcell.wording import one_line

MAX_PROGRAM = 4_000_000
"""The longest program that may be sent as a block of lines [characters]; a longer one is refused as unfinished."""


class CalledLine(msgspec.Struct, frozen=True):
    """A call in JSON: the words of the command, and its parameters by name, in SI."""

    command: str
    parameters: dict[str, Any] = {}


class Answered(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer to a call."""

    ok: bool
    kind: str
    text: str
    value: msgspec.Raw = msgspec.Raw(b"null")
    evidence: dict[str, Any] = {}


_READER = msgspec.json.Decoder(CalledLine)


class CommandSpeech:
    """One program's commands."""

    spoken = "commands as lines"
    comment = "#"
    working = "| …\n"
    ended = False

    def __init__(self) -> None:
        self._called = False
        self._block: Block | None = None

    def carry_out(self, hub: Hub, client: Client, request: int, line: str) -> bool:
        """Begin the work of a line; blank lines and comments have no answer."""
        if self._block is not None or begins(line):
            block = self._block = self._gathered(line)
            if block.open and sum(map(len, block.lines)) < MAX_PROGRAM:
                return False
            self._block, line = None, block.text
        text = line.strip()
        if not text or text.startswith(self.comment):
            return False
        self._called = text.startswith("{")
        if not self._called:
            hub.begin(client, protocol.Command(request, text))
            return True
        try:
            call = _READER.decode(text)
        except (msgspec.DecodeError, RecursionError) as error:
            wrong = ServiceError(f'Expected a call such as {{"command": "show", "parameters": {{}}}}: {error}.')
            client.send(failure(request, wrong))
        else:
            hub.begin(client, protocol.Call(request, call.command, call.parameters))
        return True

    def _gathered(self, line: str) -> Block:
        """Return the program that is being sent, with this line."""
        if self._block is None:
            return Block(line)
        self._block.add(line)
        return self._block

    def answer(self, frame: str) -> tuple[str, bool]:
        """Return the text that answers a line, and whether the line was refused."""
        message = protocol.decode_server(frame)
        refused = isinstance(message, protocol.Failure)
        assert isinstance(message, protocol.Result | protocol.Failure)
        if self._called:
            return protocol.encode(_answered(message)).decode() + "\n", refused
        if isinstance(message, protocol.Failure):
            return f"error {message.kind} {one_line(message.message)}\n", True
        return "".join(f"| {line}\n" for line in message.text.splitlines()) + "ok\n", False


def _answered(message: protocol.Result | protocol.Failure) -> Answered:
    if isinstance(message, protocol.Failure):
        return Answered(False, message.kind, message.message, evidence=message.evidence)
    return Answered(True, message.kind, message.text, message.value)
