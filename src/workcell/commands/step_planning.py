"""The command that plans one move of a program: the way of the hand, and whether it is proved free."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import LineNumber
from workcell.commands.program_planning import blocked, replaced_lines, step_model
from workcell.commands.program_store import TEXT, runnable
from workcell.commands.program_tables import tables_of
from workcell.commands.results import Result
from workcell.commands.running import run_of
from workcell.errors import NoPath, Refused
from workcell.programs.program import Program
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.simulation.recording import Recording
    from workcell.simulation.transit_moves import ProgramMove
    from workcell.world.snapshot import Snapshot

Array = NDArray[np.float64]
_SAMPLES = 60
"""How many points of the way are given."""
_KEEPS = "a step of this kind keeps its path"


class Way(Result, frozen=True):
    """The way of the hand of one robot during a move.

    Attributes:
        robot: the robot.
        points: points of the way in the world [m].
        joints: the joint values there [rad or m].
        duration: how long the move takes [s].
        free: whether it is proved free of contacts.
        problem: what touches, or could not be decided; '' if it is free.
    """

    robot: str
    points: tuple[tuple[float, float, float], ...]
    joints: tuple[tuple[float, ...], ...]
    duration: float
    free: bool
    problem: str = ""

    def __str__(self) -> str:
        how = "proved free" if self.free else self.problem
        return f"{self.robot}: {self.duration:.4f} s, {how}"


class PlannedStep(Result, frozen=True):
    """A move of a program.

    Attributes:
        program: the program.
        line: the line of the move.
        ways: the way of each robot that moves, as the step is written.
        instead: a way that touches nothing, if the step touches something and such a way was found.
        text: the line for that way; '' if there is none.
        reason: why no such way was found, if the step touches something; otherwise ''.
    """

    program: str
    line: int
    ways: tuple[Way, ...]
    instead: tuple[Way, ...] = ()
    text: str = ""
    reason: str = ""

    def __str__(self) -> str:
        head = f"line {self.line} of {self.program}:"
        rows = [str(one) for one in self.ways]
        if self.text:
            rows.append(f"instead: {self.text.strip()}")
            rows += [str(one) for one in self.instead]
        if self.reason:
            rows.append(f"no other way: {self.reason}")
        return "\n".join([head, *rows])


@command(
    "plan-step {program} {line}",
    help="show the way of a move of a program, prove that it touches nothing, or find another that does not",
    effect="reads",
    background=True,
    program=Ref("program"),
    line=LineNumber(),
    param_help={
        "program": "the program; it runs on a copy of the cell up to that move",
        "line": "the line of the move",
    },
    examples=[
        "> create robot Puma puma560 joints -70,0,-90,0,90,0",
        "> add solid post box 100 100 2000 at 600,0,0",
        '> write program demo "move-joints-absolute Puma 70,0,-90,0,90,0%0Ahome Puma"',
        "plan-step demo 1",
    ],
)
def plan_step(session: Session, program: Entity, line: int) -> PlannedStep:
    """Nothing changes. The move is the first that this line makes in the run.

    If the move touches something and its path does not matter, a path that touches nothing is looked for. The answer
    has the line that takes it, or why there is none; `change-step` writes the line into the program. `plan program`
    does this for all moves.
    """
    from workcell.simulation.transit_moves import moving_steps

    _, known = runnable(session, [program])
    if line not in moving_steps(known[program.name]):
        raise Refused(f"Line {line} of program {program.name!r} is not a move; give the line of a move.", line=line)
    moves, recording = _moved(session, program, known, line)
    snapshot = session.snapshot()
    ways = tuple(_way(snapshot, recording, one) for one in moves)
    if all(one.free for one in moves):
        return PlannedStep(program.name, line, ways)
    if any(one.together or not one.transit for one in moves):
        return PlannedStep(program.name, line, ways, reason=_KEEPS)
    lines = str(program.properties.get(TEXT, "")).split("\n")
    new, kept = replaced_lines(session, {program.name: lines}, moves, [(program.name, line)])
    if kept:
        return PlannedStep(program.name, line, ways, reason=kept[program.name, line])
    planned = dict(known)
    planned[program.name] = _read(known[program.name], new[program.name])
    try:
        instead, after = _moved(session, program, planned, line)
    except Refused as error:
        why = error.evidence.get("reason")
        if not isinstance(why, NoPath):
            raise
        return PlannedStep(program.name, line, ways, reason=why.message)
    text = new[program.name][line - 1].strip()
    return PlannedStep(program.name, line, ways, tuple(_way(snapshot, after, one) for one in instead), text)


def _read(program: Program, lines: list[str]) -> Program:
    from workcell.commands.language.program_reader import read_program

    return read_program(program.name, "\n".join(lines), program.units).program


def _moved(
    session: Session, program: Entity, known: Mapping[str, Program], line: int
) -> tuple[list[ProgramMove], Recording]:
    """Run a program until a line has made its move; return the moves of that line, and the recording."""
    from workcell.simulation.transit_moves import program_moves

    run = run_of(session, [known[program.name]], known, (), None, tables_of(session, known.values(), None))
    run.simulator.watch = None
    recording = run.simulator.recording

    def done(*_: object) -> bool:
        began = next((one.time for one in recording.sources if one.program == program.name and one.line == line), None)
        return began is not None and any(one.start >= began and one.end > one.start for one in recording.moves)

    try:
        run.go(done)
    finally:
        run.close()
    found = program_moves(
        recording, known, lambda step: step_model(session, step), session.progress, session.cancel, (program.name, line)
    )
    if not found:
        raise Refused(
            f"Line {line} of program {program.name!r} moved nothing in a run from the initial state; only a move that "
            "the run reaches can be planned.",
            line=line,
        )
    first = found[0].start
    return [one for one in found if one.start == first], recording


def _way(snapshot: Snapshot, recording: Recording, move: ProgramMove) -> Way:
    states = [recording.state_at(float(time)) for time in np.linspace(move.start, move.end, _SAMPLES)]
    arm = any(placed.name == move.robot for placed in snapshot.robots)
    points = [snapshot.tool_pose(state, move.robot).xyz for state in states] if arm else []
    joints = [state.joints.get(move.robot, np.zeros(0)) for state in states]
    return Way(
        move.robot,
        tuple((float(x), float(y), float(z)) for x, y, z in points),
        tuple(tuple(float(value) for value in row) for row in joints),
        move.duration,
        move.free,
        "" if move.free else blocked(move),
    )
