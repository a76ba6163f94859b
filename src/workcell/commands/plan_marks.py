"""What planned programs keep about the cell that they were planned for, and what people are told when it changed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from workcell.commands.program_store import PLANNED
from workcell.errors import Refused
from workcell.wording import quoted
from workcell.world.cell_print import listed
from workcell.world.entities import Entity
from workcell.world.planned_for import changed_since, planned_for

if TYPE_CHECKING:
    from workcell.commands.session import Session


def mark_planned(session: Session, programs: Iterable[Entity], command: str, given: Mapping[str, Any]) -> None:
    """Keep with programs what they were planned for.

    Args:
        session: whose cell.
        programs: they have their lines already.
        command: that planned them.
        given: its parameters; entities count by their ids, so that renaming them changes nothing.
    """
    lines = planned_for(session.snapshot())
    asked = {name: _kept(value) for name, value in given.items() if value is not None}
    head = msgspec.json.encode([command, asked]).decode()
    for one in programs:
        now = session.database.by_id(one.id)
        session.database.set_properties(session.rows, now, {PLANNED: f"{head}\n{lines}"})


def _kept(value: Any) -> Any:
    if isinstance(value, Entity):
        return {"id": f"{value.id:016x}"}
    return [_kept(one) for one in value] if isinstance(value, list | tuple) else value


def plan_notes(session: Session, names: Iterable[str]) -> tuple[str, ...]:
    """A sentence for each planned program of these whose cell is another one now; the same reasons are given once."""
    found: list[str] = []
    reasons: set[tuple[str, ...]] = set()
    for name in names:
        program = session.database.find("program", name)
        text = "" if program is None else str(program.properties.get(PLANNED, ""))
        if program is None or not text:
            continue
        head, _, lines = text.partition("\n")
        try:
            command, given = msgspec.json.decode(head, type=tuple[str, dict[str, Any]])
            changed = changed_since(lines, session.snapshot())
        except (msgspec.MsgspecError, Refused):
            found.append(
                f"It cannot be read for which cell program {name!r} was planned. `plan program {quoted(name)}` proves "
                "its moves here."
            )
            continue
        if changed and changed not in reasons:
            reasons.add(changed)
            again = _again(session, program, command, given)
            found.append(f"Program {name!r} was planned for another cell: {listed(changed)}. {again}")
    return tuple(found)


def _again(session: Session, program: Entity, command: str, given: Mapping[str, Any]) -> str:
    """What to do, as a sentence."""
    prove = f"`plan program {quoted(program.name)}` proves its moves here"
    if command == "schedule":
        others = [_known(session, one) for one in given.get("programs", ())]
        names = " ".join(quoted(one.name) for one in others if one is not None)
        return f"`check together {names}` shows whether they still pass."
    if command == "plan order":
        asked = {name: _known(session, value) if isinstance(value, dict) else value for name, value in given.items()}
        if all(value is not None for value in asked.values()):
            syntax = session.registry.named(command).syntax
            return f"`{syntax.canonical({**asked, 'program': program.name}, _words)}` plans it again; {prove}."
    return f"{prove}."


def _words(name: str, value: Any) -> str:
    """A parameter of `plan order` as people write it; lengths and angles come in SI."""
    if isinstance(value, Entity):
        return quoted(value.name)
    if isinstance(value, float):
        return f"{value * 1e3:.9g}mm" if name == "approach" else f"{math.degrees(value):.9g}deg"
    return quoted(str(value))


def _known(session: Session, kept: Any) -> Entity | None:
    """The entity that was kept; None if it is gone."""
    try:
        number = int(kept["id"], 16)
    except (KeyError, TypeError, ValueError):
        return None
    found = session.database.with_ids([number]).get(number)
    return None if found is None else found[0]


def plan_shown(session: Session, program: Entity) -> str:
    """What `show` says of the plan of a program."""
    return " ".join(plan_notes(session, [program.name])) or "for the cell as it is now"
