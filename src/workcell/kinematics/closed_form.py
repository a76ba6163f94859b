"""The solver that fits an arm, chosen from its DH table, and the two ways to call it.

Every solver answers many poses (N, 4, 4) with joint values (N, B, n) and flags (N, B); B is its number of slots.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workcell.errors import InvalidValue
from workcell.kinematics.dh import Chain, DHRow, FloatArray, arm_of, cache_of
from workcell.kinematics.few import Completed, completions
from workcell.kinematics.numeric import multi_start, solve_numeric
from workcell.kinematics.solutions import NAMELESS, VALID, Naming
from workcell.kinematics.structure import parameters, reach_of, recognise, reversed_chain, wrist_parameters
from workcell.spatial.pose import Pose

Flags = NDArray[np.uint8]

_CHUNK = 512
"""The number of poses that a thread takes at once: enough to hide the overhead, few enough to share evenly."""
_HARD = 300
"""The number of starts that search for a solution within the limits if the usual number found none."""


class BranchSolver(Protocol):
    """A solver that finds all branches of many poses."""

    slots: int
    naming: Naming

    def solve(self, poses: FloatArray) -> tuple[FloatArray, Flags]:
        """Joint values (N, B, n) and flags (N, B) of base-to-tool poses (N, 4, 4)."""
        ...


class ClosedForm:
    """The Puma and three-parallel-axes families, compiled."""

    slots = 8

    def __init__(self, chain: Chain, kind: int, scale: float) -> None:
        from workcell.kinematics import _kernels_closed as kernel

        self.chain = chain
        self.parameters = parameters(chain, scale)
        self.kind = kind
        p = self.parameters
        # The sign of A that means left arm: the side of the base axis on which the arm is, seen towards the
        # hand; without an offset, the shoulder in front (Ding's A = −1).
        side = p[kernel.OFFSET] or p[kernel.A1] or 1.0
        up = -p[kernel.K1] * p[kernel.A2]
        self.naming = Naming(-1 if side > 0 else 1, 1 if up > 0 else -1, 1 if p[kernel.S5] > 0 else -1)

    def solve(self, poses: FloatArray) -> tuple[FloatArray, Flags]:
        """All eight branches of each pose."""
        n = len(poses)
        Q = np.empty((n, 8, 6))
        flags = np.empty((n, 8), dtype=np.uint8)
        self.fill(poses, Q, flags)
        return Q, flags

    def fill(self, poses: FloatArray, Q: FloatArray, flags: Flags) -> None:
        """Solve into given arrays; cases that rounding leaves in doubt near two singularities at once are iterated."""
        from workcell.kinematics import _kernels_closed as kernel

        kernel.solve(self.parameters, self.kind, poses, Q, flags)
        _resolve(self.chain, poses, Q, flags)


class WristForm:
    """A spherical wrist after any three axes, compiled."""

    slots = 8

    def __init__(self, chain: Chain, scale: float) -> None:
        from workcell.kinematics import _kernels_wrist as kernel

        self.chain = chain
        self.parameters = wrist_parameters(chain, scale)
        self._run = kernel.solve
        self.naming = Naming(-1, 1, 1 if np.sin(chain.table[4, 3]) > 0 else -1, jointed=False)

    def solve(self, poses: FloatArray) -> tuple[FloatArray, Flags]:
        """Up to eight branches of each pose."""
        Q = np.empty((len(poses), 8, 6))
        flags = np.empty((len(poses), 8), dtype=np.uint8)
        self.fill(poses, Q, flags)
        return Q, flags

    def fill(self, poses: FloatArray, Q: FloatArray, flags: Flags) -> None:
        """Solve into given arrays; cases that rounding leaves in doubt near two singularities at once are iterated."""
        self._run(self.parameters, poses, Q, flags)
        _resolve(self.chain, poses, Q, flags)


class Settled:
    """An arm that is almost of its family: solutions of the closed form are iterated to the true table."""

    def __init__(self, chain: Chain, inner: BranchSolver) -> None:
        self.chain, self.inner = chain, inner
        self.slots, self.naming = inner.slots, inner.naming

    def solve(self, poses: FloatArray) -> tuple[FloatArray, Flags]:
        """The branches of the family's arm, each corrected by the small difference."""
        Q, flags = self.inner.solve(poses)
        settled(self.chain, poses, Q, flags)
        return Q, flags


