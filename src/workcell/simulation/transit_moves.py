"""The transits of a program: joint moves between places of work, and whether each of them is free.

A transit is a move whose path does not matter: ``move-joints-absolute``, ``move-joints-relative``,
``move-end-effector`` and ``home``. All other moves are taught: somebody chose their path.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workcell.programs import steps as s
from workcell.programs.program import Program
from workcell.simulation.proving import RecordingProof, prove_between
from workcell.simulation.recording import Recording

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]

TransitStep: TypeAlias = s.MoveJointsAbsolute | s.MoveJointsRelative | s.MoveEndEffector | s.Home | s.FindPath
"""The kinds of step whose path does not matter, and the one that looks for a free path itself."""
_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class TransitMove:
    """One execution of a transit step.

    Attributes:
        line: of the step in the program, counted from 1.
        robot: the robot that moves.
        start: when it begins [s].
        end: when it is over [s].
        joints: joint values at the end (n,) [rad or m].
        proof: whether everything is free during it.
    """

    line: int
    robot: str
    start: float
    end: float
    joints: Array
    proof: RecordingProof

    @property
    def free(self) -> bool:
        """Whether it is proved free."""
        return self.proof.contact is None and not self.proof.undecided

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.end - self.start


def transit_moves(
    recording: Recording,
    program: Program,
    model: CollisionModel,
    progress: Callable[[float, str], None] | None = None,
    cancel: threading.Event | None = None,
) -> list[TransitMove]:
    """The transits that a run of a program made, each with its proof, in the order of time.

    Moves of programs that it calls are not among them.

    Args:
        recording: of the run.
        program: the program.
        model: the bodies and pairs to test.
        progress: called with the fraction done and a label.
        cancel: set to stop.
    """
    steps = transit_steps(program)
    issued = [one for one in recording.sources if one.program == program.name and one.line in steps]
    found = []
    for number, source in enumerate(issued):
        if progress is not None:
            progress(number / len(issued), f"line {source.line}")
        robot = steps[source.line].robot
        moves = [
            move
            for move in recording.moves
            if move.device == robot and abs(move.start - source.time) <= _SAME and move.end > move.start
        ]
        if not moves:
            continue  # it was there already
        move = moves[0]
        joints = recording.state_before(move.end).joints[robot]
        proof = prove_between(recording, model, move.start, move.end, cancel)
        found.append(TransitMove(source.line, robot, move.start, move.end, np.array(joints), proof))
    return found


def transit_steps(program: Program) -> Mapping[int, TransitStep]:
    """The transit steps of a program by their lines; those of `together` blocks are left as they are."""
    together = {id(one) for step in program.steps if isinstance(step, s.Together) for one in s.walk(step.moves)}
    return {
        program.place(number).line: step
        for number, step in enumerate(program.steps)
        if isinstance(step, TransitStep) and id(step) not in together
    }
