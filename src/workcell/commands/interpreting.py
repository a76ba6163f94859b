"""Commands that let a program from outside work in the cell: interpret, stop-interpreting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.cell_settings import use_scene
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Choice
from workcell.commands.moves import mode as set_mode
from workcell.commands.results import Done
from workcell.errors import Refused
from workcell.simulation.modes import MODES
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.modes import Mode


@command(
    "interpret {mode} [in {scene}]",
    help="run the next program that connects, in a mode of simulation",
    effect="edits",
    mode=Choice(MODES),
    scene=Ref("scene"),
    param_help={
        "mode": "joint-by-joint: one joint after the other; path: all together; playback: record, then show",
        "scene": "the scene that the program works in; the one in use by default",
    },
    examples=["interpret path"],
)
def interpret(session: Session, mode: Mode, scene: Entity | None = None) -> Done:
    """A server waits for a program on its ports for lines. The program runs until it closes the connection.

    The first line that is refused ends the program. The error is shown in the program and in every window.
    """
    if scene is not None:
        use_scene(session, scene)
    set_mode(session, mode)
    session.receiving = not session.replaying
    if session.ports:
        return Done(f"waiting for a program at {' or '.join(session.ports)}; simulation mode: {mode}")
    return Done(
        f"simulation mode: {mode}; no program can connect here: `workcell serve FILE --lines 8766` opens a port"
    )


@command(
    "stop-interpreting",
    help="stop waiting for a program",
    effect="view",
    examples=["> interpret path", "stop-interpreting"],
)
def stop_interpreting(session: Session) -> Done:
    """A program that has connected already goes on, and its errors no longer end it."""
    if not session.receiving:
        raise Refused("No program is awaited; `interpret MODE` waits for one.")
    session.receiving = False
    return Done("no program is awaited")
