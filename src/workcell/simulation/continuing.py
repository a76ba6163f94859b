"""Continues a recording after the cell was edited or a step was undone."""

from __future__ import annotations

import bisect
import dataclasses
from typing import TypeAlias

import numpy as np

from workcell.simulation import events
from workcell.simulation.events import TrackingEnded
from workcell.simulation.planned import Planned
from workcell.simulation.recording import Mark, Recording
from workcell.simulation.simulator import Simulator
from workcell.simulation.tethers import FOLLOW, may_be_left, tether_of
from workcell.world.placed import PlacedRobot
from workcell.world.renaming import renaming
from workcell.world.snapshot import Snapshot
from workcell.world.state import CellState

Revision: TypeAlias = tuple[int, int]
"""A revision of the cell; equal revisions have equal content."""
MOST_BYTES = 256 * 1024 * 1024
"""The greatest size of recordings kept for undo and redo [bytes]; the oldest are forgotten first."""
_AT_REST = 1e-12
"""Joint speeds and accelerations up to this count as zero [rad/s, rad/s²]."""
_STANDING = ("bodies", "robots", "initial", "zones", "machines", "stations")
"""The sections of a snapshot that decide where everything is.

An edit of other sections leaves a recording unchanged.
"""


def hindrance(simulator: Simulator, snapshot: Snapshot, state: CellState) -> str:
    """Return why a simulator's recording cannot continue with what exists now, under its names; '' if it can."""
    if state.time != simulator.now:
        return f"the clock jumps from {simulator.time:.4f} to {state.shown_time:.4f} s"
    new = renaming(simulator.snapshot, snapshot)
    now = {placed.name: placed for placed in snapshot.robots}
    before = {
        new(placed.name): dataclasses.replace(placed, parent=new(placed.parent)) for placed in simulator.snapshot.robots
    }
    for name in simulator.recording.robots:
        robot = new(name)
        if robot not in now:
            return f"{robot or name} moved in it and is gone"
        if not _same_joints(before[robot], now[robot]):
            return f"{robot} moved in it and has other joints"
        if not _same_place(before[robot], now[robot]):
            return f"{robot} moved in it and is now elsewhere"
    return ""


def continued(simulator: Simulator, snapshot: Snapshot, state: CellState) -> Recording:
    """Return a recording continued with what exists now, under its names. What an edit moved jumps there."""
    new = renaming(simulator.snapshot, snapshot)
    untouched = state is simulator.state and all(
        getattr(simulator.snapshot, section) is getattr(snapshot, section) for section in _STANDING
    )
    recording = simulator.recording if untouched else simulator.recording.renamed(new).on(snapshot)
    for event in _left(simulator):
        recording.event(events.renamed(event, new))
    if untouched:
        return recording
    recording.jump(snapshot.fitted(simulator.state.renamed(new)), state)
    return recording


def after_edit(before: Simulator, snapshot: Snapshot, state: CellState) -> tuple[Simulator, str]:
    """Return the simulator that continues after an edit, and why the recording is dropped; '' if it continues."""
    lost = "" if before.recording.empty else hindrance(before, snapshot, state)
    if lost or before.recording.empty:
        return Simulator(snapshot, None, state), lost
    now = Simulator(snapshot, None, state, continued(before, snapshot, state))
    come_to_rest(before, now)
    return now, ""


def come_to_rest(before: Simulator, now: Simulator) -> None:
    """Bring arms to rest within their limits that followed something, or were stopping after that, before an edit.

    An arm that the edit moved, or gave other joints, is at rest there.
    """
    from workcell.simulation.following import stopping

    new = renaming(before.snapshot, now.snapshot)
    here = {placed.name: placed for placed in now.snapshot.robots}
    for drive in before.drives.values():
        placed = here.get(new(drive.name))
        if not may_be_left(drive) or placed is None or drive.since is None:
            continue
        present = drive.present(before.now)
        if not _same_joints(before.snapshot.robot(drive.name), placed) or not np.abs(present[1:]).max() > _AT_REST:
            continue
        if not np.array_equal(present[0], now.joints_of(placed.name)):
            continue
        motion = stopping(placed, drive.planned.profile, present)
        now.begin(
            Planned(
                placed.name, motion, present[0], motion.end, now.step, now.resolution, FOLLOW, drive.planned.profile,
                "stopped",
            )
        )  # fmt: skip


def _left(simulator: Simulator) -> list[TrackingEnded]:
    """Return the ends of tracking: an edit ends every motion that is under way."""
    found = []
    for drive in simulator.drives.values():
        tether = tether_of(drive)
        if tether is not None:
            hand = simulator.snapshot.tool_pose(simulator.state, drive.name) @ tether.X_tool_hand
            x, y, z = hand.xyz.tolist()
            reason = "the cell was edited"
            found.append(TrackingEnded(simulator.now, drive.name, tether.on, reason, (x, y, z)))
    return found


def _same_joints(one: PlacedRobot, other: PlacedRobot) -> bool:
    return one.robot is other.robot or one.robot.rows == other.robot.rows


def _same_place(one: PlacedRobot, other: PlacedRobot) -> bool:
    return (one.parent, one.parent_link, one.X_parent_base) == (other.parent, other.parent_link, other.X_parent_base)


class Versions:
    """The recordings at all revisions that undo and redo can reach.

    A version is a recording and its length: steps that only extend a recording share it.
    """

    def __init__(self) -> None:
        self._known: dict[Revision, tuple[Recording, Mark]] = {}
        self._order: list[Revision] = []
        self._last: Revision = (-1, 0)
        """The current revision; versions after it can be reached by redo."""

    def copy(self) -> Versions:
        """Return a copy, for another thread."""
        other = Versions()
        other._known, other._order, other._last = dict(self._known), list(self._order), self._last
        return other

    def at(self, revision: Revision) -> Recording | None:
        """Return the recording at a revision, if there is one; this becomes the current revision."""
        known = self._known.get(revision)
        if known is None:
            return None
        self._last = revision
        recording, mark = known
        return recording.cut(mark)

    def keep(self, revision: Revision, recording: Recording) -> None:
        """Keep the recording at a revision. A new step ends what could be redone."""
        if revision > self._last:
            later = bisect.bisect_right(self._order, self._last)
            for gone in self._order[later:]:
                del self._known[gone]
            del self._order[later:]
        before = self._known.get(self._last)
        if revision not in self._known:
            bisect.insort(self._order, revision)
        self._known[revision], self._last = (recording, recording.mark()), revision
        if before is not None and before[0] is not recording:
            self._forget()

    def _forget(self) -> None:
        """Drop the oldest recordings if all together take too much; the one that grows stays."""
        sizes = {id(recording): recording.size for recording, _ in self._known.values()}
        total, growing = sum(sizes.values()), self._known[self._last][0]
        for revision in list(self._order):
            if total <= MOST_BYTES:
                return
            recording = self._known[revision][0]
            if recording is not growing:
                del self._known[revision]
                self._order.remove(revision)
                if all(other is not recording for other, _ in self._known.values()):
                    total -= sizes[id(recording)]
