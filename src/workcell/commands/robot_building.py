"""Commands that build robots: draft, assign link, mount, import and export."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

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
from workcell.world.entities import Entity
from workcell.world.ids import id_text
from workcell.world.placing import put_in_scene
from workcell.world.robot_shape import is_robot, robot_of, robot_shape

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.robots.draft import RobotDraft
    from workcell.robots.robot import Robot
    from workcell.spatial.pose import Pose


class _Joint(msgspec.Struct, frozen=True):
    theta: float | None
    alpha: float | None
    d: float | None
    a: float | None
    prismatic: bool
    limits: tuple[float, float] | None


class _Draft(msgspec.Struct, frozen=True, tag="draft", tag_field="kind"):
    """A draft as the cell keeps it."""

    joints: tuple[_Joint, ...]
    base: tuple[float, float]


def _draft_of(entity: Entity) -> RobotDraft:
    from workcell.robots.draft import DraftJoint, RobotDraft

    if entity.shape is None or is_robot(entity):
        raise Refused(f"Robot {entity.name!r} is not a draft; `draft robot NAME JOINTS` begins one.")
    kept = msgspec.json.decode(entity.shape, type=_Draft)
    joints = tuple(DraftJoint(**msgspec.structs.asdict(joint)) for joint in kept.joints)
    return RobotDraft(joints, kept.base, ((),) * (len(joints) + 1))


def _draft_shape(draft: RobotDraft) -> str:
    joints = tuple(_Joint(j.theta, j.alpha, j.d, j.a, j.prismatic, j.limits) for j in draft.joints)
    return msgspec.json.encode(_Draft(joints, draft.base)).decode()


def _keep(session: Session, entity: Entity, draft: RobotDraft) -> Done:
    session.rows.update("entity", entity.id, shape=_draft_shape(draft))
    faults = draft.check()
    return Done(
        f"{entity.name}: {'; '.join(faults)}" if faults else f"{entity.name}: complete; `finish robot` makes it"
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
    help="begin a robot from nothing: then frames, lengths, link solids, check, finish",
    effect="edits",
    name=NewName(),
    joints=_JOINT,
    examples=["draft robot arm 6"],
)
def draft_robot(session: Session, name: str, joints: int) -> Made:
    """Nothing is chosen yet; `check robot` tells what is missing."""
    from workcell.robots.draft import RobotDraft

    if joints > 30:
        raise InvalidValue(f"A draft may have up to 30 joints; {joints} were asked.")
    shape = _draft_shape(RobotDraft.of(joints))
    return Made("robot", name, id_text(session.database.add_entity(session.rows, "robot", name, shape=shape)))


@command(
    "draft frame {robot} {code}",
    help="choose a joint frame from the orientation table: joint frame × 10 + type, 1 the base, 7 the hand",
    effect="edits",
    robot=Ref("robot"),
    code=_JOINT,
    examples=["> draft robot arm 6", "draft frame arm 12", "draft frame arm 22"],
)
def draft_frame(session: Session, robot: Entity, code: int) -> Done:
    """`orientation-table` lists the codes; Ding's files use the same."""
    import dataclasses

    from workcell.robots.orientation import turn_of

    draft = _draft_of(robot)
    if code // 10 == 1:
        return _keep(session, robot, dataclasses.replace(draft, base=turn_of(code)))
    return _keep(session, robot, draft.with_frame(code // 10 - 1, code))


@command(
    "orientation-table", help="list the joint frames to choose from", effect="reads", examples=["orientation-table"]
)
def orientation_table(_: Session) -> Done:
    """The codes of Ding's files, decided where the source is silent."""
    from workcell.robots.orientation import table

    return Done(table())


@command(
    "draft turn {robot} {joint} {theta} {alpha}",
    help="give a joint frame by its home angle and twist instead of a code",
    effect="edits",
    robot=Ref("robot"),
    joint=_JOINT,
    theta=Number("angle"),
    alpha=Number("angle"),
    examples=[_BEGIN, "draft turn arm 1 0 90"],
)
def draft_turn(session: Session, robot: Entity, joint: int, theta: float, alpha: float) -> Done:
    """Standard DH: the twist is about the new x axis."""
    return _keep(session, robot, _draft_of(robot).with_turn(joint, theta, alpha))


@command(
    "draft lengths {robot} {joint} {d} {a}",
    help="give a joint's offset along its axis and the length of its link",
    effect="edits",
    robot=Ref("robot"),
    joint=_JOINT,
    d=Number("length"),
    a=Number("length"),
    examples=[_BEGIN, "draft lengths arm 1 0 300"],
)
def draft_lengths(session: Session, robot: Entity, joint: int, d: float, a: float) -> Done:
    """Standard DH: d along the joint's axis, a across it."""
    return _keep(session, robot, _draft_of(robot).with_lengths(joint, d, a))


@command(
    "draft limits {robot} {joint} {low} {high}",
    help="give the range of a turning joint",
    effect="edits",
    robot=Ref("robot"),
    joint=_JOINT,
    low=Number("angle"),
    high=Number("angle"),
    examples=[_BEGIN, "draft limits arm 1 -170 170"],
)
def draft_limits(session: Session, robot: Entity, joint: int, low: float, high: float) -> Done:
    """One turn unless given."""
    return _keep(session, robot, _draft_of(robot).with_limits(joint, low, high))


@command(
    "draft slide {robot} {joint} {low} {high}",
    help="make a joint slide, and give its travel",
    effect="edits",
    robot=Ref("robot"),
    joint=_JOINT,
    low=Number("length"),
    high=Number("length"),
    examples=[_BEGIN, "draft slide arm 2 0 500"],
)
def draft_slide(session: Session, robot: Entity, joint: int, low: float, high: float) -> Done:
    """A prismatic joint."""
    return _keep(session, robot, _draft_of(robot).sliding(joint).with_limits(joint, low, high))


@command(
    "check robot {robot}",
    help="tell what a draft lacks, or the DH table of a finished robot",
    effect="reads",
    robot=Ref("robot", "mechanism"),
    examples=[_BEGIN, "check robot arm"],
)
def check_robot(session: Session, robot: Entity) -> Done:
    """What R2 calls `check joints`."""
    if not is_robot(robot):
        faults = _draft_of(robot).check()
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
    help="turn a complete draft into a robot and put it into the scene",
    effect="edits",
    robot=Ref("robot"),
    pose=PoseValue(),
    examples=[*_COMPLETE, "finish robot arm"],
)
def finish_robot(session: Session, robot: Entity, pose: Transform | None = None) -> Done:
    """Refused while anything is missing, saying what."""
    draft = _draft_of(robot)
    made = draft.robot(robot.name)
    session.rows.update("entity", robot.id, shape=_shape_of(made))
    _describe(session, session.database.entity("robot", robot.name), made)
    put_in_scene(session, robot, pose or Transform.from_pose(draft.X_world_base))
    return Done(f"robot {robot.name!r} made: {counted(made.n, 'joint')}")


def keep_robot(session: Session, kind: str, name: str, robot: Robot) -> Made:
    """A new robot or mechanism entity, its whole description in it."""
    number = session.database.add_entity(session.rows, kind, name, shape=_shape_of(robot))
    _describe(session, session.database.entity(kind, name), robot)
    return Made(kind, name, id_text(number))


def keep_in_blocks(session: Session, kind: str, name: str, robot: Robot) -> Made:
    """A new robot or mechanism entity whose shapes are blocks of the cell, assigned to its links."""
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
        "model": robot.model or robot.name, "joints": robot.home.tolist(), "speed": robot.default_speed,
    }  # fmt: skip
    session.database.set_properties(session.rows, entity, values)


