"""The values of signals over a recording."""

from __future__ import annotations

import workcell as wc


def test_signals_have_their_values_at_the_start_and_when_they_changed():
    cell = wc.Cell()
    cell.do("create signal ready")
    cell.do("create signal other")
    cell.do("modify signal:other value 3")
    assert str(cell.do("signal-times")) == "No signal changed in the recording."
    cell.session.call(
        "write program", {"name": "demo", "text": "wait 1\nset-signal ready 1\nwait 2\nset-signal ready 0"}
    )
    cell.do("run demo")
    found = cell.do("signal-times")
    assert found.start == {"ready": 0.0, "other": 3.0}
    assert found.changes == ((1.0, "ready", 1.0), (3.0, "ready", 0.0))
    assert "1.0000 s  ready = 1" in str(found)


def test_signals_of_devices_are_shown_in_the_units_of_the_cell_and_compared_as_what_they_measure():
    cell = wc.Cell()
    for line in (
        "create robot A puma560",
        "add conveyor belt 1000 at 0,2000,0",
        "add encoder count on A joint 1 resolution 1",
        "add distance-sensor eye range 500 at 0,0,3000",
    ):
        cell.do(line)
    text = 'open-gripper A to 60\nif signal:"A/opening" < 70mm\n  message "open " + signal:"A/opening"\nend\n'
    text += 'if signal:"A/opening" > 50mm and signal:"A/opening" < 0.07\n  message "both"\nend'
    cell.session.call("write program", {"name": "demo", "text": text})
    said = str(cell.do("run demo"))
    assert "open 60 mm" in said
    assert "both" in said
    found = cell.do("signal-times")
    assert [(name, value) for _, name, value in found.changes if name == "A/opening"][-1] == ("A/opening", 60.0)
    assert found.units == {"A/opening": "mm", "belt/speed": "mm/s", "count": "deg", "eye": "mm"}
    assert "A/opening = 60 mm" in str(found)
    cell.do("units m rad")
    assert "A/opening = 0.06 m" in str(cell.do("signal-times"))
