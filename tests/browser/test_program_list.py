"""What is made and named in the panels of programs, signals and paths without a typed word."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_programs_and_signals_are_made_renamed_and_removed_by_hand(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench("?quality=low", 1366, 768)
    page = bench.page
    page.get_by_role("tab", name="Programs").click()
    panel = page.get_by_role("region", name="Programs", exact=True)
    panel.get_by_role("button", name="New").click()
    panel.get_by_role("button", name="Create").click()  # the proposed name
    chosen = panel.get_by_role("combobox", name="Program")
    expect(chosen).to_have_value("program1")

    def more(name: str) -> None:
        panel.get_by_role("button", name="More").click()
        panel.get_by_role("menuitem", name=name).click()

    more("Rename the program")
    panel.get_by_role("textbox", name="New name of the program").fill("my work")
    panel.get_by_role("button", name="Rename").click()
    expect(chosen).to_have_value("my work")

    # A signal that was just made is offered by the step that is open.
    panel.get_by_role("button", name="Add step").click()
    page.get_by_role("textbox", name="Find a kind of step").fill("wait until")
    page.keyboard.press("Enter")
    bench.until("workcell.bench.programs.outline.text.startsWith('wait-until')")
    page.get_by_role("tab", name="Signals and variables").click()
    signals = page.get_by_role("region", name="Signals and variables")
    signals.get_by_role("textbox", name="Name of the new signal").fill("door")
    signals.get_by_role("textbox", name="Start value of the new signal").fill("1")
    signals.get_by_role("button", name="New signal").click()
    expect(signals.get_by_role("switch", name="Signal door")).to_have_attribute("aria-checked", "true")
    bench.until("workcell.bench.programs.kinds.names.signal.includes('door')")
    expect(panel.locator("datalist option[value=door]")).to_have_count(1)
    own = signals.get_by_role("textbox", name="Name of signal door")
    own.fill("gate")
    own.press("Enter")
    expect(signals.get_by_role("switch", name="Signal gate")).to_be_visible()
    signals.get_by_role("button", name="Remove signal gate").click()
    expect(signals.get_by_role("switch", name="Signal gate")).to_have_count(0)
    expect(signals).to_contain_text("Puma/gripper")  # of a device: shown, not set

    more("Copy the program")
    panel.get_by_role("button", name="Copy program").click()
    expect(chosen).to_have_value("my work-1")
    more("Remove the program")
    expect(chosen.locator("option", has_text="my work-1")).to_have_count(0)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(chosen.locator("option", has_text="my work-1")).to_have_count(1)
    assert not bench.faults


def test_a_run_waits_in_its_line_for_a_signal_that_is_set_by_hand(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench("?quality=low", 1366, 768)
    page = bench.page
    bench.type("create signal ready")
    bench.type('write program turns "move-joints-relative Puma 10,0,0,0,0,0%0Await-for ready%0Await 1"')
    page.get_by_role("tab", name="Programs").click()
    page.get_by_role("combobox", name="Program").select_option("turns")
    page.get_by_role("button", name="Run the program").click()
    state = page.get_by_role("status", name="The run")
    expect(state).to_contain_text("waits in line 2 of turns")
    panel = page.get_by_role("region", name="Programs", exact=True)
    expect(panel).to_contain_text("Waits for signal ready: set it in Signals and variables, then resume.")
    bench.until("!workcell.bench.time.playing")
    listed = page.get_by_role("list", name="Steps of turns")
    expect(listed.locator("[aria-current=step]")).to_contain_text("Wait for ready")
    page.get_by_role("tab", name="Signals and variables").click()
    page.get_by_role("switch", name="Signal ready").click()
    expect(state).to_contain_text("can continue")
    page.get_by_role("button", name="Resume the run").click()
    bench.until("workcell.bench.programs.info.state === 'none'")
    assert not bench.faults


def test_a_path_is_run_along_and_made_a_program_and_a_refused_line_is_marked(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench("?quality=low", 1366, 768)
    page = bench.page
    for line in (
        "create path edge",
        "learn target T1 to edge",
        "move-joints-relative Puma 20,0,0,0,0,0",
        "learn target T2 to edge",
    ):
        bench.type(line)
        assert bench.answer()["state"] == "done", bench.answer()
    bench.ask(
        "workcell.bench.selection.select([...workcell.bench.scene.picture.nodes.values()].find((one) => one.kind === 'path').id)"
    )
    page.get_by_role("tab", name="Inspector").click()
    bench.until("workcell.bench.targets.paths[0]?.targets.length === 2")
    page.get_by_role("button", name="Run along edge").click()
    bench.until(
        "workcell.bench.log.entries.at(-1).line === 'end' && workcell.bench.log.entries.at(-1).state === 'done'"
    )
    lines = bench.ask("workcell.bench.log.entries.slice(-4).map((one) => one.line)")
    assert lines == ["group", "move-end-effector Puma T1", "move-end-effector Puma T2", "end"]
    page.get_by_role("button", name="Make a program of edge").click()
    bench.until("workcell.bench.programs.outline?.text === 'for place in edge\\n  move-end-effector Puma place\\nend'")

    # A move that the run refuses is marked in the list and in the margin of the text, with its sentence.
    bench.type('edit program edge-run1 "wait 1%0Amove-along Puma edge speed 100"')
    listed = page.get_by_role("list", name="Steps of edge-run1")
    expect(listed.get_by_role("listitem")).to_have_count(2)
    page.get_by_role("button", name="Run the program").click()
    expect(listed.locator(".mark.error")).to_have_count(1)
    expect(page.get_by_role("region", name="Problems")).to_contain_text("Line 2 of program 'edge-run1'")
    page.get_by_role("button", name="Text", exact=True).click()
    expect(page.locator(".cm-lint-marker-error")).to_have_count(1)

    # What the console shows can be typed again, also with quotes inside.
    page.get_by_role("button", name="Steps", exact=True).click()
    bench.ask("workcell.bench.programs.edits.insert(1, 'message \"100 % of \\'it\\'\"')")
    bench.until("workcell.bench.programs.outline.rows.length === 3")
    shown = bench.ask("workcell.bench.log.entries.at(-1).line")
    text = bench.ask("workcell.bench.programs.outline.text")
    bench.type("undo")
    bench.until("workcell.bench.programs.outline.rows.length === 2")
    bench.type(shown)
    assert bench.answer()["state"] == "done", bench.answer()
    bench.until("workcell.bench.programs.outline.rows.length === 3")
    assert bench.ask("workcell.bench.programs.outline.text") == text
    assert not bench.faults
