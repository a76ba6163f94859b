"""A `workcell` process on its sample cell that must end quietly and leave nothing behind."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from child_process import Child, child

FRESH = """
from workcell.workbench import gallery, samples
usual = gallery.Gallery.open
gallery.Gallery.open = lambda self, name: samples.sample() if name == "puma" else usual(self, name)
from workcell.cli import main
main()
"""
"""A `workcell` whose sample `puma` is the cell that it starts with, without the run that the gallery shows."""


@dataclass(frozen=True)
class Served:
    """A running `workcell`: its address, and the folder of its temporary files."""

    address: str
    temporary: Path
    child: Child

    def written(self) -> list[Path]:
        """Return the files that clients wrote into cells without a file."""
        return [path for path in self.temporary.glob("workcell-files-*/**/*") if path.is_file()]

    def must_run(self) -> None:
        """Fail with all that the process wrote, if it has ended."""
        ended = self.child.process.poll()
        assert ended is None, f"`workcell` ended with {ended}.\n{self.child.written()}"


@contextmanager
def served(factory: pytest.TempPathFactory, folder: Path, *how: str) -> Iterator[Served]:
    """Start `workcell` in a folder, and end it by Ctrl-C; ``how`` are the words of Python that start it."""
    runtime, temporary = factory.mktemp("runtime"), factory.mktemp("temporary")
    places = {"XDG_CACHE_HOME": cache_folder(), "XDG_RUNTIME_DIR": runtime, "TMPDIR": temporary}
    environment = {**os.environ, **{name: str(path) for name, path in places.items()}}
    environment.pop("WORKCELL_TOKEN", None)
    with child(*(how or ("-m", "workcell")), "--no-browser", "--port", "0", env=environment, cwd=folder) as process:
        yield Served(process.address(), temporary, process)
        family = descendants(process.pid)
        process.signalled(signal.SIGINT)
        _, errors = process.ended(30)
        assert process.process.returncode == 0, process.written()
    assert not errors, errors
    assert not alive(family), "a process was left behind"
    left = [*filter(_left_behind, folder.iterdir()), *filter(_left_behind, (runtime / "workcell").iterdir())]
    assert not left, "a file was left behind"


def cache_folder() -> Path:
    """Where meshes are kept between the tests of one run, and between runs."""
    home = os.environ.get("XDG_CACHE_HOME")
    return Path(home) if home else Path.home() / ".cache"


def descendants(parent: int) -> set[tuple[int, str]]:
    """The processes below one, by number and time of birth (a number may be given anew)."""
    born: dict[int, str] = {}
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            number = int(stat.parent.name)
            parents[number], born[number] = int(fields[1]), fields[19]
    below = {parent}
    while more := {number for number, above in parents.items() if above in below} - below:
        below |= more
    return {(number, born[number]) for number in below if number in born}


def alive(processes: set[tuple[int, str]]) -> set[tuple[int, str]]:
    """Those that are still there."""
    return {(number, birth) for number, birth in processes if (number, birth) in descendants(number)}


def _left_behind(path: Path) -> bool:
    """Whether something is neither a file that a client asked for, nor the cache of a cell, nor the names of windows."""
    if path.parent.name == "workcell":
        return not path.name.startswith("names-")
    logs = (".lock", "-wal", "-shm", "-journal")
    return path.name.endswith(logs) if path.is_file() else not path.name.endswith(".cell.cache")
