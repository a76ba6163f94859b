"""Commands that plan work: the order of targets, and the transits of a program."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.commands.collisions import collision_model_of
from workcell.commands.language.program_printer import command_line
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Angle, Length, NewName, Number
from workcell.commands.model import make
from workcell.commands.program_store import TEXT, runnable, store_text, stored
from workcell.commands.program_tables import tables_of
from workcell.commands.results import Result
from workcell.commands.running import run_of
from workcell.errors import Refused
from workcell.programs import steps as s
from workcell.programs.expressions import Form, Posed, Row
from workcell.programs.expressions import Number as Figure
from workcell.programs.program import Program
from workcell.robots.robot import Robot
from workcell.simulation.branch_policy import require_hand
from workcell.wording import counted
from workcell.world.devices import placed_robot
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.planning.work_order import WorkOrder
    from workcell.simulation.transit_moves import TransitMove

Array = NDArray[np.float64]

_ROUNDS = 4
"""How often a planned program is run again, until all of its transits are free."""
_CELL = (
    "> create robot Puma puma560 joints -70,0,-90,0,90,0",
    "> add solid post box 100 100 2000 at 600,0,0",
)
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
        neighbour: how long it takes to go always to the nearest one [s].
        around: how many transits go around something.
        certified: whether every transit is proved free.
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
        proof = "all transits proved free" if self.certified else "transits not proved"
        around = f", {self.around} of them around something" if self.around else ""
        gap = 100.0 * (1.0 - self.bound / self.time) if self.time > 0.0 else 0.0
        return (
            f"program {self.program!r}: {counted(len(self.targets), 'target')} in {self.time:.4f} s of motion "
            f"(nearest neighbour: {self.neighbour:.4f} s); at most {gap:.1f} % above the best; {proof}{around}\n"
            f"order: {', '.join(self.targets)}"
        )


@command(
    "plan order {path} by {robot} to {program} [approach {approach}] [spin {spin}] [tilt {tilt}] [step {step}] "
    "[touching {touching}] [seed {seed}] [--one-way] [--unproved]",
    help="find the order and the configurations in which a robot visits the targets of a path soonest",
    effect="edits",
    path=Ref("path"),
    robot=Ref("robot"),
    program=NewName(),
    approach=Length(positive=True),
    spin=Angle(),
    tilt=Angle(),
    step=Angle(),
    touching=Ref("object"),
    seed=Number(whole=True),
    param_help={
        "robot": "the arm that visits them",
        "path": "the targets; their order in the path does not matter",
        "program": "the program that is made; one of that name gets other lines",
        "approach": "from how far back along its own z the tool comes and goes, straight; directly by default",
        "spin": "how far the tool may spin about its own z, to each side; 180 degrees lets it spin freely",
        "tilt": "how far its z axis may lean to all sides",
        "step": "the angle between the spins that are looked at; 45 degrees by default",
        "touching": "what the robot may touch at work",
        "seed": "the same seed gives the same order; 0 by default",
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
    step: float = math.radians(45.0),
    touching: Entity | None = None,
    seed: int = 0,
    one_way: bool = False,
    unproved: bool = False,
) -> Ordered:
    """The robot starts in the initial state. Its transits are proved free, straight or around what is in the way.

    Where the straight move is not free, the program uses `find-path`. It stops at each target.
    """
    from workcell.planning.order import order_of_work
    from workcell.planning.tool_freedom import ToolFreedom
    from workcell.planning.work import WorkTarget

    snapshot = session.snapshot()
    placed = placed_robot(snapshot, robot)
    require_hand(placed.robot, robot.name)
    names = snapshot.places.path(path.name).targets
    freedom = ToolFreedom(spin, tilt, step)
    poses = snapshot.path_poses(snapshot.initial, path.name)
    targets = [WorkTarget(name, pose, freedom, approach) for name, pose in zip(names, poses, strict=True)]
    allow = () if touching is None else ((robot.name, touching.name),)
    order = order_of_work(
        snapshot, snapshot.initial, robot.name, targets, back=not one_way, certified=not unproved, allow=allow,
        seed=seed, progress=session.progress, cancel=session.cancel,
    )  # fmt: skip
    if session.database.find("program", program) is None:
        make(session, "program", program)
    entity = session.database.entity("program", program)
    store_text(session, entity, "\n".join(_order_lines(order, placed.robot, approach, touching)))
    joints = tuple(tuple(float(v) for v in stop.approach) for stop in order.stops)
    around = sum(one.how == "around" for one in order.transits)
    return Ordered(
        program, order.targets, joints, order.time, order.bound, order.neighbour, around, order.certified
    )  # fmt: skip


def _order_lines(order: WorkOrder, robot: Robot, approach: float, touching: Entity | None) -> Iterable[str]:
    """The lines of a program that works in an order."""
    called = "" if touching is None else touching.name
    for number, transit in enumerate(order.transits):
        row = _joints_row(robot, transit.motion.end)
        if transit.how == "around":
            yield command_line(s.FindPath(order.robot, joints=row, touching=called or None))
        else:
            yield command_line(s.MoveJointsAbsolute(order.robot, row))
        if number < len(order.stops):
            yield f"# {order.stops[number].target}"
            if approach > 0.0:
                shift = Row((Figure(0.0), Figure(0.0), Figure(approach)), "m")
                yield command_line(s.MoveHand(order.robot, Posed(forms=(Form("translate", (shift,)),))))
                yield command_line(s.Retract(order.robot, Figure(approach, "m")))


def _joints_row(robot: Robot, joints: Array) -> Row:
    """Joint values as an expression, in SI units."""
    units = ["m" if row.prismatic else "rad" for row in robot.rows]
    return Row(tuple(Figure(float(v) + 0.0, unit) for v, unit in zip(joints, units, strict=True)))


class PlannedTransit(Result, frozen=True):
    """A transit of a program.

    Attributes:
        line: its line.
        robot: who moves.
        before: how long the move took before [s].
        after: how long it takes now [s].
        replaced: whether it was replaced by a path that touches nothing.
        problem: what touches before; '' where it was free.
    """

    line: int
    robot: str
    before: float
    after: float
    replaced: bool
    problem: str


class PlannedProgram(Result, frozen=True):
    """A program whose transits are proved free.

    Attributes:
        program: its name.
        transits: its transits in the order of their lines; the times of one that is repeated are added up.
        before: how long the program took before [s].
        after: how long it takes now [s].
        difference: the lines that changed, as a unified diff.
        written: whether the program was changed.
    """

    program: str
    transits: tuple[PlannedTransit, ...]
    before: float
    after: float
    difference: str
    written: bool

    def __str__(self) -> str:
        changed = sum(one.replaced for one in self.transits)
        would = "replaced" if self.written else "to replace"
        head = (
            f"program {self.program!r}: {counted(len(self.transits), 'transit')}, {changed} {would}; "
            f"{self.before:.4f} s before, {self.after:.4f} s after; every transit is proved free"
        )
        rows = [
            f"line {one.line}: {one.problem}; {one.before:.4f} s, now {one.after:.4f} s"
            for one in self.transits
            if one.replaced
        ]
        return "\n".join([head, *rows, *([self.difference] if self.difference else [])])


@command(
    "plan program {program} [--dry]",
    help="replace the transits of a program that touch something by paths that touch nothing",
    effect="edits",
    program=Ref("program"),
    param_help={"program": "the program whose transits are planned", "dry": "only show what would change"},
    examples=[
        *_CELL,
        '> write program demo "move-joints-absolute Puma 70,0,-90,0,90,0%0Ahome Puma"',
        "plan program demo --dry",
        "plan program demo",
    ],
)
def plan_program(session: Session, program: Entity, dry: bool = False) -> PlannedProgram:
    """The program runs on a copy of the cell; each transit is proved free, or replaced by `find-path`.

    Transits are `move-joints-absolute`, `move-joints-relative`, `move-end-effector` and `home`. All other moves are
    taught and stay as they are; `check recording` tests them.
    """
    text = str(program.properties.get(TEXT, ""))
    lines, problems = text.split("\n"), dict[int, str]()
    times = []
    for _ in range(_ROUNDS):
        moves, total = _carried_out(session, program, lines)
        times.append((moves, total))
        touching = {move.line: _problem(move) for move in moves if not move.free}
        if not touching:
            break
        stuck = [line for line in touching if line in problems]
        if stuck:
            raise Refused(
                f"Line {stuck[0]} of program {program.name!r} looks for a free path itself and is still not proved "
                f"free: {touching[stuck[0]]}. Something else moves at the same time; let one wait for the other.",
                line=stuck[0],
            )
        problems |= touching
        lines = _replaced(_read(program, lines), lines, moves, touching, session)
    else:
        raise Refused(f"Program {program.name!r} still has transits that touch something after {_ROUNDS} rounds.")
    new = "\n".join(lines)
    difference = "\n".join(difflib.unified_diff(text.split("\n"), lines, "before", "after", lineterm="", n=1))
    if new != text and not dry:
        session.database.set_properties(session.rows, program, {TEXT: new})
    (first, before), (last, after) = times[0], times[-1]
    rows = tuple(
        PlannedTransit(
            line, _robot_of(first, line), _sum(first, line), _sum(last, line), line in problems, problems.get(line, "")
        )
        for line in sorted({move.line for move in first})
    )
    return PlannedProgram(program.name, rows, before, after, difference, new != text and not dry)


def _robot_of(moves: Sequence[TransitMove], line: int) -> str:
    return next(move.robot for move in moves if move.line == line)


def _sum(moves: Sequence[TransitMove], line: int) -> float:
    return sum(move.duration for move in moves if move.line == line)


def _problem(move: TransitMove) -> str:
    """What is wrong with a transit, as a clause."""
    if move.proof.contact is not None:
        time, pair = move.proof.contact
        return f"{' and '.join(pair)} touch at {time:.4f} s"
    begin, _, pair, reason = move.proof.undecided[0]
    return f"whether {' and '.join(pair)} touch at {begin:.4f} s is undecided ({reason})"


def _read(program: Entity, lines: list[str]) -> Program:
    """A program of the cell with other lines."""
    from workcell.commands.language.program_reader import read_program

    return read_program(program.name, "\n".join(lines), stored(program).program.units).program


def _carried_out(session: Session, program: Entity, lines: list[str]) -> tuple[list[TransitMove], float]:
    """The transits of a run of a program with these lines, and how long the run takes [s]."""
    from workcell.simulation.transit_moves import transit_moves

    _, known = runnable(session, [program])
    asked = _read(program, lines)
    run = run_of(session, [asked], {**known, asked.name: asked}, (), None, tables_of(session, known.values(), None))
    run.simulator.watch = None
    try:
        run.go()
    finally:
        run.close()
    recording = run.simulator.recording
    found = transit_moves(recording, asked, collision_model_of(session), session.progress, session.cancel)
    return found, recording.duration


def _replaced(
    program: Program, lines: list[str], moves: Sequence[TransitMove], touching: Iterable[int], session: Session
) -> list[str]:
    """The lines with paths in the place of some transits."""
    from workcell.simulation.transit_moves import transit_steps

    steps, out = transit_steps(program), list(lines)
    for line in touching:
        step, ends = steps[line], [move.joints for move in moves if move.line == line]
        same = all(np.abs(end - ends[0]).max() <= 1e-9 for end in ends)
        indent = lines[line - 1][: len(lines[line - 1]) - len(lines[line - 1].lstrip())]
        if isinstance(step, s.MoveJointsAbsolute):
            new = s.FindPath(step.robot, joints=step.joints)
        elif same:
            robot = session.snapshot().robot(step.robot).robot
            new = s.FindPath(step.robot, joints=_joints_row(robot, ends[0]))
        elif isinstance(step, s.MoveEndEffector):
            new = s.FindPath(step.robot, poses=(step.pose,))
        else:
            raise Refused(
                f"Line {line} of program {program.name!r} moves by amounts that differ from round to round and "
                f"touches something; write it as a move to joint values.",
                line=line,
            )
        out[line - 1] = indent + command_line(new)
    return out
