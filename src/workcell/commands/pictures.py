"""Commands that make pictures: render."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workcell.commands.registry import command
from workcell.commands.results import Done
from workcell.commands.values import Choice, File

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workcell.commands.session import Session

VIEWS = ("iso", "front", "back", "left", "right", "top", "bottom")


def picture(session: Session, file: Path, views: Sequence[str], size: tuple[int, int]) -> None:
    """Draw the scene as it stands, from one or several views in one image."""
    from workcell.pictures.images import contact_sheet, save_png
    from workcell.pictures.render import render
    from workcell.pictures.scene import scene_of

    scene = scene_of(session.snapshot(), session.state)
    if len(views) == 1:
        image = render(scene, views[0], size)
    else:
        across = 2 if len(views) < 7 else 3
        part = (size[0] // across, size[1] // -(-len(views) // across))
        image = contact_sheet([render(scene, view, part) for view in views], list(views), columns=across)
    save_png(image, file)


@command(
    "render {file} [{view}]",
    help="make a picture of the scene",
    effect="reads",
    background=True,
    file=File((".png",)),
    view=Choice(VIEWS, "VIEW"),
    examples=["> add solid peg cylinder 20 100", "render peg.png", "render top.png top"],
)
def render_command(session: Session, file: str, view: str = "iso") -> Done:
    """As everything stands now, without a screen."""
    picture(session, Path(file), (view,), (1280, 720))
    return Done(f"picture {file}")
