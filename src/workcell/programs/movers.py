"""What the steps of programs may move, so that a check knows what stays where it is."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from workcell.errors import WorkcellError
from workcell.programs import steps as s
from workcell.programs.cell_names import CellNames
from workcell.programs.program import Program
from workcell.world.axes_text import is_held
from workcell.world.machine_places import is_arm
from workcell.world.places import WORLD

PARTS = "the movable parts"
"""Every part that a gripper may take, a belt may carry or a step may move."""
ANYTHING = "what is not known"
"""An unknown carrier of something."""
_HANDLING = (
    s.CloseGripper, s.OpenGripper, s.GripPart, s.ReleasePart, s.Ride, s.MoveSolid, s.RunConveyor, s.StopConveyor,
    s.InjectFault, s.ClearFault,
)  # fmt: skip
_JOINTED = (*s.MOVES, s.SetJoints, s.MoveAlong, s.Weld, s.FindPath, s.Guide, s.SupersedeJoints)


class Movers:
    """Finds which steps move which things of a cell.

    Args:
        names: what exists.
        program: the program that is examined.
    """

    def __init__(self, names: CellNames, program: Program) -> None:
        self._names = names
        self._program = program
        self._by_program: dict[str, frozenset[str]] = {}
        self._needs: dict[tuple[str, int], frozenset[str]] = {}

    @cached_property
    def at_start(self) -> frozenset[str]:
        """What may move from the start, whatever programs do: parts on running belts, and parts that stations make."""
        snapshot = self._names.snapshot
        runs = any(placed.runs for placed in snapshot.robots)
        return frozenset({ANYTHING, PARTS} if runs or snapshot.stations or snapshot.faults else {ANYTHING})

    @cached_property
    def elsewhere(self) -> frozenset[str]:
        """What other programs of the cell may move that this one does not call; they may run beside it, or call it."""
        called = self._called(self._program.name)
        others = (name for name in self._names.programs if name not in called)
        return frozenset(one for name in others for one in self._of_program(name))

    def of(self, step: s.Step) -> frozenset[str]:
        """Return the devices and parts that a step may move; for a call, those of all programs that it calls."""
        if isinstance(step, s.Call):
            return frozenset(one for name in self._called(step.program) for one in self._of_program(name))
        if isinstance(step, s.Together):
            return self.of_all(step.moves)
        if isinstance(step, s.HANDLING):
            return self._handled(step)
        if isinstance(step, _HANDLING):
            moved = {PARTS}
            if isinstance(step, s.RunConveyor | s.StopConveyor):
                moved.add(step.conveyor)
            return frozenset(moved)
        if not isinstance(step, _JOINTED):
            return frozenset()
        found: set[str] = set()
        for field in ("robot", "mechanism"):
            name = getattr(step, field, "")
            if name:
                found |= self._devices(name, step)
        return frozenset(found)

    def _handled(self, step: s.Pick | s.Put | s.HandOver | s.MoveAbove) -> frozenset[str]:
        """Return what a step moves that handles a part: its robot, and every arm where another may hold the part."""
        robots = self._names.robots
        every = isinstance(step, s.HandOver) or step.robot is None
        arms = [name for name, placed in robots.items() if is_arm(placed.robot)] if every else [step.robot or ""]
        parts = set() if isinstance(step, s.MoveAbove) else {PARTS}
        return frozenset({one for name in arms for one in self._devices(name, step)} | parts)

    def of_all(self, steps: Iterable[s.Step]) -> frozenset[str]:
        """Return everything that any of these steps may move."""
        return frozenset(one for step in steps for one in self.of(step))

    def _devices(self, name: str, step: s.Step) -> set[str]:
        names = self._names
        if name not in names.devices:
            return {ANYTHING}
        found = set(names.snapshot.members(name))
        placed = names.robots.get(name)
        if placed is not None and not is_arm(placed.robot):
            found.add(PARTS)  # parts on the device move with it
        elif placed is None or not is_held(getattr(step, "axes", "")) or self._places_axes:
            machine = names.snapshot.machine_of(name) if placed is not None else None
            found |= set() if machine is None else set(machine.robot.names)
        return found

    @cached_property
    def _places_axes(self) -> bool:
        """Whether any target or path sets external axes."""
        places = self._names.snapshot.places
        spots, paths = places.spots.values(), places.paths.values()
        return not all(is_held(axes) for axes in (*(one.axes for one in spots), *(one.axes for one in paths)))

    def _of_program(self, name: str) -> frozenset[str]:
        if name not in self._by_program:
            program = self._program if name == self._program.name else self._names.programs.get(name)
            steps = () if program is None else program.steps
            self._by_program[name] = self.of_all(one for one in steps if not isinstance(one, s.Call))
        return self._by_program[name]

    def _called(self, name: str) -> set[str]:
        """Return a program and all programs that it calls, directly or through others."""
        found, waiting = {name}, [name]
        while waiting:
            one = waiting.pop()
            program = self._program if one == self._program.name else self._names.programs.get(one)
            for step in () if program is None else program.steps:
                if isinstance(step, s.Call) and step.program not in found:
                    found.add(step.program)
                    waiting.append(step.program)
        return found

    # ---- what a place depends on ------------------------------------------------------------------------

    def carriers(self, frame: str, link: int) -> frozenset[str]:
        """Return the things that must not move so that a body, or a link of a robot, does not; empty for the world."""
        if frame == WORLD:
            return frozenset()
        if (frame, link) not in self._needs:
            self._needs[frame, link] = frozenset({ANYTHING})  # ends the recursion for something that carries itself
            self._needs[frame, link] = frozenset(self._found(frame, link))
        return self._needs[frame, link]

    def _found(self, frame: str, link: int) -> set[str]:
        snapshot = self._names.snapshot
        if link >= 0:
            placed = self._names.robots.get(frame)
            if placed is None:
                return {ANYTHING}
            own = {frame} if link > 0 else set()
            return own | self.carriers(placed.parent, placed.parent_link)
        try:
            body = snapshot.body(frame)
        except WorkcellError:
            return {ANYTHING}
        if body.link >= 0:
            return set(self.carriers(body.owner, body.link))
        held = snapshot.carried(self._names.start).get(frame)
        below = frozenset() if held is None else self.carriers(held.frame, -1)
        return {body.owner, PARTS, *below} if body.movable else set(below)
