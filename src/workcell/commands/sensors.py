"""Commands on sensors: light barriers, distance, proximity, contact and weight sensors, encoders, cameras."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from workcell.commands.body_names import BodyName
from workcell.commands.language.joint_values import JointStep
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import Angle, Length, NewName, Number, Vector
from workcell.commands.model import make
from workcell.commands.results import Made, Table
from workcell.errors import InvalidValue, Refused, WorkcellError
from workcell.spatial.pose import Pose
from workcell.spatial.transform import Transform
from workcell.world.entities import Entity
from workcell.world.places import LINK
from workcell.world.placing import put_in_scene
from workcell.world.robot_shape import robot_of
from workcell.world.sensor_places import (
    BARRIER,
    CAMERA,
    CONTACT,
    DISTANCE,
    ENCODER,
    PROXIMITY,
    WEIGHT,
    SensorPlace,
    fault_of,
)  # fmt: skip

if TYPE_CHECKING:
    from workcell.commands.session import Session

_CELL = [
    "> create robot Puma puma560 joints 0,0,-90,0,90,0",
    "> add solid table box 560 800 30 at 780,-100,385",
    "> add solid cube box 100 100 100 at 1000,150,450 --movable",
]
_ON = "[at {pose}] [on {thing}] [link {link}] [sees {sees}]* [ignores {ignores}]*"
_TYPES: dict[str, Any] = {
    "name": NewName(), "pose": PoseValue(), "thing": Ref("object", "robot", "mechanism", "frame"),
    "link": Number(whole=True), "sees": BodyName(), "ignores": BodyName(),
}  # fmt: skip
_HELP = {
    "pose": "in the world, or in the frame of what carries it; the sensor looks along its z axis; default 0,0,0",
    "thing": "what carries it; default: the world",
    "link": "the link of a robot or mechanism, 0 for the base; default: the last",
    "sees": "a body, object or robot that it senses; default: all except what carries it",
    "ignores": "a body, object or robot that it does not sense",
}


def add_sensor(
    session: Session,
    name: str,
    properties: dict[str, Any],
    pose: Transform = Transform(),
    thing: Entity | None = None,
    link: int | None = None,
    sees: list[str] | None = None,
    ignores: list[str] | None = None,
) -> Made:
    """Make a sensor with properties, in the scene or on a thing."""
    own = {key: value for key, value in properties.items() if value is not None}
    for key, names in (("sees", sees), ("ignores", ignores)):
        if names:
            own[key] = ", ".join(names)
    fault = fault_of(name, own)
    if fault:
        raise InvalidValue(fault, sensor=name)
    if link is not None and (thing is None or thing.kind not in ("robot", "mechanism")):
        raise Refused("Only robots and mechanisms have links; name one with `on`, or leave out the link.")
    made = make(session, "sensor", name, properties=own)
    entity = session.database.entity("sensor", name)
    if thing is None:
        put_in_scene(session, entity, pose)
        return made
    more = None
    if thing.kind in ("robot", "mechanism"):
        n = robot_of(thing).n
        if link is not None and not 0 <= link <= n:
            raise InvalidValue(f"{thing.name} has links 0 (base) to {n}; found {link}.")
        more = {LINK: n if link is None else link}
    database = session.database
    database.attach(session.rows, thing, entity, database.free_relation_name(thing, name), pose, more)
    return made


@command(
    "add light-barrier {name} [length {length}] [from {start} to {end}] [radius {radius}] " + _ON,
    help="add a light barrier, which is 1 while something breaks its beam",
    effect="edits",
    **_TYPES,
    length=Length(),
    start=Vector(),
    end=Vector(),
    radius=Length(),
    param_help={
        **_HELP,
        "length": "the length of the beam, along the z axis",
        "start": "where the beam begins, in the world or in the frame of what carries it",
        "end": "where the beam ends, instead of a pose and a length",
        "radius": "the radius of the beam; default 0",
    },
    examples=[
        *_CELL,
        "add light-barrier gate from 700,-400,450 to 700,400,450",
        "add light-barrier finger-beam length 120 on Puma sees cube",
        "sensors",
    ],
)
def add_light_barrier(
    session: Session,
    name: str,
    length: float | None = None,
    start: tuple[float, ...] | None = None,
    end: tuple[float, ...] | None = None,
    radius: float | None = None,
    pose: Transform | None = None,
    **on: Any,
) -> Made:
    """A sensor is also a signal with the same name, so programs can wait for it. Every change is an event."""
    if start is not None and end is not None:
        if pose is not None or length is not None:
            raise Refused("Give a beam either by two points, or by a pose and a length.")
        along = np.subtract(end, start)
        length = float(np.linalg.norm(along))
        if not length > 0.0:
            raise InvalidValue(
                f"The beam of {name!r} has no length: its ends are the same point. Give two different points."
            )
        pose = Transform.from_pose(_along(np.array(start), along / length))
    if length is None:
        raise Refused("A beam needs a length or two points, such as `length 300` or `from X,Y,Z to X,Y,Z`.")
    properties = {"senses": BARRIER, "length": length, "radius": radius}
    return add_sensor(session, name, properties, pose or Transform(), **on)


def _along(start: Any, way: Any) -> Pose:
    """Return a pose at a point with its z axis along a unit vector, turned as little as possible."""
    from workcell.world.standing import smallest_turn

    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = smallest_turn(np.array([0.0, 0.0, 1.0]), np.asarray(way)), start
    return Pose(matrix)


@command(
    "add distance-sensor {name} range {range} [thresholds {thresholds}] " + _ON,
    help="add a sensor that measures the distance to the first body along its z axis",
    effect="edits",
    **_TYPES,
    range=Length(),
    thresholds=Vector("length", None, "D1,D2,…"),
    param_help={
        **_HELP,
        "range": "how far it sees; this is its value if it sees nothing",
        "thresholds": "the distances at which it makes an event; default: none",
    },
    examples=[*_CELL, "add distance-sensor probe range 800 thresholds 100,250 at 1000,150,1000 rotate 180,0,0"],
)
def add_distance_sensor(
    session: Session, name: str, range: float, thresholds: tuple[float, ...] | None = None, **on: Any
) -> Made:
    """The signal is the distance in metres at the instant when it is read."""
    steps = list(thresholds) if thresholds else None
    return add_sensor(session, name, {"senses": DISTANCE, "range": range, "thresholds": steps}, **on)


@command(
    "add proximity-sensor {name} [distance {distance}] [box {size}] " + _ON,
    help="add a sensor that is 1 while a body is near its point, or in its box",
    effect="edits",
    **_TYPES,
    distance=Length(),
    size=Vector(),
    param_help={
        **_HELP,
        "distance": "how near, from its point",
        "size": "the size of the box around its point, instead of a distance",
    },
    examples=[
        *_CELL,
        "add proximity-sensor near distance 60 at 1000,150,520",
        "add proximity-sensor slot box 120,120,20 at 1000,150,410 sees cube",
    ],
)
def add_proximity_sensor(
    session: Session, name: str, distance: float | None = None, size: tuple[float, ...] | None = None, **on: Any
) -> Made:
    """A point inside a body has the distance 0 from it."""
    box = None if size is None else list(size)
    return add_sensor(session, name, {"senses": PROXIMITY, "distance": distance, "size": box}, **on)


_FEELS = "on {thing} [link {link}] {more}[sees {sees}]* [ignores {ignores}]*"
_BODY = {**{key: one for key, one in _TYPES.items() if key != "pose"}, "thing": Ref("object", "robot", "mechanism")}
_BODY_HELP = {key: text for key, text in _HELP.items() if key != "pose"} | {"thing": "the body that senses"}


@command(
    "add contact-sensor {name} " + _FEELS.replace("{more}", "[distance {distance}] "),
    help="add a sensor that is 1 while its body touches another",
    effect="edits",
    **_BODY,
    distance=Length(),
    param_help={**_BODY_HELP, "distance": "how near counts as touching; default 0.2 mm"},
    examples=[*_CELL, "add contact-sensor bump on Puma link 6 sees cube", "add contact-sensor laid on table sees cube"],
)
def add_contact_sensor(session: Session, name: str, thing: Entity, distance: float | None = None, **on: Any) -> Made:
    """The last link of a robot includes its fingers."""
    return add_sensor(session, name, {"senses": CONTACT, "distance": distance}, thing=thing, **on)


@command(
    "add weight-sensor {name} " + _FEELS.replace("{more}", ""),
    help="add a sensor that weighs what rests on its body",
    effect="edits",
    **_BODY,
    param_help=_BODY_HELP,
    examples=[*_CELL, "> modify object:cube mass 2kg", "add weight-sensor scale on table", "sensors"],
)
def add_weight_sensor(session: Session, name: str, thing: Entity, **on: Any) -> Made:
    """The signal is the sum of the masses in kilograms.

    Things without a known mass do not count; `sensors` names them.
    """
    return add_sensor(session, name, {"senses": WEIGHT}, thing=thing, **on)


@command(
    "add encoder {name} on {robot} joint {joint} resolution {resolution}",
    help="add a sensor that reads a joint in whole steps",
    effect="edits",
    name=NewName(),
    robot=Ref("robot", "mechanism"),
    joint=Number(whole=True, positive=True),
    resolution=JointStep(),
    param_help={
        "joint": "its number, counted from 1",
        "resolution": "the step: an angle, or a length if the joint slides",
    },
    examples=[
        *_CELL,
        "add encoder counts on Puma joint 1 resolution 0.1",
        "> add conveyor Belt 2000 at 0,1500,0",
        "add encoder way on Belt joint 1 resolution 0.05mm",
        "sensors",
    ],
)
def add_encoder(session: Session, name: str, robot: Entity, joint: int, resolution: float) -> Made:
    """The signal is the rounded joint value in radians or metres. Every step is an event."""
    n = robot_of(robot).n
    if joint > n:
        raise InvalidValue(f"{robot.name} has joints 1 to {n}; found {joint}.")
    return add_sensor(session, name, {"senses": ENCODER, "joint": joint, "resolution": float(resolution)}, thing=robot)


@command(
    "add camera {name} view {view} range {range} [height {height}] " + _ON,
    help="add a sensor that counts and lists the bodies that it sees",
    effect="edits",
    **_TYPES,
    view=Angle(),
    range=Length(),
    height=Angle(),
    param_help={
        **_HELP,
        "view": "the whole angle of view along its x axis",
        "height": "the whole angle of view along its y axis; default: the same",
        "range": "how far it sees",
    },
    examples=[*_CELL, "add camera eye view 50 range 1500 at 1000,150,1500 rotate 180,0,0", "sensors"],
)
def add_camera(session: Session, name: str, view: float, range: float, height: float | None = None, **on: Any) -> Made:
    """A body is seen if the centre or a corner of its bounding box is in view and no other body hides it."""
    return add_sensor(session, name, {"senses": CAMERA, "view": view, "range": range, "height": height}, **on)


@command(
    "sensors",
    help="list the sensors: where they are, what they sense, and their current readings",
    effect="reads",
    background=True,
    examples=[*_CELL, "> add light-barrier gate from 700,-400,450 to 700,400,450", "sensors"],
)
def sensors(session: Session) -> Table:
    """Readings are in metres, radians and kilograms, as in programs."""
    rows = tuple(
        (one.name, one.senses, _carrier(one), _who(one), _now(session, one)) for one in session.snapshot().sensors
    )
    return Table(("sensor", "senses", "on", "sees", "reads now"), rows)


def _carrier(sensor: SensorPlace) -> str:
    return f"{sensor.frame} link {sensor.link}" if sensor.link >= 0 else sensor.frame


def _who(sensor: SensorPlace) -> str:
    named = [*sensor.sees, *(f"{name} (does not exist now)" for name in sensor.absent)]
    seen = ", ".join(named) or "all"
    return f"{seen} but {', '.join(sensor.ignores)}" if sensor.ignores else seen


def _now(session: Session, sensor: SensorPlace) -> str:
    from workcell.collision.bodies import collision_model
    from workcell.simulation.sensors import reading

    try:
        return str(reading(sensor, collision_model(session.snapshot(), warn=False), session.state))
    except WorkcellError as error:
        return str(error)
