"""Blocks, objects and scenes as an assembly for files: tree, labels, colours and places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.commands.assemblies import LABEL
from workcell.geometry.assembly import Assembly, AssemblyGroup, AssemblyPart, Builder, Instance, Rgb, rows_of, split
from workcell.world.entities import Entity, Relation
from workcell.world.expand import Expander, colour_of, is_ghost, transparency_of

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.geometry.solid import Solid
    from workcell.world.body import Body

Floats = NDArray[np.float64]


def called(thing: Entity | Relation) -> str:
    """Return the name of a thing in files: its label or, without one, its name."""
    return str(thing.properties.get(LABEL) or thing.name) if f'"{LABEL}"' in thing.raw_properties else thing.name


class TreeOf:
    """A thing as an assembly; equal shapes with the same name are one part.

    Attributes:
        assembly: the tree; empty if there is no solid.
        ghosts: the names of the ghosts, which are left out.
    """

    def __init__(self, session: Session, thing: Entity) -> None:
        self._session = session
        self._expander = Expander(session.database)
        self._plain: set[tuple[str, str]] = set()
        self._with_ghosts = False
        self.ghosts: list[str] = []
        found = self._walked(thing)
        if not found and thing.kind != "scene":  # a ghost that was asked for by name
            self._with_ghosts, self.ghosts = True, []
            found = self._walked(thing)
        if self._plain:  # a part that is also used without a colour has none of its own
            found = self._walked(thing)
        self.assembly = Assembly(called(thing), tuple(self._builder.parts), found, tuple(self._builder.groups))

    def _walked(self, thing: Entity) -> tuple[Instance, ...]:
        self._builder = Builder()
        self._numbers: dict[tuple[str, str], int] = {}
        if thing.kind == "scene":
            return self._scene(thing)
        if thing.kind == "object":
            return self._parts(thing, None, is_ghost(thing), None)
        one = self._block(thing, thing.name, called(thing), np.eye(4), None, False, None)
        return () if one is None else (one,)

    def _parts(self, whole: Entity, colour: str | None, ghost: bool, clear: float | None) -> tuple[Instance, ...]:
        """Return the parts of an object; the outermost colour and transparency win, as everywhere in a cell."""
        found = []
        clear = transparency_of(whole) if clear is None else clear
        for relation, part in self._expander.parts(whole):
            if part.kind not in ("block", "object"):
                continue
            make = self._block if part.kind == "block" else self._object
            one = make(part, relation.name, called(relation), relation.matrix, colour or whole.colour, ghost, clear)
            if one is not None:
                found.append(one)
        return tuple(found)

    def _object(
        self,
        whole: Entity,
        place: str,
        name: str,
        matrix: Floats,
        colour: str | None,
        ghost: bool,
        clear: float | None,
    ) -> Instance | None:
        ghost = ghost or is_ghost(whole)
        if self._left_out(place, ghost):
            return None
        below = self._parts(whole, colour, ghost, clear)
        if not below:
            return None
        return Instance(
            self._builder.group(AssemblyGroup(called(whole), below)), name, rows_of(matrix), None, group=True
        )

    def _block(
        self,
        block: Entity,
        place: str,
        name: str,
        matrix: Floats,
        colour: str | None,
        ghost: bool,
        clear: float | None,
    ) -> Instance | None:
        solid = self._expander.solid(block)
        if solid is None or self._left_out(place, ghost or is_ghost(block)):
            return None
        paint = colour or block.colour
        clear = transparency_of(block) if clear is None else clear
        shown = colour_of(self._session.database, paint) if paint else None
        return self._placed(solid, called(block), name, matrix, shown, 1.0 - (clear or 0.0))

    def _left_out(self, name: str, ghost: bool) -> bool:
        if not ghost or self._with_ghosts:
            return False
        if name not in self.ghosts:
            self.ghosts.append(name)
        return True

    def _placed(
        self, solid: Solid, part: str, name: str, matrix: Floats, colour: Rgb | None, opacity: float
    ) -> Instance:
        """Return a solid in its place; a scale goes into the part, because places in files are rigid."""
        rigid, rest = split(matrix)
        if not np.array_equal(rest, np.eye(4)):
            solid = solid.transformed(rest)
        key = (solid.hash, part)
        if colour is None:
            self._plain.add(key)
        if key not in self._numbers:
            own = None if key in self._plain else colour
            self._numbers[key] = self._builder.part(AssemblyPart(part, solid.recipe, own))
        number = self._numbers[key]
        own = None if colour == self._builder.parts[number].colour else colour
        return Instance(number, name, rows_of(rigid), own, opacity=opacity)

    # ---- scenes ---------------------------------------------------------------------------------------

    def _scene(self, scene: Entity) -> tuple[Instance, ...]:
        """Return every object with its tree, and every robot with its links, in the initial state."""
        from workcell.world.flatten import snapshot_of

        snapshot = snapshot_of(self._session.database, scene.name)
        arms: dict[str, list[Instance]] = {}
        found: dict[str, Instance] = {}
        for body, pose in zip(snapshot.bodies, snapshot.body_poses(snapshot.initial), strict=True):
            one = self._body(body, np.asarray(pose))
            if one is None:
                continue
            if body.link >= 0:
                arms.setdefault(body.owner, []).append(one)
            else:
                found[body.name] = one
        robots = (
            Instance(self._builder.group(AssemblyGroup(name, tuple(links))), name, group=True)
            for name, links in arms.items()
        )
        return (*robots, *found.values())

    def _body(self, body: Body, pose: Floats) -> Instance | None:
        entity = self._session.database.find("object", body.owner) if body.link < 0 else None
        if entity is not None:
            return self._object(entity, body.name, body.name, pose, None, False, None)
        pieces = [
            self._placed(piece.solid, body.name, body.name, np.eye(4), piece.colour, 1.0 - (piece.transparency or 0.0))
            for piece in body.pieces
            if not self._left_out(body.name, piece.ghost)
        ]
        if len(pieces) == 1:
            return Instance(pieces[0].part, body.name, rows_of(pose), pieces[0].colour, opacity=pieces[0].opacity)
        if not pieces:
            return None
        group = self._builder.group(AssemblyGroup(body.name, tuple(pieces)))
        return Instance(group, body.name, rows_of(pose), group=True)
