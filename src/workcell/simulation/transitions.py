"""When sensors change while things move: instants on the exact motion, not at samples.

For every probe of a sensor (see :mod:`workcell.collision.probes`), an interval of time is settled if nothing that
counts can move far enough to change its answer. Other intervals are halved, down to a microsecond. If the answers
at both ends of such an interval differ, the change is located further, at the first whole nanosecond with the new
answer, so that it does not depend on where the search began. So even a part of one millimetre is seen by a beam. What
happens twice within a microsecond is not seen. Encoders are settled by the bounds of their joint's polynomials.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.collision.moving import Motions, Moving
from workcell.collision.probe_codes import ALWAYS, AT_TIMES
from workcell.collision.probes import Asked, Probes
from workcell.errors import InvalidValue, TooCostly
from workcell.motion.pose_motion import PoseMotion
from workcell.simulation.instants import SECOND
from workcell.simulation.sensors import Reading, answered, counted, reading
from workcell.world.sensor_places import CONTACT, ENCODER, WEIGHT, SensorPlace

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.world.state import CellState

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

FINEST = 1e-6
"""Intervals shorter than this are not halved further [s]."""
_APART = 4.5e-9
"""Changes of a sensor's answers that are nearer than this are one change [s]."""
_FIRST = 8
"""The number of intervals into which a motion is cut first."""
_WORK = 16_000
"""After this many tests for one probe, long rows of open intervals are not cut below a millisecond."""
_LONG = 64
"""How many intervals make a long row, such as for a beam that grazes a face."""
_COARSE = 1e-3
_MOST_STEPS = 1_000_000
"""The greatest number of encoder steps of one motion."""


@dataclass(frozen=True)
class Transition:
    """A change of a sensor: when after the start of the motion [s], and what it reads from then on.

    Attributes:
        time: the time after the start of the motion [s]; it then reads the new value.
        sensor: its name.
        value: the new value.
        bodies: what a camera sees from then on.
    """

    time: float
    sensor: str
    value: float
    bodies: tuple[str, ...] = ()


def transitions(
    sensors: Sequence[SensorPlace],
    model: CollisionModel,
    state: CellState,
    motions: Motions,
    duration: float | None = None,
) -> list[Transition]:
    """Return every change of sensors over motions that start together from a state, in the order of time.

    Args:
        sensors: the sensors; those with a problem have no changes.
        model: the bodies.
        state: where everything is at the start, and what carries what; attached bodies move along.
        motions: what moves, by the name of the robot or body.
        duration: the duration of the search [s]; by default, until the last motion is over.
    """
    if not motions:
        return []
    moving = Moving(model, state, motions)
    until = moving.duration if duration is None else min(float(duration), moving.duration)
    if not math.isfinite(until):
        raise InvalidValue(f"The duration of a search must be a finite number of seconds; found {duration}.")
    sound = [sensor for sensor in sensors if not sensor.problem]
    found = [*_counts(sound, motions, until), *_weights(sound, model, moving, until)]
    probes = Probes(model, moving.arrangement, sound)
    if len(probes):
        found += _answers(probes, moving, until)
    order = {sensor.name: place for place, sensor in enumerate(sensors)}
    return sorted(found, key=lambda one: (one.time, order[one.sensor]))


# ---- yes or no ----------------------------------------------------------------------------------------


def _answers(probes: Probes, moving: Moving, until: float) -> Iterator[Transition]:
    flips = changes(probes, moving, until)
    if not flips:
        return
    questions = np.arange(len(probes), dtype=np.int32)
    answers = probes.during(moving, np.zeros(len(questions)), questions)
    of = {question: one for one in probes.asked.values() for question in one.questions}
    before = {name: answered(probes, name, answers) for name in probes.asked}
    for time, group in _instants(flips):
        concerned: dict[str, Asked] = {}
        for question, answer in group:
            answers[question] = answer
            concerned[of[question].sensor.name] = of[question]
        for name in concerned:
            now = answered(probes, name, answers)
            if now != before[name]:
                before[name] = now
                yield Transition(time, name, _read(probes, moving, name, time, now.value), now.bodies)


def _read(probes: Probes, moving: Moving, name: str, time: float, value: float) -> float:
    """Return the value of a sensor at an instant; for a distance, the distance itself, not the thresholds passed."""
    sensor = probes.asked[name].sensor
    return value if not sensor.thresholds else reading(sensor, probes.model, moving.state_at(time)).value


