"""The kinds of entity, their possible parts, and their properties."""

from __future__ import annotations

import msgspec

from workcell.errors import UnknownName, WrongLevel
from workcell.wording import an, capital, either
from workcell.world.names import RESERVED


class Property(msgspec.Struct, frozen=True):
    """A typed property: its quantity determines how a value is typed, checked and shown.

    ``quantity`` is one of length, angle, time, mass, speed, angular speed, number, text, yes/no, vector
    (three lengths), lengths (any number of them), joints (one value per joint) or pose.
    """

    name: str
    quantity: str
    help: str
    words: tuple[str, ...] = ()
    """The texts that have a meaning, if others would have no effect."""


class Kind(msgspec.Struct, frozen=True):
    """A kind of entity."""

    name: str
    help: str
    parts: tuple[str, ...] = ()
    """The kinds of entity that a relation of this kind may point to."""
    properties: tuple[Property, ...] = ()
    plural: str = ""


_GRIPPER_TIMES = (
    Property("close_time", "time", "the time that the gripper takes to close"),
    Property("open_time", "time", "the time that the gripper takes to open"),
    Property("build_up", "time", "the time in which a vacuum builds up after closing"),
)
_MAGNETIC = Property("ferromagnetic", "yes/no", "whether a magnet holds it")
_HAND = (
    Property("holds", "text", "how it holds parts; by default with fingers", ("fingers", "suction", "magnet")),
    Property("opening", "length", "the widest opening of the fingers"),
    Property("reach", "length", "the distance from the flange to the grip point between the finger tips"),
    Property("turn", "angle", "the turn of the fingers about the flange's axis"),
    Property("finger_width", "length", "the width of the fingers; 20 mm by default"),
    Property(
        "finger_thickness", "length", "the thickness of one finger, along the direction of closing; 12 mm by default"
    ),
    Property("cups", "lengths", "the places of the rims of suction cups in its frame: x,y,z,x,y,z,…"),
    Property("magnets", "lengths", "the places of the faces of magnets in its frame: x,y,z,x,y,z,…"),
    Property("diameter", "lengths", "the diameter of the cups or magnets: one for all, or one each"),
    Property("stroke", "lengths", "how far the cups yield: one for all, or one each; 0 by default"),
    Property("lip", "lengths", "the width of the lips of cups: one for all, or one each; 0 by default"),
    Property("vacuum", "number", "the pressure under cups below that of the air [kPa]; 60 by default"),
    Property("force", "number", "the greatest force of one magnet [N]"),
    Property("gap", "length", "the distance at which a magnet's force is zero; 2 mm by default"),
    Property("safety", "number", "the safety factor on the force that a part needs; by default 2, for magnets 3"),
    Property("friction", "number", "the friction of cups or magnets on a part; by default 0.5, for magnets 0.2"),
    Property("acceleration", "number", "the greatest acceleration of moves with a part [m/s²]; 0 by default"),
)
_DENSITY = Property("density", "number", "mass per volume [kg/m³]")
_MASS = Property("mass", "mass", "the mass, if it is not volume × density")
_LABEL = Property("label", "text", "its name in files, in any alphabet; commands use its name")
_MATERIAL = Property("material", "text", "the material's name")
_SPEED = Property("speed", "angular speed", "nominal speed of the joint that moves most")
_JOINTS = Property("joints", "joints", "initial joint values")
_MODEL = Property("model", "text", "the library or file model")
_RUNS = Property("runs", "speed", "the speed of a conveyor from the start; its sign is the direction")
_SHAPES = Property("shapes", "text", "`assigned` if its shape is only the solids of its links", ("assigned", "own"))
_GHOST = Property("ghost", "yes/no", "whether it is only for looking at: drawn translucent, tested against nothing")
_CLEAR = Property("transparency", "number", "0 is opaque, 1 is invisible")
_TCP = Property("tcp", "pose", "the tool centre point in the frame of the tool, z out of the flange")

_AXES = Property("axes", "text", "the places of external axes: held, best, or values such as 1200mm,30deg")

STATIONS = ("stop", "source", "sink")
"""The kinds of stations on conveyors."""
SENSES = ("light-barrier", "distance", "proximity", "contact", "weight", "encoder", "camera")
"""The kinds of sensor."""

FAULTS = ("stops", "slow", "drifts", "sticks", "lies", "slips", "keeps-open")
"""The kinds of faults."""
LIES = ("constant", "offset", "inverse", "noise")
"""The ways in which a sensor can be wrong."""

