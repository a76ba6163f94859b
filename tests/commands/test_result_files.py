"""DirectKinematics and InverseKinematics: the tables and equations that Ding prints, written, read and compared."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import workcell as wc
from workcell.cli import main
from workcell.errors import FileProblem, InvalidValue, Refused, WorkcellError
from workcell.robots.formats import result_file
from workcell.robots.formats.result_file import DirectResult, InverseResult

FACTS = json.loads((Path(__file__).parent.parent / "data" / "kinematics" / "ding.json").read_text())
MODELS = {"ABB IRB 6400": "irb6400", "Fanuc ARC Mate 120iL": "arcmate120il"}
CASES = [pytest.param(arm, MODELS.get(arm["name"], "arcmate120il"), id=arm["name"]) for arm in FACTS["arms"]]
EQUATION_5_2 = {
    "0A1": [[0.8704, 0, 0.4924, 163.633], [-0.4924, 0, 0.8704, -92.5643], [0, -1, 0, 900], [0, 0, 0, 1]],
    "1A2": [[-0.3651, -0.9310, 0, 346.8], [0.9310, -0.3651, 0, -884.437], [0, 0, 1, 0], [0, 0, 0, 1]],
    "2A3": [[0.9137, 0, 0.4065, -205.576], [0.4065, 0, -0.9137, -91.4513], [0, 1, 0, 0], [0, 0, 0, 1]],
    "3A4": [[0.7707, 0, -0.6372, 0], [0.6372, 0, 0.7707, 0], [0, -1, 0, 1300], [0, 0, 0, 1]],
    "4A5": [[0.2589, 0, 0.9659, 0], [0.9659, 0, -0.2589, 0], [0, 1, 0, 0], [0, 0, 0, 1]],
    "5A6": [[-0.7743, 0.6328, 0, 0], [-0.6328, -0.7743, 0, 0], [0, 0, 1, 200], [0, 0, 0, 1]],
}
"""As printed, for table 5.10."""


@pytest.fixture
def cell():
    return wc.Cell()


def read(place: Path) -> DirectResult | InverseResult:
    return result_file.parse(place.read_text(), place.name)


@pytest.mark.parametrize(("arm", "model"), CASES)
def test_the_file_has_the_eight_columns_of_every_table(cell, tmp_path: Path, arm: dict, model: str) -> None:
    cell.do(f"create robot Arm {model} at 500,300,0 rotate 0,0,30")
    cell.do("create path way")
    for number, target in enumerate(arm["targets"]):
        xyz, ypr = (",".join(str(v) for v in target[key]) for key in ("xyz", "ypr"))
        cell.do(f"add target P{number} {xyz} euler ding_ypr {ypr} on Arm link 0")
        cell.do(f"attach P{number} to Arm link 0 euler ding_ypr {ypr} translate {xyz}")
        cell.do(f"export inverse-kinematics Arm {tmp_path}/P{number} at P{number}")
        found = read(tmp_path / f"P{number}")
        assert isinstance(found, InverseResult)
        (point,) = found.points
        assert len(point.columns) == 8
        for column, (one, wanted) in enumerate(zip(point.columns, target["solutions"], strict=True), start=1):
            assert one.label == tuple(wanted[:3])
            free = 3 if column in target["wrist_singular"] else 6
            apart = np.remainder(np.array(one.joints[:free]) - wanted[3 : 3 + free] + 180.0, 360.0) - 180.0
            assert np.abs(apart).max() < 2e-5
        told = cell.do(f"check kinematics {tmp_path}/P{number} of Arm")
        assert told.results == 8
        assert told.distance < 1e-7
        assert told.angle < 1e-7


def test_a_path_is_one_file_of_several_points(cell, tmp_path: Path) -> None:
    cell.do("create robot Arm irb6400")
    cell.do("create path way")
    for name, x in (("A", 1400), ("B", 1500), ("far", 9000)):
        cell.do(f"add target {name} {x},0,900 euler ding_ypr 180,0,0 to way")
    told = str(cell.do(f"export inverse-kinematics Arm {tmp_path}/way of way"))
    assert told.startswith("3 points, 16 solutions written to")
    assert told.endswith("; out of reach: 'far'")
    found = read(tmp_path / "way")
    assert isinstance(found, InverseResult)
    assert [(point.name, len(point.columns)) for point in found.points] == [("A", 8), ("B", 8), ("far", 0)]
    assert result_file.write(found) == (tmp_path / "way").read_text()
    assert "16 results" in str(cell.do(f"check kinematics {tmp_path}/way of Arm"))


def test_the_file_has_the_matrices_of_equation_5_2(tmp_path: Path) -> None:
    place = tmp_path / "DirectKinematics"
    words = ["fk", "irb6400", "-29.496,111.411,23.982,39.583,74.994,-140.743", "-o", str(place)]
    assert CliRunner().invoke(main, words, catch_exceptions=False).exit_code == 0
    found = read(place)
    assert isinstance(found, DirectResult)
    assert list(found.matrices) == list(EQUATION_5_2)
    for name, printed in EQUATION_5_2.items():
        assert found.matrices[name][:, :3] == pytest.approx(np.array(printed)[:, :3], abs=6e-5)
        assert found.matrices[name][:, 3] == pytest.approx(np.array(printed)[:, 3], abs=3e-3)
    assert found.hand[:3, 3] == pytest.approx([1399.5, -650.25, 875.5], abs=5e-3)
    assert result_file.write(found) == place.read_text()


def test_the_command_line_writes_the_eight_solutions_of_home(tmp_path: Path) -> None:
    place = tmp_path / "InverseKinematics"
    words = ["ik", "irb6400", "1688,0,2075", "euler", "ding_ypr", "0,90,0", "-o", str(place)]
    assert CliRunner().invoke(main, words, catch_exceptions=False).exit_code == 0
    found = read(place)
    assert isinstance(found, InverseResult)
    assert found.points[0].columns[0].joints[1] == pytest.approx(4.55028, abs=1e-5)  # table 5.9
    assert found.points[0].columns[1].joints[:3] == pytest.approx((180, 65.516, -132.088), abs=1e-3)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(["puma560", "ur5e", "stanford", "planar2r", "cobra600", "iiwa14"]), st.integers(0, 2**32 - 1))
def test_any_arm_gives_back_what_was_written(model: str, seed: int) -> None:
    arm = wc.robot(model)
    q = np.random.default_rng(seed).uniform(arm.limits[:, 0], arm.limits[:, 1])
    made = result_file.direct(arm, q.tolist())
    again = result_file.parse(result_file.write(made))
    assert isinstance(again, DirectResult)
    product = np.eye(4)
    for matrix in again.matrices.values():
        product = product @ matrix
    assert product == pytest.approx(again.hand, abs=2e-2)
    assert result_file.write(again) == result_file.write(made)
    ((_, metres, radians),) = result_file.deviations(again, arm)
    assert metres < 1e-7
    assert radians < 2e-6


GOOD = result_file.write(result_file.direct(wc.robot("planar2r"), [0.1, 0.2]))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("DirectKinematics", "Direct", r"x, line 1: a result file begins with DirectKinematics or InverseKinematics"),
        ("theta", "beta", r"x, line 4: the headings Joint i theta alpha a d were expected"),
        ("0.000000", "zero", r"x, line \d+: 4 numbers were expected"),
        ("0.000000", "", r"x, line \d+: 4 finite numbers were expected"),
        ("=", "is", r"x is cut off: the product of the matrices was expected"),
    ],
)
def test_damage_names_the_line(old: str, new: str, message: str) -> None:
    with pytest.raises(FileProblem, match=message):
        result_file.parse(GOOD.replace(old, new, 1), "x")


@settings(max_examples=60)
@given(st.integers(0, len(GOOD)))
def test_a_file_cut_off_is_refused(at: int) -> None:
    try:
        result_file.parse(GOOD[:at], "x")
    except WorkcellError as error:
        said = str(error)
    else:
        said = "x, line: read"
        assert len(GOOD[:at].split()) == len(GOOD.split())
    assert said.startswith(("x, line", "x is cut off"))


def test_what_does_not_fit_is_refused(cell, tmp_path: Path) -> None:
    cell.do("create robot Arm irb6400")
    with pytest.raises(Refused, match="Give either a pose with `at` or a path with `of`"):
        cell.do(f"export inverse-kinematics Arm {tmp_path}/a")
    cell.do(f"export direct-kinematics Arm {tmp_path}/a")
    with pytest.raises(FileProblem, match="already exists"):
        cell.do(f"export direct-kinematics Arm {tmp_path}/a")
    cell.do("create robot two planar2r")
    with pytest.raises(InvalidValue, match="a has 6 joints; two has 2"):
        cell.do(f"check kinematics {tmp_path}/a of two")
    (tmp_path / "b").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileProblem, match="is not a text file"):
        cell.do(f"check kinematics {tmp_path}/b of two")
