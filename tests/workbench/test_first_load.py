"""What a browser loads before it shows the page: little, compressed; large libraries come when they are needed."""

from __future__ import annotations

import gzip
import os
import re
from pathlib import Path

import pytest

from workcell.service.static_page import PAGE

MOST = 280_000
"""The most that the first load may take [bytes, compressed]."""


@pytest.fixture
def page() -> Path:
    if not (PAGE / "index.html").is_file():
        (pytest.fail if os.environ.get("CI") else pytest.skip)("The page is not built: make page.")
    return PAGE


def first_files(page: Path) -> set[Path]:
    """The page, and everything that it names or that its scripts import at once."""
    found: set[Path] = set()
    waiting = [page / "index.html"]
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        found.add(file)
        text = file.read_text()
        if file.suffix == ".html":
            waiting += [page / name for name in re.findall(r'(?:src|href)="\./([^"]+\.(?:js|css))"', text)]
        elif file.suffix == ".js":
            names = re.findall(r'(?:\bimport|\bfrom)\s*"\./([^"]+\.js)"', text)
            waiting += [file.parent / name for name in names]
    return found


def test_the_first_load_is_small(page: Path) -> None:
    sizes = {file.name: len(gzip.compress(file.read_bytes(), mtime=0)) for file in first_files(page)}
    print(
        {name: f"{size / 1e3:.0f} kB" for name, size in sizes.items()}, f"together {sum(sizes.values()) / 1e3:.0f} kB"
    )
    assert {Path(name).suffix for name in sizes} == {".html", ".js", ".css"}
    assert sum(sizes.values()) < MOST


def test_the_editor_and_the_plots_are_loaded_on_demand(page: Path) -> None:
    first = first_files(page)
    for word, library in ((".cm-content", "CodeMirror"), ("uplot", "uPlot")):
        holders = {file for file in page.rglob("*.js") if word in file.read_text()}
        assert holders, f"{library} is not in the page"
        assert not holders & first, f"{library} is loaded before it is needed"
