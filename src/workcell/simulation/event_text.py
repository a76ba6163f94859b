"""The text of events for people: one sentence for each kind, made from its fields."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from workcell.motion.limits import Violation
from workcell.simulation import events as e
from workcell.wording import an, counted, joined

_MOVES = {
    "joints": "moves its joints",
    "end effector": "moves its hand to a pose",
    "line": "moves in a straight line",
    "circle": "moves on a circle",
    "path": "moves along a path",
    "found path": "moves along a path that was found",
    "hand": "moves its hand",
    "weld": "moves in a weld",
    "solid": "moves along a path",
    "track": "follows its set-points",
    "guided": "is guided between obstacles",
    "planned": "moves along a planned way",
    "run": "runs",
    "follow": "follows what it has met",
}
"""What a device does in each kind of move. In any other kind, it follows a motion of that name."""
_FLOOR = "the floor"


def text_of(event: e.Event) -> str:
    """Return the sentence of an event."""
    return _TEXTS[type(event)](event)


def _mm(metres: float) -> str:
    return f"{metres * 1e3:.4g} mm"


def _pair(pair: tuple[str, str] | None) -> str:
    return " and ".join(pair) if pair else "bodies"


def _move(event: e.MoveBegan) -> str:
    return f"{event.device} {_MOVES.get(event.move) or f'follows {an(event.move)}'}"


_SHOULD = {
    "part": "was to hold it", "grasp": "should be held", "belt": "was to be on the belt",
}  # fmt: skip
_ENDS = {
    "reach": "its reach ends", "range": "a joint comes to the end of its range",
    "speed": "a joint would be too fast", "acceleration": "a joint would accelerate too fast",
}  # fmt: skip


def _missed(event: e.GraspMissed) -> str:
    off, turn = event.distance * 1e3, math.degrees(event.angle)
    far = "less than 0.001 mm" if off < 1e-3 else f"{off:.3g} mm"
    turned = "less than 0.001°" if turn < 1e-3 else f"{turn:.3g}°"
    return (
        f"{event.robot} grips {event.part} {far} and {turned} from where it {_SHOULD.get(event.of, 'was to hold it')}"
    )


def _untracked(event: e.TrackingEnded) -> str:
    x, y, z = (f"{1e3 * value:.1f}" for value in event.place)
    why = _ENDS.get(event.reason, event.reason)
    return f"{event.robot} stops tracking {event.on} and comes to rest at ({x}, {y}, {z}) mm: {why}"


def _rate(event: e.RateChanged) -> str:
    after = f" within {event.delay * 1e3:.4g} ms" if event.delay > 0.0 else ""
    if event.off_path:
        return f"{event.device} stops as fast as it can{after}"
    if event.rate == 0.0:
        return f"{event.device} stops on its path{after}"
    return f"{event.device} continues at {100.0 * event.rate:.4g} % of its speed{after}"


def _runs(event: e.ConveyorRuns) -> str:
    after = f" within {event.delay * 1e3:.4g} ms" if event.delay > 0.0 else ""
    if event.speed == 0.0:
        return f"{event.conveyor} stops{after}"
    text = f"{event.conveyor} runs at {_mm(event.speed)}/s{after}"
    if event.asked != event.speed:
        text += f"; {_mm(event.asked)}/s was requested, but its limit is {_mm(abs(event.speed))}/s"
    return text


def _grip(event: e.Gripped) -> str:
    source = f" from {event.taken_from}" if event.taken_from else ""
    if event.by == "attached":
        return f"{event.part} is attached to {event.robot}{source}"
    if not event.pads:
        return f"{event.robot} takes {event.part}{source}"
    pads = counted(len(event.pads), "cup" if event.by == "suction" else "magnet")
    needed = "an unknown force" if event.needed is None else f"{event.needed:.4g} N"
    return f"{event.robot} takes {event.part}{source} with {pads}: {event.force:.4g} N, it needs {needed}"


def _settle(one: e.Settled) -> str:
    if one.fall < 0.0:
        return f"{one.part} rests on {one.on or _FLOOR}: cups pressed it {_mm(-one.fall)} and yielded"
    return f"{one.part} settles on {one.on or _FLOOR}, {_mm(one.fall)} below"


def _hang(one: e.Hangs) -> str:
    if one.height is None:
        return f"{one.part} hangs in the air: nothing is below it, and the floor is above"
    return f"{one.part} hangs {_mm(one.height)} above {one.on or _FLOOR}; released with `--settle`, it would fall"


def _release(event: e.Released) -> str:
    if event.by == "attached":
        return f"{event.part} is released by {event.robot}"
    if event.part:
        return f"{event.robot} releases {event.part}"
    return f"{event.robot} opens its gripper" if event.by == "fingers" else f"{event.robot} switches its {event.by} off"


def _contact(event: e.StoppedBeforeContact) -> str:
    near = f"nearer than {event.margin * 1e3:.6g} mm" if event.margin > 0.0 else ""
    if event.at <= event.time:
        return f"{_pair(event.pair)} {f'are {near}' if near else 'touch'}"
    return f"{_pair(event.pair)} would {f'come {near}' if near else 'touch'}"


def _limit(event: e.StoppedAtLimit) -> str:
    return f"{event.robot}: " + str(
        Violation(event.joint, event.limit, event.time, event.value, event.allowed, event.slides)
    )


def _left(event: e.ZoneLeft) -> str:
    if event.ended:
        return f"{event.program} ends in zone {event.zone}, which it did not leave"
    return f"{event.program} leaves zone {event.zone}"


def _stuck(one: e.Stuck) -> str:
    waits = {"zone": one.waits_for, "signal": f"signal {one.waits_for}"}.get(one.what, "its branches")
    return f"{one.program} {f'holds {joined(one.holds)} and ' if one.holds else ''}waits for {waits}"


_FAULTS = {
    "stops": ("stops", "moves again"),
    "slow": ("is slow", "runs at full speed again"),
    "drifts": ("drifts from what it reads", "is calibrated"),
    "sticks": ("sticks", "reads again"),
    "lies": ("reads a wrong value", "reads correctly again"),
    "slips": ("slips", "holds"),
    "keeps-open": ("does not close its gripper", "closes its gripper again"),
}
"""What a thing does when a fault begins, and when it ends."""


def _fault(event: e.FaultBegan | e.FaultEnded) -> str:
    began = isinstance(event, e.FaultBegan)
    does = _FAULTS.get(event.does, (event.does, f"no longer {event.does}"))[0 if began else 1]
    return f"fault {event.fault} {'begins' if began else 'ends'}: {event.signal or event.thing} {does}"


def _guided(event: e.GuidanceEnded) -> str:
    """How a guided motion ended."""
    near = (
        ""
        if event.pair is None or event.clearance is None
        else f"; {_pair(event.pair)} came {_mm(event.clearance)} near"
    )
    how = {"arrived": "arrives", "stalled": "stalls", "contact": "touches something"}.get(
        event.outcome, "runs out of time"
    )
    return (
        f"the guided hand of {event.robot} {how} after {event.took:.4g} s, {_mm(event.miss)} from its destination{near}"
    )


_TEXTS: Mapping[type[e.Base], Callable[[Any], str]] = {
    e.MoveBegan: _move,
    e.TrackingMet: lambda one: f"{one.robot} meets {one.on} and follows it",
    e.TrackingChanged: lambda one: (
        f"{one.robot} tracks the new motion of {one.on}"
        + (f"and is on its place again after {one.delay * 1e3:.4g} ms" if one.delay > 0.0 else "")
    ),
    e.TrackingEnded: _untracked,
    e.GuidanceEnded: _guided,
    e.GraspMissed: _missed,
    e.WaitBegan: lambda one: f"a wait of {one.seconds:g} s begins",
    e.Waited: lambda one: f"a wait of {one.seconds:g} s is over",
    e.SignalSet: lambda one: f"signal {one.signal} becomes {one.value:g}",
    e.RateChanged: _rate,
    e.ConveyorRuns: _runs,
    e.HandedOver: lambda one: f"{one.part} goes from {one.conveyor} to {one.to}",
    e.Blocked: lambda one: f"{one.by} blocks {one.part}, and {one.conveyor} runs under it",
    e.PartMade: lambda one: f"{one.source} puts {one.part} onto its belt",
    e.PartTaken: lambda one: f"{one.sink} takes {one.part} away",
    e.SourceEmpty: lambda one: f"{one.source} is empty: it has no part to give",
    e.SourceBlocked: lambda one: f"{one.source} skips parts, because {one.by} is in the way",
    e.FellOff: lambda one: f"{one.part} falls off the end of {one.conveyor}",
    e.Superseded: lambda one: f"{one.device} goes to other joint values from the middle of its move",
    e.SteeringRefused: lambda one: f"{one.device} continues as before: its new {one.what} was refused. {one.reason}",
    e.GivenUp: lambda one: f"{one.device} abandons its move: {one.reason}",
    e.CallbackFailed: lambda one: f"callback {one.name} failed and is no longer called: {one.reason}",
    e.ZoneAwaited: lambda one: f"{one.program} waits for zone {one.zone}, held by {joined(one.holders)}",
    e.ZoneEntered: lambda one: (
        f"{one.program} enters zone {one.zone}" + (f" after {one.waited:.4g} s" if one.waited > 0.0 else "")
    ),
    e.ZoneLeft: _left,
    e.Deadlocked: lambda one: f"deadlock: {'; '.join(map(_stuck, one.ring))}",
    e.FaultBegan: _fault,
    e.FaultEnded: _fault,
    e.SignalSeen: lambda one: f"signal {one.signal} is {one.value:g}, as waited for",
    e.SensorChanged: lambda one: (
        f"sensor {one.signal} becomes {one.value:g}" + (f" ({', '.join(one.bodies)})" if one.bodies else "")
    ),
    e.Gripped: _grip,
    e.Released: _release,
    e.Settled: _settle,
    e.Fell: lambda one: (
        f"{one.part} falls {_mm(one.height)} onto {one.on or _FLOOR}; a part may fall {_mm(one.allowed)}"
    ),
    e.LandedElsewhere: lambda one: (
        f"{one.part} lands on {one.on or _FLOOR}; it should stand on {one.planned or _FLOOR}"
    ),
    e.TippedOver: lambda one: (
        f"{one.part} tips over on {one.on or _FLOOR}: its centre of mass is {_mm(one.overhang)} outside its support"
    ),
    e.Unsupported: lambda one: f"{one.part} hangs in the air: nothing is below it, and the floor is above",
    e.Hangs: _hang,
    e.PressedIn: lambda one: f"{one.part} was released {_mm(one.depth)} inside {one.on}",
    e.Rides: lambda one: f"{one.part} rides on {one.on}",
    e.StoppedBeforeContact: _contact,
    e.StoppedUndecided: lambda one: f"whether {_pair(one.pair)} touch is undecided ({one.reason})",
    e.StoppedAtLimit: _limit,
    e.LoadChecked: lambda one: str(one.check),
    e.ProcessSet: lambda one: f"{one.robot}: {one.process or 'process'} {'on' if one.on else 'off'}",
    e.PathTried: lambda one: f"{one.robot} looked for a path ({one.how}): {one.outcome}",
    e.Message: lambda one: one.text,
    e.Noted: lambda one: one.text,
}
"""The text of every kind of event."""
