"""A session made of plain Python, so that the wire is tested without engines and with known numbers.

The cell has a table, a box and an arm of two links that turns about the vertical axis.
"""

from __future__ import annotations

import dataclasses
import math
import threading
import time
import types
from collections.abc import Callable

import msgspec
import numpy as np

from workcell.errors import Cancelled, CommandSyntaxError, NothingToUndo, UnknownName
from workcell.geometry.mesh import Mesh
from workcell.spatial.pose import Pose
from workcell.spatial.units import Units


@dataclasses.dataclass(frozen=True)
class FakeSolid:
    size: tuple[float, float, float]
    centre: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def hash(self) -> str:
        return f"{self.size}{self.centre}"

    def mesh(self, tolerance: float) -> Mesh:
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
        corners = signs * np.array(self.size) / 2 + np.array(self.centre)
        quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        triangles = [(q[0], q[1], q[2]) for q in quads] + [(q[0], q[2], q[3]) for q in quads]
        edges = {tuple(sorted((q[i], q[(i + 1) % 4]))) for q in quads for i in range(4)}
        return Mesh(
            corners,
            np.array(triangles, dtype=np.int32),
            np.array([0, 1, 2, 3, 4, 5] * 2, dtype=np.int32),
            ("-x", "+x", "-y", "+y", "-z", "+z"),
            np.array(sorted(edges), dtype=np.int32),
        )


@dataclasses.dataclass(frozen=True)
class FakeState:
    time: float
    joints: dict[str, np.ndarray]
    poses: dict[str, Pose] = dataclasses.field(default_factory=dict)
    attached: dict[str, object] = dataclasses.field(default_factory=dict)
    signals: dict[str, object] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class FakeBody:
    name: str
    owner: str
    link: int
    solid: FakeSolid
    colour: tuple[float, float, float]
    movable: bool


ARM = types.SimpleNamespace(
    model="fake two-link",
    joint_names=("turn", "lift"),
    limits=np.array([[-math.pi, math.pi]] * 2),
    chain=types.SimpleNamespace(n=2, prismatic=np.array([False, False])),
)


@dataclasses.dataclass(frozen=True)
class FakeSnapshot:
    revision: int
    boxes: tuple[tuple[str, Pose], ...]

    @property
    def bodies(self) -> tuple[FakeBody, ...]:
        grey, orange = (0.62, 0.66, 0.7), (0.93, 0.49, 0.19)
        arm = (
            FakeBody("Arm base", "Arm", 0, FakeSolid((0.2, 0.2, 0.4), (0, 0, 0.2)), grey, False),
            FakeBody("Arm link 1", "Arm", 1, FakeSolid((0.5, 0.1, 0.1), (0.25, 0, 0.45)), orange, False),
            FakeBody("Arm link 2", "Arm", 2, FakeSolid((0.4, 0.08, 0.08), (0.2, 0, 0)), orange, False),
        )
        table = FakeBody(
            "table", "table", -1, FakeSolid((0.8, 1.2, 0.05), (0, 0, -0.025)), (0.8, 0.7, 0.55), False
        )
        cube = FakeSolid((0.12, 0.12, 0.12))
        return (
            *arm,
            table,
            *(FakeBody(name, name, -1, cube, (0.3, 0.5, 0.8), True) for name, _ in self.boxes),
        )

    @property
    def robots(self) -> tuple[object, ...]:
        return (types.SimpleNamespace(name="Arm", robot=ARM),)

    def body_poses(self, state: FakeState) -> np.ndarray:
        turn, lift = state.joints["Arm"]
        link1 = Pose.from_axis_angle((0, 0, 1), turn)
        link2 = link1 @ Pose.from_xyz(0.5, 0.0, 0.45) @ Pose.from_axis_angle((0, 1, 0), lift)
        poses = [Pose.identity(), link1, link2, Pose.from_xyz(0.9, 0, 0.4), *(pose for _, pose in self.boxes)]
        return np.stack([pose.matrix for pose in poses])


@dataclasses.dataclass(frozen=True)
class FakeEvent:
    time: float
    label: str


@dataclasses.dataclass(frozen=True)
class FakeRecording:
    """Joint values are linear between the corners."""

    corners: tuple[tuple[float, float, float], ...] = ((0.0, 0.0, 0.0),)

    @property
    def duration(self) -> float:
        return self.corners[-1][0]

    @property
    def joints(self) -> dict[str, np.ndarray]:
        return {"Arm": np.array(self.corners)[:, 1:]}

    @property
    def events(self) -> tuple[FakeEvent, ...]:
        return tuple(FakeEvent(corner[0], f"move {i + 1}") for i, corner in enumerate(self.corners[:-1]))

    def state_at(self, t: float) -> FakeState:
        table = np.array(self.corners)
        joints = [np.interp(t, table[:, 0], table[:, i]) for i in (1, 2)]
        return FakeState(t, {"Arm": np.array(joints)})

    def to_bytes(self) -> bytes:
        return np.array(self.corners, dtype="<f8").tobytes()


