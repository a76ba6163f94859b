"""Commands on faces: faces, face attach, face detach, face show, face-pose, check faces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from workcell.commands.language.references import Ref, Thing
from workcell.commands.language.registry import command
from workcell.commands.language.tokens import Tokens
from workcell.commands.language.transforms import TransformValue
from workcell.commands.language.values import Text
from workcell.commands.results import Done, Result
from workcell.commands.shown_things import pose_text
from workcell.errors import CycleRefused, Refused, UnknownName, WorkcellError, WrongLevel
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.spatial.units import tidy
from workcell.wording import counted, quoted
from workcell.world.entities import Entity, Relation
from workcell.world.expand import Expander
from workcell.world.flatten import current_scene
from workcell.world.foothold import BASE, BASE_BLOCK, BASE_FACE, BASE_ID, BLOCK, FACE, HOME, stands
from workcell.world.on_faces import base_called, leave_standing
from workcell.world.placing import put_in_scene, refuse_far
from workcell.world.standing import Footing, faces_of, home, prefixes
from workcell.world.thing_poses import thing_pose

if TYPE_CHECKING:
    from workcell.commands.session import Session

Triple = tuple[float, float, float]


class FaceFacts(Result, frozen=True):
    """A face: its name, kind, area [m²], centre [m] and outward normal, in the frame of its block or object."""

    name: str
    kind: str
    area: float
    centre: Triple
    normal: Triple


class FaceList(Result, frozen=True):
    """The faces of a thing.

    ``prefixes`` are, for each piece of its body in the scene, what stands before the names of the faces of the piece.
    """

    thing: str
    faces: tuple[FaceFacts, ...]
    text: str
    prefixes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text


class FacePose(Result, frozen=True):
    """Where an object would be with a face on a face of another: ``X_world_object`` as rows."""

    thing: str
    matrix: list[list[float]]
    text: str

    def __str__(self) -> str:
        return self.text


class OnFace(Result, frozen=True):
    """That an object stands on another one: the face of the object, and the face of its base."""

    thing: str
    face: str
    base: str
    base_face: str

    def __str__(self) -> str:
        return f"{self.thing}: {self.face} on {self.base} {self.base_face}"


class FaceTies(Result, frozen=True):
    """On which face an object stands, None if on none; and what stands on its own faces."""

    thing: str
    stands: OnFace | None
    carries: tuple[OnFace, ...]

    def __str__(self) -> str:
        shown = ([] if self.stands is None else [self.stands]) + list(self.carries)
        return (
            "\n".join(map(str, shown)) or f"{self.thing!r} does not stand on a face, and nothing stands on its faces."
        )


class FaceName(Text):
    """The name of a face of the thing before it."""

    label = "FACE"
    help = "the name of a face, such as top; `faces THING` lists them"

    def __init__(self, of: str) -> None:
        self.of = of

    def text(self, value: Any) -> str:
        """As it is, in quotes where needed."""
        return super().text(value) if " " in value else str(value)

    def complete(self, prefix: str, session: Session, seen: dict[str, Any]) -> Iterable[tuple[str, str]]:
        """The faces that there are."""
        thing = seen.get(self.of)
        if thing is None:
            return []
        entity = thing if isinstance(thing, Entity) else session.database.by_id(thing.child)
        try:
            found = faces_of(Expander(session.database), entity)
        except WorkcellError:
            return []
        return [(face.name, face.kind) for face in found if face.name.startswith(prefix)]


class Standing(Thing):
    """An object of the current scene, or a scene's relation to one."""

    label = "OBJECT|SCENE/RELATION"
    help = "an object of the current scene, or a relation of a scene, such as main/lamp"

    def parse(self, tokens: Tokens, session: Session, seen: dict[str, Any]) -> Any:
        """Read a relation if there is a slash, else an entity."""
        token = tokens.peek()
        if token is not None and "/" not in token.text:
            return Ref("object").parse(tokens, session, seen)
        return super().parse(tokens, session, seen)


