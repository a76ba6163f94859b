"""At every size nothing is clipped, covered or outside of the window; fingers find what they press."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_bench import Bench
from page_states import SIZES, prepared, shown, states

pytestmark = pytest.mark.browser
WRONG = """
() => {
  const CONTROLS = "button, input, select, a[href], [role=tab], [role=option], [role=slider], [role=menuitem], [role=treeitem]";
  const modal = [...document.querySelectorAll("dialog[open]")].at(-1);
  const tour = document.querySelector(".card[role=dialog]");
  const menu = document.querySelector("[role=menu]");
  const named = (element) => `${element.tagName} ${element.getAttribute("aria-label") ?? element.textContent.trim().slice(0, 40)}`;
  const found = [];
  // The part of an element that its scrolling ancestors leave; undefined if it has to be scrolled to.
  const seen = (element) => {
    let { left, top, right, bottom } = element.getBoundingClientRect();
    for (let at = element.parentElement; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.overflowX === "visible" && style.overflowY === "visible") continue;
      const box = at.getBoundingClientRect();
      const scrolls = /auto|scroll/.test(style.overflowX + style.overflowY);
      if (scrolls && (left < box.left - 1 || right > box.right + 1 || top < box.top - 1 || bottom > box.bottom + 1)) return undefined;
      if (!scrolls && (right > box.right + 1 || bottom > box.bottom + 1 || left < box.left - 1 || top < box.top - 1)) return null;
    }
    return { left, top, right, bottom };
  };
  for (const element of (modal ?? tour ?? menu ?? document.body).querySelectorAll(CONTROLS)) {
    if (!element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) || element.closest("[inert], canvas, svg")) continue;
    const box = element.getBoundingClientRect();
    if (box.width < 2 || box.height < 2) continue;
    const part = seen(element);
    if (part === undefined) continue;
    if (part === null) {
      found.push(`cut off: ${named(element)}`);
      continue;
    }
    if (part.left < -1 || part.top < -1 || part.right > innerWidth + 1 || part.bottom > innerHeight + 1) {
      found.push(`outside of the window: ${named(element)}`);
      continue;
    }
    const hit = document.elementFromPoint((part.left + part.right) / 2, (part.top + part.bottom) / 2);
    const dock = hit?.closest(".dock");
    const under = innerWidth <= 620 && dock && !dock.contains(element); // in a small window docks lie over the view
    if (!hit || !(element.contains(hit) || hit.contains(element) || hit.closest("label")?.contains(element) || under)) {
      if (hit?.closest(".toast, .job, .options, .menu ul, .together .float")) continue; // what is there for a moment may cover
      found.push(`covered by ${hit ? named(hit) : "nothing"}: ${named(element)}`);
    }
  }
  for (const bar of document.querySelectorAll(".pane > .bar")) {
    if (bar.getBoundingClientRect().right > bar.parentElement.getBoundingClientRect().right + 1) found.push(`wider than its view: ${named(bar)}`);
  }
  for (const element of (modal ?? document.body).querySelectorAll("*")) {
    const style = getComputedStyle(element);
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) continue;
    if (!element.checkVisibility() || element.closest("svg, .cm-editor, .sr-only")) continue;
    const cuts = style.overflowX === "hidden" || style.overflowX === "clip";
    if (element.clientWidth > 0 && cuts && element.scrollWidth > element.clientWidth + 1 && style.textOverflow !== "ellipsis") {
      found.push(`text cut off: ${named(element)}`);
    }
    const line = element.matches("button, [role=tab]") && element.scrollHeight > element.clientHeight + 2;
    if (line) found.push(`text higher than its button: ${named(element)}`);
  }
  for (const element of (modal ?? document.body).querySelectorAll("input.number, input[type=number]")) {
    if (element.checkVisibility() && element.scrollWidth > element.clientWidth + 1) found.push(`value cut off: ${named(element)}`);
  }
  // A list that opens lies over everything, whole.
  for (const element of document.querySelectorAll("[role=menu], [role=listbox].float")) {
    const box = element.getBoundingClientRect();
    const part = element.matches(":popover-open") ? box : seen(element);
    if (!part || box.top < 0 || box.left < 0 || box.right > innerWidth || box.bottom > innerHeight) found.push(`list cut off: ${named(element)}`);
  }
  // Texts and controls that stand beside each other do not lie upon each other.
  const flows = (element) => {
    const { position, display } = getComputedStyle(element);
    const leaf = element.matches(CONTROLS) || (element.childElementCount === 0 && element.textContent.trim());
    return leaf && element.checkVisibility() && display !== "inline" && !/absolute|fixed/.test(position) && !element.closest("svg, .cm-editor");
  };
  const ink = (element) => {
    if (element.matches(CONTROLS)) return element.getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect();
  };
  for (const parent of (modal ?? document.body).querySelectorAll("*")) {
    if (parent.childElementCount < 2) continue;
    const kids = [...parent.children].filter(flows);
    kids.slice(1).forEach((next, i) => {
      const [a, b] = [ink(kids[i]), ink(next)];
      const over = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
      const elided = getComputedStyle(kids[i]).textOverflow === "ellipsis" || getComputedStyle(next).textOverflow === "ellipsis";
      if (Math.min(...over) > 3 && !elided) found.push(`${named(kids[i])} lies upon ${named(next)}`);
    });
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page is wider than the window");
  return found;
}
"""


@pytest.mark.own_process  # beside other cells there is no heading
def test_the_check_sees_what_is_wrong(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)  # wide enough for the heading
    assert bench.page.evaluate(WRONG) == []
    cover = "position: fixed; inset: 0 0 auto 0; height: 40px; z-index: 99"
    bench.ask(f"document.body.append(Object.assign(document.createElement('div'), {{id: 'cover', style: '{cover}'}}))")
    assert [one for one in bench.page.evaluate(WRONG) if one.startswith("covered by DIV") and "Undo" in one]
    bench.ask("document.getElementById('cover').remove()")
    bench.ask("document.querySelector('[aria-label=Undo]').style = 'position: fixed; left: -20px'")
    assert bench.page.evaluate(WRONG) == ["cut off: BUTTON Undo"]
    bench.ask("document.querySelector('[aria-label=Undo]').style = ''")
    bench.ask("document.querySelector('h1').style = 'width: 20px; overflow: hidden'")
    assert bench.page.evaluate(WRONG) == ["text cut off: H1 Workcell"]
    bench.ask("document.querySelector('h1').style = ''")
    bench.ask("document.querySelector('[data-tab=views]').style = 'margin-left: -20px'")
    assert bench.page.evaluate(WRONG) == ["BUTTON Cell lies upon BUTTON Views"]
    bench.ask("document.querySelector('[data-tab=views]').style = 'height: 10px'")
    assert bench.page.evaluate(WRONG) == ["text higher than its button: BUTTON Views"]
    bench.ask("document.querySelector('[data-tab=views]').style = ''")
    bench.page.get_by_role("tab", name="Pendant").click()
    waist = bench.page.get_by_role("textbox", name="waist [°]")
    waist.evaluate("one => { one.value = '-123.4567'; one.style = 'width: 30px' }")
    assert bench.page.evaluate(WRONG) == ["value cut off: INPUT waist [°]"]
    waist.evaluate("one => { one.value = '0'; one.style = '' }")
    with shown(bench, "completion"):
        assert bench.page.evaluate(WRONG) == []
        bench.ask("document.querySelector('.options').style.bottom = '700px'")
        assert bench.page.evaluate(WRONG) == ["list cut off: UL What may come next"]
    bench.page.set_viewport_size({"width": 920, "height": 768})
    with shown(bench, "asked panes"):
        bench.until("document.querySelectorAll('.pane > .bar').length === 4")
        assert bench.page.evaluate(WRONG) == []
        bench.ask("document.querySelector('.pane > .bar').style = 'left: 58px; flex-wrap: nowrap'")
        assert [one for one in bench.page.evaluate(WRONG) if one.startswith("wider than its view: DIV Shaded")]


@pytest.mark.parametrize(
    ("width", "height", "first", "each"),
    [
        *((*size, number % 3, 3) for number, size in enumerate(SIZES)),  # every state at a size or two
        *(pytest.param(*size, 0, 1, marks=pytest.mark.soak) for size in SIZES),
    ],
)
def test_nothing_is_clipped_covered_or_outside(
    open_bench: Callable[..., Bench], width: int, height: int, first: int, each: int
) -> None:
    bench = open_bench(width=width, height=height)
    prepared(bench)
    found: dict[str, list[str]] = {}
    for name in states(bench)[first::each]:
        with shown(bench, name):
            for wrong in bench.page.evaluate(WRONG):
                found.setdefault(wrong, []).append(name)
    assert not found, "\n".join(f"{wrong} ({places[0]} and {len(places) - 1} more)" for wrong, places in found.items())
    assert bench.faults == []


@pytest.mark.parametrize("width", [1366, 1024, 820])
def test_the_cell_that_is_shown_keeps_its_name(open_bench: Callable[..., Bench], width: int) -> None:
    bench = open_bench(width=width)
    others = ", ".join(f"{{id: 'x{k}', name: 'welding-line-{k}', file: ''}}" for k in range(3))
    here = "{...workcell.bench.cells.current, name: 'hand-over of parts'}"
    bench.ask(f"void (workcell.bench.cells.list = [{here}, {others}])")
    shown = bench.page.locator("[aria-current=page]")
    assert shown.evaluate("one => one.scrollWidth <= one.clientWidth + 1")
    assert bench.page.locator("header").evaluate("one => one.scrollWidth <= innerWidth")


def test_a_narrow_window_has_one_side_dock_beside_the_view(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=820, height=1180)
    sides = (
        bench.page.get_by_role("region", name="The left panels"),
        bench.page.get_by_role("region", name="The right panels"),
    )
    assert [one.count() for one in sides] == [0, 0]
    bench.page.get_by_role("button", name="Cell", exact=True).click()
    bench.page.get_by_role("button", name="Move with a handle").click()  # not covered
    bench.page.get_by_role("button", name="Inspector", exact=True).click()
    assert [one.count() for one in sides] == [0, 1]
    bench.page.get_by_role("button", name="Menu", exact=True).click()
    menu = bench.page.get_by_role("menu")
    assert menu.get_by_text("Program", exact=True).count() == 1  # a heading
    assert menu.evaluate("one => one.getBoundingClientRect().right <= innerWidth")
    bench.page.set_viewport_size({"width": 300, "height": 640})
    bench.ask("workcell.bench.messages.error('Not done', 'A sentence that is longer than the window is wide.')")
    assert bench.page.get_by_role("alert").last.evaluate("one => one.getBoundingClientRect().left >= 0")


@pytest.mark.parametrize("has_touch", [False, True])
def test_a_phone_has_the_view_the_tree_the_pendant_and_the_console(
    open_bench: Callable[..., Bench], has_touch: bool
) -> None:
    bench = open_bench(width=320, height=480, has_touch=has_touch)
    page = bench.page
    assert page.evaluate(WRONG) == []
    page.get_by_role("button", name="Cell", exact=True).click()
    assert page.get_by_role("treeitem", name="Puma").is_visible()
    assert page.evaluate(WRONG) == []
    page.get_by_role("button", name="Menu", exact=True).click()
    page.get_by_role("menuitemcheckbox", name="Pendant").click()
    back = page.get_by_role("button", name="x back", exact=True)
    back.scroll_into_view_if_needed()
    back.click()
    assert bench.answer()["state"] == "done", bench.answer()
    assert page.evaluate(WRONG) == []
    page.get_by_role("button", name="Close the right panels").click()
    bench.type("home Puma")
    assert bench.answer()["state"] == "done", bench.answer()
    assert page.evaluate(WRONG) == []
    assert bench.faults == []