_KINDS = (
    Kind("surface", "a flat or free-form patch: main contours and holes"),
    Kind("curve", "a free-form curve in space"),
    Kind(
        "block",
        "a solid: from a recipe, of surfaces, or an operation on other blocks",
        ("surface", "block", "curve"),
        (_DENSITY, _MASS, _MATERIAL, _MAGNETIC, _GHOST, _CLEAR, _LABEL),
    ),
    Kind(
        "object",
        "a rigid thing made of blocks and of other objects",
        ("block", "object", "frame", "target", "path", "grasp", "sensor"),
        (_MASS, _MATERIAL, _MAGNETIC, _GHOST, _CLEAR, _LABEL),
    ),
    Kind(
        "scene",
        "what stands in the cell, and where",
        ("object", "robot", "mechanism", "tool", "gripper", "frame", "target", "path", "zone", "sensor", "light"),
    ),
    Kind(
        "robot",
        "an arm with joints and links",
        ("block", "object", "tool", "gripper", "robot", "mechanism", "sensor", "frame", "target", "path"),
        (
            _MODEL,
            _SPEED,
            _JOINTS,
            _SHAPES,
            _LABEL,
            _CLEAR,
            Property("branch", "text", "the inverse solution that moves use"),
            Property("hand", "text", "`none` if its own gripper is taken off", ("none", "own")),
            Property(
                "tool_point",
                "text",
                "where its tool frame is without a fitted tool: at the `flange`, or at the `grip` of its own gripper",
                ("flange", "grip"),
            ),
            Property("gripper_mass", "mass", "the mass of its own gripper"),
            *_GRIPPER_TIMES,
        ),
    ),
    Kind(
        "mechanism",
        "a rail, positioner, conveyor or other device with joints",
        ("block", "object", "robot", "tool", "sensor", "frame", "target", "path"),
        (_MODEL, _SPEED, _JOINTS, _SHAPES, _RUNS, _CLEAR),
    ),
    Kind(
        "tool",
        "what an arm carries",
        ("block", "object"),
        (_TCP, _MASS, _MATERIAL, Property("payload", "mass", "its mass, by its older name"), _MODEL, _CLEAR),
    ),
    Kind(
        "gripper",
        "a hand that opens and closes",
        ("block", "object"),
        (
            _TCP,
            Property("mass", "mass", "its mass, fingers included"),
            _MATERIAL,
            *_HAND,
            _CLEAR,
            *_GRIPPER_TIMES,
            _MODEL,
        ),
    ),
    Kind(
        "frame",
        "a named coordinate frame",
        ("frame", "target", "path", "sensor"),
        (
            Property("joint", "text", "the joint of a link that it marks, if any", ("i", "i+1")),
            Property("moves", "text", "how that joint moves", ("revolute", "prismatic", "fixed")),
        ),
    ),
    Kind(
        "grasp",
        "how an object is held",
        (),
        (
            Property("opening", "length", "the opening of the fingers when holding"),
            Property("approach_opening", "length", "the opening of the fingers when they move in to hold"),
            Property("pose", "pose", "the hand in the object's frame"),
        ),
    ),
    Kind(
        "target",
        "a pose that a program goes to",
        (),
        (
            _JOINTS,
            Property("label", "text", "the inverse solution: Ding's signs, or the Agent's index"),
            Property("robot", "text", "the robot that it was learned with; its joints and label are for this robot"),
            _AXES,
        ),
    ),
    Kind("path", "targets in order", ("target",), (_AXES,)),
    Kind("program", "commands that robots carry out", (), (Property("text", "text", "one command per line"),)),
    Kind(
        "task",
        "programs that run one after the other",
        ("program",),
        (Property("goal", "text", "what it achieves"),),
    ),
    Kind(
        "zone",
        "a volume that robots keep out of, in which they slow down, or that programs share",
        ("block", "object"),
        (
            Property("rule", "text", "keep-out, slow-down or shared", ("keep-out", "slow-down", "shared")),
            Property("speed", "number", "fraction of full speed"),
            Property("capacity", "number", "the number of programs that may be in it at once; 1 by default"),
            Property("robots", "text", "the robots that it applies to, with commas between; all by default"),
            Property("except", "text", "robots that it does not apply to, with commas between"),
        ),
    ),
    Kind("signal", "a value that programs share", (), (Property("value", "number", "initial value"),)),
    Kind(
        "fault",
        "something that goes wrong in a run",
        (),
        (
            Property("does", "text", "what goes wrong", FAULTS),
            Property("thing", "text", "the robot, mechanism or object with the fault"),
            Property("sensor", "text", "the sensor with the fault"),
            Property("part", "number", "the share of its speed that a slow device keeps"),
            Property("by", "joints", "the error of the joints of a device that drifts; it grows each time"),
            Property("lie", "text", "how the sensor is wrong", LIES),
            Property("value", "number", "the constant, the offset, or the size of the noise"),
            Property("slip", "pose", "how a part slips in the hand; by default out of it"),
            Property("at", "time", "when it begins"),
            Property("uses", "number", "the number of good uses after which it begins"),
            Property("chance", "number", "the probability with which each use begins it"),
            Property("per_hour", "number", "how often it begins per hour, on average"),
            Property("lasts", "time", "its duration; by default until it is cleared"),
            Property("seed", "number", "the seed of its random numbers"),
        ),
    ),
    Kind(
        "sensor",
        "a signal that the cell itself sets, by what it senses",
        (),
        (
            Property("senses", "text", "the kind of sensor", SENSES),
            Property("length", "length", "the length of the beam of a light barrier, along its z axis"),
            Property("radius", "length", "the radius of the beam of a light barrier; 0 by default"),
            Property("range", "length", "the range of a distance sensor or a camera, along its z axis"),
            Property("thresholds", "lengths", "the distances at which a distance sensor creates an event"),
            Property(
                "distance",
                "length",
                "the distance within which a body counts: from a point, or from the body that feels contact",
            ),
            Property("size", "vector", "the size of the box in which a proximity sensor looks, instead of a distance"),
            Property("joint", "number", "the joint that an encoder counts, from 1"),
            Property("resolution", "number", "the step of an encoder"),
            Property("view", "angle", "the whole angle in which a camera sees, in its x direction"),
            Property("height", "angle", "the whole angle in its y direction; by default as `view`"),
            Property("sees", "text", "the bodies, objects and robots that count, with commas between; all by default"),
            Property("ignores", "text", "bodies, objects and robots that do not count, with commas between"),
        ),
    ),
    Kind(
        "machine",
        "robots and mechanisms that move in one timing",
        (),
        (Property("members", "text", "the robots and mechanisms, in the order of their joints, with commas between"),),
    ),
    Kind(
        "station",
        "what happens to parts on a conveyor: a stop, a source or a sink",
        (),
        (
            Property("does", "text", "what happens there", STATIONS),
            Property("conveyor", "text", "the conveyor that it is on"),
            Property("place", "length", "the distance from the beginning of the belt; a sink is at its end by default"),
            Property("signal", "text", "the signal that raises a stop; by default it is always up"),
            Property("stock", "text", "the objects that a source can supply, with commas between"),
            Property("interval", "time", "the time between two parts of a source"),
            Property("spacing", "length", "the travel of the belt between two parts of a source"),
            Property("seed", "number", "makes the intervals of a source random about their mean"),
            Property("most", "number", "the number of parts that a source makes; no limit by default"),
            Property("first", "time", "when a source makes its first part; by default at the start"),
        ),
    ),
    Kind("material", "what a part is made of", (), (_DENSITY, _MAGNETIC)),
    Kind(
        "view",
        "a camera and what it shows",
        (),
        (
            Property("eye", "vector", "the position of the eye"),
            Property("target", "vector", "the point that it looks at"),
            Property("twist", "angle", "roll of the camera"),
            Property("projection", "text", "perspective or parallel", ("perspective", "parallel")),
            Property("side", "text", "iso, front, top …: shows everything from there"),
            Property("zoom", "number", "2 shows half as much, twice as large"),
            Property("near", "length", "anything nearer to the eye than this is cut away"),
            Property("surfaces", "text", "how surfaces are drawn", ("shaded", "solid", "hidden-line", "wireframe")),
            Property("edges", "text", "which edges are drawn", ("feature", "all", "none")),
            Property("shadows", "yes/no", "whether there are shadows"),
            Property("grid", "yes/no", "whether the floor has lines"),
            Property("axes", "yes/no", "whether x, y and z are shown in the corner"),
            Property("cut", "vector", "a point of the plane that cuts the picture open"),
            Property("along", "vector", "the direction into what is left behind that plane"),
            Property("shows", "text", "names of the things that it shows, with commas between; everything by default"),
            Property("hides", "text", "names of the things that it does not show, with commas between"),
            Property("views", "text", "for a sheet: the views that it shows side by side, with commas between"),
        ),
    ),
    Kind(
        "light",
        "a lamp",
        (),
        (
            Property("brightness", "number", "1 is normal"),
            Property("ambient", "yes/no", "no direction"),
            Property("aim", "vector", "the point that it shines at; the middle of the cell by default"),
        ),
    ),
    Kind(
        "colour",
        "a named colour",
        (),
        (Property("rgb", "vector", "red, green, blue from 0 to 1"),),
    ),
)

