"""Parts that rest on something: which, along which normal, and how deep they press."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from workcell.collision.clearance import clear_beyond, distance_between, nearest_of_pairs
from workcell.collision.frame_tree import frozen
from workcell.collision.meeting import Meeting
from workcell.collision.pairs import PENETRATION, PairTable, Phase, Support
from workcell.collision.pieces import no_pieces
from workcell.collision.rules import TESTED
from workcell.errors import Refused, UnknownName
from workcell.world.state import CellState

if TYPE_CHECKING:
    from workcell.collision.arrangement import Arrangement
    from workcell.collision.bodies import CollisionModel

Array = NDArray[np.float64]

TOUCHING = 1e-6
_NEAR = 2e-4
"""Faces nearer than this are what a part rests on [m], or nearer than the meshes' deviations where these are more."""
_BESIDE = 2e-5
"""How near what stands beside a part must be to touch it [m]: places of parts are rounded to 0.01 mm."""
_STEEP = 0.5
"""How far up a face must look, as a cosine, to carry a part: what is steeper than 60° is a wall."""
_UPWARD = 0.9
"""How far up a link's face must look, as a cosine, for a part to rest on it and not to be pushed by it."""


@dataclass(frozen=True)
class _Touch:
    """How a part touches a base: the way out in the frame of the base (3,), how far up that is, and the gap [m]."""

    normal: Array
    up: float
    gap: float

    def support(self, part: str, base: str, phase: Phase = "leaving") -> Support:
        x, y, z = (float(v) for v in self.normal)
        return Support(part, base, (x, y, z), phase)


def pressed(arrangement: Arrangement, poses: Array, part: int, base: int, normal: Array, depth: float) -> bool:
    """Whether a part still crosses its base after it is moved by ``depth`` along the base's normal.

    That is the meaning of penetration: how far the part must be moved to be out.
    """
    from workcell.collision import _kernels_meshes

    shifted = poses[[arrangement.frame[base], arrangement.frame[part]]].copy()
    shifted[1, 9:] += depth * (shifted[0, :9].reshape(3, 3) @ normal)
    roots, frame = arrangement.bodies[0][[base, part]], np.arange(2, dtype=np.int32)
    bodies = (*frozen(roots, frame, *_seeds(arrangement, base, part)), no_pieces(2))
    kinds = np.zeros(1, dtype=np.int32)
    first, second, margins = np.zeros(1, np.int32), np.ones(1, np.int32), np.zeros(1)
    for array in (first, second, margins):
        array.flags.writeable = False
    hits = np.empty((1, 2), dtype=np.int32)
    _kernels_meshes.pairs_within(arrangement.mesh, bodies, shifted, first, second, margins, kinds, hits)
    return bool(kinds[0])


def supports_of(model: CollisionModel, state: CellState, part: str, phase: Phase = "leaving") -> tuple[Support, ...]:
    """What a part may touch where it is taken or put: tested bodies into which it presses no deeper than 1e-4 m.

    That is what it lies on, and also what locates it: a stop beside it, the walls of a fixture. A link of a robot only
    carries what lies on top of it: from other sides it pushes. The hand that holds the part is left out. A contact that
    no single direction explains is not a support.
    """
    plain = model.asking(msgspec.structs.replace(model.pairs, supports=()), None)
    arrangement = plain.arrangement(state)
    place = arrangement.place(part)
    known = place in arrangement.rows
    codes = (arrangement if known else plain.arrangement(state, (part,))).codes_of(place)
    poses = arrangement.placed(state)
    found = []
    for base in np.flatnonzero(codes == TESTED).tolist():
        body = model.bodies[base]
        touch = None if body.zone is not None else _touch(arrangement, poses, place, base)
        if touch is not None and (touch.up > _UPWARD or not body.is_link):
            found.append(touch.support(part, body.name, phase))
    return tuple(found)


