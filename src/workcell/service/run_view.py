"""What windows show of programs and runs; everything here runs in the cell thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from workcell.commands.language.expression_text import expression_text
from workcell.commands.present_lines import PresentLines, started_in
from workcell.commands.program_mark import mark_of
from workcell.commands.program_outlines import language_of
from workcell.commands.program_store import TEXT, stored
from workcell.commands.repeated_runs import repeats
from workcell.commands.run_start import elsewhere
from workcell.commands.running import edited_since, program_names
from workcell.errors import Refused
from workcell.programs.constants import constant
from workcell.programs.evaluate import shown
from workcell.programs.measures import DIMENSIONS, PLAIN, Measure, as_quantity
from workcell.programs.named_parameters import NAMED
from workcell.programs.program import Parameter
from workcell.service.run_messages import (
    BreakpointInfo,
    ParameterInfo,
    PlaceInfo,
    ProgramInfo,
    RunInfo,
    SignalInfo,
    ThreadInfo,
)
from workcell.spatial.units import Units, tidy
from workcell.world.inventory import signals_of

if TYPE_CHECKING:
    from workcell.commands.running import PausedRun
    from workcell.commands.session import Session
    from workcell.world.entities import Entity

EVERY = 0.15
"""The shortest time between two messages about a run in progress [s]."""


def run_info(session: Session, going: PausedRun | None = None) -> RunInfo:
    """Return the message about programs and runs.

    Args:
        session: the session.
        going: the run that is in progress; None if none is.
    """
    names = program_names(session)
    broken = sorted(
        (names[program], line, "" if one.condition is None else expression_text(one.condition))
        for (program, line), one in session.breakpoints.fitted().items()
        if program in names
    )
    run = going or session.paused
    return RunInfo(
        state="none" if run is None else "goes" if going is not None else "paused",
        programs=_programs(session),
        breakpoints=[BreakpointInfo(*one) for one in broken],
        signals=_signals(session, run),
        threads=[] if run is None else _threads(session, run, names),
        time=float(session.state.shown_time if run is None else run.simulator.time),
        started=[] if run is None else list(run.names),
        hit=run is not None and going is None and run.stepped.hit is not None,
        unclear="" if run is None else run.stepped.unclear,
        edited=run is not None and bool(edited_since(session, run)),
        elsewhere=list(elsewhere(session)),
        awaits=[] if run is None or going is not None else list(run.stepped.awaited),
        again=going is None and repeats(session),
        ran=[] if going is not None else started_in(session, session.recording),
        back=run is not None and going is None and run.stepped.steps_kept > 0,
        override=0.0 if run is None else 100.0 * run.simulator.least_rate,
    )


def _programs(session: Session) -> list[ProgramInfo]:
    found, units = [], session.display.of_cell
    for one in session.database.entities("program"):
        language = _language(str(one.properties.get(TEXT, "")))
        found.append(ProgramInfo(str(one.id), one.name, mark_of(one), language, _parameters(one, units)))
    return found


def _parameters(program: Entity, units: Units) -> list[ParameterInfo]:
    """Return the parameters of a program; none if its units are damaged, which a run refuses."""
    try:
        read = stored(program).program
    except Refused:
        return []
    return [_parameter(one, read.units, units) for one in read.parameters]


_language = lru_cache(maxsize=512)(language_of)
_PLACES = ("target", "frame")


@lru_cache(maxsize=512)
def _parameter(parameter: Parameter, own: Units, units: Units) -> ParameterInfo:
    """Return a parameter of a program; a default number is in the unit that a bare number has when it is given.

    Args:
        parameter: the parameter.
        own: the units of bare numbers in the program.
        units: those of the cell.
    """
    kind, usual = parameter.type, parameter.default
    text = "" if usual is None else expression_text(usual)
    value = None if usual is None else constant(usual, own)
    if kind in DIMENSIONS and isinstance(value, Measure) and value.dimension in (PLAIN, DIMENSIONS[kind]):
        text = tidy(units.from_si(as_quantity(value, kind, own), kind))
    unit = units.default(kind if kind in DIMENSIONS else "number")
    kinds = NAMED.get(kind, _PLACES if kind in ("pose", "target") else ())
    return ParameterInfo(parameter.name, kind, unit, usual is None, text, list(kinds))


def _signals(session: Session, run: PausedRun | None) -> list[SignalInfo]:
    snapshot = session.snapshot()
    values = signals_of(snapshot)
    values.update(session.state.signals if run is None else run.state_on(snapshot).signals)
    own = {one.name for one in session.database.entities("signal")}
    units, quantities = session.units, snapshot.signal_quantities
    return [
        SignalInfo(name, units.from_si(float(value), quantity), name not in own, units.default(quantity))
        for name, value in sorted(values.items())
        for quantity in [quantities.get(name, "number")]
    ]


def _threads(session: Session, run: PausedRun, names: dict[int, str]) -> list[ThreadInfo]:
    now = {before: names[one] for one, before in run.programs.items() if one in names}
    units, present = session.units, PresentLines(session, run.simulator.memory, now)
    last = len(run.simulator.memory.sources)
    return [
        ThreadInfo(
            now.get(one.name, one.name),
            now.get(one.program, one.program),
            present.line(one.program, one.line, last),
            one.doing,
            one.stands,
            [PlaceInfo(now.get(program, program), present.line(program, line, last)) for program, line in one.callers],
            {name: shown(value, units) for name, value in one.variables.items()},
        )
        for one in run.stepped.where()
    ]


class RunWatch:
    """Shows a run while it goes on, a few times a second.

    Args:
        session: the session that runs it.
        run: the run, which begins or goes on now. Nothing is shown of one that stops soon.
        show: called with the message.
    """

    def __init__(self, session: Session, run: PausedRun, show: Callable[[RunInfo], None]) -> None:
        self._session, self._run, self._show = session, run, show
        self._next = time.monotonic() + EVERY

    def __call__(self) -> None:
        """Show the run, unless it was shown a moment ago."""
        if time.monotonic() >= self._next:
            self._show(run_info(self._session, self._run))
            self._next = time.monotonic() + EVERY
