"""Programs that grip parts on a moving belt: how well, and that every way to run one records the same."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.simulation.events import GraspMissed, TrackingMet
from workcell.spatial.pose import Pose

TURNED = "euler fanuc_wpr 180,0,180 of grip"
HEIGHT = 5.0
"""How high above the middle of a part it is held [mm]."""
SHORT = (
    "run-conveyor Belt 200mm/s",
    f"move-end-effector Puma 0,0,120 {TURNED} on part0",
    f"move-straight-line Puma 0,0,{HEIGHT} {TURNED} on part0",
    "wait 0.1s",
    "close-gripper Puma",
    "move-hand Puma 0,0,100 along world",
    "move-joints-absolute Puma 90,0,-90,0,90,0",
)


def a_line(parts: int, spacing: float, *more: str, first: float = -800.0) -> wc.Cell:
    """A Puma between a belt and a tray, with parts on the belt, each so far behind the other [mm]."""
    cell = wc.Cell()
    cell.do("create robot Puma puma560 joints 90,0,-90,0,90,0")
    cell.do("speed Puma 4rad/s")
    cell.do("add conveyor Belt 17000 at -16000,500,-600")
    cell.do("add solid tray box 400 300 20 at 620,-50,-10")
    for k in range(parts):
        cell.do(f"add solid part{k} box 30 30 40 at {first - spacing * k:g},500,120 --movable")
        cell.do(f"create grasp hold{k}")
        cell.do(f"attach hold{k} to part{k} euler fanuc_wpr 180,0,180 translate 0,0,{HEIGHT}")
        cell.do(f"ride part{k} on Belt")
    for line in more:
        cell.do(line)
    cell.do("keep state")
    return cell


def with_program(cell: wc.Cell, lines) -> wc.Cell:
    cell.do("create program pick")
    cell.do(f'modify pick text "{"%0A".join(lines)}"')
    return cell


def put_away(k: int) -> list[str]:
    x, y = 500 + 100 * (k % 3), -100 + 100 * (k // 3)
    return [
        "close-gripper Puma",
        "move-hand Puma 0,0,100 along world",
        f"move-end-effector Puma {x},{y},120 {TURNED}",
        f"move-straight-line Puma {x},{y},{21 + HEIGHT:g} {TURNED}",
        "open-gripper Puma --settle",
        "move-hand Puma 0,0,100 along world",
        f"move-end-effector Puma -400,450,300 {TURNED}",
    ]


def known(parts: int, speed: float) -> list[str]:
    """A program that knows the parts."""
    lines = [f"move-end-effector Puma -400,450,300 {TURNED}", f"run-conveyor Belt {speed:g}mm/s"]
    for k in range(parts):
        lines += [f"move-end-effector Puma 0,0,120 {TURNED} on part{k}"]
        lines += [f"move-straight-line Puma 0,0,{HEIGHT} {TURNED} on part{k}", *put_away(k)]
    return lines


def unknown(parts: int, speed: float) -> list[str]:
    """A program that knows nothing but when a light barrier is broken, and what the encoder of the belt reads then."""
    lines = [f"move-end-effector Puma -400,450,300 {TURNED}", f"run-conveyor Belt {speed:g}mm/s"]
    for k in range(parts):
        lines += ["wait-for gate", "let read = signal(counts)"]
        lines += [f"move-end-effector Puma -615,500,240 {TURNED} on Belt when read"]
        lines += [f"move-straight-line Puma -615,500,{120 + HEIGHT:g} {TURNED} on Belt when read", *put_away(k)]
    return lines


def cues(parts: int) -> list[str]:
    sees = " ".join(f"sees part{k}" for k in range(parts))
    return [
        f"add light-barrier gate from -600,300,120 to -600,700,120 {sees}",
        "add encoder counts on Belt joint 1 resolution 0.05mm",
    ]


def misses(recording) -> list[GraspMissed]:
    return [event for event in recording.events if isinstance(event, GraspMissed)]


def true_misses(cell: wc.Cell) -> list[float]:
    """How far the grip point was from the grasp of each part when it was taken, by the recording alone [m]."""
    snapshot, recording = cell.snapshot(), cell.session.recording
    robot = snapshot.robot("Puma").robot
    found = []
    for event in misses(recording):
        state = recording.state_at(event.time)
        X = snapshot.base_pose(state, "Puma") @ robot.fk(state.joints["Puma"])
        grip = X @ robot.X_flange_tool.inverse() @ robot.gripper.X_flange_grip
        hold = snapshot.body_pose(state, event.part) @ Pose.from_xyz(0, 0, HEIGHT * 1e-3)
        found.append(float(np.linalg.norm(hold.xyz - grip.xyz)))
    return found


@pytest.mark.parametrize("cue", [False, True])
@pytest.mark.parametrize("speed", [100, 200, 300])
def test_parts_are_taken_from_a_belt_that_never_stops(speed, cue):
    parts = 2
    cell = a_line(parts, 8.5 * speed, *(cues(parts) if cue else []))
    with_program(cell, (unknown if cue else known)(parts, speed))
    cell.do("run pick")
    recording = cell.session.recording
    found = misses(recording)
    assert [event.part for event in found] == [f"part{k}" for k in range(parts)]
    assert {event.of for event in found} == {"grasp"}
    most = 1e-4 if cue else 2e-6
    assert max(event.distance for event in found) < most
    assert max(event.angle for event in found) < 1e-5
    assert true_misses(cell) == pytest.approx([event.distance for event in found], abs=1e-9)
    state = cell.session.state
    assert not any(f"part{k}" in state.attached and "Belt" in state.attached[f"part{k}"].frame for k in range(parts))
    for k in range(parts):
        x, y = 0.5 + 0.1 * (k % 3), -0.1
        assert cell.snapshot().body_pose(state, f"part{k}").xyz == pytest.approx([x, y, 0.02], abs=2e-4)
    report = str(cell.do("report"))
    assert report.count("should be held") == parts


def short(*more: str) -> wc.Cell:
    return with_program(a_line(1, 500.0, *more, first=-350.0), SHORT)


def test_every_way_of_running_one_records_the_same(tmp_path):
    cell = short()
    cell.do("run pick")
    wanted = cell.session.recording.to_bytes()
    together = short()
    together.do("run-together pick")
    assert together.session.recording.to_bytes() == wanted
    typed = short()
    typed.do("reset")
    for line in SHORT:
        typed.do(line)
    assert typed.session.recording.to_bytes() == wanted


def test_a_run_goes_back_and_is_saved_while_an_arm_follows(tmp_path):
    cell = short()
    cell.do("run pick")
    wanted = cell.session.recording.to_bytes()
    stepped = short()
    stepped.do("debug pick")
    for step in ["step-over"] * 4 + ["step-back", "step-over", "step-back 2", "step-over", "step-over"]:
        stepped.do(step)
    file = tmp_path / "follows.run"
    stepped.do(f'save-run "{file}"')
    stepped.do("resume")
    assert stepped.session.recording.to_bytes() == wanted
    other = short()
    other.do(f'load-run "{file}"')
    other.do("resume")
    assert other.session.recording.to_bytes() == wanted


def test_what_is_typed_is_undone_and_done_again():
    cell = short()
    cell.do("reset")
    for line in SHORT[:4]:
        cell.do(line)
    before, state = cell.session.recording.to_bytes(), cell.session.state
    cell.do("undo")
    cell.do("redo")
    assert cell.session.recording.to_bytes() == before
    assert cell.session.state == state


def test_names_follow_into_programs_and_recordings():
    cell = short()
    cell.do("run pick")
    cell.do("modify Belt name Band")
    cell.do("modify object:part0 name cube")
    events = cell.session.recording.events
    assert {event.on for event in events if isinstance(event, TrackingMet)} == {"cube"}
    assert [event.part for event in misses(cell.session.recording)] == ["cube"]
    text = str(cell.do("show pick"))
    assert "on cube" in text
    assert "run-conveyor Band" in text
    cell.do("reset")
    cell.do("run pick")
    assert [event.part for event in misses(cell.session.recording)] == ["cube"]


@pytest.mark.parametrize("watch", ["yes", "certified"])
def test_a_watched_program_is_made_as_one_that_is_not(watch):
    cell = short(f"watch {watch}")
    cell.do("run pick")
    (miss,) = misses(cell.session.recording)
    assert miss.distance < 2e-6
    assert "nothing touches" in str(cell.do("check recording"))


def test_a_true_contact_stops_an_arm_that_tracks():
    cell = short("watch yes", "add solid post box 30 60 400 at 60,560,300")
    with pytest.raises(wc.errors.WorkcellError, match="would touch"):
        cell.do("run pick")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"move-end-effector Puma 0,0,120 {TURNED} on nothing", "nothing"),
        (f"move-end-effector Puma 0,0,120 {TURNED} on Puma", "cannot follow itself"),
        (f"move-end-effector Puma 0,0,120 {TURNED} when 0.1", "name the belt with `on`"),
        (f"move-end-effector Puma 0,0,120 {TURNED} on part0 when 0.1", "has no reading of its own"),
        (f"move-end-effector Puma 0,3000,900 {TURNED} on Belt", "out of reach"),
    ],
)
def test_a_mistake_is_found_before_the_run(line, message):
    cell = short()
    with_mistake = [*SHORT[:1], line]
    cell.do(f'modify pick text "{"%0A".join(with_mistake)}"')
    found = cell.do("check program pick")
    assert message in str(found)
