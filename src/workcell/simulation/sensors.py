"""What sensors read in a state: broken beams, distances, contacts, weights, joint values, bodies seen by a camera."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workcell.collision.probes import Probes, feeling
from workcell.errors import Refused
from workcell.simulation.piles import Stack
from workcell.world.sensor_places import CAMERA, DISTANCE, ENCODER, WEIGHT, SensorPlace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from workcell.collision.bodies import CollisionModel
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import CellState


@dataclass(frozen=True)
class Reading:
    """What a sensor reads.

    Attributes:
        value: 1 or 0; a distance [m], a weight [kg], an encoder [rad or m]; for a camera, how many bodies it sees.
        bodies: the bodies that a camera sees or a scale weighs, or the one at which a distance ends.
        unknown: the bodies of unknown mass on a scale; they count as zero.
    """

    value: float
    bodies: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"{self.value:g}"
        if self.bodies:
            text += f" ({', '.join(self.bodies)})"
        if self.unknown:
            text += f", without {', '.join(self.unknown)}, whose mass is unknown"
        return text


def value(sensor: SensorPlace, model: CollisionModel, state: CellState) -> float:
    """Return the value of a sensor in a state; its signal then has this value.

    Raises:
        Refused: it is not placed, or something that it needs is missing.
    """
    return reading(sensor, model, state).value


def reading(sensor: SensorPlace, model: CollisionModel, state: CellState) -> Reading:
    """Return what a sensor reads in a state.

    Raises:
        Refused: it is not placed, or something that it needs is missing.
    """
    if sensor.problem:
        raise Refused(sensor.problem, sensor=sensor.name)
    return readings([sensor], model, state)[sensor.name]


def readings(sensors: Sequence[SensorPlace], model: CollisionModel, state: CellState) -> dict[str, Reading]:
    """Return what sensors read in a state, by name; those with a problem are left out."""
    sound = [sensor for sensor in sensors if not sensor.problem]
    found = {}
    if any(sensor.senses not in (ENCODER, WEIGHT) for sensor in sound):
        probes = Probes(model, model.arrangement(state), sound)
        answers = probes.at(state)
    for sensor in sound:
        if sensor.senses == ENCODER:
            position = state.joints[sensor.frame][sensor.joint - 1]
            found[sensor.name] = Reading(float(counted(position, sensor.resolution)))
        elif sensor.senses == WEIGHT:
            found[sensor.name] = weighed(sensor, model, state)
        elif sensor.senses == DISTANCE:
            distance, body = probes.hit(sensor.name, state)
            found[sensor.name] = Reading(distance, (body,) if body else ())
        else:
            found[sensor.name] = answered(probes, sensor.name, answers)
    return found


def answered(probes: Probes, name: str, answers: NDArray[np.float64]) -> Reading:
    """Return what a sensor reads, from the answers to all probes."""
    one = probes.asked[name]
    given = answers[list(one.questions)]
    if one.sensor.senses == CAMERA:
        seen = tuple(body for body, yes in zip(one.bodies, given, strict=True) if yes)
        return Reading(float(len(seen)), seen)
    if one.sensor.senses == DISTANCE:
        return Reading(float(len(given) - given.sum()))
    return Reading(float(given.any()))


def counted(position: float | NDArray[np.float64], resolution: float) -> NDArray[np.float64]:
    """Return a joint value in whole steps of an encoder."""
    return np.floor(np.asarray(position) / resolution + 0.5) * resolution


def weighed(sensor: SensorPlace, model: CollisionModel, state: CellState) -> Reading:
    """Return the mass of everything that stands on a body, directly or through others, or moves with it."""
    snapshot = model.snapshot
    own = [model.bodies[place].name for place in feeling(model, sensor)]
    mass, parts, unknown = 0.0, [], []
    for name in _resting(snapshot, state, own):
        body = snapshot.body(name)
        if not _counts(sensor, body.name, body.owner):
            continue
        load = body.matter.load if body.matter is not None else None
        if load is None or load.mass is None:
            unknown.append(name)
        else:
            mass += load.mass
        parts.append(name)
    return Reading(mass, tuple(parts), tuple(unknown))


def _counts(sensor: SensorPlace, name: str, owner: str) -> bool:
    if {name, owner} & set(sensor.ignores):
        return False
    return not (sensor.sees or sensor.absent) or bool({name, owner} & set(sensor.sees))


def _resting(snapshot: Snapshot, state: CellState, own: list[str]) -> list[str]:
    """Return the bodies that stand on some bodies or move with them, each once, in the order of the snapshot."""
    stack = Stack(snapshot, state)
    found, waiting = dict.fromkeys(own), list(own)
    while waiting:
        lower = waiting.pop()
        riding = [name for name, held in state.attached.items() if held.frame == lower]
        standing = [upper for upper in stack.over(lower) if lower in stack.under(upper)] if stack.knows(lower) else []
        for upper in (*riding, *standing):
            if upper not in found:
                found[upper] = None
                waiting.append(upper)
    return [
        body.name for body in snapshot.bodies if body.name in found and body.name not in own and body.link < 0
        and not body.ghost
    ]  # fmt: skip
