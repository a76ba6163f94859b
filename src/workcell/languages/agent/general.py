"""The general commands of the Agent language: files, echo, the end, an empty workspace."""

from __future__ import annotations

from workcell.languages.agent.command import AgentCommand
from workcell.languages.agent.turn import Turn


def _load(turn: Turn) -> None:
    turn.expect(1, 1)
    turn.settings.load(turn.word(1))


def _set_echo(turn: Turn) -> None:
    turn.expect(1, 1)
    turn.settings.echo = turn.flag(1)


def _leave(turn: Turn) -> None:
    turn.expect(0, 0)
    turn.settings.leave()


def _clear(turn: Turn) -> None:
    turn.expect(0, 0)
    turn.call("clear", thing="all")


GENERAL = (
    AgentCommand("load", "<filename>", "take commands from a file", (), _load),
    AgentCommand("set-echo", "<flag>", "print the lines of loaded files", (), _set_echo),
    AgentCommand("exit", "", "leave the file that is being loaded, or end the stream", (), _leave),
    AgentCommand("end", "", "the same as exit", (), _leave),
    AgentCommand("clear", "", "remove everything from the workspace", ("clear",), _clear),
)
"""The four commands that name no command of the registry only control the stream of lines itself."""
