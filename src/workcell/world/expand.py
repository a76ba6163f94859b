"""From entities to solids: the content of a block, an object or a robot, in its own frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workcell.cost import SHAPES
from workcell.errors import Refused, TooCostly, UnknownName, WorkcellError
from workcell.geometry import recipe as r
from workcell.geometry import solids
from workcell.geometry.kernel.cache import MeshCache
from workcell.geometry.nurbs.kept import curve_of
from workcell.geometry.solid import Solid
from workcell.geometry.surface import Surface
from workcell.robots.link import Part as LinkPart
from workcell.robots.robot import Robot
from workcell.world.body import Colour, Piece
from workcell.world.database import Database
from workcell.world.entities import Entity, Relation
from workcell.world.operations import Combine, SweepSurface, Swept, is_operation, operation_of, surface_of
from workcell.world.places import KINDS as PLACES
from workcell.world.robot_shape import robot_of
from workcell.world.row_change import RowChange
from workcell.world.rows import Rows

COLOURS: dict[str, Colour] = {
    "white": (0.95, 0.95, 0.95), "light-grey": (0.80, 0.81, 0.83), "grey": (0.60, 0.62, 0.65),
    "dark-grey": (0.32, 0.34, 0.37), "black": (0.10, 0.10, 0.11), "red": (0.80, 0.20, 0.18),
    "orange": (0.93, 0.49, 0.14), "yellow": (0.95, 0.78, 0.20), "green": (0.27, 0.62, 0.35),
    "blue": (0.20, 0.45, 0.75), "purple": (0.48, 0.34, 0.66), "brown": (0.52, 0.37, 0.26),
    "wood": (0.78, 0.62, 0.44), "steel": (0.62, 0.66, 0.70),
}  # fmt: skip
"""The colours in every cell; entities of kind ``colour`` add to them."""
DEFAULT_COLOUR: Colour = (0.70, 0.72, 0.75)


def colour_of(database: Database, name: str | None) -> Colour:
    """The red, green and blue of a colour name or of ``#rrggbb``."""
    if not name:
        return DEFAULT_COLOUR
    if name in COLOURS:
        return COLOURS[name]
    own = database.find("colour", name)
    if own is not None:
        r, g, b = own.properties.get("rgb", DEFAULT_COLOUR)
        return float(r), float(g), float(b)
    if len(name) == 7 and name[0] == "#":
        try:
            r, g, b = (int(name[i : i + 2], 16) / 255.0 for i in (1, 3, 5))
        except ValueError:
            pass
        else:
            return r, g, b
    raise UnknownName.among("colour", name, [*COLOURS, *database.names("colour")], "Or write #rrggbb.")


def is_ghost(entity: Entity) -> bool:
    """Whether a block or object is a ghost."""
    return '"ghost"' in entity.raw_properties and bool(entity.properties.get("ghost"))


def transparency_of(entity: Entity) -> float | None:
    """The transparency of an entity, if it states one."""
    stated = entity.properties.get("transparency") if '"transparency"' in entity.raw_properties else None
    return None if stated is None else float(stated)


class PlacedBlock(NamedTuple):
    """A block inside something: the names of the relations down to it, its pose, and how it is drawn."""

    path: tuple[str, ...]
    block: Entity
    matrix: NDArray[np.float64]
    colour: str | None
    ghost: bool = False
    transparency: float | None = None


