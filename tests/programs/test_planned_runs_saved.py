"""Runs that are saved in the middle of planned and guided motions, and go on elsewhere."""

from __future__ import annotations

import pytest

import workcell as wc

CELL = (
    "create robot A puma560 joints -50,20,-120,0,60,0",
    "create robot B puma560 at 1300,0,0 rotate 0,0,180 joints -50,20,-120,0,60,0",
    "targets along-curve arch normal 0,0,1 through (500,-100,300) (530,0,330) (500,100,300) spacing 60",
)
GOAL = "joints 50,20,-120,0,60,0"
STEPS = {
    "find-path": f"find-path A {GOAL}",
    "together find-path": f"together find-path A {GOAL} & find-path B {GOAL}",
    "beside": f"find-path A {GOAL} --beside",
    "guide": "guide A 450,200,350 --position",
    "planned along": "move-along A arch speed 50mm/s spin 90 --proved",
    "along": "move-along A arch speed 50mm/s",
}


def built(step: str) -> wc.Cell:
    cell = wc.Cell()
    for line in CELL:
        cell.do(line)
    text = f"parallel\n  {step}\nand\n  wait 0.4\n  message 1\n  wait 0.2\nend\nhome A"
    cell.call("write program", name="p", text=text)
    return cell


@pytest.mark.parametrize("name", STEPS)
def test_a_run_saved_in_the_middle_goes_on_the_same(name, tmp_path):
    """Stopped by a breakpoint while the arm moves, saved, opened in another cell: the same recording in the end."""
    with built(STEPS[name]) as cell:
        cell.do("run p")
        whole = cell.session.recording.to_bytes()
        cell.do("undo")
        cell.do("break p 5")
        assert "line 5" in str(cell.do("run p"))
        cell.do(f'save-run "{tmp_path}/half.run"')
        cell.do(f'save "{tmp_path}/c.cell"')
        cell.do("resume")
        assert cell.session.recording.to_bytes() == whole
    with wc.Cell.open(tmp_path / "c.cell") as other:
        other.do(f'load-run "{tmp_path}/half.run"')
        other.do("resume")
        assert other.session.recording.to_bytes() == whole
