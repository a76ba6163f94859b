"""Commands that build robots: draft, check robot, finish robot, assign link, mount, unmount."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import PoseValue, TransformValue
from workcell.commands.language.values import NewName, Number
from workcell.commands.results import Done, Made
from workcell.errors import InvalidValue, Refused
from workcell.geometry.recipe import encode
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.wording import counted
from workcell.world.draft_shape import draft_of, draft_shape
from workcell.world.entities import Entity
from workcell.world.ids import id_text
from workcell.world.mounting import mount_frame
from workcell.world.placing import put_in_scene
from workcell.world.robot_shape import is_robot, robot_of, robot_shape

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.robots.draft import RobotDraft
    from workcell.robots.robot import Robot
    from workcell.spatial.pose import Pose


def _keep(session: Session, entity: Entity, draft: RobotDraft) -> Done:
    session.rows.update("entity", entity.id, shape=draft_shape(draft))
    faults = draft.check()
    return Done(
        f"{entity.name}: {'; '.join(faults)}" if faults else f"{entity.name}: complete; `finish robot` makes the robot"
    )


_JOINT = Number(positive=True, whole=True)
_BEGIN = "> draft robot arm 2"
_COMPLETE = [
    _BEGIN,
    "> draft turn arm 1 0 0",
    "> draft lengths arm 1 0 300",
    "> draft turn arm 2 0 0",
    "> draft lengths arm 2 0 200",
]


@command(
    "draft robot {name} {joints}",
    help="begin a robot from nothing, with a number of joints",
    effect="edits",
    name=NewName(),
    joints=_JOINT,
    param_help={"joints": "the number of joints, at most 30"},
    examples=["draft robot arm 6"],
)
def draft_robot(session: Session, name: str, joints: int) -> Made:
    """Then give its frames, lengths and limits, and `finish robot`. `check robot` lists what is missing."""
    from workcell.robots.draft import RobotDraft

    if joints > 30:
        raise InvalidValue(f"A draft has at most 30 joints; found {joints}.")
    shape = draft_shape(RobotDraft.of(joints))
    return Made("robot", name, id_text(session.database.add_entity(session.rows, "robot", name, shape=shape)))


@command(
    "draft frame {robot} {code}",
    help="choose the frame of a joint from the orientation table",
    effect="edits",
    robot=Ref("robot"),
    code=_JOINT,
    param_help={"code": "ten times the number of the frame plus its type; frame 1 is the base, 7 the hand"},
    examples=["> draft robot arm 6", "draft frame arm 12", "draft frame arm 22"],
)
def draft_frame(session: Session, robot: Entity, code: int) -> Done:
    """`orientation-table` lists the codes. They are the codes of Ding's files."""
    import dataclasses

    from workcell.robots.orientation import turn_of

    draft = draft_of(robot)
    if code // 10 == 1:
        return _keep(session, robot, dataclasses.replace(draft, base=turn_of(code)))
    return _keep(session, robot, draft.with_frame(code // 10 - 1, code))


@command(
    "orientation-table",
    help="list the joint frames that `draft frame` can choose",
    effect="reads",
    examples=["orientation-table"],
)
def orientation_table(_: Session) -> Done:
    """The codes are those of Ding's files. Where Ding gives none, Workcell defines them."""
    from workcell.robots.orientation import table

    return Done(table())


@command(
    "draft turn {robot} {joint} {theta} {alpha}",
    help="give the frame of a joint by its home angle and twist, instead of a code",
    effect="edits",
    robot=Ref("robot"),
    joint=_JOINT,
    theta=Number("angle"),
    alpha=Number("angle"),
    param_help={
        "joint": "its number, counted from 1",
        "theta": "the angle of the joint at home",
        "alpha": "the twist about the new x axis",
    },
    examples=[_BEGIN, "draft turn arm 1 0 90"],
)
def draft_turn(session: Session, robot: Entity, joint: int, theta: float, alpha: float) -> Done:
    """The convention is standard DH."""
    return _keep(session, robot, draft_of(robot).with_turn(joint, theta, alpha))


@command(
    "draft lengths {robot} {joint} {d} {a}",
    help="give the offset of a joint and the length of its link",
    effect="edits",
    robot=Ref("robot"),
    joint=_JOINT,
    d=Number("length"),
    a=Number("length"),
    param_help={
        "joint": "its number, counted from 1",
        "d": "the offset along the axis of the joint",
        "a": "the length across the axis",
    },
    examples=[_BEGIN, "draft lengths arm 1 0 300"],
)
def draft_lengths(session: Session, robot: Entity, joint: int, d: float, a: float) -> Done:
    """The convention is standard DH."""
    return _keep(session, robot, draft_of(robot).with_lengths(joint, d, a))


@command(
    "draft limits {robot} {joint} {low} {high}",
    help="give the range of a revolute joint",
    effect="edits",
    robot=Ref("robot"),
    joint=_JOINT,
    low=Number("angle"),
    high=Number("angle"),
    param_help={"joint": "its number, counted from 1", "low": "the lower limit", "high": "the upper limit"},
    examples=[_BEGIN, "draft limits arm 1 -170 170"],
)
def draft_limits(session: Session, robot: Entity, joint: int, low: float, high: float) -> Done:
    """Without limits, a revolute joint has a range of one turn."""
    return _keep(session, robot, draft_of(robot).turning(joint).with_limits(joint, low, high))


@command(
    "draft slide {robot} {joint} {low} {high}",
    help="make a joint prismatic, and give its range",
    effect="edits",
    robot=Ref("robot"),
    joint=_JOINT,
    low=Number("length"),
    high=Number("length"),
    param_help={"joint": "its number, counted from 1", "low": "the lower limit", "high": "the upper limit"},
    examples=[_BEGIN, "draft slide arm 2 0 500"],
)
def draft_slide(session: Session, robot: Entity, joint: int, low: float, high: float) -> Done:
    """A prismatic joint slides along its axis."""
    return _keep(session, robot, draft_of(robot).sliding(joint).with_limits(joint, low, high))


@command(
    "check robot {robot}",
    help="list what a draft lacks, or show the DH table of a finished robot",
    effect="reads",
    robot=Ref("robot", "mechanism"),
    examples=[_BEGIN, "check robot arm"],
)
def check_robot(session: Session, robot: Entity) -> Done:
    """For a finished robot, the answer also lists the figures that were assumed, with reasons."""
    if not is_robot(robot):
        faults = draft_of(robot).check()
        return Done(f"{robot.name}: {'; '.join(faults) if faults else 'complete'}")
    one, units = robot_of(robot), session.units
    lines = [f"{robot.name}: {counted(one.n, 'joint')}, family {_family(one)}"]
    for number, row in enumerate(one.rows, start=1):
        kind = "length" if row.prismatic else "angle"
        low, high = (units.show(round(float(v), 12), kind) for v in one.limits[number - 1])
        lines.append(
            f"  joint {number}: theta {units.show(row.theta, 'angle')}, d {units.show(row.d, 'length')}, "
            f"a {units.show(row.a, 'length')}, alpha {units.show(row.alpha, 'angle')}, {low} … {high}"
        )
    lines += [f"  assumed {name}: {reason}" for name, reason in one.assumed.items()]
    return Done("\n".join(lines))


def _family(robot: Robot) -> str:
    from workcell.kinematics.structure import recognise

    return recognise(robot.chain).family


@command(
    "finish robot {robot} [at {pose}]",
    help="make a robot from a complete draft and put it into the scene",
    effect="edits",
    robot=Ref("robot"),
    pose=PoseValue(),
    param_help={"pose": "where its base stands; default: the origin, turned as the frame of the base says"},
    examples=[*_COMPLETE, "finish robot arm"],
)
def finish_robot(session: Session, robot: Entity, pose: Transform | None = None) -> Done:
    """This is refused while something is missing; the message names it."""
    draft = draft_of(robot)
    made = draft.robot(robot.name)
    session.rows.update("entity", robot.id, shape=_shape_of(made))
    _describe(session, session.database.entity("robot", robot.name), made)
    put_in_scene(session, robot, pose or Transform.from_pose(draft.X_world_base))
    return Done(f"robot {robot.name!r} made: {counted(made.n, 'joint')}")


def keep_robot(session: Session, kind: str, name: str, robot: Robot) -> Made:
    """Make a robot or mechanism entity that holds the whole description."""
    number = session.database.add_entity(session.rows, kind, name, shape=_shape_of(robot))
    _describe(session, session.database.entity(kind, name), robot)
    return Made(kind, name, id_text(number))


def keep_in_blocks(session: Session, kind: str, name: str, robot: Robot) -> Made:
    """Make a robot or mechanism entity whose shapes are blocks of the cell, assigned to its links."""
    from workcell.robots.file_fields import link_name
    from workcell.robots.link import Link, hex_colour

    database = session.database
    bare = tuple(Link(link_name(i), mass=one.mass) for i, one in enumerate(robot.links))
    made = keep_robot(session, kind, name, robot.replace(links=bare))
    if any(one.parts for one in robot.links):
        database.set_properties(session.rows, database.entity(kind, name), {"shapes": "assigned"})
    entity = database.entity(kind, name)
    for link, one in enumerate(robot.links):
        for count, part in enumerate(one.parts, start=1):
            block = f"{name}-{one.name}{f'-{count}' if len(one.parts) > 1 else ''}"
            recipe = encode(part.solid.recipe).decode()
            database.add_entity(session.rows, "block", block, shape=recipe, colour=hex_colour(part.colour))
            relation = database.free_relation_name(entity, f"link{link}")
            database.attach(
                session.rows, entity, database.entity("block", block), relation, Transform(), {"link": link}
            )
    return made


def _shape_of(robot: Robot) -> str:
    from workcell.commands.given_robots import robot_text

    return robot_shape(robot_text(robot))


def _describe(session: Session, entity: Entity, robot: Robot) -> None:
    values: dict[str, Any] = {
        "model": robot.name or robot.model, "joints": robot.home.tolist(), "speed": robot.default_speed,
    }  # fmt: skip
    session.database.set_properties(session.rows, entity, values)


@command(
    "assign link {robot} {number} {solid} [{transform}]",
    help="give a link of a robot a block or object of the cell as its shape, instead of its own shape",
    effect="edits",
    robot=Ref("robot", "mechanism"),
    number=Number(whole=True),
    solid=Ref("block", "object"),
    transform=TransformValue(),
    param_help={
        "number": "the number of the link; 0 is the base",
        "transform": "the place of the solid in the DH frame of the link",
    },
    examples=[
        "> create robot Puma puma560",
        "> create block tube cylinder 50 400",
        "assign link Puma 3 tube translate 0,0,200",
    ],
)
def assign_link(
    session: Session, robot: Entity, number: int, solid: Entity, transform: Transform = Transform()
) -> Done:
    """You may assign several solids to one link."""
    n = robot_of(robot).n if is_robot(robot) else len(draft_of(robot).joints)
    if not 0 <= number <= n:
        raise InvalidValue(f"{robot.name} has links 0 (base) to {n}; found {number}.")
    database = session.database
    name = database.free_relation_name(robot, f"link{number}")
    database.attach(session.rows, robot, solid, name, transform, {"link": number})
    return Done(f"{solid.kind} {solid.name!r} is link {number} of {robot.name}")


@command(
    "mount {robot} on {carrier} [link {number}] [at {pose}]",
    help="mount a robot on a link of another robot or mechanism",
    effect="edits",
    robot=Ref("robot", "mechanism"),
    carrier=Ref("robot", "mechanism"),
    number=Number(whole=True),
    pose=PoseValue(),
    param_help={
        "number": "the link of the carrier; default: the last",
        "pose": "in the frame of that link; on the last link of a mechanism, relative to its carriage, plate or belt",
        "robot": "the robot to mount",
        "carrier": "what carries it",
    },
    examples=[
        "> create robot axis gantry",
        "> create robot Puma puma560",
        "mount Puma on axis link 1 at 0,0,100",
        "> add rail track 3000",
        "mount Puma on track",
    ],
)
def mount(
    session: Session, robot: Entity, carrier: Entity, number: int | None = None, pose: Transform = Transform()
) -> Done:
    """The robot leaves its place in the scene and moves with the carrier."""
    n = robot_of(carrier).n
    link = n if number is None else number
    if not 0 <= link <= n:
        raise InvalidValue(f"{carrier.name} has links 0 (base) to {n}; found {link}.")
    frame = mount_frame(carrier, link)
    if frame != Pose.identity():
        pose = Transform.from_pose(frame @ pose.pose())
    database = session.database
    for relation in database.pointers(robot):
        database.detach(session.rows, relation)
    name = database.free_relation_name(carrier, robot.name)
    database.attach(session.rows, carrier, robot, name, pose, {"link": link})
    return Done(f"{robot.name} stands on link {link} of {carrier.name}")


@command(
    "unmount {robot} [at {pose}]",
    help="take a robot off its carrier and put it into the scene",
    effect="edits",
    robot=Ref("robot", "mechanism"),
    pose=PoseValue(),
    param_help={"pose": "where its base stands; default: where it is now"},
    examples=[
        "> create robot axis gantry",
        "> create robot Puma puma560",
        "> mount Puma on axis",
        "unmount Puma at 500,0,0",
    ],
)
def unmount(session: Session, robot: Entity, pose: Transform | None = None) -> Done:
    """Without a pose it stays where it is."""
    database = session.database
    mounts = [relation for relation in database.pointers(robot) if relation.kind == "mount"]
    if not mounts:
        raise Refused(f"{robot.name} is not mounted on anything.")
    here = pose or Transform.from_pose(session.snapshot().base_pose(session.state, robot.name))
    session.resolve(pose=here)
    for relation in mounts:
        database.detach(session.rows, relation)
    put_in_scene(session, robot, here)
    return Done(f"{robot.name} stands in the scene")
