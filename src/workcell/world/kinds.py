"""The kinds of entity, what each is made of, and the properties each carries."""

from __future__ import annotations

import msgspec

from workcell.errors import UnknownName, WrongLevel
from workcell.wording import an, capital, either
from workcell.world.names import RESERVED


class Property(msgspec.Struct, frozen=True):
    """A typed property: its quantity tells how a value is typed, checked and shown.

    ``quantity`` is one of length, angle, time, mass, speed, angular speed, number, text, yes/no, vector
    (three lengths), lengths (any number of them), joints (one value a joint) or pose.
    """

    name: str
    quantity: str
    help: str
    words: tuple[str, ...] = ()
    """The texts that mean something, where others would change nothing."""


class Kind(msgspec.Struct, frozen=True):
    """A kind of entity."""

    name: str
    help: str
    parts: tuple[str, ...] = ()
    """The kinds that a relation of this kind of entity may point to."""
    properties: tuple[Property, ...] = ()
    plural: str = ""


_GRIPPER_TIMES = (
    Property("close_time", "time", "how long the gripper takes to close"),
    Property("open_time", "time", "how long the gripper takes to open"),
    Property("build_up", "time", "how long a vacuum takes to build up after closing"),
)
_MAGNETIC = Property("ferromagnetic", "yes/no", "whether a magnet holds it")
_HAND = (
    Property("holds", "text", "how it holds parts; with fingers unless set", ("fingers", "suction", "magnet")),
    Property("opening", "length", "the widest opening of fingers"),
    Property("reach", "length", "from the flange to the grip point between the finger tips"),
    Property("turn", "angle", "of the fingers about the flange's axis"),
    Property("finger_width", "length", "across the fingers; 20 mm unless set"),
    Property("finger_thickness", "length", "of one finger, along the direction of closing; 12 mm unless set"),
    Property("cups", "lengths", "where the rims of suction cups are in its frame: x,y,z,x,y,z,…"),
    Property("magnets", "lengths", "where the faces of magnets are in its frame: x,y,z,x,y,z,…"),
    Property("diameter", "lengths", "of the cups or magnets: one for all, or one each"),
    Property("stroke", "lengths", "how far the cups yield: one for all, or one each; 0 unless set"),
    Property("lip", "lengths", "the width of the lips of cups: one for all, or one each; 0 unless set"),
    Property("vacuum", "number", "how far the pressure under cups is below that of the air [kPa]; 60 unless set"),
    Property("force", "number", "what one magnet holds at the most [N]"),
    Property("gap", "length", "the distance at which nothing is left of a magnet's force; 2 mm unless set"),
    Property(
        "safety", "number", "the factor by which pads must hold more than a part needs; 2, for magnets 3 unless set"
    ),
    Property("friction", "number", "of cups or magnets on a part; 0.5, for magnets 0.2 unless set"),
    Property("acceleration", "number", "of the moves to reckon with when a part is held [m/s²]; 0 unless set"),
)
_DENSITY = Property("density", "number", "mass per volume [kg/m³]")
_MASS = Property("mass", "mass", "the mass when it is not volume × density")
_LABEL = Property("label", "text", "what files call it, in any alphabet; its name is what commands call it")
_MATERIAL = Property("material", "text", "the material's name")
_SPEED = Property("speed", "angular speed", "nominal speed of the joint that moves most")
_JOINTS = Property("joints", "joints", "initial joint values")
_MODEL = Property("model", "text", "the library or file model")
_RUNS = Property("runs", "speed", "the speed at which a conveyor runs from the start; its sign is the direction")
_SHAPES = Property(
    "shapes", "text", "`assigned` when only the solids given to its links are its shape", ("assigned", "own")
)
_GHOST = Property("ghost", "yes/no", "whether it is for looking at: drawn translucent, and nothing touches it")
_CLEAR = Property("transparency", "number", "how much is seen through it: 0 is opaque, 1 is not seen at all")
_TCP = Property("tcp", "pose", "the tool centre point in the frame of the tool, z out of the flange")

_AXES = Property("axes", "text", "where external axes are to be: held, best, or values such as 1200mm,30deg")

