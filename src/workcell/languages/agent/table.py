"""All commands of the Agent language, each with the commands of the registry that carry it out."""

from __future__ import annotations

from workcell.languages.agent.command import AgentCommand
from workcell.languages.agent.general import GENERAL
from workcell.languages.agent.graphics import GRAPHICS
from workcell.languages.agent.grasping import GRASPING
from workcell.languages.agent.motions import MOTIONS
from workcell.languages.agent.objects import OBJECTS
from workcell.languages.agent.reports import REPORTS
from workcell.languages.agent.solutions import SOLUTIONS

COMMANDS: dict[str, AgentCommand] = {
    one.name: one for one in (*OBJECTS, *MOTIONS, *SOLUTIONS, *REPORTS, *GRASPING, *GRAPHICS, *GENERAL)
}
"""The commands by name."""
