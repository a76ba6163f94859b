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
