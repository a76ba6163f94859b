"""Warnings about targets whose branch an arm no longer has within its limits, such as after it was replaced."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from workcell.commands.program_store import stored
from workcell.commands.reach_checks import fit_of
from workcell.errors import WorkcellError
from workcell.programs import expressions as e
from workcell.programs import steps as s
from workcell.simulation.branch_policy import has_hand
from workcell.simulation.simulator import Simulator
from workcell.world.target_poses import target_poses

if TYPE_CHECKING:
    from workcell.commands.session import Session


def branch_notes(session: Session, names: Iterable[str]) -> tuple[str, ...]:
    """Return a sentence for each target of programs that its arm reaches, but not on the branch that it asks for.

    Args:
        session: the session.
        names: the programs.
    """
    snapshot = session.snapshot()
    arms = {placed.name: placed for placed in snapshot.robots if has_hand(placed.robot)}
    poses = target_poses(snapshot, snapshot.initial)
    scene, found = Simulator(snapshot, None, snapshot.initial), dict[tuple[str, str, str], str]()
    for name in names:
        entity = session.database.find("program", name)
        program = None if entity is None else stored(entity).program
        for number, step in enumerate(program.steps if program is not None else ()):
            arm, target = arms.get(getattr(step, "robot", "")), _target(step)
            if arm is None or target not in poses or not hasattr(step, "branch"):
                continue
            key = (arm.name, target, step.branch)
            if key in found:
                continue
            try:
                one = fit_of(scene, arm, target, poses[target], getattr(step, "point", "tool"), step.branch)
            except WorkcellError:
                continue  # the checker reports it
            place = f"line {program.place(number).line} of {name!r}" if program is not None else name
            found[key] = (
                f"{place}: {arm.name} reaches target {target!r} only on other branches: {one.problem}."
                if one.reached and not one.kept
                else ""
            )
    return tuple(filter(None, found.values()))


def _target(step: s.Step) -> str:
    """Return the target that a step moves to; '' if it is another pose."""
    pose = getattr(step, "pose", None)
    if isinstance(pose, e.Posed) and not pose.forms and pose.position is None:
        pose = pose.base
    return pose.name if isinstance(pose, e.Name) and pose.kind in ("", "target") else ""
