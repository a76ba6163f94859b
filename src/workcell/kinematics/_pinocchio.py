"""Pinocchio behind four methods: the only module of this package that imports it."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pinocchio as pin

from workcell.kinematics.dh import Chain, DHRow, FloatArray, cache_of, row_matrix


class ArmModel:
    """A chain as a Pinocchio model; safe to use from several threads."""

    def __init__(self, chain: Chain) -> None:
        model = pin.Model()
        parent = 0
        fixed = chain.X_base_0.matrix  # from the parent joint to the start of the next row
        ends: list[tuple[int, Any]] = [(0, fixed)]
        for number, row in enumerate(chain.rows, start=1):
            # The constant before the joint's motion, and the rest of the row after it.
            before = DHRow(row.theta, row.d if row.prismatic else 0.0, 0.0, 0.0)
            after = DHRow(0.0, 0.0 if row.prismatic else row.d, row.a, row.alpha)
            kind = pin.JointModelPZ() if row.prismatic else pin.JointModelRZ()
            parent = model.addJoint(parent, kind, pin.SE3(fixed @ row_matrix(before)), f"j{number}")
            fixed = row_matrix(after)
            ends.append((parent, fixed))
        ends.append((parent, fixed @ chain.X_n_tool.matrix))
        self._frames = [
            model.addFrame(pin.Frame(f"f{k}", joint, 0, pin.SE3(place), pin.FrameType.OP_FRAME))
            for k, (joint, place) in enumerate(ends)
        ]
        self._model = model
        self._tool = self._frames[-1]
        self._last = parent
        self._after = pin.SE3(ends[-1][1])
        self._local = threading.local()

    def _data(self) -> Any:
        try:
            return self._local.data
        except AttributeError:
            self._local.data = self._model.createData()
            return self._local.data

    def tool(self, q: FloatArray) -> FloatArray:
        """The tool in the base, 4×4."""
        data = self._data()
        pin.forwardKinematics(self._model, data, q)
        matrix: FloatArray = (data.oMi[self._last] * self._after).homogeneous
        return matrix

    def frames(self, q: FloatArray) -> FloatArray:
        """Frames 0…n in the base, (n+1, 4, 4)."""
        data = self._data()
        pin.framesForwardKinematics(self._model, data, q)
        return np.array([data.oMf[index].homogeneous for index in self._frames[:-1]])

    def jacobian(self, q: FloatArray) -> FloatArray:
        """The geometric Jacobian of the tool point in base axes, (6, n): linear rows first."""
        data = self._data()
        where = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        matrix: FloatArray = pin.computeFrameJacobian(self._model, data, q, self._tool, where)
        return matrix.reshape(6, -1)  # a single joint gives a vector

    def acceleration(self, q: FloatArray, qd: FloatArray, qdd: FloatArray) -> FloatArray:
        """The tool's acceleration in base axes, (6,): linear [m/s²] then angular [rad/s²]."""
        data = self._data()
        where = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        pin.forwardKinematics(self._model, data, q, qd, qdd)
        pin.updateFramePlacement(self._model, data, self._tool)
        result: FloatArray = pin.getFrameClassicalAcceleration(self._model, data, self._tool, where).vector
        return result


def model_of(chain: Chain) -> ArmModel:
    """The chain's model, made once."""
    cache = cache_of(chain)
    model: ArmModel | None = cache.get("pinocchio")
    if model is None:
        model = cache["pinocchio"] = ArmModel(chain)
    return model
