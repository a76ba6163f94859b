"""What the tests of handles share: commands, the handle as the mouse finds it, and drags."""

from __future__ import annotations

from page_bench import Bench

Point = tuple[float, float, float]


def told(bench: Bench, *lines: str) -> None:
    """Carry out commands, and wait until all shapes are here."""
    for line in lines:
        bench.type(line)
        assert bench.answer()["state"] == "done", bench.answer()
    bench.until("workcell.bench.shapes.here === workcell.bench.shapes.wanted")


def screen(bench: Bench, point: Point) -> tuple[float, float]:
    """Where a point of the world [m] is in the window."""
    x, y = bench.ask(f"workcell.screen({list(point)})")
    return x, y


def pointed(bench: Bench, point: Point, click: bool = False) -> None:
    """Move the mouse to a point of the world [m], as the view shows it."""
    bench.rest()  # while the camera flies, the point is elsewhere
    x, y = screen(bench, point)
    bench.page.mouse.move(x - 3, y)
    bench.rest()
    bench.page.mouse.move(x, y)
    if click:
        bench.page.mouse.click(x, y)


def looked_from(bench: Bench, key: str) -> None:
    """Turn the view with a key, and wait until the camera stands."""
    bench.page.get_by_label("3-D view of the cell").focus()
    bench.page.keyboard.press(key)
    bench.rest()


def grasped(bench: Bench, thing: str, handle: str = "Move with a handle") -> None:
    """Select a thing in the tree, and show its handle."""
    bench.page.get_by_label("Find in the cell", exact=True).fill(thing)
    bench.page.get_by_role("tree").get_by_text(thing, exact=True).click()
    bench.page.get_by_label("Find in the cell", exact=True).fill("")
    button = bench.page.get_by_role("button", name=handle)
    if button.get_attribute("aria-pressed") != "true":
        button.click()
    bench.until(f"workcell.bench.moving.held?.node.name === '{thing}'")


def held(bench: Bench, axis: str) -> list[float]:
    """The point of the world [m] at an arrow of the handle; without an axis, at its middle."""
    far = "0.055 * Math.hypot(...p.map((v, i) => v - workcell.camera()[i]))"
    step = f"p[{'xyz'.index(axis)}] += {far};" if axis else ""
    found: list[float] = bench.ask(
        f"(() => {{ const p = workcell.bench.moving.held.pose.elements.slice(12, 15); {step} return p; }})()"
    )
    return found


def grip(bench: Bench, axis: str) -> tuple[float, float]:
    """Where an arrow of the handle is in the window; without an axis, its middle."""
    x, y, z = held(bench, axis)
    return screen(bench, (x, y, z))


def dragged(bench: Bench, axis: str, to: Point, release: bool = True) -> None:
    """Drag an arrow of the handle, or its middle, so that the origin of the thing comes to a point of the world [m]."""
    mouse = bench.page.mouse
    bench.rest()
    x, y = grip(bench, axis)
    at, origin = held(bench, axis), held(bench, "")
    tx, ty = screen(bench, (at[0] + to[0] - origin[0], at[1] + to[1] - origin[1], at[2] + to[2] - origin[2]))
    mouse.move(x, y)
    bench.until("workcell.layer('moving').grabs")
    mouse.down()
    mouse.move((x + tx) / 2, (y + ty) / 2, steps=3)
    mouse.move(tx, ty, steps=3)
    bench.until("workcell.bench.moving.readout !== undefined")
    if release:
        mouse.up()


def lines(bench: Bench) -> list[str]:
    """The lines of the console."""
    found: list[str] = bench.ask("workcell.bench.log.entries.map((one) => one.line)")
    return found