class Expander:
    """Turns entities into solids, each shape once.

    With ``leniently``, what cannot be made is left out and reported in ``notes``; otherwise it is an error. ``undone``
    are changes to ignore, last first: the cell is expanded as it was before them. ``rows`` are those of the database,
    if they have already been read.
    """

    def __init__(
        self, database: Database, leniently: bool = False, undone: Iterable[RowChange] = (), rows: Rows | None = None
    ) -> None:
        self._database = database
        self.leniently = leniently
        self.notes: list[str] = []
        self._rows = Rows.read(database) if rows is None else rows
        for change in undone:
            self._rows.undo(change)
        self._recipes: dict[int, r.Recipe | None] = {}
        self._counts: dict[int, int] = {}

    def forget(self, numbers: Iterable[int]) -> None:
        """Forget the shapes of these entities: they, or their parts, have changed."""
        for number in numbers:
            self._recipes.pop(number, None)
            self._counts.pop(number, None)

    def colour(self, entity: Entity) -> Colour | None:
        """The colour of an entity, if it states one."""
        return colour_of(self._database, entity.colour) if entity.colour else None

    def as_it_was(self, entity: Entity) -> Entity:
        """The entity before the ignored changes."""
        return self._rows.entities.get(entity.id, entity)

    def parts(self, entity: Entity) -> list[tuple[Relation, Entity]]:
        """The relations of an entity and their children, in order."""
        entities = self._rows.entities
        return [(one, entities[one.child]) for one in self._rows.parts(entity.id)]

    def robot(self, entity: Entity) -> Robot:
        """The robot of an entity, with the shapes and the colour that the cell gives its links."""
        robot, paint = self._kept(entity), self.colour(entity)
        own: dict[int, tuple[LinkPart, ...]] = {}
        for relation, part in self.parts(entity):
            if relation.kind == "link":
                number = int(relation.properties.get("link", 0))
                pieces = self.pieces_at(part, relation.matrix)
                own[number] = own.get(number, ()) + tuple(
                    LinkPart(p.solid, p.colour, part.name, ghost=p.ghost, transparency=p.transparency) for p in pieces
                )
        drawn = entity.properties.get("shapes") != "assigned"
        if drawn and paint is None and not own:
            return robot
        links = []
        for number, link in enumerate(robot.links):
            painted = tuple(replace(part, colour=paint or part.colour) for part in link.parts) if drawn else ()
            given = own.get(number, ())
            links.append(replace(link, parts=given or painted, unknown="" if given else link.unknown))
        return robot.replace(links=tuple(links))

    def _kept(self, entity: Entity) -> Robot:
        """The robot of an entity as in its file, with its shapes in the cache of the cell."""
        robot, meshes = robot_of(entity), self._database.meshes
        links = tuple(
            replace(link, parts=tuple(replace(part, solid=part.solid.kept_in(meshes)) for part in link.parts))
            for link in robot.links
        )
        return robot.replace(links=links)

    def pieces(self, entity: Entity, colour: str | None = None) -> tuple[Piece, ...]:
        """The solids of a block or object, in its own frame; the nearest colour above a piece wins."""
        return tuple(self._pieces(entity, np.eye(4), colour))

    def pieces_at(self, entity: Entity, matrix: NDArray[np.float64]) -> tuple[Piece, ...]:
        """The solids of a block or object, placed in another frame."""
        return tuple(self._pieces(entity, matrix, None))

    def _pieces(self, entity: Entity, matrix: NDArray[np.float64], colour: str | None) -> Iterator[Piece]:
        for part, solid in self.solids(entity, matrix, colour):
            yield Piece(solid, colour_of(self._database, part.colour), part.ghost, part.transparency)

    def solids(
        self, entity: Entity, matrix: NDArray[np.float64] | None = None, colour: str | None = None
    ) -> Iterator[tuple[PlacedBlock, Solid]]:
        """Every block of an entity that has a solid, and the solid in the frame of the entity."""
        for part in self.blocks(entity, np.eye(4) if matrix is None else matrix, colour):
            solid = self._noted(part.block)
            if solid is not None:
                place = part.matrix
                yield part, solid if np.array_equal(place, np.eye(4)) else solid.transformed(place)

    def blocks(
        self,
        entity: Entity,
        matrix: NDArray[np.float64],
        colour: str | None,
        path: tuple[str, ...] = (),
        ghost: bool = False,
        transparency: float | None = None,
    ) -> Iterator[PlacedBlock]:
        """The blocks of an entity, or itself if it is one, in order; ghosts if they or anything above them are.

        The outermost colour and transparency apply.
        """
        if not path and not self._affordable(entity):
            return
        colour, ghost = colour or entity.colour, ghost or is_ghost(entity)
        clear = transparency_of(entity) if transparency is None else transparency
        if entity.kind == "block":
            yield PlacedBlock(path, entity, matrix, colour, ghost, clear)
            return
        for relation, part in self.parts(entity):
            if part.kind in ("block", "object"):
                below = (*path, relation.name)
                yield from self.blocks(part, matrix @ relation.matrix, colour or part.colour, below, ghost, clear)

    def _affordable(self, entity: Entity) -> bool:
        """Whether an entity has few enough shapes to be made; shared parts count wherever they are used."""
        try:
            SHAPES.check(
                self._count(entity), f"{entity.kind.capitalize()} {entity.name!r}, with all that it is made of,"
            )
        except TooCostly as error:
            if not self.leniently:
                raise
            self.notes.append(f"{entity.kind} {entity.name!r} is not shown: {error}")
            return False
        return True

    def _count(self, entity: Entity) -> int:
        """The number of shapes in an entity; each part counts as often as it is used."""
        if entity.id not in self._counts:
            shapes = (part for _, part in self.parts(entity) if part.kind not in PLACES)
            self._counts[entity.id] = 1 + sum(self._count(part) for part in shapes)
        return self._counts[entity.id]

    def _noted(self, block: Entity) -> Solid | None:
        if not self.leniently:
            return self.solid(block)
        try:
            solid = self.solid(block)
        except WorkcellError as error:
            self.notes.append(f"block {block.name!r} has no solid: {error}")
            return None
        if (
            solid is not None
            and isinstance(solid.recipe, r.Sewn)
            and not is_closed(solid.recipe, self._database.meshes)
        ):
            self.notes.append(f"block {block.name!r} is not shown: its surfaces do not close yet")
            return None
        return solid

    def solid(self, block: Entity) -> Solid | None:
        """The solid of a block in its own frame; None for a block without shape and parts."""
        recipe = self._recipe(block)
        return None if recipe is None else Solid(recipe).kept_in(self._database.meshes)

    def _recipe(self, block: Entity) -> r.Recipe | None:
        if block.id not in self._recipes:
            self._recipes[block.id] = self._made(block)
        return self._recipes[block.id]

    def _made(self, block: Entity) -> r.Recipe | None:
        SHAPES.check(self._count(block), f"Block {block.name!r}, with all that it is made of,")
        if block.shape is not None and not is_operation(block.shape):
            return _decoded(block.shape)
        parts = self.parts(block)
        operands = [(relation, part) for relation, part in parts if part.kind == "block"]
        patches = [(relation, part) for relation, part in parts if part.kind == "surface"]
        operation = operation_of(block.shape) if block.shape is not None else None
        if operands and patches:
            raise Refused(
                f"Block {block.name!r} has both blocks and surfaces as parts; it can have only one of the two kinds."
            )
        if operation is None and not operands:
            return self._sewn(patches) if patches else None
        if operation is None or isinstance(operation, Combine):
            combined = operation or Combine("union")
            try:
                return combined.made([(relation.name, self._operand(relation, part)) for relation, part in operands])
            except Refused as error:
                raise Refused(f"Block {block.name!r}: {error}") from None
        directors = [(relation, part) for relation, part in parts if part.kind == "curve"]
        return self._swept(block, operation, patches, directors)

    def _operand(self, relation: Relation, part: Entity) -> r.Recipe:
        recipe = self._recipe(part)
        if recipe is None:
            raise Refused(f"block {part.name!r}, which it is made of, has no solid yet.")
        return r.placed(recipe, _rows(relation))

    def _sewn(self, patches: list[tuple[Relation, Entity]]) -> r.Recipe:
        return solids.sewn(
            [(relation.name, surface_of(_shape(part)), relation.matrix) for relation, part in patches]
        ).recipe

    def _swept(
        self,
        block: Entity,
        operation: Swept,
        patches: list[tuple[Relation, Entity]],
        directors: list[tuple[Relation, Entity]],
    ) -> r.Recipe:
        if len(patches) != 1:
            raise Refused(f"Block {block.name!r} is a sweep and needs exactly one surface; it has {len(patches)}.")
        relation, part = patches[0]
        surface = surface_of(_shape(part))
        if not isinstance(surface, Surface):
            raise Refused(f"A free-form patch such as {part.name!r} cannot be swept; sweep a flat surface.")
        if isinstance(operation, SweepSurface) and operation.form == "curve":
            if len(directors) != 1 or directors[0][1].shape is None:
                raise Refused(
                    f"Block {block.name!r} is swept along a curve and needs exactly one; it has {len(directors)}."
                )
            along, curve = directors[0]
            given = curve_of(str(curve.shape)).transformed(along.matrix)
            return r.placed(operation.swept(surface, given), _rows(relation))
        return r.placed(operation.swept(surface), _rows(relation))


