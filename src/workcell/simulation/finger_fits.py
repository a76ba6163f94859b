"""How well fingers fit around a part, by the three tests of the thesis (Kahloun 1987, section 4.5)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workcell.errors import GraspFailed
from workcell.robots.gripper import Gripper
from workcell.spatial.pose import Pose
from workcell.world.body import Body
from workcell.world.grasps import Grasp

if TYPE_CHECKING:
    from workcell.geometry.mesh import Mesh

_COARSE = 5e-4

_FINE = 1e-5
"""The tolerance of meshes from their solids, to find candidate parts and to measure between the fingers [m]."""


@dataclass(frozen=True)
class Fit:
    """How well a hand fits around a part, by the three tests."""

    body: str
    grasp: str
    angle: float
    width: float
    distance: float
    turn: float = 0.0
    """The angle between the closing direction and that of the grasp [rad]."""

    def failed(self, gripper: Gripper, distance: float, angle: float) -> str:
        """Return the first test that fails, in the order of the thesis; '' if none does."""
        if self.angle > angle + 1e-9:
            return "approach"
        if self.turn > angle + 1e-9:
            return "closing"
        if not gripper.least - 1e-9 <= self.width <= gripper.opening + 1e-9:
            return "width"
        return "distance" if self.distance > distance + 1e-9 else ""


def fits_of(body: Body, X_world_body: Pose, X_world_grip: Pose, grasps: tuple[Grasp, ...], nearby: float) -> list[Fit]:
    """Return how well a hand fits around a part: at each of its grasps, or by its frame if it has none."""
    mesh = body.mesh(_COARSE)
    X_body_grip = X_world_body.inverse() @ X_world_grip
    if mesh.deviation > 0.0 and _outside(mesh, X_body_grip) <= nearby:
        mesh = body.mesh(_FINE)
    across = mesh.vertices @ X_body_grip.rotation[:, 0]
    width = float(across.max() - across.min())
    if grasps:
        fits = []
        for grasp in grasps:
            X = grasp.X_body_hand.inverse() @ X_body_grip
            # Parallel fingers are symmetric under half a turn about the approach.
            approach, turn = _between(X.rotation[2, 2]), _between(abs(float(X.rotation[0, 0])))
            distance = float(np.linalg.norm(X.xyz))
            fits.append(Fit(body.name, grasp.name, approach, grasp.opening or width, distance, turn))
        return fits
    angle = _between(float(np.abs(X_body_grip.rotation[:, 2]).max()))
    return [Fit(body.name, "", angle, width, _outside(mesh, X_body_grip))]


def _outside(mesh: Mesh, X_body_grip: Pose) -> float:
    """Return how far the grip point is from the box around a part [m]."""
    low, high = mesh.bounds
    return float(np.linalg.norm(np.maximum(np.maximum(low - X_body_grip.xyz, X_body_grip.xyz - high), 0.0)))


def _between(cosine: float) -> float:
    return math.acos(min(1.0, max(-1.0, float(cosine))))


def grasp_failure(robot: str, tried: list[Fit], gripper: Gripper, distance: float, angle: float) -> GraspFailed:
    """Return the error that names the nearest part and the test that it failed."""
    if not tried:
        return GraspFailed(f"The gripper of {robot} closes on nothing: no part of the cell is movable.", test="parts")
    fit = min(tried, key=lambda one: (one.distance, one.angle, one.body, one.grasp))
    test = fit.failed(gripper, distance, angle)
    where = f"{fit.body} ({fit.grasp})" if fit.grasp else fit.body
    if test in ("approach", "closing"):
        off = fit.angle if test == "approach" else fit.turn
        excess = off - angle
        what = "approach" if test == "approach" else "direction of closing"
        whose = f"that of {fit.grasp}" if fit.grasp else "an axis of the part"
        why = (
            f"its {what} is {math.degrees(off):.4g}° from {whose}, "
            f"{math.degrees(excess):.4g}° more than the {math.degrees(angle):.4g}° allowed"
        )
    elif test == "width":
        wide = fit.width > gripper.opening
        bound = gripper.opening if wide else gripper.least
        excess = abs(fit.width - bound)
        why = (
            f"the part is {fit.width * 1e3:.4g} mm wide between the fingers, {excess * 1e3:.4g} mm "
            f"{'more than they open' if wide else 'less than they close to'} ({bound * 1e3:.4g} mm)"
        )
    else:
        excess = fit.distance - distance
        why = (
            f"the grip point is {fit.distance * 1e3:.4g} mm from it, {excess * 1e3:.4g} mm more than the "
            f"{distance * 1e3:.4g} mm allowed"
        )
    return GraspFailed(
        f"The gripper of {robot} closes on nothing; nearest is {where}: {why}.",
        test=test,
        part=fit.body,
        excess=excess,
        angle=fit.angle,
        width=fit.width,
        distance=fit.distance,
    )
