"""Mass properties of exact shapes, by surface integrals."""

from __future__ import annotations

import msgspec
import numpy as np
from OCP.BRepGProp import BRepGProp
from OCP.gp import gp_Pnt
from OCP.GProp import GProp_GProps

from workcell.geometry.kernel.occ.topology import MM, Built, point
from workcell.geometry.kernel.requests import PropertiesAnswer

_EPSILON = 1e-10
"""The relative error that is required of the integration over each face."""


def properties(built: Built) -> PropertiesAnswer:
    """Volume, area, centroid and inertia for a density of one."""
    surface = GProp_GProps()
    BRepGProp.SurfaceProperties_s(built.shape, surface, _EPSILON)
    # Integrating about a point inside the shape keeps digits when the shape is far from the origin.
    around = point(surface.CentreOfMass())
    body = GProp_GProps(gp_Pnt(*(float(value) for value in around)))
    BRepGProp.VolumeProperties_s(built.shape, body, _EPSILON)
    volume = body.Mass()
    matrix = body.MatrixOfInertia()  # about the centre of mass
    inertia = np.array([[matrix.Value(i, j) for j in range(1, 4)] for i in range(1, 4)])
    centre = point(body.CentreOfMass()) / MM
    return msgspec.convert(
        {
            "volume": volume / MM**3,
            "area": surface.Mass() / MM**2,
            "centroid": centre.tolist(),
            "inertia": (inertia / MM**5).tolist(),
        },
        PropertiesAnswer,
    )
