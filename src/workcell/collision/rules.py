"""Why two bodies are tested against each other or not: the rules of the cell, then what was decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.errors import UnknownName

if TYPE_CHECKING:
    from workcell.collision.arrangement import Arrangement
    from workcell.collision.bodies import CollisionModel
    from workcell.collision.zones import Zone

TESTED, FIXTURES, RESTING = 0, 2, 11
REASONS = (
    "tested",
    "the same body",
    "fixtures: neither can move",
    "carried together: they cannot move against each other",
    "adjacent links: they share a joint",
    "the robot stands on it",
    "a part and what holds or carries it",
    "self-collision of the robot is switched off",
    "not used",
    "a zone concerns only robots, or those that it names, and what they carry",
    "a slow-down zone or a shared one stops nobody",
    "a part resting on its support",
    "it has no shape",
    "a ghost: it is for looking at",
    "neither of them moves",
    "drawn from the dimensions of the robot, and touching by that",
    "allowed by decision",
)
(
    _TESTED, _SAME, _FIXTURES, _TOGETHER, _ADJACENT, _MOUNTED, _HELD, _SELF, _UNUSED, _ZONE, _SLOW, _SUPPORT,
    _SHAPELESS, _GHOST, _STILL, DRAWN, _ALLOWED,
) = range(17)  # fmt: skip

Codes = NDArray[np.uint8]


def codes(model: CollisionModel, arrangement: Arrangement, rows: NDArray[np.int32]) -> Codes:
    """For each of the rows' bodies and each body the reason's number (R, B); 0 where the pair is tested."""
    bodies, table = model.bodies, model.pairs
    count = len(bodies)
    carrier = arrangement.carrier
    out = np.zeros((len(rows), count), dtype=np.uint8)
    owner_of = {name: number for number, name in enumerate({body.owner: None for body in bodies})}
    owner = np.array([owner_of[body.owner] for body in bodies], dtype=np.int32)
    link = np.array([body.link for body in bodies], dtype=np.int32)
    movable = np.array([body.movable for body in bodies], dtype=bool)
    driven = carrier >= 0
    by_robot = arrangement.by_robot
    for k, a in enumerate(rows):
        row = out[k]
        body = bodies[a]
        if driven[a]:
            row[carrier == carrier[a]] = _TOGETHER
        else:
            still = ~driven
            row[still & ~(movable | movable[a])] = _FIXTURES
        if link[a] >= 0:
            same = (owner == owner[a]) & (link >= 0)
            if body.owner in table.self_off:
                row[same] = _SELF
            shaped = np.sort(link[same])
            at = int(np.searchsorted(shaped, link[a]))
            near = [int(shaped[i]) for i in (at - 1, at + 1) if 0 <= i < len(shaped)]
            row[same & np.isin(link, near)] = _ADJACENT
        if body.zone is not None:
            row[~by_robot] = _ZONE
        row[a] = _SAME
    place_of_row = {int(a): k for k, a in enumerate(rows)}

    def put(a: int, b: int, code: int) -> None:
        for one, other in ((a, b), (b, a)):
            if one in place_of_row and out[place_of_row[one], other] != _SAME:
                out[place_of_row[one], other] = code

    for a, b in model.touching_as_drawn:
        if any(one in place_of_row and out[place_of_row[one], other] == _TESTED for one, other in ((a, b), (b, a))):
            put(a, b, DRAWN)
    for base, stands_on in arrangement.mounted:
        put(base, stands_on, _MOUNTED)
    for part, hand in arrangement.held:
        put(part, hand, _HELD)
    for part, base in arrangement.reaching_in if model.going is None else ():
        put(part, base, _TESTED)
    for place, body in enumerate(bodies):
        if body.zone is not None:
            concerned = concerns(arrangement, body.zone)
            for k, a in enumerate(rows):
                if body.zone.rule != "keep out":
                    out[k, place] = _SLOW
                elif not by_robot[a] or not concerned[a]:
                    out[k, place] = _ZONE
    for decision in table.decisions:
        firsts, seconds = model.bodies_called(decision.first), model.bodies_called(decision.second)
        code = _TESTED if decision.tested else _ALLOWED
        named = {decision.first, decision.second}
        for a in firsts:
            for b in seconds:
                if not model.are_one(a, b) or named == {bodies[a].name, bodies[b].name}:
                    put(a, b, code)
    for support in table.supports:
        a, b = model.index[support.part], model.index[support.base]
        if a in place_of_row and out[place_of_row[a], b] == _TESTED:
            put(a, b, _SUPPORT)
    if model.going is not None:
        still = np.array([body.name not in model.going for body in bodies], dtype=bool)
        quiet = out[still[rows]]
        quiet[:, still] = np.where(quiet[:, still] == _SAME, _SAME, _STILL)
        out[still[rows]] = quiet
    left_out = [(a, _UNUSED) for name in table.unused for a in model.bodies_called(name)]
    left_out += [(a, _GHOST if body.ghost else _SHAPELESS) for a, body in enumerate(bodies) if body.untouchable]
    for a, code in left_out:
        out[:, a] = code
        if a in place_of_row:
            out[place_of_row[a]] = code
    return out


def belonging(arrangement: Arrangement, robot: str) -> NDArray[np.bool_]:
    """Which bodies belong to a robot or go with it: its links, what is mounted on them, what any of them carry (B,)."""
    model = arrangement.model
    if robot not in arrangement.columns:
        raise UnknownName.among("robot", robot, arrangement.columns)
    frames = {int(arrangement.frame[place]) for place in model.bodies_called(robot)}
    own = np.zeros(len(model.bodies), dtype=bool)
    for place in range(len(model.bodies)):
        f = int(arrangement.frame[place])
        while f >= 0 and f not in frames:
            f = int(arrangement.parent[f])
        own[place] = f >= 0
    return own


def families(arrangement: Arrangement) -> NDArray[np.int32]:
    """For each body the robot that its link belongs to, with what is mounted on it, as a number; −1 for others (B,)."""
    roots: dict[str, int] = {}
    parents = {placed.name: placed.parent for placed in arrangement.robots}
    out = np.full(len(arrangement.model.bodies), -1, dtype=np.int32)
    for place, body in enumerate(arrangement.model.bodies):
        if body.is_link:
            name = body.owner
            while parents.get(name) in parents:
                name = parents[name]
            out[place] = roots.setdefault(name, len(roots))
    return out


def concerns(arrangement: Arrangement, zone: Zone) -> NDArray[np.bool_]:
    """Which bodies a zone is about when they move (B,)."""
    out = np.full(len(arrangement.model.bodies), not zone.robots and not zone.absent)
    for robot in zone.robots:
        out |= belonging(arrangement, robot)
    for robot in zone.exempt:
        if robot in arrangement.columns:
            out &= ~belonging(arrangement, robot)
    return out


def margins(
    model: CollisionModel, arrangement: Arrangement, rows: NDArray[np.int32], codes_of: Codes
) -> NDArray[np.float64]:
    """The clearance required of each pair (R, B) [m]; −1 where the pair is not tested.

    Links of one robot, with what is mounted on it, are near each other by build: only a margin of their own counts.
    """
    table = model.pairs
    out = np.where(codes_of == TESTED, table.margin, -1.0)
    if table.margin > 0.0:
        family = families(arrangement)
        own = (family[rows, None] == family[None, :]) & (family[rows, None] >= 0)
        out[own & (out >= 0.0)] = 0.0
    place_of_row = {int(a): k for k, a in enumerate(rows)}
    for item in table.margins:
        for a in model.bodies_called(item.first):
            for b in model.bodies_called(item.second):
                for one, other in ((a, b), (b, a)):
                    if one in place_of_row and out[place_of_row[one], other] >= 0.0:
                        out[place_of_row[one], other] = item.margin
    return out
