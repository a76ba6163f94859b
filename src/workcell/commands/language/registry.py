"""The registry: every command declared once, with its words, typed parameters, help, effect and examples."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal, TypeAlias, TypeVar

from workcell.commands.language.key_tree import KeyTree
from workcell.commands.language.syntax import Syntax
from workcell.commands.language.value import Value
from workcell.errors import UnknownName

Effect: TypeAlias = Literal["reads", "edits", "simulates", "view"]
OwnTransaction: TypeAlias = bool | Callable[[dict[str, Any]], bool]
"""Whether a command makes its own steps of the history: always, never, or depending on its values."""
Function = TypeVar("Function", bound=Callable[..., Any])

TITLES = {
    "model": "Making and joining", "placing": "Placing",
    "composing": "Things as they stand", "removing": "Removing",
    "describe": "Changing", "ask": "Asking", "surfaces": "Surfaces", "curves": "Curves",
    "free_form": "Free-form", "faceting": "Faceted solids", "combining": "Combining and sweeping",
    "sketching": "Sketches", "shape_sizes": "Sizes", "loose_things": "Loose things", "solids": "Solids",
    "faces": "Faces", "exchange": "Exchange files", "assemblies": "Assemblies", "imports": "Imports by kind",
    "robots": "Robots", "robot_building": "Building robots", "drafting": "Drafts of robots",
    "link_building": "Building links", "link_files": "Link files",
    "robot_files": "Robot files", "world_files": "Work cell files", "robosim_files": "ROBOSIM source",
    "agent_files": "Agent programs",
    "replacing": "Replacing robots",
    "mechanisms": "Mechanisms and tools", "tools": "The tool library",
    "targeting": "Targets", "target_patterns": "Patterns of targets", "target_places": "Single targets",
    "path_order": "The order of targets",
    "learning": "Learning targets", "reach_checks": "Reach of targets",
    "kinematics": "Kinematics", "result_files": "Result files", "moves": "Moving",
    "hand_moves": "Moving the hand", "hands": "The hand as it stands", "positions": "Positions",
    "path_finding": "Finding paths", "guiding": "Guiding the hand",
    "guide_learning": "Learning to guide",
    "work_planning": "Planning work", "program_planning": "Planning programs", "step_planning": "Planning steps",
    "curve_planning": "Planning along curves", "several_robots": "Several robots", "scheduling": "Schedules",
    "free_moves": "Free moves",
    "programs": "Programs", "program_outlines": "Outlines of programs", "step_edits": "Editing steps",
    "stepping": "Stepping through runs", "breaking": "Breakpoints",
    "run_files": "Saved runs", "run_lines": "Lines of runs", "run_signals": "Signals of runs",
    "steering": "Steering what moves", "conveyors": "Conveyors",
    "stations": "Stations on conveyors", "interpreting": "Programs from outside",
    "agent_programs": "Programs of Agent lines",
    "interlocks": "Sharing zones", "faults": "Faults", "drivers": "Real robots",
    "program_steps": "Steps of programs", "machines": "Machines",
    "coordinating": "Robots with mechanisms", "grasps": "Grasps", "grasping": "Grasping",
    "handling": "Handling parts", "loads": "Loads",
    "collisions": "Collisions", "move_checks": "Checked moves",
    "pair_tables": "Tested pairs", "zones": "Zones", "swept_volumes": "Swept volumes", "sensors": "Sensors",
    "reports": "Reports", "series": "Numbers over time",
    "films": "Films", "history": "History", "files": "Files", "pictures": "Pictures",
    "views": "Views", "lamps": "Lamps", "cell_settings": "The cell", "help": "Help",
}  # fmt: skip
"""The modules that declare commands, in the order of the reference, each with its title there."""
FAMILIES = tuple(TITLES)
ELSEWHERE = {
    "robosim_files": "workcell.languages.robosim",
    "agent_files": "workcell.languages.agent",
    "agent_programs": "workcell.languages.agent",
}
"""Families of rooms above this one, which cannot be imported by name here: the package of each."""


class Command:
    """One declared command."""

    def __init__(
        self,
        syntax: Syntax,
        run: Callable[..., Any],
        help: str,
        effect: Effect,
        examples: tuple[str, ...],
        param_help: dict[str, str],
        family: str,
        background: bool,
        own_transaction: OwnTransaction,
        while_paused: bool,
        prepares: Callable[..., Any] | None = None,
    ) -> None:
        self.syntax = syntax
        self.run = run
        self.help = help
        self.effect = effect
        self.examples = examples
        self.param_help = param_help
        self.family = family
        self.background = background
        """Whether it may run in parallel with others: it only reads, and may take long."""
        self._own_transaction = own_transaction
        self.edits_once = effect == "edits" and own_transaction is False
        """Whether it edits, and always as one step of the history."""
        self.while_paused = while_paused
        """Whether it simulates and can be used while a run is paused: it continues that run, or acts on it."""
        self.prepares = prepares
        """Does its long work beside the cell thread, with the same parameters; None if all of it is short."""

    def own_transaction(self, values: dict[str, Any]) -> bool:
        """Return whether it manages the steps of the history itself, with these values."""
        own = self._own_transaction
        return own if isinstance(own, bool) else own(values)

    @property
    def name(self) -> str:
        """Its leading words."""
        return " ".join(self.syntax.words)

    @property
    def such(self) -> str:
        """Its first example, as a part of a sentence; '' if it has none."""
        return next((f", as in `{one}`" for one in self.examples if not one.startswith(">")), "")

    @property
    def details(self) -> str:
        """What the reference adds to the help: the docstring of its function."""
        return inspect.cleandoc(self.run.__doc__ or "")

    def explained(self) -> list[tuple[str, str, str]]:
        """Every parameter and flag: as the syntax line shows it, its type, and what it is."""
        params = [
            (name.upper(), value.label, self.param_help.get(name, value.help))
            for name, value in self.syntax.params.items()
        ]
        flags = [group.flag for group in self.syntax.groups if group.flag]
        return params + [(f"--{name.replace('_', '-')}", "flag", self.param_help.get(name, "")) for name in flags]


_declared: dict[str, Command] = {}


def command(
    syntax: str,
    *,
    help: str,
    effect: Effect,
    examples: tuple[str, ...] | list[str],
    param_help: dict[str, str] | None = None,
    background: bool = False,
    own_transaction: OwnTransaction = False,
    while_paused: bool = False,
    prepares: Callable[..., Any] | None = None,
    **params: Value,
) -> Callable[[Function], Function]:
    """Declare a command; the function gets the session and the parameters by name.

    ``examples`` are lines that run one after the other on a new cell; a line that begins with ``> `` is preparation,
    and `help` does not show it. ``prepares`` does the long work of an editing command and returns a ``Prepared``, or
    None if nothing takes long with these parameters; a server calls it in another thread first.
    """

    def register(function: Function) -> Function:
        parsed = Syntax(syntax, params)
        family = function.__module__.rpartition(".")[2]
        made = Command(
            parsed,
            function,
            help,
            effect,
            tuple(examples),
            param_help or {},
            family,
            background,
            own_transaction,
            while_paused,
            prepares,
        )
        assert made.name not in _declared, f"{made.name} is declared twice"
        _declared[made.name] = made
        return function

    return register


class Registry:
    """All commands, and the tree that reads them."""

    def __init__(self, commands: list[Command]) -> None:
        self.commands = commands
        self.tree = KeyTree(commands)
        self._by_name = {c.name: c for c in commands}

    def family(self, name: str) -> list[Command]:
        """Return the commands of a family by its title or the name of its module; none if there is no such family."""
        wanted = _plain(name)
        for family, title in TITLES.items():
            if wanted in (_plain(family), _plain(title)):
                return [c for c in self.commands if c.family == family]
        return []

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def named(self, name: str) -> Command:
        """Return the command with these leading words, in full."""
        if name not in self._by_name:
            raise UnknownName.among("command", name, self._by_name)
        return self._by_name[name]


def _plain(name: str) -> str:
    return " ".join(re.split(r"[\s_-]+", name.strip().lower()))


@lru_cache(maxsize=1)
def registry() -> Registry:
    """Return all commands of Workcell."""
    for family in FAMILIES:
        importlib.import_module(f"{ELSEWHERE.get(family, 'workcell.commands')}.{family}")
    order = {family: place for place, family in enumerate(FAMILIES)}
    return Registry(sorted(_declared.values(), key=lambda c: order[c.family]))