def _resolve(chain: Chain, poses: FloatArray, Q: FloatArray, flags: Flags) -> None:
    """Iterate from the joint values in doubt: they become distinct solutions or empty slots."""
    from workcell.kinematics import _kernels_closed as kernel

    if not flags.size or flags.max() < kernel.DOUBT:
        return
    for row in np.flatnonzero((flags & kernel.DOUBT).any(axis=1)):
        doubt = (flags[row] & kernel.DOUBT) > 0
        marks = np.where(doubt, flags[row] - kernel.DOUBT + VALID, 0).astype(np.uint8)
        settled(chain, poses[row : row + 1], Q[row : row + 1], marks[None])
        flags[row] = np.where(doubt, marks, flags[row])
        kernel.merge(Q[row], flags[row])
        Q[row][flags[row] == 0] = np.nan


def settled(chain: Chain, poses: FloatArray, Q: FloatArray, flags: Flags) -> None:
    """Iterate joint values (N, B, n) that are almost right to their poses; flags become 0 where that fails."""
    from workcell.kinematics import _kernels_numeric as kernel

    arm, slides, base, tool = arm_of(chain)
    kernel.settle(arm, slides, base, tool, np.ascontiguousarray(poses), reach_of(chain), Q, flags)


class Reversed:
    """An arm that was recognised from its tool to its base."""

    def __init__(self, inner: BranchSolver) -> None:
        self.inner = inner
        self.slots = inner.slots
        self.naming = NAMELESS

    def solve(self, poses: FloatArray) -> tuple[FloatArray, Flags]:
        """Solve the reversed arm for the inverse poses."""
        back = np.zeros_like(poses)
        back[:, :3, :3] = poses[:, :3, :3].transpose(0, 2, 1)
        back[:, :3, 3] = -np.einsum("nij,nj->ni", back[:, :3, :3], poses[:, :3, 3])
        back[:, 3, 3] = 1.0
        Q, flags = self.inner.solve(back)
        return np.ascontiguousarray(-Q[..., ::-1]), flags


class GeneralForm:
    """Any arm with six turning joints: up to sixteen solutions."""

    slots = 16
    naming = NAMELESS

    def __init__(self, chain: Chain) -> None:
        from workcell.kinematics.general import GeneralSolver

        self.chain = chain
        self.elimination = GeneralSolver(chain)

    def solve(self, poses: FloatArray) -> tuple[FloatArray, Flags]:
        """Eliminate five joints, pose by pose; poses that are degenerate for that get many numeric starts."""
        Q = np.full((len(poses), 16, 6), np.nan)
        flags = np.zeros((len(poses), 16), dtype=np.uint8)
        for k, pose in enumerate(poses):
            found = self.elimination.solve(pose)[:16]
            if not len(found):
                found = multi_start(self.chain, Pose(pose))
            Q[k, : len(found)] = found
            flags[k, : len(found)] = VALID
        return Q, flags


class ManyStarts:
    """Redundant arms and arms without a closed form: solutions from many numeric starts."""

    slots = 16
    naming = NAMELESS

    def __init__(self, chain: Chain) -> None:
        self.chain = chain

    def solve(self, poses: FloatArray, limits: FloatArray | None = None) -> tuple[FloatArray, Flags]:
        """Up to sixteen distinct solutions of each pose, within the limits if there are any."""
        Q = np.full((len(poses), 16, self.chain.n), np.nan)
        flags = np.zeros((len(poses), 16), dtype=np.uint8)
        for k, matrix in enumerate(poses):
            pose = Pose(matrix)
            found = multi_start(self.chain, pose, limits)
            if not len(found) and limits is not None:
                hard = solve_numeric(self.chain, pose, limits, restarts=_HARD)
                found = hard.q[None] if hard.converged else multi_start(self.chain, pose)
            Q[k, : len(found)] = found
            flags[k, : len(found)] = VALID
        return Q, flags


