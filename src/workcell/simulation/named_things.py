"""The things that the parameters of a program name: whether they exist."""

from __future__ import annotations

from workcell.errors import UnknownName
from workcell.world.snapshot import Snapshot


def require_known(snapshot: Snapshot, parameter: str, kind: str, name: str) -> None:
    """Refuse a name for a parameter that nothing of its type has.

    Args:
        snapshot: what exists.
        parameter: the parameter.
        kind: its type: part, robot or place.
        name: what was given for it.
    """
    known = {
        "part": [body.owner for body in snapshot.bodies if body.link < 0],
        "robot": [placed.name for placed in snapshot.robots],
        "place": [spot for _, spot in snapshot.places.spots],
    }[kind]
    if name not in known:
        unknown = UnknownName.among(kind, name, known)
        raise UnknownName(f"Parameter {parameter!r}: {unknown.message}", **unknown.evidence)
