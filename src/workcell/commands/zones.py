"""Commands on zones: add zone, zones, zone-times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.body_names import known_bodies
from workcell.commands.collisions import CELL, collision_model_of
from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.shapes import Shape
from workcell.commands.language.transforms import PoseValue
from workcell.commands.language.values import Choice, NewName, Number
from workcell.commands.model import make
from workcell.commands.results import Made, Table
from workcell.errors import NameTaken, Refused
from workcell.simulation.stretches import stretches
from workcell.spatial.transform import Transform
from workcell.world.entities import Entity
from workcell.world.placing import put_in_scene
from workcell.world.renaming import renaming

if TYPE_CHECKING:
    from workcell.collision.zones import Zone
    from workcell.commands.session import Session
    from workcell.geometry.solid import Solid

_RULES = {
    "keep-out": "a body in it counts as a contact",
    "slow-down": "robots move more slowly in it",
    "shared": "programs take turns in it, with `enter-zone` and `leave-zone`",
}
_FENCE = [*CELL, "> add zone door box 400 1500 2000 at 900,0,1000 rule slow-down speed 0.2"]


@command(
    "add zone {name} {shape} [at {pose}] [rule {rule}] [speed {speed}] [capacity {capacity}] [for {robot}]",
    help="add a zone that robots keep out of, in which they slow down, or that programs share",
    effect="edits",
    name=NewName(),
    shape=Shape(),
    pose=PoseValue(),
    rule=Choice(_RULES),
    speed=Number(positive=True),
    capacity=Number(positive=True, whole=True),
    robot=Ref("robot", "mechanism"),
    param_help={
        "speed": "the share of its speed that a robot keeps in a slow-down zone, up to 1; default 0.25",
        "capacity": "how many programs may be in a shared zone at once; default 1",
        "shape": "a shape with its sizes, such as box 800 600 40",
        "pose": "where its centre is in the world; default 0,0,0",
        "rule": "keep-out: a body in it counts as a contact, the default; slow-down: robots move more slowly in it; "
        "shared: programs take turns in it, with `enter-zone` and `leave-zone`",
        "robot": "the zone concerns only this robot; default: all robots",
    },
    examples=[
        *CELL,
        "add zone gate box 300 300 300 at 0,-900,500",
        "add zone door box 400 1500 2000 at 900,0,1000 rule slow-down speed 0.2 for Puma",
        "add zone press box 600 600 400 at 700,0,200 rule shared",
    ],
)
def add_zone(
    session: Session,
    name: str,
    shape: Solid,
    pose: Transform = Transform(),
    rule: str = "keep-out",
    speed: float | None = None,
    capacity: int | None = None,
    robot: Entity | None = None,
) -> Made:
    """A zone concerns robots and what they carry, not things that stand. `zone-times` lists who was in it, and when."""
    properties: dict[str, Any] = {"rule": rule}
    if speed is not None:
        if rule != "slow-down":
            raise Refused("Only a slow-down zone has a speed; give `rule slow-down`, or leave out the speed.")
        if speed > 1.0:
            raise Refused(f"The speed of a zone is a share of the robot's speed, at most 1; found {speed:g}.")
        properties["speed"] = speed
    if capacity is not None:
        if rule == "keep-out":
            raise Refused("A keep-out zone has no capacity; give `rule shared`, or leave out the capacity.")
        properties["capacity"] = float(capacity)
    if robot is not None:
        properties["robots"] = robot.name
    return new_zone(session, name, shape, pose, properties)


def new_zone(session: Session, name: str, shape: Solid, pose: Transform, properties: dict[str, Any]) -> Made:
    """Make a zone of a shape and place it in the scene."""
    from workcell.geometry.recipe import encode

    if session.database.find("zone", name):
        raise NameTaken(f"There is a zone called {name!r} already; choose another name.", name=name)
    if name in known_bodies(session):
        raise NameTaken(f"There is a body or robot called {name!r} already; a zone needs a name of its own.")
    block = make(session, "block", f"{name}-solid", shape=encode(shape.recipe).decode())
    made = make(session, "zone", name, properties=properties)
    zone = session.database.entity("zone", name)
    session.database.attach(session.rows, zone, session.database.entity("block", block.name), block.name)
    put_in_scene(session, zone, pose)
    return made


@command(
    "zones",
    help="list the zones with their rules, and what is in them now",
    effect="reads",
    background=True,
    examples=[*_FENCE, "zones"],
)
def zones(session: Session) -> Table:
    """While a run is paused, the list also shows which programs hold a shared zone, and which wait for it."""
    from workcell.collision.zones import entered

    model = collision_model_of(session)
    inside = entered(model, session.state)
    rows = []
    for zone in model.zones:
        who = ", ".join(item.body for item in inside if item.zone.name == zone.name)
        speed = f"{zone.factor:g}" if zone.rule == "slow down" else ""
        rows.append((zone.name, zone.rule, speed, _concerned(zone), who, *_shared_by(session, zone.name)))
    headings = ("zone", "rule", "speed", "robots", "in it now")
    return Table(headings if session.paused is None else (*headings, "held by", "waiting"), tuple(rows))


def _shared_by(session: Session, name: str) -> tuple[str, ...]:
    """Return the programs of the paused run that hold a zone, and those that wait for it."""
    if session.paused is None:
        return ()
    interlocks, then = session.paused.stepped.run.interlocks, session.paused.simulator.snapshot
    label = renaming(session.snapshot(), then)(name)
    entity = next((zone.entity for zone in then.zones if zone.name == label), "")
    return tuple(", ".join(one.label for one in some(entity)) for some in (interlocks.holders, interlocks.waiters))


def _concerned(zone: Zone) -> str:
    named = [*zone.robots, *(f"{robot} (does not exist now)" for robot in zone.absent)]
    robots = ", ".join(named) or "all"
    return f"{robots} but {', '.join(zone.exempt)}" if zone.exempt else robots


@command(
    "zone-times",
    help="list when bodies were in each zone, and which, over the recording",
    effect="reads",
    background=True,
    examples=[*_FENCE, "> move-joints-absolute Puma 90,0,-90,0,90,0", "zone-times"],
)
def zone_times(session: Session) -> Table:
    """Times are in seconds, at the samples of the recording. A robot counts together with what it carries."""
    from workcell.collision.zones import entered_batch

    model = collision_model_of(session)
    found: dict[str, list[list[float]]] = {zone.name: [] for zone in model.zones}
    who: dict[str, list[set[str]]] = {zone.name: [] for zone in model.zones}
    open_stays: dict[str, bool] = {}
    robots = [placed.name for placed in model.snapshot.robots]
    for stretch in stretches(session.recording):
        entered = entered_batch(model, stretch.joints, stretch.state)
        by_robot = {
            robot: entered_batch(model, stretch.joints, stretch.state, [robot])
            for robot in robots
            if any(inside.any() for inside in entered.values())
        }
        for name, inside in entered.items():
            for place, (time, now) in enumerate(zip(stretch.times.tolist(), inside.tolist(), strict=True)):
                if now and open_stays.get(name):
                    found[name][-1][1] = time
                elif now:
                    found[name].append([time, time])
                    who[name].append(set())
                if now:
                    who[name][-1].update(robot for robot, one in by_robot.items() if one[name][place])
                open_stays[name] = now
    rules = {zone.name: zone.rule for zone in model.zones}
    rows = [
        (name, rules[name], f"{a:.4f}", f"{b:.4f}", ", ".join(sorted(inside)))
        for name, stays in found.items()
        for (a, b), inside in zip(stays, who[name], strict=True)
    ]
    return Table(("zone", "rule", "from", "to", "who"), tuple(rows))
