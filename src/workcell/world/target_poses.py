"""The poses of all targets of a cell, found at once."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from workcell.errors import WorkcellError
from workcell.spatial.pose import Pose

if TYPE_CHECKING:
    from workcell.world.snapshot import Snapshot
    from workcell.world.state import CellState


def target_poses(snapshot: Snapshot, state: CellState) -> dict[str, Pose]:
    """Return ``X_world_target`` by name, for all targets that are somewhere."""
    where = snapshot.finder(state)

    @cache
    def pose_of(name: str, link: int) -> Pose:
        return Pose(where(snapshot.body(name).name) if link < 0 else snapshot.link_frames(state, name)[link])

    found = {}
    for kind, name in snapshot.places.spots:
        if kind == "target":
            try:
                found[name] = snapshot.places.where(name, pose_of, kind)
            except WorkcellError:  # it is nowhere, or in two places
                continue
    return found
