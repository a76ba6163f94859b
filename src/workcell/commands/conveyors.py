"""Commands on conveyors: run-conveyor, stop-conveyor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Number
from workcell.commands.results import Result
from workcell.commands.typed_steps import carried_out
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.simulation.conveyors import require_conveyor, required_speed
from workcell.world.conveyors import kept_speed
from workcell.world.robot_shape import robot_of

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.world.entities import Entity

_BELT = "> add conveyor belt 2000 at 0,800,0"
_REACHED = "wait until the belt has reached that speed"


class Runs(Result, frozen=True):
    """A conveyor was given a speed.

    Attributes:
        conveyor: its name.
        speed: the speed that it runs at [m/s]; its sign is the direction.
        asked: the speed that was asked for [m/s].
        delay: how long it takes until it has that speed [s].
        travel: how far the belt moves meanwhile [m].
        time: simulated time [s].
    """

    conveyor: str
    speed: float
    asked: float
    delay: float
    travel: float
    time: float

    def __str__(self) -> str:
        if self.speed == 0.0 and self.delay == 0.0:
            return f"{self.conveyor} stands still"
        text = f"{self.conveyor} stops" if self.speed == 0.0 else f"{self.conveyor} runs at {self.speed * 1e3:.6g} mm/s"
        if self.delay > 0.0:
            text += f" within {self.delay * 1e3:.4g} ms and {self.travel * 1e3:.4g} mm"
        if self.asked != self.speed:
            text += _asked(self.asked, self.speed)
        return text


def require_runs(conveyor: Entity, speed: float) -> None:
    """Refuse an initial speed [m/s] that `run-conveyor` would refuse."""
    require_conveyor(conveyor.name, robot_of(conveyor))
    required_speed(conveyor.name, speed)


def limit_binds(conveyor: Entity, speed: float) -> str:
    """Return a note for the answer if a conveyor runs more slowly than asked [m/s]; '' if it does not."""
    runs = kept_speed(robot_of(conveyor), speed)
    return "" if runs == speed else f"; it runs at {runs * 1e3:.6g} mm/s{_asked(speed, runs)}"


def _asked(asked: float, speed: float) -> str:
    return f"; {asked * 1e3:.6g} mm/s was requested, but its limit is {abs(speed) * 1e3:.6g} mm/s"


def _ran(session: Session, kind: type[s.Step], given: dict[str, Any]) -> Runs:
    """Give a conveyor a speed: in the paused run, as an input of it; without one, in the cell."""
    paused = session.paused
    if paused is None:
        found, time = carried_out(session, kind, given).found, session.simulator_time
    else:
        values: dict[str, Any] = {"conveyor": paused.name_in(session, given["conveyor"])}
        if "speed" in given:
            values["speed"] = e.Number(float(given["speed"]), "m/s")
        found = paused.stepped.give(kind(**values))
        session.ongoing.along.write(paused.simulator)
        time = paused.simulator.time
    return Runs(found.conveyor, found.speed, found.asked, found.delay, found.travel, time)


@command(
    "run-conveyor {conveyor} {speed} [--reached]",
    help="run a conveyor at a speed",
    effect="simulates",
    while_paused=True,
    conveyor=Ref("mechanism"),
    speed=Number("speed"),
    param_help={
        "speed": "in length per second; negative runs backwards",
        "reached": _REACHED,
        "conveyor": "the name of a conveyor",
    },
    examples=[_BELT, "run-conveyor belt 200mm/s", "run-conveyor belt -0.1m/s --reached", "> wait 2"],
)
def run_conveyor(session: Session, **given: Any) -> Runs:
    """The belt accelerates within its limit and then runs until `stop-conveyor`.

    The command takes no time, unless you give `--reached`. `modify BELT runs SPEED` makes a belt run from the start.
    """
    return _ran(session, s.RunConveyor, given)


@command(
    "stop-conveyor {conveyor} [--reached]",
    help="stop a conveyor as soon as its limits allow",
    effect="simulates",
    while_paused=True,
    conveyor=Ref("mechanism"),
    param_help={"reached": "wait until the belt stands still", "conveyor": "the name of a conveyor"},
    examples=[_BELT, "> run-conveyor belt 200mm/s --reached", "stop-conveyor belt --reached"],
)
def stop_conveyor(session: Session, **given: Any) -> Runs:
    """The command takes no time, unless you give `--reached`."""
    return _ran(session, s.StopConveyor, given)