def _instants(flips: Sequence[tuple[float, int, float]]) -> Iterator[tuple[float, list[tuple[int, float]]]]:
    """Yield changes of answers in the order of time; those that cannot be distinguished belong together."""
    group: list[tuple[int, float]] = []
    last = -math.inf
    for time, question, answer in sorted(flips):
        if group and time - last > _APART:
            yield last, group
            group = []
        group.append((question, answer))
        last = time
    if group:
        yield last, group


def changes(probes: Probes, moving: Moving, until: float) -> list[tuple[float, int, float]]:
    """Return when the answers to probes change: the instant [s], the probe and the new answer."""
    edges = np.linspace(0.0, until, _FIRST + 1)
    count = len(probes.question)
    starts, ends = np.repeat(edges[:-1], count), np.repeat(edges[1:], count)
    items = np.tile(np.arange(count, dtype=np.int32), _FIRST)
    work = np.zeros(len(probes), dtype=np.int64)
    narrow: list[tuple[Array, Array, Ints]] = []
    while len(items):
        work += np.bincount(probes.question[items], minlength=len(probes))
        spans, rows = np.unique(np.stack([starts, ends], axis=1), axis=0, return_inverse=True)
        order = np.argsort(rows.reshape(-1), kind="stable")
        starts, ends, items, rows = starts[order], ends[order], items[order], rows.reshape(-1)[order]
        states, _ = probes.over(moving, spans[:, 0], spans[:, 1], rows.astype(np.int32), items)
        # One item that is always true settles its probe; one that never is, is not tested again.
        asked = rows * len(probes) + probes.question[items]
        settled = np.zeros(len(spans) * len(probes), dtype=bool)
        settled[asked[states == ALWAYS]] = True
        open_ = (states == AT_TIMES) & ~settled[asked]
        question = probes.question[items]
        done = open_ & (ends - starts <= FINEST)
        long = open_ & (ends - starts <= _COARSE) & (work[question] > _WORK)
        done[long] |= _in_long_rows(question[long], starts[long], ends[long])
        narrow.append((starts[done], ends[done], probes.question[items[done]]))
        open_ &= ~done
        middles = 0.5 * (starts[open_] + ends[open_])
        starts, ends = np.concatenate([starts[open_], middles]), np.concatenate([middles, ends[open_]])
        items = np.tile(items[open_], 2)
    return _located(probes, moving, *(np.concatenate(part) for part in zip(*narrow, strict=True)))


def _in_long_rows(questions: Ints, starts: Array, ends: Array) -> NDArray[np.bool_]:
    """Return which intervals are in a long row of open intervals of their probe (N,)."""
    order = np.lexsort((starts, questions))
    begins = np.ones(len(order), dtype=bool)
    before, after = order[:-1], order[1:]
    begins[1:] = (questions[before] != questions[after]) | (starts[after] > ends[before] + 0.5 * FINEST)
    row = np.cumsum(begins) - 1
    out = np.empty(len(order), dtype=bool)
    out[order] = np.bincount(row)[row] > _LONG if len(order) else False
    return out


def _located(
    probes: Probes, moving: Moving, starts: Array, ends: Array, questions: Ints
) -> list[tuple[float, int, float]]:
    """Return the changes within unsettled intervals: those whose answers differ at both ends."""
    if not len(questions):
        return []
    unique = np.unique(np.stack([starts, ends, questions], axis=1), axis=0)
    starts, ends, questions = unique[:, 0], unique[:, 1], unique[:, 2].astype(np.int32)
    first, last = (probes.during(moving, times, questions) for times in (starts, ends))
    differ = first != last
    low, high, questions, last = starts[differ], ends[differ], questions[differ], last[differ]
    found = _first_instants(low, high, lambda times: probes.during(moving, times, questions) == last)
    return list(zip(found.tolist(), questions.tolist(), last.tolist(), strict=True))


def _first_instants(low: Array, high: Array, new: Callable[[Array], NDArray[np.bool_]]) -> Array:
    """Return the first whole nanoseconds between times (N,) at which something is new [s].

    Motions start on whole nanoseconds, so this is the same instant wherever the search began.
    """
    a, b = np.floor(low * SECOND), np.ceil(high * SECOND)
    while (wide := b - a > 1.0).any():
        middle = np.floor(0.5 * (a + b))
        there = new(middle / SECOND)
        a, b = np.where(wide & ~there, middle, a), np.where(wide & there, middle, b)
    return np.asarray(b / SECOND)


# ---- encoders -----------------------------------------------------------------------------------------


def _counts(sensors: Sequence[SensorPlace], motions: Motions, until: float) -> Iterator[Transition]:
    for sensor in sensors:
        motion = motions.get(sensor.frame)
        if sensor.senses == ENCODER and motion is not None and not isinstance(motion, PoseMotion):
            yield from _steps(sensor, _Joint(motion, sensor.joint - 1), until)


