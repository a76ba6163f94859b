"""Robots that are given by a name of the library, by a file kept in the cell, or as a value made in Python."""

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
    """The text of a robot's file, with the shapes of its links, its gripper and its tool."""
    from workcell.robots.build import file_from_robot
    from workcell.robots.robot_file import write

    return write(file_from_robot(robot))


def given_robot(session: Session, model: str | Robot) -> tuple[str, Robot]:
    """The text to keep for a robot and the robot that it describes, bare of a tool; the journal keeps the whole file.

    Args:
        session: whose cell keeps the file.
        model: a name of the library, ``blob:…``, or a robot. The ``tool`` of the robot stays in the answer.
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
    """Whether a relation of a robot is that to the tool or gripper on its flange."""
    return relation.kind == "mount" and session.database.by_id(relation.child).kind in ("tool", "gripper")


def kept_seat(X_flange_seat: Pose) -> Transform:
    """What the relation to a tool keeps of where the tool is bolted to."""
    return Transform() if X_flange_seat == Pose.identity() else Transform.exact(X_flange_seat)


def turn_fitted_tool(session: Session, entity: Entity, old: Robot, new: Robot) -> None:
    """Mount the tool of a robot out of the arm again where the z axis of the new arm's flange points the other way."""
    before, after = seat(old.gripper), seat(new.gripper)
    if before == after:
        return
    for relation in session.database.relations(entity):
        if is_fitted(session, relation):
            mounted = after @ before.inverse() @ Pose(relation.matrix)
            session.database.set_transform(session.rows, relation, kept_seat(mounted))


def fit_own_tool(session: Session, entity: Entity, robot: Robot) -> str:
    """Make the tool that a robot was given a tool of the cell, on its flange; returns its name, or nothing.

    A tool that is there already stays in its place.
    """
    tool, database, rows = robot.tool, session.database, session.rows
    if tool is None or any(is_fitted(session, relation) for relation in database.relations(entity)):
        return ""
    kind = "tool" if tool.hand is None else "gripper"
    name = database.free_name(kind, legal_name(tool.name, "tool"))
    made = keep_tool(session, name, tool)
    database.attach(rows, entity, made, database.free_relation_name(entity, name))
    return name
