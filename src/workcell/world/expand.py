"""From entities to solids: what a block, an object or a robot is made of, in its own frame."""

from __future__ import annotations

from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused, UnknownName
from workcell.geometry.recipe import decode
from workcell.geometry.solid import Solid
from workcell.robots.build import robot_from_file
from workcell.robots.robot import Robot
from workcell.robots.robot_file import parse
from workcell.world.body import Colour, Piece
from workcell.world.database import Database
from workcell.world.entities import Entity, Relation

COLOURS: dict[str, Colour] = {
    "white": (0.95, 0.95, 0.95), "light-grey": (0.80, 0.81, 0.83), "grey": (0.60, 0.62, 0.65),
    "dark-grey": (0.32, 0.34, 0.37), "black": (0.10, 0.10, 0.11), "red": (0.80, 0.20, 0.18),
    "orange": (0.93, 0.49, 0.14), "yellow": (0.95, 0.78, 0.20), "green": (0.27, 0.62, 0.35),
    "blue": (0.20, 0.45, 0.75), "purple": (0.48, 0.34, 0.66), "brown": (0.52, 0.37, 0.26),
    "wood": (0.78, 0.62, 0.44), "steel": (0.62, 0.66, 0.70),
}  # fmt: skip
"""The colours that every cell knows; entities of kind ``colour`` add to them."""
DEFAULT_COLOUR: Colour = (0.70, 0.72, 0.75)


class RobotShape(msgspec.Struct, frozen=True, tag="robot", tag_field="kind"):
    """A robot as the database keeps it: its whole file, so that the cell needs no library."""

    file: str


def robot_shape(text: str) -> str:
    """The ``shape`` of a robot entity, from the text of its robot file."""
    parse(text)
    return msgspec.json.encode(RobotShape(text)).decode()


def is_robot(entity: Entity) -> bool:
    """Whether it is a robot or mechanism that is finished, and not a draft or a mere name."""
    return entity.kind in ("robot", "mechanism") and entity.shape is not None and entity.shape.startswith(_ROBOT)


def robot_of(entity: Entity) -> Robot:
    """The robot that an entity describes."""
    if entity.shape is None or not is_robot(entity):
        raise Refused(f"Robot {entity.name!r} is not finished; `check robot {entity.name}` tells what is missing.")
    return _built(entity.shape)


_ROBOT = '{"kind":"robot"'


@lru_cache(maxsize=64)
def _built(shape: str) -> Robot:
    return robot_of_text(msgspec.json.decode(shape, type=RobotShape).file)


def robot_of_text(text: str) -> Robot:
    """The robot that the text of a robot file describes."""
    return robot_from_file(parse(text))


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


class Expander:
    """Turns entities into pieces, each shape once."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._relations: dict[int, list[Relation]] = {}
        for relation in sorted(database.all_relations(), key=lambda r: (r.position, r.id)):
            self._relations.setdefault(relation.parent, []).append(relation)
        self._entities = {entity.id: entity for entity in database.entities()}

    def parts(self, entity: Entity) -> list[tuple[Relation, Entity]]:
        """The relations of an entity and what they point to, in order."""
        return [(r, self._entities[r.child]) for r in self._relations.get(entity.id, [])]

    def pieces(self, entity: Entity, colour: str | None = None) -> tuple[Piece, ...]:
        """The solids of a block or object, in its own frame; the nearest colour above a piece wins."""
        return tuple(self._pieces(entity, np.eye(4), colour))

    def pieces_at(self, entity: Entity, matrix: NDArray[np.float64]) -> tuple[Piece, ...]:
        """The solids of a block or object, placed in another frame."""
        return tuple(self._pieces(entity, matrix, None))

    def _pieces(self, entity: Entity, matrix: NDArray[np.float64], colour: str | None) -> list[Piece]:
        colour = colour or entity.colour
        if entity.kind == "block":
            solid = self._solid(entity)
            if solid is None:
                return []
            if not np.array_equal(matrix, np.eye(4)):
                solid = solid.transformed(matrix)
            return [Piece(solid, colour_of(self._database, colour))]
        pieces = []
        for relation, part in self.parts(entity):
            if part.kind in ("block", "object"):
                pieces += self._pieces(part, matrix @ relation.matrix, colour or part.colour)
        return pieces

    def _solid(self, block: Entity) -> Solid | None:
        if block.shape is not None:
            return Solid(decode(block.shape.encode()))
        return None
