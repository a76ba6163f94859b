"""Commands on mechanisms and tools: add rail, add positioner, add conveyor, fit tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.model import put_in_scene
from workcell.commands.references import Ref
from workcell.commands.registry import command
from workcell.commands.results import Done, Made
from workcell.commands.robot_building import keep_robot
from workcell.commands.values import NewName, Number, PoseValue
from workcell.errors import Refused
from workcell.spatial.transform import Transform
from workcell.world.entities import Entity
from workcell.world.expand import is_robot

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.robots.mechanism import Mechanism

_LENGTH = Number("length", positive=True)


def _add(session: Session, mechanism: Mechanism, pose: Transform) -> Made:
    from workcell.robots.serial import as_robot

    made = keep_robot(session, "mechanism", mechanism.name, as_robot(mechanism))
    put_in_scene(session, session.database.entity("mechanism", mechanism.name), pose)
    return made


@command(
    "add rail {name} {length} [at {pose}]",
    help="put a linear track into the scene; robots can be mounted on its carriage",
    effect="edits",
    name=NewName(),
    length=_LENGTH,
    pose=PoseValue(),
    examples=["add rail track 3000", "> create robot Puma puma560", "> mount Puma on track"],
)
def add_rail(session: Session, name: str, length: float, pose: Transform = Transform()) -> Made:
    """One sliding joint along x."""
    from workcell.robots.mechanism import rail

    return _add(session, rail(length, name), pose)


@command(
    "add positioner {name} [at {pose}]",
    help="put a tilting turntable into the scene; parts can be attached to its plate",
    effect="edits",
    name=NewName(),
    pose=PoseValue(),
    examples=["add positioner turntable at 1200,0,0", "> move-joints-absolute turntable 30,90"],
)
def add_positioner(session: Session, name: str, pose: Transform = Transform()) -> Made:
    """Two turning joints: tilt about x, turn about the plate."""
    from workcell.robots.mechanism import positioner

    return _add(session, positioner(name), pose)


@command(
    "add conveyor {name} {length} [at {pose}]",
    help="put a belt into the scene; what lies on it can ride along",
    effect="edits",
    name=NewName(),
    length=_LENGTH,
    pose=PoseValue(),
    examples=["add conveyor belt 2000 at 0,800,0"],
)
def add_conveyor(session: Session, name: str, length: float, pose: Transform = Transform()) -> Made:
    """One sliding joint along x that runs on."""
    from workcell.robots.mechanism import conveyor

    return _add(session, conveyor(length, name), pose)


@command(
    "fit tool {tool} to {robot} [tcp {pose}]",
    help="bolt a tool to a robot's flange; its tip becomes the robot's tool frame",
    effect="edits",
    tool=Ref("tool", "gripper"),
    robot=Ref("robot"),
    pose=PoseValue(),
    param_help={"pose": "the tip in the flange frame; the tool's own unless given"},
    examples=["> create robot Puma puma560", "> create tool torch", "fit tool torch to Puma tcp 0,0,120 rotate 0,30,0"],
)
def fit_tool(session: Session, tool: Entity, robot: Entity, pose: Transform | None = None) -> Done:
    """Only one tool at a time; `detach` takes it off."""
    database = session.database
    if not is_robot(robot):
        raise Refused(f"Robot {robot.name!r} is not finished; `finish robot` first.")
    for relation in database.relations(robot):
        if relation.kind == "mount" and database.by_id(relation.child).kind in ("tool", "gripper"):
            raise Refused(f"{robot.name} has a tool already; `detach {robot.name}/{relation.name}` takes it off.")
    if pose is not None:
        database.set_properties(session.rows, tool, {"tcp": list(pose.rows())})
    elif "tcp" not in tool.properties:
        raise Refused(f"The tip of {tool.name!r} is not known; give `tcp POSE`.")
    database.attach(session.rows, robot, tool, database.free_relation_name(robot, tool.name))
    return Done(f"{tool.name} is on the flange of {robot.name}")
