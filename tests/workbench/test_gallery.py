"""The sample cells of the gallery: made from the examples, complete, quick to open and ready to play."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import samples as tool
from workcell.errors import NotACell, UnknownName
from workcell.simulation.comparison import first_difference
from workcell.workbench.gallery import Gallery
from workcell.workbench.samples import sample
from workcell.workbench.samples.archive import Archive

GALLERY = Gallery()
NAMES = [one.name for one in GALLERY.infos()]
ROOT = Path(__file__).parents[2]


def test_every_example_is_in_the_gallery_as_its_script_is_now():
    assert sorted(tool.name_of(script) for script in tool.scripts()) == sorted(NAMES)
    examples = {path.name for path in (ROOT / "examples").glob("*.py")} - set(tool.WITHOUT_CELL)
    assert examples < {one.source for one in GALLERY.infos()}
    old = [script.name for script in tool.scripts() if not tool.is_current(script)]
    assert not old, f"`make samples` makes the samples of {old} again"


@pytest.mark.parametrize("name", ["thesis-example-one", "hand-over"])
def test_a_script_gives_the_sample_again(name):
    """The same content and the same run; only the ids differ, which are new in every cell.

    Another processor may round differently: bytes are promised for one kind of processor, 1e-12 for others.
    """
    (script,) = [script for script in tool.scripts() if tool.name_of(script) == name]
    _, _, cell = tool.built(script)
    with cell, GALLERY.open(name) as kept:
        assert kept.snapshot().hash == cell.snapshot().hash
        one, other = kept.session.recording, cell.session.recording
        assert first_difference(one, other, 1e-12) is None
        assert (one.events, one.sources) == (other.events, other.sources)


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_opens_with_its_programs_and_its_run(name):
    (info,) = [one for one in GALLERY.infos() if one.name == name]
    with GALLERY.open(name) as cell:
        recording = cell.session.recording
        assert recording.duration == pytest.approx(info.duration)
        assert [one.name for one in cell.database.entities("program")] == info.programs
        assert [placed.robot.name for placed in cell.snapshot().robots] == info.robots
        assert not cell.journal.can_undo
        for robot, q in cell.state.joints.items():
            if robot in recording.robots:
                assert recording.state_at(recording.end).joints[robot] == pytest.approx(np.asarray(q), abs=1e-9)
    assert info.title
    assert info.text.endswith((".", "?"))
    assert len(info.text) < 160
    with Image.open(io.BytesIO(GALLERY.picture(name))) as picture:
        assert picture.size == tool.SIZE
        assert np.asarray(picture.convert("L")).std() > 5.0  # something is seen


def test_the_run_of_a_sample_goes_on():
    with GALLERY.open("hand-over") as cell:
        before = cell.session.recording.duration
        cell.do("move-joints-relative Puma_1 10,0,0,0,0,0")
        assert cell.session.recording.duration > before
        cell.do("undo")
        assert cell.session.recording.duration == pytest.approx(before)
        cell.do("run hand-over")
        assert cell.session.recording.duration == pytest.approx(before)


def test_a_name_that_does_not_exist_is_refused_with_those_that_do():
    for use in (GALLERY.open, GALLERY.picture, sample):
        with pytest.raises(UnknownName, match="hand-over"):
            use("handover")


def test_a_damaged_archive_is_refused():
    data = (tool.FOLDER / "hand-over.sample").read_bytes()
    assert Archive.from_bytes(data).to_bytes() == data
    for broken in (data[:200], b"", data.replace(b"about.json", b"above.json")):
        with pytest.raises(NotACell, match="damaged"):
            Archive.from_bytes(broken)
