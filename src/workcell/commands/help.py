"""Commands that help: help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.registry import command, registry
from workcell.commands.results import Done, Table
from workcell.commands.values import Rest

if TYPE_CHECKING:
    from workcell.commands.session import Session


@command(
    "help [{topic}]",
    help="list the commands, or explain those that begin with these words",
    effect="reads",
    topic=Rest("WORDS", "the first words of a command"),
    examples=["help", "help attach"],
)
def help_command(session: Session, topic: str = "") -> Done | Table:
    """`?` at any point of a line lists what may come next."""
    words = topic.split()
    found = [
        c
        for c in registry().commands
        if all(a.startswith(b) for a, b in zip(c.syntax.words, words, strict=False))
        and len(words) <= len(c.syntax.words)
    ]
    if not found:
        session.expectations(topic)  # raises with what would have been right
    if len(found) == 1:
        one = found[0]
        lines = [one.syntax.shown(), f"  {one.help}. {one.run.__doc__}"]
        for name, value in one.syntax.params.items():
            told = one.param_help.get(name, value.help)
            lines.append(f"  {name.upper()}: {value.label}{f' — {told}' if told else ''}")
        lines += [f"  e.g. {line}" for line in one.examples if not line.startswith("> ")]
        return Done("\n".join(lines))
    return Table(
        ("command", "what it does"), tuple((c.name, c.help) for c in found), "`help WORDS` tells about one of them"
    )
