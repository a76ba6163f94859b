"""Commands on stations: stops, sources and sinks of parts on conveyors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Length, NewName, Number
from workcell.commands.model import make
from workcell.commands.results import Made, Table
from workcell.errors import InvalidValue, Refused
from workcell.spatial.transform import Transform
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
"""How many parts a source may have."""


def _surface(session: Session, conveyor: Entity) -> BeltSurface:
    """The top of a conveyor; refused where it is none, or stands nowhere."""
    from workcell.world.belt_surfaces import belt_surfaces

    if not is_conveyor(robot_of(conveyor)):
        raise Refused(
            f"{conveyor.name} is no conveyor, so nothing can be on its belt; `add conveyor NAME LENGTH` makes one."
        )
    for surface in belt_surfaces(session.snapshot()):
        if surface.conveyor == conveyor.name:
            return surface
    raise Refused(f"{conveyor.name} stands in no scene or has no shape; `place {conveyor.name} at …` first.")


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
            f"{name} is to be {place * 1e3:g} mm along {conveyor.name}, whose belt is {surface.length * 1e3:g} mm "
            "long; give a place on it.",
            station=name,
        )
    return make(session, "station", name, properties=properties)


@command(
    "add stop {name} on {conveyor} at {place} [signal {signal}]",
    help="put a stop onto a belt: parts stand before it while the belt runs on under them",
    effect="edits",
    name=NewName(),
    conveyor=Ref("mechanism"),
    place=Length(),
    signal=Ref("signal"),
    param_help={
        "place": "how far from the beginning of the belt",
        "signal": "the stop is up while this signal is not 0; always unless given",
    },
    examples=[*_BELT, "> create signal gate", "add stop barrier on belt at 1500 signal gate"],
)
def add_stop(session: Session, name: str, conveyor: Entity, place: float, signal: Entity | None = None) -> Made:
    """Parts behind it queue up against each other; when it goes down they go on."""
    return _add(session, name, STOP, conveyor, place=place, signal=None if signal is None else signal.name)


@command(
    "add source {name} of {part} on {conveyor} [at {place}] [every {interval}] [spacing {spacing}] [stock {count}] "
    "[most {most}] [first {first}] [seed {seed}]",
    help="let parts like an object come onto a belt, one after the other",
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
    seed=Number(whole=True),
    param_help={
        "place": "how far from the beginning of the belt; half the length of the part unless given",
        "interval": "the time between two parts",
        "spacing": "the way of the belt between two parts, instead of a time",
        "count": "how many parts there are, used again when a sink has taken them; 10 unless given",
        "most": "how many parts it makes in all; no limit unless given",
        "first": "when it makes the first; at the start unless given",
        "seed": "makes the times random about the interval: the same for the same seed",
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
    """The copies are objects of the cell that are absent at the start: not drawn, not touched, not sensed."""
    if count > _MOST_PARTS:
        raise InvalidValue(f"A source has {_MOST_PARTS} parts at most; found {count}.")
    if not part.movable:
        raise Refused(f"{part.name} is not movable, so no belt can carry its copies; `modify {part.name} movable yes`.")
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
    """How long, wide and high an object is [m]."""
    corners = Body(part.name, part.name, -1, expander.pieces(part), True).mesh(1e-4).vertices
    return [float(value) for value in corners.max(axis=0) - corners.min(axis=0)]


@command(
    "add sink {name} on {conveyor} [at {place}]",
    help="let parts be taken away where they come to the end of a belt, or to a place on it",
    effect="edits",
    name=NewName(),
    conveyor=Ref("mechanism"),
    place=Length(),
    param_help={"place": "how far from the beginning of the belt; the end that parts come to unless given"},
    examples=[*_BELT, "add sink out on belt"],
)
def add_sink(session: Session, name: str, conveyor: Entity, place: float | None = None) -> Made:
    """A part is taken when its middle is there; its source can use it again. `NAME/count` says how many were taken."""
    return _add(session, name, SINK, conveyor, place=place)


@command(
    "stations",
    help="list the stops, sources and sinks with what they did",
    effect="reads",
    examples=[*_BELT, "> add sink out on belt", "stations"],
)
def stations(session: Session) -> Table:
    """How many parts each source has made and has left, and how many each sink has taken."""
    snapshot, state = session.snapshot(), session.state
    gone, rows = absent_parts(state), []
    for one in snapshot.stations:
        place = "end" if one.place is None else session.units.show(one.place, "length")
        told = one.problem
        count = state.signals.get(count_signal(one.name), 0.0)
        if not told and one.does == SOURCE:
            told = f"{count:g} made, {sum(part in gone for part in one.stock)} of {len(one.stock)} left"
        elif not told and one.does == SINK:
            told = f"{count:g} taken"
        elif not told:
            told = "up" if not one.signal or state.signals.get(one.signal, 0.0) != 0.0 else "down"
        rows.append((one.name, one.does, one.conveyor, place, told))
    return Table(("station", "does", "on", "at", "now"), tuple(rows))
