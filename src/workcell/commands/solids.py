"""Commands on solids: measure, exercise-kernel."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from workcell.commands.registry import command
from workcell.commands.results import Done, Result
from workcell.commands.values import Number, Ref
from workcell.world.entities import Entity
from workcell.world.expand import Expander

if TYPE_CHECKING:
    from workcell.commands.session import Session


class Measured(Result, frozen=True):
    """Volume [m³], area [m²], centroid [m] and mass [kg] of a solid."""

    name: str
    volume: float
    area: float
    centroid: tuple[float, float, float]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "measure {thing}",
    help="volume, area and centroid of a block or object",
    effect="reads",
    background=True,
    thing=Ref("block", "object"),
    examples=["> create block peg cylinder 20 100", "measure peg"],
)
def measure(session: Session, thing: Entity) -> Measured:
    """By the divergence theorem on the exact boundary; pieces that overlap are counted once each."""
    from workcell.errors import Refused

    pieces = Expander(session.database).pieces(thing)
    if not pieces:
        raise Refused(f"{thing.kind} {thing.name!r} has no solid to measure.")
    volumes = [piece.solid.volume for piece in pieces]
    volume = sum(volumes)
    area = sum(piece.solid.area for piece in pieces)
    moments = [float(sum(v * p.solid.centroid[i] for v, p in zip(volumes, pieces, strict=True))) for i in range(3)]
    centre = (moments[0] / volume, moments[1] / volume, moments[2] / volume)
    units = session.units
    size = units.size("length", "")
    unit = units.length
    shown = ", ".join(units.show(v, "length") for v in centre)
    text = f"{thing.name}: volume {volume / size**3:.9g} {unit}³, area {area / size**2:.9g} {unit}², centroid {shown}"
    return Measured(thing.name, volume, area, centre, text)


@command(
    "exercise-kernel {seconds}",
    help="keep the CAD kernel at work for so long, to see that nothing else waits for it",
    effect="reads",
    background=True,
    seconds=Number("time", positive=True),
    examples=["exercise-kernel 0.05s"],
)
def exercise_kernel(session: Session, seconds: float) -> Done:
    """Reports progress, and can be cancelled."""
    from workcell.geometry.kernel.requests import BusyRequest
    from workcell.geometry.kernel.worker import default_worker

    begin = time.perf_counter()
    default_worker().submit(BusyRequest(seconds), session.progress, session.cancel)
    return Done(f"the CAD kernel worked for {time.perf_counter() - begin:.2f} s")