class Linked:
    """A solver that the user supplied for an arm."""

    naming = NAMELESS

    def __init__(self, chain: Chain, function: Callable[[Pose], ArrayLike]) -> None:
        self.chain = chain
        self.function = function
        self.slots = 16

    def solve(self, poses: FloatArray) -> tuple[FloatArray, Flags]:
        """Call the user's function with the pose of the last frame in frame 0; keep solutions that reach the pose."""
        from workcell.kinematics.forward import tool_batch

        chain = self.chain
        Q = np.full((len(poses), self.slots, chain.n), np.nan)
        flags = np.zeros((len(poses), self.slots), dtype=np.uint8)
        before, after = chain.X_base_0.inverse(), chain.X_n_tool.inverse()
        for k, pose in enumerate(poses):
            answer = np.asarray(self.function(before @ Pose(pose) @ after), dtype=np.float64)
            found = answer.reshape(-1, chain.n) if answer.size else np.empty((0, chain.n))
            found = found[np.isfinite(found).all(axis=1)][: self.slots]
            if not len(found):
                continue
            far = np.abs(tool_batch(chain, found) - pose).max(axis=(1, 2))
            if (far > 1e-6).any():
                raise InvalidValue(
                    f"The solver linked to this arm returned joint values that miss the pose by {far.max():.3g}.",
                    miss=float(far.max()),
                )
            Q[k, : len(found)] = found
            flags[k, : len(found)] = VALID
        return Q, flags


_linked: dict[tuple[DHRow, ...], Callable[[Pose], ArrayLike]] = {}
_changes = 0


def link_solver(chain: Chain, function: Callable[[Pose], ArrayLike]) -> None:
    """Use a function of your own for the inverse kinematics of this arm, with any base and tool.

    Args:
        chain: the arm; every chain with the same DH rows uses the function.
        function: takes the pose of the last DH frame in frame 0, returns joint values (k, n); empty if none.
    """
    global _changes  # noqa: PLW0603
    if not callable(function):
        raise InvalidValue("A linked solver must be a function of a pose.")
    _linked[chain.rows] = function
    _changes += 1


def unlink_solver(chain: Chain) -> None:
    """Go back to the built-in solver."""
    global _changes  # noqa: PLW0603
    _linked.pop(chain.rows, None)
    _changes += 1


def solver_of(chain: Chain) -> BranchSolver:
    """The solver of an arm, made once."""
    found: tuple[int, BranchSolver] | None = cache_of(chain).get("solver")
    if found is not None and found[0] == _changes:
        return found[1]
    solver = _make(chain)
    cache_of(chain)["solver"] = (_changes, solver)
    return solver


def _make(chain: Chain) -> BranchSolver:
    if chain.rows in _linked:
        return Linked(chain, _linked[chain.rows])
    structure = recognise(chain)
    solver: BranchSolver
    seen = reversed_chain(chain) if structure.reverse else chain
    match structure.family:
        case "puma":
            solver = ClosedForm(seen, 0, structure.reach)
        case "parallel":
            solver = ClosedForm(seen, 1, structure.reach)
        case "wrist":
            solver = WristForm(seen, structure.reach)
        case "general":
            solver = GeneralForm(chain)
        case "few":
            wholes = completions(chain)
            made = [(solver_of(whole), places) for whole, places in wholes]
            solver = Completed(chain, made) if made else ManyStarts(chain)
        case _:
            solver = ManyStarts(chain)
    if structure.reverse:
        solver = Reversed(solver)
    return solver if structure.exact else Settled(chain, solver)


_pool: ThreadPoolExecutor | None = None
_pool_lock = threading.Lock()


def _workers() -> ThreadPoolExecutor:
    global _pool  # noqa: PLW0603
    with _pool_lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="workcell-ik")
        return _pool


def solve_batch(chain: Chain, poses: FloatArray, threads: int | None = None) -> tuple[FloatArray, Flags]:
    """Joint values and flags of many poses; compiled solvers are shared between threads."""
    solver = solver_of(chain)
    count = os.cpu_count() or 1 if threads is None else threads
    if count <= 1 or len(poses) < 2 * _CHUNK or not isinstance(solver, (ClosedForm, WristForm)):
        return solver.solve(poses)
    Q = np.empty((len(poses), solver.slots, chain.n))
    flags = np.empty((len(poses), solver.slots), dtype=np.uint8)

    def run(first: int, last: int) -> None:
        solver.fill(poses[first:last], Q[first:last], flags[first:last])

    bounds = np.linspace(0, len(poses), count + 1).astype(int)
    list(_workers().map(run, bounds[:-1].tolist(), bounds[1:].tolist()))
    return Q, flags
