"""Links whose shapes Workcell drew from an arm's dimensions, and that touch by how they are drawn.

A table of dimensions does not give the thickness of the links. Where two drawn links that are no neighbours touch
whatever the joints do, the drawing does not describe the real arm, so the pair is not tested. The same holds
where the joints between them have one axis: one slides through the other, as the quill of a SCARA. Every other pair of
drawn links is tested.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workcell.kinematics.dh import Chain
from workcell.kinematics.forward import frames_batch

if TYPE_CHECKING:
    from workcell.collision.bodies import CollisionModel
    from workcell.world.placed import PlacedRobot
    from workcell.world.state import CellState

Array = NDArray[np.float64]
Pairs = tuple[tuple[int, int, str], ...]

POSES = 256
"""In how many random poses, over the whole range of the joints, links are looked at."""
NEARLY_ALL = 0.95
"""Links that touch in this part of the poses touch by how they are drawn."""
_ONE_LINE = 1e-9
_KEPT = 256
_DRAWN = "both are drawn from the dimensions of the robot, and"

_known: dict[tuple[object, ...], Pairs] = {}


def touching_as_drawn(model: CollisionModel) -> Mapping[tuple[int, int], str]:
    """The pairs of drawn links that are not tested, by their places and the lower first; why each is not."""
    found: dict[tuple[int, int], str] = {}
    for placed in model.snapshot.robots:
        for one, other, reason in _pairs(model, placed):
            for a in _whole(model, placed, one):
                for b in _whole(model, placed, other):
                    found[min(a, b), max(a, b)] = reason
    return found


def _whole(model: CollisionModel, placed: PlacedRobot, link: int) -> tuple[int, ...]:
    """The places of a link and of the gripper that is part of it."""
    return model.bodies_called(model.bodies[placed.bodies[link]].name)


def untested_as_drawn(model: CollisionModel, state: CellState) -> list[tuple[str, str, str]]:
    """The pairs of drawn links that are not tested at a state for how they are drawn, and why."""
    arrangement = model.arrangement(state)
    named = ((model.bodies[a].name, model.bodies[b].name) for a, b in model.touching_as_drawn)
    return [(one, other, arrangement.reason(one, other)) for one, other in named if arrangement.as_drawn(one, other)]


def _pairs(model: CollisionModel, placed: PlacedRobot) -> Pairs:
    """The links of a robot that touch by how they are drawn; kept for the same arm."""
    links = placed.robot.links
    there = [number for number, place in enumerate(placed.bodies) if place >= 0]
    drawn = [number for number in there if links[number].drawn]
    # Neighbours among those that have a shape are not tested anyway.
    asked = [(i, j) for i in drawn for j in drawn if there.index(j) > there.index(i) + 1]
    if not asked:
        return ()
    chain, limits = placed.robot.chain, placed.robot.limits
    trees = tuple(model.bodies[place].tree.key for number in there for place in _whole(model, placed, number))
    key = (chain, limits.tobytes(), placed.robot.home.tobytes(), tuple(drawn), trees)
    if key not in _known:
        if len(_known) >= _KEPT:
            _known.clear()
        _known[key] = _touching(model, placed, asked)
    return _known[key]


def _on_one_line(chain: Chain, first: int, last: int) -> bool:
    """Whether all joints between two links have one axis."""
    between = chain.rows[first : last - 1]
    return all(abs(row.a) < _ONE_LINE and abs(math.sin(row.alpha)) < _ONE_LINE for row in between)


def _touching(model: CollisionModel, placed: PlacedRobot, asked: list[tuple[int, int]]) -> Pairs:
    chain, limits = placed.robot.chain, placed.robot.limits
    Q = np.random.default_rng(0).uniform(limits[:, 0], limits[:, 1], (POSES, len(limits)))
    touching = _touching_at(model, placed, asked, np.concatenate([placed.robot.home[None], Q]))
    found = []
    for k, (i, j) in enumerate(asked):
        count = int(touching[1:, k].sum())
        if count >= NEARLY_ALL * POSES:
            often = f"all {POSES}" if count == POSES else f"{count} of {POSES}"
            found.append((i, j, f"{_DRAWN} they touch in {often} random poses"))
        elif touching[:, k].any() and _on_one_line(chain, i, j):
            found.append((i, j, f"{_DRAWN} one slides or turns in the other"))
    return tuple(found)


def _touching_at(
    model: CollisionModel, placed: PlacedRobot, asked: list[tuple[int, int]], Q: Array
) -> NDArray[np.bool_]:
    """In which poses (N, n) each pair of links touches (N, pairs)."""
    from workcell.collision import _kernels_meshes

    X = frames_batch(placed.robot.chain, Q)
    poses = np.concatenate([X[:, :, :3, :3].reshape(len(Q), -1, 9), X[:, :, :3, 3]], axis=2)
    mesh, roots = model.packed
    frame = np.zeros(len(model.bodies), dtype=np.int32)
    for number, place in enumerate(placed.bodies):
        if place >= 0:
            frame[list(_whole(model, placed, number))] = number
    tested = [
        (k, a, b)
        for k, pair in enumerate(asked)
        for a in _whole(model, placed, pair[0])
        for b in _whole(model, placed, pair[1])
        if not (model.bodies[a].untouchable or model.bodies[b].untouchable)
    ]
    of, first, second = (np.array(column, dtype=np.int32) for column in np.reshape(tested, (-1, 3)).T)
    margins = np.zeros(len(tested))
    for array in (frame, first, second, margins):
        array.flags.writeable = False
    kinds, hits = np.zeros(len(tested), dtype=np.int32), np.empty((len(tested), 2), dtype=np.int32)
    touching = np.zeros((len(Q), len(asked)), dtype=bool)
    bodies = (roots, frame, *model.seeds, model.pieces)
    for row, one in enumerate(np.ascontiguousarray(poses)):
        _kernels_meshes.pairs_within(mesh, bodies, one, first, second, margins, kinds, hits)
        touching[row, of[kinds != 0]] = True
    return touching
