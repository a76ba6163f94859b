"""Commands that change a move under way: override, hold, resume, stop, emergency stop, supersede."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workcell.commands.language.joint_values import JointVector
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Number
from workcell.commands.results import Result
from workcell.commands.typed_steps import carried_out
from workcell.errors import Refused
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.wording import counted
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.steered import Steered

_DEVICE = Ref("robot", "mechanism", "machine", "object")
_PAUSED = [
    "> create robot Puma puma560 joints 0,0,-90,0,90,0",
    '> write program go "parallel%0A  move-joints-relative Puma 40,0,0,0,0,0%0Aand%0A  wait 0.5%0A  wait 0.5%0Aend"',
    "> break go 5",
    "> run go",
]


class Changed(Result, frozen=True):
    """A change of a move that is under way.

    Attributes:
        device: what moves.
        what: the change, such as ``hold``.
        delay: how long the change takes [s].
        travel: how far each joint moves meanwhile [rad or m]; for a solid, along its curve.
        slides: for each of them, whether it is a length.
        refused: why the change was not made; '' if it was.
    """

    device: str
    what: str
    delay: float
    travel: tuple[float, ...]
    slides: tuple[bool, ...]
    refused: str = ""

    def __str__(self) -> str:
        if self.refused:
            return f"{self.device} continues as before: {self.refused}"
        text = f"{self.device} {_DOES[self.what]} within {self.delay * 1e3:.4g} ms"
        if self.delay > 0.0 and any(self.travel):
            text += f"; until then it moves on by {_travel(self.travel, self.slides)}"
        return text + ("; its move is abandoned" if self.what in _ENDING else "")


class Steering(Result, frozen=True):
    """Changes of moves that are under way; ``note`` is about later moves."""

    changes: tuple[Changed, ...] = ()
    note: str = ""

    def __str__(self) -> str:
        return "\n".join([*map(str, self.changes), *([self.note] if self.note else [])])


_DOES = {
    "override": "runs at that speed",
    "hold": "stops on its path",
    "resume": "has its speed again",
    "stop": "stops on its path",
    "emergency": "comes to rest",
    "supersede": "rests at its new joint values",
}
_ENDING = ("stop", "emergency")


def _travel(travel: Sequence[float], slides: Sequence[bool]) -> str:
    shown = [
        f"{value * 1e3:.4g} mm" if long else f"{math.degrees(value):.4g} deg"
        for value, long in zip(travel, slides, strict=True)
    ]
    return ", ".join(shown)


def _steer(session: Session, step: type[s.Step], what: str, given: dict[str, Any]) -> Steering:
    """Change a move of the paused run, as an input of the run; without one, this is refused because nothing moves."""
    paused = session.paused
    if paused is None:
        found, snapshot = carried_out(session, step, given).found, session.snapshot()
    else:
        snapshot = paused.simulator.snapshot
        values: dict[str, Any] = {}
        for name, value in given.items():
            if isinstance(value, Entity):
                values[name] = paused.name_in(session, value)
            elif name == "joints":
                rows = snapshot.device(values["robot"]).robot.rows
                if len(rows) != len(value):
                    raise Refused(f"{values['robot']} had {counted(len(rows), 'joint')} when {paused.called} began.")
                units = ["m" if row.prismatic else "rad" for row in rows]
                values[name] = e.Row(tuple(e.Number(one, unit) for one, unit in zip(value, units, strict=True)))
            elif value is not None:
                values[name] = e.Number(float(value))
        found = paused.stepped.give(step(**values))
        session.ongoing.along.write(paused.simulator)
    robots = {placed.name: placed.robot for placed in snapshot.robots}
    return Steering(tuple(_changed(one, what, robots) for one in found))


def _changed(found: Steered, what: str, robots: dict[str, Any]) -> Changed:
    robot = robots.get(found.device)
    slides = (True,) * len(found.travel) if robot is None else tuple(row.prismatic for row in robot.rows)
    return Changed(found.device, what, found.delay, tuple(found.travel.tolist()), slides, found.refused)


@command(
    "override {percent} [of {device}]",
    help="run the current move and later ones at a percentage of their speed, in a run",
    effect="simulates",
    while_paused=True,
    percent=Number(),
    device=_DEVICE,
    param_help={"percent": "from 1 to 100", "device": "default: all devices"},
    examples=[*_PAUSED, "override 50", "override 20 of Puma", "> resume"],
)
def override(session: Session, percent: float, device: Entity | None = None) -> Steering:
    """The path stays the same. The speed changes as soon as the limits allow. The override ends with the run.

    Use it as a step of a program, or type it while a run is paused. `speed` changes the speed in the cell.
    """
    if session.paused is None:
        raise Refused(
            "`override` needs a run: use it as a step of a program, or type it while a run is paused. `speed ROBOT "
            "SPEED` changes the speed of a robot in the cell."
        )
    made = _steer(session, s.Override, "override", {"percent": percent, "device": device})
    whose = "everything" if device is None else device.name
    return Steering(made.changes, f"override of {whose}: {percent:g} %")


@command(
    "hold-motion {device}",
    help="stop a device on its path as soon as its limits allow, in a run",
    effect="simulates",
    while_paused=True,
    device=_DEVICE,
    param_help={"device": "a robot, mechanism, machine or solid"},
    examples=[*_PAUSED, "hold-motion Puma", "> resume-motion Puma", "> resume"],
)
def hold_motion(session: Session, device: Entity) -> Steering:
    """`resume-motion` continues the move.

    The answer states how long the stop takes, and how far the joints still move.
    """
    return _steer(session, s.HoldMotion, "hold", {"device": device})


@command(
    "resume-motion {device}",
    help="continue a move that is held, in a run",
    effect="simulates",
    while_paused=True,
    device=_DEVICE,
    param_help={"device": "a robot, mechanism, machine or solid"},
    examples=[*_PAUSED, "> hold-motion Puma", "resume-motion Puma", "> resume"],
)
def resume_motion(session: Session, device: Entity) -> Steering:
    """The device continues on the same path, at the speed of its override. To continue a paused run, use `resume`."""
    return _steer(session, s.ResumeMotion, "resume", {"device": device})


@command(
    "stop-motion {device}",
    help="stop a device on its path as soon as its limits allow, and abandon its move, in a run",
    effect="simulates",
    while_paused=True,
    device=_DEVICE,
    param_help={"device": "a robot, mechanism, machine or solid"},
    examples=[*_PAUSED, "stop-motion Puma"],
)
def stop_motion(session: Session, device: Entity) -> Steering:
    """The step that waits for the move is refused; `try … on-error` can catch this."""
    return _steer(session, s.StopMotion, "stop", {"device": device})


@command(
    "emergency-stop [{device}]",
    help="stop a device, or everything, as fast as its limits allow, and abandon its move, in a run",
    effect="simulates",
    while_paused=True,
    device=_DEVICE,
    param_help={"device": "a robot, mechanism, machine or solid; default: everything"},
    examples=[*_PAUSED, "emergency-stop"],
)
def emergency_stop(session: Session, device: Entity | None = None) -> Steering:
    """Each joint brakes by itself, so the hand leaves its path. The members of a machine stay on their path."""
    made = _steer(session, s.EmergencyStop, "emergency", {"device": device})
    return made if made.changes else Steering((), "nothing moves")


@command(
    "supersede-joints {robot} {joints}",
    help="send a robot to other joint values in the middle of a move, in a run",
    effect="simulates",
    while_paused=True,
    robot=Ref("robot", "mechanism", "machine"),
    joints=JointVector(),
    examples=[*_PAUSED, "supersede-joints Puma -10,0,-90,0,90,0", "> resume"],
)
def supersede_joints(session: Session, robot: Entity, joints: tuple[float, ...]) -> Steering:
    """The robot continues from its current position and speed. A move of the hand first stops on its path.

    If collisions are watched, the change is made only if the whole motion to rest is free.
    """
    return _steer(session, s.SupersedeJoints, "supersede", {"robot": robot, "joints": joints})
