"""When programs waited in a recording, for what, and which robots stood meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from workcell.programs import steps as s
from workcell.programs.expressions import Number
from workcell.programs.program import Program
from workcell.simulation.events import Event, Gripped, Issued, Released, SignalSeen, WaitBegan, ZoneEntered
from workcell.simulation.line_times import Lane, Span, spans
from workcell.simulation.move_lines import devices_of, steps_by_line
from workcell.simulation.recording import Recording

_DUST = 1e-6
"""Shorter waits are left out [s]."""
_UNTIL = "wait-until "


class ProgramWait(NamedTuple):
    """A wait of a program.

    Attributes:
        start: when it began [s].
        end: when it was over [s].
        program: the program that was started.
        what: what it waited for, as the rest of a sentence: ``waits for signal ready = 1``.
        place: the line and program of the step.
        devices: the robots that this thread of the program moves; they stand meanwhile.
    """

    start: float
    end: float
    program: str
    what: str
    place: str
    devices: tuple[str, ...]


def program_waits(
    recording: Recording, programs: Mapping[str, Program], written: Callable[[s.Step], str]
) -> list[ProgramWait]:
    """Return the waits of programs, in the order in which they began.

    Args:
        recording: what happened.
        programs: the programs by name, as they were in the run.
        written: returns the line of a step, for conditions.
    """
    return sorted(_Waits(recording, programs, written).found())


class _Waits:
    def __init__(self, recording: Recording, programs: Mapping[str, Program], written: Callable[[s.Step], str]) -> None:
        self._recording, self._written = recording, written
        self._steps = {name: steps_by_line(program) for name, program in programs.items()}
        self._spans = list(spans(recording.sources, programs, recording.end))
        self._devices: dict[Lane, set[str]] = {}
        for one in self._spans:
            step = self._step(one.source)
            if step is not None:
                self._devices.setdefault(_thread(one.lane), set()).update(devices_of(step))

    def found(self) -> Iterator[ProgramWait]:
        for one in self._spans:
            step, source = self._step(one.source), one.source
            if step is None:
                continue
            devices = self._standing(_thread(one.lane))
            words = self._words(step)
            over = self._over(one, step) if words else self._busy_until(one, step)
            place = f"line {source.line} of {source.program}"
            if words and over - source.time > _DUST:
                yield ProgramWait(source.time, over, one.lane[0][0], words, place, devices)
            joins = one.then is not None and _depth(one.then) < _depth(one.lane)
            if joins and one.end - over > _DUST:
                yield ProgramWait(over, one.end, one.lane[0][0], "waits for the other branches", place, devices)

    def _step(self, source: Issued) -> s.Step | None:
        return self._steps.get(source.program, {}).get(source.line)

    def _words(self, step: s.Step) -> str:
        """Return what a step waits for; '' if it does not wait."""
        if isinstance(step, s.Wait):
            return "waits"
        if isinstance(step, s.WaitFor):
            value = 1.0 if step.value is None else step.value.value if isinstance(step.value, Number) else None
            return f"waits for signal {step.signal}" + ("" if value is None else f" = {value:g}")
        if isinstance(step, s.WaitUntil):
            return f"waits until {self._written(step).strip().removeprefix(_UNTIL)}"
        return f"waits for zone {step.zone}" if isinstance(step, s.EnterZone) else ""

    def _over(self, one: Span, step: s.Step) -> float:
        """Return when a wait was over [s]; the next step of its thread begins then, if there is one."""
        begin, end = one.source.time, one.end
        if one.then is not None and _thread(one.then) == _thread(one.lane):
            return end
        later = [event for event in self._recording.events if event.time >= begin]
        if isinstance(step, s.Wait):
            ends = [begin + one.seconds for one in later if isinstance(one, WaitBegan) and one.time == begin]
            asked = begin + step.seconds.value if isinstance(step.seconds, Number) else end
            return min(end, min(ends, key=lambda time: abs(time - asked), default=end))
        return min(end, next((event.time for event in later if _ends(event, step, begin)), end))

    def _busy_until(self, one: Span, step: s.Step) -> float:
        """Return until when the devices of a step moved or gripped [s]."""
        begin, devices = one.source.time, devices_of(step)
        ends = [move.end for move in self._recording.moves if move.device in devices and begin <= move.start <= one.end]
        ends += [
            event.time
            for event in self._recording.events
            if isinstance(event, Gripped | Released) and event.robot in devices and begin <= event.time <= one.end
        ]
        return min(one.end, max(ends, default=begin))

    def _standing(self, thread: Lane) -> tuple[str, ...]:
        """Return the devices that stand while a thread waits: its own, else those of its branches."""
        own = self._devices.get(thread) or {
            name for other, names in self._devices.items() if _below(other, thread) for name in names
        }
        return tuple(sorted(own))


def _ends(event: Event, step: s.Step, begin: float) -> bool:
    """Return whether an event ends a wait for a signal or a zone that began at an instant [s]."""
    if isinstance(event, ZoneEntered) and isinstance(step, s.EnterZone):
        return event.zone == step.zone and event.time - event.waited <= begin + _DUST
    return isinstance(event, SignalSeen) and isinstance(step, s.WaitFor) and event.signal == step.signal


def _thread(lane: Lane) -> Lane:
    """Return the lane without the programs that its innermost branch calls: what one thread carries out."""
    last = max((place for place, (_, branches) in enumerate(lane) if branches), default=0)
    return tuple((name, branches) for name, branches in lane[: last + 1])


def _depth(lane: Lane) -> int:
    """Return in how many branches, of each other, a lane is."""
    return sum(len(branches) for _, branches in lane)


def _below(thread: Lane, above: Lane) -> bool:
    """Return whether a thread is a branch of another, directly or through branches."""
    last = len(above) - 1
    if len(thread) <= last or thread[:last] != above[:last]:
        return False
    (name, branches), (other, own) = thread[last], above[last]
    return name == other and branches[: len(own)] == own
