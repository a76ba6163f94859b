"""Agent lines are written by hand in the editor: completed, checked while they are typed, and run."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from page_bench import Bench
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_agent_lines_are_completed_checked_while_typed_repaired_and_run(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench("?quality=low", 1366, 768)
    page = bench.page
    page.keyboard.press("r")
    panel = page.get_by_role("region", name="Programs", exact=True)
    panel.get_by_role("button", name="New").click()
    panel.get_by_role("textbox", name="Name of the new program").fill("reach")
    panel.get_by_role("combobox", name="Language").select_option("agent")
    panel.get_by_role("button", name="Create").click()
    editor = page.get_by_role("textbox", name="Program text")
    editor.click()
    offered = page.get_by_role("listbox").get_by_role("option")

    page.keyboard.insert_text("make-object part box 40 40 40\n")
    page.keyboard.type("driv")
    expect(offered).to_have_count(3)
    expect(offered.first).to_contain_text("<agent> <joint angles>|<vector>: move the joints to given values")
    offered.first.click()
    page.keyboard.type(" ")
    expect(offered.first).to_have_text("Pumaa robot")
    offered.first.click()
    page.keyboard.insert_text(" 10 0 -90 0 ninety 0\ntranslate-object ")
    page.keyboard.press("Control+Space")
    expect(offered.filter(has_text="part")).to_have_text("partan object")  # the line above would make it
    page.keyboard.press("Escape")
    page.keyboard.insert_text("prt x=600")

    problems = page.get_by_role("region", name="Problems")
    expect(problems).to_contain_text("There is no object or agent called 'prt'.")
    expect(problems).to_contain_text("Argument 6 must be a number; found 'ninety'.")
    expect(page.locator(".cm-lint-marker-error")).to_have_count(2)
    expect(page.locator(".cm-lintRange-error")).to_have_text(["ninety", "prt"])
    page.locator(".cm-lintRange-error", has_text="ninety").dblclick()
    page.keyboard.insert_text("90")
    page.locator(".cm-lintRange-error", has_text="prt").dblclick()
    page.keyboard.insert_text("part")
    expect(problems).to_be_hidden()

    page.get_by_role("button", name="Run the program").click()
    bench.until("workcell.bench.recording.info.duration > 0.2")
    answer = bench.answer()
    assert answer["line"] == "run-agent reach"
    assert "3 lines, no errors" in answer["text"]
    part = "workcell.bench.scene.lists.bodies.find((one) => one.name === 'part')"
    bench.until(f"Math.abs(workcell.pose({part}.id)[12] - 0.6) < 1e-6")
    expect(panel).to_contain_text("Starts from the present state")
    assert bench.ask("workcell.bench.scene.facts.watch") == ""
    bench.until("workcell.bench.scene.facts.undo === 'run-agent reach'")  # the whole run is one step

    editor.click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text("\ndrive Puma 500 0 -90 0 90 0\ndrve Puma")
    expect(problems).to_contain_text("Joint 1 (waist) of puma560 would be 340 ° out of its range")
    page.get_by_role("button", name="Run the program").click()
    expect(problems).to_contain_text("3 problems")
    expect(problems.get_by_role("button")).to_have_text(
        [re.compile("^4Joint 1"), re.compile("^5There is no command 'drve'; did"), re.compile("^1There is already an")]
    )
    refused = bench.answer()
    assert (refused["line"], refused["state"]) == ("run-agent reach", "error")
    assert "in line 5 --- 1 Undefined command: drve Puma" in refused["text"]
    assert bench.faults == []
