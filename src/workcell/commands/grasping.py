"""Commands that grip and release parts: close-gripper, open-gripper, grip, release, allowed-fall."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Length, Number
from workcell.commands.loads import Carried, carried
from workcell.commands.results import Done, Result
from workcell.commands.typed_steps import carried_out
from workcell.errors import InvalidValue
from workcell.programs import steps as s
from workcell.spatial.units import tidy
from workcell.wording import capital, joined
from workcell.world.entities import Entity
from workcell.world.setup import FALL

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.held import Held

_STAGE = (
    "> create robot Puma puma560",
    "> add solid cube box 40 40 40 at 500,-150,20 --movable",
    "> move-end-effector Puma 500,-150,20 euler fanuc_wpr 180,0,180 of grip",
)


class Clung(Result, frozen=True):
    """A part that cups or magnets hold: which of them, their force, and the force needed [N]; None if not known."""

    part: str
    taken_from: str
    by: str
    pads: tuple[int, ...]
    force: float
    needed: float | None

    def __str__(self) -> str:
        word = "cup" if self.by == "suction" else "magnet"
        listed = f"{word} {self.pads[0]}" if len(self.pads) == 1 else f"{word}s {joined([str(n) for n in self.pads])}"
        source = f" from {self.taken_from}" if self.taken_from else ""
        if self.needed is None:
            needs = "its mass is not known, so it is not known whether that is enough"
        else:
            needs = f"it needs {self.needed:.4g} N"
        return f"{self.part}{source} with {listed}: {self.force:.4g} N; {needs}"


class Taken(Result, frozen=True):
    """A part was taken: by which robot, from which, how the hand was placed [rad, m], and what the arm carries now."""

    part: str
    robot: str
    taken_from: str
    grasp: str
    angle: float
    width: float
    distance: float
    load: Carried
    falls: tuple[str, ...] = ()
    """What can no longer stand without the part."""
    by: str = "fingers"
    """What holds it: fingers, suction, magnet, or attached."""
    holds: tuple[Clung, ...] = ()
    """Every part that cups or magnets hold."""
    idle: str = ""
    """Why the other cups or magnets do not hold."""

    def __str__(self) -> str:
        source = f" from {self.taken_from}" if self.taken_from else ""
        if self.by == "attached":
            away = f"{tidy(round(self.distance * 1e3, 3))} mm from the flange"
            lines = [f"{self.part} is attached to {self.robot}{source}, {away}; the grip was not tested"]
        elif self.holds:
            lines = [f"{self.robot} takes {one}" for one in self.holds] + ([self.idle] if self.idle else [])
        else:
            lines = [self._between_fingers(source)]
        return "\n".join([*lines, str(self.load), *self.falls])

    def _between_fingers(self, source: str) -> str:
        at = f" at {self.grasp}" if self.grasp else ""
        return (
            f"{self.robot} takes {self.part}{source}{at}: {self.width * 1e3:.4g} mm between the fingers, "
            f"{tidy(round(math.degrees(self.angle), 3))}° off its axis, {tidy(round(self.distance * 1e3, 3))} mm away"
        )


class LetGo(Result, frozen=True):
    """A gripper opened: of which robot, which part it released or '', and what is wrong with how that part stands now.

    ``open`` is true if it was already open and empty, so that nothing happened.
    """

    robot: str
    part: str
    falls: tuple[str, ...] = ()
    open: bool = False

    def __str__(self) -> str:
        if self.open:
            return f"The gripper of {self.robot} is open and holds nothing"
        done = f"{self.robot} releases {self.part}" if self.part else f"{self.robot} opens its gripper"
        return "\n".join([done, *self.falls])


@command(
    "close-gripper {robot} [on {part}] [within {distance}] [angle {angle}]",
    help="grip the part between the fingers, or the parts that cups or magnets are on",
    effect="simulates",
    robot=Ref("robot"),
    part=Ref("object"),
    distance=Length(),
    angle=Number("angle"),
    param_help={
        "part": "the part to grip; default: the nearest that fits",
        "distance": "how far the grip point may be from the part; default 10 mm; for cups, from the face, default 1 mm",
        "angle": "how far the approach may be from an axis of the part, or from the normal of the face; default 5°",
    },
    examples=[
        *_STAGE,
        "close-gripper Puma on cube within 5mm angle 3deg",
        "> create robot Arm ur10e at 2000,0,0",
        "> create tool vac vacuum-2x2",
        "> fit tool vac to Arm",
        "> add solid box1 box 300 200 150 at 2600,0,75 --movable",
        "> modify box1 mass 3kg",
        "> move-end-effector Arm 2600,0,150 euler fanuc_wpr 180,0,0",
        "close-gripper Arm",
    ],
)
def close_gripper(session: Session, **given: Any) -> Taken:
    """A part that another robot holds is handed over.

    If there is nothing to grip, the message states why the nearest part does not fit.

    A suction cup holds if its whole rim is on one flat face, within its stroke. A magnet holds ferromagnetic parts.
    Cups and magnets take a part only if they hold its weight with the safety factor. The answer compares everything
    that the robot then carries with its payload.
    """
    done = carried_out(session, s.CloseGripper, given)
    return taken(done.found, done.falls)


def taken(held: Held, falls: tuple[str, ...]) -> Taken:
    """Return the answer about parts that a hand has taken."""
    parts = tuple(
        Clung(one.part, source, held.by, one.pads, one.force, one.needed)
        for one, source in zip(held.clings, held.sources, strict=True)
    )
    return Taken(
        held.part, held.robot, held.taken_from, held.grasp, held.angle, held.width, held.distance, carried(held.load),
        falls, held.by, parts, held.idle and capital(f"{held.idle}."),
    )  # fmt: skip


@command(
    "allowed-fall {height}",
    help="set how far a part may fall when a gripper releases it",
    effect="edits",
    height=Length(),
    param_help={"height": "default 50 mm"},
    examples=["allowed-fall 20mm"],
)
def allowed_fall(session: Session, height: float) -> Done:
    """The height is saved in the cell. A longer fall is reported. If collisions are watched, it stops the run."""
    if not 0.0 <= height < math.inf:
        raise InvalidValue(f"The height of a fall must be zero or more; found {session.units.show(height, 'length')}.")
    session.database.set_setting(session.rows, FALL, repr(float(height)))
    return Done(f"a part may fall {session.units.show(height, 'length')}")


@command(
    "open-gripper {robot} [to {opening}] [on {on}] [--settle]",
    help="open the gripper and release what it holds",
    effect="simulates",
    robot=Ref("robot"),
    opening=Length(),
    on=Ref("object", "robot", "mechanism"),
    param_help={
        "opening": "between the fingers; default: as far as they go",
        "on": "what the part should stand on afterwards; the part falls, as with --settle",
        "settle": "the part falls straight down onto what is below; default: it stays where it is",
    },
    examples=[
        *_STAGE,
        "> add solid stage box 200 200 10 at 500,-150,-5",
        "> close-gripper Puma",
        "open-gripper Puma on stage",
        "open-gripper Puma to 50mm",
    ],
)
def open_gripper(session: Session, **given: Any) -> LetGo:
    """The command does nothing if the gripper is already open and empty.

    The answer reports a part that falls farther than `allowed-fall`, lands in another place than planned, is inside
    something, or would topple. If collisions are watched, this stops the run. A part that suction cups press onto what
    is below, within their stroke, rests on it.
    """
    done = carried_out(session, s.OpenGripper, given)
    return LetGo(given["robot"].name, done.found or "", done.falls, open=done.found is None)


@command(
    "grip {part} [with {robot}] [within {distance}] [angle {angle}]",
    help="attach a part to a robot as it is",
    effect="simulates",
    part=Ref("object"),
    robot=Ref("robot"),
    distance=Length(),
    angle=Number("angle"),
    param_help={
        "distance": "how far the hand may be from a grasp of the part; default: there is no test",
        "angle": "how far the hand may be turned from that grasp; default: there is no test",
        "robot": "the robot that holds it; default: the only robot of the cell",
        "part": "the object to attach",
    },
    examples=[
        "> create robot Puma puma560",
        "> add solid cube box 40 40 40 at 500,-150,20 --movable",
        "grip cube with Puma",
        "> release cube",
        "> place cube at 863.6,-150.05,465.28",
        "> set grasp cube at 0,0,0 rotate 180,0,180",
        "grip cube with Puma within 50mm angle 5deg",
    ],
)
def grip(session: Session, **given: Any) -> Taken:
    """The part moves with the flange. Use this for hooks, needles and other tools that Workcell does not model.

    The robot needs no gripper. A part that another robot holds is handed over. While a gripper is closed, nothing can
    be attached to its robot. The answer states how far the part is from the flange.

    With `within` or `angle`, the hand must be at a grasp of the part; otherwise nothing is tested.
    """
    done = carried_out(session, s.GripPart, given)
    return taken(done.found, done.falls)


@command(
    "release {part} [on {on}] [--settle]",
    help="release one part that a robot holds",
    effect="simulates",
    part=Ref("object"),
    on=Ref("object", "robot", "mechanism"),
    param_help={
        "on": "what the part should stand on afterwards; the part falls, as with --settle",
        "settle": "the part falls straight down onto what is below; default: it stays where it is",
    },
    examples=[
        "> create robot Puma puma560",
        "> add solid cube box 40 40 40 at 500,-150,20 --movable",
        "> grip cube with Puma",
        "release cube --settle",
    ],
)
def release(session: Session, part: Entity, **given: Any) -> LetGo:
    """It releases what `grip` attached, or one of several parts that cups or magnets hold.

    `open-gripper` opens fingers.
    """
    done = carried_out(session, s.ReleasePart, {"part": part, **given})
    return LetGo(done.found, part.name, done.falls)
