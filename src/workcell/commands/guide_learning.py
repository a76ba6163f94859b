"""The command that learns: guided moves of a program are made again with other constants, and the best are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from workcell.commands.language.program_printer import command_line
from workcell.commands.language.program_reader import read_program
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Number as NumberValue
from workcell.commands.prepared import Prepared, prepared
from workcell.commands.program_store import TEXT, runnable, stored
from workcell.commands.program_tables import tables_of
from workcell.commands.results import Result
from workcell.commands.running import run_of
from workcell.errors import InvalidValue, Refused, WorkcellError
from workcell.programs import steps as s
from workcell.programs.evaluate import evaluate
from workcell.programs.expressions import Number
from workcell.programs.measures import Measure, as_quantity
from workcell.programs.program import Program
from workcell.spatial.units import Units
from workcell.wording import counted, one_line
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.planning.guidance.arms import ArmConstants

MOST_TRIES = 200
_DIGITS = 4
_FIELDS = {"gain": ("gain", ""), "caution": ("caution", ""), "damping": ("damping", ""),
           "speed": ("speed", "m/s"), "keep": ("reach", "m")}  # fmt: skip
"""What is learned: the words of `guide`, the constants that they set, and the units in which they are written."""
_QUANTITIES = {"speed": "speed", "keep": "length"}


class GuideTry(Result, frozen=True):
    """A run of a program with other constants of a guided move.

    Attributes:
        constants: what was varied, by the words of `guide`; lengths [m], speeds [m/s].
        duration: how long the run took [s]; None if it did not come to its end.
        problem: why it did not; '' if it did.
    """

    constants: dict[str, float]
    duration: float | None
    problem: str = ""

    def __str__(self) -> str:
        words = ", ".join(f"{name} {_shown(name, value)}" for name, value in self.constants.items())
        return f"{words}: {self.problem if self.duration is None else f'{self.duration:.4f} s'}"


class LearnedGuide(Result, frozen=True):
    """What was learned for one guided move of a program.

    Attributes:
        program: the program.
        line: of the guided move.
        before: how long the program took before [s]; None if it did not come to its end.
        after: how long it takes now [s].
        best: the constants that were best.
        tries: all runs, in the order in which they were made.
    """

    program: str
    line: int
    before: float | None
    after: float | None
    best: dict[str, float]
    tries: tuple[GuideTry, ...]

    def __str__(self) -> str:
        first = "did not arrive before" if self.before is None else f"{self.before:.4f} s before"
        now = "does not arrive now" if self.after is None else f"{self.after:.4f} s now"
        words = ", ".join(f"{name} {_shown(name, value)}" for name, value in self.best.items())
        return f"line {self.line} of {self.program!r}: {first}, {now}, with {words}"


class Learned(Result, frozen=True):
    """What was learned for a program, guided move by guided move."""

    program: str
    learned: tuple[LearnedGuide, ...]
    written: bool

    def __str__(self) -> str:
        count = sum(len(one.tries) - 1 for one in self.learned)
        kept = "the best constants are in its lines" if self.written else "nothing was changed"
        return "\n".join([f"{counted(count, 'try', 'tries')}; {kept}", *(str(one) for one in self.learned)])


def _prepare_learning(session: Session, program: Entity, **given: Any) -> Prepared:
    given.pop("dry", None)
    return Prepared(_learned(session, program, **given), session.snapshot().hash)


def _learned(
    session: Session, program: Entity, tries: int = 10, seed: int = 0, speed: bool = False, keep: bool = False
) -> tuple[list[LearnedGuide], str]:
    """Return what was learned for the guided moves of a program, and its text with the best constants."""
    from workcell.planning.find_path import require_seed

    if tries > MOST_TRIES:
        raise InvalidValue(f"A guided move is tried at most {MOST_TRIES} times; found {tries}.")
    require_seed(seed)
    words = ("gain", "caution", "damping", *(("speed",) if speed else ()), *(("keep",) if keep else ()))
    _, known = runnable(session, [program])
    own = stored(program).program
    lines = str(program.properties.get(TEXT, "")).split("\n")
    places = [own.place(number).line for number, step in enumerate(own.steps) if isinstance(step, s.Guide)]
    if not places:
        raise Refused(
            f"Program {program.name!r} has no `guide` step to learn from; write one into it, such as "
            "`guide ROBOT POSE`.",
            program=program.name,
        )
    learned = []
    for number, line in enumerate(places):
        task = _Task(session, own.name, known, lines, line, words, own.units)
        found = task.learned(tries, seed, number / len(places), 1.0 / len(places))
        lines = task.with_constants(found.best)
        learned.append(found)
    return learned, "\n".join(lines)


@command(
    "learn guide {program} [tries {tries}] [seed {seed}] [--speed] [--keep] [--dry]",
    help="run a program again with other constants of its guided moves, and keep the best ones",
    effect="edits",
    prepares=_prepare_learning,
    program=Ref("program"),
    tries=NumberValue(whole=True, positive=True),
    seed=NumberValue(whole=True),
    param_help={
        "program": "a program with `guide` steps",
        "tries": f"how often each guided move is made with other constants; 10 by default, at most {MOST_TRIES}",
        "seed": "the same seed gives the same constants; 0 by default, and below 2^63",
        "speed": "the speed of the hand may change, too",
        "keep": "the distance at which things begin to push may change, too",
        "dry": "only show what would be learned",
    },
    examples=[
        "> create robot Puma puma560 joints 0,0,-90,0,90,0",
        "> add solid ball sphere 80 at 450,250,300",
        '> write program reach "guide Puma 300,550,250 --position"',
        "learn guide reach tries 2",
        "learn guide reach tries 1 --speed --dry",
    ],
)
def learn_guide(
    session: Session,
    program: Entity,
    tries: int = 10,
    seed: int = 0,
    speed: bool = False,
    keep: bool = False,
    dry: bool = False,
) -> Learned:
    """The program runs on copies of the cell, from the initial state. The run that ends soonest is the best.

    `gain`, `caution` and `damping` of each `guide` step are varied, near to the best ones so far; with flags also its
    speed and the distance that it keeps. What was learned stands in the lines of the program. Use it again to improve
    on that. `undo` takes it back.
    """
    basis = session.snapshot().hash
    learned, text = prepared(
        session, basis, lambda: _learned(session, program, tries, seed, speed, keep), "the best guidance"
    )
    if not dry:
        session.database.set_properties(session.rows, program, {TEXT: text})
    return Learned(program.name, tuple(learned), not dry)


class _Run(msgspec.Struct, frozen=True):
    """A try, with the constants as the guidance knows them."""

    constants: Any
    made: GuideTry


class _Task:
    """A guided move of a program that is made again and again."""

    def __init__(
        self, session: Session, name: str, known: Mapping[str, Program], lines: Sequence[str], line: int,
        words: Sequence[str], units: Units,
    ) -> None:  # fmt: skip
        self.session, self.name, self.known, self.units = session, name, known, units
        self.lines, self.line, self.words = list(lines), line, tuple(words)
        program = self._read(self.lines)
        self.step = next(
            step
            for number, step in enumerate(program.steps)
            if isinstance(step, s.Guide) and program.place(number).line == line
        )

    def learned(self, tries: int, seed: int, done: float, share: float) -> LearnedGuide:
        """Make the move with other constants; return what came of it."""
        from workcell.planning.guidance.learning import Experience

        made: list[GuideTry] = []

        def again(constants: ArmConstants) -> _Run:
            if self.session.progress is not None:
                self.session.progress(done + share * len(made) / (tries + 1), f"line {self.line}, try {len(made)}")
            run = self._run({word: getattr(constants, _FIELDS[word][0]) for word in self.words}, constants)
            made.append(run.made)
            return run

        first = again(self._present())
        varied = tuple(_FIELDS[word][0] for word in self.words)
        best = Experience[_Run](score=_score).kept(first).improved(again, tries, seed, varied).best.made
        return LearnedGuide(self.name, self.line, first.made.duration, best.duration, best.constants, tuple(made))

    def with_constants(self, constants: Mapping[str, float]) -> list[str]:
        """The lines of the program with other constants of this move."""
        values = {word: Number(value, _FIELDS[word][1]) for word, value in constants.items()}
        out, text = list(self.lines), self.lines[self.line - 1]
        indent = text[: len(text) - len(text.lstrip())]
        out[self.line - 1] = indent + command_line(msgspec.structs.replace(self.step, **values))
        return out

    def _present(self) -> ArmConstants:
        """The constants of the move as it is written."""
        from workcell.planning.guidance.arms import ArmConstants
        from workcell.simulation.scopes import StartScope
        from workcell.simulation.simulator import Simulator

        found, scope = {}, StartScope(Simulator(self.session.snapshot()), self.units)
        for word in self.words:
            written = getattr(self.step, word)
            if written is None:
                continue
            value = evaluate(written, scope) if isinstance(written, Number) else None
            if not isinstance(value, Measure):
                raise Refused(
                    f"The {word} of line {self.line} of {self.name!r} is not a plain number, so it cannot be learned; "
                    "write a number, or leave it out.",
                    line=self.line,
                )
            quantity = _QUANTITIES.get(word)
            found[_FIELDS[word][0]] = as_quantity(value, quantity, self.units) if quantity else float(value.value)
        return ArmConstants(**found)

    def _run(self, given: Mapping[str, float], constants: ArmConstants) -> _Run:
        """Run the program with these constants, rounded as they are written."""
        rounded = {word: float(f"{value:.{_DIGITS}g}") for word, value in given.items()}
        constants = replace(constants, **{_FIELDS[word][0]: value for word, value in rounded.items()})
        program = self._read(self.with_constants(rounded))
        known = {**self.known, self.name: program}
        run = run_of(self.session, [program], known, (), None, tables_of(self.session, known.values(), None))
        try:
            run.go()
        except WorkcellError as error:
            reason = error.evidence.get("reason", error)
            return _Run(constants, GuideTry(rounded, None, one_line(reason)))
        finally:
            run.close()
        return _Run(constants, GuideTry(rounded, run.simulator.recording.duration))

    def _read(self, lines: Sequence[str]) -> Program:
        return read_program(self.name, "\n".join(lines), self.units).program


def _score(run: _Run) -> float:
    """How long a run took; runs that did not come to their end are the last."""
    return float("inf") if run.made.duration is None else run.made.duration


def _shown(name: str, value: float) -> str:
    return f"{value * 1e3:.4g} mm/s" if name == "speed" else f"{value * 1e3:.4g} mm" if name == "keep" else f"{value:g}"
