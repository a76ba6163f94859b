"""Events under other names: what a thing is called now is what its events call it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from workcell.robots.payload import Load
from workcell.simulation.events.base import Base
from workcell.simulation.events.belts import (
    Blocked,
    ConveyorRuns,
    FellOff,
    HandedOver,
    PartMade,
    PartTaken,
    SourceBlocked,
    SourceEmpty,
)
from workcell.simulation.events.kinds import Event
from workcell.simulation.events.motion import (
    CallbackFailed,
    GivenUp,
    MoveBegan,
    RateChanged,
    SteeringRefused,
    StoppedAtLimit,
    StoppedBeforeContact,
    StoppedUndecided,
    Superseded,
    TrackingChanged,
    TrackingEnded,
    TrackingMet,
)
from workcell.simulation.events.parts import (
    Fell,
    GraspMissed,
    Gripped,
    LandedElsewhere,
    LoadChecked,
    PressedIn,
    Released,
    Rides,
    Settled,
    TippedOver,
    Unsupported,
)
from workcell.simulation.events.programs import (
    DeadLocked,
    FaultBegan,
    FaultEnded,
    Noted,
    ProcessSet,
    SensorChanged,
    SignalSeen,
    SignalSet,
    Stuck,
    ZoneAwaited,
    ZoneEntered,
    ZoneLeft,
)
from workcell.world.renaming import Renaming


def _name(value: str, new: Renaming) -> str:
    """What is gone keeps the name that it had."""
    return new(value) or value if value else value


def _names(value: tuple[str, ...] | None, new: Renaming) -> tuple[str, ...] | None:
    return None if value is None else tuple(_name(one, new) for one in value)


def _signal(value: str, new: Renaming) -> str:
    return new.signal(value) or value


def _loads(value: tuple[Load, ...], new: Renaming) -> tuple[Load, ...]:
    return tuple(Load(_name(one.name, new), one.mass, one.centre, one.source) for one in value)


def _ring(value: tuple[Stuck, ...], new: Renaming) -> tuple[Stuck, ...]:
    called = {"zone": _name, "signal": _signal}
    return tuple(
        Stuck(
            one.program,
            tuple(_name(zone, new) for zone in one.holds),
            one.what,
            called[one.what](one.waits_for, new) if one.what in called else one.waits_for,
        )
        for one in value
    )


NAMES: Mapping[type[Base], Mapping[str, Callable[[Any, Renaming], Any]]] = {
    MoveBegan: {"device": _name},
    TrackingMet: {"robot": _name, "on": _name},
    TrackingChanged: {"robot": _name, "on": _name},
    TrackingEnded: {"robot": _name, "on": _name},
    GraspMissed: {"robot": _name, "part": _name},
    SignalSet: {"signal": _signal},
    SignalSeen: {"signal": _signal},
    SensorChanged: {"signal": _signal, "bodies": _names},
    Gripped: {"robot": _name, "part": _name, "taken_from": _name},
    Released: {"robot": _name, "part": _name},
    Settled: {"part": _name, "on": _name},
    Fell: {"part": _name, "on": _name},
    LandedElsewhere: {"part": _name, "on": _name, "planned": _name},
    TippedOver: {"part": _name, "on": _name},
    Unsupported: {"part": _name},
    PressedIn: {"part": _name, "on": _name},
    Rides: {"part": _name, "on": _name},
    StoppedBeforeContact: {"devices": _names, "pair": _names},
    StoppedUndecided: {"devices": _names, "pair": _names},
    StoppedAtLimit: {"robot": _name},
    RateChanged: {"device": _name},
    ConveyorRuns: {"conveyor": _name},
    HandedOver: {"part": _name, "conveyor": _name, "to": _name},
    Blocked: {"part": _name, "conveyor": _name, "by": _name},
    FellOff: {"part": _name, "conveyor": _name},
    PartMade: {"part": _name, "source": _name},
    PartTaken: {"part": _name, "sink": _name},
    SourceEmpty: {"source": _name},
    SourceBlocked: {"source": _name, "by": _name},
    Superseded: {"device": _name},
    SteeringRefused: {"device": _name},
    GivenUp: {"device": _name},
    CallbackFailed: {"device": _name},
    ZoneAwaited: {"zone": _name},
    ZoneEntered: {"zone": _name},
    ZoneLeft: {"zone": _name},
    DeadLocked: {"ring": _ring},
    FaultBegan: {"thing": _name, "signal": _signal},
    FaultEnded: {"thing": _name, "signal": _signal},
    LoadChecked: {"robot": _name, "loads": _loads},
    ProcessSet: {"robot": _name},
    Noted: {"robot": _name},
}
"""Which fields of which events are names of robots, bodies and signals, and how each follows a new name."""


def renamed(event: Event, new: Renaming) -> Event:
    """The same event with other names."""
    fields = NAMES.get(type(event))
    if fields is None:
        return event
    return msgspec.structs.replace(
        event, **{name: follow(getattr(event, name), new) for name, follow in fields.items()}
    )