@dataclass(frozen=True)
class _Joint:
    """One joint of a motion."""

    motion: object
    column: int

    def at(self, times: Array) -> Array:
        return np.asarray(self.motion.sample(times)[:, self.column])  # type: ignore[attr-defined]

    def between(self, starts: Array, ends: Array, derivative: int = 0) -> tuple[Array, Array]:
        low, high = self.motion.ranges(starts, ends, derivative)  # type: ignore[attr-defined]
        return low[:, self.column], high[:, self.column]


def _steps(sensor: SensorPlace, joint: _Joint, until: float) -> Iterator[Transition]:
    """Yield the steps of an encoder: while its joint runs one way, the instants at which it reaches each."""
    size = sensor.resolution
    edges = np.linspace(0.0, until, _FIRST + 1)
    starts, ends = edges[:-1], edges[1:]
    found: list[tuple[float, float]] = []
    total = 0
    while len(starts):
        low, high = joint.between(starts, ends)
        crossed = counted(low, size) != counted(high, size)
        starts, ends = starts[crossed], ends[crossed]
        if not len(starts):
            break
        slow, fast = joint.between(starts, ends, 1)
        one_way = (slow >= 0.0) | (fast <= 0.0) | (ends - starts <= FINEST)
        first, last = joint.at(starts[one_way]), joint.at(ends[one_way])
        for begin, end, a, b in zip(starts[one_way], ends[one_way], first, last, strict=True):
            below, above = sorted(math.floor(one / size + 0.5) for one in (float(a), float(b)))
            total += above - below
            if total > _MOST_STEPS:
                raise TooCostly(
                    f"Encoder {sensor.name!r} makes more than {_MOST_STEPS:,} steps in one motion; give it a coarser "
                    f"resolution than {size:g}."
                )
            levels = (np.arange(below, above, dtype=np.float64) + 0.5) * size  # at which it makes its steps
            found += _reached(joint, float(begin), float(end), levels if b >= a else levels[::-1], size, b > a)
        starts, ends = starts[~one_way], ends[~one_way]
        middles = 0.5 * (starts + ends)
        starts, ends = np.concatenate([starts, middles]), np.concatenate([middles, ends])
    for time, value in sorted(found):
        yield Transition(time, sensor.name, value)


def _reached(
    joint: _Joint, begin: float, end: float, levels: Array, size: float, up: bool
) -> list[tuple[float, float]]:
    """Return when a joint that runs one way reaches each level, and what the encoder reads from then on."""
    low, high = np.full(len(levels), begin), np.full(len(levels), end)
    half = np.round(levels / size - 0.5)
    new = (half + 1.0 if up else half) * size
    found = _first_instants(low, high, lambda times: (joint.at(times) >= levels) == up)
    return list(zip(found.tolist(), new.tolist(), strict=True))


# ---- weights ------------------------------------------------------------------------------------------


def _weights(
    sensors: Sequence[SensorPlace], model: CollisionModel, moving: Moving, until: float
) -> Iterator[Transition]:
    """Yield the changes of weights: parts that move by themselves come to stand on a body, or leave it.

    They can do so only when they begin or cease to touch what is below, so these instants cut the time into stretches.
    """
    scales = [sensor for sensor in sensors if sensor.senses == WEIGHT]
    if not scales or not moving.free:
        return
    touching = [
        SensorPlace(f"{number}", CONTACT, name, owner=model.body(name).owner, near=3e-4)
        for number, name in enumerate(moving.free)
    ]
    probes = Probes(model, moving.arrangement, touching)
    cuts = sorted({0.0, until, *(time for time, _, _ in changes(probes, moving, until))})
    for sensor in scales:
        before = reading(sensor, model, moving.state_at(0.0))
        for start, end in itertools.pairwise(cuts):
            last = start
            for time in (0.5 * (start + end), end):
                now = reading(sensor, model, moving.state_at(time))
                if now != before:
                    at = _first_instants(
                        np.array([last]), np.array([time]), partial(_weighs, sensor, model, moving, now)
                    )
                    yield Transition(float(at[0]), sensor.name, now.value, now.bodies)
                before, last = now, time


def _weighs(
    sensor: SensorPlace, model: CollisionModel, moving: Moving, now: Reading, times: Array
) -> NDArray[np.bool_]:
    """Return whether a weight already has its later value, at times (N,)."""
    return np.array([reading(sensor, model, moving.state_at(time)) == now for time in times.tolist()])
