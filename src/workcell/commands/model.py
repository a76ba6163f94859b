"""Commands that make and join: create, add solid, attach, detach, copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.colours import ColourName
from workcell.commands.language.references import Ref, RelationRef
from workcell.commands.language.registry import command
from workcell.commands.language.shapes import Shape
from workcell.commands.language.transforms import PoseValue, TransformValue
from workcell.commands.language.values import NewName, Number, Text
from workcell.commands.results import Done, Made
from workcell.errors import Refused
from workcell.geometry.recipe import encode
from workcell.simulation.holding import refuse_held, refuse_holding
from workcell.spatial.transform import Transform
from workcell.wording import capital, quoted
from workcell.world.copying import copy as copied
from workcell.world.entities import Entity, Relation
from workcell.world.expand import colour_of
from workcell.world.fitting import TOOLS, fitted, require_one_flange
from workcell.world.hanging import come_down, hang, is_hung
from workcell.world.ids import id_text
from workcell.world.kinds import KINDS
from workcell.world.on_faces import standing_on
from workcell.world.placing import put_in_scene, refuse_mounted

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.geometry.solid import Solid

SQUARE = "create surface square1 contour (0,0) (1000,0) (1000,1000) (0,1000)"


def make(session: Session, kind: str, name: str, **fields: Any) -> Made:
    """Make an entity; an unknown colour is refused."""
    colour = fields.get("colour")
    if colour:
        colour_of(session.database, colour)
    return Made(kind, name, id_text(session.database.add_entity(session.rows, kind, name, **fields)))


@command(
    "create block {name} [{shape}] [colour {colour}] [description {description}]",
    help="make a block, empty or with a shape",
    effect="edits",
    name=NewName(),
    shape=Shape(),
    colour=ColourName(),
    description=Text(),
    param_help={
        "shape": "a shape with its sizes, such as box 800 600 40; default: none, so that you can attach surfaces",
        "description": "a note for people; in quotes if it has blanks",
    },
    examples=["create block cube1", "create block table box 800 600 40 colour wood"],
)
def create_block(
    session: Session, name: str, shape: Solid | None = None, colour: str | None = None, description: str = ""
) -> Made:
    """The centre of the shape is the origin of the block."""
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
        param_help={
            "description": "a note for people; in quotes if it has blanks",
            "movable": "robots may handle it",
        },
        examples=[f'create {kind} {kind}1 description "the first one"'],
    )
    def create(
        session: Session, name: str, description: str = "", colour: str | None = None, movable: bool = False
    ) -> Made:
        """`modify` sets its properties, and `attach` joins it to others."""
        return make(session, kind, name, description=description, colour=colour, movable=movable)


for _kind in KINDS:
    if _kind not in ("surface", "curve", "block", "robot", "tool", "machine", "station"):
        _declare_create(_kind)


@command(
    "add solid {name} {shape} [at {pose}] [colour {colour}] [--movable] [--ghost]",
    help="make a block and an object of a shape, and place the object in the scene",
    effect="edits",
    name=NewName(),
    shape=Shape(),
    pose=PoseValue(),
    colour=ColourName(),
    param_help={
        "shape": "a shape with its sizes, such as box 800 600 40",
        "pose": "where its centre is in the world; default 0,0,0",
        "movable": "robots may handle it",
        "ghost": "only to look at: drawn translucent, tested against nothing",
    },
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
    """This is the usual way to put a part or a fixture into a cell. The object is called NAME, the block NAME-solid."""
    database = session.database
    called = database.free_name("block", f"{name}-solid")
    block = make(session, "block", called, shape=_recipe(shape), colour=colour)
    made = make(session, "object", name, movable=movable, properties={"ghost": True} if ghost else None)
    whole = database.entity("object", name)
    database.attach(session.rows, whole, database.entity("block", block.name), block.name)
    put_in_scene(session, whole, pose)
    return made


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
        "name": "the name of the relation; default: the name of the child",
        "link": "the link of a robot or mechanism that a target, frame or path hangs on, 0 for the base; default: "
        "the last",
        "transform": "where the child is on the parent; default: no shift or turn. A target, frame or path stays "
        "where it is in the world",
        "child": "what becomes a part",
        "parent": "what it becomes a part of",
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
    """Attach surfaces to blocks, blocks to objects, and objects to scenes. Each relation has its own transformation.

    A target, frame or path that is attached to an object, robot, mechanism or frame moves with it. Targets, frames,
    paths and sensors are in one place only: they leave the place where they were.
    """
    database = session.database
    if is_hung(child, parent):
        number, name = hang(session, child, parent, name, transform, link)
        session.resolve(name=name)
        return Made("relation", f"{parent.name}/{name}", id_text(number))
    if link is not None:
        raise Refused(
            "Only targets, frames and paths can be attached to a link. Use `assign link` for a solid, `mount` for a "
            "robot, or `add …-sensor` for a sensor."
        )
    if child.kind == "sensor":
        take_off_carrier(session, child, parent)
    if parent.kind == "scene":
        refuse_mounted(session, child)
        transform = come_down(session, child, transform)
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


def take_off_carrier(session: Session, sensor: Entity, onto: Entity | None = None) -> None:
    """Take a sensor off its carrier, to put it into the scene or onto something that it can be attached to."""
    if onto is not None and "sensor" not in KINDS[onto.kind].parts:
        return  # the attachment itself is refused
    for relation in session.database.pointers(sensor):
        if onto is not None or session.database.by_id(relation.parent).kind != "scene":
            session.database.detach(session.rows, relation)


@command(
    "detach {relation}",
    help="remove a relation; both entities stay",
    effect="edits",
    relation=RelationRef(),
    examples=[*_CUBE, "> attach square1 to cube1 as side1", "detach cube1/side1"],
)
def detach(session: Session, relation: Relation) -> Done:
    """This is refused while something stands on a face of the part, or while a robot holds it.

    A tool cannot be detached while its robot holds a part.
    """
    child = session.database.by_id(relation.child)
    refuse_held(session, child)
    if child.kind in ("tool", "gripper") and relation.kind == "mount":
        refuse_holding(session, session.database.by_id(relation.parent))
    return take_out(session, relation)


def take_out(session: Session, relation: Relation) -> Done:
    """Remove a relation; refused while something stands on a face of its part."""
    database = session.database
    path = database.relation_path(relation)
    children = tuple(map(database.called, standing_on(database, [relation])))
    if children:
        names = ", ".join(map(repr, children))
        raise Refused(
            f"{database.called(relation)!r} carries {names} on a face. `face detach` them first, or use "
            "`remove … --keep-children`.",
            children=children,
        )
    database.detach(session.rows, relation)
    return Done(f"relation {path} removed")


@command(
    "copy {entity} as {name} [{transform}] [--deep] [--targets] [--tools] [--pairs]",
    help="copy an entity and its relations",
    effect="edits",
    entity=Ref(),
    name=NewName(),
    transform=TransformValue(),
    param_help={
        "transform": "applied to each copied relation, and to the shape of the entity itself; not for robots and "
        "mechanisms",
        "tools": "copy what is on the flange of a robot; always so if it has a tool",
        "pairs": "give the copy of a robot the decisions about pairs of the robot's bodies; always so if there are any",
        "entity": "what to copy",
        "name": "the name of the copy",
        "deep": "copy everything below it too, so that changes of the copy do not change the original; default: the "
        "parts are shared",
        "targets": "copy the targets, frames and paths that hang on it",
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
    pairs: bool = False,
) -> Made:
    """The copy of a robot gets a copy of its tool, called NAME TOOL; `place` puts the robot somewhere.

    What was decided about pairs of its bodies, alone or with other bodies, is decided about the copy too.

    Targets, frames and paths that hang on the entity are copied with --deep or --targets, as NAME-TARGET. A flat
    surface that leaves its plane becomes a free-form patch.
    """
    if entity.kind in ("robot", "mechanism") and not session.replaying:
        if transform.steps:
            raise Refused(
                f"{capital(entity.kind)} {entity.name!r} cannot be transformed while it is copied. Copy it without "
                f"a transformation, then use `place {quoted(name)} at …`."
            )
        if not tools and fitted(session.database, entity):
            tools = True
            session.resolve(tools=True)
        from workcell.commands.pair_tables import concerns

        if not pairs and concerns(session, entity.name):
            pairs = True
            session.resolve(pairs=True)
    number = copied(session.database, session.rows, entity, name, transform, deep, targets, tools)
    if pairs:
        from workcell.commands.pair_tables import copy_pairs

        copy_pairs(session, entity.name, name)
    return Made(entity.kind, name, id_text(number))
