"""Commands on solids: measure, check solid, exercise-kernel."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from workcell.commands.language.references import Ref
from workcell.commands.language.registry import command
from workcell.commands.language.values import Number
from workcell.commands.results import Done, Result
from workcell.errors import Refused
from workcell.spatial.units import Units
from workcell.wording import counted
from workcell.world.entities import Entity
from workcell.world.expand import Expander
from workcell.world.matter import Matter

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.geometry.properties import Properties

Triple = tuple[float, float, float]


class Measured(Result, frozen=True):
    """Volume [m³], area [m²], centroid [m]; mass [kg] where it is known; inertia about the centroid.

    The inertia and the principal moments are in kg·m² or, if the mass is not known, for a density of one in m⁵. The
    principal axes are columns.
    """

    name: str
    volume: float
    area: float
    centroid: Triple
    mass: float | None
    inertia: tuple[Triple, Triple, Triple]
    principal: Triple
    axes: tuple[Triple, Triple, Triple]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "measure {thing}",
    help="show volume, area, centroid, mass and inertia of a block, object or scene",
    effect="reads",
    background=True,
    thing=Ref("block", "object", "scene"),
    examples=[
        "> create block peg cylinder 20 100",
        "measure peg",
        "> modify peg density 7850",
        "measure peg",
    ],
)
def measure(session: Session, thing: Entity) -> Measured:
    """The mass comes from the properties `mass`, `density` or `material`.

    Volumes and areas of exact solids are exact.
    """
    matter = _matter(session, thing)
    whole, unknown = matter.weighed
    if whole is None:
        raise Refused(f"{thing.kind} {thing.name!r} has no solid to measure.")
    moments, axes = whole.principal
    mass = None if unknown else whole.mass
    return Measured(
        thing.name, whole.volume, whole.area, _triple(whole.centroid), mass, _square(whole.inertia),
        _triple(moments), _square(axes), _described(session.units, thing.name, whole, mass, matter.load.source),
    )  # fmt: skip


def _matter(session: Session, thing: Entity) -> Matter:
    """Return the matter of a thing; that of a scene has every object where it stands."""
    from workcell.world.standing import Footing
    from workcell.world.weighing import matter_of

    database, expander = session.database, Expander(session.database)
    if thing.kind != "scene":
        return matter_of(database, expander, thing)
    footing = Footing(expander, thing)
    objects = [(relation, part) for relation, part in expander.parts(thing) if part.kind == "object"]
    return Matter(
        thing.name,
        parts=tuple(matter_of(database, expander, part, footing.X_world(relation)) for relation, part in objects),
    )


def _described(units: Units, name: str, whole: Properties, mass: float | None, source: str) -> str:
    size, unit = units.size("length", ""), units.length
    near = 1e-12 * whole.area**0.5
    centre = ", ".join(units.show(0.0 if abs(v) < near else float(f"{v:.9g}"), "length") for v in whole.centroid)
    lines = [
        f"{name}: volume {whole.volume / size**3:.9g} {unit}³, area {whole.area / size**2:.9g} {unit}², "
        f"centroid {centre}"
    ]
    moments, axes = whole.principal
    if mass is not None:
        shown = ", ".join(f"{v:.6g}" for v in moments)
        lines.append(f"  mass {units.show(float(f'{mass:.9g}'), 'mass')}, principal moments {shown} kg·m²")
    else:
        shown = ", ".join(f"{v / size**5:.6g}" for v in moments)
        lines.append(f"  principal moments {shown} {unit}⁵ for a density of one")
        lines.append(f"  the mass is not known: {source}")
    ways = " ".join(f"({', '.join(f'{v + 0.0:.4g}' for v in np.round(axis, 9))})" for axis in axes.T)
    lines.append(f"  principal axes {ways}")
    return "\n".join(lines)


def _triple(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Triple:
    x, y, z = (float(v) for v in values)
    return x, y, z


def _square(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[Triple, Triple, Triple]:
    return _triple(values[0]), _triple(values[1]), _triple(values[2])


class FaultFacts(Result, frozen=True):
    """A fault of a solid: what it is, where [m], and the faces concerned."""

    block: str
    kind: str
    place: Triple
    faces: tuple[str, ...]


class Checked(Result, frozen=True):
    """Whether the solids of a thing are valid, and the faults with their places."""

    name: str
    valid: bool
    faults: tuple[FaultFacts, ...]
    text: str

    def __str__(self) -> str:
        return self.text


@command(
    "check solid {thing}",
    help="check whether solids are closed, oriented and free of self-intersections",
    effect="reads",
    background=True,
    thing=Ref("block", "object"),
    examples=[
        "> create block peg cylinder 20 100",
        "check solid peg",
        "> create surface square1 contour (0,0) (1,0) (1,1) (0,1)",
        "> create block lid",
        "> attach square1 to lid as side1",
        "check solid lid",
    ],
)
def check_solid(session: Session, thing: Entity) -> Checked:
    """The answer lists open edges, overlapping or crossing faces and inverted shells, each with its place."""
    units = session.units
    parts = list(Expander(session.database).solids(thing))
    if not parts:
        raise Refused(f"{thing.kind} {thing.name!r} has no solid to check.")
    faults, lines = [], []
    for part, solid in parts:
        for fault in solid.check(session.progress, session.cancel):
            faults.append(FaultFacts(part.block.name, fault.kind, fault.place, fault.faces))
            who = f"{part.block.name}: " if len(parts) > 1 else ""
            about = f" ({', '.join(fault.faces)})" if fault.faces else ""
            place = ", ".join(f"{units.from_si(v, 'length'):.6g}" for v in fault.place)
            lines.append(f"  {who}{fault.kind} at ({place}) {units.length}{about}")
    count = f"{len(parts)} solid{'s' if len(parts) > 1 else ''}"
    head = (
        f"{thing.name}: {count}, valid" if not faults else f"{thing.name}: not valid, {counted(len(faults), 'fault')}"
    )
    return Checked(thing.name, not faults, tuple(faults), "\n".join([head, *lines[:40]]))


@command(
    "exercise-kernel {seconds}",
    help="keep the CAD kernel busy for some time, to test that other commands do not wait for it",
    effect="reads",
    background=True,
    seconds=Number("time", positive=True),
    param_help={"seconds": "how long, in seconds"},
    examples=["exercise-kernel 0.05s"],
)
def exercise_kernel(session: Session, seconds: float) -> Done:
    """The command reports its progress and can be cancelled."""
    from workcell.geometry.kernel.requests import BusyRequest
    from workcell.geometry.kernel.worker import default_worker

    begin = time.perf_counter()
    default_worker().submit(BusyRequest(seconds), session.progress, session.cancel)
    return Done(f"the CAD kernel worked for {time.perf_counter() - begin:.2f} s")
