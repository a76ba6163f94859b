"""The values of signals over a recording."""

from __future__ import annotations

import pytest

import workcell as wc
from workcell.errors import InvalidValue
from workcell.programs.measures import DIMENSIONS, Measure, aligned
from workcell.spatial.units import SCALES, Units


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


MEASURED = {"A/opening": "length", "count": "angle", "belt/speed": "speed", "ready": "number"}


@pytest.fixture(scope="module")
def devices():
    with wc.Cell() as cell:
        for line in (
            "create robot A puma560",
            "add conveyor belt 1000 at 0,2000,0",
            "add encoder count on A joint 1 resolution 1",
            "create signal ready",
        ):
            cell.do(line)
        yield cell


def problems(cell, text):
    cell.session.call("write program", {"name": "demo", "text": text})
    return [str(one) for one in cell.do("check program demo").problems]


@pytest.mark.parametrize("signal", MEASURED)
@pytest.mark.parametrize("other", [*SCALES])
@pytest.mark.parametrize("form", ["{} < {}", "{1} = -{0}", "{} + {} > 0", 'signal("{}") < {}', "max(0, {}, {}) > 0"])
def test_a_signal_is_compared_only_with_numbers_and_what_it_measures(devices, signal, other, form):
    unit = next(iter(SCALES[other]), "")
    name = signal if form.startswith("signal") else f'signal:"{signal}"'
    found = problems(devices, f"if {form.format(name, f'50{unit}')}\n  wait 1\nend")
    refused = [one for one in found if "cannot be added or compared" in one]
    fits = "number" in (MEASURED[signal], other) or MEASURED[signal] == other
    assert bool(refused) != fits, found
    for one in refused:
        assert MEASURED[signal] in one
        assert other in one


@pytest.mark.parametrize("one", DIMENSIONS)
@pytest.mark.parametrize("other", DIMENSIONS)
def test_a_number_is_never_compared_with_a_signal_of_another_quantity(one, other):
    signal, number = Measure(0.05, reads=DIMENSIONS[one]), Measure(0.05, DIMENSIONS[other])
    if "number" in (one, other) or one == other:
        aligned(signal, number, Units())
    else:
        with pytest.raises(InvalidValue, match=r"cannot be added or compared"):
            aligned(number, signal, Units())
