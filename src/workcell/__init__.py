"""Workcell: a robotic workcell simulator and off-line programming environment.

``import workcell as wc`` reaches what people use every day. Everything loads when it is first used, so that importing
the package costs nothing. ``contour``, ``events``, ``profiles`` and ``solids`` are modules.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from workcell.errors import WorkcellError
from workcell.spatial.units import deg, mm

if TYPE_CHECKING:
    from workcell.collision.bodies import collision_model
    from workcell.collision.certify import certify
    from workcell.collision.check import check
    from workcell.collision.clearance import clearance
    from workcell.collision.pairs import PairTable
    from workcell.collision.proof import Free
    from workcell.collision.proposals import confirmed, proposals
    from workcell.commands.cell import Cell
    from workcell.commands.coordinating import Welded
    from workcell.commands.language.program_reader import read_program
    from workcell.commands.path_finding import find_path
    from workcell.commands.several_robots import find_paths
    from workcell.geometry import contour, solids
    from workcell.geometry.solid import Solid
    from workcell.geometry.traces import edge_trace, face_traces
    from workcell.motion import profiles
    from workcell.motion.curve import HandCurve
    from workcell.motion.follow import follow
    from workcell.motion.limits import Limits
    from workcell.motion.path import JointPath
    from workcell.motion.pose_motion import PoseMotion
    from workcell.motion.targets import away, joined, tool_poses
    from workcell.motion.timing import time_optimal
    from workcell.pictures.camera import Camera
    from workcell.pictures.render import render
    from workcell.pictures.scene import Item, Scene
    from workcell.pictures.style import Style
    from workcell.planning.constraints import OnePart, OnLine, OnPlane, OnRound, OnSurface, Upright
    from workcell.planning.goals import AllGoals, AnyGoal, JointGoal, PoseGoal, RegionGoal, TargetGoal
    from workcell.planning.path_plan import PathPlan
    from workcell.planning.planners import register_planner
    from workcell.robots.catalogue import robot, robots
    from workcell.robots.controller import ControllerMap
    from workcell.robots.draft import RobotDraft
    from workcell.robots.gripper import Gripper
    from workcell.robots.link import Link, MassProperties, Part
    from workcell.robots.magnet import Magnet, Pole
    from workcell.robots.robot import Robot
    from workcell.robots.suction import Cup, Suction
    from workcell.robots.tool import Tool
    from workcell.robots.tool_catalogue import tool, tools
    from workcell.service.client import connect
    from workcell.simulation import events
    from workcell.simulation.animation import save_animation
    from workcell.simulation.comparison import first_difference
    from workcell.simulation.coordinated import coordinate, weld
    from workcell.simulation.cycle import cycles
    from workcell.simulation.event_text import text_of
    from workcell.simulation.film import save_recording_film
    from workcell.simulation.gantt import gantt
    from workcell.simulation.interpreter import Run
    from workcell.simulation.modes import MODES, Mode
    from workcell.simulation.programs import Enter, Leave, Program, Seen, run
    from workcell.simulation.recording import Recording
    from workcell.simulation.recording_file import RecordingFile, RecordingWriter
    from workcell.simulation.report import report
    from workcell.simulation.riding import ride
    from workcell.simulation.routines import Callback
    from workcell.simulation.simulated_robot import SimulatedRobot
    from workcell.simulation.simulator import Simulator
    from workcell.simulation.transitions import transitions
    from workcell.simulation.watching import Watch
    from workcell.simulation.zone_stays import stays
    from workcell.spatial.pose import Pose
    from workcell.spatial.transform import Transform
    from workcell.world.fault_places import FaultPlace

__version__ = "0.1.0"

_PLACES = {
    "workcell.collision.bodies": ("collision_model",),
    "workcell.collision.certify": ("certify",),
    "workcell.collision.check": ("check",),
    "workcell.collision.clearance": ("clearance",),
    "workcell.collision.pairs": ("PairTable",),
    "workcell.collision.proof": ("Free",),
    "workcell.collision.proposals": (
        "confirmed",
        "proposals",
    ),
    "workcell.commands.cell": ("Cell",),
    "workcell.commands.coordinating": ("Welded",),
    "workcell.commands.language.program_reader": ("read_program",),
    "workcell.commands.path_finding": ("find_path",),
    "workcell.commands.several_robots": ("find_paths",),
    "workcell.geometry": (
        "contour",
        "solids",
    ),
    "workcell.geometry.solid": ("Solid",),
    "workcell.geometry.traces": (
        "edge_trace",
        "face_traces",
    ),
    "workcell.motion": ("profiles",),
    "workcell.motion.curve": ("HandCurve",),
    "workcell.motion.follow": ("follow",),
    "workcell.motion.limits": ("Limits",),
    "workcell.motion.path": ("JointPath",),
    "workcell.motion.pose_motion": ("PoseMotion",),
    "workcell.motion.targets": (
        "away",
        "joined",
        "tool_poses",
    ),
    "workcell.motion.timing": ("time_optimal",),
    "workcell.pictures.camera": ("Camera",),
    "workcell.pictures.render": ("render",),
    "workcell.pictures.scene": (
        "Item",
        "Scene",
    ),
    "workcell.pictures.style": ("Style",),
    "workcell.planning.constraints": ("OnePart", "OnLine", "OnPlane", "OnRound", "OnSurface", "Upright"),
    "workcell.planning.goals": (
        "AllGoals",
        "AnyGoal",
        "JointGoal",
        "PoseGoal",
        "RegionGoal",
        "TargetGoal",
    ),
    "workcell.planning.path_plan": ("PathPlan",),
    "workcell.planning.planners": ("register_planner",),
    "workcell.robots.catalogue": (
        "robot",
        "robots",
    ),
    "workcell.robots.controller": ("ControllerMap",),
    "workcell.robots.draft": ("RobotDraft",),
    "workcell.robots.gripper": ("Gripper",),
    "workcell.robots.link": (
        "Link",
        "MassProperties",
        "Part",
    ),
    "workcell.robots.robot": ("Robot",),
    "workcell.robots.magnet": (
        "Magnet",
        "Pole",
    ),
    "workcell.robots.suction": (
        "Cup",
        "Suction",
    ),
    "workcell.robots.tool": ("Tool",),
    "workcell.robots.tool_catalogue": (
        "tool",
        "tools",
    ),
    "workcell.service.client": ("connect",),
    "workcell.simulation": ("events",),
    "workcell.simulation.animation": ("save_animation",),
    "workcell.simulation.comparison": ("first_difference",),
    "workcell.simulation.coordinated": (
        "coordinate",
        "weld",
    ),
    "workcell.simulation.cycle": ("cycles",),
    "workcell.simulation.event_text": ("text_of",),
    "workcell.simulation.film": ("save_recording_film",),
    "workcell.simulation.gantt": ("gantt",),
    "workcell.simulation.interpreter": ("Run",),
    "workcell.simulation.modes": (
        "MODES",
        "Mode",
    ),
    "workcell.simulation.programs": (
        "Enter",
        "Leave",
        "Program",
        "Seen",
        "run",
    ),
    "workcell.simulation.recording": ("Recording",),
    "workcell.simulation.recording_file": (
        "RecordingFile",
        "RecordingWriter",
    ),
    "workcell.simulation.report": ("report",),
    "workcell.simulation.riding": ("ride",),
    "workcell.simulation.routines": ("Callback",),
    "workcell.simulation.simulated_robot": ("SimulatedRobot",),
    "workcell.simulation.simulator": ("Simulator",),
    "workcell.simulation.transitions": ("transitions",),
    "workcell.simulation.watching": ("Watch",),
    "workcell.simulation.zone_stays": ("stays",),
    "workcell.spatial.pose": ("Pose",),
    "workcell.spatial.transform": ("Transform",),
    "workcell.world.fault_places": ("FaultPlace",),
}
_LAZY = {name: module for module, names in _PLACES.items() for name in names}
_MODULES = ("contour", "events", "profiles", "solids")

__all__ = [
    "MODES",
    "AllGoals",
    "AnyGoal",
    "Callback",
    "Camera",
    "Cell",
    "ControllerMap",
    "Cup",
    "Enter",
    "FaultPlace",
    "Free",
    "Gripper",
    "HandCurve",
    "Item",
    "JointGoal",
    "JointPath",
    "Leave",
    "Limits",
    "Link",
    "Magnet",
    "MassProperties",
    "Mode",
    "OnLine",
    "OnPlane",
    "OnRound",
    "OnSurface",
    "OnePart",
    "PairTable",
    "Part",
    "PathPlan",
    "Pole",
    "Pose",
    "PoseGoal",
    "PoseMotion",
    "Program",
    "Recording",
    "RecordingFile",
    "RecordingWriter",
    "RegionGoal",
    "Robot",
    "RobotDraft",
    "Run",
    "Scene",
    "Seen",
    "SimulatedRobot",
    "Simulator",
    "Solid",
    "Style",
    "Suction",
    "TargetGoal",
    "Tool",
    "Transform",
    "Upright",
    "Watch",
    "Welded",
    "WorkcellError",
    "away",
    "certify",
    "check",
    "clearance",
    "collision_model",
    "confirmed",
    "connect",
    "contour",
    "coordinate",
    "cycles",
    "deg",
    "edge_trace",
    "events",
    "face_traces",
    "find_path",
    "find_paths",
    "first_difference",
    "follow",
    "gantt",
    "joined",
    "mm",
    "profiles",
    "proposals",
    "read_program",
    "register_planner",
    "render",
    "report",
    "ride",
    "robot",
    "robots",
    "run",
    "save_animation",
    "save_recording_film",
    "solids",
    "stays",
    "text_of",
    "time_optimal",
    "tool",
    "tool_poses",
    "tools",
    "transitions",
    "weld",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'workcell' has no attribute {name!r}")
    place = _LAZY[name]
    value = (
        importlib.import_module(f"{place}.{name}")
        if name in _MODULES
        else getattr(importlib.import_module(place), name)
    )
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
