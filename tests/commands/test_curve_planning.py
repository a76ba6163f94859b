"""`plan-along` and planned `move-along`: the branch and the turns of the tool over a whole path, proved free."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.errors import Refused, Unreachable, WorkcellError

ARCH = (
    "create robot Puma puma560 joints 0,60,-190,0,40,0",
    "targets along-curve arch normal 0,0,1 through (500,-150,300) (550,0,350) (500,150,300) spacing 30",
)


def cell_of(*lines: str) -> wc.Cell:
    cell = wc.Cell()
    for line in lines:
        cell.do(line)
    return cell


def test_planning_changes_nothing_and_moving_follows_the_plan():
    cell = cell_of(*ARCH)
    before = cell.state.joints["Puma"].copy()
    plan = cell.do("plan-along arch by Puma speed 50mm/s")
    assert (cell.state.joints["Puma"] == before).all()
    assert plan.least_spin == plan.greatest_spin == 0.0
    cell.do("move-along Puma arch speed 50mm/s --proved")
    assert cell.do("check recording").proved
    recording, snapshot = cell.session.recording, cell.snapshot()
    curve = next(move for move in recording.moves if move.kind == "curve")
    assert curve.end - curve.start == pytest.approx(plan.duration, abs=1e-6)
    assert np.allclose(recording.state_at(curve.start).joints["Puma"], plan.start, atol=1e-9)
    poses = snapshot.path_poses(snapshot.initial, "arch")
    times = np.linspace(curve.start, curve.end, 400)
    hands = np.array([snapshot.tool_pose(recording.state_at(float(t)), "Puma").xyz for t in times])
    for pose in poses:
        assert np.linalg.norm(hands - pose.xyz, axis=1).min() < 2e-3
    cell.undo()
    assert (cell.state.joints["Puma"] == before).all()


def test_the_first_place_that_fails_is_named_and_nothing_moves():
    cell = cell_of(*ARCH, "add solid post box 60 60 400 at 550,0,420")
    for line in ("plan-along arch by Puma", "move-along Puma arch speed 50mm/s --proved"):
        with pytest.raises(Refused, match=r"past \d.* % of its way, .* mm: .*post.* touch there"):
            cell.do(line)
    assert np.allclose(np.degrees(cell.state.joints["Puma"]), [0, 60, -190, 0, 40, 0])
    assert "touching nothing but post" in str(cell.do("plan-along arch by Puma touching post"))
    far = cell_of(
        ARCH[0], "targets along-curve far normal 0,0,1 through (500,0,300) (900,0,300) (2500,0,300) spacing 100"
    )
    with pytest.raises(Unreachable, match=r"past \d.* % of its way"):
        far.do("plan-along far by Puma")


def test_the_step_is_read_written_renamed_undone_and_run_again():
    cell = cell_of(*ARCH, 'write program seam "move-along Puma arch speed 50mm/s spin 120 tilt 5 --proved"')
    text = [row[1] for row in cell.do("steps seam").rows]
    assert text == ["move-along Puma arch speed 50mm/s spin 120 tilt 5 --proved"]
    cell.do("run seam")
    assert cell.do("check recording").proved
    ran = cell.session.recording.to_bytes()
    cell.do("modify path arch name seam-1")
    cell.do("modify robot Puma name Arm")
    assert [row[1] for row in cell.do("steps seam").rows] == [
        "move-along Arm seam-1 speed 50mm/s spin 120 tilt 5 --proved"
    ]
    cell.undo()
    cell.undo()
    cell.do("run seam")
    assert cell.session.recording.to_bytes() == ran, "the same program gives the same run"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("plan-along arch by Puma spin nan", "nan"),
        ("plan-along arch by Puma spin 200", r"free from 0° to 180° to each side; found 200°"),
        ("plan-along arch by Puma tilt -3", r"free from 0° to 90° to each side; found -3°"),
        ("plan-along arch by Puma speed 0", "0"),
        ("plan-along nothing by Puma", "nothing"),
        ("move-along Puma arch speed 50mm/s approach 20 --proved", "`approach` does not go with"),
    ],
)
def test_bad_input_gets_one_line(line, said):
    cell = cell_of(*ARCH)
    with pytest.raises(WorkcellError, match=said) as found:
        cell.do(line)
    assert "\n" not in str(found.value)


def test_no_negative_clearance_is_called_proved():
    from workcell.commands.curve_planning import PlannedAlong

    made = PlannedAlong("Puma", "arch", 0.3, 6.0, (0.0,), 0.0, 0.0, 0.0, None, -7.59e-19, ("Puma", "post"))
    assert str(made).endswith("touching nothing: Puma and post come nearest")
