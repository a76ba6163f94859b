"""Commands on faults: add fault, faults, inject-fault, clear-fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.joint_values import JointVector
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import Choice, NewName, Number, Seed
from workcell.commands.model import make
from workcell.commands.results import Done, Made, Table
from workcell.errors import InvalidValue, NameTaken, Refused
from workcell.programs import steps as s
from workcell.spatial.transform import Transform
from workcell.wording import an, counted, either
from workcell.world.devices import placed_robot
from workcell.world.entities import Entity
from workcell.world.fault_places import DRIFTS, KEEPS_OPEN, ON_SENSORS, SLIPS, THINGS, FaultPlace, wrong_fault
from workcell.world.placed import no_hand_text

if TYPE_CHECKING:
    from workcell.commands.session import Session

_DOES = {
    "stops": "a robot, mechanism or solid stays where it is",
    "slow": "it moves at a `part` of its speed",
    "drifts": "its joints deviate from their readings `by` these joint values, more each time",
    "sticks": "a sensor keeps its value",
    "lies": "a sensor gives a wrong value, as `lie` and `value` say",
    "slips": "a part slips in the hand by `slip`, or out of it",
    "keeps-open": "the gripper of a robot does not close",
}
_LIES = {
    "constant": "it gives `value`",
    "offset": "it gives `value` too much",
    "inverse": "it gives 0 instead of any other value, and 1 instead of 0",
    "noise": "it gives a random error with the standard deviation `value`",
}
_CELL = [
    "> create robot Puma puma560 joints 0,0,-90,0,90,0",
    "> add solid cube box 40 40 40 at 500,-150,20 --movable",
    "> add light-barrier gate from 700,-400,450 to 700,400,450",
]
_RUN = [
    *_CELL,
    "> add fault jam of Puma stops",
    '> write program work "move-joints-relative Puma 40,0,0,0,0,0%0Await 1"',
]


@command(
    "add fault {name} of {thing} {does} [part {part}] [by {by}] [lie {lie}] [value {value}] [slip {slip}] [at {at}] "
    "[after {uses}] [chance {chance}] [per-hour {per_hour}] [lasts {lasts}] [seed {seed}]",
    help="add a fault that occurs in runs: at a time, after some uses, or by chance",
    effect="edits",
    name=NewName(),
    thing=Ref("robot", "mechanism", "object", "sensor"),
    does=Choice(_DOES),
    part=Number(),
    by=JointVector("thing"),
    lie=Choice(_LIES),
    value=Number(),
    slip=PoseValue(),
    at=Number("time"),
    uses=Number(whole=True),
    chance=Number(),
    per_hour=Number(),
    lasts=Number("time"),
    seed=Seed(),
    param_help={
        "thing": "what fails: a robot, mechanism, object or sensor",
        "part": "the share of its speed that a slow device keeps, between 0 and 1",
        "by": "how far each joint of a drifting device deviates, in the units of its joints",
        "value": "in the units in which programs read the sensor",
        "slip": "how the part moves in the hand, in the frame of the part; default: it slips out of the hand",
        "at": "when it begins, in seconds of simulated time",
        "uses": "how many good uses there are before it begins",
        "chance": "the probability that a use begins it, from 0 to 1",
        "per_hour": "how often it begins in an hour, on average",
        "lasts": "how long it lasts, in seconds; default: until `clear-fault`",
        "seed": "of the random numbers; default: the number of the fault",
    },
    examples=[
        *_CELL,
        "add fault jam of Puma stops at 0.5s lasts 2s",
        "add fault tired of Puma slow part 0.4 after 3",
        "add fault loose of Puma drifts by 0.5,0,0,0,0,0 chance 0.1 seed 7",
        "add fault dirt of gate sticks per-hour 4 lasts 30s",
        "add fault mirror of gate lies lie inverse at 10s",
        "add fault oil of cube slips slip 0,0,-5 chance 0.05",
        "add fault valve of Puma keeps-open chance 0.02",
        "faults",
    ],
)
def add_fault(session: Session, name: str, thing: Entity, does: str, **given: Any) -> Made:
    """Without `at`, `after`, `chance` or `per-hour`, only `inject-fault` begins it.

    A use is a move of a device, a change of a sensor, the closing of a gripper, or the taking of a part. Faults occur
    in runs and in simulators in Python, but not for typed commands.
    """
    if thing.kind not in THINGS[does]:
        raise Refused(
            f"A fault of the kind `{does}` needs {an(either(THINGS[does]))}; {thing.name!r} is {an(thing.kind)}.",
            thing=thing.name,
        )
    if session.database.find("fault", name):
        raise NameTaken(f"There is already a fault called {name!r}; choose another name.", name=name)
    own = {key: value for key, value in given.items() if value is not None}
    if isinstance(own.get("slip"), Transform):
        own["slip"] = list(own["slip"].rows())
    if "by" in own:
        own["by"] = list(own["by"])
    for key, kind in (("part", "slow"), ("by", DRIFTS), ("lie", "lies"), ("value", "lies"), ("slip", SLIPS)):
        if key in own and does != kind:
            raise Refused(f"`{key}` is only for a fault of the kind `{kind}`; leave it out.")
    if does == KEEPS_OPEN and (placed := placed_robot(session.snapshot(), thing)).robot.gripper is None:
        raise Refused(no_hand_text(placed))
    own |= {"does": does, "sensor" if does in ON_SENSORS else "thing": thing.name}
    own.setdefault("seed", len(session.database.entities("fault")) + 1)
    wrong = wrong_fault(name, own)
    if wrong:
        raise InvalidValue(wrong, fault=name)
    return make(session, "fault", name, properties=own)


@command(
    "faults",
    help="list the faults of the cell: what fails, when it begins, and its state in the paused run",
    effect="reads",
    examples=[*_CELL, "> add fault jam of Puma stops at 0.5s", "faults"],
)
def faults(session: Session) -> Table:
    """If what would fail is not in the scene, the list says so; the fault never begins."""
    acting = session.paused.simulator.faults if session.paused is not None else None
    rows = []
    for one in session.snapshot().faults:
        now = one.problem
        if acting is not None and one.name in acting.states and not now:
            state = acting.states[one.name]
            now = ("active" if state.active else "not active") + f", {counted(state.uses, 'use')}"
        rows.append((one.name, one.target, one.does, _begins(one), _lasts(one), now))
    return Table(("fault", "of", "what", "begins", "lasts", "now"), tuple(rows))


def _begins(one: FaultPlace) -> str:
    if one.at is not None:
        return f"at {one.at:g} s"
    if one.uses is not None:
        return f"after {counted(one.uses, 'use')}"
    if one.chance is not None:
        return f"with each use, chance {one.chance:g} (seed {one.seed})"
    return f"{one.per_hour:g} times an hour (seed {one.seed})" if one.per_hour is not None else "by inject-fault"


def _lasts(one: FaultPlace) -> str:
    return f"{one.lasts:g} s" if one.lasts is not None else "until cleared"


def _given(session: Session, fault: Entity, step: type[s.InjectFault] | type[s.ClearFault], word: str) -> None:
    """Give a step for a fault to the paused run."""
    if session.paused is None:
        raise Refused(
            f"`{word} {fault.name}` needs a run: use it as a step of a program, or type it while a run is paused.",
            fault=fault.name,
        )
    session.paused.stepped.give(step(fault.name))
    session.ongoing.along.write(session.paused.simulator)


@command(
    "inject-fault {fault}",
    help="begin a fault now, in a run",
    effect="simulates",
    while_paused=True,
    fault=Ref("fault"),
    examples=[*_RUN, "> break work 2", "> run work", "inject-fault jam", "> clear-fault jam", "> resume"],
)
def inject_fault(session: Session, fault: Entity) -> Done:
    """Use it as a step of a program, or type it while a run is paused."""
    _given(session, fault, s.InjectFault, "inject-fault")
    return Done(f"fault {fault.name} has begun")


@command(
    "clear-fault {fault}",
    help="end a fault, in a run",
    effect="simulates",
    while_paused=True,
    fault=Ref("fault"),
    examples=[*_RUN, "> break work 2", "> run work", "> inject-fault jam", "clear-fault jam", "> resume"],
)
def clear_fault(session: Session, fault: Entity) -> Done:
    """What failed works again: a stopped device continues, a slow one has its full speed, a sensor reads correctly."""
    _given(session, fault, s.ClearFault, "clear-fault")
    return Done(f"fault {fault.name} is over")