@command(
    "faces {thing}",
    help="list the faces of a block or object with name, kind, centre and normal",
    effect="reads",
    background=True,
    thing=Ref("block", "object", "robot", "mechanism"),
    examples=["> create block peg cylinder 20 100", "faces peg"],
)
def faces(session: Session, thing: Entity) -> FaceList:
    """The name of a face shows where it comes from (`plate.top`, `cut1:pin.side`). It stays when sizes change."""
    if thing.kind in ("robot", "mechanism"):
        raise Refused(
            f"The links of {thing.kind} {thing.name!r} have no named faces. `where {quoted(thing.name)}` shows "
            f"where its last link is, such as the top of a belt, and `fk {quoted(thing.name)}` where every link is."
        )
    expander = Expander(session.database)
    found = faces_of(expander, thing)
    units = session.units

    def row(values: Triple, quantity: str) -> str:
        shown = (round(units.from_si(v, quantity), 6) + 0.0 for v in values)
        return f"({', '.join(tidy(v) for v in shown)})"

    facts = tuple(FaceFacts(face.name, face.kind, face.area, face.centre, face.normal) for face in found)
    width = max(len(face.name) for face in facts)
    lines = [
        f"{face.name.ljust(width)}  {face.kind:9}  centre {row(face.centre, 'length')}  "
        f"normal {row(face.normal, 'number')}"
        for face in facts
    ]
    text = "\n".join([*lines, f"{counted(len(facts), 'face')}, lengths in {units.length}"])
    return FaceList(thing.name, facts, text, prefixes(expander, thing))


_STAGE = ["> add solid table box 800 600 40 at 0,0,500", "> add solid lamp cylinder 50 200"]


@command(
    "face attach {child} {face} to {base} {base_face} [{transform}]",
    help="put a face of an object on a face of another object, which then carries it",
    effect="edits",
    child=Standing(),
    face=FaceName("child"),
    base=Standing(),
    base_face=FaceName("base"),
    transform=TransformValue(),
    param_help={
        "transform": "shifts or turns the object from there",
        "child": "the object to attach",
        "base": "the object that carries it",
    },
    examples=[
        *_STAGE,
        "face attach lamp bottom to table top",
        "face attach lamp bottom to table top translate 200,0,0",
    ],
)
def attach_face(
    session: Session,
    child: Entity | Relation,
    face: str,
    base: Entity | Relation,
    base_face: str,
    transform: Transform = Transform(),
) -> Done:
    """The centres of the faces meet, and their normals are opposed.

    The object follows when the base moves, or when either of them is resized.
    """
    database = session.database
    below = _placed(session, base, None)
    scene = database.by_id(below.parent)
    above = _placed(session, child, scene)
    over, under = database.called(above), database.called(below)
    if above.id == below.id:
        raise CycleRefused(f"{over!r} cannot stand on itself.")
    footing = Footing(Expander(database), scene)
    if above.id in [one.id for one in footing.chain(below)]:
        raise CycleRefused(f"{under!r} already stands on {over!r}, so {over!r} cannot stand on it.")
    place = home(footing.faces(below).find(base_face), footing.faces(above).find(face))
    kept = {
        BASE: below.name,
        BASE_ID: below.key,
        BASE_FACE: base_face,
        BASE_BLOCK: footing.block_of(below, base_face),
        FACE: face,
        BLOCK: footing.block_of(above, face),
        HOME: [float(v) + 0.0 for v in place[:3].reshape(-1)],
    }
    database.set_properties(session.rows, above, kept)
    database.set_transform(session.rows, above, transform)
    refuse_far(transform)
    X_world_below = Footing(Expander(database, leniently=True), scene).X_world(below)
    refuse_far(Pose(X_world_below @ place @ transform.matrix))
    return Done(f"face {face!r} of {over!r} lies on face {base_face!r} of {under!r}")


@command(
    "face detach {child}",
    help="detach an object from the face that it stands on; it stays where it is",
    effect="edits",
    child=Standing(),
    examples=[*_STAGE, "> face attach lamp bottom to table top", "face detach lamp"],
)
def detach_face(session: Session, child: Entity | Relation) -> Done:
    """Afterwards the base no longer carries the object."""
    relation = _placed(session, child, None)
    database = session.database
    name = database.called(relation)
    if not stands(relation):
        raise Refused(f"{name!r} does not stand on a face.")
    scene = database.by_id(relation.parent)
    base = base_called(database, Footing(Expander(database, leniently=True), scene), relation)
    leave_standing(database, session.rows, scene, relation)
    return Done(f"{name!r} stands on its own, where it stood on {base!r}")