@lru_cache(maxsize=512)
def _decoded(shape: str) -> r.Recipe:
    return r.decode(shape.encode())


def _shape(surface: Entity) -> str:
    if surface.shape is None:
        raise Refused(f"Surface {surface.name!r} has no contour yet.")
    return surface.shape


def _rows(relation: Relation) -> tuple[float, ...]:
    return tuple(float(value) + 0.0 for value in relation.matrix[:3].reshape(-1))


@lru_cache(maxsize=256)
def is_closed(sewn: r.Sewn, meshes: MeshCache) -> bool:
    """Whether surfaces close: straight edges are compared here, the CAD kernel checks others."""
    flat = [p.surface for p in sewn.patches if isinstance(p.surface, Surface) and p.surface.is_polygonal]
    if len(flat) == len(sewn.patches):
        if len(flat) < 4:
            return False
        if _edges_meet(sewn):
            return True
    try:
        return bool(Solid(sewn).kept_in(meshes).volume)
    except WorkcellError:
        return False


def _edges_meet(sewn: r.Sewn) -> bool:
    """Whether every edge is an edge of exactly two surfaces."""
    starts, ends = [], []
    for patch in sewn.patches:
        assert isinstance(patch.surface, Surface)
        matrix = np.array(patch.matrix).reshape(3, 4)
        for loop in patch.surface.loops():
            points = loop @ matrix[:, :2].T + matrix[:, 3]
            starts.append(points)
            ends.append(np.roll(points, -1, axis=0))
    a, b = np.concatenate(starts), np.concatenate(ends)
    size = float(np.ptp(a, axis=0).max())
    # An edge is identified by its middle and its half span, which do not depend on its direction.
    key = np.round(np.hstack([(a + b) / 2.0, np.abs(b - a)]) / (1e-7 * size + 1e-300)).astype(np.int64)
    _, times = np.unique(key, axis=0, return_counts=True)
    return bool((times == 2).all())
