"""Parts on links of robots and mechanisms, in a future initial state of a cell."""

from __future__ import annotations

from workcell.errors import Refused
from workcell.wording import quoted
from workcell.world.absence import absence
from workcell.world.machine_places import is_arm
from workcell.world.places import WORLD
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState


def parts_on_links(snapshot: Snapshot, state: CellState) -> dict[str, tuple[str, int]]:
    """The robot or mechanism, and its link, for each part that lies on one.

    Raises:
        Refused: a part moves with something that is not possible in an initial state, such as a hand that holds it.
    """
    found: dict[str, tuple[str, int]] = {}
    for part, held in sorted(state.attached.items()):
        begins = held == snapshot.initial.attached.get(part)
        if begins and (held.frame == WORLD or snapshot.body(held.frame).link < 0):
            continue
        if held.frame == WORLD:
            gone = absence(snapshot, state, part)
            raise Refused(f"{gone}, which is not possible in an initial state; `reset` first.", part=part)
        carrier = snapshot.body(held.frame)
        if carrier.link < 0:
            raise _stacked(snapshot, state, part)
        placed = snapshot.robot(carrier.owner)
        if placed.bodies[carrier.link] < 0 or snapshot.bodies[placed.bodies[carrier.link]].name != carrier.name:
            raise Refused(
                f"{part} lies on {carrier.name}, part of the hand of {placed.name}, which is not possible in an "
                f"initial state; `place {quoted(part)} at X,Y,Z` first.",
                part=part,
            )
        if is_arm(placed.robot) and carrier.link == placed.robot.n:
            raise Refused(
                f"{placed.name} holds {part}, which is not possible in an initial state; release it first.", part=part
            )
        found[part] = placed.name, carrier.link
    return found


def _stacked(snapshot: Snapshot, state: CellState, part: str) -> Refused:
    """The refusal for a part that moves with another part, with what holds or carries the lowest one of the stack."""
    lower = part
    while (held := state.attached.get(lower)) is not None and held.frame != WORLD:
        carrier = snapshot.body(held.frame)
        if carrier.link >= 0:
            placed = snapshot.robot(carrier.owner)
            if is_arm(placed.robot) and carrier.link == placed.robot.n:
                text = f"{placed.name} holds {lower}, which is not possible in an initial state; release it first."
                return Refused(text, part=lower)
            break
        lower = carrier.name
    under = state.attached[part].frame
    return Refused(
        f"{part} stands on {under}, which moves with something else. In an initial state, no part may move with "
        f"another; `place {quoted(part)} at X,Y,Z` first.",
        part=part,
    )
