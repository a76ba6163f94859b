"""The part of a session that other threads may read: immutable, replaced after every change."""

from __future__ import annotations

import gc
from dataclasses import dataclass, replace
from operator import is_
from typing import TYPE_CHECKING

import numpy as np

from workcell.cost import POSES
from workcell.errors import InvalidValue, ServiceError, UnknownName
from workcell.service import frames, poses, protocol
from workcell.service.answers import text_of
from workcell.service.keyframes import keyframes
from workcell.service.painter import Painter
from workcell.service.picture import Picture
from workcell.service.run_view import run_info
from workcell.service.track import Track, recorded, track_of, unchanged
from workcell.simulation.simulator import Simulator

if TYPE_CHECKING:
    from workcell.commands.session import Session
    from workcell.service.shapes import Shapes
    from workcell.simulation.recording import Mark, Recording
    from workcell.world.snapshot import Snapshot


@dataclass(frozen=True)
class Shown:
    """A session at one moment: the picture and the track of clients, and the snapshot behind them."""

    picture: Picture
    track: Track
    snapshot: Snapshot
    run: protocol.RunInfo

    def whole(self) -> list[str | bytes]:
        """Return the frames that show everything."""
        return [frames.packed(text_of(one)) for one in (self.picture.scene(), self.track.info(), self.run)]

    def poses(self, asked: protocol.Poses) -> bytes:
        """Return a frame of poses along the recording."""
        names = None
        if asked.bodies:
            known = self.picture.bodies
            wrong = [one for one in asked.bodies if one not in known]
            if wrong:
                raise UnknownName.among("body", wrong[0], known)
            names = [known[one].name for one in asked.bodies]
        times = asked.start, asked.step, asked.count
        found = poses.along(self.snapshot, self.track.recording, *times, bodies=names)
        return frames.poses_frame(asked.request, asked.start, asked.step, found)

    def motion(self, asked: protocol.Motion) -> bytes:
        """Return a frame of keyframes of the recording; refused if a body or robot no longer exists."""
        if not (np.isfinite(asked.start) and np.isfinite(asked.end) and asked.start <= asked.end):
            raise InvalidValue(f"Motion needs a start and a later end [s]; found {asked.start} and {asked.end}.")
        bodies = [self.picture.bodies[one].name for one in asked.bodies if one in self.picture.bodies]
        robots = [self.picture.robots[one].name for one in asked.robots if one in self.picture.robots]
        if len(set(bodies)) < len(asked.bodies) or len(set(robots)) < len(asked.robots):
            raise ServiceError(
                "Some of the bodies or robots no longer exist or are named twice; ask again for those in the scene."
            )
        span = min(asked.end, self.track.recording.end) - max(asked.start, self.track.recording.start.time)
        POSES.check(int(60 * max(0.0, span) + 1) * len(bodies), f"{span:.0f} s of {len(bodies)} bodies")
        found = keyframes(self.snapshot, self.track.recording, asked.start, asked.end, bodies, robots)
        data = frames.motion_frame(asked.request, found.times, found.poses, found.joints)
        packed = frames.packed(data, asked.request)
        assert isinstance(packed, bytes)
        return packed


class Showing:
    """Keeps what is shown of a session up to date; only the cell thread uses it."""

    def __init__(self, shapes: Shapes) -> None:
        self.painter = Painter(shapes)
        self.now: Shown | None = None
        self._made_from: tuple[Recording, Mark] | None = None
        self._stood: tuple[object, ...] = ()
        self.run_forgotten = False
        """Whether clients were shown a run in progress, so that what was published last is no longer what they have."""

    def forget_run(self) -> None:
        """Note that clients were shown a run in progress."""
        self.run_forgotten = True

    def take(self, session: Session) -> list[protocol.ServerMessage]:
        """Update from the session; return the messages for clients that have what was shown before."""
        before, messages = self.now, list[protocol.ServerMessage]()
        change = self.painter.paint(session)
        if change is not None:
            messages.append(change)
        picture = self.painter.picture
        assert picture is not None
        track = self._track(session, before.track if before is not None else None)
        if before is not None and track.number != before.track.number:
            messages.append(recorded(before.track, track) or track.info())
        run = run_info(session)
        if before is not None and (self.run_forgotten or run != before.run):
            messages.append(run)
        self.run_forgotten = False
        self.now = Shown(picture, track, session.snapshot(), run)
        return messages

    def _track(self, session: Session, before: Track | None) -> Track:
        """Return the track of the current recording; the one before if nothing changed."""
        recording, snapshot, state = session.recording, session.snapshot(), session.state
        made_from = recording, recording.mark()
        stood = (snapshot.bodies, snapshot.robots, state.poses, state.attached, state.joints)
        same = self._made_from is not None and self._made_from[0] is recording and self._made_from[1] == made_from[1]
        if before is not None and same and all(map(is_, stood, self._stood)):
            return before
        self._made_from, self._stood = made_from, stood
        number = before.number + 1 if before is not None else 1
        kept = before.recording if same and before is not None else recording.copy()
        loaded = session.ongoing.loaded
        made = track_of(number, snapshot, state, kept, self.painter.ids, self.painter.robot_ids, loaded=loaded)
        if before is not None and unchanged(before, made):
            return replace(made, number=before.number)
        return made


def rehearse(snapshot: Snapshot) -> None:
    """Move each kind of robot a little on a copy and sample it, to load everything that moving and playing need."""
    simulator = Simulator(snapshot, faults=False)
    for placed in {placed.robot.name: placed for placed in snapshot.robots}.values():
        robot = simulator.robot(placed.name)
        robot.move_joints_absolute(0.99 * robot.joints + 0.01 * placed.robot.limits.mean(axis=1))
    start, names = simulator.recording.start.time, [body.name for body in snapshot.bodies[:20]]
    keyframes(snapshot, simulator.recording, start, start + 0.1, names)
    gc.collect()
    gc.freeze()  # long-lived objects are no longer scanned, which would cause pauses
