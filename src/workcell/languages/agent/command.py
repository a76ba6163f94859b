"""What the table of the Agent language holds about a command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from workcell.languages.agent.turn import Turn

Call: TypeAlias = tuple[str, dict[str, Any]]
"""A command of the registry by its name, and its parameters in SI."""


@dataclass(frozen=True)
class AgentCommand:
    """A command of the Agent language: an adapter onto commands of the registry.

    Attributes:
        name: how it is typed.
        form: its arguments, for people.
        help: what it does.
        onto: the commands of the registry that carry it out; none if it only controls the stream itself.
        act: makes the calls.
        move: instead of ``act``, for one motion of one agent: returns the call.
        shares: whether it may share a line with commands of other agents.
        reads: reads the arguments that its form does not describe one by one, and makes nothing.
    """

    name: str
    form: str
    help: str
    onto: tuple[str, ...]
    act: Callable[[Turn], None] | None = None
    move: Callable[[Turn], Call] | None = None
    shares: bool = False
    reads: Callable[[Turn], object] | None = None
