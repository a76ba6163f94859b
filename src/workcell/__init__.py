"""Workcell: a robotic workcell simulator and off-line programming environment.

Everything here loads when it is first used, so that importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from workcell.errors import WorkcellError
from workcell.spatial.units import deg, mm

if TYPE_CHECKING:
    from workcell.commands.cell import Cell
    from workcell.geometry import solids
    from workcell.geometry.solid import Solid
    from workcell.robots.catalogue import robot, robots
    from workcell.robots.robot import Robot
    from workcell.service.client import connect
    from workcell.simulation.recording import Recording
    from workcell.simulation.simulator import Simulator
    from workcell.spatial.pose import Pose

__version__ = "0.1.0"

_LAZY = {
    "Cell": "workcell.commands.cell",
    "Pose": "workcell.spatial.pose",
    "Recording": "workcell.simulation.recording",
    "Robot": "workcell.robots.robot",
    "Simulator": "workcell.simulation.simulator",
    "Solid": "workcell.geometry.solid",
    "connect": "workcell.service.client",
    "robot": "workcell.robots.catalogue",
    "robots": "workcell.robots.catalogue",
    "solids": "workcell.geometry.solids",
}

__all__ = [
    "Cell",
    "Pose",
    "Recording",
    "Robot",
    "Simulator",
    "Solid",
    "WorkcellError",
    "connect",
    "deg",
    "mm",
    "robot",
    "robots",
    "solids",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'workcell' has no attribute {name!r}")
    module = importlib.import_module(_LAZY[name])
    value = module if name == "solids" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
