"""Motions from tables and from functions of time."""

from __future__ import annotations

import io
import math
from pathlib import Path

import numpy as np
import pytest

from workcell.errors import FileProblem, InvalidValue, MotionError
from workcell.motion.limits import Limits
from workcell.motion.table import from_function, from_table, read_table
from workcell.spatial.units import ANGLES, LENGTHS
from workcell.spatial.units import TIMES as TIME_UNITS

TIMES = [0.0, 0.5, 1.5, 2.0, 3.0]
ROWS = [[0.0, 1.0], [0.2, 0.8], [0.9, 0.5], [1.0, 0.6], [0.7, 0.9]]


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
def test_a_table_is_passed_row_by_row(interpolation: str) -> None:
    motion = from_table(TIMES, ROWS, interpolation)
    assert np.allclose(motion.sample(TIMES), ROWS)
    assert motion.duration == 3.0
    later = from_table(np.array(TIMES) + 7.0, ROWS, interpolation)
    assert np.allclose(later.sample(TIMES), ROWS)


def test_a_cubic_table_gives_a_cubic_back() -> None:
    t = np.linspace(0.0, 2.0, 7)
    motion = from_table(t, np.stack([t**3 - t, 2.0 * t**2], axis=1))
    fine = np.linspace(0.0, 2.0, 101)
    assert np.allclose(motion.sample(fine), np.stack([fine**3 - fine, 2.0 * fine**2], axis=1))


@pytest.mark.parametrize("mark", [",", ";", "\t", " ", ", "])
def test_a_text_table_is_read_from_a_file_and_from_lines(tmp_path: Path, mark: str) -> None:
    lines = [mark.join(["time", "one", "two"]), "# measured", ""]
    lines += [mark.join(str(value) for value in (t, *row)) for t, row in zip(TIMES, ROWS, strict=True)]
    text = "\n".join(lines) + "  # last\n"
    (tmp_path / "motion.csv").write_text(text)
    expected = from_table(TIMES, ROWS)
    assert read_table(tmp_path / "motion.csv") == expected
    assert read_table(io.StringIO(text)) == expected


@pytest.mark.parametrize("mark", [",", ";", "\t", " ", ", "])
@pytest.mark.parametrize("clock", TIME_UNITS)
@pytest.mark.parametrize("unit", [*ANGLES, *LENGTHS])
def test_a_heading_names_the_unit_of_its_column(mark: str, clock: str, unit: str) -> None:
    lines = [mark.join([f"time [{clock}]", f"one [{unit}]", "two"])]
    size = {**ANGLES, **LENGTHS}[unit]
    for t, (one, two) in zip(TIMES, ROWS, strict=True):
        lines.append(mark.join([repr(t / TIME_UNITS[clock]), repr(one / size), repr(two)]))
    found, expected = read_table(lines), from_table(TIMES, ROWS)
    np.testing.assert_allclose(found.breaks, expected.breaks, rtol=1e-14)
    np.testing.assert_allclose(found.coefficients, expected.coefficients, rtol=1e-12, atol=1e-12)


def test_a_table_beyond_the_limits_is_refused_with_joint_and_time() -> None:
    with pytest.raises(
        MotionError, match="The motion of the table cannot be made: joint 1 passes its speed limit"
    ) as e:
        from_table(TIMES, ROWS, "linear", Limits.of(2, [0.5, 5.0]))
    assert e.value.joint == 1
    assert e.value.time == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["0 1", "1 x"], "Line 2 of the table is not numbers: '1 x'"),
        (["0 1", "1 2 3"], "Line 2 of the table has 3 numbers, but those before it have 2"),
        (["0 1"], "two or more lines with a time and joint values; found 1"),
        (["0 1", "1 2", "1 3"], "row 3 has 1 s after 1 s"),
        (["0 1", "1 nan"], "Row 2 of the table is not finite"),
        ([], "found 0 lines"),
        (["time [h],a [deg]", "0,1", "1,2"], r"'time \[h\]' of the table names no unit of a time; write s, ms or min"),
        (["time,a [grad]", "0,1", "1,2"], r"'a \[grad\]' of the table names no unit of a joint; write deg, rad, turn"),
        (["time,a [deg]", "0,1,2", "1,2,3"], "The table has 2 headings, but 3 numbers in each line"),
    ],
)
def test_a_damaged_table_is_refused_by_line(lines: list[str], words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        read_table(lines)


def test_a_missing_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="cannot be read"):
        read_table(tmp_path / "nothing.csv")
    with pytest.raises(InvalidValue, match="'linear' or 'cubic', not 'wavy'"):
        from_table(TIMES, ROWS, "wavy")
    with pytest.raises(InvalidValue, match="two or more rows of a time and n joint values; found 5 times"):
        from_table(TIMES, ROWS[:3])


@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-8])
def test_a_function_is_followed_within_the_tolerance(tolerance: float) -> None:
    motion = from_function(lambda t: [math.sin(3.0 * t), math.exp(-t)], 2.0, tolerance=tolerance)
    t = np.linspace(0.0, 2.0, 4001)
    off = np.abs(motion.sample(t) - np.stack([np.sin(3.0 * t), np.exp(-t)], axis=1)).max()
    assert off <= 1.05 * tolerance


def test_a_function_that_jumps_or_is_too_fast_is_refused() -> None:
    with pytest.raises(MotionError, match=r"cannot be followed within 1e-06 at 0.*it jumps or bends there") as e:
        from_function(lambda t: [0.0 if t < 0.3 else 1.0], 1.0)
    assert e.value.time == pytest.approx(0.3, abs=1e-6)
    with pytest.raises(
        MotionError, match="The motion of the function cannot be made: joint 1 passes its speed limit 1"
    ):
        from_function(lambda t: [math.sin(2.0 * t)], 1.0, limits=Limits.of(1, 1.0))
    with pytest.raises(InvalidValue, match=r"The values of the function at .* must be finite"):
        from_function(lambda t: [math.inf if t > 0.5 else 0.0], 1.0)
