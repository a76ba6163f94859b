"""A session with a language of its own, so that the wire is tested without CAD and with known numbers.

The cell has a table, a box and an arm of two links that turns about the vertical axis.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import math
import threading
import time
import types
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from workcell.commands.file_access import FileAccess
from workcell.errors import Cancelled, CommandSyntaxError, NothingToUndo, UnknownName
from workcell.geometry.mesh import Mesh
from workcell.robots.robot import Robot
from workcell.simulation.events import Message
from workcell.simulation.recording import Recording
from workcell.spatial.pose import Pose
from workcell.spatial.units import Units
from workcell.world.body import Body, Piece
from workcell.world.placed import PlacedRobot
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState


@dataclasses.dataclass(frozen=True)
class FakeSolid:
    size: tuple[float, float, float]
    centre: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def hash(self) -> str:
        return f"{self.size}{self.centre}"

    def mesh(self, tolerance: float = 1e-3) -> Mesh:
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


ARM = Robot.from_dh(
    [{"theta": 0, "d": 0.45, "a": 0.5, "alpha": 0}, {"theta": 0, "d": 0, "a": 0.4, "alpha": 0}],
    name="two-link",
)
GREY, ORANGE, WOOD, BLUE = (0.62, 0.66, 0.7), (0.93, 0.49, 0.19), (0.8, 0.7, 0.55), (0.3, 0.5, 0.8)
Boxes = tuple[tuple[str, Pose], ...]


def arm_bodies() -> tuple[Body, ...]:
    base = Piece(FakeSolid((0.2, 0.2, 0.4), (0, 0, 0.2)), GREY)
    upper = Piece(FakeSolid((0.5, 0.1, 0.1), (-0.25, 0, 0)), ORANGE)
    hub = Piece(FakeSolid((0.14, 0.14, 0.16)), GREY)
    fore = Piece(FakeSolid((0.4, 0.08, 0.08), (-0.2, 0, 0)), ORANGE)
    return (
        Body("Arm/base", "Arm", 0, (base,)),
        Body("Arm/link 1", "Arm", 1, (upper, hub)),
        Body("Arm/link 2", "Arm", 2, (fore,)),
    )


def snapshot_of(revision: int, boxes: Boxes, joints: tuple[float, float] = (0.0, 0.0)) -> Snapshot:
    table = Body("table", "table", -1, (Piece(FakeSolid((0.8, 1.2, 0.05), (0, 0, -0.025)), WOOD),))
    cube = Piece(FakeSolid((0.12, 0.12, 0.12)), BLUE)
    bodies = (*arm_bodies(), table, *(Body(name, name, -1, (cube,), movable=True) for name, _ in boxes))
    placed = PlacedRobot("Arm", ARM, "world", 0, Pose.identity(), (0, 1, 2), 0.5)
    poses = {"table": Pose.from_xyz(0.9, 0, 0.4), **dict(boxes)}
    return Snapshot((revision, 0), "fake cell", bodies, (placed,), CellState(0.0, {"Arm": joints}, poses))


class FakeResult(msgspec.Struct, frozen=True):
    done: str

    def __str__(self) -> str:
        return f"done: {self.done}"


@dataclasses.dataclass(frozen=True)
class FakeChange:
    revision: str
    effect: str
    line: str
    who: str
    ended: str = ""
    whose: str = ""
    label: str = ""


COMMANDS = {
    "box": "edits",
    "undo": "edits",
    "redo": "edits",
    "turn": "simulates",
    "busy": "reads",
    "hold": "reads",
}


class FakeVocabulary:
    """Stands for the registry and its tree."""

    def __init__(self) -> None:
        self.tree = self
        self.commands = [self.parse(word, None)[0] for word in COMMANDS]

    def parse(self, line: str, session: object) -> tuple[Any, dict[str, str]]:
        word, _, rest = line.partition(" ")
        if word != "crash" and word not in COMMANDS:
            raise CommandSyntaxError("There is no such command.", line=line, column=0, expected=sorted(COMMANDS))
        syntax = types.SimpleNamespace(shown=lambda: word)
        effect = COMMANDS.get(word, "reads")
        command = types.SimpleNamespace(
            name=word, syntax=syntax, help=f"to {word}", effect=effect, background=word == "busy", prepares=None
        )
        return command, {"rest": rest}


@dataclasses.dataclass
class Step:
    command: str
    boxes: Boxes
    turns: tuple[float, ...]
    undone: bool = False
    who: str = "tester"

    @property
    def label(self) -> str:
        return self.command


class FakeHistory:
    """Stands for the journal: each step keeps what was before it."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.written = 0
        self.last_command = ""

    def authors(self) -> list[str]:
        return sorted({step.who for step in self.steps})

    @property
    def revision(self) -> int:
        return sum(not step.undone for step in self.steps)

    def entry(self, number: int) -> Step:
        return self.steps[number - 1]

    @property
    def can_redo(self) -> bool:
        return any(step.undone for step in self.steps)

    @property
    def next_redo(self) -> Step:
        return next(step for step in self.steps if step.undone)


