"""Parts from the shapes of a URDF link: primitives and meshes, for pictures and for collision tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from workcell.errors import FileProblem, WorkcellError
from workcell.geometry import solids
from workcell.geometry.recipe import Triangles
from workcell.geometry.solid import Solid
from workcell.robots.formats.mesh_shape import MeshShape
from workcell.robots.formats.mesh_shape import read as read_mesh
from workcell.robots.formats.urdf_files import Fetch
from workcell.robots.formats.urdf_tree import UrdfLink, UrdfShape
from workcell.robots.link import Colour, Part, Use
from workcell.spatial.pose import Pose

_GREY = (0.7, 0.72, 0.75)
HINT = "Provide it, or ask for a robot with unknown shapes (--unknown-shapes, in Python unknown_shapes=True)."


@dataclass
class LinkShapes:
    """Makes the parts of links.

    Attributes:
        where: the name of the URDF in messages.
        fetch: returns the bytes of mesh files.
        forgive: whether to mark a link whose shape cannot be made, instead of refusing it.
        notes: shapes that could not be made or that were read in an unusual way, one line each.
    """

    where: str
    fetch: Fetch
    forgive: bool
    notes: list[str] = field(default_factory=list)
    _known: dict[str, MeshShape] = field(default_factory=dict)

    def parts(self, link: UrdfLink, X_dh_link: Pose) -> tuple[tuple[Part, ...], str]:
        """The parts of a URDF link in a DH frame, and why its collision shape is unknown, or ''.

        A link with only visual shapes uses them for collision tests; one with only collision shapes is drawn with them.
        """
        placed = [replace(shape, origin=X_dh_link @ shape.origin) for shape in link.shapes]
        visual = [shape for shape in placed if shape.use == "visual"]
        collision = [shape for shape in placed if shape.use == "collision"]
        if not visual or not collision or _same(visual, collision):
            parts, unknown = self._made(link.name, visual or collision)
            return tuple(parts), unknown
        seen, unseen = self._made(link.name, visual)
        tested, unknown = self._made(link.name, collision)
        if not tested:
            return tuple(seen), unknown
        if unseen and not seen:
            return tuple(tested), unknown
        seen = [replace(part, use="visual") for part in seen if part.use != "collision"]
        tested = [replace(part, use="collision") for part in tested if part.use != "visual"]
        return (*seen, *tested), unknown

    def _made(self, link: str, shapes: Sequence[UrdfShape]) -> tuple[list[Part], str]:
        parts: list[Part] = []
        problems = []
        for shape in shapes:
            try:
                parts += self._shape(link, shape)
            except WorkcellError as error:
                what = f"the {shape.use} mesh {shape.mesh!r}" if shape.kind == "mesh" else f"the {shape.use} shape"
                problem = f"{what} of the link {link!r} cannot be used: {error.message}"
                if not self.forgive:
                    raise FileProblem(
                        f"{self.where}: {problem} {HINT}", path=self.where, link=link, file=shape.mesh
                    ) from error
                problems.append(problem)
        self.notes += problems
        return parts, " ".join(problems)

    def _shape(self, link: str, shape: UrdfShape) -> list[Part]:
        tint = shape.colour or _GREY
        if shape.kind == "mesh":
            return self._mesh(link, shape)
        if shape.kind not in _MAKERS:
            raise FileProblem(f"{shape.kind} is not supported; box, cylinder, sphere, capsule and mesh are.")
        return [Part(_MAKERS[shape.kind](*shape.sizes).moved(shape.origin), tint, link)]

    def _mesh(self, link: str, shape: UrdfShape) -> list[Part]:
        if not shape.mesh:
            raise FileProblem("It names no file.")
        if shape.mesh not in self._known:
            self._known[shape.mesh] = read_mesh(shape.mesh, self.fetch)
            self.notes += self._known[shape.mesh].notes
        found = self._known[shape.mesh]
        matrix = shape.origin.matrix @ np.diag([*shape.scale, 1.0])

        def part(mesh: Triangles, colour: Colour | None, use: Use = "both") -> Part:
            return Part(Solid(mesh).transformed(matrix), shape.colour or colour or _GREY, link, use)

        if shape.colour is not None or not found.painted:
            return [part(found.whole, found.colour)]
        return [part(found.whole, None, "collision"), *(part(*one, "visual") for one in found.painted)]


def _same(visual: Sequence[UrdfShape], collision: Sequence[UrdfShape]) -> bool:
    """Whether the visual and the collision shapes are the same."""
    bare = [[replace(shape, use="", colour=None) for shape in shapes] for shapes in (visual, collision)]
    return bare[0] == bare[1]


def _capsule(radius: float, length: float) -> Solid:
    """A cylinder with a half ball at each end."""
    ends = [solids.sphere(radius).moved(Pose.from_xyz(0.0, 0.0, end * length / 2.0)) for end in (1.0, -1.0)]
    return solids.cylinder(radius, length) + ends[0] + ends[1]


_MAKERS: Mapping[str, Callable[..., Solid]] = {
    "box": solids.box,
    "cylinder": solids.cylinder,
    "sphere": solids.sphere,
    "capsule": _capsule,
}
