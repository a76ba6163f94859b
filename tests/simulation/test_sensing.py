"""Sensors in a simulator: programs wait for them, and every change is recorded at its instant."""

from __future__ import annotations

import numpy as np
import pytest

import workcell as wc
from workcell.errors import Refused, WorkcellError
from workcell.simulation.events import SensorChanged, SignalSeen
from workcell.simulation.happenings import Signalled
from workcell.simulation.programs import Seen, run
from workcell.spatial.pose import Pose

MICRO = 1e-6
BELT = (
    "add solid table box 2000 400 40 at 0,0,-20",
    "add solid part box 60 60 60 at -800,0,30 --movable",
    "modify object:part mass 1.5kg",
    "add light-barrier gate from 200,-150,30 to 200,150,30",
    "create robot Puma puma560 at 0,1500,0 joints 0,0,-90,0,90,0",
)
FRONT, BACK = 0.2 - 0.03 + 0.8, 0.2 + 0.03 + 0.8
"""How far the part goes until its front is at the beam, and until its back leaves it [m]."""


def cell_of(*lines):
    cell = wc.Cell()
    for line in lines:
        cell.do(line)
    return cell


def changes(recording, name):
    return [(one.time, one.value) for one in recording.events if isinstance(one, SensorChanged) and one.signal == name]


def slide(sim, x, speed=0.5):
    here = sim.snapshot.body_pose(sim.state, "part")
    return sim.move_solid("part", [Pose.from_xyz(x, *here.xyz[1:])], speed=speed)


def test_a_change_is_recorded_at_its_instant_and_is_a_signal_of_the_recording():
    sim = wc.Simulator(cell_of(*BELT))
    assert sim.signal("gate") == 0.0
    slide(sim, 0.8)
    assert changes(sim.recording, "gate") == [
        (pytest.approx(FRONT / 0.5, abs=MICRO), 1.0),
        (pytest.approx(BACK / 0.5, abs=MICRO), 0.0),
    ]
    at = [sim.recording.state_at(t).signals["gate"] for t in (0.0, FRONT / 0.5 - 1e-5, FRONT / 0.5 + 1e-5, 3.0)]
    assert at == [0.0, 0.0, 1.0, 0.0]
    found = [one for one in sim.recording.changes if isinstance(one, Signalled) and one.signal == "gate"]
    assert [one.value for one in found] == [0.0, 1.0, 0.0]
    assert sim.signal("gate") == 0.0


def test_a_program_that_waits_wakes_at_that_instant():
    sim = wc.Simulator(cell_of(*BELT))
    woken = {}

    def belt(sim):
        yield slide(sim, 0.8)

    def watcher(sim):
        yield Seen("gate")
        woken["on"] = sim.time
        yield Seen("gate", 0.0)
        woken["off"] = sim.time
        yield sim.robot("Puma").move_joints_relative([0.1, 0, 0, 0, 0, 0])

    run(sim, {"belt": belt, "watcher": watcher})
    assert woken == {"on": pytest.approx(FRONT / 0.5, abs=MICRO), "off": pytest.approx(BACK / 0.5, abs=MICRO)}
    assert changes(sim.recording, "gate")[1][0] == woken["off"]
    started = [move.start for move in sim.recording.moves if move.device == "Puma"]
    assert started == [woken["off"]]


def test_programs_of_the_cell_wait_for_sensors_by_name_and_by_condition():
    cell = cell_of(
        *BELT,
        'write program belt "move-solid part through (800,0,30) speed 500"',
        'write program watch "wait-for gate%0Await-until signal(gate) = 0%0Amove-joints-relative Puma 10,0,0,0,0,0"',
    )
    cell.do("run-together belt watch")
    recording = cell.session.recording
    assert [m.start for m in recording.moves if m.device == "Puma"] == [pytest.approx(BACK / 0.5, abs=MICRO)]
    seen = [one.time for one in recording.events if isinstance(one, SignalSeen)]
    assert seen == [changes(recording, "gate")[0][0]]


def test_a_new_drive_discards_what_was_located_before():
    sim = wc.Simulator(cell_of(*BELT, "add encoder turn on Puma joint 1 resolution 1"))
    puma = sim.robot("Puma")

    def arm(sim):
        yield puma.move_joints_absolute(np.radians([10.0, 0, -90, 0, 90, 0]), "linear")
        yield puma.move_joints_absolute(np.radians([7.2, 0, -90, 0, 90, 0]), "linear")

    run(sim, {"arm": arm})
    values = [round(np.degrees(value)) for _, value in changes(sim.recording, "turn")]
    assert values == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 9, 8, 7]


def test_the_order_of_callers_and_looking_changes_no_bytes():
    def made(look):
        sim = wc.Simulator(cell_of(*BELT))
        if look:
            sim.every(0.01, lambda plant: plant.signal("gate"))
        slide(sim, 0.8)
        return sim.recording.to_bytes()

    assert made(False) == made(True)


