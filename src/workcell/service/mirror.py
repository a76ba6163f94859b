"""What a client knows of a cell: the picture, the recording and the jobs, updated by messages of the server."""

from __future__ import annotations

import msgspec

from workcell.service import protocol
from workcell.service.picture import Picture


class Mirror:
    """Follows a cell message by message; if ``missed`` is true, a difference does not fit, and the whole is needed."""

    def __init__(self) -> None:
        self.picture: Picture | None = None
        self.recording: protocol.RecordingInfo | None = None
        self.kept = 0.0
        """Up to when motion that was fetched before the last message on the recording is valid [s since its start]."""
        self.jobs: dict[str, protocol.Progress] = {}
        self.changes: list[protocol.Change] = []
        """The last changes, each with who made it; the newest is last."""
        self.notices: list[protocol.Notice] = []
        """The last refusals of other programs, the newest last."""
        self.missed = False

    def receive(self, message: protocol.ServerMessage) -> None:
        """Apply a message; messages that are not about the cell are ignored."""
        match message:
            case protocol.Scene():
                self.picture, self.missed = Picture.of(message), False
            case protocol.Difference():
                after = None if self.picture is None else self.picture.after(message)
                self.missed = self.missed or after is None
                self.picture = after or self.picture
            case protocol.RecordingInfo():
                self.recording, self.kept = msgspec.structs.replace(message, request=0), 0.0
            case protocol.Recorded():
                self._recorded(message)
            case protocol.Behind():
                self.missed = True
            case protocol.Progress():
                self.jobs.pop(message.job, None)
                if not message.done:
                    self.jobs[message.job] = message
            case protocol.Change():
                self.changes = [*self.changes[-99:], message]
            case protocol.Notice():
                self.notices = [*self.notices[-99:], message]

    def _recorded(self, change: protocol.Recorded) -> None:
        known = self.recording
        if known is None or known.number != change.before:
            self.missed = True
            return
        moving = [one for one in known.moving if one not in set(change.still)]
        self.kept = change.kept
        self.recording = msgspec.structs.replace(
            known,
            number=change.after,
            duration=change.duration,
            robots=known.robots if change.robots is msgspec.UNSET else change.robots,
            moving=[*moving, *change.moving],
            events=[*known.events[: change.events_kept], *change.events],
        )
