"""Faces of a solid by name: position, normal and outline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from workcell.errors import InvalidValue, UnknownName
from workcell.geometry.checks import in_mm

Triple = tuple[float, float, float]


class Face(msgspec.Struct, frozen=True):
    """One face of a solid.

    Attributes:
        name: where it comes from, such as ``base.top`` or ``cut2:pin.side``.
        kind: plane, cylinder, cone, sphere, torus or free-form.
        area: [m²].
        centre: the centroid of a flat face; a point in the middle of a curved one [m].
        normal: the outward unit normal at the centre.
        outline: closed polylines, the outer one first [m].
    """

    name: str
    kind: str
    area: float
    centre: Triple
    normal: Triple
    outline: tuple[tuple[Triple, ...], ...]


class Faces(Sequence[Face]):
    """The faces of a solid, in a fixed order, found by name.

    When an operation cuts one face into several, they share its name and get the numbers ``#1``, ``#2``… in the
    order of their centres. The bare name is then ambiguous and refused.
    """

    def __init__(self, faces: Sequence[Face]) -> None:
        self._faces = tuple(faces)

    @property
    def names(self) -> tuple[str, ...]:
        """Every name."""
        return tuple(face.name for face in self._faces)

    def find(self, name: str) -> Face:
        """Return the face with a name; refuse an unknown or ambiguous name and list the faces that exist."""
        for face in self._faces:
            if face.name == name:
                return face
        several = [face for face in self._faces if face.name.rpartition("#")[0] == name]
        if several:
            listed = ", ".join(f"{face.name} at {in_mm(face.centre)}" for face in several[:6])
            raise InvalidValue(
                f"The face {name!r} is in {len(several)} pieces. Name one of them: {listed}.",
                names=tuple(face.name for face in several),
            )
        raise UnknownName.among("face", name, self.names)

    def __getitem__(self, key):  # type: ignore[no-untyped-def]
        return self.find(key) if isinstance(key, str) else self._faces[key]

    def __len__(self) -> int:
        return len(self._faces)

    def __iter__(self) -> Iterator[Face]:
        return iter(self._faces)

    def __repr__(self) -> str:
        return f"<Faces {', '.join(self.names[:8])}{'…' if len(self) > 8 else ''}>"


def distinct(names: Sequence[str], centres: Sequence[Iterable[float]]) -> tuple[str, ...]:
    """Return the names, with repeated ones numbered ``#1``, ``#2``… in the order of their centres."""
    repeats = Counter(names)
    result = list(names)
    for name, times in repeats.items():
        if times > 1:
            places = [i for i, other in enumerate(names) if other == name]
            places.sort(key=lambda i: tuple(round(float(value), 6) for value in centres[i]))
            for number, place in enumerate(places, start=1):
                result[place] = f"{name}#{number}"
    return tuple(result)
