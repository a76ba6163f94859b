"""Why there is no motion beside others: who blocks whom, from when to when, and what would help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workcell.collision.supports import going
from workcell.errors import BlockedByMotion, GoalBlocked, NoPath
from workcell.planning.others import Others
from workcell.planning.space import Space
from workcell.planning.tuning import Crossing
from workcell.wording import joined

_LISTED = 3


@dataclass(frozen=True)
class Blocker:
    """One of the others in the way.

    Attributes:
        robot: who.
        begin: from when on [s].
        end: until when [s]; infinite where it stays there.
        pair: the bodies that would touch.
    """

    robot: str
    begin: float
    end: float
    pair: tuple[str, str]

    def __str__(self) -> str:
        until = "on" if np.isinf(self.end) else f"to {self.end:.2f} s"
        return f"{self.robot} from {self.begin:.2f} s {until} ({self.pair[0]} and {self.pair[1]})"


def touching_of(refusal: NoPath) -> tuple[tuple[str, str], ...]:
    """The pairs of bodies that touch at a start or goal, as its refusal has them."""
    pairs = refusal.evidence.get("pairs", ())
    return pairs if isinstance(pairs, tuple) else ()


def goal_taken(refusal: GoalBlocked, space: Space, others: Others) -> NoPath:
    """The error for a goal at which one of the others ends; the refusal itself where it is about something else."""
    robot, owners = space.robot, _owners(space, others)
    blockers = [
        Blocker(owners[body], others.motions[owners[body]].duration, float("inf"), pair)
        for pair in touching_of(refusal)
        for body in pair
        if body in owners
    ]
    if not blockers:
        return refusal
    names = joined(list(dict.fromkeys(one.robot for one in blockers)))
    return BlockedByMotion(
        f"{robot} cannot stay at its goal beside {names}: {'; '.join(str(one) for one in blockers[:_LISTED])}. Let "
        f"{names} end somewhere else, or give {robot} another goal.",
        robot=robot,
        blockers=tuple(blockers),
    )


def no_motion(robot: str, crossings: Sequence[Crossing], refusals: Sequence[NoPath]) -> NoPath:
    """The error for a motion that was not found: who is in the way, from when to when."""
    if not crossings:
        return refusals[0]
    blockers = _blockers(crossings[0])
    if not blockers:
        return refusals[0] if refusals else BlockedByMotion(f"No motion of {robot} was found.", robot=robot)
    names = joined(list(dict.fromkeys(one.robot for one in blockers)))
    start = crossings[0].touching[0]
    if start.any() and not start.all():
        when = float(crossings[0].columns[int(start.argmax())])
        where = f"They come by where {robot} starts at {when:.2f} s, and it finds no place to give way."
    else:
        where = "No wait, slower motion or other way was found."
    return BlockedByMotion(
        f"{robot} does not get there beside {names}. In the way: {'; '.join(str(b) for b in blockers[:_LISTED])}. "
        f"{where} Let {robot} go first, let {names} wait, or move the goal.",
        robot=robot,
        blockers=tuple(blockers),
    )


def _blockers(crossing: Crossing) -> list[Blocker]:
    """Who is in the way along a path, the one that blocks most first."""
    owners = _owners(crossing.space, crossing.others)
    times: dict[tuple[str, str], list[int]] = {}
    for row, column in np.argwhere(crossing.touching).tolist():
        pair = crossing.pair_at(row, column)
        if pair is not None:
            times.setdefault(pair, []).append(column)
    last = len(crossing.columns) - 1
    found = []
    for pair, cells in sorted(times.items(), key=lambda one: -len(one[1])):
        end = float("inf") if max(cells) == last else float(crossing.columns[max(cells)])
        owner = owners[pair[0]] if pair[0] in owners else owners[pair[1]]
        found.append(Blocker(owner, float(crossing.columns[min(cells)]), end, pair))
    return found


def _owners(space: Space, others: Others) -> dict[str, str]:
    """With which of the others each body moves."""
    return {body: name for name in others.names for body in going(space.model, space.state, [name])}
