"""Commands that put things somewhere: place, offset, send-home."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from workcell.commands.language.references import Ref, Target
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import Choice
from workcell.commands.model import make, take_off_carrier
from workcell.commands.results import Done
from workcell.errors import InvalidValue, Refused
from workcell.simulation.holding import holder_of
from workcell.simulation.reach_changes import ReachBefore
from workcell.spatial.offsets import offset as shifted
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform, Translate
from workcell.wording import counted
from workcell.world import homing
from workcell.world.entities import Entity
from workcell.world.hanging import keep_still, move_hung, poses_on, stand_free
from workcell.world.kinds import PLACED
from workcell.world.places import KINDS as PLACES
from workcell.world.placing import put_in_scene, refuse_far
from workcell.world.thing_poses import KINDS, thing_pose
from workcell.world.together import PLACEABLE, motion_to, movers

if TYPE_CHECKING:
    from workcell.commands.session import Session


@command(
    "place {thing} at {pose} [in {scene}] [taking {others}]* [--leave-targets] [--hanging]",
    help="put something into the scene, or move it to another place there",
    effect="edits",
    thing=Ref(*PLACED, "block"),
    pose=Target(),
    scene=Ref("scene"),
    others=Ref(*PLACEABLE),
    param_help={
        "thing": "what to place, by name",
        "pose": "where its origin will be: a pose in the world, or the name of a target or frame",
        "scene": "default: the current scene",
        "others": "things that move in the same way, so that all of them stay as they stand to each other",
        "leave_targets": "targets, frames and paths that hang on it stay where they are in the world",
        "hanging": "a target, frame or path that hangs on something still hangs on it",
    },
    examples=[
        "> create block cube1 box 100 100 100",
        "place cube1 at 200,0,50 rotate 0,0,30",
        "> add target spot 200,0,100 on object:cube1",
        "place object:cube1 at 300,0,50 --leave-targets",
        "place spot at 300,0,120 --hanging",
        "> add solid cube2 box 100 100 100 at 300,200,50",
        "place object:cube1 at 500,0,50 taking cube2",
    ],
)
def place(
    session: Session,
    thing: Entity,
    pose: Transform,
    scene: Entity | None = None,
    others: list[Entity] | None = None,
    leave_targets: bool = False,
    hanging: bool = False,
) -> Done:
    """A block is placed as an object of the same name. From then on NAME means the object, and `block:NAME` the block.

    Use it again to move the thing, also on a face.

    Targets, frames and paths that hang on it move with it. With --leave-targets they stay where they are in the world
    and still hang on it. If you place a target, frame or path, it no longer hangs on anything, unless you give
    --hanging; a target of a path moves in its path. If you give a sensor only a position, it keeps its direction.

    With `taking`, the other things move as the first one does, turns included. What one of them carries is moved once.
    If one cannot be moved, none is.
    """
    refuse_far(pose)
    reach = ReachBefore(session, asked=not session.replaying)
    if others:
        answer = _put_together(session, thing, pose, others, scene, leave_targets, hanging)
    else:
        answer = _put(session, _whole(session, thing), pose, scene, leave_targets, hanging)
    return Done(f"{answer}{reach.note()}")


def _whole(session: Session, thing: Entity) -> Entity:
    """Return a thing that can stand in a scene; for a block, the object of its name, which is made if it is missing."""
    if thing.kind != "block":
        return thing
    database = session.database
    whole = database.find("object", thing.name)
    if whole is None:
        make(session, "object", thing.name, movable=bool(thing.movable))
        whole = database.entity("object", thing.name)
        database.attach(session.rows, whole, thing, thing.name)
    return whole


def _put(
    session: Session,
    thing: Entity,
    pose: Transform,
    scene: Entity | None,
    leave_targets: bool,
    hanging: bool,
) -> str:
    """Put one thing at a pose; return the answer."""
    kept = ""
    if thing.kind == "sensor":
        take_off_carrier(session, thing)
        turned = _as_turned(session, thing, pose)
        if turned is not None:
            pose, kept = turned, "; it looks in the same direction as before"
    if hanging and (carrier := move_hung(session, thing, pose.pose())):
        return f"{thing.kind} {thing.name!r} is moved on {carrier!r}, which carries it"
    if thing.kind in PLACES:
        path = stand_free(session, thing, pose)
        if path:
            return f"target {thing.name!r} is moved in path {path!r}, which places it"
    still = poses_on(session, thing) if leave_targets else []
    holder = holder_of(session, thing)
    where = put_in_scene(session, thing, pose, scene)
    if holder and thing.name not in session.seen()[1].attached:
        kept = f"; {holder} lets go of it"
    keep_still(session, thing, still)
    return f"{thing.kind} {thing.name!r} stands in scene {where!r}{kept}"


def _put_together(
    session: Session,
    thing: Entity,
    pose: Transform,
    others: list[Entity],
    scene: Entity | None,
    leave_targets: bool,
    hanging: bool,
) -> str:
    """Put a thing at a pose and move others as it moves; return the answer."""
    things = [thing, *others]
    if len({one.id for one in things}) < len(things):
        raise InvalidValue("Each thing can be moved only once; one of them is named twice.")
    first, moved = movers(session, things)
    for one, found in moved:
        if found.refusal:
            raise Refused(f"Nothing was moved. {found.refusal}", thing=one.name)
    for one, found in moved:
        there = motion_to(first, pose.pose(), found.X_world_thing)
        refuse_far(Transform.exact(there))
        _put(session, one, Transform.exact(there), scene, leave_targets, hanging)
    carried = len(things) - len(moved)
    note = f"; {counted(carried, 'is carried by another', 'are carried by others')} of them" if carried else ""
    return f"{', '.join(one.name for one in things)}: {counted(len(things), 'thing')} moved together{note}"


def _as_turned(session: Session, sensor: Entity, pose: Transform) -> Transform | None:
    """Return a position with the direction that a sensor has in the scene; None if it has none, or one is given."""
    standing = [one for one in session.database.pointers(sensor) if session.database.by_id(one.parent).kind == "scene"]
    if not standing or any(type(step) is not Translate for step in pose.steps):
        return None
    turned = Pose(standing[0].matrix)
    if np.array_equal(turned.rotation, np.eye(3)):
        return None
    matrix = turned.matrix.copy()
    matrix[:3, 3] = pose.matrix[:3, 3]
    return Transform.from_pose(Pose(matrix))


@command(
    "offset {thing} {by} [along {frame}]",
    help="shift and turn something in the scene from where it is",
    effect="edits",
    thing=Ref(*KINDS),
    by=PoseValue(),
    frame=Choice({"own": "along its own axes", "world": "along the axes of the world"}, "own|world"),
    param_help={
        "thing": "what to move; a robot or mechanism by its base",
        "by": "the shift and the turn; it turns about its own origin",
        "frame": "own: along its own axes, the default; world: along the axes of the world",
    },
    examples=[
        "> add solid peg cylinder 20 100 at 300,0,50 rotate 90,0,0",
        "offset peg 0,0,20",
        "offset peg 100,0,0 rotate 0,0,45 along world",
    ],
)
def offset(session: Session, thing: Entity, by: Transform, frame: str = "own") -> Done:
    """It starts from where the thing is now. What hangs on it moves with it, as with `place`."""
    here = thing_pose(session.snapshot(), session.state, thing.name, thing.kind)
    there = here @ by.pose() if frame == "own" else shifted(here, by.pose(), Pose.identity())
    return place(session, thing, Transform.exact(there))


@command(
    "send-home {thing} [with {others}]*",
    help="return objects to where they were attached, or to their initial places",
    effect="edits",
    thing=Ref("object"),
    others=Ref("object"),
    param_help={"thing": "an object of the scene", "others": "more objects; if one has no home, none is moved"},
    examples=[
        "> add solid table box 800 600 40 at 0,0,500",
        "> add solid lamp cylinder 50 200",
        "> face attach lamp bottom to table top",
        "> offset lamp 150,0,0 rotate 0,0,30",
        "send-home lamp",
    ],
)
def send_home(session: Session, thing: Entity, others: list[Entity] | None = None) -> Done:
    """The home of an object that stands on a face is where `face attach` put it, without turn and shift.

    Any other object goes to its initial place; `keep state` makes the present places the initial ones. A robot that
    holds the object lets go of it. `home` moves a robot to its initial joint values.
    """
    answers = []
    for one in {each.id: each for each in (thing, *(others or []))}.values():
        holder = holder_of(session, one)
        kept = f"; {holder} lets go of it" if holder else ""
        answers.append(f"{homing.send_home(session, one)}{kept}")
    return Done("\n".join(answers))
