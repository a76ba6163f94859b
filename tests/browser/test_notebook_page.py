"""A cell in a real notebook: JupyterLab, a kernel, and the page in outputs, without a port of its own."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter import READY, WAIT, Notebook, jupyter, opened
from page_bench import Bench
from playwright.sync_api import Browser

import workcell as wc

pytestmark = pytest.mark.browser
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "in_a_notebook.ipynb"
SHOW, MOVE, MOVES, NAMES, ROBOT, SOLID = range(6)
"""The code cells of the example."""
FIRST_JOINT = "workcell.bench.scene.lists.robots[0].values[0]"
BODIES = "workcell.bench.scene.lists.bodies.map((body) => body.name)"
CLIENTS = "workcell.bench.connection.measure(false).then((status) => status.clients)"


@pytest.fixture(scope="module")
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Jupyter server with copies of the example."""
    folder = tmp_path_factory.mktemp("notebooks")
    for name in ("first", "second"):
        shutil.copy(EXAMPLE, folder / f"{name}.ipynb")
    with jupyter(folder) as address:
        yield address


@pytest.fixture(scope="module")
def notebook(browser: Browser, server: str) -> Iterator[Notebook]:
    with opened(browser, server, "first.ipynb") as made:
        made.run(SHOW)
        yield made


def shown(bench: Bench, expression: str) -> None:
    """Wait until the page, which is loaded again, shows something."""
    bench.page.wait_for_function(f"!!window.workcell && {expression}", polling=100, timeout=WAIT)


@pytest.fixture
def bench(notebook: Notebook) -> Bench:
    """The page in the first output."""
    return notebook.bench(notebook.cells.nth(SHOW))


def test_what_the_notebook_does_is_seen_in_the_page(notebook: Notebook, bench: Bench) -> None:
    assert bench.ask(BODIES).count("table") == 1
    link = bench.ask("workcell.bench.scene.lists.bodies.find((body) => body.link === 1).id")
    before, joint = bench.ask(f"workcell.pose({link!r})"), bench.ask(FIRST_JOINT)
    notebook.run(MOVE)
    bench.until(f"Math.abs({FIRST_JOINT} - {joint} - Math.PI / 6) < 1e-6")
    bench.until(f"workcell.pose({link!r}).some((one, at) => Math.abs(one - {before}[at]) > 0.1)")
    assert notebook.faults == []


def test_what_is_done_in_the_page_is_there_for_the_next_line(notebook: Notebook, bench: Bench) -> None:
    page = bench.page
    page.get_by_label("Command", exact=True).fill("add solid cup cylinder 40 90 at 600,0,0")
    page.get_by_label("Command", exact=True).press("Enter")
    assert bench.answer()["state"] == "done"
    assert notebook.value("cell.database.find('object', 'cup') is not None") == "True"
    page.get_by_role("button", name="Undo").click()
    bench.until(f"!{BODIES}.includes('cup')")
    assert notebook.value("cell.database.find('object', 'cup') is not None") == "False"


def test_the_page_follows_and_answers_while_a_cell_runs(notebook: Notebook, bench: Bench) -> None:
    busy = notebook.write(
        "import time\nend = time.monotonic() + 60\n"
        "while time.monotonic() < end and cell.database.find('block', 'enough') is None:\n"
        "    cell.do('move-joints-relative Puma 0,0,0,0,0,1'); time.sleep(0.1)\n"
        "time.monotonic() < end",
        wait=False,
    )
    turn = "workcell.bench.scene.lists.robots[0].values[5]"
    for _ in range(3):
        before = bench.ask(turn)
        bench.until(f"{turn} !== {before}")
    assert bench.ask(CLIENTS) >= 1  # JupyterLab sends messages of widgets to a subshell of the kernel
    bench.ask("workcell.bench.log.press('create block enough')")
    notebook.finish(busy)
    assert busy.locator(".jp-OutputArea-executeResult").inner_text().strip().endswith("True")


