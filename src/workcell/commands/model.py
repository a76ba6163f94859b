"""Commands that make, join and remove: create, add, place, attach, detach, copy, remove."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from workcell.commands.language.colours import ColourName
from workcell.commands.language.references import Ref, RelationRef, Target
from workcell.commands.language.registry import command
from workcell.commands.language.shapes import Shape
from workcell.commands.language.transforms import PoseValue, TransformValue
from workcell.commands.language.values import NewName, Number, Text
from workcell.commands.results import Done, Made
from workcell.errors import Refused
from workcell.geometry.recipe import encode
from workcell.simulation.holding import holder_of, refuse_held, refuse_holding
from workcell.simulation.reach_changes import ReachBefore
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform, Translate
from workcell.wording import capital
from workcell.world.copying import copy as copied
from workcell.world.entities import Entity, Relation, quoted
from workcell.world.expand import colour_of
from workcell.world.fitting import TOOLS, fitted, require_one_flange
from workcell.world.hanging import hang, is_hung, keep_still, poses_on, stand_free
from workcell.world.ids import id_text
from workcell.world.kinds import KINDS, PLACED
from workcell.world.on_faces import standing_on
from workcell.world.places import KINDS as PLACES
from workcell.world.placing import put_in_scene, refuse_mounted

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.geometry.solid import Solid

SQUARE = "create surface square1 contour (0,0) (1000,0) (1000,1000) (0,1000)"


def make(session: Session, kind: str, name: str, **fields: Any) -> Made:
    """A new entity."""
    colour = fields.get("colour")
    if colour:
        colour_of(session.database, colour)
    return Made(kind, name, id_text(session.database.add_entity(session.rows, kind, name, **fields)))


@command(
    "create block {name} [{shape}] [colour {colour}] [description {description}]",
    help="make a block: empty, to attach surfaces to, or from a shape",
    effect="edits",
    name=NewName(),
    shape=Shape(),
    colour=ColourName(),
    description=Text(),
    examples=["create block cube1", "create block table box 800 600 40 colour wood"],
)
def create_block(
    session: Session, name: str, shape: Solid | None = None, colour: str | None = None, description: str = ""
) -> Made:
    """Sizes are in the cell's units; the shape's centre is the block's origin."""
    return make(session, "block", name, shape=_recipe(shape), colour=colour, description=description)


def _recipe(shape: Solid | None) -> str | None:
    return None if shape is None else encode(shape.recipe).decode()


def _declare_create(kind: str) -> None:
    @command(
        f"create {kind} {{name}} [description {{description}}] [colour {{colour}}] [--movable]",
        help=f"make {'an' if kind[0] in 'aeiou' else 'a'} {kind}: {KINDS[kind].help}",
        effect="edits",
        name=NewName(),
        description=Text(),
        colour=ColourName(),
        examples=[f'create {kind} {kind}1 description "the first one"'],
    )
    def create(
        session: Session, name: str, description: str = "", colour: str | None = None, movable: bool = False
    ) -> Made:
        """What is made has no parts yet."""
        return make(session, kind, name, description=description, colour=colour, movable=movable)


for _kind in KINDS:
    if _kind not in ("surface", "curve", "block", "robot", "tool", "machine", "station"):
        _declare_create(_kind)


@command(
    "add solid {name} {shape} [at {pose}] [colour {colour}] [--movable] [--ghost]",
    help="make a block and an object of that shape and place it in the scene",
    effect="edits",
    name=NewName(),
    shape=Shape(),
    pose=PoseValue(),
    colour=ColourName(),
    examples=[
        "add solid table box 800 600 40 at 0,0,-20",
        "add solid peg cylinder 20 100 at 300,0,50 --movable",
        "add solid sight cone 400 900 at 0,0,1200 --ghost",
    ],
)
def add_solid(
    session: Session,
    name: str,
    shape: Solid,
    pose: Transform = Transform(),
    colour: str | None = None,
    movable: bool = False,
    ghost: bool = False,
) -> Made:
    """The usual way to put a part or a fixture into a cell; a ghost is for looking at. The block is NAME-solid."""
    block = make(session, "block", f"{name}-solid", shape=_recipe(shape), colour=colour)
    made = make(session, "object", name, movable=movable, properties={"ghost": True} if ghost else None)
    database = session.database
    whole = database.entity("object", name)
    database.attach(session.rows, whole, database.entity("block", block.name), block.name)
    put_in_scene(session, whole, pose)
    return made