class FakeResult(msgspec.Struct, frozen=True):
    done: str

    def __str__(self) -> str:
        return f"done: {self.done}"


@dataclasses.dataclass(frozen=True)
class FakeChange:
    revision: int
    effect: str
    line: str
    who: str


COMMANDS = {
    "box": "edits",
    "undo": "edits",
    "redo": "edits",
    "turn": "simulates",
    "busy": "reads",
    "hold": "reads",
}


class FakeSession:
    """Understands: box, undo, redo, turn DEGREES, busy SECONDS (in the background), hold SECONDS, crash."""

    def __init__(self) -> None:
        self.cell = types.SimpleNamespace(name="fake cell")
        self.units = Units()
        self.progress: Callable[[float | None, str], None] = lambda fraction, label="": None
        self.cancel = threading.Event()
        self.recording = FakeRecording()
        self.thread = threading.current_thread()
        self.closed_in: threading.Thread | None = None
        self._boxes: tuple[tuple[str, Pose], ...] = (("box1", Pose.from_xyz(0.9, 0.2, 0.46)),)
        self._done: list[tuple[tuple[tuple[str, Pose], ...], FakeRecording, str]] = []
        self._undone: list[tuple[tuple[tuple[str, Pose], ...], FakeRecording, str]] = []
        self._listeners: list[Callable[[FakeChange], None]] = []
        self.revision = 1

    @property
    def state(self) -> FakeState:
        return dataclasses.replace(
            self.recording.state_at(self.recording.duration), poses=dict(self._boxes), signals={"start": True}
        )

    def snapshot(self) -> FakeSnapshot:
        return FakeSnapshot(self.revision, self._boxes)

    def on_change(self, listener: Callable[[FakeChange], None]) -> None:
        self._listeners.append(listener)

    def history_labels(self) -> tuple[str, str]:
        return (self._done[-1][2] if self._done else "", self._undone[-1][2] if self._undone else "")

    def background(self, line: str) -> FakeSession | None:
        return FakeSession() if line.startswith("busy") else None

    def complete(self, text: str) -> list[object]:
        found = [word for word in COMMANDS if word.startswith(text)]
        return [types.SimpleNamespace(text=word, help=f"{COMMANDS[word]} the cell") for word in found]

    def play(self) -> None:
        self.do("turn 90")

    def close(self) -> None:
        self.closed_in = threading.current_thread()

    def do(self, line: str) -> FakeResult:
        word, _, rest = line.partition(" ")
        if word == "crash":
            raise ZeroDivisionError("a fault of ours")
        if word not in COMMANDS:
            raise CommandSyntaxError(
                "There is no such command.", line=line, column=0, expected=sorted(COMMANDS)
            )
        if word in ("undo", "redo"):
            self._step_back(*((self._done, self._undone) if word == "undo" else (self._undone, self._done)))
        else:
            getattr(self, f"_{word}")(rest, line)
        effect = COMMANDS[word]
        if effect != "reads":
            self.revision += 1
        for listener in self._listeners:
            listener(FakeChange(self.revision, effect, line, "tester"))
        return FakeResult(line)

    def _box(self, rest: str, line: str) -> None:
        if rest in dict(self._boxes):
            raise UnknownName.among("free name", rest, ["box2"])
        self._remember(line)
        self._boxes += ((rest, Pose.from_xyz(0.8, -0.1 * len(self._boxes), 0.46)),)

    def _turn(self, rest: str, line: str) -> None:
        self._remember(line)
        t, turn, lift = self.recording.corners[-1]
        angle = math.radians(float(rest))
        corner = (t + abs(angle) / 0.5, turn + angle, lift + angle / 3)
        self.recording = FakeRecording((*self.recording.corners, corner))

    def _remember(self, line: str) -> None:
        self._done.append((self._boxes, self.recording, line))
        self._undone.clear()

    def _step_back(self, source: list, target: list) -> None:
        if not source:
            raise NothingToUndo("There is nothing left in that direction.")
        boxes, recording, line = source.pop()
        target.append((self._boxes, self.recording, line))
        self._boxes, self.recording = boxes, recording

    def _busy(self, rest: str, line: str) -> None:
        self._hold(rest, line)

    def _hold(self, rest: str, line: str) -> None:
        seconds = float(rest)
        begun = time.monotonic()
        while (gone := time.monotonic() - begun) < seconds:
            self.progress(gone / seconds, "holding")
            if self.cancel.wait(0.02):
                raise Cancelled("The hold was cancelled.")
