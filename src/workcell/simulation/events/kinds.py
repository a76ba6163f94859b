"""Every kind of event: the union of all, and what some have in common."""

from __future__ import annotations

from typing import TypeAlias, get_args

from workcell.simulation.events import belts, motion, parts, programs
from workcell.simulation.events.base import Base

Event: TypeAlias = (
    motion.MoveBegan
    | motion.TrackingMet
    | motion.TrackingChanged
    | motion.TrackingEnded
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
    | programs.DeadLocked
    | programs.FaultBegan
    | programs.FaultEnded
    | parts.LoadChecked
    | programs.ProcessSet
    | programs.Message
    | programs.Noted
)
KINDS: tuple[type[Base], ...] = get_args(Event)
STOPS = (motion.StoppedBeforeContact, motion.StoppedUndecided, motion.StoppedAtLimit)
"""Motions that ended before they were over."""
FALLS = (parts.Fell, parts.LandedElsewhere, parts.TippedOver, parts.Unsupported, parts.PressedIn)
"""Parts that did not come to stand as planned."""
Fall: TypeAlias = parts.Fell | parts.LandedElsewhere | parts.TippedOver | parts.Unsupported | parts.PressedIn


def kind_of(event: Event) -> str:
    """What kind of event it is, in one word."""
    return str(type(event).__struct_config__.tag)
