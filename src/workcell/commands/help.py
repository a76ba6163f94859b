"""The commands help and command-reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.language.registry import TITLES, Command, command, registry
from workcell.commands.language.values import Rest
from workcell.commands.results import Done, Result, Table
from workcell.commands.step_words import about_programs, explained
from workcell.wording import capital

if TYPE_CHECKING:
    from workcell.commands.session import Session


class ParameterFacts(Result, frozen=True):
    """A parameter or flag of a command: as its syntax shows it, its type, and what it is."""

    shown: str
    label: str
    meaning: str


class CommandFacts(Result, frozen=True):
    """A command as the reference has it; ``family`` is a title, ``prepared`` are lines before the examples."""

    name: str
    syntax: str
    family: str
    effect: str
    help: str
    details: str
    parameters: tuple[ParameterFacts, ...]
    prepared: tuple[str, ...]
    examples: tuple[str, ...]


class Reference(Result, frozen=True):
    """Commands with their declarations."""

    commands: tuple[CommandFacts, ...]

    def __str__(self) -> str:
        return "\n".join(f"{one.syntax}: {one.help}" for one in self.commands)


@command(
    "help [{topic}]",
    help="list the commands, or explain a command, a family of commands or a statement of programs",
    effect="reads",
    topic=Rest(
        "WORDS",
        "the first words of a command, a family such as zones or free moves, or a statement such as while; default: "
        "all commands",
    ),
    examples=["help", "help attach", "help zones", "help free moves", "help program", "help while"],
)
def help_command(session: Session, topic: str = "") -> Done | Table:
    """`?` at any point of a line lists what may come next."""
    vocabulary = registry()
    words = topic.split()
    family = vocabulary.family(topic)
    if topic in ("program", "end"):
        return about_programs()
    found = _beginning(words)
    step = explained(topic)
    if step is not None and topic not in vocabulary:
        return Done(str(step))
    if not found and not family:
        session.expectations(topic)  # raises an error that names what is possible
        while not found:  # the words of a command and some of its parameters
            words.pop()
            found = _beginning(words)
    one = [_explained(found[0]), *([str(step)] if step is not None else [])] if len(found) == 1 else []
    if family:
        title = TITLES[family[0].family]
        rest = Table((title, "what it does"), tuple((c.name, c.help) for c in family), _MORE)
        return Done("\n\n".join([*one, str(rest)])) if one else rest
    if one:
        return Done("\n\n".join(one))
    more = _MORE if words else f"{_MORE}; `help FAMILY` lists {', '.join(TITLES.values())}"
    return Table(("command", "what it does"), tuple((c.name, c.help) for c in found), more)


@command(
    "command-reference [{topic}]",
    help="give the declarations of commands: family, syntax, parameters and examples",
    effect="reads",
    background=True,
    topic=Rest("WORDS", "the first words of commands, or a family such as zones; default: all commands"),
    examples=["command-reference attach", "command-reference zones"],
)
def command_reference(session: Session, topic: str = "") -> Reference:
    """The page shows its reference from it; `help` gives the same as text."""
    found = registry().family(topic) or _beginning(topic.split())
    if not found:
        session.expectations(topic)  # raises an error that names what is possible
    return Reference(tuple(_facts(one) for one in found))


def _facts(one: Command) -> CommandFacts:
    prepared = tuple(line.removeprefix("> ") for line in one.examples if line.startswith("> "))
    examples = tuple(line for line in one.examples if not line.startswith("> "))
    parameters = tuple(ParameterFacts(*row) for row in one.explained())
    syntax, family = one.syntax.shown(), TITLES[one.family]
    return CommandFacts(one.name, syntax, family, one.effect, one.help, one.details, parameters, prepared, examples)


_MORE = "`help WORDS` explains one of them"


def _beginning(words: list[str]) -> list[Command]:
    """Return the commands that begin with these words; or only the command with exactly these words."""
    found = [
        c
        for c in registry().commands
        if all(a.startswith(b) for a, b in zip(c.syntax.words, words, strict=False))
        and len(words) <= len(c.syntax.words)
    ]
    exact = [c for c in found if list(c.syntax.words) == words]
    return exact or found


def _explained(one: Command) -> str:
    paragraphs = [paragraph.replace("\n", " ") for paragraph in f"{capital(one.help)}. {one.details}".split("\n\n")]
    lines = [one.syntax.shown(), *(f"  {paragraph}" for paragraph in paragraphs)]
    for shown, label, meaning in one.explained():
        lines.append(f"  {shown}: {label}{f' — {meaning}' if meaning else ''}")
    lines += [f"  e.g. {line}" for line in one.examples if not line.startswith("> ")]
    return "\n".join(lines)
