"""Programs in the page, as a person works with them: by buttons and fields, and as text."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

PAUSED = "workcell.bench.programs.info.state === 'paused'"
OVER = "workcell.bench.programs.info.state === 'none'"


def opened(open_bench: Callable[..., Bench]) -> tuple[Bench, Page]:
    """The page with a new program in its panel, and a signal in the cell."""
    bench = open_bench("?quality=low", 1366, 768)
    page = bench.page
    bench.type("create signal ready")
    page.get_by_role("button", name="Window").click()
    page.get_by_role("menuitemcheckbox", name="Programs").click()
    panel = page.get_by_role("region", name="Programs", exact=True)
    panel.get_by_role("button", name="New").click()
    panel.get_by_role("textbox", name="Name of the new program").fill("turns")
    panel.get_by_role("button", name="Create").click()
    expect(panel.get_by_role("combobox", name="Program")).to_have_value("turns")
    return bench, page


def add(page: Page, words: str, kind: str) -> None:
    """Add a step by its kind, found by some words."""
    page.get_by_role("button", name="Add step").click()
    picker = page.get_by_role("dialog", name="Add a step")
    picker.get_by_role("textbox", name="Find a kind of step").fill(words)
    picker.get_by_role("button", name=re.compile(f"^{kind}")).first.click()
    expect(picker).to_be_hidden()


def steps(page: Page) -> list[str]:
    return page.evaluate("workcell.bench.programs.outline.text").split("\n")


def test_a_program_is_made_in_the_list_broken_stepped_and_resumed_after_a_signal(open_bench) -> None:
    bench, page = opened(open_bench)
    listed = page.get_by_role("list", name="Steps of turns")

    add(page, "repeat", "Repeat")
    bench.until("workcell.bench.programs.outline.text === 'repeat 2\\nend'")
    add(page, "joints relative", "Move joints relative")
    bench.until("workcell.bench.programs.outline.rows.length === 3")
    page.get_by_label("joints", exact=True).fill("10,0,0,0,0,0")
    page.get_by_label("joints", exact=True).press("Enter")
    bench.until("workcell.bench.programs.outline.text.includes('10,0,0,0,0,0')")
    add(page, "wait until", "Wait until")
    bench.until("workcell.bench.programs.outline.rows.length === 4")
    assert steps(page) == [
        "repeat 2",
        "  move-joints-relative Puma 10,0,0,0,0,0",
        "  wait-until ready timeout 1",
        "end",
    ]
    # The wait goes before the move, by its button; undo and redo know it as one step.
    page.get_by_role("button", name="Move up").click()
    bench.until("workcell.bench.programs.outline.text.split('\\n')[1].includes('wait-until')")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Undo", exact=True).click()
    bench.until("workcell.bench.programs.outline.text.split('\\n')[2].includes('wait-until')")

    listed.get_by_role("button", name="Breakpoint at line 2").click()
    expect(listed.get_by_role("button", name="Breakpoint at line 2")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Run the program").click()
    bench.until(PAUSED)
    expect(page.get_by_role("status", name="The run")).to_contain_text("breakpoint, before line 2 of turns")
    bench.until("!workcell.bench.time.playing")
    expect(listed.locator("[aria-current=step]")).to_contain_text("Move joints relative")
    page.get_by_role("button", name="Step over").click()
    expect(page.get_by_role("status", name="The run")).to_contain_text("before line 3")

    page.get_by_role("tab", name="Signals and variables").click()
    page.get_by_role("switch", name="Signal ready").click()
    expect(page.get_by_role("switch", name="Signal ready")).to_have_attribute("aria-checked", "true")
    listed.get_by_role("button", name="Breakpoint at line 2").click()
    page.get_by_role("button", name="Resume the run").click()
    bench.until(OVER)
    bench.until("workcell.bench.recording.info.duration > 0.3")
    joint = page.evaluate("workcell.bench.scene.picture.robots.values().next().value.values[0]")
    assert abs(joint - 20 * 3.14159265 / 180) < 1e-6
    assert not bench.faults


def test_the_text_and_the_list_show_the_same_program_and_mark_its_problems(open_bench) -> None:
    bench, page = opened(open_bench)
    panel = page.get_by_role("region", name="Programs", exact=True)
    panel.get_by_role("button", name="Text").click()
    editor = page.get_by_role("textbox", name="Program text")
    editor.click()
    page.keyboard.insert_text("repeat 2  # rounds\nhome Pma\nend\n")  # as pasted: Enter may take a completion
    page.keyboard.type("wai")
    page.get_by_role("listbox").get_by_role("option", name="wait-for").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.type("t 1")
    problems = page.get_by_role("region", name="Problems")
    expect(problems).to_contain_text("There is no robot, mechanism or machine called 'Pma'; did you mean Puma?")
    expect(page.locator(".cm-lint-marker-error")).to_have_count(1)  # in the margin
    expect(panel).to_contain_text("Not saved yet")
    page.keyboard.press("Control+s")
    expect(panel).to_contain_text("Saved in the cell.")
    problems.get_by_role("button", name="Pma").click()
    assert page.evaluate("workcell.bench.programs.line") == 2

    panel.get_by_role("button", name="Steps").click()
    listed = page.get_by_role("list", name="Steps of turns")
    expect(listed.get_by_role("listitem")).to_have_count(4)
    expect(listed.get_by_role("button", name="Home")).to_have_attribute(
        "aria-expanded", "true"
    )  # the line of the cursor
    page.get_by_role("combobox", name="robot", exact=True).select_option("Puma")
    bench.until("workcell.bench.programs.checkup.marks.length === 0")
    listed.get_by_role("button", name="Home").click()
    # The step is dragged behind the loop.
    listed.get_by_role("listitem").nth(1).drag_to(
        listed.get_by_role("listitem").nth(3), target_position={"x": 60, "y": 22}
    )
    bench.until("workcell.bench.programs.outline.text.endsWith('home Puma')")
    panel.get_by_role("button", name="Text").click()
    expect(page.get_by_role("textbox", name="Program text")).to_contain_text("# rounds")
    assert steps(page) == ["repeat 2  # rounds", "end", "wait 1", "home Puma"]
    assert not bench.faults


def test_a_second_window_sees_the_edit_and_the_line_where_a_run_stands(open_bench) -> None:
    bench, page = opened(open_bench)
    other = open_bench("?quality=low", 1366, 768)
    bench.type('edit program turns "wait 1%0Await 2"')
    other.until("workcell.bench.programs.info.programs.some((one) => one.name === 'turns')")
    other.page.keyboard.press("r")
    other.page.get_by_role("combobox", name="Program").select_option("turns")
    listed = other.page.get_by_role("list", name="Steps of turns")
    expect(listed.get_by_role("listitem")).to_have_count(2)
    bench.type('edit program turns "wait 1%0Await 2%0Await 3"')
    expect(listed.get_by_role("listitem")).to_have_count(3)
    page.get_by_role("button", name="Run step by step").click()
    bench.until(PAUSED)
    expect(other.page.get_by_role("status", name="The run")).to_contain_text("before line 1 of turns")
    page.get_by_role("button", name="Step into").click()
    expect(other.page.get_by_role("status", name="The run")).to_contain_text("before line 2 of turns")
    other.page.get_by_role("button", name="Stop the run").click()
    bench.until(OVER)
    assert not bench.faults
    assert not other.faults


def test_several_steps_are_moved_enclosed_copied_and_removed_at_once(open_bench) -> None:
    bench, page = opened(open_bench)
    listed = page.get_by_role("list", name="Steps of turns")
    for number in range(1, 5):
        add(page, "wait", "Wait ")
        bench.until(f"workcell.bench.programs.outline.rows.length === {number}")
        page.get_by_label("seconds", exact=True).fill(str(number))
        page.get_by_label("seconds", exact=True).press("Enter")
        bench.until(f"workcell.bench.programs.outline.text.endsWith('wait {number}')")

    def row(line: int):
        return listed.locator(f"[data-line='{line}'] button.row")

    def becomes(*wanted: str) -> None:
        bench.until(f"workcell.bench.programs.outline.text === {chr(10).join(wanted)!r}")

    row(2).click()
    row(4).click(modifiers=["Shift"])
    expect(listed.locator("[aria-pressed=true].row")).to_have_count(3)
    row(2).press("Alt+ArrowUp")
    becomes("wait 2", "wait 3", "wait 4", "wait 1")
    assert bench.ask("workcell.bench.log.entries.at(-1).line") == "move-step turns 2 to 1 with 3 with 4"
    page.get_by_role("button", name="Undo", exact=True).click()
    becomes("wait 1", "wait 2", "wait 3", "wait 4")
    row(4).click()
    row(1).click()
    row(3).click(modifiers=["Control"])
    row(3).press("Delete")
    becomes("wait 2", "wait 4")
    row(1).click()
    row(2).click(modifiers=["Shift"])
    page.get_by_role("button", name="Loop", exact=True).click()
    becomes("repeat 2", "  wait 2", "  wait 4", "end")
    row(2).click()
    row(2).press("Control+c")
    row(3).click()
    row(3).press("Control+v")
    becomes("repeat 2", "  wait 2", "  wait 4", "  wait 2", "end")

    listed.get_by_role("button", name="Breakpoint at line 3").click()
    row(3).click()
    when = page.get_by_label("Condition of the breakpoint at line 3")
    when.fill("ready")
    when.press("Enter")
    bench.until("workcell.bench.programs.breaks.get(3) === 'ready'")
    assert not bench.faults


def test_several_programs_start_together_show_their_lines_at_once_and_ctrl_s_never_reaches_the_browser(
    open_bench,
) -> None:
    bench, page = opened(open_bench)
    bench.type('write program turns "parameter n number%0Arepeat n%0A  move-joints-relative Puma 10,0,0,0,0,0%0Aend"')
    bench.type('write program beside "wait 1"')
    panel = page.get_by_role("region", name="Programs", exact=True)
    panel.get_by_role("combobox", name="Program", exact=True).select_option("beside")
    page.get_by_role("list", name="Steps of beside").wait_for()
    panel.get_by_role("button", name="Together with other programs").click()
    panel.get_by_role("checkbox", name="turns").check()
    page.keyboard.press("Escape")
    expect(panel.get_by_role("button", name="Together with turns")).to_be_focused()
    page.keyboard.press("F9")
    value = panel.get_by_role("group", name="Values of turns").get_by_role("textbox", name="n", exact=True)
    # The note is shown for six seconds, so the field and the note are looked at together.
    bench.until(
        "document.querySelector('[aria-label=\"Values of turns\"] [aria-invalid=true]')?.ariaLabel === 'n' && "
        "document.querySelector('[aria-label=\"Values of turns\"] [role=alert]')?.textContent === "
        "\"Program 'turns' needs a value for its parameter 'n'.\""
    )
    value.fill("2")
    page.keyboard.press("F9")
    bench.until("workcell.bench.programs.info.ran.length === 2")
    assert bench.ask("workcell.bench.log.entries.at(-1).line") == "run-together turns beside with 2"

    other = open_bench("?quality=low", 1366, 768)  # it proposes what the recording shows
    other.page.keyboard.press("r")
    other.page.get_by_role("combobox", name="Program", exact=True).select_option("beside")
    expect(other.page.get_by_role("button", name="Together with turns")).to_be_visible()

    # The present lines of both programs are seen at once: in playback, and in a paused run, in both windows.
    rows = panel.get_by_role("list", name="Lines that run now")
    both = rows.get_by_role("listitem")
    bench.answer()
    bench.ask("[workcell.bench.time.seek(0.1), workcell.bench.time.pause()]")
    expect(both).to_have_text([re.compile(r"^turns 3move-joints-relative Puma"), re.compile(r"^beside 1wait 1$")])
    rows.get_by_role("button", name="turns").click()
    expect(panel.get_by_role("combobox", name="Program", exact=True)).to_have_value("turns")
    expect(rows.get_by_role("button", name="turns")).to_have_attribute("aria-current", "true")
    page.keyboard.press("n")
    expect(rows).to_be_hidden()
    page.keyboard.press("Shift+F9")
    bench.until(PAUSED)
    page.keyboard.press("F10")
    for one in (rows, other.page.get_by_role("list", name="Lines that run now")):
        expect(one.get_by_role("listitem")).to_have_text(
            [re.compile(r"^turns 3move-joints"), re.compile(r"^beside 1wait 1$")]
        )
    rows.get_by_role("button", name="beside").click()
    field = panel.get_by_role("combobox", name="Program", exact=True)
    expect(field).to_have_value("beside")
    bench.type("set-signal ready 1")  # another message about the run; the chosen program stays
    bench.answer()
    expect(field).to_have_value("beside")
    page.get_by_role("button", name="Stop the run").click()
    bench.until(OVER)

    page.get_by_role("button", name="Reset: ").click()
    bench.until("workcell.bench.recording.info.duration === 0")
    page.evaluate("addEventListener('keydown', (event) => window.prevented = event.defaultPrevented, true)")
    for _ in range(2):
        page.keyboard.press("Control+s")
        expect(page.get_by_role("dialog", name="Save the cell as")).to_be_visible()
        assert bench.ask("window.prevented") is True
    assert not bench.faults
    assert not other.faults


def test_the_run_bar_names_where_a_run_starts_and_lets_it_start_from_the_present_state(open_bench) -> None:
    bench, page = opened(open_bench)
    bench.type('write program turns "move-joints-relative Puma 10,0,0,0,0,0"')
    bar = page.get_by_role("region", name="Programs", exact=True)
    start = bar.get_by_role("combobox", name="Where the run starts")
    expect(start).to_be_hidden()
    bench.type("move-joints-relative Puma 30,0,0,0,0,0")
    expect(bar).to_contain_text("Differs from the initial state: Puma")
    expect(start).to_have_value("false")

    override = bar.get_by_role("textbox", name="Override [%]")
    override.fill("120")
    override.press("Enter")
    expect(bar.get_by_role("alert")).to_have_text(
        "The override is at most 100 %, and 120 % was typed. Type a number from 1 to 100."
    )
    expect(override).to_have_attribute("aria-invalid", "true")
    override.press("Escape")
    expect(override).to_have_value("100")
    expect(override).to_have_attribute("aria-invalid", "false")

    start.select_option("the present state")
    page.get_by_role("button", name="Run the program").click()
    first = "workcell.bench.scene.picture.robots.values().next().value.values[0]"
    bench.until(f"Math.abs({first} - {40 * 3.14159265 / 180}) < 1e-6")
    bench.type("history")
    expect(page.get_by_role("log")).to_contain_text("run turns --from-present")
    assert not bench.faults


@pytest.mark.real_time
def test_a_paused_run_says_what_can_be_done_and_which_place_the_inspector_shows(open_bench) -> None:
    bench, page = opened(open_bench)
    bench.type("add solid crate box 200 200 200 at 600,-500,100")
    bench.type('write program turns "move-joints-relative Puma 60,0,0,0,0,0%0Await 1"')
    page.get_by_role("button", name="Run step by step").click()
    time = page.get_by_role("region", name="Time", exact=True)
    expect(time).to_contain_text("step or resume the paused run")
    expect(time.get_by_role("button", name="Play", exact=True)).to_be_disabled()
    expect(page.get_by_role("button", name="Step back")).to_be_disabled()
    page.get_by_role("button", name="Step over").click()
    expect(page.get_by_role("button", name="Step back")).to_be_enabled()
    page.get_by_role("button", name="Resume the run").click()
    bench.until("workcell.bench.programs.info.state === 'none'")

    page.get_by_role("tab", name="Inspector").click()  # the panel Programs is closed
    page.get_by_role("treeitem", name="crate").click()
    bench.until("!workcell.bench.time.playing")
    page.keyboard.press("Space")  # with the focus in the tree
    bench.until("workcell.bench.time.playing && workcell.bench.time.time > 0.2")
    page.keyboard.press("F6")
    expect(page.get_by_text("Paused before line 1 of turns, at 0:00.00")).to_be_visible()
    expect(page.get_by_text("A run pauses only between steps")).to_be_visible()
    expect(page.get_by_role("group", name="Place in the world")).to_contain_text(
        "What you enter applies to the next run."
    )
    assert not bench.faults
