"""All kinds of event: their union, and groups of them."""

from __future__ import annotations

from typing import TypeAlias, get_args

from workcell.simulation.events import belts, motion, parts, programs
from workcell.simulation.events.base import Base

Event: TypeAlias = (
    motion.MoveBegan
    | motion.TrackingMet
    | motion.TrackingChanged
    | motion.TrackingEnded
    | motion.GuidanceEnded
    | parts.GraspMissed
    | programs.WaitBegan
    | programs.Waited
    | programs.SignalSet
    | programs.SignalSeen
    | programs.SensorChanged
    | parts.Gripped
    | parts.Released
    | parts.Settled
    | parts.Fell
    | parts.LandedElsewhere
    | parts.TippedOver
    | parts.Unsupported
    | parts.Hangs
    | parts.PressedIn
    | parts.Rides
    | motion.StoppedBeforeContact
    | motion.StoppedUndecided
    | motion.StoppedAtLimit
    | motion.RateChanged
    | belts.ConveyorRuns
    | belts.HandedOver
    | belts.Blocked
    | belts.FellOff
    | belts.PartMade
    | belts.PartTaken
    | belts.SourceEmpty
    | belts.SourceBlocked
    | motion.Superseded
    | motion.SteeringRefused
    | motion.GivenUp
    | motion.CallbackFailed
    | programs.ZoneAwaited
    | programs.ZoneEntered
    | programs.ZoneLeft
    | programs.Deadlocked
    | programs.FaultBegan
    | programs.FaultEnded
    | parts.LoadChecked
    | programs.ProcessSet
    | programs.PathTried
    | programs.Message
    | programs.Noted
)
KINDS: tuple[type[Base], ...] = get_args(Event)
STOPS = (motion.StoppedBeforeContact, motion.StoppedUndecided, motion.StoppedAtLimit)
"""Motions that were stopped on their way."""
FALLS = (parts.Fell, parts.LandedElsewhere, parts.TippedOver, parts.Unsupported, parts.PressedIn)
"""Parts that did not land as planned."""
Fall: TypeAlias = parts.Fell | parts.LandedElsewhere | parts.TippedOver | parts.Unsupported | parts.PressedIn


def kind_of(event: Event) -> str:
    """Return the kind of an event in one word."""
    return str(type(event).__struct_config__.tag)
