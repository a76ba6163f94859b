"""Everything can be done by the keyboard, and no key is taken from what has the focus."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from page_bench import Bench

pytestmark = pytest.mark.browser
CAMERA = "JSON.stringify(workcell.camera())"


def focused(bench: Bench) -> str:
    return str(bench.ask("document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName"))


@pytest.mark.real_time
def test_space_presses_the_button_that_has_the_focus(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    grid = bench.page.get_by_role("button", name="Grid", exact=True)
    grid.focus()
    bench.page.keyboard.press("Space")
    assert grid.get_attribute("aria-pressed") == "false"
    assert bench.ask("workcell.bench.time.duration") == 0  # nothing was played
    bench.page.get_by_role("application").focus()
    bench.page.keyboard.press("Space")
    bench.until("workcell.bench.time.playing")


def test_the_view_turns_shifts_and_zooms_by_keys(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    bench.page.get_by_role("application").focus()
    bench.rest()
    places = [np.array(bench.ask("workcell.camera()"))]
    for key in ("ArrowLeft", "ArrowUp", "Shift+ArrowRight", "+"):
        bench.page.keyboard.press(key)
        places.append(np.array(bench.ask("workcell.camera()")))
    target = places[0][3:]
    turned = places[2]
    assert np.linalg.norm(turned[:3] - places[0][:3]) > 0.1
    np.testing.assert_allclose(turned[3:], target, atol=1e-9)  # it turns about what it looks at
    distance = [np.linalg.norm(place[:3] - place[3:]) for place in places]
    np.testing.assert_allclose(distance[:4], distance[0], rtol=1e-9)
    assert np.linalg.norm(places[3][3:] - target) > 0.01
    assert distance[4] < 0.9 * distance[0]


def test_the_help_takes_the_focus_and_gives_it_back(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page = bench.page
    page.get_by_role("application").focus()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys and actions")
    dialog.wait_for()
    assert bench.ask("document.querySelector('dialog').contains(document.activeElement)")
    for text in ("Undo", "Play or pause", "Turn the view to the left, in the view"):
        assert dialog.get_by_text(text, exact=True).is_visible()
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    assert "view" in focused(bench)


def test_the_palette_finds_actions_and_commands(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page = bench.page
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Find an action or a command")
    field.fill("from above")
    page.keyboard.press("Enter")
    bench.rest()
    camera = np.array(bench.ask("workcell.camera()"))
    assert camera[2] - camera[5] > 0.99 * np.linalg.norm(camera[:3] - camera[3:])
    page.keyboard.press("Control+k")
    field.fill("create robot")
    page.keyboard.press("Enter")
    bench.until("document.querySelector('[aria-label=Command]').value.startsWith('create robot')")
    assert focused(bench) == "Command"


def test_completion_is_walked_with_arrows(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    page = bench.page
    field = page.get_by_label("Command", exact=True)
    field.fill("create ")
    page.keyboard.press("Tab")
    options = page.get_by_role("listbox", name="What may come next").get_by_role("option")
    options.first.wait_for()
    names = options.locator("b").all_inner_texts()
    page.keyboard.press("ArrowDown")
    assert field.input_value() == f"create {names[0]}"
    page.keyboard.press("ArrowDown")
    assert field.input_value() == f"create {names[1]}"
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert field.input_value() == f"create {names[-1]}"
    assert options.count() == len(names)


def test_undo_by_key_in_the_empty_console(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    bench.type("add solid crate box 200 200 200 at -500,0,100")
    assert bench.answer()["state"] == "done"
    bench.until("workcell.bench.scene.facts.undo.startsWith('add solid')")
    bench.page.get_by_label("Command", exact=True).focus()
    bench.page.keyboard.press("Control+z")
    bench.until("!workcell.bench.scene.lists.bodies.some((body) => body.name === 'crate')")
    assert bench.answer()["line"] == "undo"
    log = bench.page.get_by_role("log")
    log.focus()
    assert focused(bench) == "Commands and answers"


@pytest.mark.own_process  # beside other cells the menus are one
def test_below_980_pixels_every_view_is_in_a_menu(open_bench: Callable[..., Bench]) -> None:
    for width in (960, 700):
        bench = open_bench(width=width, height=700)
        page = bench.page
        page.get_by_role("button", name="Menu", exact=True).click()
        for name in ("From the front", "From the right", "From above", "Oblique view", "Grid"):
            assert page.get_by_role("menu").get_by_text(name, exact=True).count() == 1
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Escape")
        assert page.get_by_role("menu").count() == 0
        assert bench.ask("document.documentElement.scrollWidth <= innerWidth")


LUMINANCE = """
(() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const part = (v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const under = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgb(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
    if (element.closest("button:disabled, svg, option")) continue;
    const [a, b] = [light(rgb(getComputedStyle(element).color)), light(under(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.push(`${element.textContent.trim().slice(0, 30)}: ${contrast.toFixed(2)}`);
  }
  return found;
})()
"""


def test_the_text_can_be_read_in_both_themes(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench()
    bench.page.get_by_role("tree").get_by_text("Puma", exact=True).click()
    bench.type("move-joints-relative Puma 10,0,0,0,0,0")
    bench.type("wrong")
    bench.answer()
    for name in ("Dark theme", "Light theme"):
        bench.page.get_by_role("button", name=name).click()
        bench.page.wait_for_timeout(200)
        assert bench.ask(LUMINANCE) == []