STATIONS = ("stop", "source", "sink")
"""What stations on conveyors do."""
SENSES = ("light-barrier", "distance", "proximity", "contact", "weight", "encoder", "camera")
"""The kinds of sensor."""

FAULTS = ("stops", "slow", "drifts", "sticks", "lies", "slips", "keeps-open")
"""What can go wrong."""
LIES = ("constant", "offset", "inverse", "noise")
"""The ways in which a sensor lies."""

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
            Property("branch", "text", "which inverse solution is taken"),
            Property("hand", "text", "`none` when the gripper that it comes with is taken off", ("none", "own")),
            Property("gripper_mass", "mass", "the mass of the gripper that it comes with"),
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
            Property("joint", "text", "which joint of a link it is, where it is one", ("i", "i+1")),
            Property("moves", "text", "how that joint moves", ("revolute", "prismatic", "fixed")),
        ),
    ),
    Kind(
        "grasp",
        "how an object is held",
        (),
        (
            Property("opening", "length", "opening when holding"),
            Property("pose", "pose", "the hand in the object's frame"),
        ),
    ),
    Kind(
        "target",
        "a pose that a program goes to",
        (),
        (
            _JOINTS,
            Property("label", "text", "the inverse solution taken: Ding's signs, or the Agent's index"),
            Property("robot", "text", "the robot that it was learned with, for which its joints and label hold"),
            _AXES,
        ),
    ),
    Kind("path", "targets in order", ("target",), (_AXES,)),
    Kind("program", "commands that robots carry out", (), (Property("text", "text", "one command a line"),)),
    Kind(
        "task",
        "programs that are carried out one after the other",
        ("program",),
        (Property("goal", "text", "what it achieves"),),
    ),
    Kind(
        "zone",
        "a volume that is kept out of, where robots slow down, or that programs share",
        ("block", "object"),
        (
            Property("rule", "text", "keep-out, slow-down or shared", ("keep-out", "slow-down", "shared")),
            Property("speed", "number", "fraction of full speed"),
            Property("capacity", "number", "how many programs may be in it at once; 1 unless set"),
            Property("robots", "text", "the robots that it concerns, with commas between; all unless set"),
            Property("except", "text", "robots that it does not concern, with commas between"),
        ),
    ),
    Kind("signal", "a value that programs share", (), (Property("value", "number", "initial value"),)),
    Kind(
        "fault",
        "something that goes wrong in a run",
        (),
        (
            Property("does", "text", "what goes wrong", FAULTS),
            Property("thing", "text", "the robot, mechanism or object that it is of"),
            Property("sensor", "text", "the sensor that it is of"),
            Property("part", "number", "the part of its speed that a slow device keeps"),
            Property("by", "joints", "how far the joints of a device that drifts are off, more each time"),
            Property("lie", "text", "how a sensor lies", LIES),
            Property("value", "number", "of the lie: the constant, the offset, or the size of the noise"),
            Property("slip", "pose", "how a part slips in the hand; out of it unless set"),
            Property("at", "time", "when it begins"),
            Property("uses", "number", "after how many good uses it begins"),
            Property("chance", "number", "with what probability each use begins it"),
            Property("per_hour", "number", "how often it begins in an hour, on average"),
            Property("lasts", "time", "for how long; until it is cleared unless set"),
            Property("seed", "number", "of what is left to chance"),
        ),
    ),
    Kind(
        "sensor",
        "a signal that the cell itself gives, by what it senses",
        (),
        (
            Property("senses", "text", "what kind of sensor it is", SENSES),
            Property("length", "length", "of the beam of a light barrier, along its z axis"),
            Property("radius", "length", "of the beam of a light barrier; 0 unless set"),
            Property("range", "length", "how far a distance sensor or a camera sees, along its z axis"),
            Property("thresholds", "lengths", "the distances at which a distance sensor makes an event"),
            Property("distance", "length", "how near a body counts: to a point, or to the body that feels contact"),
            Property("size", "vector", "of the box in which a proximity sensor looks, instead of a distance"),
            Property("joint", "number", "the joint that an encoder counts, from 1"),
            Property("resolution", "number", "the step of an encoder"),
            Property("view", "angle", "the whole angle in which a camera sees, in its x direction"),
            Property("height", "angle", "the whole angle in its y direction; as `view` unless set"),
            Property("sees", "text", "the bodies, objects and robots that count, with commas between; all unless set"),
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
            Property("place", "length", "how far from the beginning of the belt; a sink is at its end unless set"),
            Property("signal", "text", "the signal that a stop is up with; always up unless set"),
            Property("stock", "text", "the objects that a source has to give, with commas between"),
            Property("interval", "time", "between two parts of a source"),
            Property("spacing", "length", "the way of the belt between two parts of a source"),
            Property("seed", "number", "makes the intervals of a source random about their mean"),
            Property("most", "number", "how many parts a source makes; no limit unless set"),
            Property("first", "time", "when a source makes its first part; at the start unless set"),
        ),
    ),
    Kind("material", "what a part is made of", (), (_DENSITY, _MAGNETIC)),
    Kind(
        "view",
        "a camera and what it shows",
        (),
        (
            Property("eye", "vector", "where it looks from"),
            Property("target", "vector", "what it looks at"),
            Property("twist", "angle", "roll of the camera"),
            Property("projection", "text", "perspective or parallel", ("perspective", "parallel")),
            Property("side", "text", "iso, front, top …: shows everything from there"),
            Property("zoom", "number", "2 shows half as much, twice as large"),
            Property("near", "length", "what is nearer to the eye than this is cut away"),
            Property("shows", "text", "names of what it shows, with commas between; everything unless set"),
        ),
    ),
    Kind(
        "light",
        "a lamp",
        (),
        (Property("brightness", "number", "1 is normal"), Property("ambient", "yes/no", "no direction")),
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
    "mass", "gripper_mass", "density", "payload", "opening", "reach", "finger_width", "finger_thickness", "speed",
    "vacuum", "force", "gap", "friction",
)  # fmt: skip
"""The properties that are more than zero, of whatever kind of entity."""
NOT_NEGATIVE = tuple(one.name for one in _GRIPPER_TIMES)
"""The properties that are zero or more."""
SHARES = (_CLEAR.name,)
"""The properties that are from 0 to 1."""

