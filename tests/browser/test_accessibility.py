"""axe-core finds nothing serious in any state of the page, at a wide and a narrow size, in both themes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from page_bench import Bench
from page_states import SIZES, prepared, shown, states

import workcell

pytestmark = pytest.mark.browser
AXE = Path(workcell.__file__).parent / "workbench" / "app" / "node_modules" / "axe-core" / "axe.min.js"
RUN = """
async (rules) => {
  const found = await axe.run(document, { resultTypes: ["violations"], ...(rules ? { runOnly: rules } : {}) });
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`));
}
"""


def serious(bench: Bench, theme: str) -> list[str]:
    """What axe finds in a theme that is serious or critical. A theme changes colours alone: the dark one needs no other rule."""
    bench.ask(f"workcell.bench.preferences.chosenTheme = '{theme}'")
    bench.page.wait_for_timeout(160)  # colours fade
    found: list[str] = bench.page.evaluate(RUN, None if theme == "light" else ["color-contrast"])
    return [f"{theme}: {one}" for one in found]


@pytest.mark.parametrize(
    ("width", "height", "each"),
    [(1366, 768, 4), (820, 1180, 5), *(pytest.param(*size, 1, marks=pytest.mark.soak) for size in SIZES)],
)
def test_axe_finds_nothing_serious(open_bench: Callable[..., Bench], width: int, height: int, each: int) -> None:
    if not AXE.is_file():
        advice = "axe-core is not installed: `make setup` installs what the page is tested with."
        (pytest.fail if os.environ.get("CI") else pytest.skip)(advice)
    bench = open_bench(width=width, height=height)
    prepared(bench)
    bench.page.evaluate(AXE.read_text())
    found: dict[str, list[str]] = {}
    for name in states(bench)[::each]:
        with shown(bench, name):
            for wrong in [*serious(bench, "light"), *serious(bench, "dark")]:
                found.setdefault(wrong, []).append(name)
    assert not found, "\n".join(f"{wrong} ({places[0]} and {len(places) - 1} more)" for wrong, places in found.items())
    assert bench.faults == []
