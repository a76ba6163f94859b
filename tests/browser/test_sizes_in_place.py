"""The sizes, the mass and the mobility of a thing, changed in the inspector."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from page_bench import Bench
from playwright.sync_api import expect

from workcell.service.client import connect

pytestmark = pytest.mark.browser
PATIENCE = 90_000


def typed(bench: Bench, label: str, value: str) -> None:
    field = bench.page.get_by_label(label, exact=True)
    field.fill(value)
    field.press("Enter")


def test_a_box_is_resized_in_place_and_another_window_sees_it(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    with connect(bench.url) as other:
        other.do("add solid crate box 200 300 200 at 1500,0,100")
        other.do("add solid peg cylinder 20 100 --movable")
        other.do("face attach peg bottom to crate top")
        page.get_by_role("tree").get_by_text("crate", exact=True).click()
        height = page.get_by_label("z of crate-solid [mm]", exact=True)
        expect(height).to_have_value("200", timeout=PATIENCE)
        typed(bench, "z of crate-solid [mm]", "40cm")
        expect(height).to_have_value("400", timeout=PATIENCE)
        expect(page.get_by_label("z of the thing [mm]", exact=True)).to_have_value("200", timeout=PATIENCE)
        lines = bench.ask("workcell.bench.log.entries.map((one) => one.line)")
        assert "modify block:crate-solid shape box 200 300 400" in lines
        peg = np.array(other.call("where", thing="peg").value["matrix"])[:3, 3]
        np.testing.assert_allclose(peg, (1.5, 0, 0.45), atol=1e-6)  # the foot stays on the floor, the peg on the top
        typed(bench, "x of crate-solid [mm]", "0")
        refusal = page.get_by_role("alert").get_by_text("must be more than zero")
        expect(refusal).to_be_visible(timeout=PATIENCE)
        expect(page.get_by_label("x of crate-solid [mm]", exact=True)).to_have_value("0")
        page.keyboard.press("Escape")
        expect(page.get_by_label("x of crate-solid [mm]", exact=True)).to_have_value("200")
        page.get_by_role("button", name="Undo", exact=False).first.click()
        expect(height).to_have_value("200", timeout=PATIENCE)
        assert other.call("sizes", thing="crate").value["blocks"][0]["sizes"] == [0.2, 0.3, 0.2]
        other.do("modify crate shape box 250 300 200")
        expect(page.get_by_label("x of crate-solid [mm]", exact=True)).to_have_value("250", timeout=PATIENCE)
    assert bench.faults == []


def test_mass_material_and_mobility_are_fields_and_blocks_open_in_the_list(open_bench: Callable[..., Bench]) -> None:
    bench = open_bench(width=1366, height=768)
    page = bench.page
    with connect(bench.url) as other:
        other.do("add solid crate box 200 300 200 at 1500,0,100")
        page.get_by_role("tree").get_by_text("crate", exact=True).click()
        mass = page.get_by_label("mass of crate", exact=True)
        expect(mass).to_have_value("", timeout=PATIENCE)
        typed(bench, "mass of crate", "2.5kg")
        expect(mass).to_have_value("2.5 kg", timeout=PATIENCE)
        mass.fill("")
        mass.press("Enter")
        expect(mass).to_have_value("", timeout=PATIENCE)
        assert bench.answer()["line"] == "drop property mass from crate"
        page.get_by_label("Robots may handle crate", exact=True).check()
        bench.until("workcell.bench.log.entries.at(-1).line === 'modify crate movable yes'")
        expect(page.get_by_role("button", name="Pick with Puma")).to_be_visible(timeout=PATIENCE)
        page.get_by_role("list", name="Parts").get_by_role("button", name="block:crate-solid").click()
        block = page.get_by_role("group", name="Block crate-solid", exact=True)
        density = block.get_by_label("density of crate-solid [kg/m³]", exact=True)
        density.fill("-5")
        density.press("Enter")
        expect(page.get_by_role("alert").get_by_text("density")).to_be_visible(timeout=PATIENCE)
        expect(density).to_have_value("-5")
        density.fill("1000")
        density.press("Enter")
        bench.until("workcell.bench.log.entries.at(-1).state === 'done'")
        assert other.call("measure", thing="crate").value["mass"] == pytest.approx(12.0)
    assert bench.faults == []
