"""Robots from the library, from a file that the cell keeps, or from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.commands.kept_tools import keep_tool
from workcell.robots.hand import seat
from workcell.robots.robot import Robot
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.world.entities import Entity, Relation
from workcell.world.kept_files import BLOB
from workcell.world.names import legal_name
from workcell.world.robot_shape import robot_of_text

if TYPE_CHECKING:
    from workcell.commands.session import Session


def robot_text(robot: Robot) -> str:
    """Return the text of a robot file, with the shapes of the links, the gripper and the tool."""
    from workcell.robots.build import file_from_robot
    from workcell.robots.robot_file import write

    return write(file_from_robot(robot))


def given_robot(session: Session, model: str | Robot) -> tuple[str, Robot]:
    """Return the text to store for a robot, without its tool, and the robot; the journal keeps the whole file.

    Args:
        session: the session whose cell keeps the file.
        model: a name of the library, ``blob:…``, or a robot. The robot that is returned keeps its ``tool``.
    """
    from workcell.robots.catalogue import library_text

    database = session.database
    if isinstance(model, str) and model.startswith(BLOB):
        text = database.blob(model[len(BLOB) :]).decode()
    else:
        text = robot_text(model) if isinstance(model, Robot) else library_text(model)
        session.resolve(model=BLOB + database.keep_blob(text.encode()))
    robot = robot_of_text(text)
    return text if robot.tool is None else robot_text(robot.with_tool(None)), robot


def is_fitted(session: Session, relation: Relation) -> bool:
    """Whether a relation of a robot leads to the tool or gripper on its flange."""
    return relation.kind == "mount" and session.database.by_id(relation.child).kind in ("tool", "gripper")


def kept_seat(X_flange_seat: Pose) -> Transform:
    """Return the transformation that the relation to a tool stores for its seat."""
    return Transform() if X_flange_seat == Pose.identity() else Transform.exact(X_flange_seat)


def turn_fitted_tool(session: Session, entity: Entity, old: Robot, new: Robot) -> None:
    """Turn the tool on a flange whose z axis is reversed in the new arm, so that it points out of the arm again."""
    before, after = seat(old.gripper), seat(new.gripper)
    if before == after:
        return
    for relation in session.database.relations(entity):
        if is_fitted(session, relation):
            mounted = after @ before.inverse() @ Pose(relation.matrix)
            session.database.set_transform(session.rows, relation, kept_seat(mounted))


def fit_own_tool(session: Session, entity: Entity, robot: Robot) -> str:
    """Put the tool of a robot into the cell, on its flange; return its name, or '' if there is none.

    A tool that is already on the flange stays.
    """
    tool, database, rows = robot.tool, session.database, session.rows
    if tool is None or any(is_fitted(session, relation) for relation in database.relations(entity)):
        return ""
    kind = "tool" if tool.hand is None else "gripper"
    name = database.free_name(kind, legal_name(tool.name, "tool"))
    X_flange_mount, unmounted = tool.unmounted()
    made = keep_tool(session, name, unmounted)
    database.attach(rows, entity, made, database.free_relation_name(entity, name), kept_seat(X_flange_mount))
    return name
