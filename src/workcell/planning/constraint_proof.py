"""The proof that a path keeps its constraints everywhere, not only where it was looked at.

Between two places of a path a value that is twice differentiable exceeds those at its two ends by at most h²/8 times a
bound on its second derivative, and any value by at most h/2 times a bound on its first. The bounds come from the
lengths of the links and from the polynomials of the path. Intervals are halved until the bounds suffice.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workcell.motion.path import JointPath
from workcell.planning import constraint_codes as codes
from workcell.planning.constraint_rows import Rows
from workcell.planning.kept import Broken, Kept

Array = NDArray[np.float64]

_HALVINGS = 14
"""How often an interval is halved at most."""
_LOOKS = 400_000
"""At how many places a path is looked at, at most."""


def prove_kept(path: JointPath, rows: Rows) -> Kept | Broken:
    """Prove that a path of cubic pieces keeps all constraints within their tolerances, or find where it does not."""
    curve = path.curve
    starts, ends = curve.breaks[:-1].copy(), curve.breaks[1:].copy()
    bounds = np.zeros(len(rows.rows))
    looks = 0
    for halving in range(_HALVINGS + 1):
        inner = np.nextafter(ends, starts)
        at = [curve.sample(s) for s in (starts, inner)]
        values = [np.abs(rows.values(Q)) / rows.tolerances for Q in at]
        looks += 2 * len(starts)
        for s, found in zip((starts, inner), values, strict=True):
            if (found > 1.0).any():
                place = int(found.max(axis=1).argmax())
                return _broken(rows, float(s[place]), found[place])
        excess = _excess(path, rows, starts, inner) / rows.tolerances
        bound = np.maximum(*values) + excess
        done = (bound <= 1.0).all(axis=1)
        bounds = np.maximum(bounds, bound[done].max(axis=0, initial=0.0))
        if done.all():
            return Kept(_by_constraint(rows, bounds), looks)
        starts, ends = starts[~done], ends[~done]
        if halving == _HALVINGS or looks + 4 * len(starts) > _LOOKS:
            worst = int(bound[~done].max(axis=1).argmax())
            return _broken(rows, float(starts[worst]), bound[~done][worst])
        middle = 0.5 * (starts + ends)
        starts, ends = np.concatenate([starts, middle]), np.concatenate([middle, ends])
    raise AssertionError("the loop ends inside")


def _by_constraint(rows: Rows, bounds: Array) -> tuple[float, ...]:
    """The greatest bound of the rows of each constraint."""
    numbers = np.array([row.of for row in rows.rows])
    return tuple(float(bounds[numbers == number].max()) for number in range(len(rows.constraints)))


def _broken(rows: Rows, s: float, values: Array) -> Broken:
    row = int(values.argmax())
    return Broken(s, rows.rows[row].of, float(values[row]))


def _excess(path: JointPath, rows: Rows, starts: Array, ends: Array) -> Array:
    """How far each value may be beyond those at the ends of intervals, at most (N, m)."""
    curve, space = path.curve, rows.space
    h = (ends - starts)[:, None]
    # The second derivative of a cubic is linear, so it is greatest at an end.
    bend = np.maximum(np.abs(curve.sample(starts, 2)), np.abs(curve.sample(ends, 2)))
    speed = np.maximum(np.abs(curve.sample(starts, 1)), np.abs(curve.sample(ends, 1))) + 0.5 * h * bend
    turns = space.turns.astype(np.float64)
    out = np.empty((len(starts), len(rows.rows)))
    spin, spun = speed @ turns, bend @ turns
    for k, row in enumerate(rows.rows):
        reach = rows.reaches[k]
        if row.kind in (codes.AXIS, codes.CONE):
            out[:, k] = h[:, 0] ** 2 / 8.0 * (spun + spin**2)
        elif row.kind == codes.SAME_TURN:
            # Two unit vectors a and b: (a·b)″ ≤ |a″| + 2|a′||b′| + |b″|, and the joints of both count in the sums.
            out[:, k] = h[:, 0] ** 2 / 8.0 * (2.0 * spun + 4.0 * spin**2)
        elif row.kind in (codes.PLANE, codes.SAME_POINT):
            # ∂²p/∂qᵢ∂qⱼ ≤ the reach of the later joint; the sum over all pairs is bounded by spin × the sum of reaches.
            out[:, k] = h[:, 0] ** 2 / 8.0 * (bend @ reach + 2.0 * spin * (speed @ reach))
        else:
            out[:, k] = h[:, 0] / 2.0 * (speed @ reach)
    return out
