"""Commands on tools of the library: create tool, tools."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from workcell.commands.kept_tools import keep_tool
from workcell.commands.language.colours import ColourName
from workcell.commands.language.registry import command
from workcell.commands.language.tokens import Tokens, unquote
from workcell.commands.language.values import NewName, Text, Value
from workcell.commands.model import make
from workcell.commands.results import Made, Table
from workcell.errors import UnknownName
from workcell.wording import counted
from workcell.world.kept_files import BLOB

if TYPE_CHECKING:
    from workcell.commands.session import Session


class ToolModel(Value):
    """A tool of the library by name, or a tool file that the cell keeps."""

    label = "MODEL"
    help = "a tool of the library, such as vacuum-2x2; `tools` lists them"

    def accepts(self, text: str) -> bool:
        """Any word may be a name."""
        return True

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """A name of the library."""
        from workcell.robots.tool_catalogue import tool_name

        token = tokens.peek()
        if token is None:
            raise tokens.fail("Expected a tool model; `tools` lists them.", [self.label])
        tokens.take()
        text = unquote(token.text)
        if text.startswith(BLOB):
            return text
        try:
            return tool_name(text)
        except UnknownName as error:
            raise tokens.fail(str(error), [self.label], token.start) from None

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """The tools of the library."""
        from workcell.robots.tool_catalogue import tools

        return [(name, "tool") for name in tools() if name.startswith(prefix)]


@command(
    "create tool {name} [{model}] [description {description}] [colour {colour}] [--movable]",
    help="make a tool from the library, or an empty one",
    effect="edits",
    name=NewName(),
    model=ToolModel(),
    description=Text(),
    colour=ColourName(),
    param_help={
        "model": "a tool of the library; `tools` lists them. Without one the tool has no shape",
        "description": "a note for people; in quotes if it has blanks",
        "movable": "robots may handle it",
    },
    examples=[
        "create tool vac vacuum-2x2",
        "> create robot Arm ur10e",
        "> fit tool vac to Arm",
        'create tool tool1 description "the first one"',
    ],
)
def create_tool(
    session: Session,
    name: str,
    model: str = "",
    description: str = "",
    colour: str | None = None,
    movable: bool = False,
) -> Made:
    """The cell keeps the figures of a library tool as properties, and its solids as blocks.

    A tool that grips becomes a gripper. Once it is fitted, use `close-gripper` and `open-gripper`.
    """
    from workcell.robots.tool_catalogue import tool_text
    from workcell.robots.tool_file import parse, tool_from_file

    database = session.database
    if not model:
        return make(session, "tool", name, description=description, colour=colour, movable=movable)
    if model.startswith(BLOB):
        text = database.blob(model[len(BLOB) :]).decode()
    else:
        text = tool_text(model)
        session.resolve(model=BLOB + database.keep_blob(text.encode()))
    tool = tool_from_file(parse(text))
    entity = keep_tool(session, name, tool, tool.name, description=description, colour=colour, movable=movable)
    return Made(entity.kind, name, entity.key)


@command("tools", help="list the tools of the library", effect="reads", examples=["tools"])
def tools(_: Session) -> Table:
    """The list shows name, model, kind, how it holds parts, the TCP from the flange, and the mass."""
    from workcell.robots.tool_catalogue import tool, tool_file
    from workcell.robots.tool_catalogue import tools as names

    rows = []
    for name in names():
        one, file = tool(name), tool_file(name)
        figures = "" if one.hand is None else one.hand.summary
        tip = [round(value * 1000.0, 1) for value in one.X_flange_tcp.xyz.tolist()]
        rows.append((name, file.model, file.kind, figures, ", ".join(f"{value:g}" for value in tip), file.mass))
    return Table(("name", "model", "kind", "holds", "tip [mm]", "mass [kg]"), tuple(rows), counted(len(rows), "tool"))