@command(
    "face show {thing}",
    help="show on which face an object stands, and what stands on its faces",
    effect="reads",
    background=True,
    thing=Ref("object"),
    examples=[*_STAGE, "> face attach lamp bottom to table top", "face show lamp", "face show table"],
)
def show_faces(session: Session, thing: Entity) -> FaceTies:
    """`face attach` again changes the turn and the shift. `check faces` lists everything that stands on faces."""
    database = session.database
    name = current_scene(database)
    scene = database.find("scene", name) if name else None
    relations = database.relations(scene) if scene is not None else []
    by_key, by_name = {one.key: one for one in relations}, {one.name: one for one in relations}
    found = []
    for one in relations:
        if stands(one):
            kept = one.properties
            base = by_key.get(kept.get(BASE_ID, "")) or by_name.get(kept[BASE])  # by name in a copy of the scene
            if base is not None and thing.id in (one.child, base.child):
                above, below = (database.by_id(part.child).name for part in (one, base))
                found.append(OnFace(above, kept[FACE], below, kept[BASE_FACE]))
    own = next((one for one in found if one.thing == thing.name), None)
    return FaceTies(thing.name, own, tuple(one for one in found if one.base == thing.name))


@command(
    "face-pose {child} {face} on {base} {base_face}",
    help="give where `face attach` would put an object; nothing moves",
    effect="reads",
    background=True,
    child=Ref("object"),
    face=FaceName("child"),
    base=Ref("object"),
    base_face=FaceName("base"),
    param_help={"child": "the object that would be attached", "base": "the object that would carry it"},
    examples=[*_STAGE, "face-pose lamp bottom on table top"],
)
def face_pose(session: Session, child: Entity, face: str, base: Entity, base_face: str) -> FacePose:
    """The answer is for drawing. The base is where it is now."""
    expander = Expander(session.database)
    place = home(faces_of(expander, base).find(base_face), faces_of(expander, child).find(face))
    pose = Pose(thing_pose(session.snapshot(), session.state, base.name, "object").matrix @ place)
    refuse_far(pose)
    text = f"{child.name}: {pose_text(session.units, pose)}"
    return FacePose(child.name, pose.matrix.tolist(), text)


@command(
    "check faces",
    help="list what stands on which face, and report faces that no longer exist",
    effect="reads",
    background=True,
    examples=[*_STAGE, "> face attach lamp bottom to table top", "check faces"],
)
def check_faces(session: Session) -> Done:
    """Use it after you change a shape: a face may get another name, or break into several faces."""
    database = session.database
    name = current_scene(database)
    scene = database.entity("scene", name) if name else None
    lines = []
    for relation in database.relations(scene) if scene is not None else []:
        if scene is not None and stands(relation):
            kept = relation.properties
            footing = Footing(Expander(database), scene)
            base = base_called(database, footing, relation)
            standing = f"{database.called(relation)}: {kept[FACE]} on {base} {kept[BASE_FACE]}"
            try:
                footing.X_world(relation)
                lines.append(f"{standing}: good")
            except WorkcellError as error:
                lines.append(f"{standing}: {error}")
    return Done("\n".join(lines) or "nothing stands on a face")


def _placed(session: Session, thing: Entity | Relation, scene: Entity | None) -> Relation:
    """Return the relation that places an object in the scene; an object that is in no scene is put there."""
    database = session.database
    if isinstance(thing, Relation):
        owner, child = database.by_id(thing.parent), database.by_id(thing.child)
        if owner.kind != "scene" or child.kind != "object":
            raise WrongLevel(
                f"Only objects of a scene can stand on faces; {owner.name}/{thing.name} is a relation of kind "
                f"{thing.kind}."
            )
        return thing
    name = scene.name if scene is not None else current_scene(database)
    where = database.find("scene", name) if name else None
    found = [one for one in database.relations(where) if one.child == thing.id] if where is not None else []
    if len(found) > 1:
        ways = ", ".join(database.relation_path(one) for one in found)
        raise UnknownName(
            f"{thing.name!r} stands in the scene {counted(len(found), 'time')}; name one of {ways}.", names=ways
        )
    if found:
        return found[0]
    in_scene = put_in_scene(session, thing, Transform(), where)
    return next(one for one in database.relations(database.entity("scene", in_scene)) if one.child == thing.id)
