"""Messages that show a cell: the whole picture, and differences."""

# ruff: noqa: RUF012 (a struct copies its defaults)

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from workcell.service.message import Message, MessageValue


class UnitNames(MessageValue, frozen=True):
    """The display units of the cell."""

    length: str
    angle: str
    length_size: float
    angle_size: float


class PieceInfo(MessageValue, frozen=True):
    """A shape of one colour, in the frame of its body; the shape is at ``/glb/{glb}``.

    Several shapes are at ``/glb/{glb},{glb},…``, one file after the other. A translucent piece has an
    opacity below 1; with 0 it is invisible.
    """

    glb: str
    colour: tuple[float, float, float]
    ghost: bool = False
    opacity: float = 1.0


Seven = tuple[float, float, float, float, float, float, float]
"""A pose: x y z [m], quaternion w x y z."""


class BodyInfo(MessageValue, frozen=True):
    """A rigid body; ``owner`` is the id of its robot or object, ``link`` is -1 for an object."""

    id: str
    name: str
    owner: str
    link: int
    pieces: list[PieceInfo]
    pose: Seven
    movable: bool


class BodyChange(MessageValue, frozen=True):
    """The changed fields of a body; missing fields stay."""

    id: str
    name: str | UnsetType = UNSET
    owner: str | UnsetType = UNSET
    link: int | UnsetType = UNSET
    pieces: list[PieceInfo] | UnsetType = UNSET
    pose: Seven | UnsetType = UNSET
    movable: bool | UnsetType = UNSET


class ZoneInfo(MessageValue, frozen=True):
    """A zone: its rule, its pose, and its shape at ``/glb/{glb}``."""

    id: str
    name: str
    rule: str
    glb: str
    pose: Seven


class ZoneChange(MessageValue, frozen=True):
    """The changed fields of a zone."""

    id: str
    name: str | UnsetType = UNSET
    rule: str | UnsetType = UNSET
    glb: str | UnsetType = UNSET
    pose: Seven | UnsetType = UNSET


NodeKind = Literal[
    "robot",
    "machine",
    "station",
    "object",
    "zone",
    "sensor",
    "target",
    "frame",
    "path",
    "curve",
    "surface",
    "program",
    "view",
    "light",
]


class NodeInfo(MessageValue, frozen=True):
    """A thing of the cell for lists; those of a kind are in the order of ``rank``."""

    id: str
    kind: NodeKind
    name: str
    note: str
    rank: str


class NodeChange(MessageValue, frozen=True):
    """The changed fields of a thing."""

    id: str
    kind: NodeKind | UnsetType = UNSET
    name: str | UnsetType = UNSET
    note: str | UnsetType = UNSET
    rank: str | UnsetType = UNSET


class JointInfo(MessageValue, frozen=True):
    """A joint and its range [rad or m]."""

    name: str
    lower: float
    upper: float
    prismatic: bool


class RobotInfo(MessageValue, frozen=True):
    """A robot in the scene: its joints and their values [rad or m], the tool on its flange and the bodies of the tool.

    ``tool`` is empty if there is nothing on the flange. A tool without a shape has no bodies. ``point`` is where the
    tool frame of an arm with its own gripper is: ``flange`` or ``grip``; '' for any other. ``grips`` is how it holds
    parts: by ``fingers``, or by ``surface`` (cups and magnets); '' if it has nothing to close. Commands name a
    ``mechanism`` with that word as its kind. ``fitted`` is the kind of its fitted tool: ``tool`` or ``gripper``;
    '' for its own gripper or none. ``carrier`` is the name of the robot or mechanism on which it is mounted; '' if it
    stands by itself. A ``belt`` can be run.
    """

    id: str
    name: str
    model: str
    joints: list[JointInfo]
    values: list[float]
    tool: str
    hand: list[str]
    point: str = ""
    grips: str = ""
    mechanism: bool = False
    fitted: str = ""
    carrier: str = ""
    belt: bool = False


class RobotChange(MessageValue, frozen=True):
    """The changed fields of a robot."""

    id: str
    name: str | UnsetType = UNSET
    model: str | UnsetType = UNSET
    joints: list[JointInfo] | UnsetType = UNSET
    values: list[float] | UnsetType = UNSET
    tool: str | UnsetType = UNSET
    hand: list[str] | UnsetType = UNSET
    point: str | UnsetType = UNSET
    grips: str | UnsetType = UNSET
    mechanism: bool | UnsetType = UNSET
    fitted: str | UnsetType = UNSET
    carrier: str | UnsetType = UNSET
    belt: bool | UnsetType = UNSET


class Facts(MessageValue, frozen=True):
    """Facts about the cell: what undo would revert, what redo would repeat, the units, and how motions are watched.

    ``watch`` is '' if they are not, or ``yes``, ``certified`` or ``certified undecided``.
    """

    revision: str
    undo: str
    redo: str
    units: UnitNames
    watch: str


class Scene(Message, frozen=True):
    """The whole picture; ``number`` counts the pictures of the cell that were shown."""

    number: int
    facts: Facts
    bodies: list[BodyInfo]
    nodes: list[NodeInfo]
    robots: list[RobotInfo]
    zones: list[ZoneInfo]


class BodyDifference(MessageValue, frozen=True, omit_defaults=True):
    """The bodies that appeared, changed and went."""

    appeared: list[BodyInfo] = []
    changed: list[BodyChange] = []
    went: list[str] = []


class NodeDifference(MessageValue, frozen=True, omit_defaults=True):
    """The things that appeared, changed and went."""

    appeared: list[NodeInfo] = []
    changed: list[NodeChange] = []
    went: list[str] = []


class RobotDifference(MessageValue, frozen=True, omit_defaults=True):
    """The robots that appeared, changed and went."""

    appeared: list[RobotInfo] = []
    changed: list[RobotChange] = []
    went: list[str] = []


class ZoneDifference(MessageValue, frozen=True, omit_defaults=True):
    """The zones that appeared, changed and went."""

    appeared: list[ZoneInfo] = []
    changed: list[ZoneChange] = []
    went: list[str] = []


class Difference(Message, frozen=True):
    """The change from the picture ``before`` to the picture ``after``; tables without changes are left out.

    A client whose picture has another number than ``before`` asks for the whole with ``fetch-scene``.
    """

    before: int
    after: int
    facts: Facts
    bodies: BodyDifference | UnsetType = UNSET
    nodes: NodeDifference | UnsetType = UNSET
    robots: RobotDifference | UnsetType = UNSET
    zones: ZoneDifference | UnsetType = UNSET


class Behind(Message, frozen=True):
    """This client reads too slowly: it gets no differences until it asks for the whole with ``fetch-scene``."""

    number: int
