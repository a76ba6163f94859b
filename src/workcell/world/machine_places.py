"""The machines of a cell as data: robots and mechanisms that move in one timing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workcell.robots.robot import Robot
from workcell.wording import an
from workcell.world.identity import Value
from workcell.world.rows import Rows

MEMBERS = "members"
"""The property of a machine with the names of its members, with commas between."""
_RUNS_ON = "conveyor"


@dataclass(frozen=True)
class MachinePlace(Value):
    """A machine.

    Attributes:
        name: its name.
        members: the names of its robots and mechanisms, in the order of its joints.
        problem: why it cannot move, as a sentence; empty if it can.
    """

    name: str
    members: tuple[str, ...]
    problem: str = ""


def listed(text: str) -> tuple[str, ...]:
    """The names in a list with commas between."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def machine_places(rows: Rows, robots: Mapping[str, Robot]) -> tuple[MachinePlace, ...]:
    """The machines of a cell, in order of creation; those that cannot move have a problem.

    Args:
        rows: what exists.
        robots: the robots and mechanisms in the scene, by name.
    """
    found: list[MachinePlace] = []
    owners: dict[str, str] = {}
    for entity in rows.of_kind("machine"):
        members = listed(str(entity.properties.get(MEMBERS, "")))
        fault, advice = fault_of(entity.name, members, robots, owners)
        problem = f"{fault}; {advice}." if fault else ""
        found.append(MachinePlace(entity.name, members, problem))
        if not problem:
            owners.update({one: entity.name for one in members if is_arm(robots[one])})
    return tuple(found)


def is_arm(robot: Robot) -> bool:
    """Whether a robot has a hand: a rail, positioner or gantry has none."""
    from workcell.robots.mechanism import KINDS

    return robot.kind not in KINDS


def fault_of(
    name: str, members: tuple[str, ...], robots: Mapping[str, Robot], owners: Mapping[str, str]
) -> tuple[str, str]:
    """Why robots and mechanisms cannot form a machine, and what to do about it; both empty if they can.

    Args:
        name: the name of the machine.
        members: its intended members.
        robots: the robots and mechanisms in the scene, by name.
        owners: the machines that other arms belong to, by their names.
    """
    do = f"`modify {name} members …` names others"
    if len(members) < 2:
        return f"Machine {name!r} needs two or more robots and mechanisms; found {', '.join(members) or 'none'}", do
    for one in members:
        robot = robots.get(one)
        if robot is None:
            return f"Machine {name!r} is made of {one!r}, which stands in no scene", f"place it, or {do}"
        if members.count(one) > 1:
            return f"Machine {name!r} names {one!r} twice", do
        if robot.kind == _RUNS_ON:
            return f"{one} is {an(robot.kind)}, which is endless and cannot be part of machine {name!r}", do
        if one in owners:
            return f"{one} already belongs to machine {owners[one]!r} and cannot also be part of {name!r}", do
    return "", ""
