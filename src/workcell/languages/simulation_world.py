"""The world of the Simulation Library: what is loaded, what is in use, and the simulator for it."""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workcell.commands.cell import Cell
from workcell.errors import FileProblem, InvalidValue, Refused
from workcell.spatial.pose import Pose
from workcell.spatial.units import LENGTHS
from workcell.world.expand import Expander

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.collision.check import Contact
    from workcell.geometry.solid import Solid
    from workcell.robots.robot import Robot
    from workcell.simulation.simulator import Simulator

Array = NDArray[np.float64]
Joints: TypeAlias = MutableSequence[float] | Array
Inverse: TypeAlias = "Callable[[S_ANY, Array, Joints, bool], bool]"
MOST_LINKS = 18
"""The most links of a robot, and the length of a joint array."""
ROBOT, ENV, OBJ = 0, 1, 2
"""The types of things: a robot, a part of the environment, an object."""


@dataclass(eq=False)
class S_ANY:
    """A robot, a part of the environment or an object: its type, whether it is in use, and where it is."""

    type: int
    name: str
    unit: float
    in_use: bool = False
    pose: Pose = field(default_factory=Pose.identity)
    robot: Robot | None = None
    solids: tuple[Solid, ...] = ()
    joints: Array = field(default_factory=lambda: np.zeros(0))
    inverse: Inverse | None = None

    @property
    def POS(self) -> Array:
        """Where it is in the world, in row-vector form and the unit of the library."""
        matrix = self.pose.matrix.T.copy()
        matrix[3, :3] /= self.unit
        return matrix

    def arm(self) -> Robot:
        """Return its robot; other things are refused."""
        if self.robot is None:
            raise InvalidValue(f"{self.name!r} is not a robot; S_GET_ROBOT loads one.")
        return self.robot


@dataclass(eq=False)
class S_COLLISION:
    """What touched last: two things, and the number of the link of each that is a robot (0 is its base); else −1."""

    S1: S_ANY | None = None
    L1: int = -1
    S2: S_ANY | None = None
    L2: int = -1


class World:
    """Everything that was loaded, the list of what is in use, and the simulator for it."""

    def __init__(self, unit: float) -> None:
        self.unit = unit
        self.used: list[S_ANY] = []
        self.checking = False
        self.current: S_ANY | None = None
        self.count = 0
        self._cell: Cell | None = None
        self._simulator: Simulator | None = None
        self._model: CollisionModel | None = None

    def changed(self) -> None:
        """Forget the simulator: something was added, removed or moved as a whole."""
        if self._cell is not None:
            self._cell.close()
        self._cell = self._simulator = self._model = None

    @property
    def simulator(self) -> Simulator:
        """The simulator of what is in use."""
        if self._simulator is None:
            from workcell.simulation.simulator import Simulator

            self._cell = cell = Cell()
            for thing in self.used:
                if thing.robot is not None:
                    cell.add_robot(thing.robot, thing.name, thing.pose, thing.joints)
                    continue
                for number, solid in enumerate(thing.solids):
                    cell.add_solid(solid, f"{thing.name}+{number}", thing.pose, movable=thing.type == OBJ)
            self._simulator = Simulator(cell)
        return self._simulator

    @property
    def model(self) -> CollisionModel:
        """The collision model of what is in use."""
        if self._model is None:
            from workcell.collision.bodies import collision_model

            self._model = collision_model(self.simulator.snapshot, tolerance=1e-4)
        return self._model

    def thing(self, body: str) -> S_ANY:
        """Return the thing that a body belongs to."""
        name = body.partition("/")[0].rpartition("+")[0] or body.partition("/")[0]
        return next(one for one in self.used if one.name in (name, body.partition("/")[0]))

    def contacts(self) -> tuple[Contact, ...]:
        """Return what touches now."""
        from workcell.collision.check import check

        return check(self.model, self.simulator.state).contacts


# ---- files -----------------------------------------------------------------------------------------------


def load_robot(path: Path, unit: float) -> Robot:
    """Return the robot of link files by their common name, of ROBOSIM source, or of a robot file."""
    word = unit_word(unit)
    with Cell() as cell:
        ending, name = path.suffix.lower(), "arm"
        if ending == ".robosim":
            made = cell.call("import robosim", file=str(path), unit=word).robots
            if len(made) != 1:
                raise FileProblem(f"{path.name} holds {len(made)} robots; S_GET_ROBOT needs one.")
            name = made[0]
        elif ending in (".toml", ".urdf", ".wld"):
            cell.call("import robot", name=name, file=str(path))
        else:
            cell.call("import links", name=name, files=[str(path)], unit=word)
        robot = Expander(cell.database).robot(cell.database.entity("robot", name))
    if robot.n + 1 > MOST_LINKS:
        raise Refused(f"{path.name} has {robot.n + 1} links; the library holds at most {MOST_LINKS}.")
    return robot


def unit_word(unit: float) -> str:
    """Return the name of a unit of length [m]."""
    return next(word for word, size in LENGTHS.items() if size == unit)


def load_solids(path: Path, unit: float) -> tuple[Solid, ...]:
    """Return the solids of a ROBOSIM object file, of ROBOSIM source, or of a shape file."""
    from workcell.geometry import solids
    from workcell.languages.robosim.machine import read_robosim
    from workcell.robots.formats import link_file
    from workcell.robots.text_file import text_in

    if path.suffix.lower() == ".robosim":
        source = read_robosim(text_in(path, "the ROBOSIM source"), path.name, unit)
        found = tuple(solid for one in (*source.objects, *source.links) for solid in one.drawing.solids)
    elif _has_rows(path):
        found = tuple(link_file.read(path).solids(unit))
    else:
        ownless = path.suffix.lower() in (".stl", ".obj")
        found = (solids.load(path, unit_word(unit) if ownless else None),)
    if not found:
        raise FileProblem(f"{path.name} holds no solid.", path=str(path))
    return found


def _has_rows(path: Path) -> bool:
    """Whether a file begins with a row of four numbers, as link files do; Wavefront files also end in .obj."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            first = file.readline(400).split()
    except OSError as error:
        raise FileProblem(f"{path.name} cannot be read: {error.strerror}.", path=str(path)) from error
    try:
        return len([float(word) for word in first]) == 4
    except ValueError:
        return False