class FakeSession:
    """Understands: box NAME, undo, redo, turn DEGREES, busy SECONDS (aside), hold SECONDS, crash."""

    def __init__(self) -> None:
        self.database = types.SimpleNamespace(
            store=types.SimpleNamespace(path=None, note=""),
            history=FakeHistory(),
            setting=lambda name: "",
            find=lambda kind, name: None,
            entities=lambda kind: (
                [types.SimpleNamespace(id=1, name="demo", properties={})] if kind == "program" else []
            ),
        )
        self.ongoing = types.SimpleNamespace(loaded=False)
        self.registry = FakeVocabulary()
        self.files = FileAccess()
        self.units = Units()
        self.display = types.SimpleNamespace(of_cell=Units())
        self.who = "tester"
        self.gate = contextlib.nullcontext()
        self.breakpoints = types.SimpleNamespace(fitted=dict)
        self.paused = None
        self.progress: Callable[[float, str], None] = lambda fraction, label: None
        self.cancel: threading.Event | None = None
        self.going: threading.Event | None = None
        self.thread = threading.current_thread()
        self.closed_in: threading.Thread | None = None
        self._boxes: Boxes = (("box1", Pose.from_xyz(0.9, 0.2, 0.46)),)
        self._turns: tuple[float, ...] = ()
        self._listeners: list[Callable[[FakeChange], None]] = []

    def __enter__(self) -> FakeSession:
        return self

    def __exit__(self, *exc: object) -> None:
        self.closed_in = threading.current_thread()

    @property
    def revision(self) -> str:
        return str(self.database.history.revision)

    @property
    def recording(self) -> Recording:
        recording = Recording(self.snapshot().initial.with_(joints={"Arm": (0.0, 0.0)}, signals={"start": 1.0}))
        time, joints = 0.0, np.zeros(2)
        for turn in self._turns:
            recording.event(Message(time, f"Arm turns by {math.degrees(turn):g}"))
            corner = joints + turn * np.array([1.0, 1 / 3])
            recording.add("Arm", np.array([time, time + abs(turn) / 0.5]), np.stack([joints, corner]))
            time, joints = time + abs(turn) / 0.5, corner
        return recording

    @property
    def state(self) -> CellState:
        recording = self.recording
        return recording.state_at(recording.end)

    @property
    def present(self) -> FakeSession:
        return self

    def beside(self) -> FakeSession:
        return copy.copy(self)

    def snapshot(self) -> Snapshot:
        return snapshot_of(self.database.history.revision, self._boxes)

    def on_change(self, listener: Callable[[FakeChange], None]) -> None:
        self._listeners.append(listener)

    def complete(self, text: str) -> list[object]:
        found = [word for word in COMMANDS if word.startswith(text)]
        return [types.SimpleNamespace(text=word, help=f"{COMMANDS[word]} the cell") for word in found]

    def call(self, name: str, arguments: dict[str, str]) -> None:
        assert (name, arguments) == ("run", {"program": "demo"})
        self.do("turn 45")
        self.do("turn 45")

    def parsed(self, line: str) -> tuple[Any, dict[str, str], str]:
        return *self.registry.parse(line, self), line

    def called(self, name: str, given: dict[str, str]) -> tuple[Any, dict[str, str], str]:
        return self.parsed(" ".join([name, *map(str, given.values())]))

    def carry_out(self, command: Any, values: dict[str, str], line: str) -> FakeResult:
        return self.do(line)

    def do(self, line: str) -> FakeResult:
        word, _, rest = line.partition(" ")
        if word == "crash":
            raise ZeroDivisionError("a fault of ours")
        command, _ = self.registry.parse(line, self)
        getattr(self, f"_{word}")(rest, line)
        for listener in self._listeners:
            if command.effect != "reads":
                listener(FakeChange(self.revision, command.effect, line, self.who))
        return FakeResult(line)

    def _box(self, rest: str, line: str) -> None:
        if rest in dict(self._boxes):
            raise UnknownName.among("free name", rest, ["box2"])
        self._remember(line)
        self._boxes += ((rest, Pose.from_xyz(0.8, -0.1 * len(self._boxes), 0.46)),)

    def _turn(self, rest: str, line: str) -> None:
        self._remember(line)
        self._turns += (math.radians(float(rest)),)

    def _remember(self, line: str) -> None:
        history = self.database.history
        history.steps = [step for step in history.steps if not step.undone]
        history.steps.append(Step(line, self._boxes, self._turns, who=self.who))

    def _undo(self, rest: str, line: str) -> None:
        self._swap([step for step in self.database.history.steps if not step.undone][-1:])

    def _redo(self, rest: str, line: str) -> None:
        self._swap([step for step in self.database.history.steps if step.undone][:1])

    def _swap(self, steps: list[Step]) -> None:
        if not steps:
            raise NothingToUndo("There is nothing left in that direction.")
        step = steps[0]
        step.boxes, self._boxes = self._boxes, step.boxes
        step.turns, self._turns = self._turns, step.turns
        step.undone = not step.undone

    def _busy(self, rest: str, line: str) -> None:
        self._hold(rest, line)

    def _hold(self, rest: str, line: str) -> None:
        seconds = float(rest)
        begun = time.monotonic()
        while (gone := time.monotonic() - begun) < seconds:
            self.progress(gone / seconds, "holding")
            if self.cancel is not None and self.cancel.wait(0.02):
                raise Cancelled("The hold was cancelled.")
