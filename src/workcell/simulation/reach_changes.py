"""Reports targets that an edit moved out of reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from workcell.errors import WorkcellError
from workcell.programs.reach import reachable
from workcell.robots.reaching import hand_in_tool
from workcell.simulation.branch_policy import has_hand
from workcell.world.axes_text import is_held
from workcell.world.target_poses import target_poses

if TYPE_CHECKING:
    from workcell.world.editing import Editing
    from workcell.world.snapshot import Snapshot

_MOST_CHECKS = 400
"""The greatest number of targets times arms whose reach is tested after every edit; above it, only on request."""
_NAMED = 4


class ReachBefore:
    """The targets that each arm reached before an edit; made at its beginning and compared at its end.

    Args:
        edit: the edit.
        asked: whether a report is wanted; not in a replay.
    """

    def __init__(self, edit: Editing, asked: bool) -> None:
        self._edit = edit
        self._found = self._reached() if asked else None

    def _reached(self) -> dict[str, dict[str, tuple[bool, ...]]] | None:
        """Return by arm and target whether the tool and the grip point reach it; None if that would take long."""
        entities = self._edit.database.entities
        if not entities("target") or not entities("robot"):  # do not flatten a cell without them
            return None
        snapshot, state = self._edit.seen()
        targets = sum(kind == "target" for kind, _ in snapshot.places.spots)
        arms = [placed for placed in snapshot.robots if has_hand(placed.robot)]
        if not targets or targets * len(arms) > _MOST_CHECKS:
            return None
        poses = target_poses(snapshot, state)
        if not poses:
            return None
        matrices = np.array([pose.matrix for pose in poses.values()])
        found = {}
        for arm in arms:
            inside = np.linalg.inv(snapshot.base_pose(state, arm.name).matrix) @ matrices
            hands = [hand_in_tool(arm.robot, point) for point in ("tool", "grip")]
            try:
                reached = [reachable(arm.robot, inside @ np.linalg.inv(one.matrix)) for one in hands if one is not None]
            except WorkcellError:  # an arm without an inverse for such poses
                continue
            rows = zip(poses, zip(*(one.tolist() for one in reached), strict=True), strict=True)
            found[arm.name] = {name: row for name, row in rows if not places_axes(snapshot, arm.name, name)}
        return found

    def note(self) -> str:
        """Return the end of an answer with the targets that are now out of reach; '' if there are none."""
        now = self._reached() if self._found else None
        texts = []
        for arm, before in (self._found or {}).items():
            after = (now or {}).get(arm, {})
            lost = tuple(name for name, reached in before.items() if _lost(reached, after.get(name, reached)))
            if lost:
                texts.append(f"{arm} no longer reaches {named_first(lost)}")
        return f"; {'; '.join(texts)} (`check targets` gives the reasons)" if texts else ""


def _lost(before: tuple[bool, ...], now: tuple[bool, ...]) -> bool:
    """Return whether the tool, or the grip point if the tool never did, no longer reaches a target."""
    return any(before) and not now[before.index(True)]


def places_axes(snapshot: Snapshot, arm: str, target: str) -> bool:
    """Return whether a move of an arm to a target sets the axes of its machine."""
    axes = snapshot.places.spot(target, "target").axes
    return bool(axes) and not is_held(axes) and snapshot.machine_of(arm) is not None


def named_first(names: tuple[str, ...]) -> str:
    """Return the first of some names, and how many more there are."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
