"""The content of a picture: meshes in their places, and lines."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue, UnknownName
from workcell.geometry.mesh import DEFAULT_TOLERANCE, Mesh
from workcell.pictures.colours import PALETTE, Colour, colour
from workcell.spatial.rotations import finite
from workcell.world.absence import absent_parts

if TYPE_CHECKING:
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import CellState

Floats = NDArray[np.float64]
_BOTTOM = np.array([0.0, 0.0, 0.0, 1.0])


@dataclasses.dataclass(frozen=True, eq=False)
class Item:
    """One mesh in its place.

    Attributes:
        mesh: the triangles, in their own frame.
        matrix: (4, 4) from the mesh's frame to the world; it may scale and mirror but not flatten.
        colour: a name, ``#rrggbb`` or three numbers from 0 to 1.
        edges: whether its edges are drawn when the style draws edges.
        opacity: 1 hides what is behind, 0 cannot be seen.
        name: the name of its owner.
    """

    mesh: Mesh
    matrix: Floats = dataclasses.field(default_factory=lambda: np.eye(4))
    colour: Colour = PALETTE[0]
    edges: bool = True
    opacity: float = 1.0
    name: str = ""

    def __post_init__(self) -> None:
        who = f"{self.name!r}" if self.name else "a picture's item"
        matrix = finite(self.matrix, (4, 4), f"The matrix of {who}")
        if not np.array_equal(matrix[3], _BOTTOM):
            raise InvalidValue(f"The last row of the matrix of {who} must be 0 0 0 1; found {matrix[3].tolist()}.")
        scale = float(np.abs(matrix[:3, :3]).max())
        if not abs(np.linalg.det(matrix[:3, :3])) > 1e-12 * scale**3:
            raise InvalidValue(f"The matrix of {who} flattens it; its determinant must not be 0.")
        if not (math.isfinite(self.opacity) and 0.0 <= self.opacity <= 1.0):
            raise InvalidValue(f"The opacity of {who} must be from 0 to 1; found {self.opacity}.")
        matrix.flags.writeable = False
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "colour", colour(self.colour))

    @property
    def points(self) -> Floats:
        """(n, 3) its vertices in the world [m]."""
        return np.asarray(self.mesh.vertices @ self.matrix[:3, :3].T + self.matrix[:3, 3])


@dataclasses.dataclass(frozen=True, eq=False)
class Line:
    """A line through points of the world: a path, a contour, an axis.

    Attributes:
        points: (n, 3) [m], at least two.
        colour: a name, ``#rrggbb`` or three numbers from 0 to 1.
        width: [pixel].
        hidden: whether surfaces in front of it hide it.
    """

    points: Floats
    colour: Colour = (0.78, 0.25, 0.18)
    width: float = 2.0
    hidden: bool = True

    def __post_init__(self) -> None:
        shape = np.shape(self.points)
        if len(shape) != 2 or shape[0] < 2 or shape[1] != 3:
            raise InvalidValue(f"A line needs at least two points of three coordinates; found shape {shape}.")
        points = finite(self.points, (shape[0], 3), "The points of a line")
        if not (math.isfinite(self.width) and 0.1 <= self.width <= 100.0):
            raise InvalidValue(f"The width of a line must be from 0.1 to 100 pixels; found {self.width}.")
        points.flags.writeable = False
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "colour", colour(self.colour))


@dataclasses.dataclass(frozen=True, eq=False)
class Scene:
    """Everything in a picture.

    Attributes:
        items: the meshes in their places.
        lines: the lines, drawn over the meshes.
    """

    items: tuple[Item, ...] = ()
    lines: tuple[Line, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", tuple(self.items))
        object.__setattr__(self, "lines", tuple(self.lines))
        strange = [type(value).__name__ for value in self.items if not isinstance(value, Item)]
        strange += [type(value).__name__ for value in self.lines if not isinstance(value, Line)]
        if strange:
            raise InvalidValue(f"A scene must consist of items and lines; found {strange[0]}.")

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __add__(self, other: Scene) -> Scene:
        return Scene(self.items + other.items, self.lines + other.lines)

    @property
    def points(self) -> Floats:
        """(n, 3) every vertex and line point in the world [m]."""
        clouds = [item.points for item in self.items if item.opacity > 0.0] + [line.points for line in self.lines]
        cloud = np.concatenate(clouds) if clouds else np.empty((0, 3))
        if not len(cloud):
            raise InvalidValue("The scene is empty: there is nothing to see; add an item with triangles or a line.")
        return cloud

    @property
    def bounds(self) -> Floats:
        """(2, 3) the lowest and the highest corner of everything [m]."""
        cloud = self.points
        return np.stack([cloud.min(axis=0), cloud.max(axis=0)])


def scene_of(
    snapshot: Snapshot,
    state: CellState,
    only: Iterable[str] | None = None,
    colours: Callable[[str], Colour | None] | None = None,
    tolerance: float = DEFAULT_TOLERANCE,
) -> Scene:
    """The bodies of a cell at their poses in a state; ghosts are translucent.

    Args:
        snapshot: the cell at one revision.
        state: the poses of everything.
        only: the names of the bodies to show, or of the objects and robots that own them; all by default.
        colours: returns another colour for the name of a body, or None (for bodies that collide or are selected).
        tolerance: the greatest distance of the triangles from the exact surfaces [m].
    """
    wanted = None if only is None else set(only)
    known = {name for body in snapshot.bodies for name in (body.name, body.owner)}
    for name in (wanted or set()) - known:
        raise UnknownName.among("body", name, known)
    poses, gone = np.asarray(snapshot.body_poses(state), dtype=np.float64), absent_parts(state)
    items = []
    for body, matrix in zip(snapshot.bodies, poses, strict=True):
        if body.name in gone:
            continue
        if wanted is not None and wanted.isdisjoint(body.called):
            continue
        other = colours(body.name) if colours else None
        for piece in body.pieces:
            mesh, opacity = piece.solid.mesh(tolerance), piece.opacity
            items.append(Item(mesh, matrix, other or piece.colour, True, opacity, body.name))
    return Scene(tuple(items))


def scene_from(things: Scene | Iterable[Item]) -> Scene:
    """A scene from a scene, from items in any sequence, or from one item."""
    if isinstance(things, Scene):
        return things
    if isinstance(things, Item):
        return Scene((things,))
    try:
        return Scene(tuple(things))
    except TypeError:
        raise InvalidValue(f"A scene must consist of items; found {type(things).__name__}.") from None


def moved(scene: Scene, matrix: ArrayLike) -> Scene:
    """The scene with every item placed by a further 4×4 matrix."""
    m = finite(matrix, (4, 4), "The matrix of a scene")
    items = tuple(dataclasses.replace(item, matrix=m @ item.matrix) for item in scene.items)
    lines = tuple(dataclasses.replace(line, points=line.points @ m[:3, :3].T + m[:3, 3]) for line in scene.lines)
    return Scene(items, lines)
