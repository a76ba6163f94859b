"""The command line: a thin layer over the library."""

from workcell.cli import agents, files, questions, rendering, running, serving, standing_in
from workcell.cli.entry import main

__all__ = ["agents", "files", "main", "questions", "rendering", "running", "serving", "standing_in"]
