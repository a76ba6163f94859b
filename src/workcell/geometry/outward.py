"""Turn meshes whose triangles run the wrong way, so that they face outward."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from workcell.geometry.groups import groups
from workcell.geometry.mesh import Mesh
from workcell.geometry.parting import parted

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_INSIDE = 0.75
"""The least winding number of a mesh about a point inside it; a point on its surface counts half."""


def outward(mesh: Mesh) -> tuple[Mesh, tuple[str, ...]]:
    """The mesh with its closed shells facing outward and its cavities inward, and a remark on what was turned.

    First, neighbours are turned to agree. Then a shell that is in no other one and encloses a negative volume is
    turned together with everything in it. If the triangles of a shell disagreed, its own side is unknown: it is
    a cavity if it lies in an odd number of other shells. Open shells have no inside; they keep the direction of most of
    their triangles.
    """
    if not len(mesh.triangles):
        return mesh, ()
    remarks = []
    against = _against(mesh)
    if against.any():
        mesh = _turned(mesh, against)
        remarks.append(f"{int(against.sum())} of {len(against)} triangles ran against their neighbours and were turned")
    mesh = parted(mesh)
    if len(mesh.triangles) != len(against):
        against = np.zeros(
            len(mesh.triangles), dtype=bool
        )  # cut where material touches itself, so that each shell counts
    inverted, shells, count = _inverted(mesh, against)
    if inverted.any():
        mesh = _turned(mesh, inverted)
        remarks.append(
            "it was inside out and was turned"
            if shells == count
            else f"{shells} of its {count} shells {'was' if shells == 1 else 'were'} inside out and "
            f"{'was' if shells == 1 else 'were'} turned"
        )
    return mesh, tuple(remarks)


def _turned(mesh: Mesh, chosen: Flags) -> Mesh:
    return dataclasses.replace(mesh, triangles=np.where(chosen[:, None], mesh.triangles[:, ::-1], mesh.triangles))


def _neighbours(mesh: Mesh) -> tuple[Ints, Flags]:
    """(k, 2) the triangles beside each shared edge, and whether their directions agree."""
    ends = np.concatenate([mesh.triangles[:, [k, (k + 1) % 3]] for k in range(3)]).astype(np.int64)
    owner = np.tile(np.arange(len(mesh.triangles)), 3)
    key = ends.min(axis=1) * len(mesh.vertices) + ends.max(axis=1)
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], key[order][1:] != key[order][:-1]]))
    two = starts[np.diff(np.concatenate([starts, [len(order)]])) == 2]
    first, second = order[two], order[two + 1]
    return np.column_stack([owner[first], owner[second]]), np.asarray(ends[first, 0] != ends[second, 0])


def _against(mesh: Mesh) -> Flags:
    """The triangles that must be turned so that neighbours agree: the smaller of the two choices in each shell."""
    pairs, agree = _neighbours(mesh)
    count = len(mesh.triangles)
    if agree.all():
        return np.zeros(count, dtype=bool)
    # Every triangle appears twice, as it is and turned; those that agree are connected.
    other = pairs + count
    same, crossed = pairs[agree], pairs[~agree]
    joined = [same, other[agree], np.column_stack([crossed[:, 0], other[~agree, 1]])]
    joined.append(np.column_stack([other[~agree, 0], crossed[:, 1]]))
    label = groups(2 * count, np.concatenate(joined))
    as_it_is, turned = label[:count], label[count:]
    many = np.bincount(as_it_is, minlength=int(label.max()) + 1)
    # In a one-sided shell both choices are the same; it stays.
    return np.asarray((many[turned] > many[as_it_is]) | ((many[turned] == many[as_it_is]) & (turned < as_it_is)))


def _inverted(mesh: Mesh, against: Flags) -> tuple[Flags, int, int]:
    """The triangles of shells that are inside out, the number of these shells, and the number of closed shells.

    ``against`` are the triangles that were turned to agree with their neighbours.
    """
    count = len(mesh.triangles)
    shell = groups(count, _neighbours(mesh)[0])
    number = int(shell.max()) + 1
    gaps = np.zeros(len(mesh.vertices), dtype=bool)
    gaps[mesh.open_edges] = True
    closed = np.ones(number, dtype=bool)
    closed[shell[gaps[mesh.triangles].any(axis=1)]] = False
    low, high = mesh.bounds
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] - (low + high) / 2.0 for k in range(3))
    volume = np.bincount(shell, np.einsum("ij,ij->i", a, np.cross(b, c)), number)
    mixed = np.bincount(shell, against, number) > 0
    suspects = np.flatnonzero(closed & ((volume < 0.0) | mixed))
    turned = np.zeros(number, dtype=bool)
    if len(suspects):
        whole = _Shells(mesh, shell, np.flatnonzero(closed))
        for one in suspects.tolist():
            depth = whole.around(one)
            if mixed[one]:
                turned[one] = (volume[one] < 0.0) != (depth % 2 == 1)
            elif not depth:
                inner = [other for other in whole.within(one) if not mixed[other]]
                turned[[one, *inner]] = True
    return np.asarray(turned[shell]), int(turned.sum()), int(closed.sum())


class _Shells:
    """Finds which closed shell lies in which."""

    def __init__(self, mesh: Mesh, shell: Ints, closed: Ints) -> None:
        order = np.argsort(shell, kind="stable")
        cuts = np.searchsorted(shell[order], closed), np.searchsorted(shell[order], closed, side="right")
        self._corners = {
            int(one): mesh.vertices[mesh.triangles[order[start:stop]]]
            for one, start, stop in zip(closed, *cuts, strict=True)
        }
        self._names = closed
        self._low = np.array([self._corners[int(one)].min(axis=(0, 1)) for one in closed])
        self._high = np.array([self._corners[int(one)].max(axis=(0, 1)) for one in closed])

    def around(self, one: int) -> int:
        """The number of shells around a shell."""
        low, high = self._box(one)
        near = (self._low <= low).all(axis=1) & (self._high >= high).all(axis=1)
        return sum(self._holds(int(other), one) for other in self._names[near] if other != one)

    def within(self, one: int) -> list[int]:
        """The shells inside a shell."""
        low, high = self._box(one)
        near = (self._low >= low).all(axis=1) & (self._high <= high).all(axis=1)
        return [int(other) for other in self._names[near] if other != one and self._holds(one, int(other))]

    def _box(self, one: int) -> tuple[Floats, Floats]:
        place = int(np.searchsorted(self._names, one))
        return self._low[place], self._high[place]

    def _holds(self, outer: int, inner: int) -> bool:
        return abs(winding(self._corners[outer], self._corners[inner][0].mean(axis=0))) > _INSIDE


def winding(corners: Floats, point: Floats) -> float:
    """The winding number of triangles (m, 3, 3) about a point, by solid angles (van Oosterom and Strackee 1983)."""
    a, b, c = (corners[:, k] - point for k in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    ab, bc, ca = (np.einsum("ij,ij->i", u, v) for u, v in ((a, b), (b, c), (c, a)))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    return float(np.arctan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb).sum() / (2.0 * np.pi))
