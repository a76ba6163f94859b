"""Text files as editors of any system write them: with a byte-order mark, with line ends of Windows or of old Macs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import workcell as wc
from workcell.cli import main
from workcell.robots.formats import link_file, wld
from workcell.robots.robot_file import read as read_robot_file
from workcell.world.text_form import to_text

MARK = b"\xef\xbb\xbf"
WAYS = {
    "mark": lambda text: MARK + text.encode(),
    "windows": lambda text: text.replace("\n", "\r\n").encode(),
    "both": lambda text: MARK + text.replace("\n", "\r\n").encode(),
}
ROOT = Path(__file__).parents[2]


@pytest.fixture(params=WAYS)
def written(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str, str], Path]:
    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_bytes(WAYS[request.param](text))
        return path

    return write


def _cell() -> wc.Cell:
    cell = wc.Cell()
    cell.do("create robot A puma560")
    return cell


STEPS = "move-joints-relative A 10,0,0,0,0,0\nrepeat 2\n  wait 0.5\nend\n"


def test_scripts_and_programs(written: Callable[[str, str], Path]) -> None:
    cell = _cell()
    script = written("set-up.txt", "create block b box 1 2 3\ncreate signal s\n")
    cell.do(f'load "{script}"')
    assert cell.database.find("block", "b") is not None
    assert cell.database.find("signal", "s") is not None
    program = written("p.txt", STEPS)
    cell.do(f'load-program p "{program}"')
    cell.do("program q\n" + STEPS + "end")
    text = [str(cell.database.entity("program", name).properties["text"]) for name in "pq"]
    assert text[0].rstrip() == text[1].rstrip()
    cell.do("run p")
    assert cell.state.time > 1.0


def test_the_command_line(written: Callable[[str, str], Path]) -> None:
    script = written("s.txt", "create block b box 1 2 3\nprogram p\nwait 1\nend\nrun p\n")
    for arguments in (["shell", "--script", str(script)], ["run", str(script)]):
        answer = CliRunner().invoke(main, arguments)
        assert answer.exit_code == 0, answer.output
        assert "block 'b' created" in answer.output
        assert "p: 1 step" in answer.output
    for arguments in (["shell", "--script", "-"], ["shell"], ["run", "-"]):
        answer = CliRunner().invoke(main, arguments, input=script.read_bytes())
        assert answer.exit_code == 0, answer.output
        assert "block 'b' created" in answer.output


def test_tables(written: Callable[[str, str], Path]) -> None:
    cell = _cell()
    start = cell.state.joints["A"][0]
    values = cell.state.joints["A"]
    rows = "".join(
        f"{t}," + ",".join(str(float(np.degrees(v)) + (10 * t if i == 0 else 0)) for i, v in enumerate(values)) + "\n"
        for t in (0, 1, 2)
    )
    path = written("t.csv", rows)
    cell.do(f'follow-table A "{path}" in degrees --any-acceleration')
    assert np.degrees(cell.state.joints["A"][0] - start) == pytest.approx(20.0)


def test_cells_as_text(written: Callable[[str, str], Path]) -> None:
    cell = _cell()
    path = written("c.celltext", to_text(cell.database))
    assert wc.Cell.copy_of(path).snapshot().hash == cell.snapshot().hash
    other = wc.Cell()
    other.do(f'load "{path}"')
    assert other.snapshot().hash == cell.snapshot().hash


def test_robots(written: Callable[[str, str], Path]) -> None:
    from workcell.robots.catalogue import library_text

    text = library_text("ur5e")
    path = written("ur5e.toml", text)
    assert read_robot_file(path).name == "ur5e"
    assert wc.Robot.load(path).name == "ur5e"
    cell = wc.Cell()
    cell.do(f'import robot B "{path}"')
    world = next(ROOT.joinpath("tests/data").rglob("*.wld"))
    plain = world.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
    assert wld.read(written("w.wld", plain)) == wld.parse(plain)
    link = link_file.LinkFile(10.0, 5.0, 2.0, 90.0)
    assert link_file.write(link_file.read(written("l.lnk", link_file.write(link)))) == link_file.write(link)


def test_what_is_no_text_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    path.write_bytes(b"\xff\xfe\x00c\x00r")
    for arguments in (["run", str(path)], ["shell", "--script", str(path)]):
        answer = CliRunner().invoke(main, arguments)
        assert answer.exit_code != 0
        assert "Traceback" not in answer.output
        assert "is text (UTF-8)" in answer.output + str(answer.exception)
