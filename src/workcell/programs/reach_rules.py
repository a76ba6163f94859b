"""The rules for robots: joint values within their range, poses within reach."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from workcell.errors import InvalidValue
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.programs.asked import STRAIGHT
from workcell.programs.evaluate import converted
from workcell.programs.foresight import Foresight
from workcell.programs.measures import UNITS
from workcell.programs.problem import Problem
from workcell.programs.reach import Flat, joint_quantity
from workcell.programs.wants import Wants
from workcell.wording import an, counted
from workcell.world.axes_text import is_held
from workcell.world.placed import PlacedMachine, PlacedRobot, no_hand_text
from workcell.world.places import WORLD

if TYPE_CHECKING:
    from workcell.programs.program_check import ProgramCheck


_REACHING = {s.MoveEndEffector, s.MoveStraightLine, s.MoveCircular, s.MovePath, s.Approach}


def joint_values(check: ProgramCheck, step: s.Step, _: Wants, value: e.Expression) -> None:
    """Check joint values: how many there are, their units, and whether they are in range."""
    placed = check.names.devices.get(getattr(step, "robot", ""))
    if placed is None:
        _broken_machine(check, getattr(step, "robot", ""))
        check.guarded(lambda: check.type_of(value))
        return
    if not isinstance(value, e.Row):
        if check.guarded(lambda: check.expect(value, _joints_wanted(check, value, placed))):
            check.mark(step)
        return
    if len(value.items) != placed.robot.n:
        given = counted(len(value.items), "value")
        check.problem(check.at, f"{placed.name} has {counted(placed.robot.n, 'joint')}; found {given}.")
        return
    relative = type(step) is s.MoveJointsRelative
    if relative:
        check.mark(step)
    plain = [item.value for item in value.items if type(item) is e.Number and not item.unit]
    if len(plain) == placed.robot.n and not value.unit:
        if check.strict:
            check.reach.add_joints(check.at, placed, plain, plain=True, relative=relative)
        return
    values: Sequence[float] | None = check.reach.joint_values(value, placed)
    if values is None and _joint_items(check, value, placed):
        found = check.decided(value)
        values = None if found is None else converted(found, Wants("joints"), check.still, placed.name)
    if values is None:
        check.mark(step)
    elif check.strict:
        check.reach.add_joints(check.at, placed, values, relative=relative)


def _placed_by_target(check: ProgramCheck, value: e.Expression) -> bool:
    """Return whether a pose is that of a target that sets external axes."""
    base = value.base if isinstance(value, e.Posed) else value
    spot = check.names.snapshot.places.spots.get(("target", base.name)) if isinstance(base, e.Name) else None
    return spot is not None and not is_held(spot.axes)


def _broken_machine(check: ProgramCheck, name: str) -> None:
    """Report a machine that cannot move."""
    for one in check.names.snapshot.machines:
        if one.name == name:
            check.problem(check.at, one.problem, name)


def _joints_wanted(check: ProgramCheck, value: e.Expression, placed: PlacedRobot | PlacedMachine) -> Wants:
    """Return what joint values must be. For a device with one joint, a number is enough."""
    found = check.type_of(value)
    if placed.robot.n == 1 and found.kind == "number":
        return Wants("number", joint_quantity(placed.robot.rows[0]))
    if found.kind in ("row", "joints") and found.count not in (0, placed.robot.n):
        count, given = counted(placed.robot.n, "joint"), counted(found.count, "value")
        raise InvalidValue(f"{placed.name} has {count}; found {given}.")
    return Wants("joints")


def _joint_items(check: ProgramCheck, row: e.Row, placed: PlacedRobot | PlacedMachine) -> bool:
    """Check the items of a row of joint values up to the first mistake; return whether there is none."""
    for item, joint in zip(row.items, placed.robot.rows, strict=True):
        quantity = joint_quantity(joint)
        if type(item) is not e.Number:
            wants = Wants("number", "number" if row.unit else quantity)
            if not check.guarded(partial(check.expect, item, wants)):
                return False
            continue
        unit = item.unit or row.unit
        if unit and UNITS[unit] != quantity:
            check.problem(check.at, f"Expected {an(quantity)}; found {item.value:g}{unit}.")
            return False
    return True


def _reaching(check: ProgramCheck, step: s.Step, value: e.Expression, flat: Flat | None, number: int) -> None:
    """Keep a pose that is written out or fixed, to be tested with all others."""
    placed = check.names.robots.get(getattr(step, "robot", ""))
    if placed is None:
        return
    point, back = getattr(step, "point", "tool"), 0.0
    if point == "grip" and placed.robot.gripper is None:
        check.problem(number, no_hand_text(placed), placed.name)
        return
    moving = getattr(step, "on", None) is not None or not is_held(getattr(step, "axes", ""))
    if moving or not check.settled or placed.parent != WORLD or getattr(step, "orientation", "") == "keep":
        check.mark(step)
        return
    pose = flat or check.reach.standing(value, check.variables)
    if pose is None or _placed_by_target(check, value):
        check.mark(step)
        return
    if isinstance(step, s.Approach):
        distance = check.length_of(step.distance)
        if distance is None:
            check.mark(step)
            return
        back = distance
    check.reach.add_pose(number, placed, pose, point, back)


def far(check: ProgramCheck) -> None:
    """Report joint values that are written out and out of range, and poses that no joint values reach."""
    for number, message, name in check.reach.problems():
        check.problem(number, message, name)


def foreseen(check: ProgramCheck) -> None:
    """Report what cannot be reached in a round of a loop, at a place, or with values from a caller."""
    _unfollowed(check)
    if not check.marked and check.program.kinds.isdisjoint((s.Call, *STRAIGHT)):
        return
    marked = {one for one in check.marked if one[0] not in check.wrong}
    sight = Foresight(check.program, check.names, marked, check.program.name in check.names.framed)
    for one in sight.found():
        if one.when.sampled and one.when.number in check.wrong:
            continue
        check.problem(one.when.number, one.message, one.robot, warning=not one.when.certain)
    for left in sight.open:
        place = check.program.place(left.number)
        message = f"Only the run can decide whether this is within reach: it depends on {left.reason}."
        check.open.append(Problem(check.program.name, place.line, place.column, message))


def _unfollowed(check: ProgramCheck) -> None:
    """Note the curves along paths: their targets are checked, the way between them is not."""
    if check.program.kinds.isdisjoint((s.MoveAlong, s.Weld)):
        return
    for number, step in enumerate(check.program.steps):
        if isinstance(step, (s.MoveAlong, s.Weld)) and number not in check.wrong:
            place = check.program.place(number)
            message = (
                f"Only the run, or `plan-step`, can decide whether the hand can follow {step.path} between its targets."
            )
            check.open.append(Problem(check.program.name, place.line, place.column, message))


def _must_reach(step: s.Step) -> bool:
    """Return whether a step is refused if its pose is out of reach."""
    if isinstance(step, s.FindPath):
        return len(step.poses) == 1 and not step.free and step.tolerance is None and step.point == "tool"
    return type(step) in _REACHING


def pose_fits(check: ProgramCheck, step: s.Step, wants: Wants, value: e.Expression) -> None:
    """Check a pose: its type, and whether it is within reach."""
    flat = check.reach.flat(value) if type(value) is e.Posed else None
    if (flat is not None or check.value_fits(step, wants, value)) and check.strict and _must_reach(step):
        _reaching(check, step, value, flat, check.at)
