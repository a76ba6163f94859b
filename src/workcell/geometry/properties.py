"""Mass properties by the divergence theorem: of triangle meshes here, of exact solids in the kernel."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidShape, InvalidValue
from workcell.geometry import checks
from workcell.geometry.mesh import Mesh
from workcell.spatial.pose import Pose

Floats = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class Properties:
    """Volume, area, centroid, inertia, and what follows from a density.

    Attributes:
        volume: [m³].
        area: the area of the boundary [m²].
        centroid: (3,) the first moment divided by the volume [m].
        inertia: (3, 3) about the centroid, in the axes of the solid [kg·m²]; for a density of one, [m⁵].
        density: [kg/m³]; the mean for an assembly.
    """

    volume: float
    area: float
    centroid: Floats
    inertia: Floats
    density: float = 1.0

    def __post_init__(self) -> None:
        for name, shape in (("centroid", (3,)), ("inertia", (3, 3))):
            array = np.array(getattr(self, name), dtype=np.float64).reshape(shape)
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @property
    def mass(self) -> float:
        """Density × volume [kg]."""
        return self.density * self.volume

    @property
    def principal(self) -> tuple[Floats, Floats]:
        """Principal moments, smallest first, and the axes as the columns of a right-handed rotation."""
        moments, axes = np.linalg.eigh(self.inertia)
        if np.linalg.det(axes) < 0.0:
            axes = axes * np.array([1.0, 1.0, -1.0])
        return moments, axes

    def inertia_about(self, point: ArrayLike) -> Floats:
        """The inertia about another point, axes unchanged (parallel axis theorem)."""
        d = np.asarray(point, dtype=np.float64) - self.centroid
        return np.asarray(self.inertia + self.mass * (float(d @ d) * np.eye(3) - np.outer(d, d)))

    def with_density(self, density: float) -> Properties:
        """The same body with another density [kg/m³]."""
        return self._with(checks.density(density, "A density"))

    def _with(self, density: float) -> Properties:
        return dataclasses.replace(self, inertia=self.inertia * (density / self.density), density=density)

    def with_mass(self, mass: float) -> Properties:
        """The same body with a given mass [kg]."""
        return self._with(checks.mass(mass, "A mass") / self.volume)

    def moved(self, pose: Pose) -> Properties:
        """The properties of the body placed by a pose."""
        rotation = pose.rotation
        return dataclasses.replace(
            self, centroid=pose.apply(self.centroid), inertia=rotation @ self.inertia @ rotation.T
        )


def of_mesh(mesh: Mesh) -> Properties:
    """The properties of the volume inside a closed mesh, exact for that mesh.

    The divergence theorem turns each volume integral into a sum over triangles: with the tetrahedron from a
    reference point to each triangle, V = Σ d/6, first moment Σ d/24·(a+b+c), and so on (d the determinant).
    """
    if not mesh.closed:
        count = len(mesh.open_edges)
        raise InvalidShape(
            f"The mesh is open along {count} edges, so it bounds no volume; only its area is known, "
            f"{mesh.area * 1e6:.9g} mm².",
            faults=tuple(map(tuple, mesh.vertices[mesh.open_edges[:20]].reshape(-1, 6).tolist())),
        )
    low, high = mesh.bounds
    middle = (low + high) / 2.0
    a, b, c = (mesh.vertices[mesh.triangles[:, i]] - middle for i in range(3))
    d = np.einsum("ij,ij->i", a, np.cross(b, c))
    volume = float(d.sum() / 6.0)
    if volume == 0.0:
        raise InvalidShape("The mesh encloses no volume.", faults=("no volume",))
    if volume < 0.0:
        raise InvalidShape(
            f"The mesh is inside out: its volume is {volume * 1e9:.9g} mm³. Read it from its file again, "
            "which turns it.",
            faults=("inside out",),
        )
    total = a + b + c
    first = np.einsum("i,ij->j", d, total) / 24.0
    # ∫ x xᵀ over a tetrahedron with one corner at the origin: d/120·(s sᵀ + Σ p pᵀ) with s = a + b + c.
    second = np.einsum("i,ij,ik->jk", d, total, total)
    for p in (a, b, c):
        second = second + np.einsum("i,ij,ik->jk", d, p, p)
    second = second / 120.0
    centre = first / volume
    second = second - volume * np.outer(centre, centre)
    inertia = np.trace(second) * np.eye(3) - second
    return Properties(volume, mesh.area, centre + middle, inertia)


def of_assembly(parts: Iterable[Properties]) -> Properties:
    """The properties of several bodies taken together; overlaps count twice."""
    items = tuple(parts)
    if not items:
        raise InvalidValue("An assembly needs at least one body.")
    mass = sum(item.mass for item in items)
    volume = sum(item.volume for item in items)
    centre = sum((item.mass * item.centroid for item in items), np.zeros(3)) / mass
    inertia = sum((item.inertia_about(centre) for item in items), np.zeros((3, 3)))
    return Properties(volume, sum(item.area for item in items), centre, inertia, mass / volume)
