"""The moves of a program: transits, whose path does not matter, taught moves, and whether each of them is free.

A transit is a joint move between places of work: ``move-joints-absolute``, ``move-joints-relative``,
``move-end-effector`` and ``home``. All other moves are taught: somebody chose their path.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
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
_OTHERS = (s.MoveAlong, s.Weld, s.Guide, *s.HANDLING)
"""Further kinds of step that move a robot; some of them in several moves."""
PLANNED = (*s.MOVES, *_OTHERS, s.FindPath)
"""The kinds of step whose way can be planned and proved."""
_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class ProgramMove:
    """One execution of a step that moves.

    Attributes:
        program: the program of the step.
        line: of the step in the program, counted from 1.
        robot: what moves.
        kind: the word of the step.
        start: when it begins [s].
        end: when it is over [s].
        joints: joint values at the end (n,) [rad or m].
        proof: whether everything is free during it.
        transit: whether its path does not matter.
        together: whether it is one of the moves of a `together` block.
    """

    program: str
    line: int
    robot: str
    kind: str
    transit: bool
    together: bool
    start: float
    end: float
    joints: Array
    proof: RecordingProof

    @property
    def place(self) -> tuple[str, int]:
        """The program and the line."""
        return self.program, self.line

    @property
    def free(self) -> bool:
        """Whether it is proved free."""
        return self.proof.contact is None and not self.proof.undecided

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.end - self.start


def program_moves(
    recording: Recording,
    programs: Mapping[str, Program],
    model: Callable[[s.Step], CollisionModel],
    progress: Callable[[float, str], None] | None = None,
    cancel: threading.Event | None = None,
    only: tuple[str, int] | None = None,
) -> list[ProgramMove]:
    """The moves that a run of programs made, each with its proof, in the order of time.

    Args:
        recording: of the run.
        programs: the program and those that it calls, by name.
        model: the bodies and pairs to test during a step, which may be allowed to touch something.
        progress: called with the fraction done and a label.
        cancel: set to stop.
        only: the program and the line whose moves are wanted; None for all.
    """
    steps = {name: moving_steps(program) for name, program in programs.items()}
    issued = [one for one in recording.sources if one.line in steps.get(one.program, ())]
    issued = [one for one in issued if only is None or only == (one.program, one.line)]
    times = np.array(sorted({one.time for one in recording.sources}))
    found = []
    for number, source in enumerate(issued):
        if progress is not None:
            progress(number / len(issued), f"line {source.line} of {source.program}")
        step = steps[source.program][source.line]
        together = isinstance(step, s.Together)
        for one in step.moves if isinstance(step, s.Together) else (step,):
            for robot in _movers(one):
                for start, end in _made(recording, robot, source.time, times):
                    joints = np.array(recording.state_before(end).joints.get(robot, ()))
                    proof = prove_between(recording, model(one), start, end, cancel)
                    kind = _word(one), isinstance(one, TransitStep), together
                    found.append(ProgramMove(source.program, source.line, robot, *kind, start, end, joints, proof))
    return found


def _made(recording: Recording, robot: str, time: float, times: Array) -> Iterator[tuple[float, float]]:
    """The moves of a robot from a time on, each where the last ends, until another step begins at one of ``times``."""
    for move in recording.moves:
        if move.device == robot and abs(move.start - time) <= _SAME and move.end > move.start:
            yield move.start, move.end
            time = move.end
            if (np.abs(times - time) <= _SAME).any():
                return


def moving_steps(program: Program) -> Mapping[int, s.Step]:
    """The steps of a program that move something, by their lines; a `together` block is one of them."""
    inner = {id(one) for step in program.steps if isinstance(step, s.Together) for one in s.walk(step.moves)}
    return {
        program.place(number).line: step
        for number, step in enumerate(program.steps)
        if isinstance(step, (*PLANNED, s.Together)) and id(step) not in inner
        if isinstance(step, s.Together) or _movers(step)
    }


def _movers(step: s.Step) -> tuple[str, ...]:
    """The devices that a step moves."""
    names = (getattr(step, "robot", ""), getattr(step, "mechanism", "") if isinstance(step, s.Weld) else "")
    return tuple(name for name in names if name)


def _word(step: s.Step) -> str:
    """The word with which a step begins."""
    return str(type(step).__struct_config__.tag)