@command(
    "assign link {robot} {number} {solid} [{transform}]",
    help="give a link a block or object of the cell as its shape, in place of its own",
    effect="edits",
    robot=Ref("robot", "mechanism"),
    number=Number(whole=True),
    solid=Ref("block", "object"),
    transform=TransformValue(),
    param_help={"number": "0 is the base", "transform": "the solid in the link's DH frame"},
    examples=[
        "> create robot Puma puma560",
        "> create block tube cylinder 50 400",
        "assign link Puma 3 tube translate 0,0,200",
    ],
)
def assign_link(
    session: Session, robot: Entity, number: int, solid: Entity, transform: Transform = Transform()
) -> Done:
    """Several solids may be assigned to one link."""
    n = robot_of(robot).n if is_robot(robot) else len(_draft_of(robot).joints)
    if not 0 <= number <= n:
        raise InvalidValue(f"{robot.name} has links 0 (base) to {n}; found {number}.")
    database = session.database
    name = database.free_relation_name(robot, f"link{number}")
    database.attach(session.rows, robot, solid, name, transform, {"link": number})
    return Done(f"{solid.kind} {solid.name!r} is link {number} of {robot.name}")


@command(
    "mount {robot} on {carrier} [link {number}] [at {pose}]",
    help="put a robot onto a link of another robot or mechanism",
    effect="edits",
    robot=Ref("robot", "mechanism"),
    carrier=Ref("robot", "mechanism"),
    number=Number(whole=True),
    pose=PoseValue(),
    param_help={
        "number": "the carrier's link; its last one unless given",
        "pose": "in the frame of that link; on the last link of a mechanism from its carriage, plate or belt",
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
    """Its own place in the scene is given up; it moves with the carrier from now on."""
    device = robot_of(carrier)
    n = device.n
    link = n if number is None else number
    if not 0 <= link <= n:
        raise InvalidValue(f"{carrier.name} has links 0 (base) to {n}; found {link}.")
    if carrier.kind == "mechanism" and link == n:
        # The tool of a mechanism is where things stand on it; its last link's own frame may point anywhere.
        X_link_top = Pose(device.frames(device.home)[n]).inverse() @ device.fk(device.home)
        pose = Transform.from_pose(X_link_top @ pose.pose())
    database = session.database
    for relation in database.pointers(robot):
        database.detach(session.rows, relation)
    name = database.free_relation_name(carrier, robot.name)
    database.attach(session.rows, carrier, robot, name, pose, {"link": link})
    return Done(f"{robot.name} stands on link {link} of {carrier.name}")


@command(
    "unmount {robot} [at {pose}]",
    help="take a robot off its carrier and stand it in the scene",
    effect="edits",
    robot=Ref("robot", "mechanism"),
    pose=PoseValue(),
    examples=[
        "> create robot axis gantry",
        "> create robot Puma puma560",
        "> mount Puma on axis",
        "unmount Puma at 500,0,0",
    ],
)
def unmount(session: Session, robot: Entity, pose: Transform | None = None) -> Done:
    """Where it stands now, unless a place is given."""
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
