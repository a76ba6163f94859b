"""Joint values found by iteration, for any serial chain.

Two methods: a damped least squares that keeps joint limits and restarts from seeded random values, and the
seven-equation Newton–Gauss of the McGill thesis (section 4.3.2) with its well-conditioned start and continuation.
A converged result reaches the pose to 1e-12 of the arm's reach; a failure contains the remaining error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from workcell.errors import InvalidValue
from workcell.kinematics.dh import Chain, FloatArray, arm_of, cache_of
from workcell.kinematics.structure import reach_of
from workcell.spatial.pose import Pose

_GOAL = 1e-24
"""A solution is exact if the square of the error (lengths in parts of the reach) is below this."""
_FULL_TURN = 2.0 * np.pi - 1e-6


@dataclass(frozen=True)
class NumericResult:
    """The result of the iteration.

    Attributes:
        q: the best joint values [rad or m], (n,), within the limits.
        converged: whether they reach the pose.
        metres: the remaining distance [m].
        radians: the remaining angle [rad].
        restarts: the number of starts.
        steps: the number of steps in all.
        reason: why it failed; empty if it did not.
    """

    q: FloatArray
    converged: bool
    metres: float
    radians: float
    restarts: int
    steps: int
    reason: str = ""


def checked_limits(chain: Chain, limits: ArrayLike | None) -> FloatArray:
    """Return limits as (n, 2), read-only, infinite if none are given; refuse reversed limits and wrong numbers."""
    cache = cache_of(chain)
    if limits is None:
        array = np.tile([-np.inf, np.inf], (chain.n, 1))
        array.flags.writeable = False
        return array
    if limits is cache.get("limits"):
        return cache["limits"]  # type: ignore[no-any-return]  # the very array that was checked before
    try:
        array = np.array(limits, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidValue(f"Joint limits must be {chain.n} pairs of numbers.") from error
    if array.shape != (chain.n, 2):
        raise InvalidValue(f"Joint limits must have shape ({chain.n}, 2); found {array.shape}.")
    if np.isnan(array).any():
        raise InvalidValue("Joint limits must be numbers; found nan.")
    reversed_ = np.flatnonzero(array[:, 0] > array[:, 1])
    if reversed_.size:
        j = int(reversed_[0])
        low, high = array[j]
        raise InvalidValue(
            f"The limits of joint {j + 1} are reversed: {low:g} to {high:g}; give the lower one first.", joint=j + 1
        )
    array.flags.writeable = False
    if isinstance(limits, np.ndarray) and not limits.flags.writeable and limits.dtype == np.float64:
        cache["limits"] = limits
    return array


def _bounds(chain: Chain, limits: ArrayLike | None, pose: Pose) -> tuple[FloatArray, ...]:
    """lower, upper; low, high (infinite for joints with a whole turn); first, last of random starts."""
    array = checked_limits(chain, limits)
    lower, upper = np.ascontiguousarray(array[:, 0]), np.ascontiguousarray(array[:, 1])
    whole = ~chain.prismatic & (upper - lower >= _FULL_TURN)
    low, high = np.where(whole, -np.inf, lower), np.where(whole, np.inf, upper)
    far = reach_of(chain) + float(np.linalg.norm(pose.xyz - chain.X_base_0.xyz))
    spread = np.where(chain.prismatic, far, np.pi)
    first, last = np.maximum(lower, -spread), np.minimum(upper, spread)
    outside = first > last  # limits that do not contain a part of ±π
    first, last = np.where(outside, lower, first), np.where(outside, upper, last)
    return lower, upper, low, high, first, last


def solve_numeric(
    chain: Chain,
    pose: Pose,
    limits: ArrayLike | None = None,
    guess: ArrayLike | None = None,
    seed: int = 0,
    restarts: int = 2000,
) -> NumericResult:
    """Joint values within the limits that bring the tool to the pose.

    Args:
        chain: the arm.
        pose: the tool in the base.
        limits: (n, 2) [rad or m]; none by default.
        guess: where to start; by default at random.
        seed: the seed of the random starts; the same seed gives the same answer.
        restarts: the most starts.
    """
    from workcell.kinematics import _kernels_numeric as kernel

    lower, upper, low, high, first, last = _bounds(chain, limits, pose)
    start = np.zeros(chain.n) if guess is None else np.clip(chain.joints(guess), low, high)
    arm, slides, base, tool = arm_of(chain)
    q = np.clip(start, lower, upper)
    unit = reach_of(chain)
    square, used, steps = kernel.solve(
        arm, slides, base, tool, np.array(pose.matrix), lower, upper, low, high, first, last,
        unit, start, guess is not None, seed, restarts, _GOAL, q,
    )  # fmt: skip
    converged = square < 1e-20
    metres, radians = _left(chain, q, pose)
    reason = ""
    if not converged:
        reason = f"after {used} starts the nearest place within the limits is {metres:.3g} m and {radians:.3g} rad away"
    q.flags.writeable = False
    return NumericResult(q, converged, metres, radians, used, steps, reason)


def _left(chain: Chain, q: FloatArray, pose: Pose) -> tuple[float, float]:
    from workcell.kinematics import _kernels_numeric as kernel

    arm, slides, base, tool = arm_of(chain)
    here, jac, e = np.empty((3, 4)), np.empty((6, chain.n)), np.empty(6)
    kernel.place(arm, slides, base, tool, q, here, jac)
    kernel.difference(here, np.array(pose.matrix), 1.0, e)
    return float(np.linalg.norm(e[:3])), float(np.linalg.norm(e[3:]))


def multi_start(
    chain: Chain, pose: Pose, limits: ArrayLike | None = None, starts: int = 64, seed: int = 0, most: int = 16
) -> FloatArray:
    """Distinct solutions (k, n) from many starts, sorted: probably all of them, but without a guarantee."""
    from workcell.kinematics import _kernels_numeric as kernel

    lower, upper, low, high, first, last = _bounds(chain, limits, pose)
    arm, slides, base, tool = arm_of(chain)
    found = np.empty((most, chain.n))
    count = kernel.collect(
        arm, slides, base, tool, np.array(pose.matrix), lower, upper, low, high, first, last,
        reach_of(chain), seed, starts, _GOAL, found,
    )  # fmt: skip
    return found[:count]


# ---- the thesis' method -------------------------------------------------------------------------------


def condition(chain: Chain, q: ArrayLike) -> float:
    """The Frobenius condition number of the Jacobian, lengths in parts of the reach; 1 is best (eq 4.22)."""
    from workcell.kinematics import _kernels_numeric as kernel

    arm, slides, base, tool = arm_of(chain)
    here, jac = np.empty((3, 4)), np.empty((6, chain.n))
    kernel.place(arm, slides, base, tool, chain.joints(q), here, jac)
    jac[:3] /= _characteristic(chain)
    values = np.linalg.svd(jac, compute_uv=False)
    if values[-1] <= 1e-15 * values[0]:
        return float("inf")
    return float(np.sqrt((values**2).sum() * (values**-2).sum()) / len(values))


def _characteristic(chain: Chain) -> float:
    return reach_of(chain) / 2.0


def well_conditioned_starts(chain: Chain, count: int = 16, seed: int = 0) -> FloatArray:
    """Joint vectors (count, n) with a small condition number, best first: the first guess of the thesis.

    They are found once per chain. There are several because a path to the pose may end at a singularity.
    """
    cache = cache_of(chain)
    found: FloatArray | None = cache.get("starts")
    if found is not None and len(found) == count:
        return found
    rng = np.random.default_rng(seed)
    size = np.where(chain.prismatic, reach_of(chain), np.pi)
    tries = rng.uniform(-1.0, 1.0, (20 * count, chain.n)) * size
    found = np.array(sorted(tries, key=lambda q: condition(chain, q))[:count])
    for k, q in enumerate(found[:4]):  # a plain descent: the start need not be the minimum
        best, value, step = q, condition(chain, q), 0.3
        while step > 0.03:
            trial = best + step * rng.normal(size=(12, chain.n)) * size / np.pi
            values = [condition(chain, t) for t in trial]
            lowest = int(np.argmin(values))
            if values[lowest] < value:
                best, value = trial[lowest], values[lowest]
            else:
                step *= 0.5
        found[k] = best
    found.flags.writeable = False
    cache["starts"] = found
    return found


def newton_gauss(chain: Chain, pose: Pose, guess: ArrayLike | None = None) -> NumericResult:
    """The seven equations vect(Q), tr(Q), r of the thesis, from a well-conditioned start and by continuation.

    The pose is approached in steps from the hand pose of the start. A step that does not converge is halved;
    if the path ends at a singularity, the next start is tried. Limits are not considered.
    """
    if chain.n < 6:
        raise InvalidValue(f"The seven-equation method needs six joints or more; this arm has {chain.n}.")
    starts = well_conditioned_starts(chain) if guess is None else chain.joints(guess)[None]
    best, farthest, tries, steps = starts[0], -1.0, 0, 0
    for start in starts:
        q, reached, tried, taken = _continue(chain, pose, start)
        tries, steps = tries + tried, steps + taken
        if reached > farthest:
            best, farthest = q, reached
        if reached == 1.0:
            break
    q = np.where(chain.prismatic, best, np.arctan2(np.sin(best), np.cos(best)))
    metres, radians = _left(chain, q, pose)
    converged = farthest == 1.0 and metres < 1e-9 * max(1.0, reach_of(chain)) and radians < 1e-9
    reason = "" if converged else f"the continuation stopped at {100 * farthest:.0f} % of the way"
    q.flags.writeable = False
    return NumericResult(q, converged, metres, radians, tries, steps, reason)


def _continue(chain: Chain, pose: Pose, start: FloatArray) -> tuple[FloatArray, float, int, int]:
    """Follow the hand from a start to the pose; return (joint values, share of the path, tries, steps)."""
    from workcell.kinematics import _kernels_numeric as kernel
    from workcell.kinematics.forward import tool_pose

    arm, slides, base, tool = arm_of(chain)
    origin = tool_pose(chain, start)
    q, reached, step, tries, steps = start.copy(), 0.0, 1.0, 0, 0
    while reached < 1.0 and step > 1e-2 and tries < 100:
        tries += 1
        at = min(1.0, reached + step)
        target = pose if at == 1.0 else origin.interpolate(pose, at)
        trial = q.copy()
        size, taken = kernel.newton_gauss(
            arm, slides, base, tool, np.array(target.matrix), _characteristic(chain), 30, trial
        )
        steps += taken
        if size < 1e-9:
            q, reached, step = trial, at, min(1.0, 2.0 * step)
        else:
            step *= 0.5
    return q, reached, tries, steps
