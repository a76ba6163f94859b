"""Commands that build robots link by link: add joint, link-joints, check joints, assemble robot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from workcell.commands.faces import FaceName
from workcell.commands.kinematic_answers import LinkParameters, dh_text
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import Choice, NewName, Vector
from workcell.commands.model import make
from workcell.commands.model import take_out as out_of
from workcell.commands.results import Done, Made, Result
from workcell.commands.robot_building import keep_robot
from workcell.errors import InvalidValue, Refused
from workcell.robots.link import MassProperties
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.wording import counted, quoted
from workcell.world.entities import Entity, Relation
from workcell.world.expand import Expander
from workcell.world.placing import put_in_scene
from workcell.world.standing import faces_of
from workcell.world.weighing import matter_of

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.robots.joint_frames import BuiltLink
    from workcell.robots.robot import Robot

JOINT, MOVES, RANGE = "joint", "moves", "range"
"""The properties of a frame that is a joint of a link: which joint, how it moves, and its range [rad or m]."""
INPUT, OUTPUT = "i", "i+1"
_PLACES = {INPUT: "where the link is joined to the one before", OUTPUT: "where the next link is joined to it"}
_KINDS = {"revolute": "turns about z", "prismatic": "slides along z", "fixed": "does not move"}
_BASE = [
    "> create block column cylinder 100 500",
    "> create object base",
    "> attach column to base",
    "> add joint i fixed to base at 0,0,-250",
    "> add joint i+1 revolute to base at 0,0,250",
]
_ARM = [
    "> create block beam box 400 80 80",
    "> create object arm",
    "> attach beam to arm",
    "> add joint i revolute to arm at -200,0,-40",
    "> add joint i+1 fixed to arm at 200,0,-40",
]


@command(
    "add joint {place} {kind} to {link} [at {pose}] [face {face}] [turns {turns}] [travel {travel}]",
    help="put a joint frame on an object that will be a link of a robot; z is the axis of the joint",
    effect="edits",
    place=Choice(_PLACES, "i|i+1"),
    kind=Choice(_KINDS, "revolute|prismatic|fixed"),
    link=Ref("object"),
    pose=PoseValue(),
    face=FaceName("link"),
    turns=Vector("angle", 2, "LOW,HIGH"),
    travel=Vector("length", 2, "LOW,HIGH"),
    param_help={
        "pose": "in the object; with a face, relative to the frame in the middle of the face",
        "face": "puts the frame in the middle of this face: z points out of it for i+1, into the object for i",
        "turns": "the range of a revolute joint i; default: one turn",
        "travel": "the range of a prismatic joint i; default 0 to 1 m",
    },
    examples=[
        *_BASE[:3],
        "add joint i fixed to base face bottom",
        "add joint i+1 revolute to base at 0,0,250",
        "check joints base",
        *_ARM[:3],
        "add joint i revolute to arm at -200,0,-40 turns -170,170",
    ],
)
def add_joint(
    session: Session,
    place: str,
    kind: str,
    link: Entity,
    pose: Transform = Transform(),
    face: str | None = None,
    turns: tuple[float, ...] | None = None,
    travel: tuple[float, ...] | None = None,
) -> Made:
    """The joint is a frame on the object, called OBJECT-i or OBJECT-i+1. If it exists, the command moves it.

    Joint i joins the link to the one before, joint i+1 to the next one.
    """
    for given, fits in ((turns, "revolute"), (travel, "prismatic")):
        if given is not None and (kind != fits or place != INPUT):
            raise Refused(f"Only joint i of kind {fits} has this range; found joint {place} of kind {kind}.")
        if given is not None and given[0] >= given[1]:
            raise InvalidValue(
                "The range of a joint is its lowest value, then its highest; found them the other way round."
            )
    database = session.database
    where = _on_face(session, link, face, place) @ pose.pose() if face is not None else pose.pose()
    there = _joint(session, link, place)
    own: dict[str, Any] = {JOINT: place, MOVES: kind, RANGE: list(turns or travel or ()) or None}
    if there is not None:
        frame = database.by_id(there.child)
        database.set_properties(session.rows, frame, own)
        database.set_transform(session.rows, there, Transform.from_pose(where))
        return Made("frame", frame.name, frame.key)
    name = database.free_name("frame", f"{link.name}-{place}"[:80])
    made = make(session, "frame", name, properties={key: value for key, value in own.items() if value is not None})
    frame = database.entity("frame", name)
    database.attach(
        session.rows, link, frame, database.free_relation_name(link, f"joint-{place}"), Transform.from_pose(where)
    )
    return made


def _on_face(session: Session, link: Entity, face: str, place: str) -> Pose:
    """Return the frame in the middle of a face, in the object."""
    found = {one.name: one for one in faces_of(Expander(session.database), link)}
    if face not in found:
        from workcell.errors import UnknownName

        raise UnknownName.among(f"face of {link.name!r}", face, found)
    z = np.array(found[face].normal) * (1.0 if place == OUTPUT else -1.0)
    x = np.cross((0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (1.0, 0.0, 0.0), z)
    x /= np.linalg.norm(x)
    return Pose.from_rotation(np.column_stack([x, np.cross(z, x), z]), found[face].centre)


def _joint(session: Session, link: Entity, place: str) -> Relation | None:
    database = session.database
    for relation in database.relations(link):
        child = database.by_id(relation.child)
        if child.kind == "frame" and child.properties.get(JOINT) == place:
            return relation
    return None


class LinkJoint(Result, frozen=True):
    """A joint frame of an object: i or i+1, how it moves, its range [rad or m], and its pose in the object (4×4)."""

    link: str
    place: str
    moves: str
    range: tuple[float, float] | None
    matrix: list[list[float]]


class LinkJoints(Result, frozen=True):
    """The joint frames of all objects."""

    joints: tuple[LinkJoint, ...]

    def __str__(self) -> str:
        return "\n".join(f"{one.link}: joint {one.place} {one.moves}" for one in self.joints) or "no joints"


@command(
    "link-joints",
    help="list the joint frames of all objects, which `assemble robot` can join",
    effect="reads",
    background=True,
    examples=[*_BASE, "link-joints"],
)
def link_joints(session: Session) -> LinkJoints:
    """The answer is for panels: `check joints LINK` shows one link with its DH parameters."""
    found = []
    for link in session.database.entities("object"):
        for place in (INPUT, OUTPUT):
            joint = joint_of(session, link, place)
            if joint is not None:
                found.append(LinkJoint(link.name, place, joint.moves, joint.range, joint.pose.matrix.tolist()))
    return LinkJoints(tuple(found))


class JointOf(NamedTuple):
    """A joint frame of a link: where it is, how it moves, and its range [rad or m] if it has one."""

    pose: Pose
    moves: str
    range: tuple[float, float] | None


def joint_of(session: Session, link: Entity, place: str) -> JointOf | None:
    """Return a joint of an object; None if it has none."""
    relation = _joint(session, link, place)
    if relation is None:
        return None
    own = session.database.by_id(relation.child).properties
    span = own.get(RANGE)
    return JointOf(Pose(relation.matrix), str(own.get(MOVES)), (span[0], span[1]) if span else None)


def joints_of(session: Session, link: Entity) -> tuple[JointOf, JointOf]:
    """Return both joints of an object; refused if one is missing."""
    found = {place: joint_of(session, link, place) for place in (INPUT, OUTPUT)}
    missing = [place for place, one in found.items() if one is None]
    if missing:
        raise Refused(
            f"Object {link.name!r} has no joint {' and no joint '.join(missing)}; "
            f"`add joint {missing[0]} revolute to {quoted(link.name)} at …` adds one."
        )
    first, second = found[INPUT], found[OUTPUT]
    assert first is not None
    assert second is not None
    return first, second


def mass_of(session: Session, link: Entity) -> MassProperties | None:
    """Return the mass of an object in its own frame; None if the mass of a part is not known."""
    whole, unknown = matter_of(session.database, Expander(session.database), link).weighed
    return None if whole is None or unknown else MassProperties(whole.mass, whole.centroid, whole.inertia)


@command(
    "check joints {link}",
    help="show the DH parameters of a link from its two joint frames, and check the frames",
    effect="reads",
    link=Ref("object"),
    examples=[*_BASE, "check joints base"],
)
def check_joints_of(session: Session, link: Entity) -> LinkParameters:
    """If the frames do not follow the DH convention, they are aligned first, and the answer reports it."""
    first, second = joints_of(session, link)
    row = dh_text(session.units, first.pose, second.pose)
    kinds = f"{link.name}: joint i {first.moves}, joint i+1 {second.moves}"
    return LinkParameters(row.theta, row.d, row.a, row.alpha, row.faults, f"{kinds}\n{row.text}")


@command(
    "assemble robot {name} [of {links}]* [at {pose}] [--take-out]",
    help="make a robot from objects with joint frames: joint i of each object sits on joint i+1 of the one before",
    effect="edits",
    name=NewName(),
    links=Ref("object"),
    pose=PoseValue(),
    param_help={
        "links": "one object for each link, the base first",
        "pose": "of joint i of the first link; default 0,0,0",
        "take_out": "take the objects out of their scenes; default: they also stay where they are",
    },
    examples=[
        *_BASE,
        *_ARM,
        "assemble robot crane of base of arm at 1000,0,0",
        "check robot crane",
        "export links crane crane",
    ],
)
def assemble_robot(
    session: Session, name: str, links: tuple[Entity, ...] = (), pose: Transform = Transform(), take_out: bool = False
) -> Done:
    """The joint values are zero where the frames coincide.

    A link with a fixed joint i becomes part of the link before it.

    The objects are the shapes of the links, as with `assign link`: if you change an object, the robot changes. If the
    mass of an object is known, the link has it too.
    """
    from workcell.robots.joint_frames import assembled
    from workcell.robots.link import Link
    from workcell.robots.robot import Robot

    if not links:
        raise Refused(f"Name the links of {name!r}, the base first: assemble robot {name} of BASE of LINK …")
    built = _built(session, links)
    chain, places = assembled(built)
    ranges = [joint_of(session, link, INPUT) for link in links]
    masses: dict[int, list[MassProperties]] = {}
    for link, (number, X_frame_link) in zip(links, places, strict=True):
        mass = mass_of(session, link)
        if mass is not None:
            masses.setdefault(number, []).append(mass.moved(X_frame_link))
    count = [number for number, _ in places]
    bare = tuple(
        Link(
            "base" if number == 0 else f"link {number}",
            mass=MassProperties.sum(masses[number]) if len(masses.get(number, ())) == count.count(number) > 0 else None,
        )
        for number in range(chain.n + 1)
    )
    spans = [one.range for one in ranges if one is not None and one.moves != "fixed"]
    limits = np.array(
        [
            span or ((0.0, 1.0) if slides else (-np.pi, np.pi))
            for span, slides in zip(spans, chain.prismatic, strict=True)
        ]
    )
    keep_of_objects(session, name, Robot(name, chain, limits=limits, links=bare), links, places)
    put_in_scene(session, session.database.entity("robot", name), pose)
    for relation in [one for link in links for one in session.database.pointers(link)] if take_out else []:
        if session.database.by_id(relation.parent).kind == "scene":
            out_of(session, relation)
    return Done(f"robot {name!r} made of {counted(len(links), 'object')}: {counted(chain.n, 'joint')}")


def keep_of_objects(
    session: Session, name: str, robot: Robot, links: Sequence[Entity], places: Sequence[tuple[int, Pose]]
) -> Made:
    """Make a robot whose shapes are objects of the cell, each on a link of a number, at a pose in its frame."""
    made = keep_robot(session, "robot", name, robot)
    database = session.database
    entity = database.entity("robot", name)
    database.set_properties(session.rows, entity, {"shapes": "assigned"})
    for link, (number, X_frame_link) in zip(links, places, strict=True):
        relation = database.free_relation_name(entity, f"link{number}")
        database.attach(session.rows, entity, link, relation, Transform.from_pose(X_frame_link), {"link": number})
    return made


def _built(session: Session, links: tuple[Entity, ...]) -> list[BuiltLink]:
    """Return the links with their joint frames; joints that meet must be of the same kind."""
    from workcell.robots.joint_frames import BuiltLink

    built, before = [], None
    for number, link in enumerate(links):
        if number == len(links) - 1 and joint_of(session, link, INPUT) and not joint_of(session, link, OUTPUT):
            first = joint_of(session, link, INPUT)
            assert first is not None
            second = first
        else:
            first, second = joints_of(session, link)
        if before is not None and before[1] != first.moves:
            raise Refused(
                f"Joint i+1 of {before[0]!r} is {before[1]}, but joint i of {link.name!r}, which sits on it, is "
                f"{first.moves}; `add joint` changes the kind of a joint."
            )
        built.append(BuiltLink(first.pose, second.pose, first.moves == "prismatic", link.name, first.moves == "fixed"))
        before = (link.name, second.moves)
    if all(one.fixed for one in built):
        raise Refused("A robot needs at least one joint i that turns or slides; these links have none.")
    return built
