"""What planned programs keep about the cell that they were planned for, and what people are told when it changed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from workcell.commands.kept_orders import missed_targets, order_lines
from workcell.commands.program_store import ORDER, PLANNED
from workcell.errors import Refused
from workcell.wording import quoted
from workcell.world.cell_print import listed
from workcell.world.entities import Entity
from workcell.world.planned_for import changed_since, planned_for
from workcell.world.snapshot import Snapshot

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.planning.work_order import WorkOrder

_NO_ORDER = '["", {}]'


def mark_planned(session: Session, programs: Iterable[Entity], command: str, given: Mapping[str, Any]) -> None:
    """Keep with programs what they were planned for.

    Args:
        session: whose cell.
        programs: they have their lines already.
        command: that planned them.
        given: its parameters; entities count by their ids, so that renaming them changes nothing.
    """
    lines, head = planned_for(session.snapshot()), _head(command, given)
    for one in programs:
        now = session.database.by_id(one.id)
        session.database.set_properties(session.rows, now, {PLANNED: f"{head}\n{lines}"})


def mark_ordered(session: Session, program: Entity, order: WorkOrder, given: Mapping[str, Any]) -> None:
    """Keep with a program of `plan order` what it was planned for, and the joint values at its targets."""
    mark_planned(session, [program], "plan order", given)
    rows = order_lines(session, order)
    now = session.database.by_id(program.id)
    session.database.set_properties(session.rows, now, {ORDER: f"{_head('plan order', given)}\n{rows}"})


def _head(command: str, given: Mapping[str, Any]) -> str:
    return msgspec.json.encode([command, {name: _kept(one) for name, one in given.items() if one is not None}]).decode()


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
        try:
            command, given, lines = _read(session, text)
            changed = changed_since(lines, session.snapshot())
            order, missed = _missed(session, program, session.snapshot())
        except (msgspec.MsgspecError, Refused):
            found.append(
                f"It cannot be read for which cell program {name!r} was planned. `plan program {quoted(name)}` proves "
                "its moves here."
            )
            continue
        if not missed and (not changed or changed in reasons):
            continue
        reasons.add(changed)
        other = f"was planned for another cell: {listed(changed)}" if changed else ""
        what = "; it ".join(filter(None, (other, missed and f"misses {missed}")))
        again = f"{_order_again(session, program, order)}." if missed else _again(session, program, command, given)
        found.append(f"Program {name!r} {what}. {again}")
    return tuple(found)


def _read(session: Session, text: str) -> tuple[str, dict[str, Any], str]:
    """The command that planned a program, its parameters, with the entities that they name now, and the other lines."""
    head, _, lines = text.partition("\n")
    command, kept = msgspec.json.decode(head, type=tuple[str, dict[str, Any]])
    return command, {name: _known(session, one) if isinstance(one, dict) else one for name, one in kept.items()}, lines


def _missed(session: Session, program: Entity, snapshot: Snapshot) -> tuple[Mapping[str, Any], str]:
    """The parameters of the `plan order` that chose the joint values of a program, and the targets that it misses."""
    _, order, rows = _read(session, str(program.properties.get(ORDER, "")) or _NO_ORDER)
    return order, missed_targets(session.database, snapshot, order, rows)


def orders_of(session: Session, robot: Entity, snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """The programs of `plan order` for a robot, and the targets that each misses in a cell, as a part of a sentence."""
    for program in session.database.entities("program"):
        try:
            order, missed = _missed(session, program, snapshot)
        except (msgspec.MsgspecError, Refused):  # `check program` says so
            continue
        given = order.get("robot")
        if isinstance(given, Entity) and given.id == robot.id:
            yield program.name, missed


def _again(session: Session, program: Entity, command: str, given: Mapping[str, Any]) -> str:
    """What to do, as a sentence."""
    prove = f"`plan program {quoted(program.name)}` proves its moves here"
    if command == "schedule":
        others = [_known(session, one) for one in given.get("programs", ())]
        names = " ".join(quoted(one.name) for one in others if one is not None)
        return f"`check together {names}` shows whether they still pass."
    return f"{_order_again(session, program, given)}; {prove}." if command == "plan order" else f"{prove}."


def _order_again(session: Session, program: Entity, given: Mapping[str, Any]) -> str:
    """The `plan order` that plans a program again, as a sentence without its end."""
    if any(value is None for value in given.values()):
        return "`plan order` with other targets or another robot plans it again"
    syntax = session.registry.named("plan order").syntax
    return f"`{syntax.canonical({**given, 'program': program.name}, _words)}` plans it again"


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
