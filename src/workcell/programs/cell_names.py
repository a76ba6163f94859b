"""The names of a cell that programs can use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from workcell.programs import steps as s
from workcell.programs.program import Program
from workcell.world.inventory import gripper_signals
from workcell.world.placed import PlacedMachine, PlacedRobot
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState


@dataclass
class CellNames:
    """The names of a cell that programs can use.

    Args:
        snapshot: what exists.
        programs: the parameters of every program that can be called, by name.
        begins: where everything is when a run starts; None for the initial state.
    """

    snapshot: Snapshot
    programs: Mapping[str, Program]
    begins: CellState | None = None
    _kinds: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        found: dict[str, list[str]] = {}
        for placed in self.snapshot.robots:
            found.setdefault(placed.name, []).append("robot")
        for machine in self.snapshot.machines:
            found.setdefault(machine.name, []).append("machine")
        for body in self.snapshot.bodies:
            if body.link < 0:
                found.setdefault(body.owner, []).append("object")
        snapshot = self.snapshot
        sensors = (sensor.name for sensor in snapshot.sensors)
        fixed = (*sensors, *gripper_signals(snapshot), *snapshot.conveyor_signals, *snapshot.station_signals)
        for signal in (*snapshot.initial.signals, *fixed):
            found.setdefault(signal, []).append("signal")
        self.settable = [one for one in snapshot.initial.signals if one not in fixed]
        """The signals that a program may set: those that belong to no sensor and no device."""
        for kind, name in self.snapshot.places.spots:
            found.setdefault(name, []).append(kind)
        for path in self.snapshot.places.paths:
            found.setdefault(path, []).append("path")
        for grasps in self.snapshot.grasps.values():
            for grasp in grasps:
                found.setdefault(grasp.name, []).append("grasp")
        for zone in self.snapshot.zones:
            found.setdefault(zone.entity, []).append("zone")
        for fault in self.snapshot.faults:
            found.setdefault(fault.name, []).append("fault")
        for program in self.programs:
            found.setdefault(program, []).append("program")
        self._kinds = {name: tuple(dict.fromkeys(kinds)) for name, kinds in found.items()}
        self._is_one: dict[tuple[str, tuple[str, ...]], bool] = {}
        self.robots = {placed.name: placed for placed in self.snapshot.robots}
        whole = [one.name for one in self.snapshot.machines if not one.problem]
        self.devices: dict[str, PlacedRobot | PlacedMachine] = {
            **self.robots,
            **{name: self.snapshot.machine(name) for name in whole},
        }
        """The robots and mechanisms, and the machines that can move."""
        self.framed = _framed(self.programs)
        """Programs that are called with a frame or a tool set, so that their poses depend on the caller."""

    @cached_property
    def called(self) -> set[str]:
        """The programs that other programs call."""
        calling = [one for one in self.programs.values() if s.Call in one.kinds]
        return {step.program for one in calling for step in one.steps if isinstance(step, s.Call)}

    @property
    def start(self) -> CellState:
        """The state in which a run starts."""
        return self.snapshot.initial if self.begins is None else self.begins

    def kinds_of(self, name: str) -> tuple[str, ...]:
        """Return the kinds of entity that have this name; a mechanism counts as a robot."""
        return self._kinds.get(name, ())

    def is_one(self, name: str, kinds: tuple[str, ...]) -> bool:
        """Return whether something of one of these kinds has this name."""
        found = self._is_one.get((name, kinds))
        if found is None:
            found = self._is_one[name, kinds] = not set(kinds).isdisjoint(self.kinds_of(name))
        return found

    def joints_of(self, robot: str) -> int:
        """Return how many joints a robot has; 0 if there is no such robot."""
        return self.devices[robot].robot.n if robot in self.devices else 0

    def quantity_of(self, signal: str) -> str:
        """Return what a signal measures: length, angle and others; ``number`` if it is a plain number."""
        return self.snapshot.signal_quantities.get(signal, "number")

    def targets_of(self, path: str) -> int:
        """Return how many targets a path has."""
        return len(self.snapshot.places.path(path).poses)

    def known(self, kinds: tuple[str, ...]) -> list[str]:
        """Return all names of these kinds."""
        return [name for name, have in self._kinds.items() if set(have) & set(kinds)]


def _framed(programs: Mapping[str, Program]) -> set[str]:
    """Return the programs that a program with a frame or a tool of its own calls, directly or through others."""
    waiting = [one for one in programs.values() if one.kinds & {s.Frame, s.Tool}]
    found: set[str] = set()
    while waiting:
        for step in waiting.pop().steps:
            if isinstance(step, s.Call) and step.program in programs and step.program not in found:
                found.add(step.program)
                waiting.append(programs[step.program])
    return found
