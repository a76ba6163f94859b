"""Standing on faces: a child object whose face lies on a face of its base, which carries it.

Stored as properties of the child's relation to the scene: the relation of the base, the two faces, and their
blocks, so that other blocks may come and go. The home of the child follows from the present faces,
so it is right after a resize; the relation's own transformation is the motion relative to that home.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.errors import Refused, WorkcellError
from workcell.geometry.faces import Face, Faces
from workcell.spatial.rotations import about_vector
from workcell.world.entities import Entity, Relation
from workcell.world.expand import Expander, PlacedBlock
from workcell.world.foothold import BASE, BASE_BLOCK, BASE_FACE, BASE_ID, BLOCK, FACE, HOME, stands

Floats = NDArray[np.float64]


def faces_of(expander: Expander, entity: Entity) -> Faces:
    """The faces of a block or object in its own frame; with several blocks, prefixed with the relation's name."""
    found = list(expander.solids(entity))
    if not found:
        raise Refused(f"{entity.kind} {entity.name!r} has no solid, so it has no faces.")
    faces: list[Face] = []
    for before, (_, solid) in zip(prefixes(expander, entity), found, strict=True):
        faces += [msgspec.structs.replace(face, name=before + face.name) for face in solid.faces]
    return Faces(faces)


def prefixes(expander: Expander, entity: Entity) -> tuple[str, ...]:
    """What stands before the names of the faces of each solid of a block or object; nothing if there is only one."""
    found = [part for part, _ in expander.solids(entity)]
    return tuple(_path(part) + "." for part in found) if len(found) > 1 else ("",) * len(found)


def _path(part: PlacedBlock) -> str:
    return ".".join(part.path)


def home(base: Face, child: Face) -> Floats:
    """``X_base_child`` with the child's face centre on the base's and normals opposed, turned as little as possible."""
    wanted = -np.array(base.normal)
    turn = smallest_turn(np.array(child.normal), wanted)
    result = np.eye(4)
    result[:3, :3] = turn
    result[:3, 3] = np.array(base.centre) - turn @ np.array(child.centre)
    return result


def smallest_turn(one: Floats, two: Floats) -> Floats:
    """The smallest rotation from one unit vector to another; half turns are about the most perpendicular axis."""
    cosine = float(one @ two)
    if cosine > 1.0 - 1e-14:
        return np.eye(3)
    if cosine < -1.0 + 1e-9:
        axis = np.eye(3)[int(np.argmin(np.abs(one)))]
        axis = axis - (axis @ one) * one
        axis = axis / np.linalg.norm(axis)
        return np.asarray(2.0 * np.outer(axis, axis) - np.eye(3))
    across = np.cross(one, two)
    return about_vector(across, math.atan2(float(np.linalg.norm(across)), cosine))


class Footing:
    """Where everything in a scene stands, on the floor or on faces.

    Args:
        expander: makes the solids; if it works leniently, a missing face is reported in its notes.
        scene: the scene.
    """

    def __init__(self, expander: Expander, scene: Entity) -> None:
        self._expander = expander
        self._placed = {relation.id: (relation, part) for relation, part in expander.parts(scene)}
        self._faces: dict[int, Faces] = {}

    @cached_property
    def _by_name(self) -> dict[str, Relation]:
        return {relation.name: relation for relation, _ in self._placed.values()}

    def base(self, relation: Relation) -> Relation | None:
        """The relation of the base; by id, or by name in a copy of the scene."""
        if not stands(relation):
            return None
        kept = relation.properties
        found = self._placed.get(int(str(kept.get(BASE_ID) or 0), 16))
        return found[0] if found is not None else self._by_name.get(str(kept[BASE]))

    def chain(self, relation: Relation) -> list[Relation]:
        """The relation, its base, the base's base and so on."""
        found = [relation]
        while (below := self.base(found[-1])) is not None and below.id not in [one.id for one in found]:
            found.append(below)
        return found

    def children(self, relation: Relation) -> list[Relation]:
        """The relations that stand on this one."""
        found = []
        for one, _ in self._placed.values():
            base = self.base(one)
            if base is not None and base.id == relation.id:
                found.append(one)
        return found

    def X_base_child(self, relation: Relation) -> Floats:
        """The pose of a child on its base."""
        return np.asarray(self.home(relation) @ relation.matrix)

    def X_world(self, relation: Relation) -> Floats:
        """The pose of something in the scene, with its bases where the cell has them."""
        chain = self.chain(relation)
        pose = np.array(chain[-1].matrix)
        for one in reversed(chain[:-1]):
            pose = pose @ self.X_base_child(one)
        return pose

    def motion(self, relation: Relation, X_world: Floats) -> Floats:
        """The child's own motion that brings it to a pose of the world."""
        base = self.base(relation)
        assert base is not None
        return np.asarray(np.linalg.inv(self.X_world(base) @ self.home(relation)) @ X_world)

    def home(self, relation: Relation) -> Floats:
        """``X_base_child`` before the child's own motion, from the present faces."""
        kept = relation.properties
        try:
            under, over = self.touching(relation)
        except WorkcellError as error:
            name = self._placed[relation.id][1].name
            message = f"{name!r} stands on a face that no longer exists: {error} `face attach` it again, or undo."
            if not self._expander.leniently:
                raise Refused(message) from None
            self._expander.notes.append(message)
            return _square(kept.get(HOME))
        return home(under, over)

    def touching(self, relation: Relation) -> tuple[Face, Face]:
        """The face of the base, and the child's face on it; refused if one no longer exists."""
        kept = relation.properties
        base = self.base(relation)
        assert base is not None
        under = self._face(base, str(kept[BASE_FACE]), str(kept.get(BASE_BLOCK, "")))
        return under, self._face(relation, str(kept[FACE]), str(kept.get(BLOCK, "")))

    def faces(self, relation: Relation) -> Faces:
        """The faces of the child of a relation."""
        part = self._placed[relation.id][1]
        if part.id not in self._faces:
            self._faces[part.id] = faces_of(self._expander, part)
        return self._faces[part.id]

    def block_of(self, relation: Relation, face: str) -> str:
        """The path of the block with a face, from the object that a relation places."""
        paths = self._paths(relation)
        return paths[0] if len(paths) == 1 else max((p for p in paths if face.startswith(f"{p}.")), key=len)

    def _paths(self, relation: Relation) -> list[str]:
        return [_path(part) for part, _ in self._expander.solids(self._placed[relation.id][1])]

    def _face(self, relation: Relation, name: str, block: str) -> Face:
        """The face with a stored name and block; older cells stored no block."""
        faces = self.faces(relation)
        asked = name
        if name not in faces.names:
            paths = self._paths(relation)
            block = block or paths[0]  # the first one
            bare = name.removeprefix(f"{block}.")
            asked = f"{block}.{bare}" if len(paths) > 1 else bare
        try:
            return faces.find(asked)
        except WorkcellError as error:
            raise Refused(f"{self._placed[relation.id][1].name!r}: {error}") from None


def _square(rows: Any) -> Floats:
    """The home that was stored when the face was last seen."""
    result = np.eye(4)
    if isinstance(rows, list | tuple) and len(rows) == 12:
        result[:3] = np.array(rows, dtype=float).reshape(3, 4)
    return result
