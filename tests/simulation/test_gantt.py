"""The Gantt chart: every row has its name and its bars, and the legend contains everything that is drawn."""

from __future__ import annotations

import pytest

import workcell as wc
from workcell.simulation.events import FaultBegan, FaultEnded, SensorChanged
from workcell.simulation.gantt import gantt
from workcell.simulation.plots import Bar, Label, Stroke, text_width

_CELL = """\
add conveyor Belt 2500
add solid part box 60 60 60 at -3000,950,30 --movable
add source feed of part on Belt every 4s stock 4 most 3
add sink out on Belt
modify Belt runs 150mm/s
add conveyor Other 1000 at 0,2000,0
modify Other runs 100mm/s
add light-barrier gate from 900,-400,730 to 900,400,730
create robot Puma puma560 at 0,-2000,0
add zone press box 100 100 100 at 0,-900,500
modify zone:press rule shared
add fault jam of Belt stops at 6s lasts 2s
add fault dead of gate sticks at 15s"""
_PROGRAM = """\
program a-program-with-a-long-name
  parallel
    enter-zone press
    move-joints-relative Puma 30,0,0,0,0,0
    wait 5
    leave-zone press
  and
    wait 1
    enter-zone press
    wait 3
    leave-zone press
  end
  stop-conveyor Belt
  wait 2
  run-conveyor Belt 100mm/s
  wait 6
end"""


@pytest.fixture(scope="module")
def ran():
    with wc.Cell() as cell:
        for line in _CELL.splitlines():
            cell.do(line)
        cell.do(_PROGRAM)
        cell.do("run a-program-with-a-long-name")
        yield cell


def _rows(chart):
    """The bars by the name of their row, as begin and end [s]."""
    labels = [mark for mark in chart.marks if isinstance(mark, Label) and mark.anchor == "end"]
    ticks = {
        float(mark.text): mark.place[0]
        for mark in chart.marks
        if isinstance(mark, Label) and mark.anchor == "middle" and mark.text[0].isdigit()
    }
    (t0, x0), *_, (t1, x1) = sorted(ticks.items())
    rows = {}
    for label in labels:
        top = label.place[1] - 16
        bars = [
            one
            for one in chart.marks
            if isinstance(one, Bar) and one.title and top <= one.box[1] <= top + 4 and one.box[2] != 10.0
        ]
        rows[label.text] = [
            tuple(t0 + (at - x0) / (x1 - x0) * (t1 - t0) for at in (one.box[0], one.box[0] + one.box[2] + 1.0))
            for one in bars
        ]
    return rows


def test_there_is_a_row_for_robots_belts_zones_faults_and_sensors(ran):
    recording = ran.session.recording
    rows = _rows(gantt(recording, ["Belt", "Other"]))
    assert list(rows) == [
        "Puma",
        "belt Belt",
        "belt Other",
        "zone press: a-program-with-a-long-name branch 1",
        "zone press: a-program-with-a-long-name branch 2",
        "fault dead of gate",
        "fault jam of Belt",
        "sensor gate",
    ]
    assert rows["fault jam of Belt"] == [pytest.approx((6.0, 8.0), abs=1e-6)]
    (stuck,) = [event.time for event in recording.events if isinstance(event, FaultBegan) and event.fault == "dead"]
    assert not [event for event in recording.events if isinstance(event, FaultEnded) and event.fault == "dead"]
    assert rows["fault dead of gate"] == [pytest.approx((stuck, recording.end), abs=1e-6)]
    assert rows["belt Other"] == [pytest.approx((0.0, recording.end), abs=0.01)]
    # Held by the fault from 6.2 s (it brakes for 0.2 s) to 8 s; then stopped by the program.
    first, second, third = rows["belt Belt"]
    stopped = recording.moves[-1].end if recording.moves[-1].device == "Belt" else None
    assert first == pytest.approx((0.0, 6.2), abs=0.02)
    assert second[0] == pytest.approx(8.0, abs=0.02)
    assert second[1] == pytest.approx(stopped, abs=0.02)
    assert third[1] == pytest.approx(recording.end, abs=0.02)
    ups = [event.time for event in recording.events if isinstance(event, SensorChanged) and event.value == 1.0]
    assert [begin for begin, _ in rows["sensor gate"]] == pytest.approx(ups, abs=1e-6)


def test_all_that_is_drawn_is_in_the_legend_and_no_two_colours_are_alike(ran):
    chart = gantt(ran.session.recording, ["Belt", "Other"])
    bars = [mark for mark in chart.marks if isinstance(mark, Bar)]
    legend = {bar.title: bar.colour for bar in bars if bar.box[2:] == (10.0, 10.0)}
    assert set(legend) == {"joints", "belt runs", "in the zone", "waits", "fault", "sensor is 1"}
    assert len(set(legend.values())) == len(legend)
    assert {bar.colour for bar in bars} <= {*legend.values()}


def test_no_label_is_cut_off(ran, tmp_path):
    chart = gantt(ran.session.recording, ["Belt", "Other"])
    width, height = chart.size
    for mark in chart.marks:
        if isinstance(mark, Label):
            wide = text_width(mark.text)
            left = mark.place[0] - {"start": 0.0, "middle": wide / 2, "end": wide}[mark.anchor]
            assert left >= 0.0
            assert left + wide <= width
            assert 0.0 < mark.place[1] <= height
    chart.save(tmp_path / "chart.png")


def test_a_sensor_with_other_values_than_0_and_1_is_a_curve_of_steps():
    with wc.Cell() as cell:
        cell.do("add solid table box 560 800 30 at 780,-100,385")
        cell.do("create robot Puma puma560 joints 0,0,-90,0,90,0")
        sim = wc.Simulator(cell)
        sim.robot("Puma").move_joints_relative([0.1, 0, 0, 0, 0, 0])
        from workcell.simulation.happenings import Signalled

        for time, value in ((0.05, 2.0), (0.1, 5.0)):
            sim.recorder.event(SensorChanged(time, "scale", value))
            sim.recorder.change(Signalled(time, "scale", value))
        chart = gantt(sim.recording)
    (curve,) = [mark for mark in chart.marks if isinstance(mark, Stroke) and mark.width == 2.0]
    heights = list(dict.fromkeys(y for _, y in curve.points))
    assert heights == sorted(heights, reverse=True)
    assert len(heights) == 3
    assert "0 to 5" in chart.svg()


def test_the_grippers_marks_are_explained(ran):
    from workcell.simulation.events import Gripped, Released

    recording = ran.session.recording.copy()
    recording.event(Gripped(1.0, "Puma", "part", "", "", 0.04))
    recording.event(Released(2.0, "Puma", "part", 0.09))
    drawn = gantt(recording).svg()
    assert "gripper closes (above)" in drawn
    assert "gripper opens (below)" in drawn
    assert "gripper" not in gantt(ran.session.recording).svg()