def going(model: CollisionModel, state: CellState, movers: Iterable[str]) -> frozenset[str]:
    """The bodies that go when robots and free bodies move: theirs, of what is mounted on them, and all they carry.

    The base of a robot goes with what the robot is mounted on, and not with its joints.
    """
    names = set(movers)
    known = model.names
    for name in names:
        if name not in known:
            raise UnknownName.among("robot or body", name, known)
    robots = list(model.snapshot.robots)
    while more := {placed.name for placed in robots if placed.parent in names} - names:
        names |= more
    still = {placed.name for placed in robots if placed.parent not in names}
    found = {
        body.name
        for body in model.bodies
        if (body.owner if body.is_link else body.name) in names and not (body.link == 0 and body.owner in still)
    }
    while more := {part for part, held in state.attached.items() if held.frame in found} - found:
        found |= more
    return frozenset(found)


def supported(
    model: CollisionModel, state: CellState, movers: Iterable[str], end: CellState | None = None
) -> CollisionModel:
    """The model for a motion: what stands still throughout rests as it does; carried parts may leave and arrive.

    Two bodies of which neither moves cannot come to touch by the motion, so they are not asked about. A part that is
    carried, or moves on its own, may touch what supports it at the start until it is clear of that, and what supports
    it at the end from when it last is; :mod:`workcell.collision.leaving` finds these instants.

    Args:
        model: the bodies and the pair table.
        state: where everything is at the start, and who carries what.
        movers: the robots and the free bodies that move.
        end: where everything is at the end; no part arrives anywhere by default.
    """
    movers = list(movers)
    moving = going(model, state, movers)
    bodies, index = model.bodies, model.index
    carried = [part for part in sorted(state.attached) if part in moving and not bodies[index[part]].is_link]
    carried += [name for name in movers if name in index and name not in state.attached]
    supports: list[Support] = []
    for part in carried:
        supports += supports_of(model, state, part)
        if end is not None:
            supports += supports_of(model, end, part, "arriving")
    return model.asking(msgspec.structs.replace(model.pairs, supports=tuple(supports)), moving)


def rests(model: CollisionModel, state: CellState) -> tuple[Support, ...]:
    """Every part that rests on something at a state: movable, on top of it, and not pressed in deeper than 1e-4 m.

    A part that lies on something may also touch what stands beside it, such as a stop or the next part; in mid-air that
    is a contact. A link of a robot carries only what lies flat on top of it: from other sides it pushes. Pairs that the
    table names, as tested or with a margin of their own, are contacts as all others.
    """
    arrangement = model.arrangement(state)
    bodies = model.bodies
    part = np.array([body.movable and not body.is_link for body in bodies], dtype=bool)
    zone = np.array([body.zone is not None for body in bodies], dtype=bool)
    first, second = arrangement.first, arrangement.second
    some = np.flatnonzero((part[first] | part[second]) & ~zone[first] & ~zone[second])
    poses = arrangement.placed(state)
    found, beside, lying = [], [], set()
    for near in nearest_of_pairs(arrangement, state, some, max(_NEAR, 2.0 * float(model.deviations.max(initial=0.0)))):
        a, b = model.index[near.first], model.index[near.second]
        if _named(model, a, b):
            continue
        ways = [(one, base) for one, base in ((a, b), (b, a)) if part[one]]
        touches = [_touch(arrangement, poses, one, base) for one, base in ways]
        for (one, base), touch in zip(ways, touches, strict=True):
            if touch is not None and touch.up > (_UPWARD if bodies[base].is_link else _STEEP):
                found.append(touch.support(bodies[one].name, bodies[base].name))
                lying.add(one)
                break
        else:
            (one, base), touch = ways[0], touches[0]
            rounded = max(_BESIDE, float(model.deviations[[a, b]].sum()))
            if touch is not None and touch.gap <= rounded and not bodies[base].is_link:
                beside.append((one, base, touch))
    for one, base, touch in beside:
        if all(place in lying for place in (one, base) if part[place]):
            found.append(touch.support(bodies[one].name, bodies[base].name))
    return tuple(found)


