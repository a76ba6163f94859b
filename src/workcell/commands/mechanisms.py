"""Commands on mechanisms and tools: add rail, positioner, gantry, conveyor, slide; fit tool, take-off, put-back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.given_robots import is_fitted, kept_seat
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import NewName, Number
from workcell.commands.loads import weighed
from workcell.commands.results import Done, Made
from workcell.commands.robot_building import keep_in_blocks
from workcell.errors import Refused
from workcell.robots.hand import seat
from workcell.simulation.holding import refuse_holding
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.wording import quoted
from workcell.world.entities import Entity
from workcell.world.fitting import require_one_flange
from workcell.world.hands import NEEDS, hand_of, how, lacking
from workcell.world.placing import put_in_scene
from workcell.world.robot_shape import is_robot, robot_of

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.robots.mechanism import Mechanism

_LENGTH = Number("length", positive=True)


def _add(session: Session, mechanism: Mechanism, pose: Transform) -> Made:
    from workcell.robots.serial import as_robot

    made = keep_in_blocks(session, "mechanism", mechanism.name, as_robot(mechanism))
    put_in_scene(session, session.database.entity("mechanism", mechanism.name), pose)
    return made


@command(
    "add rail {name} {length} [at {pose}]",
    help="put a rail into the scene; robots can be mounted on its carriage",
    effect="edits",
    name=NewName(),
    length=_LENGTH,
    pose=PoseValue(),
    param_help={
        "length": "how far the carriage travels; the bed is 600 mm longer, 300 mm at each end",
        "pose": "where its base stands; default 0,0,0",
    },
    examples=["add rail track 3000", "> create robot Puma puma560", "> mount Puma on track"],
)
def add_rail(session: Session, name: str, length: float, pose: Transform = Transform()) -> Made:
    """A rail has one sliding joint along x, from 0 to LENGTH. The top of the carriage is 250 mm above the base."""
    from workcell.robots.mechanism import rail

    return _add(session, rail(length, name), pose)


@command(
    "add positioner {name} [at {pose}]",
    help="put a tilting turntable into the scene; parts can be attached to its plate",
    effect="edits",
    name=NewName(),
    pose=PoseValue(),
    param_help={"pose": "where its base stands; default 0,0,0"},
    examples=["add positioner turntable at 1200,0,0", "> move-joints-absolute turntable 30,90"],
)
def add_positioner(session: Session, name: str, pose: Transform = Transform()) -> Made:
    """A positioner has two revolute joints: the first tilts about x, the second turns the plate."""
    from workcell.robots.mechanism import positioner

    return _add(session, positioner(name), pose)


@command(
    "add gantry {name} {length} {width} {height} [down {drop}] [at {pose}]",
    help="put a gantry with three sliding axes into the scene; an arm can hang from its column",
    effect="edits",
    name=NewName(),
    length=_LENGTH,
    width=_LENGTH,
    height=_LENGTH,
    drop=_LENGTH,
    pose=PoseValue(),
    param_help={
        "length": "the travel along x",
        "width": "the travel along y",
        "height": "the height of the beams above the floor",
        "drop": "the travel downwards; default: half the height",
        "pose": "where its base stands; default 0,0,0",
    },
    examples=["add gantry portal 4000 2000 3000 down 1000", "> create robot Arm irb140", "> mount Arm on portal"],
)
def add_gantry(
    session: Session,
    name: str,
    length: float,
    width: float,
    height: float,
    drop: float = 0.0,
    pose: Transform = Transform(),
) -> Made:
    """A gantry has three sliding joints: along x, along y, and down.

    What is mounted on it hangs with its base upwards.
    """
    from workcell.robots.mechanism import gantry

    return _add(session, gantry(length, width, height, name, drop), pose)


@command(
    "add conveyor {name} {length} [at {pose}]",
    help="put a conveyor belt into the scene; parts that lie on it can ride along",
    effect="edits",
    name=NewName(),
    length=_LENGTH,
    pose=PoseValue(),
    param_help={"length": "the length of the belt, along x", "pose": "where its base stands; default 0,0,0"},
    examples=["add conveyor belt 2000 at 0,800,0"],
)
def add_conveyor(session: Session, name: str, length: float, pose: Transform = Transform()) -> Made:
    """A conveyor has one sliding joint along x without limits. Its top is 700 mm above the base."""
    from workcell.robots.mechanism import conveyor

    return _add(session, conveyor(length, name), pose)


@command(
    "add slide {name} {length} down {drop} [speed {speed}] [at {pose}]",
    help="put a slide into the scene, on which parts move down from a belt",
    effect="edits",
    name=NewName(),
    length=_LENGTH,
    drop=_LENGTH,
    speed=Number("speed", positive=True),
    pose=PoseValue(),
    param_help={
        "drop": "how much lower its end is than its beginning",
        "speed": "of the parts on it; default 500 mm/s",
        "length": "along x",
        "pose": "where its base stands; default 0,0,0",
    },
    examples=["> add conveyor belt 2000", "add slide chute 1000 down 200 at 2060,0,0"],
)
def add_slide(
    session: Session, name: str, length: float, drop: float, speed: float = 0.5, pose: Transform = Transform()
) -> Made:
    """Its top begins 700 mm above the base. Parts move down at constant speed to the next belt, a stop or a sink."""
    from workcell.robots.mechanism import slide

    made = _add(session, slide(length, drop, name, speed=speed), pose)
    session.database.set_properties(session.rows, session.database.entity("mechanism", name), {"runs": float(speed)})
    return made


@command(
    "fit tool {tool} to {robot} [tcp {pose}]",
    help="fit a tool to the flange of a robot; its TCP becomes the tool frame of the robot",
    effect="edits",
    tool=Ref("tool", "gripper"),
    robot=Ref("robot"),
    pose=PoseValue(),
    param_help={"pose": "the TCP in the flange frame; default: that of the tool"},
    examples=["> create robot Puma puma560", "> create tool torch", "fit tool torch to Puma tcp 0,0,120 rotate 0,30,0"],
)
def fit_tool(session: Session, tool: Entity, robot: Entity, pose: Transform | None = None) -> Done:
    """A flange holds one tool. The tool replaces the gripper that belongs to the robot, which must be empty.

    The tool points out of the arm. If the z axis of the flange points into the arm, the tool is turned by 180° about x.
    """
    database = session.database
    if not is_robot(robot):
        raise Refused(f"Robot {robot.name!r} is not finished; `finish robot` first.")
    if not session.replaying:  # a replay repeats what older versions allowed
        require_one_flange(database, tool, robot)
    refuse_holding(session, robot)
    mounted = seat(robot_of(robot).gripper)
    if pose is not None:
        tip = pose if mounted == Pose.identity() else Transform.exact(mounted.inverse() @ pose.pose())
        database.set_properties(session.rows, tool, {"tcp": list(tip.rows())})
    elif "tcp" not in tool.properties:
        hand = hand_of(tool)
        if hand is None:
            raise Refused(_no_tip(tool))
        database.set_properties(session.rows, tool, {"tcp": list(Transform.from_pose(hand.X_flange_grip).rows())})
    name = database.free_relation_name(robot, tool.name)
    database.attach(session.rows, robot, tool, name, kept_seat(mounted))
    return Done(f"{tool.name} is on the flange of {robot.name}{weighed(session, robot)}")


@command(
    "take-off {robot}",
    help="remove the tool or gripper from the flange of a robot",
    effect="edits",
    robot=Ref("robot"),
    examples=["> create robot Puma puma560", "take-off Puma"],
)
def take_off(session: Session, robot: Entity) -> Done:
    """A fitted tool is removed first; without one, the gripper that belongs to the robot. It must be empty."""
    database = session.database
    refuse_holding(session, robot)
    for relation in database.relations(robot):
        if is_fitted(session, relation):
            database.detach(session.rows, relation)
            return Done(f"{database.by_id(relation.child).name} is off the flange of {robot.name}")
    if not is_robot(robot) or robot_of(robot).gripper is None or robot.properties.get("hand") == "none":
        raise Refused(f"There is nothing on the flange of {robot.name}.")
    database.set_properties(session.rows, robot, {"hand": "none"})
    return Done(f"the gripper of {robot.name} is off; `put-back {quoted(robot.name)}` mounts it again")


@command(
    "put-back {robot}",
    help="mount the gripper that belongs to a robot again, after `take-off`",
    effect="edits",
    robot=Ref("robot"),
    examples=["> create robot Puma puma560", "> take-off Puma", "put-back Puma"],
)
def put_back(session: Session, robot: Entity) -> Done:
    """A fitted tool stays in front of it: the robot uses the tool."""
    if robot.properties.get("hand") != "none":
        raise Refused(f"The gripper of {robot.name} was not taken off.")
    refuse_holding(session, robot)
    session.database.set_properties(session.rows, robot, {"hand": "own"})
    return Done(f"{robot.name} has its gripper again{weighed(session, robot)}")


def _no_tip(tool: Entity) -> str:
    """Return why the TCP of a tool is not known, and which commands set it."""
    missing = lacking(tool)
    if not missing:
        return f"The TCP of {tool.name!r} is not known; give `tcp POSE`."
    examples = NEEDS[how(tool.properties)]
    ways = " and ".join(f"`modify {quoted(tool.name)} {name} {examples[name]}`" for name in missing)
    named = " and ".join(f"`{name}`" for name in missing)
    return (
        f"The TCP of {tool.name!r} is not known, because {named} {'is' if len(missing) == 1 else 'are'} not set. "
        f"Set it, for example with {ways}, or give `tcp POSE`."
    )
