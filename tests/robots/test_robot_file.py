"""Robot files: what is written is read back; what is wrong is said in one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from workcell.errors import FileProblem, InvalidValue
from workcell.robots.build import file_from_robot, robot_from_file
from workcell.robots.catalogue import robot, robots
from workcell.robots.robot import Robot
from workcell.robots.robot_file import FORMAT, parse, read, write

SMALL = f"""
format = "{FORMAT}"
name = "small"
model = "Small 1"
maker = "Us"
joints = [
  {{ d = 100, a = 0, alpha = 90, limits = [-90, 90], speed = 100 }},
  {{ d = 0, a = 200, alpha = 0, limits = [0, 300], speed = 50, prismatic = true }},
]
"""


@pytest.mark.parametrize("name", robots())
def test_a_library_robot_survives_writing_and_reading(name: str) -> None:
    arm = robot(name)
    again = robot_from_file(parse(write(file_from_robot(arm)), name))
    assert np.abs(again.chain.table - arm.chain.table).max() < 1e-12
    assert again.limits == pytest.approx(arm.limits, abs=1e-12)
    assert again.speeds == pytest.approx(arm.speeds, abs=1e-12)
    assert again.home == pytest.approx(arm.home, abs=1e-12)
    assert again.sources == arm.sources
    assert again.fk(arm.home).is_close(arm.fk(arm.home))
    assert (again.controller is None) == (arm.controller is None)


def test_millimetres_and_degrees_are_converted_once() -> None:
    arm = robot_from_file(parse(SMALL))
    assert arm.rows[0].d == pytest.approx(0.1)
    assert arm.limits[1] == pytest.approx([0, 0.3])
    assert arm.speeds == pytest.approx([np.radians(100), 0.05])
    assert arm.home[1] == 0.0


def test_a_file_is_loaded_by_its_content(tmp_path: Path) -> None:
    place = tmp_path / "arm.txt"
    place.write_text(SMALL)
    assert Robot.load(place).name == "small"


@pytest.mark.parametrize(
    ("old", "new", "kind", "message"),
    [
        (FORMAT, "something 9", FileProblem, r"is not a robot file: it should begin with format"),
        ("alpha = 90", "alhpa = 90", InvalidValue, r"Object missing required field `alpha`|unknown field `alhpa`"),
        ("limits = [-90, 90]", "limits = [-90]", InvalidValue, r"length 2"),
        ("limits = [-90, 90]", "limits = [90, -90]", InvalidValue, r"limits of joint 1 are reversed"),
        (", speed = 100 ", "", InvalidValue, r"joint 1 has no speed, but others have one"),
        ("d = 100", "d = nan", InvalidValue, r"d of DH row 1 must be finite"),
        ("joints = [", "joints = [[", FileProblem, r"is not a TOML file"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(old: str, new: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message) as caught:
        robot_from_file(parse(SMALL.replace(old, new), "small.toml"))
    assert "\n" not in str(caught.value)


def test_an_unreadable_file_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match=r"cannot be read: No such file"):
        read(tmp_path / "none.toml")
