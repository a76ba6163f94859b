"""A cell file holds its recording: `save` and closing write it, opening shows it again."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import workcell as wc
from workcell.commands import kept_recording
from workcell.errors import Refused
from workcell.service.keyframes import keyframes
from workcell.workbench.gallery import Gallery
from workcell.world.recovery import recover
from workcell.world.store import _wanted_schema

OTHER = f"""
import json, sys, workcell as wc
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_kept_recordings import seen
with wc.Cell.open(sys.argv[1]) as cell:
    print(json.dumps(seen(cell)))
"""


def make(path: Path) -> wc.Cell:
    cell = wc.Cell.create(path)
    cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
    cell.do("program demo\nmove-joints-relative Puma 20,0,0,0,0,0\nwait 1\nend")
    cell.do("run demo")
    return cell


def shown(cell: wc.Cell) -> bytes:
    return cell.session.recording.to_bytes(sources=True)


def seen(cell: wc.Cell) -> list[str]:
    """What a window and the commands show of the recording."""
    snapshot, recording = cell.snapshot(), cell.session.recording
    bodies = [body.name for body in snapshot.bodies]
    found = keyframes(snapshot, recording, recording.start.time, recording.end, bodies, ["Puma"])
    moved = b"".join(one.tobytes() for one in (found.times, found.poses, found.joints))
    return [shown(cell).hex(), moved.hex(), *(str(cell.do(line)) for line in ("report", "check recording"))]


def stored(path: Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(path) as found:
        rows = found.execute("SELECT id, data FROM recording").fetchall()
    found.close()
    return rows


def damage(path: Path, data: object) -> None:
    with sqlite3.connect(path) as found:
        found.execute("UPDATE recording SET data = ?", (data,))
    found.close()


@pytest.mark.parametrize("way", ["closed", "saved"])
def test_another_process_shows_the_same_recording(tmp_path: Path, way: str) -> None:
    path = tmp_path / "one.cell"
    with make(path) as cell:
        wanted = seen(cell)
        if way == "saved":
            assert str(cell.do(f"save {tmp_path}/copy.cell")) == f"saved as {tmp_path}/copy.cell"
            path = tmp_path / "copy.cell"
    found = subprocess.run([sys.executable, "-c", OTHER, str(path)], capture_output=True, text=True, check=True)
    assert json.loads(found.stdout) == wanted


def test_the_recording_of_a_cell_in_memory_is_saved_and_goes_on(tmp_path: Path) -> None:
    with wc.Cell() as cell:
        cell.do("create robot Puma puma560")
        cell.do("move-joints-relative Puma 10,0,0,0,0,0")
        cell.do(f"save {tmp_path}/one.cell")
        end = cell.session.recording.end
    with wc.Cell.open(tmp_path / "one.cell") as cell:
        cell.do("move-joints-relative Puma 10,0,0,0,0,0")
        assert cell.session.recording.start.time == 0.0
        assert cell.session.recording.end > end
        assert "proved" in str(cell.do("check recording"))
        cell.undo()
        assert cell.session.recording.end == end
        longer = cell.redo() and shown(cell)
    with wc.Cell.open(tmp_path / "one.cell") as cell:
        assert shown(cell) == longer


def test_a_sample_is_saved_with_its_recording(tmp_path: Path) -> None:
    with Gallery().open("thesis-example-one") as cell:
        cell.do(f"save {tmp_path}/one.cell")  # before anybody asks for the recording
        kept = shown(cell)
    with wc.Cell.open(tmp_path / "one.cell") as cell:
        assert shown(cell) == kept


def test_edits_after_opening_go_on_with_the_recording_and_reset_removes_it(tmp_path: Path) -> None:
    path = tmp_path / "one.cell"
    make(path).close()
    with wc.Cell.open(path) as cell:
        cell.do("modify Puma name Left")
        cell.do("add solid post box 100 100 500 at 2000,0,0")
        assert list(cell.session.recording.robots) == ["Left"]
    with wc.Cell.open(path) as cell:
        assert list(cell.session.recording.robots) == ["Left"]
        cell.do("reset")
    with wc.Cell.open(path) as cell:
        assert cell.session.recording.empty
    assert stored(path) == []


def test_undo_of_a_run_from_before_drops_the_recording_and_redo_brings_it_back(tmp_path: Path) -> None:
    path = tmp_path / "one.cell"
    make(path).close()
    with wc.Cell.open(path) as cell:
        kept = shown(cell)
        cell.undo()
        assert cell.session.recording.empty
        cell.redo()
        assert shown(cell) == kept
        cell.undo()
    with wc.Cell.open(path) as cell:
        assert cell.session.recording.empty
        cell.redo()
        assert cell.session.recording.empty


def test_opening_and_closing_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "one.cell"
    make(path).close()
    before = path.read_bytes()
    with wc.Cell.open(path) as cell:
        assert cell.session.recording.duration > 0.0
    assert path.read_bytes() == before
    with wc.Cell.open(path, read_only=True) as cell:
        assert cell.session.recording.duration > 0.0
        cell.do(f"save {tmp_path}/copy.cell")
    assert path.read_bytes() == before
    assert stored(tmp_path / "copy.cell") == stored(path)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (lambda kept: kept[:-9] + bytes([kept[-9] ^ 1]) + kept[-8:], "is damaged: its checksum does not match"),
        (lambda kept: kept[: len(kept) // 2], "is damaged"),
        (lambda _: b"something else", "not a recording of Workcell"),
    ],
)
def test_a_damaged_recording_is_reported_and_the_cell_opens(tmp_path: Path, data, reason: str) -> None:
    path = tmp_path / "one.cell"
    with make(path) as cell:
        rows, state = cell.database.rows(), cell.state
    damage(path, data(stored(path)[0][1]))
    with pytest.warns(UserWarning, match=rf"^The recording in one\.cell is not shown: .*{reason}"):
        cell = wc.Cell.open(path)
    with cell:
        assert len(cell.notes) == 1
        assert (cell.database.rows(), cell.state) == (rows, state)
        assert cell.session.recording.empty
        cell.do("run demo")
        assert cell.session.recording.duration > 1.0
    with wc.Cell.open(path) as cell:
        assert cell.session.recording.duration > 1.0


def test_a_recording_of_another_cell_is_reported_and_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "one.cell"
    make(path).close()
    with wc.Cell.create(tmp_path / "other.cell") as other:
        other.do("create robot Arm irb6400")
        other.do("move-joints-relative Arm 10,0,0,0,0,0")
    damage(path, stored(tmp_path / "other.cell")[0][1])
    with pytest.warns(UserWarning, match=r"not shown: it was made before the cell changed \(robot Arm is not here"):
        cell = wc.Cell.open(path)
    with cell:
        assert cell.session.recording.empty


def test_a_recording_from_before_the_last_motion_is_reported_and_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "one.cell"
    make(path).close()
    kept = stored(path)[0][1]
    with wc.Cell.open(path) as cell:
        cell.do("move-joints-relative Puma 10,0,0,0,0,0")
    damage(path, kept)  # as after a kill
    with pytest.warns(UserWarning, match="not shown: things have moved since it was kept"):
        wc.Cell.open(path).close()


def test_a_recording_that_is_too_large_is_left_out_and_the_answer_states_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "one.cell"
    make(path).close()
    monkeypatch.setattr(kept_recording, "MOST", 10)
    cell = wc.Cell.open(path)
    answer = str(cell.do(f"save {tmp_path}/copy.cell"))
    assert "The recording is not kept in the file" in answer
    assert "`save-recording`" in answer
    cell.do("move-joints-relative Puma 10,0,0,0,0,0")
    with pytest.warns(UserWarning, match="The recording is not kept in the file"):
        cell.close()
    assert stored(path) == []
    for one in (path, tmp_path / "copy.cell"):
        with wc.Cell.open(one) as cell:
            assert cell.session.recording.empty


def test_a_cell_from_before_and_one_without_a_run_have_no_recording(tmp_path: Path) -> None:
    path = tmp_path / "one.cell"
    with wc.Cell.create(path) as cell:
        cell.do("create robot Puma puma560")
        assert cell.session.recording.empty
    with sqlite3.connect(path) as found:
        names = {name for (name,) in found.execute("SELECT name FROM sqlite_master")}
    found.close()
    assert names == set(_wanted_schema())
    with wc.Cell.open(path) as cell:
        assert not cell.notes
        cell.do("move-joints-relative Puma 10,0,0,0,0,0")
    with wc.Cell.open(path) as cell:
        assert cell.session.recording.duration > 0.0


def test_a_paused_run_and_a_loaded_recording_are_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "one.cell"
    with make(path) as cell:
        own = shown(cell)
        cell.do(f"save-recording {tmp_path}/first.rec")
        cell.do("move-joints-relative Puma 10,0,0,0,0,0")
        longer = shown(cell)
        assert longer != own
        cell.do(f"load-recording {tmp_path}/first.rec")
        cell.do("debug demo")
    with wc.Cell.open(path) as cell:
        assert shown(cell) == longer


def test_compact_keeps_the_recording_unless_it_is_to_go(tmp_path: Path) -> None:
    path = tmp_path / "one.cell"
    with make(path) as cell:
        cell.do("compact")
        assert cell.session.recording.duration > 1.0
    with wc.Cell.open(path) as cell:
        state = cell.state
        assert cell.session.recording.duration > 1.0
        assert "removed: the recording" in str(cell.do("compact --recording"))
        assert cell.session.recording.empty
        assert stored(path) == []
        assert cell.state == state
        assert "removed: nothing" in str(cell.do("compact --recording"))
    with wc.Cell.open(path) as cell:
        assert cell.session.recording.empty
        cell.do("move-joints-relative Puma 10,0,0,0,0,0")
        assert cell.session.recording.start == state


def test_text_form_replay_and_recovery_leave_the_recording_out(tmp_path: Path) -> None:
    path = tmp_path / "one.cell"
    with make(path) as cell:
        cell.do(f"save {tmp_path}/before.celltext")
    with wc.Cell.open(path) as cell:
        cell.do(f"save {tmp_path}/after.celltext")
        assert cell.replayed().database.rows() == cell.database.rows()
    assert (tmp_path / "after.celltext").read_bytes() == (tmp_path / "before.celltext").read_bytes()
    assert not recover(path, tmp_path / "new.cell").lost
    with wc.Cell.open(tmp_path / "new.cell") as cell:
        assert not cell.notes
        assert cell.session.recording.empty


def test_save_without_a_name_writes_the_recording_to_the_file_of_the_cell(tmp_path):
    with make(tmp_path / "a.cell") as cell:
        assert str(cell.do("save")) == f"saved in a.cell, with the recording of {cell.session.recording.duration:.1f} s"
        before = shown(cell)
        after_a_kill = tmp_path / "killed"
        after_a_kill.mkdir()
        for file in tmp_path.glob("a.cell*"):
            shutil.copy(file, after_a_kill)
        with wc.Cell.open(after_a_kill / "a.cell") as copied:
            assert shown(copied) == before
        cell.do("debug demo")
        assert str(cell.do("save")).endswith("The run of 'demo' is paused and not kept.")
        cell.do("stop-run")
        with pytest.raises(Refused, match="are for another file; use `save FILE …`"):
            cell.do("save --replace")
        cell.do("group")
        with pytest.raises(Refused, match="while a group is open"):
            cell.do("save")
        cell.do("end")
        cell.do("reset")
        assert str(cell.do("save")) == "saved in a.cell"
    with wc.Cell() as cell, pytest.raises(Refused, match="The cell is in no file yet"):
        cell.do("save")
