"""Steps that are typed one by one: the same actions as in a program, with the simulator of the session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workcell.programs import steps as s
from workcell.spatial.transform import Transform
from workcell.world.devices import placed_robot
from workcell.world.entities import Entity

if TYPE_CHECKING:
    from workcell.commands.session import Session


@dataclass(frozen=True)
class CarriedOut:
    """What a typed step did: how long it took [s], its result for the answer, and what fell meanwhile."""

    duration: float
    found: Any
    falls: tuple[str, ...] = ()


def carried_out(
    session: Session, kind: type[s.Step], given: Mapping[str, Any], files: Mapping[str, bytes] | None = None
) -> CarriedOut:
    """Carry out a step with the values that a command has read.

    Args:
        session: the session whose simulator moves.
        kind: the type of the step.
        given: the parameters of the command by name: entities, transformations, numbers in SI.
        files: the bytes of the tables that the step reads, by name.
    """
    from workcell.simulation.actions import act
    from workcell.simulation.falling import fall_lines
    from workcell.simulation.performing import Doing, Settings
    from workcell.simulation.scopes import StartScope

    values = step_values(session, given)
    simulator = session.simulator
    events = len(simulator.recording.events)
    done = act(kind, values, Doing(simulator, StartScope(simulator, session.units), Settings(), files or {}))
    moves = done.takes
    if moves is None or isinstance(moves, int | float):
        duration = moves or 0.0
    else:
        duration, number = 0.0, 0
        while number < moves.count:  # a motion that is guided does not know how many periods it will take
            duration += moves.begin(simulator, number)
            number += 1
    return CarriedOut(duration, done.found, fall_lines(simulator.recording.events[events:]))


def step_values(session: Session, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a command as the fields of a step; those not given are left out."""
    return {name: _value(session, value) for name, value in given.items() if value is not None}


def _value(session: Session, value: Any) -> Any:
    """Return a parameter of a command as the field of a step: entities as names, transformations as poses."""
    if isinstance(value, Entity):
        return placed_robot(session.snapshot(), value).name if value.kind in ("robot", "mechanism") else value.name
    if isinstance(value, Transform):
        return value.pose()
    if isinstance(value, list):
        return [_value(session, one) for one in value]
    return value
