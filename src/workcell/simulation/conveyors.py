"""Conveyors that run on: up to a speed within the limits of the belt, and then for good.

A conveyor has a speed that it is to run at, kept in the state as the signal ``BELT/speed``. Its drive is a motion that
never ends; nobody waits for it. A hold, an override and a stop change the speed in the same way.
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
"""A speed beyond this makes no sense for a belt [m/s]: a number in the wrong unit."""
_STEP = 1.0
"""How far a belt goes between two frames of the recording at most [m]; between them it is straight."""


@dataclass(frozen=True)
class Ran:
    """What became of a new speed of a conveyor.

    Attributes:
        conveyor: which.
        asked: the speed that was asked for [m/s].
        speed: the speed that it runs at [m/s].
        delay: how long it takes until it has that speed [s].
        travel: how far the belt goes meanwhile [m].
        refused: why a held belt was not given its speed, where collisions are watched; '' where it was.
    """

    conveyor: str
    asked: float
    speed: float
    delay: float
    travel: float
    refused: str = ""

    @property
    def limited(self) -> bool:
        """Whether the belt cannot run as fast as was asked."""
        return self.asked != self.speed


class SimulatedConveyor:
    """A conveyor inside a simulator."""

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
        """The speed at which it runs, or runs up to [m/s]."""
        return set_speed(self._simulator, self.name)

    @property
    def travel(self) -> float:
        """How far the belt has gone: its joint value [m]."""
        return float(self._simulator.joints_of(self.name)[0])

    def run(self, speed: float, reached: bool = False) -> Ran:
        """Run on at a speed [m/s], whose sign is the direction, from now on.

        Args:
            speed: no more than the limit of the belt is run at; the answer and an event tell.
            reached: let time pass until the belt has that speed; a program among others yields ``delay`` instead.
        """
        simulator = self._simulator
        simulator.alone("run a conveyor")
        found = run(simulator, self._placed, speed)
        if reached:
            simulator.take(found.delay, "run a conveyor")
        return found

    def stop(self, reached: bool = False) -> Ran:
        """Come to rest as soon as the limits allow; with ``reached`` time passes until then."""
        return self.run(0.0, reached)


def required_conveyor(placed: PlacedRobot) -> PlacedRobot:
    """Refuse to run what is no conveyor."""
    require_conveyor(placed.name, placed.robot)
    return placed


def require_conveyor(name: str, robot: Robot) -> None:
    """Refuse to run what is no conveyor."""
    if not is_conveyor(robot):
        raise Refused(f"{name} is no conveyor and cannot run on; `add conveyor NAME LENGTH` makes one.", robot=name)


def required_speed(name: str, speed: float) -> float:
    """A speed that a belt can be asked for [m/s]."""
    speed = float(required_number(speed, f"The speed of conveyor {name!r}"))
    if not math.isfinite(speed) or abs(speed) > FASTEST:
        raise InvalidValue(
            f"The speed of conveyor {name!r} must be between -{FASTEST:g} and {FASTEST:g} m/s; found {speed:g} m/s.",
            speed=speed,
        )
    return speed


def require_no_runs(plant: Plant) -> None:
    """Refuse a mode whose clock stands while conveyors run."""
    runs = [one.name for one in plant.snapshot.robots if is_conveyor(one.robot) and set_speed(plant, one.name) != 0.0]
    if runs:
        raise Refused(
            f"{joined(runs)} {'runs' if len(runs) == 1 else 'run'}, and in the mode joint-by-joint the clock stands "
            f"while joints move; `stop-conveyor {runs[0]}` first.",
            conveyors=runs,
        )


def set_speed(plant: Plant, conveyor: str) -> float:
    """The speed at which a conveyor runs, or runs up to [m/s]."""
    signal = speed_signal(conveyor)
    return plant.signal_values.get(signal, plant.snapshot.conveyor_signals.get(signal, 0.0))


def run(simulator: Simulator, placed: PlacedRobot, speed: float) -> Ran:
    """Let a conveyor run at a speed from now on, no faster than its limit; zero stops it."""
    name, asked = placed.name, required_speed(placed.name, speed)
    if simulator.mode == "joint-by-joint":
        raise Refused("Conveyors run on while the clock never stands; `mode path` has such a clock.", robot=name)
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
    # Which parts go along is found when time passes; only then can be seen whether one of them would touch something.
    found = _to_speed(simulator, placed, drive, wanted * simulator.paces.get(name, 1.0), force=True)
    simulator.recorder.event(ConveyorRuns(simulator.now, name, wanted, asked, found.delay))
    if set_speed(simulator, name) != wanted:
        simulator.apply(Signalled(simulator.now, speed_signal(name), wanted))
    if simulator.faults is not None:
        simulator.faults.hold_stopped()
    return replace(found, asked=asked, speed=wanted)


def set_rate(plant: Plant, drive: Follow, rate: float, give_up: str = "", force: bool = False) -> Steered:
    """Let a conveyor run at a part of its speed; 0 holds it, and with a reason to give it up stops it for good."""
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
    """Bring a conveyor to rest as fast as its acceleration allows; it runs no more."""
    name = drive.name
    found = _to_speed(plant, plant.snapshot.robot(name), drive, 0.0, force=True, smooth=False)
    plant.recorder.event(RateChanged(plant.now, name, 0.0, found.delay, (found.travel,), off_path=True))
    plant.apply(Signalled(plant.now, speed_signal(name), 0.0))
    return Steered(name, found.delay, np.array([found.travel]))


def begin_running(simulator: Simulator) -> None:
    """Let the conveyors run that the state says do: as they were recorded last, else at their steady speeds."""
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
    """A time made longer to whole nanoseconds [s]."""
    return math.ceil(round(seconds * SECOND, 3)) / SECOND


def _limits(placed: PlacedRobot, smooth: bool) -> Limits:
    """What a belt may do; its jerk counts where it moves with limited jerk."""
    found = limits_of(placed.robot, math.inf)
    return Limits(found.speed, found.acceleration, found.jerk if smooth and placed.profile == "jerk" else None)


def _follow(plant: Plant, placed: PlacedRobot, motion: Trajectory, q: Array) -> Follow:
    """The drive of a motion that begins now: for good, or up to rest where its last speed is zero."""
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
    """The motion that a conveyor was recorded with last: since when, from when to now, and where it is now."""

    motion: Trajectory
    since: float
    begin: float
    end: float
    last: Array


def _recorded(simulator: Simulator, name: str) -> _Recorded | None:
    """The last motion of a conveyor in the recording, where that runs on from now."""
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
    """Whether the last thing that a recording knows of a conveyor is that it was given its speed at this instant."""
    for event in reversed(simulator.memory.events):
        if event.time < simulator.now:
            return False
        if isinstance(event, ConveyorRuns) and event.conveyor == name:
            return True
    return False