SIGNALLING = {"sensor": "signal", "signal": "sensor"}
"""The kinds that are signals, each with the other one: no two of these may have one name."""

RIVALS: dict[str, tuple[str, ...]] = {
    "sensor": ("signal",), "signal": ("sensor",), "machine": ("robot", "mechanism", "object", "zone"),
    "robot": ("machine",), "mechanism": ("machine",), "object": ("machine",), "zone": ("machine",),
}  # fmt: skip
"""The kinds whose names a thing of a kind may not have, since both are called by name alone."""

NAME_LISTS = {
    "view": ("shows",), "zone": ("robots", "except"), "sensor": ("sees", "ignores"), "machine": ("members",),
    "station": ("conveyor", "stock"),
    "fault": ("thing",), "path": ("object",), "target": ("robot",),
}  # fmt: skip
"""The properties that hold names of things with commas between, by kind."""
SENSOR_LISTS = {"fault": ("sensor",), "station": ("signal",)}
"""The properties that hold names of sensors and signals, by kind."""

LEVELS = ("surface", "block", "object", "scene")
"""The levels of the world model, from the bottom."""

PLACED = ("object", "robot", "mechanism", "tool", "gripper", "frame", "target", "path", "zone", "sensor", "light")
"""What a scene may hold."""


def kind_of(name: str) -> Kind:
    """The kind of that name."""
    if name not in KINDS:
        raise UnknownName.among("kind of entity", name, KINDS)
    return KINDS[name]


def relation_kind(parent: str, child: str) -> str:
    """What a relation from ``parent`` to ``child`` is called, refused when these kinds do not fit."""
    if child not in KINDS[parent].parts:
        parts = KINDS[parent].parts
        holders = [kind.name for kind in sorted(_KINDS, key=lambda k: k.name == child) if child in kind.parts]
        can_hold = f"{an(parent)} is made of {either(parts)}" if parts else f"nothing can be attached to {an(parent)}"
        fits = f"{an(child)} goes to {either(holders)}" if holders else f"{an(child)} is not attached to anything"
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
    """The declared property, or nothing when the entity's owner made it up."""
    return next((p for p in KINDS[kind].properties if p.name == name), None)
