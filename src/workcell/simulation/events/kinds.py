"""Every kind of event: the union of all, and what some have in common."""

from __future__ import annotations

from typing import TypeAlias, get_args

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
    Message,
    Noted,
    ProcessSet,
    SensorChanged,
    SignalSeen,
    SignalSet,
    WaitBegan,
    Waited,
    ZoneAwaited,
    ZoneEntered,
    ZoneLeft,
)

Event: TypeAlias = (
    MoveBegan
    | TrackingMet
    | TrackingChanged
    | TrackingEnded
    | GraspMissed
    | WaitBegan
    | Waited
    | SignalSet
    | SignalSeen
    | SensorChanged
    | Gripped
    | Released
    | Settled
    | Fell
    | LandedElsewhere
    | TippedOver
    | Unsupported
    | PressedIn
    | Rides
    | StoppedBeforeContact
    | StoppedUndecided
    | StoppedAtLimit
    | RateChanged
    | ConveyorRuns
    | HandedOver
    | Blocked
    | FellOff
    | PartMade
    | PartTaken
    | SourceEmpty
    | SourceBlocked
    | Superseded
    | SteeringRefused
    | GivenUp
    | CallbackFailed
    | ZoneAwaited
    | ZoneEntered
    | ZoneLeft
    | DeadLocked
    | FaultBegan
    | FaultEnded
    | LoadChecked
    | ProcessSet
    | Message
    | Noted
)
KINDS: tuple[type[Base], ...] = get_args(Event)
STOPS = (StoppedBeforeContact, StoppedUndecided, StoppedAtLimit)
"""Motions that ended before they were over."""
FALLS = (Fell, LandedElsewhere, TippedOver, Unsupported, PressedIn)
"""Parts that did not come to stand as planned."""
Fall: TypeAlias = Fell | LandedElsewhere | TippedOver | Unsupported | PressedIn


def kind_of(event: Event) -> str:
    """What kind of event it is, in one word."""
    return str(type(event).__struct_config__.tag)
