"""Robots with the tool that is fitted to their flange, as values that a robot file can hold."""

from __future__ import annotations

import dataclasses

import numpy as np

from workcell.robots.link import MassProperties, Part
from workcell.robots.robot import Robot
from workcell.robots.tool import Tool
from workcell.spatial.pose import Pose
from workcell.world.database import Database
from workcell.world.entities import Entity, Relation
from workcell.world.expand import Expander, colour_of
from workcell.world.fitting import fitted
from workcell.world.hands import hand_of, lacks, times_of
from workcell.world.weighing import matter_of


def with_own_hand(entity: Entity, robot: Robot) -> Robot:
    """The robot with the hand that it comes with, with the times that its properties state; none where they say so.

    Its tool frame is at the flange, or at the grip point of that hand.
    """
    own = robot.gripper
    if own is None:
        return robot
    if entity.properties.get("hand") == "none":
        return robot.replace(gripper=None)
    times = times_of(entity.properties)
    if times:
        robot = robot.replace(gripper=dataclasses.replace(own, **times))
    if entity.properties.get("tool_point") == "grip":
        robot = robot.replace(chain=robot.chain.with_tool(own.X_flange_grip))
    return robot


def robot_with_tool(database: Database, entity: Entity) -> tuple[Robot, tuple[str, ...]]:
    """A robot of the cell with the tool on its flange, and sentences about what the value leaves out."""
    expander = Expander(database)
    robot, notes = with_own_hand(entity, expander.robot(entity)), []
    stated = entity.properties.get("gripper_mass")
    if robot.gripper is not None and stated is not None:
        robot = robot.replace(gripper=dataclasses.replace(robot.gripper, mass=float(stated)))
    for relation in fitted(database, entity):
        tool = database.by_id(relation.child)
        if "tcp" not in tool.properties:
            return robot, (f"{tool.name} has no tcp, so it is left out",)
        made = _tool(database, expander, relation, tool)
        if not robot.chain.X_n_tool.is_close(Pose.identity()):
            notes.append("its own tool frame is left out, since a file holds one")
        if made.hand is not None and robot.gripper is not None:
            notes.append(f"its own {robot.gripper.name} is left out, since a file holds one hand")
        if why := lacks(tool, entity.name):
            notes.append(f"{tool.name} is written as a tool without a hand. {why}")
        return robot.with_tool(made), tuple(notes)
    return robot, ()


def _tool(database: Database, expander: Expander, relation: Relation, tool: Entity) -> Tool:
    """The tool of a relation, in the flange frame."""
    X_flange_mount, tcp = Pose(relation.matrix), np.eye(4)
    tcp[:3] = np.reshape(tool.properties["tcp"], (3, 4))
    parts = tuple(
        Part(solid, colour_of(database, one.colour), one.block.name, ghost=one.ghost, transparency=one.transparency)
        for one, solid in expander.solids(tool, relation.matrix)
    )
    mass = _mass(database, expander, relation, tool)
    return Tool(tool.name, X_flange_mount @ Pose(tcp), mass, parts, hand_of(tool, X_flange_mount))


def _mass(database: Database, expander: Expander, relation: Relation, tool: Entity) -> MassProperties | None:
    """What the tool weighs, as stated or by the densities of its blocks; None where neither is known."""
    matter = matter_of(database, expander, tool, relation.matrix)
    found, unknown = matter.weighed
    if found is not None and not unknown:
        return MassProperties(found.mass, found.centroid, found.inertia)
    return None if matter.mass is None else MassProperties(matter.mass)
