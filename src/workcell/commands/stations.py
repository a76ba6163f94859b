"""Commands on stations: stops, sources and sinks of parts on conveyors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Length, NewName, Number, Seed
from workcell.commands.model import make
from workcell.commands.results import Made, Table
from workcell.errors import InvalidValue, Refused
from workcell.spatial.transform import Transform
from workcell.wording import quoted
from workcell.world.absence import STOCK, absent_parts
from workcell.world.body import Body
from workcell.world.conveyors import is_conveyor
from workcell.world.copying import copy as copied
from workcell.world.entities import Entity
from workcell.world.expand import Expander
from workcell.world.placing import put_in_scene
from workcell.world.robot_shape import robot_of
from workcell.world.station_places import SINK, SOURCE, STOP, count_signal, fault_of

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.world.belt_surfaces import BeltSurface

_BELT = ["> add conveyor belt 2000 at 0,800,0"]
_MOST_PARTS = 500
"""The most parts that a source may have."""


def _surface(session: Session, conveyor: Entity) -> BeltSurface:
    """Return the top of a conveyor; refused if it is not a conveyor, or in no scene."""
    from workcell.world.belt_surfaces import belt_surfaces

    if not is_conveyor(robot_of(conveyor)):
        raise Refused(f"{conveyor.name} is not a conveyor; `add conveyor NAME LENGTH` makes one.")
    for surface in belt_surfaces(session.snapshot()):
        if surface.conveyor == conveyor.name:
            return surface
    raise Refused(f"{conveyor.name} is in no scene, or has no shape; `place {quoted(conveyor.name)} at …` first.")


def _add(session: Session, name: str, does: str, conveyor: Entity, **own: Any) -> Made:
    surface = _surface(session, conveyor)
    given = {key: value for key, value in own.items() if value is not None}
    properties = {"does": does, "conveyor": conveyor.name, **given}
    fault = fault_of(name, properties)
    if fault:
        raise InvalidValue(fault, station=name)
    place = given.get("place")
    if place is not None and place > surface.length:
        raise InvalidValue(
            f"{conveyor.name} is {surface.length * 1e3:g} mm long; found the place {place * 1e3:g} mm for {name}. "
            "Give a place on the belt.",
            station=name,
        )
    return make(session, "station", name, properties=properties)


@command(
    "add stop {name} on {conveyor} at {place} [signal {signal}]",
    help="put a stop on a belt: parts wait at it while the belt runs on below them",
    effect="edits",
    name=NewName(),
    conveyor=Ref("mechanism"),
    place=Length(),
    signal=Ref("signal"),
    param_help={
        "place": "the distance from the beginning of the belt",
        "signal": "the stop is up while this signal is not 0; default: always up",
        "conveyor": "the name of a conveyor",
    },
    examples=[*_BELT, "> create signal gate", "add stop barrier on belt at 1500 signal gate"],
)
def add_stop(session: Session, name: str, conveyor: Entity, place: float, signal: Entity | None = None) -> Made:
    """Parts queue behind it. When the stop goes down, they move on."""
    return _add(session, name, STOP, conveyor, place=place, signal=None if signal is None else signal.name)


@command(
    "add source {name} of {part} on {conveyor} [at {place}] [every {interval}] [spacing {spacing}] [stock {count}] "
    "[most {most}] [first {first}] [seed {seed}]",
    help="add a source, which puts copies of an object on a belt one after the other",
    effect="edits",
    name=NewName(),
    part=Ref("object"),
    conveyor=Ref("mechanism"),
    place=Length(),
    interval=Number("time", positive=True),
    spacing=Number("length", positive=True),
    count=Number(whole=True, positive=True),
    most=Number(whole=True, positive=True),
    first=Number("time"),
    seed=Seed(),
    param_help={
        "place": "the distance from the beginning of the belt; default: half the length of the part",
        "interval": "the time between two parts, in seconds",
        "spacing": "the distance between two parts on the belt, instead of a time",
        "count": "the number of copies; a copy that a sink has taken is used again; default 10",
        "most": "how many parts come in all; default: no limit",
        "first": "the time of the first part, in seconds; default 0",
        "seed": "makes the intervals random, always the same for the same seed",
        "part": "the object to copy; it must be movable",
        "conveyor": "the name of a conveyor",
    },
    examples=[
        *_BELT,
        "> add solid box1 box 100 80 60 at 0,-500,30 --movable",
        "add source feed of box1 on belt every 2s stock 5",
        "stations",
    ],
)
def add_source(
    session: Session,
    name: str,
    part: Entity,
    conveyor: Entity,
    place: float | None = None,
    interval: float | None = None,
    spacing: float | None = None,
    count: int = 10,
    most: int | None = None,
    first: float | None = None,
    seed: int | None = None,
) -> Made:
    """The copies are objects of the cell.

    Until the source uses them they are absent: not drawn, not tested, not sensed.
    """
    if count > _MOST_PARTS:
        raise InvalidValue(f"A source has at most {_MOST_PARTS} parts; found {count}.")
    if not part.movable:
        raise Refused(
            f"{part.name} is not movable, so no belt can carry its copies; `modify {quoted(part.name)} movable yes` "
            "first."
        )
    surface = _surface(session, conveyor)
    size = _size(Expander(session.database), part)
    if size[1] > surface.width or size[0] > surface.length:
        raise Refused(
            f"{part.name} is {size[0] * 1e3:.6g} mm long and {size[1] * 1e3:.6g} mm wide; the belt of {conveyor.name} "
            f"is {surface.length * 1e3:.6g} mm long and {surface.width * 1e3:.6g} mm wide.",
            part=part.name,
        )
    place = 0.5 * size[0] if place is None else place
    names = [f"{name}-{number}" for number in range(1, count + 1)]
    made = _add(
        session, name, SOURCE, conveyor, place=place, stock=", ".join(names), interval=interval, spacing=spacing,
        most=most, first=first, seed=seed,
    )  # fmt: skip
    database = session.database
    for one in names:
        copied(database, session.rows, part, one)
        entity = database.entity("object", one)
        put_in_scene(session, entity, Transform())
        (relation,) = database.pointers(entity)
        database.set_properties(session.rows, relation, {STOCK: True})
    return made


def _size(expander: Expander, part: Entity) -> list[float]:
    """Return the length, width and height of an object [m]."""
    corners = Body(part.name, part.name, -1, expander.pieces(part), True).mesh(1e-4).vertices
    return [float(value) for value in corners.max(axis=0) - corners.min(axis=0)]


@command(
    "add sink {name} on {conveyor} [at {place}]",
    help="add a sink, which removes parts at the end of a belt or at a place on it",
    effect="edits",
    name=NewName(),
    conveyor=Ref("mechanism"),
    place=Length(),
    param_help={
        "place": "the distance from the beginning of the belt; default: the end that parts reach",
        "conveyor": "the name of a conveyor",
    },
    examples=[*_BELT, "add sink out on belt"],
)
def add_sink(session: Session, name: str, conveyor: Entity, place: float | None = None) -> Made:
    """A part is removed when its middle reaches the sink; its source can use it again.

    The signal `NAME/count` counts the parts.
    """
    return _add(session, name, SINK, conveyor, place=place)


@command(
    "stations",
    help="list the stops, sources and sinks, and what they have done",
    effect="reads",
    examples=[*_BELT, "> add sink out on belt", "stations"],
)
def stations(session: Session) -> Table:
    """The list shows how many parts each source has made and has left, and how many each sink has taken."""
    snapshot, state = session.snapshot(), session.state
    gone, rows = absent_parts(state), []
    for one in snapshot.stations:
        place = "end" if one.place is None else session.units.show(one.place, "length")
        now = one.problem
        count = state.signals.get(count_signal(one.name), 0.0)
        if not now and one.does == SOURCE:
            now = f"{count:g} made, {sum(part in gone for part in one.stock)} of {len(one.stock)} left"
        elif not now and one.does == SINK:
            now = f"{count:g} taken"
        elif not now:
            now = "up" if not one.signal or state.signals.get(one.signal, 0.0) != 0.0 else "down"
        rows.append((one.name, one.does, one.conveyor, place, now))
    return Table(("station", "does", "on", "at", "now"), tuple(rows))