@command(
    "place {thing} at {pose} [in {scene}] [--leave-targets]",
    help="put something into the scene, or move it to another place there",
    effect="edits",
    thing=Ref(*PLACED, "block"),
    pose=Target(),
    scene=Ref("scene"),
    examples=[
        "> create block cube1 box 100 100 100",
        "place cube1 at 200,0,50 rotate 0,0,30",
        "> add target spot 200,0,100 on object:cube1",
        "place object:cube1 at 300,0,50 --leave-targets",
    ],
)
def place(
    session: Session, thing: Entity, pose: Transform, scene: Entity | None = None, leave_targets: bool = False
) -> Done:
    """A block is placed as an object of the same name, which that name then means; the block is `block:NAME`.

    Placing again moves what is there, also on a face.

    Targets, frames and paths that hang on it go with it; with --leave-targets they stay where they are in the world,
    and hang on it still. A target, frame or path that is placed leaves what it hung on; a target of a path moves in
    its path. A sensor in the scene keeps its direction where only a position is given.
    """
    database, reach = session.database, ReachBefore(session, asked=not session.replaying)
    if thing.kind == "block":
        whole = database.find("object", thing.name)
        if whole is None:
            make(session, "object", thing.name, movable=bool(thing.movable))
            whole = database.entity("object", thing.name)
            database.attach(session.rows, whole, thing, thing.name)
        thing = whole
    kept = ""
    if thing.kind == "sensor":
        _take_off(session, thing)
        turned = _as_turned(session, thing, pose)
        if turned is not None:
            pose, kept = turned, "; it looks in the same direction as before"
    if thing.kind in PLACES:
        path = stand_free(session, thing, pose)
        if path:
            return Done(f"target {thing.name!r} is moved in path {path!r}, which places it{reach.told()}")
    still = poses_on(session, thing) if leave_targets else []
    holder = holder_of(session, thing)
    where = put_in_scene(session, thing, pose, scene)
    if holder and thing.name not in session.seen()[1].attached:
        kept = f"; {holder} lets go of it"
    keep_still(session, thing, still)
    return Done(f"{thing.kind} {thing.name!r} stands in scene {where!r}{kept}{reach.told()}")


def _as_turned(session: Session, sensor: Entity, pose: Transform) -> Transform | None:
    """A position with the direction that a sensor has in the scene; None where a direction is given or it has none."""
    standing = [one for one in session.database.pointers(sensor) if session.database.by_id(one.parent).kind == "scene"]
    if not standing or any(type(step) is not Translate for step in pose.steps):
        return None
    turned = Pose(standing[0].matrix)
    if np.array_equal(turned.rotation, np.eye(3)):
        return None
    matrix = turned.matrix.copy()
    matrix[:3, 3] = pose.matrix[:3, 3]
    return Transform.from_pose(Pose(matrix))


_CUBE = ["> " + SQUARE, "> create block cube1"]


@command(
    "attach {child} to {parent} [as {name}] [link {link}] [{transform}]",
    help="make a relation: the parent gets the child as a part",
    effect="edits",
    child=Ref(placed=False),
    parent=Ref(fits=lambda seen, entity: "child" in seen and seen["child"].kind in KINDS[entity.kind].parts),
    name=NewName(),
    link=Number(whole=True),
    transform=TransformValue(),
    param_help={
        "name": "what the relation is called; the child's name unless given",
        "link": "of a robot or mechanism that a target, frame or path hangs on; the last unless given, 0 is the base",
        "transform": "where it is on the parent; a target, frame or path stays where it is in the world unless given",
    },
    examples=[
        *_CUBE,
        "attach square1 to cube1 as side1 rotate 90,0,0",
        "attach square1 to cube1 as side2 rotate 90,0,0 translate 0,1000,0",
        "> add solid pallet box 1200 800 144 at 1500,0,72",
        "> add target corner 1000,-300,144 rotate 180,0,0",
        "attach corner to pallet",
    ],
)
def attach(
    session: Session,
    child: Entity,
    parent: Entity,
    name: str | None = None,
    link: int | None = None,
    transform: Transform | None = None,
) -> Made:
    """Surfaces go to blocks, blocks to objects, objects to scenes; each relation has its own transformation.

    A target, frame or path that is attached to an object, robot, mechanism or frame goes with it. It is in one place
    only, and so is a sensor: it leaves the one where it was.
    """
    database = session.database
    if is_hung(child, parent):
        number, name = hang(session, child, parent, name, transform, link)
        session.resolve(name=name)
        return Made("relation", f"{parent.name}/{name}", id_text(number))
    if link is not None:
        raise Refused(
            "Only targets, frames and paths are attached to a link; `assign link`, `mount` or `add …-sensor`."
        )
    if child.kind == "sensor":
        _take_off(session, child, parent)
    if parent.kind == "scene":
        refuse_mounted(session, child)
    else:
        refuse_held(session, child)
    if parent.kind == "robot" and child.kind in TOOLS and not session.replaying:
        require_one_flange(database, child, parent)
        refuse_holding(session, parent)
    if name is None:
        name = database.free_relation_name(parent, child.name)
        session.resolve(name=name)
    number = database.attach(session.rows, parent, child, name, transform or Transform())
    return Made("relation", f"{parent.name}/{name}", id_text(number))


