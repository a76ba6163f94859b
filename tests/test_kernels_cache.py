"""Compiled code on disk is thrown away when any file that it was compiled from changes."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import workcell
from module_graph import sources
from workcell._kernels_cache import digest

CALLEE = """
from workcell._kernels_cache import compiled
from workcell.room.codes import ADDED

@compiled
def inner(x):
    return x + ADDED
"""
CALLER = """
from workcell._kernels_cache import compiled
from workcell.room._kernels_inner import inner

@compiled
def outer(x):
    return {} * inner(x)
"""


NUMBERS = """
import numpy as np
from workcell._kernels_cache import compiled

@compiled
def _times(x, count):
    return x * count

@compiled
def outer(x, counts):
    return _times(x, 2) + _times(x, 3) + _times(x, counts[0])

if __name__ == "__main__":
    print(outer(1.5, np.array([4], dtype=np.int32)), len(_times.signatures))
    try:
        _times(1.5, 2)
    except TypeError as error:
        print(error)
"""


def package_at(folder: Path) -> Path:
    room = folder / "workcell" / "room"
    room.mkdir(parents=True)
    (folder / "workcell" / "__init__.py").touch()
    (room / "__init__.py").touch()
    source = Path(workcell.__file__).parent / "_kernels_cache.py"
    (folder / "workcell" / "_kernels_cache.py").write_bytes(source.read_bytes())
    (room / "codes.py").write_text("ADDED = 1\n")
    (room / "_kernels_inner.py").write_text(CALLEE)
    (room / "_kernels_outer.py").write_text(CALLER.format(10))
    return room


def outer_of_one(folder: Path) -> tuple[int, bool]:
    """What a fresh process computes, and whether it took the code from the disk."""
    code = "from workcell.room._kernels_outer import outer\nprint(outer(1), sum(outer.stats.cache_hits.values()))"
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("NUMBA_CACHE_DIR", None)
    run = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    value, hits = run.stdout.split()
    return int(value), hits == "1"


def test_an_edit_in_a_called_file_is_noticed(tmp_path: Path) -> None:
    room = package_at(tmp_path)
    assert outer_of_one(tmp_path) == (20, False)
    assert outer_of_one(tmp_path) == (20, True)
    (room / "codes.py").write_text("ADDED = 4\n")  # two imports away, and of the same size
    assert outer_of_one(tmp_path) == (50, False)
    assert outer_of_one(tmp_path) == (50, True)


def test_files_that_are_not_imported_do_not_count(tmp_path: Path) -> None:
    room = package_at(tmp_path)
    package = tmp_path / "workcell"
    inner, outer = room / "_kernels_inner.py", room / "_kernels_outer.py"
    before = digest(inner, package), digest(outer, package)
    outer.write_text(CALLER.format(11))
    assert digest(inner, package) == before[0]
    assert digest(outer, package) != before[1]


def test_a_loop_is_compiled_once_for_all_whole_numbers_and_refuses_python(tmp_path: Path) -> None:
    (package_at(tmp_path) / "_kernels_numbers.py").write_text(NUMBERS)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-m", "workcell.room._kernels_numbers"],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    assert run.stdout.splitlines() == [
        "13.5 1",
        "Only other compiled loops can call _times: its name begins with _.",
    ]


def test_kernels_that_call_other_files_are_kept_by_this_cache() -> None:
    """Numba's own cache is enough for a file that imports nothing of the package."""
    wrong = []
    for name, path in sources().items():
        if not path.name.startswith("_kernels"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        modules = {node.module for node in found if isinstance(node, ast.ImportFrom) and node.module}
        modules |= {one.name for node in found if isinstance(node, ast.Import) for one in node.names}
        ours = {one for one in modules if one.startswith("workcell")}
        top = {node.module for node in tree.body if isinstance(node, ast.ImportFrom)}
        if path.stem != "_kernels_cache" and ours and ("numba" in modules or not ours <= top):
            wrong.append(name)
    assert not wrong, "use workcell._kernels_cache, and import at the top as `from workcell.room.file import name`"
