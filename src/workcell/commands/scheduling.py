"""The command that lets programs share space: who waits where, so that they run together without touching."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workcell.commands.body_names import known_bodies
from workcell.commands.collisions import collision_model_of
from workcell.commands.language.program_reader import read_program
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.plan_marks import mark_planned
from workcell.commands.prepared import Prepared, prepared
from workcell.commands.program_store import TEXT, runnable, stored
from workcell.commands.program_tables import tables_of
from workcell.commands.program_values import Programs
from workcell.commands.results import Result
from workcell.commands.running import run_of
from workcell.commands.several_robots import ran_freely, run_freely
from workcell.commands.zones import new_zone
from workcell.errors import Refused, WorkcellError
from workcell.programs import steps as s
from workcell.spatial.transform import Transform, Translate
from workcell.wording import counted, joined, quoted
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.planning.visit_order import Arrivals, Which
    from workcell.simulation.conflicts import Conflicts
    from workcell.simulation.sharing import Alone, Meetings, Shared

_ROUNDS = 4
"""How often programs are scheduled again, until the run is proved free."""
_LEAST = 0.02
"""The least size of a zone that is made [m]."""
_WAITS = (s.WaitFor, s.WaitUntil, s.EnterZone, s.LeaveZone)
_CELL = (
    "> create robot A puma560 joints -50,20,-120,0,60,0",
    "> create robot B puma560 at 1300,0,0 rotate 0,0,180 joints -50,20,-120,0,60,0",
    '> write program left "move-joints-absolute A 50,20,-120,0,60,0%0Await 1%0Ahome A"',
    '> write program right "move-joints-absolute B 30,20,-120,0,60,0%0Ahome B"',
)


class ZoneVisit(Result, frozen=True):
    """A stay of a program in a shared zone.

    Attributes:
        program: the program.
        zone: the zone.
        first: the first line of the stay, before lines were added.
        last: its last line.
        enters: when it enters [s].
        waits: how long it waits before [s].
    """

    program: str
    zone: str
    first: int
    last: int
    enters: float
    waits: float

    def __str__(self) -> str:
        lines = f"line {self.first}" if self.first == self.last else f"lines {self.first} to {self.last}"
        waits = f" after a wait of {self.waits:.4f} s" if self.waits > 1e-6 else ""
        return f"{self.program} enters {self.zone} at {self.enters:.4f} s for {lines}{waits}"


class Scheduled(Result, frozen=True):
    """Programs that share space without touching.

    Attributes:
        programs: their names.
        visits: who is in which zone, in the order of time.
        duration: how long the run takes [s].
        alone: how long the slowest program takes alone [s]; no run is shorter.
        in_turn: how long they take one after the other [s].
        best: whether no other order of visits ends sooner.
        zones: the zones that were made.
    """

    programs: tuple[str, ...]
    visits: tuple[ZoneVisit, ...]
    duration: float
    alone: float
    in_turn: float
    best: bool
    zones: tuple[str, ...]

    def __str__(self) -> str:
        over = 100.0 * (self.duration / self.alone - 1.0) if self.alone > 0.0 else 0.0
        order = "no order of visits ends sooner" if self.best else "not all orders of visits were looked at"
        head = (
            f"{joined(self.programs)} run together in {self.duration:.4f} s, proved free: {over:.1f} % above the "
            f"slowest alone ({self.alone:.4f} s), {self.in_turn:.4f} s one after the other; {order}"
        )
        if not self.visits:
            return f"{head}; they never meet, so nothing was changed"
        made = [f"made {counted(len(self.zones), 'shared zone')}: {', '.join(self.zones)}"] if self.zones else []
        return "\n".join([head, *made, *(str(one) for one in self.visits)])


class _Plan(NamedTuple):
    """Programs with a schedule that was proved free, before zones are made and lines are written.

    Attributes:
        shared: where they meet, and the visits there.
        alone: each program alone.
        texts: their lines.
        waits: how long each waits before a visit [s], beside the wait for the zone.
        in_all: the same, with the wait for the zone.
        run: when each enters.
        best: whether no other order of visits ends sooner.
        duration: how long the run takes [s].
    """

    shared: Shared
    alone: list[Alone]
    texts: list[list[str]]
    waits: Mapping[Which, float]
    in_all: Mapping[Which, float]
    run: Arrivals
    best: bool
    duration: float


def _prepare_schedule(session: Session, programs: Sequence[Entity], zone: Entity | None = None) -> Prepared:
    return Prepared(_plan(session, programs, zone), session.snapshot().hash)


def _plan(session: Session, programs: Sequence[Entity], zone: Entity | None) -> _Plan:
    """Return the schedule that ends soonest and is proved free."""
    from workcell.planning.visit_order import arrivals, best_order, waits_for
    from workcell.simulation.sharing import Meetings

    _require(programs, zone)
    texts = [str(one.properties.get(TEXT, "")).split("\n") for one in programs]
    alone = [_alone(session, one) for one in programs]
    meetings = Meetings(collision_model_of(session), alone)
    for _ in range(_ROUNDS):
        shared = meetings.shared(zone is not None)
        order = best_order(shared.jobs, shared.first)
        if order is None:
            raise _in_the_way(meetings, shared)
        waits = waits_for(shared.jobs, order)
        run = arrivals(shared.jobs, waits)
        in_all = {which: run.entries[which] - run.asked[which] + waits.get(which, 0.0) for which in run.entries}
        trial = [_waiting(alone[i], texts[i], _stays(shared, in_all, i)) for i in range(len(alone))]
        found, duration = _tried(session, programs, trial)
        if not found.found and found.proved:
            return _Plan(shared, alone, texts, waits, in_all, run, order.best, duration)
        if not _learned(meetings, found, alone, texts, trial):
            break
    raise Refused(
        f"No schedule of {joined([one.name for one in programs])} was proved free: {_first(found)} Let them keep "
        "farther apart, or use `check together` to see where they meet."
    )


@command(
    "schedule {programs} [in {zone}]",
    help="let programs take turns where their robots would touch, so that the run that ends soonest is proved free",
    effect="edits",
    prepares=_prepare_schedule,
    programs=Programs(after=("in",)),
    zone=Ref("zone"),
    param_help={
        "programs": "the programs that run in parallel; each moves its own robots",
        "zone": "the shared zone in which they take turns; by default, zones are made where they meet",
    },
    examples=[*_CELL, "schedule left right", "run-together left right", "check recording"],
)
def schedule(session: Session, programs: Sequence[Entity], zone: Entity | None = None) -> Scheduled:
    """`enter-zone`, `leave-zone` and `wait` are written into the programs. `undo` takes them out again.

    Each program runs alone first. Statements whose robots would touch at any times get into one zone, so they exclude
    each other however fast the programs are. A program never waits for a zone inside another, so there is no deadlock.
    The order of visits is the one that ends soonest. At last the run of all is proved free.
    """
    basis = session.snapshot().hash
    plan = prepared(session, basis, lambda: _plan(session, programs, zone), "the schedule")
    names = _zones(session, zone, plan.shared)
    for i, one in enumerate(programs):
        text = _with_zones(plan.alone[i], plan.texts[i], _stays(plan.shared, plan.waits, i), names)
        session.database.set_properties(session.rows, one, {TEXT: text})
    mark_planned(session, programs, "schedule", {"programs": list(programs)})
    return _answer(plan, names, () if zone is not None else tuple(names))


@dataclass(frozen=True)
class _Stay:
    """A stay in a zone: its first and last statement, the number of the zone, and the wait before [s]."""

    first: int
    last: int
    zone: int
    wait: float


def _require(programs: Sequence[Entity], zone: Entity | None) -> None:
    if len(programs) < 2:
        raise Refused("A schedule needs two programs or more that run together.")
    for one in programs:
        if one.kind != "program":
            raise Refused(f"{one.name!r} is a task; schedule its programs.", program=one.name)
        for number, step in enumerate(stored(one).program.steps):
            if isinstance(step, _WAITS):
                line = stored(one).program.place(number).line
                raise Refused(
                    f"Line {line} of program {one.name!r} waits for others itself; only programs that can run alone "
                    "can be scheduled. Take out such lines first.",
                    program=one.name,
                    line=line,
                )
    if zone is not None and str(zone.properties.get("rule", "")) != "shared":
        raise Refused(f"Programs take turns only in zones with the rule shared; `modify {zone.reference} rule shared`.")


def _alone(session: Session, program: Entity) -> Alone:
    from workcell.simulation.sharing import Alone

    try:
        recording = ran_freely(session, [program])
    except WorkcellError as error:
        raise Refused(f"Program {program.name!r} does not run alone: {error}", program=program.name) from error
    return Alone(stored(program).program, recording)


def _zones(session: Session, zone: Entity | None, shared: Shared) -> list[str]:
    """The names of the zones; they are made where the robots meet, unless one is given."""
    from workcell.geometry import solids

    if zone is not None:
        return [zone.name] * shared.zones
    made: list[str] = []
    for number in itertools.count(1):
        name = f"shared-{number}"
        if len(made) == shared.zones:
            break
        if session.database.find("zone", name) or name in known_bodies(session):
            continue
        low, high = shared.boxes[len(made)]
        size, centre = np.maximum(high - low, _LEAST), 0.5 * (low + high)
        where = Transform.of(Translate(tuple(np.round(centre, 3).tolist())))
        new_zone(session, name, solids.box(*np.round(size, 3).tolist()), where, {"rule": "shared"})
        made.append(name)
    return made


def _stays(shared: Shared, waits: Mapping[Which, float], program: int) -> list[_Stay]:
    return [
        _Stay(*shared.spans[program, number], visit.zone, waits.get((program, number), 0.0))
        for number, visit in enumerate(shared.jobs[program].visits)
    ]


def _waiting(alone: Alone, lines: list[str], stays: Sequence[_Stay]) -> list[str]:
    """The lines of a program with waits in place of zones: the same run, as long as all times are as planned."""
    waits = {alone.lines[one.first]: one.wait for one in stays if one.wait > 0.0}
    out = []
    for number, line in enumerate(lines, start=1):
        out += [*([f"wait {waits[number]:.9f}s"] if number in waits else []), line]
    return out


def _with_zones(alone: Alone, lines: list[str], stays: Sequence[_Stay], names: Sequence[str]) -> str:
    """The text of a program with the steps that enter and leave zones."""
    before, after = dict[int, list[str]](), dict[int, list[str]]()
    for stay in stays:
        begin = alone.lines[stay.first]
        following = stay.last + 1
        end = alone.lines[following] - 1 if following < len(alone.lines) else len(lines)
        while end > begin and not lines[end - 1].strip():
            end -= 1
        wait = [f"wait {stay.wait:.6f}s"] if stay.wait > 0.0 else []
        before[begin] = [*wait, f"enter-zone {quoted(names[stay.zone])}"]
        after[end] = [f"leave-zone {quoted(names[stay.zone])}"]
    out = []
    for number, line in enumerate(lines, start=1):
        out += [*before.get(number, []), line, *after.get(number, [])]
    return "\n".join(out)


def _tried(session: Session, programs: Sequence[Entity], texts: Sequence[list[str]]) -> tuple[Conflicts, float]:
    """The conflicts of a run of programs with other lines, and how long it takes [s]."""
    from workcell.simulation.conflicts import conflicts_of

    _, known = runnable(session, programs)
    asked = [
        read_program(one.name, "\n".join(text), stored(one).program.units).program
        for one, text in zip(programs, texts, strict=True)
    ]
    known = {**known, **{one.name: one for one in asked}}
    recording = run_freely(run_of(session, asked, known, (), None, tables_of(session, known.values(), None)))
    names = [one.name for one in asked]
    found = conflicts_of(recording, collision_model_of(session), names, session.progress, session.cancel)
    return found, recording.duration


def _learned(
    meetings: Meetings, found: Conflicts, alone: Sequence[Alone], texts: Sequence[list[str]], trial: Sequence[list[str]]
) -> bool:
    """Let statements that met in the run not overlap; whether that is anything new."""
    before = len(meetings.meets)
    for conflict in found.found:
        at = [
            (i, alone[i].statement_at(_old_line(texts[i], trial[i], line)))
            for i, (_, line) in enumerate(conflict.lines)
        ]
        for one, other in itertools.combinations(at, 2):
            meetings.add(one, other)
    return len(meetings.meets) > before


def _old_line(old: list[str], new: list[str], line: int) -> int:
    """The line of a program before lines were added to it."""
    place = 0
    for text in new[:line]:
        if place < len(old) and text == old[place]:
            place += 1
    return max(place, 1)


def _answer(plan: _Plan, names: Sequence[str], made: tuple[str, ...]) -> Scheduled:
    shared, alone, run, waits = plan.shared, plan.alone, plan.run, plan.in_all
    visits = []
    for which, entered in sorted(run.entries.items(), key=lambda one: (one[1], one[0])):
        one, visit, (first, last) = alone[which[0]], shared.jobs[which[0]].visits[which[1]], shared.spans[which]
        lines = one.lines[first], one.lines[last]
        visits.append(ZoneVisit(one.program.name, names[visit.zone], *lines, entered, waits[which]))
    durations = [job.duration for job in shared.jobs]
    programs = tuple(one.program.name for one in alone)
    return Scheduled(programs, tuple(visits), plan.duration, max(durations), sum(durations), plan.best, made)


def _in_the_way(meetings: Meetings, shared: Shared) -> Refused:
    """Why no order of visits is possible: programs that start or end in each other's way."""
    names = [one.program.name for one in meetings.programs]
    for which, sooner in shared.first.items():
        for other in sooner:
            if which in shared.first.get(other, frozenset()):
                names = [meetings.programs[i].program.name for i in sorted({which[0], other[0]})]
    movers = joined([name for one in meetings.programs if one.program.name in names for name in one.movers])
    return Refused(
        f"{joined([repr(name) for name in names])} start or end in each other's way, so that neither can go first; "
        f"let one of {movers} start or end somewhere else.",
    )


def _first(found: Conflicts) -> str:
    if not found.found:
        return "not everything could be proved."
    one = found.found[0]
    return f"{one.pair[0]} and {one.pair[1]} touch from {one.begin:.4f} to {one.end:.4f} s."