KINDS: dict[str, Kind] = {kind.name: kind for kind in _KINDS}
RESERVED.update(KINDS)

POSITIVE = (
    "mass", "gripper_mass", "density", "payload", "opening", "approach_opening", "reach", "finger_width",
    "finger_thickness", "speed", "vacuum", "force", "gap", "friction",
)  # fmt: skip
"""The properties that must be more than zero, for every kind of entity."""
NOT_NEGATIVE = tuple(one.name for one in _GRIPPER_TIMES)
"""The properties that must be zero or more."""
SHARES = (_CLEAR.name,)
"""The properties that must be from 0 to 1."""

SIGNALLING = {"sensor": "signal", "signal": "sensor"}
"""The kinds that are signals, each with the other one: no two of these may share a name."""

RIVALS: dict[str, tuple[str, ...]] = {
    "sensor": ("signal",), "signal": ("sensor",), "machine": ("robot", "mechanism", "object", "zone"),
    "robot": ("machine",), "mechanism": ("machine",), "object": ("machine",), "zone": ("machine",),
}  # fmt: skip
"""The kinds whose names a thing of a kind may not have, because both are used by name alone."""

NAME_LISTS = {
    "view": ("shows", "hides"), "zone": ("robots", "except"), "sensor": ("sees", "ignores"),
    "machine": ("members",),
    "station": ("conveyor", "stock"),
    "fault": ("thing",), "path": ("object",), "target": ("robot",),
}  # fmt: skip
"""The properties that contain names of things with commas between, by kind."""
VIEW_LISTS = {"view": ("views",)}
"""The properties that contain names of views, by kind."""
SENSOR_LISTS = {"fault": ("sensor",), "station": ("signal",)}
"""The properties that contain names of sensors and signals, by kind."""

