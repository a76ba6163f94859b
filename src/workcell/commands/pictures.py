"""Commands that make pictures: render."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workcell.commands.references import Ref
from workcell.commands.registry import command
from workcell.commands.results import Done
from workcell.commands.tokens import Tokens, unquote
from workcell.commands.values import File, match_word
from workcell.commands.views import SIDES, camera_of, shown_names
from workcell.errors import GeometryError, Refused, UnknownName
from workcell.world.entities import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workcell.commands.session import Session

VIEWS = tuple(SIDES)


class ViewName(Ref):
    """A side such as top, or the name of a view of the cell."""

    label = "VIEW"

    def __init__(self) -> None:
        super().__init__("view")
        self.label = "VIEW"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """A view of the cell by its name; else a side, or the beginning of one."""
        token = tokens.peek()
        if token is not None:
            name = unquote(token.text)
            found = match_word(name, SIDES) if not token.quoted else []
            if session.database.find("view", name) is None and len(found) == 1:
                tokens.take()
                return found[0]
        return super().parse(tokens, session, seen).name

    def text(self, value: Any) -> str:
        """The name."""
        return quoted(value)

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """The sides, and the views of the cell."""
        sides = [(side, help) for side, help in SIDES.items() if side.startswith(prefix)]
        return [*sides, *super().complete(prefix, session, seen)]


def picture(session: Session, file: Path, views: Sequence[str], size: tuple[int, int]) -> tuple[str, ...]:
    """Draw the scene as it stands, from one or several views in one image; gives what could not be shown."""
    from workcell.pictures.images import contact_sheet, save_png

    if not session.snapshot().bodies:
        raise Refused("Nothing stands in the scene yet; `place NAME at X,Y,Z` puts something there.")
    bad = _not_drawn(session)
    if len(views) == 1:
        image = _drawn(session, views[0], size, set(bad))
    else:
        across = 2 if len(views) < 7 else 3
        part = (size[0] // across, size[1] // -(-len(views) // across))
        image = contact_sheet(
            [_drawn(session, view, part, set(bad)) for view in views], list(views), columns=across, gap=0
        )
    save_png(image, file)
    return (*session.snapshot().notes, *(f"{name!r} is not shown: {why}" for name, why in bad.items()))


def _not_drawn(session: Session) -> dict[str, str]:
    """The bodies whose shape cannot be made, such as an intersection that a change left empty, and why."""
    bad = {}
    for body in session.snapshot().bodies:
        try:
            for piece in body.pieces:
                piece.solid.mesh(progress=session.progress, cancel=session.cancel)
        except GeometryError as error:
            bad[body.name] = str(error)
    return bad


def _drawn(session: Session, name: str, size: tuple[int, int], without: set[str]) -> Any:
    """One view: one of the cell's own, or a side."""
    from workcell.pictures.camera import ALIASES, NAMED_VIEWS
    from workcell.pictures.render import render
    from workcell.pictures.scene import scene_of

    snapshot, state = session.snapshot(), session.state
    shown = [body.name for body in snapshot.bodies if body.name not in without]
    view = session.database.find("view", name)
    if view is None:
        known = name.strip().lower().replace("-", "_").replace(" ", "_")
        if known not in NAMED_VIEWS and known not in ALIASES:
            raise UnknownName.among("view", name, [*NAMED_VIEWS, *ALIASES, *session.database.names("view")])
        return render(scene_of(snapshot, state, shown), name, size)
    names = shown_names(view)
    if names is not None:
        shown = [body.name for body in snapshot.bodies if body.name in shown and {body.name, body.owner} & {*names}]
    scene = scene_of(snapshot, state, shown)
    return render(scene, camera_of(view, scene, size[0] / size[1]) or "iso", size)


@command(
    "render {file} [{view}]",
    help="make a picture of the scene",
    effect="reads",
    background=True,
    file=File((".png",)),
    view=ViewName(),
    param_help={"view": f"{', '.join(VIEWS)}, or the name of a view of the cell"},
    examples=[
        "> add solid peg cylinder 20 100",
        "render peg.png",
        "render top.png top",
        "> look close from 300,-300,200 at 0,0,0",
        "render close.png view close",
    ],
)
def render_command(session: Session, file: str, view: str = "iso") -> Done:
    """As everything stands now, without a screen."""
    notes = picture(session, Path(file), (view,), (1280, 720))
    return Done("\n".join([f"picture {file}", *notes]))
