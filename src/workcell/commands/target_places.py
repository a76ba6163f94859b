"""Commands that make single targets and frames: add target, add frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.language.references import Ref, Target
from workcell.commands.language.registry import command
from workcell.commands.language.values import NewName, Number
from workcell.commands.results import Made
from workcell.errors import Refused
from workcell.spatial.transform import Transform
from workcell.wording import quoted
from workcell.world.entities import Entity
from workcell.world.hanging import hang
from workcell.world.ids import id_text
from workcell.world.places import CARRIERS
from workcell.world.placing import put_in_scene, refuse_far

if TYPE_CHECKING:
    from workcell.commands.session import Session

_PALLET = "> add solid pallet box 1200 800 144 at 1500,0,72"
_ON = {
    "thing": "what it hangs on and moves with; default: the world",
    "link": "the link of a robot or mechanism, 0 for the base; default: the last, of a conveyor the base",
}


@command(
    "add target {name} {pose} [to {path}] [on {thing}] [link {link}]",
    help="make a target; append it to a path, or hang it on a thing",
    effect="edits",
    name=NewName(),
    pose=Target(),
    path=Ref("path"),
    thing=Ref(*CARRIERS),
    link=Number(whole=True),
    param_help={"pose": "in the world", **_ON, "path": "the target becomes the last of this path"},
    examples=[
        "> create path weld",
        "add target T1 600,-150,700 euler fanuc_wpr 180,0,180 to weld",
        _PALLET,
        "add target corner 1000,-300,144 rotate 180,0,0 on pallet",
    ],
)
def add_target(
    session: Session,
    name: str,
    pose: Transform,
    path: Entity | None = None,
    thing: Entity | None = None,
    link: int | None = None,
) -> Made:
    """The pose is in the world, even if the target hangs on a thing."""
    refuse_far(pose)
    if path is not None and thing is not None:
        raise Refused(
            f"A target of a path hangs where the path hangs. To hang the path on {thing.name}, use `attach "
            f"path:{quoted(path.name)} to {quoted(thing.name)}`."
        )
    made = _add(session, "target", name, pose, thing, link)
    if path is not None:
        from workcell.world.hanging import add_to_path

        add_to_path(session, path, session.database.entity("target", name), pose.pose())
    return made


@command(
    "add frame {name} {pose} [on {thing}] [link {link}]",
    help="make a frame, in the world or on a thing",
    effect="edits",
    name=NewName(),
    pose=Target(),
    thing=Ref(*CARRIERS),
    link=Number(whole=True),
    param_help={"pose": "in the world", **_ON},
    examples=[_PALLET, "add frame corner 900,-400,144 on pallet", "where corner"],
)
def add_frame(
    session: Session, name: str, pose: Transform, thing: Entity | None = None, link: int | None = None
) -> Made:
    """Targets, paths, sensors and other frames can hang on a frame. The pose is in the world."""
    return _add(session, "frame", name, pose, thing, link)


def _add(session: Session, kind: str, name: str, pose: Transform, thing: Entity | None, link: int | None) -> Made:
    if link is not None and thing is None:
        raise Refused("Only robots and mechanisms have links; name one with `on`, or leave out the link.")
    database = session.database
    number = database.add_entity(session.rows, kind, name)
    place = database.entity(kind, name)
    put_in_scene(session, place, pose)
    if thing is not None:
        hang(session, place, thing, link=link)
    return Made(kind, name, id_text(number))
