"""What can collide: every body of a snapshot and every zone, as triangles with a stated deviation."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from workcell.collision.body_notes import notes_of, strange_sizes
from workcell.collision.collision_body import CollisionBody
from workcell.collision.footing import Footings
from workcell.collision.pairs import PairTable
from workcell.collision.pieces import packed_pieces
from workcell.collision.tree import tree_of
from workcell.collision.zones import Zone
from workcell.errors import GeometryError, InvalidValue, NameTaken, Refused, UnknownName
from workcell.geometry.mesh import Mesh
from workcell.world.body import Body
from workcell.world.sections import BODIES, ROBOTS
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.arrangement import Arrangement

Array = NDArray[np.float64]

READS = (BODIES, ROBOTS)
"""The sections of a snapshot that a model follows from, beside the pairs and zones that it is asked for."""
_LASTING = (
    "index", "names", "_palms", "deviations", "unknown", "packed", "seeds", "pieces", "touching_as_drawn", "footings",
)  # fmt: skip
"""What follows from the bodies of a model and its robots alone."""
TOLERANCE = 5e-4
"""How far a mesh may lie from the exact solid when nothing else is asked [m]."""
_KEPT = 4
"""How many models for other questions, and arrangements, a model keeps."""

_STAND_IN = Mesh(
    1e-3 * np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], dtype=np.int32),
    np.zeros(4, dtype=np.int32),
)


class ImplausibleSize(UserWarning):
    """A body whose size looks as if its units were mistaken."""


@dataclass(frozen=True, eq=False)
class CollisionModel:
    """A snapshot made ready for questions, together with the table of what is tested. A frozen value.

    Attributes:
        snapshot: what exists.
        bodies: its bodies in their order, then the zones.
        pairs: what is tested.
        tolerance: asked of the meshes [m].
        notes: what a person should know: unknown shapes, open meshes, triangles left out.
        going: the bodies that move in the question; two that are not among them are not asked about. None when any
            may move.
    """

    snapshot: Snapshot
    bodies: tuple[CollisionBody, ...]
    pairs: PairTable
    tolerance: float = TOLERANCE
    notes: tuple[str, ...] = ()
    going: frozenset[str] | None = None
    _others: list[CollisionModel] = field(default_factory=list, repr=False)
    _known: list[Arrangement] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self.pairs.require_names(self.names)

    # ---- reading it -----------------------------------------------------------------------------------

    @cached_property
    def index(self) -> dict[str, int]:
        """The place of every body by its name."""
        return {body.name: place for place, body in enumerate(self.bodies)}

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name that the pair table may use: bodies, and the objects and robots that own them."""
        return frozenset(self.index) | {body.owner for body in self.bodies}

    @cached_property
    def deviations(self) -> Array:
        """(B,) how far each mesh may lie from its exact solid [m]."""
        return np.array([body.tree.deviation for body in self.bodies])

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        """The bodies whose shape is not known, or not whole."""
        return tuple(body.name for body in self.bodies if body.unknown)

    @property
    def zones(self) -> tuple[Zone, ...]:
        """The zones that take part."""
        return tuple(body.zone for body in self.bodies if body.zone is not None)

    def body(self, name: str) -> CollisionBody:
        """The body of that name."""
        if name not in self.index:
            raise UnknownName.among("body", name, self.index)
        return self.bodies[self.index[name]]

    def bodies_called(self, name: str) -> tuple[int, ...]:
        """The places of the bodies that a name means.

        That of a body means the body, and of a last link also the gripper that the robot comes with, which is part of
        it; that of an object or robot means all that it owns.
        """
        if name in self.index:
            return (self.index[name], *self._palms.get(name, ()))
        found = tuple(place for place, body in enumerate(self.bodies) if body.owner == name)
        if not found:
            raise UnknownName.among("body, object or robot", name, self.names)
        return found

    @cached_property
    def _palms(self) -> dict[str, tuple[int, ...]]:
        """The places of the grippers that robots come with, by the link that they are part of."""
        return {body.built_on: (place,) for place, body in enumerate(self.bodies) if body.built_on}

    def are_one(self, a: int, b: int) -> bool:
        """Whether two bodies are a link and the gripper that is part of it."""
        one, other = self.bodies[a], self.bodies[b]
        return other.built_on == one.name or one.built_on == other.name

    # ---- making others --------------------------------------------------------------------------------

    def with_pairs(self, pairs: PairTable) -> CollisionModel:
        """The same bodies with another table."""
        return CollisionModel(self.snapshot, self.bodies, pairs, self.tolerance, self.notes, self.going)

    def asking(self, pairs: PairTable, going: frozenset[str] | None) -> CollisionModel:
        """The same bodies for one question: another table, and what moves. The last ones are kept."""
        if pairs == self.pairs and going == self.going:
            return self
        for known in self._others:
            if known.going == going and known.pairs == pairs:
                return known
        made = CollisionModel(self.snapshot, self.bodies, pairs, self.tolerance, self.notes, going)
        made.__dict__.update({name: self.__dict__[name] for name in _LASTING if name in self.__dict__})
        self._others.insert(0, made)
        del self._others[_KEPT:]
        return made

    def on(self, snapshot: Snapshot) -> CollisionModel:
        """The same model over a snapshot with the same bodies and robots."""
        if snapshot is self.snapshot:
            return self
        made = CollisionModel(
            snapshot, self.bodies, self.pairs, self.tolerance, self.notes, self.going, _known=self._known
        )
        made._others.extend(one.on(snapshot) for one in self._others)
        made.__dict__.update({name: self.__dict__[name] for name in _LASTING if name in self.__dict__})
        return made

    # ---- for the engines ------------------------------------------------------------------------------

    def arrangement(self, state: CellState, driven: tuple[str, ...] = ()) -> Arrangement:
        """What depends on who stands where and who carries what, but not on joint values; the last ones are kept.

        Args:
            state: where everything is.
            driven: bodies whose pose will be given from outside, as a motion.
        """
        for known in self._known:
            if known.suits(state, driven):
                return known
        from workcell.collision.arrangement import Arrangement

        made = Arrangement(self, state, driven)
        self._known.insert(0, made)
        del self._known[_KEPT:]
        return made

    @cached_property
    def packed(self) -> tuple[Any, ...]:
        """Every mesh once, end to end: node boxes, node links, triangles, their kinds; then the roots (B,)."""
        starts: dict[str, int] = {}
        boxes, links, triangles, kinds = [], [], [], []
        nodes = count = 0
        roots = np.empty(len(self.bodies), dtype=np.int32)
        for place, body in enumerate(self.bodies):
            tree = body.tree
            if tree.key not in starts:
                starts[tree.key] = nodes
                link = tree.link.copy()
                leaf = link[:, 0] < 0
                link[leaf, 0] -= count
                link[~leaf] += nodes
                boxes.append(tree.box)
                links.append(link)
                triangles.append(tree.triangles)
                kinds.append(tree.kind)
                nodes += len(tree.box)
                count += len(tree.triangles)
            roots[place] = starts[tree.key]
        mesh = (
            np.concatenate([np.empty((0, 6)), *boxes]),
            np.concatenate([np.empty((0, 2), dtype=np.int32), *links]),
            np.concatenate([np.empty((0, 9)), *triangles]),
            np.concatenate([np.empty(0, dtype=np.uint8), *kinds]),
        )
        for array in (*mesh, roots):
            array.flags.writeable = False
        return mesh, roots

    @cached_property
    def seeds(self) -> tuple[Any, ...]:
        """One point of every shell of every body: where each body's points start (B+1,), and the points."""
        counts = [len(body.tree.seeds) for body in self.bodies]
        start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        points = np.concatenate([np.empty((0, 3)), *(body.tree.seeds for body in self.bodies)])
        start.flags.writeable = points.flags.writeable = False
        return start, points

    @cached_property
    def pieces(self) -> tuple[Any, ...]:
        """The convex pieces of every mesh once; see :func:`workcell.collision.pieces.packed_pieces`."""
        return packed_pieces([body.tree.pieces for body in self.bodies], [body.tree.key for body in self.bodies])

    @cached_property
    def touching_as_drawn(self) -> Mapping[tuple[int, int], str]:
        """Pairs of links that touch by how Workcell drew them, and why; they are not tested."""
        from workcell.collision.drawn import touching_as_drawn

        return touching_as_drawn(self)

    @cached_property
    def footings(self) -> Footings:
        """Which parts reach into the body that they are attached to."""
        return Footings()

    def __reduce__(self) -> tuple[object, ...]:
        return CollisionModel, (self.snapshot, self.bodies, self.pairs, self.tolerance, self.notes, self.going)

    def __repr__(self) -> str:
        triangles = sum(len(body.tree.triangles) for body in self.bodies)
        return f"<CollisionModel: {len(self.bodies)} bodies, {triangles} triangles within {self.tolerance * 1e3:g} mm>"