LEVELS = ("surface", "block", "object", "scene")
"""The levels of the world model, from the bottom."""

PLACED = ("object", "robot", "mechanism", "tool", "gripper", "frame", "target", "path", "zone", "sensor", "light")
"""The kinds that a scene may contain."""


def kind_of(name: str) -> Kind:
    """The kind with that name."""
    if name not in KINDS:
        raise UnknownName.among("kind of entity", name, KINDS)
    return KINDS[name]


def relation_kind(parent: str, child: str) -> str:
    """The name of a relation from ``parent`` to ``child``; refused if these kinds do not fit."""
    if child not in KINDS[parent].parts:
        parts = KINDS[parent].parts
        holders = [kind.name for kind in sorted(_KINDS, key=lambda k: k.name == child) if child in kind.parts]
        can_hold = f"{an(parent)} is made of {either(parts)}" if parts else f"nothing can be attached to {an(parent)}"
        fits = (
            f"{an(child)} can be attached to {either(holders)}"
            if holders
            else f"{an(child)} cannot be attached to anything"
        )
        raise WrongLevel(
            f"{capital(an(child))} cannot be attached to {an(parent)}: {can_hold}, and {fits}.",
            allowed=parts,
            holders=holders,
        )
    if parent in ("robot", "mechanism") and child not in ("sensor", "frame", "target", "path"):
        return "link" if child in ("block", "object") else "mount"
    return "operand" if parent == child == "block" else f"transform-{child}"


RELATION_KINDS: tuple[str, ...] = tuple(
    dict.fromkeys(relation_kind(kind.name, part) for kind in _KINDS for part in kind.parts)
)
RESERVED.update(RELATION_KINDS)


def property_of(kind: str, name: str) -> Property | None:
    """The declared property, or None if the user added it."""
    return next((p for p in KINDS[kind].properties if p.name == name), None)
