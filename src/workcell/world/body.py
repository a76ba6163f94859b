"""A rigid body of a cell, as engines and pictures use it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused
from workcell.geometry.mesh import Mesh, merge
from workcell.geometry.solid import Solid
from workcell.world.identity import Value, identity
from workcell.world.matter import Matter

Colour = tuple[float, float, float]
"""Red, green, blue, each from 0 to 1."""
GHOST = 0.3
"""The opacity of ghosts without a transparency of their own."""


def unknown_words(names: Sequence[str]) -> str:
    """The sentence for an answer that depends on bodies of unknown shape; empty if there are none."""
    if not names:
        return ""
    listed = " and ".join(", ".join(names).rsplit(", ", 1))
    return f" The shape of {listed} is unknown: contacts with it are not found."


def unknown_after(names: Sequence[str]) -> str:
    """The same sentence after one that has no full stop yet."""
    return f".{unknown_words(names)}" if names else ""


@dataclass(frozen=True)
class Piece(Value):
    """A solid of one colour, in the frame of its body; a ghost is only for looking at and tested against nothing."""

    solid: Solid
    colour: Colour
    ghost: bool = False
    transparency: float | None = None
    """The value that the cell states, from 0 to 1."""

    @property
    def opacity(self) -> float:
        """The opacity with which it is drawn, from 0 to 1."""
        if self.transparency is not None:
            return 1.0 - self.transparency
        return GHOST if self.ghost else 1.0


def _stated(piece: Piece) -> str:
    return "" if piece.transparency is None else f"t{piece.transparency!r}"


@dataclass(frozen=True)
class Body(Value):
    """A rigid body: a link of a robot, or an object.

    Attributes:
        name: unique in the snapshot: the object's name, or ``Puma/link 2``.
        owner: the object or robot that it belongs to.
        link: the link's number, 0 for the base; -1 for an object.
        pieces: its solids in the body's frame, as drawn.
        movable: whether a gripper may take it.
        matter: its mass data, if a gripper may take it.
        tested: the solids for collision tests instead of ``pieces``; none if they are the same.
        unknown: why its collision shape is not known, or not complete; empty if it is.
        ferromagnetic: whether a magnet holds it; None if the cell does not state it.
        built_on: for a robot's own gripper, the name of the link that it is part of; otherwise empty.
    """

    name: str
    owner: str
    link: int
    pieces: tuple[Piece, ...]
    movable: bool = False
    matter: Matter | None = None
    tested: tuple[Piece, ...] = ()
    unknown: str = ""
    ferromagnetic: bool | None = None
    built_on: str = ""

    @property
    def called(self) -> frozenset[str]:
        """The names that refer to it, perhaps among others: its own, its owner's, and that of its link."""
        return frozenset((self.name, self.owner, self.built_on or self.name))

    @cached_property
    def solid(self) -> Solid:
        """All pieces as one exact solid."""
        if not self.pieces:
            raise Refused(f"{self.name} has no solid.")
        whole = self.pieces[0].solid
        for piece in self.pieces[1:]:
            whole = whole + piece.solid
        return whole

    @property
    def colour(self) -> Colour:
        """The colour of the first piece."""
        return self.pieces[0].colour if self.pieces else (0.7, 0.7, 0.72)

    @cached_property
    def hash(self) -> str:
        """The identity of its shape and colours."""
        pieces = (*self.pieces, *self.tested)
        parts = "".join(f"{piece.solid.hash}{piece.colour}{'ghost' * piece.ghost}{_stated(piece)}" for piece in pieces)
        return hashlib.sha256(parts.encode()).hexdigest()[:32]

    @cached_property
    def presence(self) -> str:
        """The identity of everything visible and touchable: all but its mass and its material."""
        return identity(
            (self.name, self.owner, self.link, self.pieces, self.movable, self.tested, self.unknown, self.built_on),
        )

    @cached_property
    def touchable(self) -> tuple[Piece, ...]:
        """The pieces that something can touch: those for collision tests that are not ghosts."""
        return tuple(piece for piece in self.tested or self.pieces if not piece.ghost)

    @property
    def ghost(self) -> bool:
        """Whether it has a shape and all of it is a ghost."""
        return bool(self.pieces) and not self.touchable

    def mesh(self, tolerance: float = 5e-4) -> Mesh:
        """The triangles of all touchable pieces, each closed in itself (without a boolean)."""
        if tolerance not in self._meshes:
            self._meshes[tolerance] = merge([piece.solid.mesh(tolerance) for piece in self.touchable])
        return self._meshes[tolerance]

    @cached_property
    def _meshes(self) -> dict[float, Mesh]:
        return {}

    def bounds(self, tolerance: float = 5e-4) -> NDArray[np.float64]:
        """The box around its mesh in its own frame: the lowest and highest corner (2, 3); NaN for an empty mesh."""
        if tolerance not in self._bounds:
            vertices = self.mesh(tolerance).vertices
            box = np.array([vertices.min(axis=0), vertices.max(axis=0)]) if len(vertices) else np.full((2, 3), np.nan)
            box.flags.writeable = False
            self._bounds[tolerance] = box
        return self._bounds[tolerance]

    @cached_property
    def _bounds(self) -> dict[float, NDArray[np.float64]]:
        return {}
