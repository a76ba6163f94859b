"""Renames the things in events, so that events use the present names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from workcell.robots.payload import Load
from workcell.simulation.events import belts, motion, parts, programs
from workcell.simulation.events.base import Base
from workcell.simulation.events.kinds import Event
from workcell.world.renaming import Renaming


def _name(value: str, new: Renaming) -> str:
    """Return the new name; a thing that no longer exists keeps its old one."""
    return new(value) or value if value else value


def _names(value: tuple[str, ...] | None, new: Renaming) -> tuple[str, ...] | None:
    return None if value is None else tuple(_name(one, new) for one in value)


def _signal(value: str, new: Renaming) -> str:
    return new.signal(value) or value


def _loads(value: tuple[Load, ...], new: Renaming) -> tuple[Load, ...]:
    return tuple(Load(_name(one.name, new), one.mass, one.centre, one.source) for one in value)


def _ring(value: tuple[programs.Stuck, ...], new: Renaming) -> tuple[programs.Stuck, ...]:
    called = {"zone": _name, "signal": _signal}
    return tuple(
        programs.Stuck(
            one.program,
            tuple(_name(zone, new) for zone in one.holds),
            one.what,
            called[one.what](one.waits_for, new) if one.what in called else one.waits_for,
        )
        for one in value
    )


NAMES: Mapping[type[Base], Mapping[str, Callable[[Any, Renaming], Any]]] = {
    motion.MoveBegan: {"device": _name},
    motion.TrackingMet: {"robot": _name, "on": _name},
    motion.TrackingChanged: {"robot": _name, "on": _name},
    motion.TrackingEnded: {"robot": _name, "on": _name},
    motion.GuidanceEnded: {"robot": _name, "pair": _names},
    parts.GraspMissed: {"robot": _name, "part": _name},
    programs.PathTried: {"robot": _name},
    programs.SignalSet: {"signal": _signal},
    programs.SignalSeen: {"signal": _signal},
    programs.SensorChanged: {"signal": _signal, "bodies": _names},
    parts.Gripped: {"robot": _name, "part": _name, "taken_from": _name},
    parts.Released: {"robot": _name, "part": _name},
    parts.Settled: {"part": _name, "on": _name},
    parts.Fell: {"part": _name, "on": _name},
    parts.LandedElsewhere: {"part": _name, "on": _name, "planned": _name},
    parts.TippedOver: {"part": _name, "on": _name},
    parts.Unsupported: {"part": _name},
    parts.Hangs: {"part": _name, "on": _name},
    parts.PressedIn: {"part": _name, "on": _name},
    parts.Rides: {"part": _name, "on": _name},
    motion.StoppedBeforeContact: {"devices": _names, "pair": _names},
    motion.StoppedUndecided: {"devices": _names, "pair": _names},
    motion.StoppedAtLimit: {"robot": _name},
    motion.RateChanged: {"device": _name},
    belts.ConveyorRuns: {"conveyor": _name},
    belts.HandedOver: {"part": _name, "conveyor": _name, "to": _name},
    belts.Blocked: {"part": _name, "conveyor": _name, "by": _name},
    belts.FellOff: {"part": _name, "conveyor": _name},
    belts.PartMade: {"part": _name, "source": _name},
    belts.PartTaken: {"part": _name, "sink": _name},
    belts.SourceEmpty: {"source": _name},
    belts.SourceBlocked: {"source": _name, "by": _name},
    motion.Superseded: {"device": _name},
    motion.SteeringRefused: {"device": _name},
    motion.GivenUp: {"device": _name},
    motion.CallbackFailed: {"device": _name},
    programs.ZoneAwaited: {"zone": _name},
    programs.ZoneEntered: {"zone": _name},
    programs.ZoneLeft: {"zone": _name},
    programs.Deadlocked: {"ring": _ring},
    programs.FaultBegan: {"thing": _name, "signal": _signal},
    programs.FaultEnded: {"thing": _name, "signal": _signal},
    parts.LoadChecked: {"robot": _name, "loads": _loads},
    programs.ProcessSet: {"robot": _name},
    programs.Noted: {"robot": _name},
}
"""The fields of events that are names of robots, bodies and signals, with the function that renames each."""


def renamed(event: Event, new: Renaming) -> Event:
    """Return an event with new names."""
    fields = NAMES.get(type(event))
    if fields is None:
        return event
    return msgspec.structs.replace(
        event, **{name: follow(getattr(event, name), new) for name, follow in fields.items()}
    )
