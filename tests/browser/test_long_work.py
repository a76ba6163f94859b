"""Everything that takes long shows its progress in every window, holds up nobody who reads, and can be cancelled."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_bench import PATIENCE, Bench
from playwright.sync_api import Locator

import workcell as wc

pytestmark = pytest.mark.browser
WAIT = 1e3 * PATIENCE
LONG = "%0A".join(
    ["repeat 20000", "move-joints-absolute Puma 0,20,-90,0,90,0", "move-joints-absolute Puma 0,30,-90,0,90,0", "end"]
)


def job(bench: Bench, title: str) -> Locator:
    return bench.page.locator("[data-job]").filter(has_text=title)


def cancel(bench: Bench, title: str, number: int) -> None:
    """Wait for the progress of a job, cancel it, and see that the entry of the console says so."""
    card = job(bench, title)
    card.wait_for(timeout=WAIT)
    assert card.get_by_role("progressbar").is_visible()
    card.get_by_role("button", name="Cancel").click()
    card.wait_for(state="detached", timeout=WAIT)
    entry = bench.until(
        f"workcell.bench.log.entries[{number}].state !== 'busy' && ({{...workcell.bench.log.entries[{number}]}})"
    )
    assert (entry["state"], entry["kind"]) == ("done", "Cancelled"), entry


@pytest.mark.parametrize(
    "line",
    ["film long.gif size 1200 900", "check task demo", "plan program demo"],
)
def test_long_work_is_shown_and_cancelled(open_bench: Callable[..., Bench], line: str) -> None:
    bench = open_bench()
    bench.until("workcell.bench.connection.measure(true).then((status) => status.warm)")
    bench.type(f'write program demo "{LONG}"')
    assert bench.answer()["state"] == "done", bench.answer()
    bench.type("run example1")
    assert bench.answer()["state"] == "done", bench.answer()
    bench.until("workcell.bench.scene.lists.undo.includes('example1')")  # the picture may come after the answer
    programs = bench.ask("workcell.bench.scene.lists.revision")
    bench.type(line)
    number = bench.ask("workcell.bench.log.entries.length - 1")
    cancel(bench, line.partition(" size")[0], number)
    assert bench.ask("workcell.bench.scene.lists.revision") == programs  # nothing of it remains
    bench.type("show Puma")
    assert bench.answer()["state"] == "done"
    assert bench.faults == []


def test_an_import_that_waits_for_the_cad_worker_is_shown_elsewhere_and_cancelled(
    open_bench: Callable[..., Bench], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("parts") / "peg.step"
    wc.solids.cylinder(0.03, 0.2).save(file)
    one, two = open_bench(), open_bench()
    one.until("workcell.bench.connection.measure(true).then((status) => status.warm)")
    before = one.ask("workcell.bench.scene.lists.bodies.length")
    two.type("exercise-kernel 60s")
    job(two, "exercise-kernel").wait_for(timeout=WAIT)
    one.drop({"peg.step": file.read_bytes()})
    job(two, "import").wait_for(timeout=WAIT)  # the other window knows of it
    cancel(one, "import", 0)
    assert one.ask("workcell.bench.scene.lists.bodies.length") == before
    cancel(two, "exercise-kernel", 0)