def _take_off(session: Session, sensor: Entity, onto: Entity | None = None) -> None:
    """Take a sensor off whatever carries it; into the scene, or onto something that it can be attached to."""
    if onto is not None and "sensor" not in KINDS[onto.kind].parts:
        return  # refused by whoever attaches it
    for relation in session.database.pointers(sensor):
        if onto is not None or session.database.by_id(relation.parent).kind != "scene":
            session.database.detach(session.rows, relation)


@command(
    "detach {relation}",
    help="take a relation away; both entities stay",
    effect="edits",
    relation=RelationRef(),
    examples=[*_CUBE, "> attach square1 to cube1 as side1", "detach cube1/side1"],
)
def detach(session: Session, relation: Relation) -> Done:
    """The part is pointed to by one relation less. Refused while something stands on a face of it, or a robot holds it.

    A tool stays on its robot while that holds a part.
    """
    child = session.database.by_id(relation.child)
    refuse_held(session, child)
    if child.kind in ("tool", "gripper") and relation.kind == "mount":
        refuse_holding(session, session.database.by_id(relation.parent))
    return take_out(session, relation)


def take_out(session: Session, relation: Relation) -> Done:
    """Take a relation away unless something stands on a face of its part."""
    database = session.database
    path = database.relation_path(relation)
    children = standing_on(database, [relation])
    if children:
        names = ", ".join(repr(one.name) for one in children)
        raise Refused(
            f"{path} carries {names}, by a face; `face detach` them first, or `remove … --keep-children`.",
            children=tuple(one.name for one in children),
        )
    database.detach(session.rows, relation)
    return Done(f"relation {path} removed")


@command(
    "copy {entity} as {name} [{transform}] [--deep] [--targets] [--tools]",
    help="copy an entity and its relations; the parts are shared unless --deep",
    effect="edits",
    entity=Ref(),
    name=NewName(),
    transform=TransformValue(),
    param_help={
        "transform": "multiplies each copied relation, and maps a shape that the entity has itself; not of a robot",
        "tools": "copy what is on the flange of a robot too; of robots with a tool always so",
    },
    examples=[
        *_CUBE,
        "> attach square1 to cube1 as side1",
        "copy cube1 as brick scale 2,3,1.5",
        "> create block ball sphere 50",
        "copy ball as egg scale 1,1,1.6",
        "> create surface ring disc 60 bore 20",
        "copy ring as oval scale 2,1,1",
        "> add solid pallet box 1200 800 144 at 1500,0,72",
        "> targets grid 4x3 to spots pitch 250,250 on pallet at -375,-250,72 rotate 180,0,0",
        "copy object:pallet as pallet2 --targets",
    ],
)
def copy(
    session: Session,
    entity: Entity,
    name: str,
    transform: Transform = Transform(),
    deep: bool = False,
    targets: bool = False,
    tools: bool = False,
) -> Made:
    """With --deep everything below is copied too, so that changing the copy leaves the original alone.

    A robot is copied with a copy of the tool on its flange, NAME TOOL; `place` puts it somewhere.

    Targets, frames and paths that hang on it are copied with --deep or --targets, as NAME-TARGET, and otherwise not:
    each is in one place only. A flat surface that leaves its plane becomes a free-form patch.
    """
    if entity.kind in ("robot", "mechanism") and not session.replaying:
        if transform.steps:
            raise Refused(
                f"{capital(entity.kind)} {entity.name!r} is copied as it is, with what is mounted on it where it is; "
                f"copy it without a transformation, and `place {quoted(name)} at …` puts the copy somewhere."
            )
        if not tools and fitted(session.database, entity):
            tools = True
            session.resolve(tools=True)
    number = copied(session.database, session.rows, entity, name, transform, deep, targets, tools)
    return Made(entity.kind, name, id_text(number))
