"""Files that leave the page or are opened by it: exports, folders of the server, many cells in tabs."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from page_bench import Bench
from playwright.sync_api import expect

from workcell.commands.cell import Cell

pytestmark = [pytest.mark.browser, pytest.mark.own_process]


def exported(bench: Bench, what: str, form: str) -> tuple[str, bytes]:
    """Export something in the dialog; return the name of the file and its bytes."""
    page = bench.page
    page.get_by_role("button", name="File", exact=True).click()
    page.get_by_role("menuitem", name="Export …").click()
    dialog = page.get_by_role("dialog", name="Export")
    dialog.get_by_label("What to export").select_option(label=what)
    dialog.get_by_label("Format of the file").select_option(label=form)
    with page.expect_download(timeout=90_000) as expected:
        dialog.get_by_role("button", name="Export").click()
    return expected.value.suggested_filename, Path(expected.value.path()).read_bytes()


def test_everything_is_exported_to_the_browser_and_not_to_the_folder(
    open_bench: Callable[..., Bench], tmp_path: Path
) -> None:
    bench = open_bench(width=1366, height=768)
    for line in ("add solid peg cylinder 30 200 at 2000,0,100", 'write program job "wait 1"'):
        bench.type(line)
        assert bench.answer()["state"] == "done"
    archive: dict[str, bytes] = {}
    beginnings = {
        ("The cell", "Work cell file (.wld)", ".wld"): b"",
        ("peg", "STEP", ".step"): b"ISO-10303-21",
        ("peg", "glTF", ".glb"): b"glTF",
        ("Puma", "Workcell robot file (.toml)", ".toml"): b"",
        ("cell", "ROBOSIM source", ".robosim"): b"",
        ("Puma", "URDF with its meshes (.zip)", ".zip"): b"PK",
        ("job", "Text", ".txt"): b"wait 1",
        ("The cell", "Picture (.png)", ".png"): b"\x89PNG",
    }
    for (what, form, ending), beginning in beginnings.items():
        name, data = exported(bench, what, form)
        assert name.endswith(ending)
        assert data.startswith(beginning)
        assert len(data) > 6
        archive |= {name: data} if ending == ".zip" else {}
    assert "download:/peg-" in " ".join(bench.ask("workcell.bench.log.entries.map((one) => one.line)"))
    bench.drop(archive)  # on a page, the archive is the robot again
    bench.until("workcell.bench.scene.lists.robots.length === 2")
    assert bench.answer()["line"].startswith("import robot Puma-2 dropped:/Puma-")
    assert list(tmp_path.iterdir()) == []
    assert bench.faults == []


def test_a_cell_is_found_in_the_folders_of_the_server(open_bench: Callable[..., Bench], tmp_path: Path) -> None:
    (tmp_path / "lines").mkdir()
    with Cell.create(tmp_path / "lines" / "welding.cell") as cell:
        cell.do("add solid peg cylinder 20 100")
    bench = open_bench()
    page = bench.page
    page.get_by_role("button", name="Open a cell").click()
    page.get_by_role("button", name="lines/").click()
    page.get_by_role("list", name="Files in lines").get_by_role("button", name="welding.cell").click()
    page.wait_for_url("**cell=*", timeout=90_000)
    bench.until("!!(window.workcell && workcell.bench.scene.facts && workcell.bench.scene.lists.bodies.length === 1)")
    page.get_by_role("button", name="Close welding.cell").click()
    page.wait_for_url(lambda url: "cell=" not in url, timeout=90_000)
    bench.until("!!(window.workcell && workcell.bench.cells.list.length === 1)")
    page.get_by_role("button", name="Open a cell").click()
    page.get_by_role("heading", name="Recent").wait_for()
    page.get_by_role("button", name="welding.cell", exact=True).click()
    page.wait_for_url("**cell=*", timeout=90_000)
    shutil.rmtree(tmp_path / "lines")


@pytest.mark.parametrize("width", [1366, 1920])
def test_seven_cells_leave_their_names_and_the_buttons_of_the_view(
    open_bench: Callable[..., Bench], width: int
) -> None:
    bench = open_bench(width=width, height=768)
    page = bench.page
    others = ", ".join(f"{{id: 'x{k}', name: 'unnamed {k}', file: ''}}" for k in range(6))
    bench.ask(f"void (workcell.bench.cells.list = [workcell.bench.cells.list[0], {others}])")
    tabs = page.get_by_role("navigation", name="Open cells")
    assert tabs.locator(".tab").evaluate_all("all => all.every((one) => one.clientWidth >= 76)")
    for look in ("Front", "Right", "Top"):
        button = page.locator("header").get_by_text(look, exact=True)
        expect(button).to_be_visible()
        assert button.evaluate("one => one.getBoundingClientRect().right <= innerWidth")
    assert page.locator("header").evaluate("one => one.scrollWidth <= innerWidth")
    tabs.get_by_role("button", name="List of open cells").click()
    expect(page.get_by_role("menu", name="List of open cells").get_by_text("unnamed 5")).to_be_visible()