def test_two_outputs_are_two_windows_and_one_that_is_gone_leaves(notebook: Notebook, bench: Bench) -> None:
    before = bench.ask(CLIENTS)
    second = notebook.write("cell")
    other = notebook.bench(second)
    assert other.ask("workcell.bench.connection.me") != bench.ask("workcell.bench.connection.me")
    frame = second.locator("iframe")
    frame.evaluate("one => { const own = one.closest('.jupyter-widgets, [class*=widget]'); own.style.height = ''; }")
    box = frame.bounding_box()  # the notebook may style its own elements at any time
    assert box is not None
    assert box["height"] > 550
    other.page.get_by_role("tree").get_by_text("table", exact=True).click()
    name = other.ask("workcell.bench.connection.me")
    bench.until(f"[...workcell.bench.selection.others.values()].flat().length > 0 && {name!r}")
    assert bench.ask(CLIENTS) == before + 1
    notebook.run(notebook.cells.count() - 2)  # its output is another one now
    notebook.bench(second)
    assert bench.ask(CLIENTS) == before + 1
    second.locator(".jp-InputArea-prompt").click()
    notebook.page.keyboard.press("d")
    notebook.page.keyboard.press("d")
    second.locator("iframe").wait_for(state="detached", timeout=WAIT)
    bench.until(f"{CLIENTS}.then((count) => count === {before})")


def test_a_dropped_file_and_pictures_pass_through_the_notebook(
    notebook: Notebook, bench: Bench, tmp_path: Path
) -> None:
    wc.solids.cylinder(0.03, 0.2).save(tmp_path / "peg.stl")
    shapes = bench.ask("workcell.bench.shapes.here")
    bench.drop({"peg.stl": (tmp_path / "peg.stl").read_bytes()})
    bench.page.get_by_role("dialog", name="Import peg.stl").get_by_role("button", name="Import").click()
    bench.until(f"workcell.bench.shapes.here > {shapes}")
    assert bench.answer()["state"] == "done", bench.answer()
    assert "'peg'" in notebook.run(NAMES).locator(".jp-OutputArea-executeResult").inner_text()
    bench.page.get_by_role("button", name="Open a cell").click()
    picture = bench.page.get_by_role("list", name="Samples").locator("img").first
    picture.wait_for(timeout=WAIT)
    bench.until("document.querySelector('.samples img').naturalWidth > 100")
    bench.page.get_by_role("button", name="Close", exact=True).click()


def test_another_cell_is_shown_in_the_same_output(notebook: Notebook, bench: Bench) -> None:
    bench.page.get_by_role("button", name="Open a cell").click()
    bench.page.get_by_role("button", name="New cell").click()
    shown(
        bench,
        "workcell.bench.host.cell === '2' && workcell.bench.connection.link === 'open' && !!workcell.bench.scene.lists",
    )
    assert bench.ask(BODIES) == []
    bench.page.get_by_label("Command", exact=True).fill("create robot R puma560")
    bench.page.get_by_label("Command", exact=True).press("Enter")
    bench.until("workcell.bench.scene.lists.robots.length === 1")
    bench.page.get_by_role("navigation", name="Open cells").get_by_role("button").first.click()
    shown(bench, f"workcell.bench.host.cell === '' && {READY}")
    assert "table" in bench.ask(BODIES)


def test_panels_that_are_loaded_later_work(notebook: Notebook, bench: Bench) -> None:
    for panel in ("Plots", "Checks", "Console"):
        bench.page.get_by_role("tab", name=panel, exact=True).click()
        bench.page.get_by_role("tabpanel", name=panel).wait_for(timeout=WAIT)
    bench.page.get_by_role("button", name="Guide", exact=True).click()
    dialog = bench.page.get_by_role("dialog")
    dialog.wait_for(timeout=WAIT)
    dialog.press("Escape")
    assert notebook.faults == []


def test_robots_and_solids_show_themselves(notebook: Notebook) -> None:
    for number in (ROBOT, SOLID):
        picture = notebook.run(number).locator("img")
        picture.scroll_into_view_if_needed()
        assert picture.evaluate("(image) => image.naturalWidth") == 480


def test_a_restarted_kernel_is_missed_in_plain_words_and_the_next_run_is_whole(browser: Browser, server: str) -> None:
    with opened(browser, server, "second.ipynb") as notebook:
        bench = notebook.bench(notebook.run(SHOW))
        notebook.page.get_by_role("menuitem", name="Kernel").click()
        notebook.page.get_by_role("menuitem", name=re.compile("^Restart Kernel…")).click()
        notebook.page.locator(".jp-Dialog").get_by_text("Restart", exact=True).click()
        lost = bench.page.get_by_role("alert")
        lost.get_by_text("The connection to the kernel is lost.").wait_for(timeout=WAIT)
        assert "Run the cells of the notebook again" in lost.inner_text()
        assert bench.ask(BODIES).count("table") == 1  # as it was last
        again = notebook.bench(notebook.run(SHOW))
        assert again.ask(CLIENTS) == 1
        assert notebook.faults == []
