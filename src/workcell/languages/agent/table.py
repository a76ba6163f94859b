"""All commands of the Agent language, each with the commands of the registry that carry it out."""

from __future__ import annotations

from workcell.languages.agent.command import AgentCommand
from workcell.languages.agent.general import GENERAL

COMMANDS: dict[str, AgentCommand] = {one.name: one for one in (*GENERAL,)}
"""The commands by name."""
