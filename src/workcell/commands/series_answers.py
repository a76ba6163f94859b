"""The answers of commands that give numbers over time, and poses that nothing has yet."""

from __future__ import annotations

from workcell.commands.collision_answers import ContactRow
from workcell.commands.results import Result


class SeriesLine(Result, frozen=True):
    """One curve: its name, its unit, and a value for each time; None where there is none."""

    name: str
    unit: str
    values: list[float | None]


class Series(Result, frozen=True):
    """Values of a robot over time: times [s], and curves in SI units; for clearance also the nearest pairs.

    ``start`` and ``end`` are those of the recording [s]. ``sampled`` curves may have extremes between the times.
    """

    robot: str
    quantity: str
    times: list[float]
    lines: list[SeriesLine]
    text: str
    pairs: list[tuple[str, str] | None] = []  # noqa: RUF012 (a struct copies its defaults)
    start: float = 0.0
    end: float = 0.0
    sampled: bool = True

    def __str__(self) -> str:
        return self.text


class ChartBar(Result, frozen=True):
    """A bar of a Gantt chart: begin and end [s], colour and text; ``waits`` if it is a wait."""

    begin: float
    end: float
    colour: str
    text: str
    waits: bool = False


class ChartRow(Result, frozen=True):
    """A row of a Gantt chart; ``curve`` has times and values of a sensor that is not only 0 and 1."""

    label: str
    robot: bool
    bars: list[ChartBar]
    curve: list[tuple[float, float]]


class Chart(Result, frozen=True):
    """The rows of the Gantt chart of a recording, what its colours mean, and the stops that concern all rows."""

    start: float
    end: float
    rows: list[ChartRow]
    legend: list[tuple[str, str]]
    text: str
    stops: list[ChartBar] = []  # noqa: RUF012 (a struct copies its defaults)

    def __str__(self) -> str:
        return self.text


class BodyPoses(Result, frozen=True):
    """Where bodies would be if a robot had other joint values: names, and x y z [m] with quaternion w x y z of each.

    Only bodies that would move are listed, with those that the robot carries. With ``--contacts``, ``contacts`` has
    what would touch, the deepest first.
    """

    robot: str
    joints: list[float]
    bodies: list[str]
    poses: list[list[float]]
    within_limits: bool
    text: str
    contacts: list[ContactRow] | None = None

    def __str__(self) -> str:
        return self.text


class PlacePose(Result, frozen=True):
    """A target or frame: its pose in the world (x y z [m], quaternion w x y z), and the body that carries it.

    ``carrier`` is a body, or a robot if ``link`` is 0 or more, or '' for the world.
    """

    kind: str
    name: str
    pose: list[float]
    carrier: str
    link: int


class PathLine(Result, frozen=True):
    """A path: its targets and their positions in the world [m], whether it is a ring, and what carries it."""

    name: str
    targets: list[str]
    points: list[list[float]]
    ring: bool
    carrier: str
    link: int


class PlacePoses(Result, frozen=True):
    """Where targets, frames and paths are now; those that are in no scene are left out."""

    places: list[PlacePose]
    paths: list[PathLine]
    text: str

    def __str__(self) -> str:
        return self.text


class MovedWith(Result, frozen=True):
    """What moves if a thing is placed elsewhere: the thing, its pose as rows, and the bodies and places that follow it.

    ``bodies`` are names of bodies, those of the thing included. ``places`` are targets, frames and paths as
    ``kind:name``. ``carrier`` is what the thing hangs or stands on, '' for the world. ``refusal`` is the reason why
    it cannot be placed, '' if it can.
    """

    thing: str
    kind: str
    pose: list[list[float]]
    bodies: list[str]
    places: list[str]
    carrier: str
    refusal: str
    text: str

    def __str__(self) -> str:
        return self.text


class Compared(Result, frozen=True):
    """The first difference of two recordings, if there is one: its time [s], its kind, and what differs.

    ``most`` is the greatest difference: [rad or m] for a joint; [m] and [rad] for a pose.
    """

    same: bool
    text: str
    time: float | None = None
    kind: str = ""
    device: str = ""
    joint: int = 0
    most: tuple[float, ...] = ()
    most_time: float = 0.0

    def __str__(self) -> str:
        return self.text


class Rider(Result, frozen=True):
    """A body that moves with a link of a robot: the number of its frame, 0 for the base, and its pose in the world."""

    body: str
    frame: int
    pose: list[float]


class JointFrames(Result, frozen=True):
    """The frames of the links of a robot, the base first: position [m] and quaternion wxyz in the world.

    ``joints`` are its joint values there, ``riders`` its bodies and those that it moves, each with one of the frames.
    """

    robot: str
    joints: list[float]
    poses: list[list[float]]
    riders: list[Rider]
    text: str

    def __str__(self) -> str:
        return self.text
