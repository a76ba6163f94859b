"""Robots that follow their models: what is said about them, and those that follow at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.results import with_note
from workcell.errors import WorkcellError
from workcell.spatial.units import Units

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.robots.robot import Robot
    from workcell.simulation.robot_driver import Deviation, Introduced

CLOSE = 1e-6
"""What limits may differ by and still be the same [rad or m]."""


def model_doubts(name: str, robot: Robot, introduced: Introduced, units: Units) -> list[str]:
    """Return the lines on how a real robot seems to differ from its model."""
    doubts = []
    if introduced.model and introduced.model != robot.name:
        doubts.append(f"note: the robot calls itself {introduced.model}; the model of {name} is {robot.name}")
    if introduced.limits is not None:
        pairs = zip(robot.rows, robot.limits, introduced.limits, strict=True)
        for joint, (row, own, found) in enumerate(pairs, 1):
            if found[0] > own[0] + CLOSE or found[1] < own[1] - CLOSE:
                kind = "length" if row.prismatic else "angle"
                low, high, least, most = (_shown(units, float(v), kind) for v in (*found, *own))
                doubts.append(
                    f"note: joint {joint} of the robot goes from {low} to {high}; that of {name} from {least} to {most}"
                )
    return doubts


def driven_text(name: str, robot: Robot, found: Deviation, units: Units) -> str:
    """Return how far a robot was from its model, as a line."""

    def shown(joint: int, value: float) -> str:
        return _shown(units, value, "length" if robot.rows[joint - 1].prismatic else "angle")

    late = f", {found.took:.3f} s on the robot" if abs(found.took - found.duration) > 0.05 * found.duration else ""
    return (
        f"{name}: {found.duration:.3f} s sent{late}; the greatest deviation is {shown(found.joint, found.joint_most)} "
        f"of joint {found.joint} at {found.joint_time:.3f} s, and {_shown(units, found.hand_most, 'length')} of the "
        f"hand at {found.hand_time:.3f} s; it stands {shown(found.end_joint, found.end_most)} from its model (joint "
        f"{found.end_joint})"
    )


def followed_live(session: Session, result: Any) -> Any:
    """Let the robots that follow at once make what their models just made; return the answer with what came of it."""
    for number, link in session.robot_links.items():
        if not link.live:
            continue
        link.name = session.database.by_id(number).name  # it may have been renamed
        recording = session.simulator.recording
        if not link.has_moved(recording):
            continue
        robot = session.snapshot().robot(link.name).robot
        try:
            note = driven_text(link.name, robot, link.drive(robot, recording, session.cancel), session.units)
        except WorkcellError as error:
            note = f"The robot of {link.name} did not follow: {error}"
        result = with_note(result, note)
    return result


def _shown(units: Units, value: float, kind: str) -> str:
    """Return a value in the unit of the cell, with four digits."""
    size = units.size(kind, "")
    return units.show(float(f"{value / size:.4g}") * size, kind)
