"""Cells in git: two branches, the real driver, with the text form and with databases."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from workcell.commands.cell import Cell
from workcell.commands.converting import contents_in, convert, database_of
from workcell.commands.git_setup import ATTRIBUTES
from workcell.world.text_form import to_text

PALLETISING = [
    "create robot Picker irb140 at 0,0,0",
    "create robot Stacker irb1400 at 3000,0,0",
    "speed Picker 100",
    "speed Stacker 100",
    "add conveyor belt 2000 at 500,-800,0",
    "create block board box 1200 800 144",
    "create object pallet",
    "attach board to pallet as board",
    "place pallet at 1500,0,0",
    *[f"add solid box{n} box 200 200 150 at {1000 + 250 * (n % 4)},{250 * (n // 4)},144 --movable" for n in range(12)],
    'write program pick "move-joints-relative Picker 10,0,0,0,0,0%0Await 1%0Amove-joints-relative Picker -10,0,0,0,0,0"',
]
"""A palletising cell: two robots, a belt, a pallet, twelve boxes and a program."""


class Repository:
    """A git repository in a folder, with nothing of the user's own settings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        names = {
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b",
        }
        self.env = {**os.environ, **names, "HOME": str(folder.parent), "GIT_CONFIG_NOSYSTEM": "1"}
        self.env.pop("XDG_CONFIG_HOME", None)
        self("init", "-q", "-b", "main")

    def __call__(self, *words: str, fails: bool = False) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.folder, env=self.env, capture_output=True, text=True, check=False
        )
        assert bool(done.returncode) == fails, done.stdout + done.stderr
        return done.stdout + done.stderr

    def workcell(self, *words: str | Path) -> str:
        run = [sys.executable, "-m", "workcell", *map(str, words)]
        done = subprocess.run(run, cwd=self.folder, env=self.env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def edit(self, file: str, *lines: str) -> None:
        """Carry out commands on a cell, in either form, and commit it."""
        place = self.folder / file
        if place.suffix == ".cell":
            with Cell.open(place, who="test") as cell:
                for line in lines:
                    cell.do(line)
        else:
            with Cell(database_of(contents_in(place)), who="test") as cell:
                for line in lines:
                    cell.do(line)
                cell.do(f"save {place} --replace")
        self("commit", "-qam", lines[0])


@pytest.fixture(scope="module")
def pallets(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("pallets") / "line.cell"
    with Cell.create(place, who="test") as cell:
        for line in PALLETISING:
            cell.do(line)
    return place


@pytest.fixture
def repository(tmp_path, pallets, request) -> Repository:
    found = Repository(tmp_path / "repository")
    found.workcell("merge", "--install")
    convert(pallets, found.folder / f"line.{request.param}")
    found("add", f"line.{request.param}", ".gitattributes")
    found("commit", "-qm", "the cell")
    return found


both = pytest.mark.parametrize("repository", ["cell", "celltext"], indirect=True)


def file_of(repository: Repository) -> str:
    return next(one.name for one in repository.folder.iterdir() if one.suffix in (".cell", ".celltext"))


@both
def test_edits_of_different_robots_merge_and_those_of_one_speed_conflict_with_a_sentence(repository):
    file = file_of(repository)
    repository("checkout", "-qb", "ann")
    repository.edit(file, "speed Picker 50", "modify Stacker name Palletiser", "place pallet at 1600,0,0")
    repository("checkout", "-q", "main")
    repository.edit(file, "speed Stacker 30", 'write program stack "move-joints-relative Stacker 5,0,0,0,0,0"')
    answer = repository("merge", "-q", "ann", "-m", "both")
    assert "CONFLICT" not in answer
    database = database_of(contents_in(repository.folder / file))
    speeds = {robot.name: robot.properties["speed"] for robot in database.entities("robot")}
    assert speeds == pytest.approx({"Picker": 0.8726646259971648, "Palletiser": 0.5235987755982988})
    assert database.entity("program", "stack").properties["text"] == "move-joints-relative Palletiser 5,0,0,0,0,0"
    repository("checkout", "-qb", "bob")
    repository.edit(file, "speed Picker 40", "speed Palletiser 25")
    repository("checkout", "-q", "main")
    repository.edit(file, "speed Picker 45", "modify pallet description moved")
    answer = repository("merge", "bob", fails=True)
    assert f"{file}: robot Picker: speed is 45 deg/s in ours, 40 deg/s in theirs; base 50 deg/s." in answer
    assert answer.count(" in ours, ") == 1, "one sentence for each conflict"
    assert f"CONFLICT (content): Merge conflict in {file}" in answer
    database = database_of(contents_in(repository.folder / file))
    assert database.entity("robot", "Palletiser").properties["speed"] == pytest.approx(0.4363323129985824)
    assert database.entity("object", "pallet").description == "moved"
    assert "UU " + file in repository("status", "--porcelain")
    repository("commit", "-qam", "settled")
    left = {one.name for one in repository.folder.iterdir()} - {f"{file}.cache"}
    assert left == {".git", ".gitattributes", file}, "the driver leaves nothing behind"


@pytest.mark.parametrize("repository", ["celltext"], indirect=True)
def test_a_rebase_and_a_criss_cross_merge_go_through_the_driver(repository):
    file = file_of(repository)
    repository("checkout", "-qb", "ann")
    repository.edit(file, "speed Picker 50")
    repository.edit(file, "create object tray")
    repository("checkout", "-q", "main")
    repository.edit(file, "modify Picker name Loader", "speed Stacker 30")
    repository("checkout", "-q", "ann")
    repository("rebase", "-q", "main")
    database = database_of(contents_in(repository.folder / file))
    assert database.entity("robot", "Loader").properties["speed"] == pytest.approx(0.8726646259971648)
    assert database.find("object", "tray")
    repository("checkout", "-q", "main")
    repository.edit(file, "modify pallet description one")
    left, right = repository("rev-parse", "main").strip(), repository("rev-parse", "ann").strip()
    repository("merge", "-q", right, "-m", "left takes right")
    repository("checkout", "-q", "ann")
    repository("merge", "-q", left, "-m", "right takes left")
    repository.edit(file, "speed Stacker 20")
    repository("checkout", "-q", "main")
    repository.edit(file, "speed Loader 60")
    repository("merge", "-q", "ann", "-m", "crossed")
    database = database_of(contents_in(repository.folder / file))
    assert [robot.properties["speed"] for robot in database.entities("robot")] == pytest.approx(
        [1.0471975511965976, 0.3490658503988659]
    )


@pytest.mark.parametrize("repository", ["cell"], indirect=True)
def test_git_shows_the_difference_of_databases_as_text(repository):
    file = file_of(repository)
    with Cell.open(repository.folder / file, who="test") as cell:
        cell.do("speed Picker 50")
    changed = [line for line in repository("diff").splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert changed == ["-property speed = 1.7453292519943295", "+property speed = 0.8726646259971648"]


def test_the_driver_is_installed_once_and_taken_away_again(tmp_path):
    repository = Repository(tmp_path / "repository")
    attributes = repository.folder / ".gitattributes"
    attributes.write_text("*.png binary\n")
    for _ in range(2):
        repository.workcell("merge", "--install")
    assert attributes.read_text().splitlines() == ["*.png binary", *ATTRIBUTES]
    assert "merge %O %A %B" in repository("config", "merge.workcell.driver")
    repository.workcell("merge", "--uninstall")
    assert attributes.read_text() == "*.png binary\n"
    repository("config", "merge.workcell.driver", fails=True)
    repository.workcell("merge", "--install", "--global")
    everywhere = tmp_path / ".config/git/attributes"
    assert everywhere.read_text().splitlines() == list(ATTRIBUTES)
    assert "workcell merge" in repository("config", "--global", "merge.workcell.driver")
    repository.workcell("merge", "--uninstall", "--global")
    assert not everywhere.exists()


def test_the_text_of_a_palletising_cell_is_small(pallets):
    with Cell.open(pallets) as cell:
        text = to_text(cell.database)
    assert len(text) < 44_000


def test_wrong_usage_is_exit_code_2_and_a_place_without_git_is_a_sentence(tmp_path):
    env = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    run = [sys.executable, "-m", "workcell", "merge"]
    done = subprocess.run([*run, "one"], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Name three files: BASE OURS THEIRS" in done.stderr
    done = subprocess.run([*run, "--install"], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "There is no git repository here" in done.stderr
