"""What names and functions mean in the expressions of a program, before it runs and while it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workcell.errors import UnknownName
from workcell.programs.evaluate import JointValues, Value
from workcell.programs.functions import numbered
from workcell.programs.measures import DIMENSIONS, Measure
from workcell.programs.wants import Wants
from workcell.spatial.pose import Pose
from workcell.spatial.units import Units
from workcell.world.thing_poses import thing_pose

if TYPE_CHECKING:
    from workcell.simulation.simulator import Simulator
    from workcell.simulation.threads import Frame

MOVING = ("time", "joints", "joint", "tool", "target", "pose", "grasp")
"""Functions whose value changes with time."""
TRUTH = Wants("truth")


class StartScope:
    """What names mean before a run: signals, targets and frames of a simulator."""

    def __init__(self, simulator: Simulator, units: Units) -> None:
        self._simulator = simulator
        self._variables: Mapping[str, Value] = {}
        self.units = units

    def named(self, name: str, kind: str = "") -> Value:
        """Return a variable, a signal, or a target or frame."""
        if not kind and name in self._variables:
            return self._variables[name]
        simulator = self._simulator
        if kind in ("", "signal") and (name in simulator.signal_values or name in simulator.signals):
            return _signal(simulator, name)
        places = simulator.snapshot.places
        if any((one, name) in places.spots for one in ([kind] if kind else ["target", "frame"])):
            return simulator.snapshot.place_pose(simulator.state, name, kind)
        known = [*self._variables, *simulator.signals, *(spot for _, spot in places.spots)]
        raise UnknownName.among("variable, signal or target", name, known)

    def place_named(self, name: str, kind: str = "") -> str:
        """Return the target that a name stands for here; '' if it is something else."""
        if kind not in ("", "target") or (not kind and name in self._variables):
            return ""
        return name if ("target", name) in self._simulator.snapshot.places.spots else ""

    def slides(self, robot: str) -> Sequence[bool]:
        """Return for each joint of a robot whether it slides."""
        return tuple(row.prismatic for row in self._simulator.snapshot.device(robot).robot.rows)

    def asked(self, function: str, arguments: Sequence[Any]) -> Value:
        """Return the answer of a function about the state."""
        return _ASKED[function](self._simulator, *arguments)


class FrameScope(StartScope):
    """What names mean in a frame: its variables first."""

    def __init__(self, simulator: Simulator, frame: Frame) -> None:
        super().__init__(simulator, frame.program.units)
        self._variables = frame.variables
        self._frame = frame

    def place_named(self, name: str, kind: str = "") -> str:
        """Return the target that a name stands for here, also through the variable of a loop over a path; else ''.

        A variable that was given another pose, or whose target has moved since, stands for none.
        """
        if kind or name not in self._variables:
            return super().place_named(name, kind)
        snapshot, state, value = self._simulator.snapshot, self._simulator.state, self._variables[name]
        if not isinstance(value, Pose):
            return ""
        for target in self._frame.loop_targets(name, snapshot):
            spot = snapshot.places.spot(target, "target")
            plain = not spot.axes and spot.learned is None  # its pose changes nothing, so it need not be known
            if not plain and value.is_close(snapshot.place_pose(state, target, "target"), 1e-9, 1e-9):
                return target
        return ""


def _signal(simulator: Simulator, name: str) -> Measure:
    quantity = simulator.snapshot.signal_quantities.get(name, "number")
    return Measure(simulator.signal(name), reads=DIMENSIONS[quantity])


def _joint(simulator: Simulator, robot: str, number: float) -> Value:
    values = simulator.device(robot).joints
    place = numbered(number, len(values), "joint")
    slides = simulator.snapshot.device(robot).robot.rows[place].prismatic
    return Measure(float(values[place]), DIMENSIONS["length" if slides else "angle"])


def _target(simulator: Simulator, path: str, number: float) -> Value:
    poses = simulator.snapshot.path_poses(simulator.state, path)
    return poses[numbered(number, len(poses), "target")]


def _pose(simulator: Simulator, thing: str) -> Value:
    kind, colon, name = thing.partition(":")
    return thing_pose(simulator.snapshot, simulator.state, name if colon else thing, kind if colon else "")


def _length(value: float) -> Measure:
    return Measure(float(value), DIMENSIONS["length"])


_ASKED: dict[str, Callable[..., Value]] = {
    "time": lambda sim: Measure(sim.time, DIMENSIONS["time"]),
    "signal": _signal,
    "joints": lambda sim, robot: JointValues(tuple(sim.device(robot).joints.tolist())),
    "joint": _joint,
    "tool": lambda sim, robot: sim.snapshot.tool_pose(sim.believed, robot),
    "holds": lambda sim, robot: sim.robot(robot).holds,
    "count": lambda sim, path: Measure(float(len(sim.snapshot.places.path(path).poses))),
    "target": _target,
    "pose": _pose,
    "grasp": lambda sim, part, name: sim.snapshot.grasp_pose(sim.state, part, name),
    "x": lambda _, pose: _length(pose.xyz[0]),
    "y": lambda _, pose: _length(pose.xyz[1]),
    "z": lambda _, pose: _length(pose.xyz[2]),
    "distance": lambda _, one, other: _length(one.distance(other)[0]),
}