def collision_model(
    snapshot: Snapshot,
    pairs: PairTable | None = None,
    *,
    tolerance: float = TOLERANCE,
    zones: Iterable[Zone] = (),
    meshes: Mapping[str, Mesh] | None = None,
    warn: bool = True,
) -> CollisionModel:
    """Make a snapshot ready for collision questions.

    A model is made once for all who ask about the same bodies, robots, pairs and zones, also after edits of anything
    else; only bodies that were edited are made ready again.

    Args:
        snapshot: what exists.
        pairs: what is tested; everything that the rules do not except by default.
        tolerance: how far a mesh may lie from its exact solid [m].
        zones: keep-out and slow-down volumes.
        meshes: triangles to use for a body in place of those of its solid, such as a scan.
        warn: whether sizes that look like wrong units are warned of, beside the notes that always tell it.
    """
    if not (math.isfinite(tolerance) and tolerance > 0.0):
        raise InvalidValue(f"A collision tolerance must be above 0 mm, not {tolerance * 1e3:g} mm.")
    asked, table = tuple(zones), pairs or PairTable()

    def made() -> CollisionModel:
        bodies = _bodies(snapshot, tolerance, dict(meshes or {})) + _zone_bodies(snapshot, asked, tolerance)
        return CollisionModel(snapshot, bodies, table, tolerance, notes_of(bodies))

    if meshes:
        model = made()
    else:
        model = snapshot.keeping("collision model", READS, (tolerance, asked, table), made).on(snapshot)
    if warn:
        for text in strange_sizes(model.bodies):
            warnings.warn(text, ImplausibleSize, stacklevel=2)
    return model


