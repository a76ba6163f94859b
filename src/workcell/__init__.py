"""Workcell: a robotic workcell simulator and off-line programming environment."""

from __future__ import annotations

from workcell.errors import WorkcellError
from workcell.spatial.pose import Pose
from workcell.spatial.units import deg, mm

__version__ = "0.1.0"

__all__ = ["Pose", "WorkcellError", "deg", "mm"]
