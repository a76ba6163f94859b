"""Commands that help: help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.language.registry import TITLES, Command, command, registry
from workcell.commands.language.values import Rest
from workcell.commands.results import Done, Table
from workcell.commands.step_words import about_programs, explained

if TYPE_CHECKING:
    from workcell.commands.session import Session


@command(
    "help [{topic}]",
    help="list the commands, or explain those that begin with these words, belong to a family or order programs",
    effect="reads",
    topic=Rest("WORDS", "the first words of a command, or a family such as zones or free moves"),
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
        session.expectations(topic)  # raises with what would have been right
        while not found:  # words of a command and some of its parameters
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


_MORE = "`help WORDS` explains one of them"


def _beginning(words: list[str]) -> list[Command]:
    """The commands that begin with these words; a command of just these words stands alone."""
    found = [
        c
        for c in registry().commands
        if all(a.startswith(b) for a, b in zip(c.syntax.words, words, strict=False))
        and len(words) <= len(c.syntax.words)
    ]
    exact = [c for c in found if list(c.syntax.words) == words]
    return exact or found


def _explained(one: Command) -> str:
    lines = [one.syntax.shown(), f"  {one.help}. {one.run.__doc__}"]
    for name, value in one.syntax.params.items():
        meaning = one.param_help.get(name, value.help)
        lines.append(f"  {name.upper()}: {value.label}{f' — {meaning}' if meaning else ''}")
    lines += [f"  e.g. {line}" for line in one.examples if not line.startswith("> ")]
    return "\n".join(lines)
