"""The sensors of a cell as data: what each senses, its carrier, and which bodies count."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workcell.spatial.pose import Pose
from workcell.wording import an
from workcell.world.body import Body
from workcell.world.entities import Entity, Relation
from workcell.world.identity import Value
from workcell.world.kinds import SENSES
from workcell.world.place_reading import Labels
from workcell.world.places import LINK, WORLD, Places
from workcell.world.rows import Rows

BARRIER, DISTANCE, PROXIMITY, CONTACT, WEIGHT, ENCODER, CAMERA = SENSES
ON_BODIES = (CONTACT, WEIGHT)
"""The sensors that feel with a body, so that they must be on one."""
ANALOG = (DISTANCE, WEIGHT, ENCODER, CAMERA)
"""The sensors with other values than 0 and 1."""
TOUCHES = 2e-4
"""The default distance within which a body counts as touching [m]; a part that stands on something is within it."""


@dataclass(frozen=True)
class SensorPlace(Value):
    """A sensor.

    Attributes:
        name: its name, and that of its signal.
        senses: the kind of sensor.
        frame: ``world``, or the name of the body or robot that carries it.
        link: the link of the robot that carries it, 0 for its base; -1 if the frame is a body or the world.
        X_frame_sensor: its pose there; it looks along its z axis.
        owner: the object or robot that carries it, or ''.
        reach: its range along its z axis: the length of the beam, or the range [m].
        near: the distance within which a body counts [m]: the radius of a beam, the distance of proximity or contact.
        size: the size of the box in which it looks [m]; None if a distance is used.
        thresholds: the distances that make events [m], in order.
        joint: the joint that an encoder counts, from 1.
        resolution: the step of an encoder [rad or m].
        view: the whole angles of a camera in its x and y direction [rad].
        sees: names of the bodies, objects and robots that count; all if empty and nothing is absent.
        ignores: names of those that do not count.
        absent: names that would also count if they were in the scene.
        problem: why it has no value, as a sentence; empty if it has one.
    """

    name: str
    senses: str
    frame: str = WORLD
    link: int = -1
    X_frame_sensor: Pose = field(default_factory=Pose.identity)
    owner: str = ""
    reach: float = 0.0
    near: float = 0.0
    size: tuple[float, float, float] | None = None
    thresholds: tuple[float, ...] = ()
    joint: int = 0
    resolution: float = 0.0
    view: tuple[float, float] = (0.0, 0.0)
    sees: tuple[str, ...] = ()
    ignores: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    problem: str = ""

    @property
    def analog(self) -> bool:
        """Whether it has other values than 0 and 1."""
        return self.senses in ANALOG


def sensor_places(
    rows: Rows,
    scene: int,
    bodies: Sequence[Body],
    joints: Mapping[str, int],
    labels: Labels,
    places: Places,
) -> tuple[SensorPlace, ...]:
    """The sensors of a cell, in order of creation; those that are nowhere have a problem.

    Args:
        rows: what exists.
        scene: the number of the flattened scene.
        bodies: the bodies in it.
        joints: the number of joints of each robot in it.
        labels: the bodies of the objects in it.
        places: the frames in it.
    """
    names = {body.name for body in bodies} | {body.owner for body in bodies} | joints.keys()
    reading = _Reading(rows, scene, joints, labels, places)
    return tuple(reading.sensor(entity, names) for entity in rows.of_kind("sensor"))


@dataclass(frozen=True)
class _Reading:
    rows: Rows
    scene: int
    joints: Mapping[str, int]
    labels: Labels
    places: Places

    def sensor(self, entity: Entity, names: Collection[str]) -> SensorPlace:
        own = entity.properties
        senses = str(own.get("senses", ""))
        problem = fault_of(entity.name, own)
        if problem:
            return SensorPlace(entity.name, senses, problem=problem)
        named = _listed(str(own.get("sees", "")))
        sees, absent = (tuple(one for one in named if (one in names) == there) for there in (True, False))
        frame, link, pose, owner, problem = self._place(entity)
        joint = int(own.get("joint", 0))
        problem = problem or self._misplaced(entity.name, senses, frame, link, owner, joint)
        size = own.get("size")
        near = float(own.get("radius", 0.0) if senses == BARRIER else own.get("distance", 0.0))
        return SensorPlace(
            entity.name, senses, frame, link, pose, owner,
            float(own.get("length" if senses == BARRIER else "range", 0.0)),
            TOUCHES if senses == CONTACT and "distance" not in own else near,
            None if size is None else (float(size[0]), float(size[1]), float(size[2])),
            tuple(sorted(float(one) for one in own.get("thresholds", ()))), joint, float(own.get("resolution", 0.0)),
            (float(own.get("view", 0.0)), float(own.get("height", own.get("view", 0.0)))),
            sees, _listed(str(own.get("ignores", ""))), absent, problem,
        )  # fmt: skip

    def _place(self, entity: Entity) -> tuple[str, int, Pose, str, str]:
        """The carrier of a sensor: the frame, the link, its pose there, the owner; or the problem."""
        ways = self.rows.pointers(entity.id)
        here = [one for one in ways if one.parent == self.scene]
        if len(here) == 1:
            return WORLD, -1, Pose(here[0].matrix), "", ""
        others = [one for one in ways if self.rows.entities[one.parent].kind != "scene"]
        if len(here) > 1 or len(others) > 1:
            return *_NOWHERE, f"Sensor {entity.name!r} is in several places; `detach` all but one of them."
        if not others and ways:
            scene = self.rows.entities[ways[0].parent].name
            return *_NOWHERE, f"Sensor {entity.name!r} stands in scene {scene!r}; `use scene {scene}` shows that one."
        if not others:
            problem = f"Sensor {entity.name!r} stands nowhere; `place {entity.name} at …`, or `attach` it to something."
            return *_NOWHERE, problem
        return self._carried(entity.name, others[0])

    def _carried(self, name: str, relation: Relation) -> tuple[str, int, Pose, str, str]:
        carrier, pose = self.rows.entities[relation.parent], Pose(relation.matrix)
        gone = f"Sensor {name!r} is on {carrier.name!r}, which stands in no scene; `place {carrier.name} at …` first."
        if carrier.kind == "frame":
            spot = self.places.spots.get(("frame", carrier.name))
            if spot is None or not spot.ways:
                return *_NOWHERE, gone
            way = spot.ways[0]
            return way.frame, way.link, way.X_frame_place @ pose, way.owner if way.frame != WORLD else "", ""
        if carrier.kind == "object":
            label = self.labels.get(carrier.name)
            return (*_NOWHERE, gone) if label is None else (label, -1, pose, carrier.name, "")
        n = self.joints.get(carrier.name)
        if n is None:
            return *_NOWHERE, gone
        link = int(relation.properties.get(LINK, n))
        if not 0 <= link <= n:
            problem = f"Sensor {name!r} is on link {link} of {carrier.name!r}, which has links 0 (base) to {n}."
            return *_NOWHERE, problem
        return carrier.name, link, pose, carrier.name, ""

    def _misplaced(self, name: str, senses: str, frame: str, link: int, owner: str, joint: int) -> str:
        """Why a sensor cannot sense where it is; empty if it can."""
        if senses in ON_BODIES and not owner:
            return f"Sensor {name!r} feels with a body: attach it to an object or a robot, not to the world."
        if senses == ENCODER and link < 0:
            return f"Sensor {name!r} counts a joint: attach it to a robot or mechanism."
        if senses == ENCODER and not 1 <= joint <= self.joints[frame]:
            return f"Sensor {name!r} counts joint {joint}, but {frame!r} has joints 1 to {self.joints[frame]}."
        return ""


_NOWHERE: tuple[str, int, Pose, str] = (WORLD, -1, Pose.identity(), "")


def _listed(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def fault_of(name: str, own: Mapping[str, Any]) -> str:
    """What is wrong with the properties of a sensor, as a sentence; empty if nothing is."""
    senses = str(own.get("senses", ""))
    if senses not in _NEEDS:
        return f"Sensor {name!r} has no kind; `modify {name} senses {'|'.join(SENSES)}`."
    for key in _NEEDS[senses]:
        if key not in own:
            return f"Sensor {name!r} needs {an(key)}; `modify {name} {key} …`."
    for key, (fits, must) in _RULES.items():
        if key in own and not fits(own[key]):
            return f"The {key} of sensor {name!r} must be {must}; found {_shown(key, own[key])}."
    if senses == PROXIMITY and ("size" in own) == ("distance" in own):
        return f"Sensor {name!r} looks within a distance or in a box: give it a `distance` or a `size`, not both."
    if senses == DISTANCE and any(one >= own["range"] for one in own.get("thresholds", ())):
        return f"The thresholds of sensor {name!r} must be below its range of {own['range'] * 1e3:g} mm."
    return ""


def _is(value: Any, fits: Callable[[float], bool]) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and fits(value)


def _row(value: Any, count: int | None) -> bool:
    return isinstance(value, list | tuple) and len(value) == (count or len(value)) and all(
        _is(one, lambda x: x > 0.0) for one in value
    )  # fmt: skip


def _shown(key: str, value: Any) -> str:
    """A value for messages: lengths in millimetres, angles in degrees."""
    if isinstance(value, list | tuple):
        return ", ".join(_shown(key, one) for one in value)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return str(value)
    if key in ("joint", "resolution"):
        return f"{value:g}"
    return f"{math.degrees(value):g}°" if key in ("view", "height") else f"{value * 1e3:g} mm"


_NEEDS: Mapping[str, tuple[str, ...]] = {
    BARRIER: ("length",), DISTANCE: ("range",), PROXIMITY: (), CONTACT: (), WEIGHT: (),
    ENCODER: ("joint", "resolution"), CAMERA: ("range", "view"),
}  # fmt: skip
"""The properties that a sensor of each kind needs to have a value."""
_LONG = (lambda value: _is(value, lambda x: x > 0.0), "above 0")
_ANGLE = (lambda value: _is(value, lambda x: 0.0 < x < math.pi), "above 0° and below 180°")
_RULES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "length": _LONG, "range": _LONG, "resolution": _LONG, "view": _ANGLE, "height": _ANGLE,
    "radius": (lambda value: _is(value, lambda x: x >= 0.0), "0 or more"),
    "distance": _LONG,
    "size": (lambda value: _row(value, 3), "three lengths above 0"),
    "thresholds": (lambda value: _row(value, None), "lengths above 0"),
    "joint": (lambda value: _is(value, lambda x: x >= 1 and x == int(x)), "a whole number from 1"),
}  # fmt: skip
"""The condition on each property, and its words."""
