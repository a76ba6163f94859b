"""What the signals of devices and sensors measure, so that people read them in their own units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.robots.gripper import Gripper
from workcell.world.gripper_names import opening_signal
from workcell.world.sensor_places import DISTANCE, ENCODER, WEIGHT
from workcell.world.station_places import next_signal

if TYPE_CHECKING:
    from workcell.world.inventory import Inventory


def signal_quantities(snapshot: Inventory) -> dict[str, str]:
    """The quantities of signals that have one: length, angle, speed, time or mass. All others are plain numbers."""
    found = dict.fromkeys(snapshot.conveyor_signals, "speed")
    robots = {placed.name: placed.robot for placed in snapshot.robots}
    for name, robot in robots.items():
        if isinstance(robot.gripper, Gripper):
            found[opening_signal(name)] = "length"
    for station in snapshot.stations:
        if next_signal(station.name) in station.signals:
            found[next_signal(station.name)] = "length" if station.spacing > 0.0 else "time"
    for sensor in snapshot.sensors:
        if sensor.senses == ENCODER and not sensor.problem:
            slides = robots[sensor.frame].rows[sensor.joint - 1].prismatic
            found[sensor.name] = "length" if slides else "angle"
        elif sensor.senses in _SENSED:
            found[sensor.name] = _SENSED[sensor.senses]
    return found


_SENSED = {DISTANCE: "length", WEIGHT: "mass"}
