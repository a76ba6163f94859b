"""Motions from data: a table of joint values over time, or a function of time for one joint."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import FileProblem, InvalidValue
from workcell.motion.formula import formula
from workcell.motion.table import from_function, read_table
from workcell.motion.trajectory import Trajectory
from workcell.robots.robot import Robot
from workcell.spatial.units import SI, Units

if TYPE_CHECKING:
    from workcell.simulation.simulated_robot import SimulatedRobot

_UNITS = {"radians": SI, "degrees": Units(length="mm", angle="deg")}


def table_motion(
    data: bytes, file: str, robot: SimulatedRobot, joint: int | None, units: str, between: str
) -> Trajectory:
    """Return the motion of a table, for all joints of a robot or for one of them.

    Args:
        data: the bytes of the table: lines of a time [s] and joint values. Headings may name other units.
        file: its name in messages.
        robot: the robot that follows it.
        joint: the joint that it moves, counted from 1; by default, all.
        units: of values whose heading names none: ``radians`` (and metres) or ``degrees`` (and millimetres).
        between: the interpolation between rows: ``cubic`` or ``linear``.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileProblem(f"The table {file} is not text: {error.reason} at byte {error.start}.") from error
    lines = _own_columns(text.replace("\r", "\n").split("\n"), robot.name, robot.robot.n)
    kinds = ["length" if row.prismatic else "angle" for row in robot.robot.rows]
    wanted = kinds if joint is None else [kinds[_joint(robot.robot, joint)]]
    table = read_table(lines, between, quantities=wanted, units=_UNITS[units])
    return _whole(table, robot.robot, robot.joints, joint)


def function_motion(function: str, robot: SimulatedRobot, joint: int, duration: float, units: str) -> Trajectory:
    """Return the motion of one joint by a function of time, added to its present value.

    Args:
        function: a function of t [s], 0 at t = 0.
        robot: the robot that follows it.
        joint: the joint, counted from 1.
        duration: the duration [s].
        units: the units of the function: ``degrees`` (and millimetres) or ``radians`` (and metres).
    """
    place = _joint(robot.robot, joint)
    size = _UNITS[units].size("length" if robot.robot.rows[place].prismatic else "angle", "")
    value, q = formula(function), robot.joints

    def joints(t: float) -> NDArray[np.float64]:
        out = q.copy()
        out[place] += size * value(t)
        return out

    if abs(value(0.0)) * size > 1e-9:
        raise InvalidValue(f"{function!r} is {value(0.0):g} at t = 0; it must be 0, so that the joint does not jump.")
    return from_function(joints, duration)


def _own_columns(lines: list[str], robot: str, n: int) -> list[str]:
    """Return the time and the joints of one robot if the headings name them; else all lines."""
    written = next(csv.reader(lines[:1]), [])
    headings = [heading.partition(" [")[0] for heading in written]  # without their units
    wanted = [f"{robot}.{joint + 1}" for joint in range(n)]
    if not set(wanted) <= set(headings):
        return lines
    places = [0, *(headings.index(one) for one in wanted)]
    rows = (row for row in csv.reader(lines[1:]) if len(row) == len(headings))
    return [",".join(row[place] for place in places) for row in (written, *rows)]


def _joint(robot: Robot, joint: int) -> int:
    if not 1 <= joint <= robot.n:
        raise InvalidValue(f"{robot.name} has joints 1 to {robot.n}; found {joint}.")
    return joint - 1


def _whole(table: Trajectory, robot: Robot, q: NDArray[np.float64], joint: int | None) -> Trajectory:
    """Return the motion of all joints: that of the table, or one joint by the table and the others at rest."""
    if joint is None:
        if table.n != robot.n:
            raise InvalidValue(
                f"{robot.name} has {robot.n} joints; the table has {table.n} columns after the time. For one joint "
                f"give `joint N`."
            )
        return table
    place = _joint(robot, joint)
    if table.n != 1:
        raise InvalidValue(f"A table for one joint has a time and one value in each line; found {table.n} values.")
    coefficients = np.zeros((table.pieces, table.degree + 1, robot.n))
    coefficients[:, 0] = q
    coefficients[:, :, place] = table.coefficients[:, :, 0]
    return Trajectory(table.breaks, coefficients)
