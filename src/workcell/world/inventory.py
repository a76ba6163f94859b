"""What exists in a cell at one revision: bodies, robots, places and devices, found by their names."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from workcell.errors import Refused, UnknownName
from workcell.robots.gripper import Gripper
from workcell.robots.machine import Machine
from workcell.world.body import Body
from workcell.world.conveyors import is_conveyor, speed_signal
from workcell.world.fault_places import FaultPlace
from workcell.world.grasps import Grasp, Grasps
from workcell.world.gripper_names import gripper_signal, opening_signal
from workcell.world.identity import Value
from workcell.world.machine_places import MachinePlace, is_arm
from workcell.world.placed import PlacedMachine, PlacedRobot
from workcell.world.places import WORLD, Places
from workcell.world.sensor_places import SensorPlace
from workcell.world.setup import Setup
from workcell.world.state import CellState
from workcell.world.station_places import StationPlace
from workcell.world.zone_places import ZonePlace


@dataclass(frozen=True, eq=False)
class Inventory(Value):
    """What exists at one revision, and access to it by name."""

    revision: tuple[int, int]
    scene: str
    bodies: tuple[Body, ...]
    robots: tuple[PlacedRobot, ...]
    initial: CellState = field(default_factory=CellState)
    notes: tuple[str, ...] = ()
    """What could not be made or placed, and why."""
    places: Places = field(default_factory=Places)
    """The targets, frames and paths of the cell."""
    grasps: Grasps = field(default_factory=dict)
    """Where objects may be held, by the name of the body."""
    zones: tuple[ZonePlace, ...] = ()
    """The zones of the scene."""
    setup: Setup = field(default_factory=Setup)
    """How the cell is simulated: mode, watch, tested pairs, programs."""
    sensors: tuple[SensorPlace, ...] = ()
    """The sensors of the cell; those that are nowhere have a problem."""
    machines: tuple[MachinePlace, ...] = ()
    """The machines of the cell; those that cannot move have a problem."""
    stations: tuple[StationPlace, ...] = ()
    """The stations on conveyors; those that cannot work have a problem."""
    faults: tuple[FaultPlace, ...] = ()
    """The faults of the cell; faults of things that are not in the scene have a problem."""

    @cached_property
    def _index(self) -> dict[str, int]:
        return {body.name: place for place, body in enumerate(self.bodies)}

    @cached_property
    def gripper_signals(self) -> dict[str, float]:
        """See :func:`gripper_signals`; read-only."""
        found: dict[str, float] = {}
        for placed in self.robots:
            if placed.robot.gripper is not None:
                found[gripper_signal(placed.name)] = 0.0
            if isinstance(placed.robot.gripper, Gripper):
                found[opening_signal(placed.name)] = placed.robot.gripper.opening
        return found

    @cached_property
    def conveyor_signals(self) -> dict[str, float]:
        """The signals with the speeds of conveyors, with their values at the start; read-only."""
        return {speed_signal(placed.name): placed.runs for placed in self.robots if is_conveyor(placed.robot)}

    @cached_property
    def stop_signals(self) -> frozenset[str]:
        """The signals of stops."""
        return frozenset(one.signal for one in self.stations if one.signal)

    @cached_property
    def station_signals(self) -> dict[str, float]:
        """The signals of stations, with their values at the start; read-only."""
        return {name: value for one in self.stations if not one.problem for name, value in one.signals.items()}

    @cached_property
    def signal_quantities(self) -> dict[str, str]:
        """See :func:`signal_quantities`; read-only."""
        from workcell.world.signal_quantities import signal_quantities

        return signal_quantities(self)

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        """The bodies whose shape is not known, or not complete."""
        return tuple(body.name for body in self.bodies if body.unknown)

    @cached_property
    def movable(self) -> tuple[Body, ...]:
        """The bodies that a gripper may take and that something can touch."""
        return tuple(body for body in self.bodies if body.movable and body.link < 0 and body.touchable)

    def has(self, name: str) -> bool:
        """Whether there is a body with that name."""
        return name in self._index

    def body(self, name: str) -> Body:
        """The body with that name."""
        if name not in self._index:
            raise UnknownName.among("body", name, self._index)
        return self.bodies[self._index[name]]

    def robot(self, name: str) -> PlacedRobot:
        """The robot with that name."""
        for placed in self.robots:
            if placed.name == name:
                return placed
        raise UnknownName.among("robot", name, [placed.name for placed in self.robots])

    def machine(self, name: str) -> PlacedMachine:
        """The machine with that name.

        Raises:
            Refused: it cannot move, because a member is not in the scene or is endless.
        """
        for one in self.machines:
            if one.name == name:
                if one.problem:
                    raise Refused(one.problem, machine=name)
                return PlacedMachine(name, Machine(name, tuple((of, self.robot(of).robot) for of in one.members)))
        raise UnknownName.among("machine", name, [one.name for one in self.machines])

    def device(self, name: str) -> PlacedRobot | PlacedMachine:
        """The robot, mechanism or machine of that name."""
        is_machine = any(one.name == name for one in self.machines)
        return self.machine(name) if is_machine else self.robot(name)

    def members(self, name: str) -> tuple[str, ...]:
        """The robots and mechanisms that move under a name: those of a machine, or the one with that name."""
        return self.machine(name).robot.names if any(one.name == name for one in self.machines) else (name,)

    def machine_of(self, arm: str) -> PlacedMachine | None:
        """The machine that an arm belongs to, if any; a mechanism may be part of several."""
        for one in self.machines:
            if arm in one.members and not one.problem and is_arm(self.robot(arm).robot):
                return self.machine(one.name)
        return None

    def fault(self, name: str) -> FaultPlace:
        """The fault with that name."""
        for fault in self.faults:
            if fault.name == name:
                return fault
        raise UnknownName.among("fault", name, [fault.name for fault in self.faults])

    def sensor(self, name: str) -> SensorPlace:
        """The sensor with that name."""
        for sensor in self.sensors:
            if sensor.name == name:
                return sensor
        raise UnknownName.among("sensor", name, [sensor.name for sensor in self.sensors])

    def object_body(self, name: str) -> str:
        """The body of an object in the scene."""
        for body in self.bodies:
            if body.link < 0 and body.owner == name:
                return body.name
        raise Refused(f"{name!r} stands in no scene; `place {name} at …` first.")

    def grasp(self, part: str, name: str) -> Grasp:
        """A grasp of an object that a gripper may take."""
        known = self.grasps.get(self.object_body(part), ())
        for one in known:
            if one.name == name:
                return one
        if not known:
            raise Refused(f"{part} has no grasps; `attach grasp:NAME to {part} …` gives it one, if it is movable.")
        raise UnknownName.among(f"grasp of {part}", name, [one.name for one in known])

    def object_under(self, name: str, kind: str = "") -> str:
        """The name of the object that carries a target or frame; '' if it does not move."""
        spot = self.places.spot(name, kind)
        bodies = [way.frame for way in spot.ways if way.frame != WORLD and way.link < 0]
        return self.body(bodies[0]).owner if bodies else spot.missing

    def carrier_under(self, name: str, kind: str = "") -> str:
        """The name of the object, robot or mechanism that carries a target or frame; '' if it does not move."""
        devices = [way.frame for way in self.places.spot(name, kind).ways if way.link >= 0]
        return devices[0] if devices else self.object_under(name, kind)

    def path_body(self, name: str) -> str:
        """The name of the body that carries a path; '' if it is in the world, or on a link without a shape."""
        path = self.places.path(name)
        if path.link < 0:
            return "" if path.frame == WORLD else path.frame
        place = self.robot(path.frame).bodies[path.link]
        return self.bodies[place].name if place >= 0 else ""


def gripper_signals(snapshot: Inventory) -> dict[str, float]:
    """The signals of the grippers of a cell, with their values while all are open."""
    return snapshot.gripper_signals


def signals_of(snapshot: Inventory) -> dict[str, float]:
    """All signals of a cell: those that can be set, with their initial values, and those of its devices and sensors."""
    sensors = dict.fromkeys((sensor.name for sensor in snapshot.sensors), 0.0)
    return (
        gripper_signals(snapshot)
        | snapshot.conveyor_signals
        | snapshot.station_signals
        | sensors
        | dict(snapshot.initial.signals)
    )
