"""The recording of a cell in its file: written by `save` and when the cell is closed, shown again when it is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workcell.errors import Refused, WorkcellError
from workcell.simulation.ongoing import Ongoing
from workcell.wording import capital
from workcell.world.recording_row import store_recording, stored_recording

if TYPE_CHECKING:
    from workcell.commands.session import Session

MOST = 64 * 1024 * 1024
"""The greatest size of a recording that a file holds [bytes]."""


def to_keep(session: Session) -> tuple[bytes, str]:
    """Return the recording of the cell as bytes, if anything was recorded, or a sentence on why it is not kept.

    Neither a paused run nor a recording that was loaded for viewing belongs to the cell.
    """
    if session.ongoing.idle:
        return b"", ""
    try:
        recording = session.ongoing.simulator.recording
        if recording.empty:
            return b"", ""
        if recording.size > MOST:
            return b"", (
                f"The recording is not kept in the file: it has {recording.size / 1e6:.0f} MB, and a file holds up to "
                f"{MOST / 1e6:.0f} MB; `save-recording` writes it to a file of its own."
            )
        return recording.to_bytes(sources=True), ""
    except WorkcellError as error:
        return b"", f"The recording is not kept in the file: {error}"


def keep_recording(session: Session) -> str:
    """Write the recording to the file of the cell, if it has one; return a sentence on why it is not kept, or ''."""
    store = session.database.store
    if store.path is None or store.read_only or session.ongoing.idle or session.database.in_step:
        return ""
    data, left_out = to_keep(session)
    try:
        if data != stored_recording(store.connection):
            store_recording(store.connection, data)
    except WorkcellError as error:
        return f"The recording is not kept in the file: {error}"
    return left_out


def save_in_place(session: Session) -> str:
    """Write the recording to the file of the cell, which has everything else; return what the file has now."""
    path = session.database.store.path
    if path is None:
        raise Refused("The cell is in no file yet; `save NAME.cell` writes it to one.")
    session.database.require_writable()
    session.outside_group("save the recording")
    left_out = keep_recording(session)
    notes = [left_out] if left_out else []
    if session.paused is not None:
        notes.append(f"{capital(session.paused.called)} is paused and not kept.")
    idle = left_out or session.ongoing.idle or session.ongoing.simulator.recording.empty
    recorded = "" if idle else f", with the recording of {session.ongoing.simulator.recording.duration:.1f} s"
    return "\n".join([f"saved in {path.name}{recorded}", *notes])


def forget_recording(session: Session) -> bool:
    """Begin a new recording in the present state, and let the file hold none; return whether there was one."""
    session.database.require_writable()
    session.database.require_no_step("discard the recording")
    if session.paused is not None:
        raise Refused("The recording cannot be discarded while a run is paused; `stop-run` ends the run.")
    ongoing, connection = session.ongoing, session.database.store.connection
    found = not ongoing.simulator.recording.empty or bool(stored_recording(connection))
    if found:
        store_recording(connection, b"")
        ongoing.show(None)
        ongoing.restart(session.state)
        ongoing.keep()
    return found


def show_kept(session: Session) -> None:
    """Go on with the recording that the file holds, if it ends in the present state; otherwise the file gets a note."""
    store = session.database.store
    try:
        data = stored_recording(store.connection)
        reason = _taken(session, data) if data else ""
    except WorkcellError as error:
        reason = f"{error}"
    if reason:
        note = f"The recording in {store.connection.file} is not shown: {reason[0].lower()}{reason[1:]}"
        store.note = f"{store.note} {note}".lstrip()


def _taken(session: Session, data: bytes) -> str:
    """Go on with a recording that ends in the present state; return why it cannot be, or ''."""
    from workcell.simulation.recording import Recording
    from workcell.simulation.recording_bytes import damage_reported
    from workcell.world.cell_print import listed

    recording, snapshot, state = Recording.from_bytes(data), session.snapshot(), session.state
    differs = recording.differs_from(snapshot)
    if differs:
        return f"it was made before the cell changed ({listed(differs)})."
    with damage_reported():  # the checksum of bytes that somebody else made may be right
        if recording.end != state.time or recording.state_at(recording.end) != state:
            return "things have moved since it was kept."
    ongoing = Ongoing(session.present, recording)
    ongoing.follow()
    session.ongoing = ongoing
    return ""