def test_taking_and_letting_go_is_noted_at_the_instant():
    cell = cell_of(
        "create robot Puma puma560",
        "add solid table box 600 800 100 at 550,0,-50",
        "add solid cube box 40 40 40 at 500,-150,20 --movable",
        "modify object:cube mass 2kg",
        "add weight-sensor scale on table",
        "add contact-sensor laid on table sees cube",
        "add proximity-sensor held distance 30 at 0,0,100 on Puma sees cube",
    )
    sim = wc.Simulator(cell)
    puma = sim.robot("Puma")
    down = Pose.from_axis_angle((0, 1, 0), np.pi)
    puma.move_end_effector(Pose.from_xyz(0.5, -0.15, 0.15) @ down, point="grip")
    puma.move_straight_line(Pose.from_xyz(0.5, -0.15, 0.02) @ down, point="grip")
    assert (sim.signal("scale"), sim.signal("laid")) == (2.0, 1.0)
    puma.close_gripper()
    taken = sim.time
    assert (sim.signal("scale"), sim.signal("laid")) == (0.0, 1.0)
    assert changes(sim.recording, "scale") == [(taken, 0.0)]
    puma.move_hand(Pose.from_xyz(0, 0, 0.1), frame="world")
    assert changes(sim.recording, "laid")[-1][1] == 0.0
    assert taken < changes(sim.recording, "laid")[-1][0] < sim.time
    puma.open_gripper(settle=True)
    assert (sim.signal("scale"), sim.signal("laid")) == (2.0, 1.0)
    assert changes(sim.recording, "scale")[-1] == (sim.time, 2.0)


def test_a_distance_is_recorded_at_its_thresholds_and_read_at_any_time():
    cell = cell_of(*BELT, "add distance-sensor probe range 1500 thresholds 500 at 1000,0,30 rotate 0,-90,0")
    sim = wc.Simulator(cell)
    assert sim.signal("probe") == pytest.approx(1.5)
    slide(sim, 0.6)
    # Its front is at x = 0.5 after 0.03 less than 1.3 m.
    assert changes(sim.recording, "probe") == [
        (pytest.approx((0.5 + 0.8 - 0.03) / 0.5, abs=MICRO), pytest.approx(0.5, abs=MICRO))
    ]
    assert sim.signal("probe") == pytest.approx(1.0 - 0.63)
    cell.do('write program go "wait-until signal(probe) < 0.9"')
    cell.do('write program belt "move-solid part through (600,0,30) speed 500"')
    cell.do("run-together belt go")


def test_a_camera_lists_what_it_sees_in_its_events():
    cell = cell_of(*BELT, "add camera eye view 20 range 1500 at 300,0,1000 rotate 180,0,0 sees part")
    sim = wc.Simulator(cell)
    slide(sim, 0.8)
    seen = [(one.value, one.bodies) for one in sim.recording.events if isinstance(one, SensorChanged)]
    assert (1.0, ("part",)) in seen
    assert seen[-1] == (0.0, ())


def test_typed_moves_set_joints_and_undo_keep_sensors_in_step():
    cell = cell_of(
        *BELT, "add light-barrier hand length 400 on Puma sees part", "add encoder turn on Puma joint 1 resolution 1"
    )
    cell.do("move-joints-relative Puma 3,0,0,0,0,0")
    assert len(changes(cell.session.recording, "turn")) == 3
    assert cell.session.state.signals["turn"] == pytest.approx(np.radians(3.0))
    sim = wc.Simulator(cell, state=cell.session.state)
    sim.robot("Puma").set_joints(np.radians([20.0, 0, -90, 0, 90, 0]))
    assert sim.signal("turn") == pytest.approx(np.radians(20.0))
    assert changes(sim.recording, "turn") == [(sim.time, pytest.approx(np.radians(20.0)))]
    cell.do("move-joints-relative Puma 3,0,0,0,0,0")
    cell.undo()
    assert len(changes(cell.session.recording, "turn")) == 3
    assert cell.session.state.signals["turn"] == pytest.approx(np.radians(3.0))
    cell.do("modify turn name count")
    assert "turn" not in cell.session.state.signals
    assert cell.session.state.signals["count"] == pytest.approx(np.radians(3.0))
    assert len(changes(cell.session.recording, "count")) == 3
    cell.do("remove count")
    cell.do("move-joints-relative Puma 3,0,0,0,0,0")
    with pytest.raises(WorkcellError, match="count"):
        cell.do("wait-for count")


def test_joint_by_joint_locates_changes_too():
    cell = cell_of(*BELT, "add encoder turn on Puma joint 2 resolution 1")
    sim = wc.Simulator(cell, mode="joint-by-joint")
    sim.robot("Puma").move_joints_relative(np.radians([5.0, 3.4, 0, 0, 0, 0]))
    found = changes(sim.recording, "turn")
    assert [round(np.degrees(value)) for _, value in found] == [1, 2, 3]
    speed = sim.robot("Puma").settings[0]
    steps = np.diff([time for time, _ in found])
    assert steps == pytest.approx([np.radians(1.0) / speed] * 2, abs=MICRO)
    assert sim.signal("turn") == pytest.approx(np.radians(3.0))


