"""What a row of a constraint demands, as a number for the kernels."""

from __future__ import annotations

PLANE, AXIS, CONE, ROUND, MESH, SAME_POINT, SAME_TURN = range(7)
"""A point on a plane, a direction across a vector, a direction within a cone, a point on a cylinder or sphere, a point
on a mesh, a point of one hand that stays on one of the other, a direction of one hand that stays across one of the
other."""
