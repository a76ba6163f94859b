"""The shapes of things that stand nowhere, each in its own frame."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workcell.errors import WorkcellError
from workcell.geometry.surface import Surface
from workcell.robots.gripper import FINGER, PALM, Gripper
from workcell.robots.hand import Hand
from workcell.world.body import Colour, Piece
from workcell.world.database import Database
from workcell.world.draft_shape import draft_of
from workcell.world.entities import Entity
from workcell.world.expand import Expander, colour_of
from workcell.world.fitted_tool import with_own_hand
from workcell.world.fitting import TOOLS
from workcell.world.flange_bodies import pieces_of
from workcell.world.hands import hand_of
from workcell.world.operations import surface_of
from workcell.world.robot_shape import is_robot
from workcell.world.rows import Rows

Floats = NDArray[np.float64]
_ROBOTS = ("robot", "mechanism")


class FlatPatch(NamedTuple):
    """A flat surface in the frame of the thing that it belongs to.

    Attributes:
        regions: closed polylines (n, 2) [m] in the plane of the surface: of each region its outline, then its holes.
        matrix: the plane in the frame of the thing.
        colour: red, green, blue.
    """

    regions: tuple[tuple[Floats, ...], ...]
    matrix: Floats
    colour: Colour


class LooseShape(NamedTuple):
    """Solids and flat surfaces of a thing; ``note`` is why something is missing, or ''."""

    pieces: tuple[Piece, ...]
    patches: tuple[FlatPatch, ...]
    note: str


class LooseShapes:
    """Makes the shapes of things; only their rows, and those of what they are made of, are read.

    Args:
        database: the cell.
        numbers: the ids of the things.
    """

    def __init__(self, database: Database, numbers: Iterable[int]) -> None:
        self._database = database
        self._rows = Rows(*database.below(numbers))
        self._expander = Expander(database, leniently=True, rows=self._rows)

    def of(self, number: int) -> LooseShape:
        """Return the shape of a thing; what cannot be made is left out."""
        self._expander.notes = []
        try:
            thing = self._rows.entities[number]
            pieces, patches = tuple(self._pieces(thing)), tuple(self._patches(thing))
        except WorkcellError as error:
            return LooseShape((), (), str(error))
        meshes = self._database.meshes
        kept = tuple(dataclasses.replace(piece, solid=piece.solid.kept_in(meshes)) for piece in pieces)
        return LooseShape(kept, patches, "; ".join(dict.fromkeys(self._expander.notes)))

    def _pieces(self, thing: Entity) -> Iterator[Piece]:
        if thing.kind in _ROBOTS:
            yield from self._links(thing)
        elif thing.kind in TOOLS:
            yield from self._tool(thing)
        elif thing.kind != "surface":
            yield from self._expander.pieces(thing)

    def _links(self, thing: Entity) -> Iterator[Piece]:
        """The links of a robot with its initial joint values, and what is on its flange; of a draft at home."""
        tools = [(relation, part) for relation, part in self._expander.parts(thing) if part.kind in TOOLS]
        if is_robot(thing):
            robot = self._expander.robot(thing)
            frames = robot.frames(thing.properties.get("joints") or robot.home)
            for link, frame in zip(robot.links, frames, strict=True):
                yield from _placed(pieces_of(link.seen), frame)
            if not tools:
                yield from _placed(_hand(with_own_hand(thing, robot).gripper, bare=True), frames[-1])
        elif thing.shape is not None:
            draft = draft_of(thing)
            frames = draft.X_world_base.matrix @ draft.frames
            for relation, part in self._expander.parts(thing):
                if relation.kind == "link":
                    frame = frames[int(relation.properties.get("link", 0))]
                    yield from self._expander.pieces_at(part, frame @ relation.matrix)
        else:
            return
        for relation, part in tools:
            yield from _placed(self._tool(part), frames[-1] @ relation.matrix)

    def _tool(self, thing: Entity) -> Iterator[Piece]:
        """The solids of a tool, and its hand as it is drawn on a flange, with open fingers."""
        own = self._expander.pieces(thing)
        yield from own
        yield from _hand(hand_of(thing), bare=not own)

    def _patches(self, thing: Entity) -> Iterator[FlatPatch]:
        """The surface itself, or the flat surfaces of blocks that do not close yet."""
        if thing.kind == "surface":
            yield from self._patch(thing, np.eye(4), thing.colour)
        elif thing.kind in ("block", "object"):
            made = {part.path for part, _ in self._expander.solids(thing)}
            for part in self._expander.blocks(thing, np.eye(4), None):
                if part.path not in made:
                    for relation, surface in self._expander.parts(part.block):
                        colour = part.colour or surface.colour
                        yield from self._patch(surface, part.matrix @ relation.matrix, colour)

    def _patch(self, thing: Entity, matrix: Floats, colour: str | None) -> Iterator[FlatPatch]:
        if thing.kind != "surface" or thing.shape is None:
            return
        surface = surface_of(thing.shape)
        if isinstance(surface, Surface):
            regions = tuple((one.edges()[0], *(hole.edges()[0] for hole in holes)) for one, holes in surface.regions)
            yield FlatPatch(regions, matrix, colour_of(self._database, colour))


def _hand(hand: Hand | None, bare: bool) -> Iterator[Piece]:
    """The pads or fingers of a hand in the flange frame, and the body that carries them if it has no other one."""
    if isinstance(hand, Gripper):
        if bare:
            yield Piece(hand.palm(), PALM)
        for pose in hand.finger_poses(hand.opening):
            yield Piece(hand.finger().moved(pose), FINGER)
    elif hand is not None:
        parts = (*(hand.body_parts() if bare else ()), *hand.pad_parts())
        yield from pieces_of(tuple(part for part in parts if part.use != "collision"))


def _placed(pieces: Iterable[Piece], matrix: Floats) -> Iterator[Piece]:
    for piece in pieces:
        yield dataclasses.replace(piece, solid=piece.solid.transformed(matrix))
