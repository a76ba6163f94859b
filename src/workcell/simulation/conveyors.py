"""Conveyors: they reach a speed within the limits of the belt and then run until they are stopped.

The set speed of a conveyor is kept in the state as the signal ``BELT/speed``. Its drive is a motion without an
end; nothing waits for it. A hold, an override and a stop change the speed in the same way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue, Refused
from workcell.motion.limits import Limits
from workcell.motion.named_profiles import limits_of
from workcell.motion.running import running, runs_on, steady_from
from workcell.motion.trajectory import Trajectory
from workcell.simulation.drives import RUN, Follow
from workcell.simulation.events import ConveyorRuns, RateChanged, SteeringRefused
from workcell.simulation.happenings import Signalled
from workcell.simulation.instants import SECOND
from workcell.simulation.pieces import Exact
from workcell.simulation.planned import Planned
from workcell.simulation.required import required_number
from workcell.simulation.sampling import RESOLUTION
from workcell.simulation.steered import Steered
from workcell.wording import joined
from workcell.world.conveyors import is_conveyor, kept_speed, speed_signal

if TYPE_CHECKING:
    from workcell.robots.robot import Robot
    from workcell.simulation.plant import Plant
    from workcell.simulation.simulator import Simulator
    from workcell.world.placed import PlacedRobot

Array = NDArray[np.float64]

FASTEST = 100.0
"""A belt speed above this [m/s] must be a number in the wrong unit."""
_STEP = 1.0
"""The greatest travel between two frames of the recording [m]; between them the motion is linear."""


@dataclass(frozen=True)
class Ran:
    """The result of a new speed of a conveyor.

    Attributes:
        conveyor: the conveyor.
        asked: the speed that was requested [m/s].
        speed: the speed that it runs at [m/s].
        delay: the time until it has that speed [s].
        travel: how far the belt travels meanwhile [m].
        refused: why a held belt did not get its speed while collisions are watched; '' if it did.
    """

    conveyor: str
    asked: float
    speed: float
    delay: float
    travel: float
    refused: str = ""

    @property
    def limited(self) -> bool:
        """Whether the belt cannot run at the requested speed."""
        return self.asked != self.speed


class SimulatedConveyor:
    """A conveyor in a simulator."""

    def __init__(self, simulator: Simulator, placed: PlacedRobot) -> None:
        self._simulator, self._placed = simulator, required_conveyor(placed)

    @property
    def name(self) -> str:
        """Its name in the cell."""
        return self._placed.name

    @property
    def speed(self) -> float:
        """The speed of the belt now [m/s]; its sign is the direction."""
        return float(self._simulator.velocities_of(self.name)[0])

    @property
    def set_speed(self) -> float:
        """The speed that it runs at, or accelerates to [m/s]."""
        return set_speed(self._simulator, self.name)

    @property
    def travel(self) -> float:
        """How far the belt has travelled: its joint value [m]."""
        return float(self._simulator.joints_of(self.name)[0])

    def run(self, speed: float, reached: bool = False) -> Ran:
        """Run at a speed [m/s] from now on; its sign is the direction.

        Args:
            speed: the belt runs no faster than its limit; the answer and an event report that.
            reached: advance the time until the belt has that speed. A program beside others yields ``delay``
                instead.
        """
        simulator = self._simulator
        simulator.alone("run a conveyor")
        found = run(simulator, self._placed, speed)
        if reached:
            simulator.take(found.delay, "run a conveyor")
        return found

    def stop(self, reached: bool = False) -> Ran:
        """Come to rest as soon as the limits allow; with ``reached``, advance the time until then."""
        return self.run(0.0, reached)


def required_conveyor(placed: PlacedRobot) -> PlacedRobot:
    """Return a conveyor; another device is refused."""
    require_conveyor(placed.name, placed.robot)
    return placed


def require_conveyor(name: str, robot: Robot) -> None:
    """Refuse to run a device that is not a conveyor."""
    if not is_conveyor(robot):
        raise Refused(f"{name} is not a conveyor and cannot run; `add conveyor NAME LENGTH` makes one.", robot=name)


def required_speed(name: str, speed: float) -> float:
    """Return a speed for a belt [m/s]; one that is out of range is refused."""
    speed = float(required_number(speed, f"The speed of conveyor {name!r}"))
    if not math.isfinite(speed) or abs(speed) > FASTEST:
        raise InvalidValue(
            f"The speed of conveyor {name!r} must be between -{FASTEST:g} and {FASTEST:g} m/s; found {speed:g} m/s.",
            speed=speed,
        )
    return speed


def require_no_runs(plant: Plant) -> None:
    """Refuse a mode with a clock that stops while conveyors run."""
    runs = [one.name for one in plant.snapshot.robots if is_conveyor(one.robot) and set_speed(plant, one.name) != 0.0]
    if runs:
        raise Refused(
            f"{joined(runs)} {'runs' if len(runs) == 1 else 'run'}, and in the mode joint-by-joint the clock stops "
            f"while joints move; `stop-conveyor {runs[0]}` first.",
            conveyors=runs,
        )


def set_speed(plant: Plant, conveyor: str) -> float:
    """Return the speed that a conveyor runs at, or accelerates to [m/s]."""
    signal = speed_signal(conveyor)
    return plant.signal_values.get(signal, plant.snapshot.conveyor_signals.get(signal, 0.0))


def run(simulator: Simulator, placed: PlacedRobot, speed: float) -> Ran:
    """Run a conveyor at a speed from now on, no faster than its limit; zero stops it."""
    name, asked = placed.name, required_speed(placed.name, speed)
    if simulator.mode == "joint-by-joint":
        raise Refused("Conveyors need a clock that never stops; `mode path` has one.", robot=name)
    drive = simulator.drives.get(name)
    if drive is not None and not drive.runs:
        raise Refused(
            f"{name} moves its joint until {drive.end:.4f} s; run it after that, or `stop-motion {name}` first.",
            robot=name,
        )
    wanted = kept_speed(placed.robot, asked)
    if drive is None and wanted == 0.0:
        return Ran(name, asked, 0.0, 0.0, 0.0)
    if simulator.faults is not None and wanted != 0.0:
        simulator.faults.moving(name)
    # Which parts move along is found when time passes. Only then is it known whether one of them would touch something.
    found = _to_speed(simulator, placed, drive, wanted * simulator.paces.get(name, 1.0), force=True)
    simulator.recorder.event(ConveyorRuns(simulator.now, name, wanted, asked, found.delay))
    if set_speed(simulator, name) != wanted:
        simulator.apply(Signalled(simulator.now, speed_signal(name), wanted))
    if simulator.faults is not None:
        simulator.faults.hold_stopped()
    return replace(found, asked=asked, speed=wanted)


def set_rate(plant: Plant, drive: Follow, rate: float, give_up: str = "", force: bool = False) -> Steered:
    """Run a conveyor at a part of its speed; 0 holds it. With a reason to give up, it stops for good."""
    name = drive.name
    wanted = set_speed(plant, name) * rate
    found = _to_speed(plant, plant.snapshot.robot(name), drive, wanted, held=rate == 0.0 and not give_up, force=force)
    travel = np.array([found.travel])
    if found.refused:
        return Steered(name, 0.0, np.zeros(1), False, found.refused)
    plant.recorder.event(RateChanged(plant.now, name, rate, found.delay, (found.travel,)))
    if give_up:
        plant.apply(Signalled(plant.now, speed_signal(name), 0.0))
    return Steered(name, found.delay, travel)


def emergency_stop(plant: Plant, drive: Follow) -> Steered:
    """Bring a conveyor to rest as fast as its acceleration allows; it then stays stopped."""
    name = drive.name
    found = _to_speed(plant, plant.snapshot.robot(name), drive, 0.0, force=True, smooth=False)
    plant.recorder.event(RateChanged(plant.now, name, 0.0, found.delay, (found.travel,), off_path=True))
    plant.apply(Signalled(plant.now, speed_signal(name), 0.0))
    return Steered(name, found.delay, np.array([found.travel]))


def begin_running(simulator: Simulator) -> None:
    """Start the conveyors that run in the state: as they were last recorded, else at their steady speeds."""
    if simulator.mode == "joint-by-joint":
        return
    for placed in simulator.snapshot.robots:
        if not is_conveyor(placed.robot):
            continue
        name = placed.name
        speed, before = set_speed(simulator, name), _recorded(simulator, name)
        q, now = simulator.joints_of(name), np.array([[0.0], [speed], [0.0]])
        if before is not None and before.motion.coefficients[-1, 1, 0] == speed:
            follow = _follow(simulator, placed, before.motion, before.motion.start)
            follow.begin = follow.since = before.since
            follow.mark, follow.row, follow.started = before.end, before.last, before.begin
        else:
            if _just_set(simulator, name):
                now = np.zeros((3, 1)) if before is None else before.motion.present(simulator.now - before.since)
            follow = _follow(simulator, placed, running(q, now[1], now[2], [speed], _limits(placed, True)), q)
        if follow.rests > simulator.time:
            simulator.accept(None, follow, force=True)


# ---- inside -------------------------------------------------------------------------------------------


def _to_speed(
    plant: Plant,
    placed: PlacedRobot,
    drive: Follow | None,
    speed: float,
    *,
    held: bool = False,
    force: bool = False,
    smooth: bool = True,
) -> Ran:
    """Give a conveyor the drive that takes it from its present state to a speed."""
    name, now = placed.name, plant.now
    q, v, a = (plant.joints_of(name), np.zeros(1), np.zeros(1)) if drive is None else drive.present(now)
    motion = running(q, v, a, [speed], _limits(placed, smooth))
    follow = _follow(plant, placed, motion, q)
    if drive is None:
        follow.mark, follow.row = now, q
    else:
        fastest = np.abs(v)
        if isinstance(drive.motion, Trajectory):
            fastest = drive.motion.max_speed(0.0, max(drive.own(now), 0.0))
        follow.started = drive.started
        follow.peaks = fastest if drive.peaks is None else np.maximum(fastest, drive.peaks)
    if held:
        follow.rate = 0.0
    refused = plant.accept(drive, follow, force=force)
    if refused is not None:
        plant.recorder.event(SteeringRefused(now, name, "speed", refused.message))
        return Ran(name, speed, float(v[0]), 0.0, 0.0, refused.message)
    if follow.end <= plant.time:
        plant.at_once(follow)
    delay = _whole(steady_from(motion))
    low, high = motion.range(0.0, delay)
    return Ran(name, speed, speed, delay, float((high - low)[0]))


def _whole(seconds: float) -> float:
    """Return a time rounded up to whole nanoseconds [s]."""
    return math.ceil(round(seconds * SECOND, 3)) / SECOND


def _limits(placed: PlacedRobot, smooth: bool) -> Limits:
    """Return the limits of a belt; its jerk counts if it moves with limited jerk."""
    found = limits_of(placed.robot, math.inf)
    return Limits(found.speed, found.acceleration, found.jerk if smooth and placed.profile == "jerk" else None)


def _follow(plant: Plant, placed: PlacedRobot, motion: Trajectory, q: Array) -> Follow:
    """Return the drive of a motion that begins now: endless, or until rest if its last speed is zero."""
    rests = motion.coefficients[-1, 1, 0] == 0.0
    made = motion
    if rests:
        made = motion.part(0.0, _whole(steady_from(motion)))
    planned = Planned(placed.name, made, q, made.end, _STEP, RESOLUTION, RUN, placed.profile, "its speed")
    follow = plant.new_drive(planned)
    follow.motion, follow.recorded, follow.started = motion, True, plant.now
    return follow


@dataclass(frozen=True)
class _Recorded:
    """The last recorded motion of a conveyor: its start, its span until now, and the present position."""

    motion: Trajectory
    since: float
    begin: float
    end: float
    last: Array


def _recorded(simulator: Simulator, name: str) -> _Recorded | None:
    """Return the last motion of a conveyor in the recording, if it continues now."""
    recording, now = simulator.memory, simulator.now
    if name not in recording.robots:
        return None
    piece = recording.way(name).pieces[-1]
    if not isinstance(piece, Exact) or not isinstance(piece.motion, Trajectory) or not runs_on(piece.motion):
        return None
    if piece.end != now or not np.array_equal(piece.last, simulator.joints_of(name)):
        return None
    return _Recorded(piece.motion, piece.since, piece.begin, piece.end, piece.last)


def _just_set(simulator: Simulator, name: str) -> bool:
    """Return whether the last record of a conveyor is that it was given its speed at this instant."""
    for event in reversed(simulator.memory.events):
        if event.time < simulator.now:
            return False
        if isinstance(event, ConveyorRuns) and event.conveyor == name:
            return True
    return False
