"""Collisions as the error stream prints them: their type, the two objects, and the joints of agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.errors import WorkcellError

if TYPE_CHECKING:
    from workcell.commands.session import Session


def collision(session: Session, error: WorkcellError) -> str | None:
    """Return the type, the objects and the joints of the first pair that an error names; None if it names none."""
    pair = _pair(error)
    if pair is None:
        return None
    links = {body.name: (body.owner, body.link) for body in session.snapshot().bodies}
    agents = {one.name for one in session.snapshot().robots}
    found = [links.get(name, (name, -1)) for name in pair]
    parts = sorted(found, key=lambda one: one[0] not in agents)  # an agent comes before an object
    joints = [link for owner, link in parts if owner in agents]
    return " ".join(str(word) for word in (len(joints), *(owner for owner, _ in parts), *joints))


def _pair(error: WorkcellError) -> tuple[str, ...] | None:
    """Return the two bodies that an error names: those that would touch, or what was in the way first."""
    for name in ("pair", "pairs", "obstacles"):
        found = error.evidence.get(name)
        while isinstance(found, (list, tuple)) and found and not isinstance(found[0], str):
            found = found[0]
        if isinstance(found, (list, tuple)) and len(found) >= 2 and isinstance(found[1], str):
            return tuple(found[:2])
    return None