def test_a_wait_for_a_sensor_that_nothing_can_change_is_refused():
    sim = wc.Simulator(cell_of(*BELT))

    def watcher(sim):
        yield Seen("gate")

    with pytest.raises(Refused, match="every program waits for a signal that nothing sets"):
        run(sim, {"watcher": watcher})
    with pytest.raises(Refused, match="'gate' is a sensor"):
        sim.set_signal("gate", 1.0)


@pytest.mark.parametrize("seed", range(6))
def test_steps_of_an_encoder_are_where_the_recorded_joint_is_however_it_is_steered(seed):
    sim = wc.Simulator(cell_of(*BELT, "add encoder turn on Puma joint 1 resolution 2"))
    rng, arm, step = np.random.default_rng(seed), sim.robot("Puma"), np.radians(2.0)

    def steer(sim):
        for _ in range(12):
            yield float(rng.uniform(0.02, 0.2))
            pick = rng.random()
            if "Puma" in sim.drives and pick < 0.4:
                arm.override(float(rng.uniform(5, 100)))
            elif "Puma" in sim.drives and pick < 0.7:
                arm.hold()
                yield float(rng.uniform(0.01, 0.3))
                if "Puma" in sim.drives:
                    arm.resume()
            elif "Puma" in sim.drives:
                arm.supersede(np.radians([rng.uniform(-60, 60), 0, -90, 0, 90, 0]))

    def arms(sim):
        yield arm.move_joints_absolute(np.radians([50.0, 0, -90, 0, 90, 0]))
        yield arm.move_joints_absolute(np.radians([-40.0, 0, -90, 0, 90, 0]))

    run(sim, {"arms": arms, "steer": steer})
    found = changes(sim.recording, "turn")
    assert len(found) > 20
    speed, before = 4.0, 0.0
    for time, value in found:
        joint = sim.recording.state_at(time).joints["Puma"][0]
        assert abs(abs(value - before) - step) < 1e-9  # none is left out
        assert abs(joint - 0.5 * (value + before)) < speed * MICRO
        before = value
    assert sim.signal("turn") == before
    assert abs(before - sim.robot("Puma").joints[0]) <= step / 2 + 1e-9


def test_set_points_are_sensed_ahead_as_far_as_they_are_known():
    sim = wc.Simulator(cell_of(*BELT, "add encoder turn on Puma joint 1 resolution 1"))
    arm, home = sim.robot("Puma"), np.radians([0.0, 0, -90, 0, 90, 0])
    sim.every(0.004, lambda plant: arm.track(home + [min(0.5 * plant.time, 0.2), 0, 0, 0, 0, 0]))
    sim.wait(1.0)
    found = changes(sim.recording, "turn")
    assert [round(np.degrees(value)) for _, value in found] == list(range(1, 12))
    for time, value in found:
        assert abs(sim.recording.state_at(time).joints["Puma"][0] - (value - np.radians(0.5))) < 1e-6


def test_a_run_that_was_paused_steps_back_and_goes_on_senses_the_same():
    lines = (
        *BELT,
        'write program belt "move-solid part through (800,0,30) speed 500"',
        'write program watch "wait-for gate%0Amove-joints-relative Puma 10,0,0,0,0,0%0Await-until signal(gate) = 0"',
    )
    straight, paused = cell_of(*lines), cell_of(*lines)
    straight.do("run-together belt watch")
    paused.do("break watch 2")
    paused.do("debug belt watch")
    paused.do("resume")
    paused.do("step-back")
    paused.do("resume")
    paused.do("resume")
    assert paused.session.recording.to_bytes() == straight.session.recording.to_bytes()


def test_an_instant_does_not_depend_on_where_the_look_for_it_began():
    lines = (*BELT, "add encoder turns on Puma joint 1 resolution 0.5deg", "add weight scale on table")

    def found(*periods):
        sim = wc.Simulator(cell_of(*lines))

        def work(sim):
            slide(sim, 0.8, 0.37)
            yield sim.robot("Puma").move_joints_absolute(np.radians([47.3, 0.0, -90.0, 0.0, 90.0, 0.0]))

        def wait(_):
            yield 5.0

        for period in periods:
            sim.every(period, lambda sim: sim.changed())
        run(sim, {"work": work, "wait": wait})
        return [(one.time, one.signal, one.value) for one in sim.recording.events if isinstance(one, SensorChanged)]

    once = found()
    assert {signal for _, signal, _ in once} >= {"gate", "turns"}
    assert len(once) > 90
    for periods in ((0.173,), (0.0517, 0.311), (1.0 / 7.0, 0.237)):
        assert found(*periods) == once
    assert all(round(time * 1e9) / 1e9 == time for time, _, _ in once)
