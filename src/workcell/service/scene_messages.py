"""Messages that show a cell: the whole picture, and what makes the next one of it."""

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
    """A shape of one colour, in the frame of its body; the shape is at ``/glb/{glb}``. A ghost is not touched.

    What is seen through has an opacity below 1; one of 0 is not seen at all.
    """

    glb: str
    colour: tuple[float, float, float]
    ghost: bool = False
    opacity: float = 1.0


Seven = tuple[float, float, float, float, float, float, float]
"""A pose: x y z [m], quaternion w x y z."""


class BodyInfo(MessageValue, frozen=True):
    """A rigid body; ``owner`` is the id of the robot or object that it belongs to, ``link`` -1 for an object."""

    id: str
    name: str
    owner: str
    link: int
    pieces: list[PieceInfo]
    pose: Seven
    movable: bool


class BodyChange(MessageValue, frozen=True):
    """What is another of a body; fields that are not there stay."""

    id: str
    name: str | UnsetType = UNSET
    owner: str | UnsetType = UNSET
    link: int | UnsetType = UNSET
    pieces: list[PieceInfo] | UnsetType = UNSET
    pose: Seven | UnsetType = UNSET
    movable: bool | UnsetType = UNSET


class ZoneInfo(MessageValue, frozen=True):
    """A volume that robots keep out of, slow down in or share; its shape is at ``/glb/{glb}``, its pose as a body's."""

    id: str
    name: str
    rule: str
    glb: str
    pose: Seven


class ZoneChange(MessageValue, frozen=True):
    """What is another of a zone."""

    id: str
    name: str | UnsetType = UNSET
    rule: str | UnsetType = UNSET
    glb: str | UnsetType = UNSET
    pose: Seven | UnsetType = UNSET


NodeKind = Literal["robot", "machine", "station", "object", "zone", "sensor", "program", "view"]


class NodeInfo(MessageValue, frozen=True):
    """A thing of the cell as lists name it; those of a kind stand in the order of ``rank``."""

    id: str
    kind: NodeKind
    name: str
    note: str
    rank: str


class NodeChange(MessageValue, frozen=True):
    """What is another of a thing."""

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
    """A robot in the scene: its joints and where they stand [rad or m]; what is on its flange, and the bodies of that.

    ``tool`` is empty where the flange is bare. A tool without a shape has no bodies.
    """

    id: str
    name: str
    model: str
    joints: list[JointInfo]
    values: list[float]
    tool: str
    hand: list[str]


class RobotChange(MessageValue, frozen=True):
    """What is another of a robot."""

    id: str
    name: str | UnsetType = UNSET
    model: str | UnsetType = UNSET
    joints: list[JointInfo] | UnsetType = UNSET
    values: list[float] | UnsetType = UNSET
    tool: str | UnsetType = UNSET
    hand: list[str] | UnsetType = UNSET


class Facts(MessageValue, frozen=True):
    """What is known of the cell beside its things: what undo would take back, what redo would do again, the units."""

    revision: str
    undo: str
    redo: str
    units: UnitNames


class Scene(Message, frozen=True):
    """Everything that can be seen; ``number`` counts the pictures of the cell that were shown."""

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
    """What makes the picture ``after`` of the picture ``before``; tables in which nothing changed are not there.

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
    """This client reads too slowly for differences: it gets none until it asks for the whole with ``fetch-scene``."""

    number: int
