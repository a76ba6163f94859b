"""The Simulation Library of the ROBOSIM report (appendix B) by name, on Workcell's simulator and collision room.

Matrices are 4×4 in row-vector form, as in the library: the translation is in the last row. Angles are radians. Lengths
are in the unit given to :func:`S_BEGIN`, millimetres by default. A joint array holds 18 values; a robot uses the first.
The functions share one world, as in the library; :func:`S_BEGIN` starts a new one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workcell.errors import InvalidValue, Refused
from workcell.languages.simulation_world import (
    ENV,
    MOST_LINKS,
    OBJ,
    ROBOT,
    S_ANY,
    S_COLLISION,
    Array,
    Inverse,
    Joints,
    World,
    load_robot,
    load_solids,
)
from workcell.spatial.pose import Pose
from workcell.spatial.units import LENGTHS

if TYPE_CHECKING:
    from workcell.collision.check import Contact
    from workcell.robots.robot import Robot

S_CO = S_COLLISION()
"""The collision record. It is filled when something touches, and emptied when the next test finds nothing."""


_world = World(LENGTHS["mm"])


def S_BEGIN(unit: str = "mm") -> None:
    """Start a new world whose lengths are in a unit. This function is ours: the files of the library have no unit."""
    global _world  # noqa: PLW0603
    if unit not in LENGTHS:
        raise InvalidValue(f"The unit {unit!r} is not known; there are {', '.join(LENGTHS)}.")
    _world.changed()
    _world = World(LENGTHS[unit])
    _record(None)


def S_JOINT() -> Array:
    """Return a joint array: 18 zeros."""
    return np.zeros(MOST_LINKS)


# ---- loading ---------------------------------------------------------------------------------------------


def S_GET_ROBOT(filename: str) -> S_ANY:
    """Load a robot: link files by their common name (T for T.LOC, T.1 …), ROBOSIM source, or a robot file."""
    robot = load_robot(Path(filename), _world.unit)
    return S_ANY(ROBOT, _name("robot"), _world.unit, robot=robot, joints=np.array(robot.home))


def S_GET_ENV(filename: str) -> S_ANY:
    """Load a part of the environment from a ROBOSIM object file, ROBOSIM source, or a shape file."""
    return S_ANY(ENV, _name("env"), _world.unit, solids=load_solids(Path(filename), _world.unit))


def S_GET_OBJ(filename: str) -> S_ANY:
    """Load an object from a ROBOSIM object file, ROBOSIM source, or a shape file."""
    return S_ANY(OBJ, _name("obj"), _world.unit, solids=load_solids(Path(filename), _world.unit))


def _name(kind: str) -> str:
    _world.count += 1
    return f"{kind}{_world.count}"


# ---- placing ---------------------------------------------------------------------------------------------


def S_PRETRANSLATE(o: S_ANY, x: float, y: float, z: float) -> None:
    """Shift a thing along the axes of the world."""
    _place(o, _shift(x, y, z) @ o.pose)


def S_POSTTRANSLATE(o: S_ANY, x: float, y: float, z: float) -> None:
    """Shift a thing along its own axes."""
    _place(o, o.pose @ _shift(x, y, z))


def S_PREROTATE(o: S_ANY, x: float, y: float, z: float) -> None:
    """Turn a thing about the axes of the world through the origin: about x, then y, then z [rad]."""
    _place(o, _turn(x, y, z) @ o.pose)


def S_POSTROTATE(o: S_ANY, x: float, y: float, z: float) -> None:
    """Turn a thing about its own axes: about z, then the new y, then the new x [rad]."""
    _place(o, o.pose @ _turn(x, y, z))


def _place(o: S_ANY, pose: Pose) -> None:
    o.pose = pose
    if o.in_use:
        _world.changed()


def _shift(x: float, y: float, z: float) -> Pose:
    return Pose.from_xyz(x * _world.unit, y * _world.unit, z * _world.unit)


def _turn(x: float, y: float, z: float) -> Pose:
    return Pose.from_xyz_angles((0, 0, 0), (x, y, z), "urdf_rpy")


def S_USE(o: S_ANY) -> None:
    """Put a thing into the list of those that are shown and tested."""
    if not o.in_use:
        o.in_use = True
        _world.used.append(o)
        _world.changed()


def S_DONTUSE(o: S_ANY) -> None:
    """Take a thing off that list."""
    if o.in_use:
        o.in_use = False
        _world.used.remove(o)
        _world.changed()


# ---- moving ----------------------------------------------------------------------------------------------


def S_CLEAR_JOINT(joints: Joints) -> None:
    """Set all joint values of an array to zero."""
    joints[:] = [0.0] * len(joints)


def S_MOVEJ(r: S_ANY, joints: Any) -> bool:
    """Set the joint values of a robot [rad, length]; False if collisions are tested and something touches."""
    return S_MOVEJI(r, joints, 1)


def S_MOVEJI(r: S_ANY, joints: Any, steps: int) -> bool:
    """Move a robot to joint values in equal steps; False as soon as something touches, where it then stays.

    ``S_CO`` holds what touches. Nothing is tested between the steps, as in the library.
    """
    if steps < 1:
        raise InvalidValue(f"A motion has at least one step; found {steps}.")
    start, goal = np.array(r.joints), _given(r, joints)
    _world.current = r
    for step in range(1, steps + 1):
        r.joints = start + (goal - start) * (step / steps)
        if r.in_use:
            _world.simulator.robot(r.name).set_joints(r.joints)
            if _world.checking and S_COLLIDE():
                return False
    return True


def _given(r: S_ANY, joints: Any) -> Array:
    """Return the values of a joint array that a robot uses [rad|m]."""
    arm = r.arm()
    values = np.asarray(joints, dtype=np.float64).ravel()
    if len(values) not in (arm.n, MOST_LINKS) or not np.isfinite(values).all():
        raise InvalidValue(
            f"{r.name!r} needs {arm.n} joint values, or an array of {MOST_LINKS}; found {len(values)}, "
            f"{'all' if np.isfinite(values).all() else 'not all'} of them finite."
        )
    return values[: arm.n] * _sizes(arm)


def _sizes(arm: Robot) -> Array:
    """The size of the unit of each joint value [rad|m]."""
    return np.where(arm.chain.prismatic, _world.unit, 1.0)


# ---- collisions ------------------------------------------------------------------------------------------


def S_C_SWITCH(x: int | bool) -> None:
    """Switch the collision tests of moves on or off."""
    _world.checking = bool(x)


def S_COLLIDE() -> bool:
    """Whether anything that is in use touches anything else, or a robot itself; ``S_CO`` holds the pair."""
    return _found(lambda *_: True)


def S_CHECK(o: S_ANY) -> bool:
    """Whether a thing touches any other that is in use."""
    return _found(lambda one, other: one is not other and o in (one, other))


def S_CHECK_ROBOT(r: S_ANY) -> bool:
    """Whether links of a robot touch each other; neighbours are not tested."""
    return _found(lambda one, other: one is other is r)


def _found(counts: Callable[[S_ANY, S_ANY], bool]) -> bool:
    for contact in _world.contacts():
        if counts(_world.thing(contact.first), _world.thing(contact.second)):
            _record(contact)
            return True
    _record(None)
    return False


def _record(contact: Contact | None) -> None:
    if contact is None:
        S_CO.S1 = S_CO.S2 = None
        S_CO.L1 = S_CO.L2 = -1
        return
    sides = [(_world.thing(contact.first), contact.first_link), (_world.thing(contact.second), contact.second_link)]
    sides.sort(key=lambda side: side[0].type)  # a robot comes first
    (S_CO.S1, S_CO.L1), (S_CO.S2, S_CO.L2) = sides


# ---- kinematics ------------------------------------------------------------------------------------------


def S_SET_INV(r: S_ANY, inv_func: Inverse) -> None:
    """Let a function solve the inverse kinematics of a robot: ``f(r, m, joints, reset)`` fills joints, or is False."""
    r.inverse = inv_func


def S_KINV(r: S_ANY, m: Any, joints: Joints, reset: int | bool) -> bool:
    """Fill a joint array with values that bring the hand to a matrix in the world; False if there are none.

    The values nearest to the present ones are taken, or with ``reset`` those nearest to zero. ``S_SET_INV`` replaces
    this rule.
    """
    _world.current = r
    if r.inverse is not None:
        return bool(r.inverse(r, np.array(m, dtype=np.float64), joints, bool(reset)))
    found = s_solutions(r, m)
    if not found:
        return False
    arm = r.arm()
    near = np.zeros(arm.n) if reset else r.joints
    _fill(joints, min(found, key=lambda q: float(np.abs(q - near).max())) / _sizes(arm))
    return True


def puma_inv(r: S_ANY, m: Array, joints: Joints, reset: bool) -> bool:  # noqa: ARG001
    """The inverse kinematics of an arm like the Puma: the first branch that touches nothing, or else the first.

    Branches are only tested if ``S_C_SWITCH`` is on and the robot is in use.
    """
    from workcell.collision.batch import check_batch

    found = s_solutions(r, m)
    if not found:
        return False
    best = found[0]
    if _world.checking and r.in_use:
        touching = check_batch(_world.model, {r.name: np.array(found)}).touching
        best = next((q for q, touches in zip(found, touching, strict=True) if not touches), best)
    _fill(joints, best / _sizes(r.arm()))
    return True


def s_solutions(r: S_ANY, m: Any) -> list[Array]:
    """Return the joint values [rad|m] of every branch within the limits that brings the hand to a matrix."""
    matrix = np.array(m, dtype=np.float64).T
    if matrix.shape != (4, 4):
        raise InvalidValue(f"A location is a 4×4 matrix; found shape {matrix.shape}.")
    matrix[:3, 3] *= _world.unit
    return [np.array(one.q) for one in r.arm().ik(r.pose.inverse() @ Pose(matrix)) if one.within_limits]


def _fill(joints: Joints, values: Array) -> None:
    for number, value in enumerate(values):
        joints[number] = float(value)


def S_JACOB(joints: Any, jac: Any) -> None:
    """Fill a 6×6 array with the Jacobian of the robot that was moved or solved last, in its base frame."""
    r = _world.current
    if r is None or r.arm().n != 6:
        raise Refused("S_JACOB belongs to the robot that S_KINV or S_MOVEJ used last, which must have six joints.")
    found = np.array(r.arm().jacobian(_given(r, joints)))
    found[:3] /= _world.unit
    found *= _sizes(r.arm())
    for row in range(6):
        jac[row][:] = found[row]


# ---- matrices --------------------------------------------------------------------------------------------


def s_translate(mat: Any, x: float, y: float, z: float) -> None:
    """Shift a matrix along the axes of the world, in place."""
    for row in range(4):
        for column, shift in enumerate((x, y, z)):
            mat[row][column] += mat[row][3] * shift


def s_rotate(mat: Any, x: float, y: float, z: float) -> None:
    """Turn a matrix about the axes of the world: about x, then y, then z [rad], in place."""
    _set(mat, np.array(mat, dtype=np.float64) @ _turn(x, y, z).matrix.T)


def s_rotatez(mat: Any, z: float) -> None:
    """Turn a matrix about the z axis of the world [rad], in place."""
    c, s = math.cos(z), math.sin(z)
    _set(mat, np.array(mat, dtype=np.float64) @ np.array([[c, s, 0, 0], [-s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]))


def s_transpose(mat: Any) -> None:
    """Transpose a matrix in place."""
    _set(mat, np.array(mat, dtype=np.float64).T)


def s_invert(mat: Any) -> None:
    """Invert a matrix in place; a singular one is refused."""
    try:
        _set(mat, np.linalg.inv(np.array(mat, dtype=np.float64)))
    except np.linalg.LinAlgError:
        raise InvalidValue("A matrix without an inverse cannot be inverted: it is singular.") from None


def _set(mat: Any, values: Array) -> None:
    for row in range(4):
        mat[row][:] = values[row]
