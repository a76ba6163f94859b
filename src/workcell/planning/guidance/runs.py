"""A whole guided motion, step by step as a sampled control makes it: read, compute, command for one period."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.planning.guidance.constants import Constants
from workcell.planning.guidance.destinations import Destination, Foresight, Seen
from workcell.planning.guidance.links import LinkArm
from workcell.planning.guidance.measuring import Measuring
from workcell.planning.guidance.obstacles import Moving, Obstacle, Packed
from workcell.planning.guidance.progress import Progress
from workcell.planning.guidance.rates import Saturation
from workcell.planning.guidance.step import step

Array = NDArray[np.float64]
Outcome: TypeAlias = Literal["arrived", "stalled", "contact", "time over", "cancelled"]

LEAST_TOLERANCE = 0.02
"""How near the tip has to come at least; or as near as one step takes it."""
_MOST_STEPS = 1_000_000


@dataclass(frozen=True, eq=False)
class GuidedRun:
    """What became of a guided motion.

    Attributes:
        outcome: how it ended.
        times: of the states (k,).
        states: the parameters at these times (k, 3N+3).
        points: the end points at these times (k, N+1, 3).
        clearances: the least distance between a link and an obstacle at these times (k,).
        distance: how far the tip is from its destination at the end.
        turn: the angle between the last link and its attitude at the end [rad]; 0 where none was asked for.
        fastest: the greatest rate of a parameter.
        nearest: the link and the obstacle of the least clearance; (0, -1) where there is none.
        constants: of the guidance.
        period: between two steps.
    """

    outcome: Outcome
    times: Array
    states: Array
    points: Array
    clearances: Array
    distance: float
    turn: float
    fastest: float
    nearest: tuple[int, int]
    constants: Constants
    period: float

    @property
    def steps(self) -> int:
        """How many steps were made."""
        return len(self.times) - 1

    @property
    def clearance(self) -> float:
        """The least distance between a link and an obstacle on the whole way."""
        return float(self.clearances.min())

    @property
    def length(self) -> float:
        """The way of the tip."""
        return float(np.linalg.norm(np.diff(self.points[:, -1], axis=0), axis=1).sum())

    @property
    def sentence(self) -> str:
        """What became of it, for people."""
        time = float(self.times[-1])
        link, obstacle = self.nearest
        near = "" if obstacle < 0 else f"; the least clearance was {self.clearance:.4g}"
        if self.outcome == "arrived":
            return f"The tip arrived after {self.steps} steps, at {time:.4g}{near}."
        away = f"{self.distance:.4g} from its destination"
        if self.outcome == "contact":
            return f"Link {link} touched obstacle {obstacle + 1} after {self.steps} steps; the tip is {away}."
        why = {
            "stalled": "The tip makes no progress any more",
            "time over": f"The tip did not arrive within {time:.4g}",
            "cancelled": "The run was cancelled",
        }[self.outcome]
        return f"{why}: it is {away}{near}."


def guide_links(
    arm: LinkArm,
    start: ArrayLike,
    destination: ArrayLike | Destination | Seen,
    obstacles: Sequence[Obstacle | Moving] = (),
    constants: Constants | None = None,
    *,
    period: float = 0.05,
    time: float = 120.0,
    tolerance: float | None = None,
    turn_tolerance: float = 0.05,
    patience: float | None = None,
    speeds: ArrayLike | None = None,
    saturation: Saturation = "limit",
    measuring: Measuring | None = None,
    cancel: Callable[[], bool] | None = None,
) -> GuidedRun:
    """Return the motion of an arm of generalised links to a destination between obstacles.

    Args:
        arm: the arm.
        start: its parameters at the beginning (3N+3,).
        destination: a place (3,), a place with an attitude, or a function of time that is observed at every step.
        obstacles: what to keep away from; moving ones move on their own.
        constants: of the guidance; those of the listing by default.
        period: between two steps.
        time: give up after this time.
        tolerance: how near the tip has to come; 0.02 or as far as it moves in one period by default.
        turn_tolerance: how near the last link has to come to its attitude [rad].
        patience: how long there may be no progress before it is taken for a dead end; the time for 25 times the
            obstacles' reach at full speed by default.
        speeds: the greatest rate of each parameter, if actuators saturate.
        saturation: how.
        measuring: encoders and deflection, if they matter.
        cancel: asked at every step whether to end.
    """
    known = constants or Constants()
    x = arm.checked(start)
    _require_above_zero(period, "The period")
    _require_above_zero(time, "The time")
    if time / period > _MOST_STEPS:
        raise InvalidValue(f"A guided run has at most {_MOST_STEPS:,} steps; found {time / period:,.0f}.")
    near = max(LEAST_TOLERANCE, known.speed * period) if tolerance is None else tolerance
    _require_above_zero(near, "The tolerance")
    patient = 25.0 * known.reach / known.speed if patience is None else patience
    control = _Control(
        arm,
        _observed(destination),
        tuple(obstacles),
        known,
        speeds,
        saturation,
        measuring or Measuring(),
        Foresight() if callable(destination) else None,
        Progress(patient, 0.01 * known.reach),
        (near, turn_tolerance),
    )
    outcome: Outcome | None = None
    while outcome is None:
        now = len(control.kept) * period
        rates = control.compute(now, x)
        outcome = control.outcome
        if outcome is None and now > time:
            outcome = "time over"
        elif outcome is None and cancel is not None and cancel():
            outcome = "cancelled"
        elif outcome is None:
            control.fastest = max(control.fastest, float(np.abs(rates).max()))
            x = np.clip(x + period * rates, np.minimum(arm.low, x), np.maximum(arm.high, x))
    return control.run(outcome, period)


@dataclass
class _Control:
    """What computes between two commands: what it knows of the arm, the destination and the past."""

    arm: LinkArm
    seen: Seen
    obstacles: tuple[Obstacle | Moving, ...]
    constants: Constants
    speeds: ArrayLike | None
    saturation: Saturation
    measuring: Measuring
    foresight: Foresight | None
    progress: Progress
    tolerances: tuple[float, float]
    kept: list[tuple[float, Array, Array, float]] = field(default_factory=list)
    fastest: float = 0.0
    nearest: tuple[float, int, int] = (math.inf, 0, -1)
    away: tuple[float, float] = (math.inf, 0.0)
    outcome: Outcome | None = None
    packed: Packed = field(default_factory=lambda: Packed.of(()))

    def compute(self, now: float, x: Array) -> Array:
        """Return the rates for the period from now on, and note where the arm is and whether it goes on."""
        arm, known = self.arm, self.constants
        goal, true = self.seen(now), self.measuring.bent(arm, x)
        here = arm.end_points(true)
        packed = self._packed(now)
        aimed = _aimed(self.foresight, now, goal, here[-1], known)
        found = step(
            arm,
            self.measuring.read(x),
            aimed.position,
            packed,
            known,
            attitude=aimed.attitude,
            speeds=self.speeds,
            saturation=self.saturation,
        )
        close = found if true is x else step(arm, true, aimed.position, packed, known)
        self.kept.append((now, x, here, close.clearance))
        self.nearest = min(self.nearest, (close.clearance, close.link, close.obstacle))
        distance, turn = float(np.linalg.norm(goal.position - here[-1])), _turn(here, goal)
        self.away = distance, turn
        near, straight = self.tolerances
        if close.clearance <= 0.0:
            self.outcome = "contact"
        elif distance < near and turn <= straight:
            self.outcome = "arrived"
        elif self.progress.observe(now, distance + turn * known.reach) and self.foresight is None:
            self.outcome = "stalled"
        return found.rates

    def run(self, outcome: Outcome, period: float) -> GuidedRun:
        """Return all that was noted."""
        times, states, points, clearances = (np.array(column) for column in zip(*self.kept, strict=True))
        _, link, obstacle = self.nearest
        return GuidedRun(
            outcome,
            times,
            states,
            points,
            clearances,
            *self.away,
            self.fastest,
            (link, obstacle),
            self.constants,
            period,
        )

    def _packed(self, now: float) -> Packed:
        if not self.kept or any(isinstance(one, Moving) for one in self.obstacles):
            here = [one.at(now) if isinstance(one, Moving) else one for one in self.obstacles]
            self.packed = Packed.of(here)
        return self.packed


def _observed(destination: ArrayLike | Destination | Seen) -> Seen:
    if callable(destination):
        return destination
    if isinstance(destination, Destination):
        return lambda _time: destination
    fixed = Destination(np.asarray(destination, dtype=float))
    return lambda _time: fixed


def _aimed(foresight: Foresight | None, now: float, seen: Destination, tip: Array, constants: Constants) -> Destination:
    if foresight is None:
        return seen
    foresight.observe(now, seen)
    return foresight.meeting(tip, constants.speed)


def _turn(points: Array, goal: Destination) -> float:
    if goal.attitude is None:
        return 0.0
    last = points[-1] - points[-2]
    cosine = float(last @ goal.attitude) / float(np.linalg.norm(last))
    return math.acos(min(1.0, max(-1.0, cosine)))


def _require_above_zero(value: float, what: str) -> None:
    if not (isinstance(value, int | float) and math.isfinite(value) and value > 0.0):
        raise InvalidValue(f"{what} of a guided run is a number above zero; found {value!r}.")