def _bodies(snapshot: Snapshot, tolerance: float, given: Mapping[str, Mesh]) -> tuple[CollisionBody, ...]:
    """The bodies of a snapshot; those that were made ready before are taken over."""
    for name in given:
        snapshot.body(name)
    before: Mapping[str, CollisionBody] = snapshot.derived.get("collision bodies", tolerance) or {}
    known: dict[str, CollisionBody] = {}
    found = []
    for body in snapshot.bodies:
        if body.name in given:
            tree = tree_of(given[body.name], body.name)
            link = CollisionBody(body.name, body.owner, body.link, tree, body.movable, built_on=body.built_on)
            found.append(link)
        else:
            known[body.presence] = before.get(body.presence) or _ready(body, tolerance)
            found.append(known[body.presence])
    snapshot.derived.put("collision bodies", tolerance, known)
    return tuple(found)


def _ready(body: Body, tolerance: float) -> CollisionBody:
    tree = tree_of(_meshed(body, tolerance) if body.touchable else _STAND_IN, body.name)
    shapeless = not body.pieces
    return CollisionBody(
        body.name, body.owner, body.link, tree, body.movable, None, shapeless, body.ghost, body.unknown, body.built_on
    )


def _zone_bodies(snapshot: Snapshot, zones: Sequence[Zone], tolerance: float) -> tuple[CollisionBody, ...]:
    found = []
    taken = {body.name for body in snapshot.bodies} | {body.owner for body in snapshot.bodies}
    for zone in zones:
        if zone.name in taken:
            raise NameTaken(f"The zone {zone.name!r} has the name of something else in the cell.")
        taken.add(zone.name)
        found.append(CollisionBody(zone.name, zone.name, -1, tree_of(zone.mesh(tolerance), zone.name), zone=zone))
    return tuple(found)


def _meshed(body: Body, tolerance: float) -> Mesh:
    """The triangles of a body; without those of a solid there is no answer about it, and the error names the body."""
    try:
        return body.mesh(tolerance)
    except (GeometryError, Refused) as error:
        raise type(error)(f"{body.name} cannot be tested: {error.message}", **error.evidence) from error
