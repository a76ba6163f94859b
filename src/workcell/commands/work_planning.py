"""Commands that plan work: the order in which a robot visits targets."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workcell.commands.language.program_printer import command_line
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Angle, Length, NewName, Seed
from workcell.commands.model import make
from workcell.commands.plan_marks import mark_ordered
from workcell.commands.prepared import Prepared, prepared
from workcell.commands.program_store import store_text
from workcell.commands.results import Result
from workcell.programs import steps as s
from workcell.programs.expressions import Form, Posed, Row
from workcell.programs.expressions import Number as Figure
from workcell.robots.machine import Machine
from workcell.robots.robot import Robot
from workcell.simulation.branch_policy import require_hand
from workcell.wording import counted
from workcell.world.devices import placed_robot
from workcell.world.entities import Entity
from workcell.world.sections import PROGRAMS, SIGNALS

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.planning.work_order import WorkOrder

Array = NDArray[np.float64]

_STEP = math.radians(45.0)
"""The default angle between the spins that are looked at [rad]."""
_HOLES = (
    "> create robot Arm irb1600",
    "> add solid plate box 400 600 20 at 700,0,300",
    "> targets grid 2x3 to holes pitch 150,200 on plate at -75,-200,180 rotate 180,0,0",
)


class Ordered(Result, frozen=True):
    """Targets in the order of the shortest cycle that was found.

    Attributes:
        program: the program that visits them.
        targets: their names in order.
        joints: the joint values at each of them [rad or m]; where there is an approach, before it.
        time: how long all motions take [s].
        bound: no order takes less [s].
        neighbour: how long it takes to go always to the nearest one, contacts ignored [s].
        around: how many transits go around something.
        certified: whether every transit and every stroke is proved free.
    """

    program: str
    targets: tuple[str, ...]
    joints: tuple[tuple[float, ...], ...]
    time: float
    bound: float
    neighbour: float
    around: int
    certified: bool

    def __str__(self) -> str:
        from workcell.planning.work_order import gap_of

        proof = "all motions proved free" if self.certified else "motions not proved"
        around = f", {self.around} of them around something" if self.around else ""
        return (
            f"program {self.program!r}: {counted(len(self.targets), 'target')} in {self.time:.4f} s of motion "
            f"(nearest neighbour, contacts ignored: {self.neighbour:.4f} s); at most "
            f"{100.0 * gap_of(self.time, self.bound):.1f} % above the best; {proof}{around}\n"
            f"order: {', '.join(self.targets)}"
        )


@dataclass(frozen=True)
class _Asked:
    """What is asked for; the fields are the parameters of `plan order`."""

    path: Entity
    robot: Entity
    approach: float = 0.0
    spin: float = 0.0
    tilt: float = 0.0
    step: float = _STEP
    touching: Entity | None = None
    seed: int = 0
    one_way: bool = False
    unproved: bool = False


def _prepare_order(session: Session, **given: Any) -> Prepared:
    asked = _Asked(**{name: value for name, value in given.items() if name != "program"})
    return Prepared(_ordered(session, asked), _basis(session))


def _basis(session: Session) -> Hashable:
    """Return what an order depends on: all of the cell but its programs and signals."""
    return tuple(one for name, one in session.snapshot().sections.items() if name not in (PROGRAMS, SIGNALS))


def _ordered(session: Session, asked: _Asked) -> WorkOrder:
    from workcell.planning.order import order_of_work
    from workcell.planning.tool_freedom import ToolFreedom
    from workcell.planning.work import WorkTarget

    snapshot, robot = session.snapshot(), asked.robot
    require_hand(placed_robot(snapshot, robot).robot, robot.name)
    names = snapshot.places.path(asked.path.name).targets
    freedom = ToolFreedom(asked.spin, asked.tilt, asked.step)
    poses = snapshot.path_poses(snapshot.initial, asked.path.name)
    targets = [WorkTarget(name, pose, freedom, asked.approach) for name, pose in zip(names, poses, strict=True)]
    allow = () if asked.touching is None else ((robot.name, asked.touching.name),)
    return order_of_work(
        snapshot, snapshot.initial, robot.name, targets, back=not asked.one_way, certified=not asked.unproved,
        allow=allow, seed=asked.seed, progress=session.progress, cancel=session.cancel,
    )  # fmt: skip


@command(
    "plan order {path} by {robot} to {program} [approach {approach}] [spin {spin}] [tilt {tilt}] [step {step}] "
    "[touching {touching}] [seed {seed}] [--one-way] [--unproved]",
    help="find the order and the configurations in which a robot visits the targets of a path soonest",
    effect="edits",
    prepares=_prepare_order,
    path=Ref("path"),
    robot=Ref("robot"),
    program=NewName(),
    approach=Length(positive=True),
    spin=Angle(),
    tilt=Angle(),
    step=Angle(),
    touching=Ref("object"),
    seed=Seed(),
    param_help={
        "robot": "the arm that visits them",
        "path": "the targets; their order in the path does not matter",
        "program": "the program that is made; one of that name gets other lines",
        "approach": "from how far back along its own z the tool comes and goes, straight; directly by default",
        "spin": "how far the tool may spin about its own z, to each side; 180 degrees lets it spin freely",
        "tilt": "how far its z axis may lean to all sides",
        "step": "the angle between the spins that are looked at; 45 degrees by default",
        "touching": "what the robot may touch at work",
        "seed": "the same seed gives the same order; 0 by default, and below 2^63",
        "one_way": "the robot does not return to where it starts",
        "unproved": "ignore contacts",
    },
    examples=[*_HOLES, "plan order holes by Arm to drill", "plan order holes by Arm to drill approach 50 spin 180"],
)
def plan_order(
    session: Session,
    path: Entity,
    robot: Entity,
    program: str,
    approach: float = 0.0,
    spin: float = 0.0,
    tilt: float = 0.0,
    step: float = _STEP,
    touching: Entity | None = None,
    seed: int = 0,
    one_way: bool = False,
    unproved: bool = False,
) -> Ordered:
    """The robot starts in the initial state. Its transits are proved free, straight or around what is in the way.

    Where the straight move is not free, the program uses `find-path`. It stops at each target.
    """
    placed = placed_robot(session.snapshot(), robot)
    asked = _Asked(path, robot, approach, spin, tilt, step, touching, seed, one_way, unproved)
    order = prepared(session, _basis(session), lambda: _ordered(session, asked), "the order")
    if session.database.find("program", program) is None:
        make(session, "program", program)
    entity = session.database.entity("program", program)
    store_text(session, entity, "\n".join(_order_lines(order, placed.robot, approach, touching)))
    given = {
        "path": path, "robot": robot, "approach": approach or None, "spin": spin or None, "tilt": tilt or None,
        "step": step if step != _STEP else None, "touching": touching, "seed": seed or None,
        "one_way": one_way or None, "unproved": unproved or None,
    }  # fmt: skip
    mark_ordered(session, entity, order, given)
    joints = tuple(tuple(float(v) for v in stop.approach) for stop in order.stops)
    around = sum(one.how == "around" for one in order.transits)
    return Ordered(
        program, order.targets, joints, order.time, order.bound, order.neighbour, around, order.certified
    )  # fmt: skip


def _order_lines(order: WorkOrder, robot: Robot, approach: float, touching: Entity | None) -> Iterable[str]:
    """The lines of a program that works in an order."""
    called = "" if touching is None else touching.name
    for number, transit in enumerate(order.transits):
        row = joints_row(robot, transit.motion.end)
        if transit.how == "around":
            seed = Figure(float(transit.seed)) if transit.seed else None
            yield command_line(s.FindPath(order.robot, joints=row, seed=seed, touching=called or None))
        else:
            yield command_line(s.MoveJointsAbsolute(order.robot, row))
        if number < len(order.stops):
            yield f"# {order.stops[number].target}"
            if approach > 0.0:
                shift = Row((Figure(0.0), Figure(0.0), Figure(approach)), "m")
                yield command_line(s.MoveHand(order.robot, Posed(forms=(Form("translate", (shift,)),))))
                yield command_line(s.Retract(order.robot, Figure(approach, "m")))


def joints_row(robot: Robot | Machine, joints: Array) -> Row:
    """Joint values as an expression, in SI units."""
    units = ["m" if row.prismatic else "rad" for row in robot.rows]
    return Row(tuple(Figure(float(v) + 0.0, unit) for v, unit in zip(joints, units, strict=True)))
