"""The joint configurations at which nothing touches, made ready for compiled loops that ask about many of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.collision.arrangement import PRISMATIC, REVOLUTE
from workcell.collision.frame_tree import depth_of, frozen
from workcell.collision.pairs import ROUNDING
from workcell.collision.rules import families
from workcell.collision.selfcells import arranged_cells, no_cells
from workcell.errors import InvalidValue, UnknownName
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]
Ints = NDArray[np.int32]


class FreeSpace:
    """The free joint configurations of some robots while everything else stays as it is.

    Pairs that these robots do not move against each other are left out, and so are parts with what supports them:
    ``check`` answers for them.

    Args:
        model: the bodies and the pair table.
        state: where everything is and who carries what.
        robots: the robots that move; all of them by default.
        padding: the clearance required beyond the margins of the pairs [m]; links of one robot need none.
        exact: whether to add what meshes may lie off the solids, as a proof does. A path that leaves it out may pass
            here and fail to be certified.
        cells: prove first which joint values keep links apart that have at most so many joints between them, from 1 to
            3; 0 proves nothing. 2 takes a tenth of a second, 3 up to a second, once for each robot in a process.

    Attributes:
        arrangement: who stands where.
        start: the joint values of all robots at the state (all joints).
        columns: the places of each robot's joints in such a row.
        scene: what the kernels in ``_kernels_free`` take.
    """

    def __init__(
        self,
        model: CollisionModel,
        state: CellState,
        robots: Iterable[str] | None = None,
        padding: float = 0.0,
        exact: bool = True,
        cells: int = 0,
    ) -> None:
        self.arrangement = arrangement = model.arrangement(state)
        self.columns = arrangement.columns
        self.start = arrangement.q(state)[0]
        above = self._above(self.columns if robots is None else robots)
        poses = arrangement.placed(state)
        family = families(arrangement)[np.stack([arrangement.first, arrangement.second])]
        margins = arrangement.margins + np.where((family[0] == family[1]) & (family[0] >= 0), 0.0, padding)
        if exact:
            deviations = model.deviations
            offset = deviations[arrangement.first] + deviations[arrangement.second]
            margins = margins + np.where(offset > 0.0, offset + 2.0 * ROUNDING, 0.0)
        still_tree, moving, stops = self._tables(above, poses, margins, cells)
        which = np.flatnonzero(above).astype(np.int32)
        reach = float(margins.max()) + 1e-8 if len(margins) else 0.0
        self.scene: tuple[Any, ...] = (
            arrangement.mesh, arrangement.bodies, arrangement.frames, frozen(which)[0], still_tree, frozen(poses)[0],
            moving, reach, arrangement.dof, stops,
        )  # fmt: skip
        self._room: Any = None

    def _above(self, robots: Iterable[str]) -> Ints:
        """Return how many joints of these robots move each frame (F,)."""
        arrangement = self.arrangement
        turning = np.zeros(arrangement.dof, dtype=bool)
        for name in robots:
            if name not in self.columns:
                raise UnknownName.among("robot", name, self.columns)
            turning[self.columns[name]] = True
        _, kind, column, _, _ = arrangement.frames
        above = np.zeros(len(kind), dtype=np.int32)
        for f, parent in enumerate(arrangement.parent):
            above[f] = above[parent] if parent >= 0 else 0
            above[f] += kind[f] in (REVOLUTE, PRISMATIC) and turning[column[f]]
        return above

    def _tables(self, above: Ints, poses: Array, margins: Array, proving: int) -> tuple[Any, Any, Any]:
        """Return the bodies that stay in a tree over their boxes, and the pairs, as ``state_contacts`` takes them.

        The last result is the frame that both bodies of each pair of moving ones hang on, and the place of each body
        among the moving ones.
        """
        from workcell.collision import _kernels_build

        arrangement = self.arrangement
        first, second = arrangement.first, arrangement.second
        moved = above[arrangement.frame] > 0
        bodies = np.flatnonzero(moved).astype(np.int32)
        depth = np.array([depth_of(arrangement.parent, int(arrangement.frame[place])) for place in bodies])
        bodies = bodies[np.argsort(-depth, kind="stable")]
        row = np.full(len(moved), -1)
        row[bodies] = np.arange(len(bodies))
        against = moved[first] != moved[second]
        goes = np.where(moved[first], first, second)[against]
        stays = np.where(moved[first], second, first)[against]
        candidates = np.unique(stays).astype(np.int32)
        low, high = arrangement.boxes(candidates, poses)
        size = max(2 * len(candidates) - 1, 0)
        box, link = np.empty((size, 6)), np.empty((size, 2), dtype=np.int32)
        order = np.empty(len(candidates), dtype=np.int32)
        if len(candidates):
            _kernels_build.build_tree(low, high, box, link, order)
        names = candidates[order]
        place = np.zeros(len(moved), dtype=np.intp)
        place[names] = np.arange(len(names))
        table = np.full((len(bodies), len(names)), -1.0)
        table[row[goes], place[stays]] = margins[against]
        under = np.where(arrangement.stops >= 0, above[arrangement.stops], 0)
        both = (above[arrangement.frame[first]] > under) | (above[arrangement.frame[second]] > under)
        both &= moved[first] & moved[second]
        moving = (bodies, table, first[both], second[both], margins[both])
        cells = arranged_cells(arrangement, names, moving, proving) if proving else no_cells(int(both.sum()))
        stops = frozen(arrangement.stops[both].astype(np.int32), row.astype(np.int32))
        return frozen(box, link, names), frozen(*moving, *cells), stops

    def padded(
        self, padding: float, close: Collection[tuple[int, int]] = (), ignored: Collection[tuple[int, int]] = ()
    ) -> tuple[Any, ...]:
        """Return the scene with more clearance between what moves and what stays.

        Args:
            padding: beyond what is required already [m].
            close: pairs of bodies, by their places, that keep only what is required already.
            ignored: pairs of bodies, by their places, that may touch.
        """
        mesh, bodies, frames, which, still, poses, moving, reach, dof, stops = self.scene
        if padding <= 0.0 and not ignored:
            return self.scene
        table = np.where(moving[1] >= 0.0, moving[1] + padding, moving[1])
        rows = {int(place): k for k, place in enumerate(moving[0])}
        columns = {int(place): k for k, place in enumerate(still[2])}
        for a, b in close:
            for one, other in ((a, b), (b, a)):
                if one in rows and other in columns:
                    table[rows[one], columns[other]] = moving[1][rows[one], columns[other]]
        for a, b in ignored:
            for one, other in ((a, b), (b, a)):
                if one in rows and other in columns:
                    table[rows[one], columns[other]] = -1.0
        wider = (moving[0], *frozen(table), *moving[2:])
        return (mesh, bodies, frames, which, still, poses, wider, reach + padding, dof, stops)

    # ---- asking ---------------------------------------------------------------------------------------

    def row(self, values: ArrayLike, robot: str) -> Array:
        """Return the joint values of all robots (all joints), those of one given and the others as in the state."""
        out = self.start.copy()
        columns = self.columns[robot]
        given = np.asarray(values, dtype=np.float64)
        if given.shape != (columns.stop - columns.start,) or not np.isfinite(given).all():
            raise InvalidValue(
                f"{robot} has {columns.stop - columns.start} joints; given: {given.tolist()}.", robot=robot
            )
        out[columns] = given
        return np.asarray(out)

    def free(self, q: Array) -> bool:
        """Return whether nothing touches at a row of joint values of all robots. One thread at a time."""
        from workcell.collision import _kernels_free

        return bool(_kernels_free.state_free(self.scene, q, self._memory()))

    def edge_free(self, q0: Array, q1: Array, step: float) -> bool:
        """Return whether nothing touches along a straight edge, looked at every ``step`` [rad or m]."""
        from workcell.collision import _kernels_free

        return bool(_kernels_free.edge_free(self.scene, q0, q1, step, self._memory()))

    def contacts(self, q: Array, scene: tuple[Any, ...], most: int = 64) -> Ints:
        """Return the pairs too near at a row of joint values, and kinds (k, 3), in a scene that this space made."""
        from workcell.collision import _kernels_states

        mesh, bodies, frames, which, still, poses, moving, reach = scene[:8]
        found, counts = np.empty((1, most, 3), dtype=np.int32), np.empty(1, dtype=np.int32)
        _kernels_states.contacts(
            mesh, bodies, frames, which, still, moving, reach, q[None], np.zeros((1, 12)), poses.copy(), most, counts,
            found,
        )  # fmt: skip
        return np.asarray(found[0, : min(int(counts[0]), most)])

    def _memory(self) -> Any:
        from workcell.collision import _kernels_free

        if self._room is None:
            self._room = _kernels_free.new_room(self.scene)
        return self._room