def lies_on(model: CollisionModel, state: CellState, support: Support) -> bool:
    """Whether a part lies on its support; if not, it stands against it."""
    arrangement = model.arrangement(state)
    X_base = arrangement.placed(state)[arrangement.frame[model.index[support.base]]]
    return float(X_base[6:9] @ np.array(support.normal)) > _STEEP


def at_rest(model: CollisionModel, state: CellState) -> CollisionModel:
    """The model for one state: parts may touch what they rest on there."""
    supports = rests(model, state)
    return model.asking(msgspec.structs.replace(model.pairs, supports=supports), model.going) if supports else model


def _named(model: CollisionModel, a: int, b: int) -> bool:
    """Whether the table itself names two bodies."""
    bodies = model.bodies
    table = model.pairs
    named = [(item.first, item.second) for item in table.decisions if item.tested]
    named += [(item.first, item.second) for item in table.margins]
    for first, second in named:
        for one, other in ((bodies[a], bodies[b]), (bodies[b], bodies[a])):
            if first in one.called and second in other.called:
                return True
    return False


def resting(model: CollisionModel, state: CellState, part: str, phase: Phase = "leaving") -> CollisionModel:
    """The model whose table lets a part touch what it rests on at this state, as after a grasp."""
    table = model.pairs
    for support in supports_of(model, state, part, phase):
        table = table.resting(support)
    return model.with_pairs(table)


def settled(model: CollisionModel, state: CellState) -> CollisionModel:
    """The model without the supports that a part has left: those that it is clear of now."""
    table: PairTable = model.pairs
    arrangement = model.arrangement(state)
    for support in table.supports:
        found = distance_between(model, state, support.part, support.base)
        if support.phase == "leaving" and found.distance > clear_beyond(arrangement, support):
            table = table.lifted(support.part, support.base)
    return model if table is model.pairs else model.with_pairs(table)


def require_support(model: CollisionModel, state: CellState, part: str) -> tuple[Support, ...]:
    """What a part rests on; refused when it rests on nothing."""
    found = supports_of(model, state, part)
    if not found:
        raise Refused(f"{part!r} rests on nothing at this state.", part=part)
    return found


def _touch(arrangement: Arrangement, poses: Array, part: int, base: int) -> _Touch | None:
    """How a part touches a base; None when they are apart, or pressed in too deep."""
    bodies, frame = arrangement.model.bodies, arrangement.frame
    X_base, X_part = poses[frame[base]].copy(), poses[frame[part]].copy()
    R_base, R_part = X_base[:9].reshape(3, 3), X_part[:9].reshape(3, 3)
    box_base, box_part = bodies[base].tree.box[0], bodies[part].tree.box[0]
    near = max(_NEAR, float(arrangement.model.deviations[[base, part]].sum()))
    between = np.linalg.norm(R_base @ box_base[:3] + X_base[9:] - R_part @ box_part[:3] - X_part[9:])
    if between > np.linalg.norm(box_base[3:]) + np.linalg.norm(box_part[3:]) + near:
        return None
    meeting = Meeting(bodies[base].tree, bodies[part].tree, X_base, X_part)
    distance, here, there = meeting.gap
    if distance > near:
        return None
    if distance > TOUCHING:
        way = (there - here) / distance
    else:
        depth, way = meeting.way_out
        if depth > PENETRATION:
            return None
    return _Touch(np.asarray(R_base.T @ way), float(way[2]), distance)


def _seeds(arrangement: Arrangement, *places: int) -> tuple[NDArray[np.int32], Array]:
    trees = [arrangement.model.bodies[place].tree for place in places]
    start = np.concatenate([[0], np.cumsum([len(tree.seeds) for tree in trees])]).astype(np.int32)
    return start, np.concatenate([tree.seeds for tree in trees])
