"""The states of the page that tests of its looks go through: every panel, dialog, modelling tool, card and menu."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from page_bench import Bench

PANELS = "workcell.bench.actions.list.filter((one) => one.group === 'Window' && one.on).map((one) => one.id.slice(7))"
SIZES = ((1366, 768), (1920, 1080), (1024, 768), (820, 1180))
CONTENT = (
    "add target here 300,200,700",
    "create signal ready",
    "create light lamp",
    "place light lamp at 2000,-3000,4000",
    "modify light:lamp aim 300,-1000,1234.5",
    "create block spare box 200 200 200",
    "add rail track 2000 at 0,2500,0",
    "add conveyor belt 1000 at 0,-2500,0",
    "create tool cups vacuum-2x2",
    "look side from 3000,0,1000 at 0,0,500",
    "add zone gate box 300 300 300 at -600,-600,150",
    'write program beside "wait 1"',
    'write program turns "parameter n number = 2%0Arepeat n%0Amove-joints-relative Puma 5,0,0,0,0,0%0Await 1%0Aend"',
    "speed Puma 0.9rad/s",
    "move-joints-relative Puma 10,0,0,0,0,0",
    "wrong",
)
TOOLS = {"sketch": "Sketch", "merge": "Unite", "arm": "Arm builder", "links": "Links and joints"}
"""The modelling tools, by their actions and titles."""
MADE = {"grid": "Grid of targets", "wall": "Draw a wall"}
"""The cards that make things in the view, by their actions and titles."""
SELECTED = {
    "spare": "Block spare",
    "lamp": "Aim of lamp",
    "belt": "Belt of belt",
    "cups": "The robot that carries cups",
}
"""Things that the inspector shows in a way of their own, with the label of what shows that it is loaded: what stands
nowhere, what shines, a belt that runs, a tool."""
LOADED = "![...document.querySelectorAll('p')].some((one) => one.textContent === 'Loading …')"
NODE = "[...workcell.bench.scene.picture.nodes.values()].find((one) => one.name === '{name}')"
BODY = "[...workcell.bench.scene.picture.bodies.values()].find((one) => one.name === '{name}')"
FACE = f"{{kind: 'face', body: {BODY}.id, piece: 0, faces: [0]}}"
BOX, TABLE = NODE.replace("{name}", "box"), NODE.replace("{name}", "table")
ASKED = {
    "import": (
        "void workcell.bench.take([{path: 'part.stl', file: new File(['solid a\\nfacet normal 0 0 1\\nouter loop\\n"
        "vertex 0 0 0\\nvertex 1 0 0\\nvertex 0 1 0\\nendloop\\nendfacet\\nendsolid a\\n'], 'part.stl')}])",
        "[aria-label='Unit of part.stl']",
        "",
    ),
    "close-cell": ("void workcell.bench.closeCell(workcell.bench.cells.current)", "dialog[open] .main", ""),
    "pattern": (
        f"void workcell.bench.making.ask({{kind: 'over-face', id: {BOX}.id, faces: ['top'], step: 0.05, flat: true}})",
        "form[aria-label*='over'] [role=status]",
        "",
    ),
    "attach": (
        f"workcell.bench.attaching.join({FACE.replace('{name}', 'box')}, {FACE.replace('{name}', 'table')})",
        "form[aria-label='Attach face to face']",
        "workcell.bench.attaching.cancel()",
    ),
    "handle": (
        f"workcell.bench.selection.select({BOX}.id); void (workcell.bench.moving.handle = 'move')",
        "[role=group][aria-label='Handle']",
        "void (workcell.bench.moving.handle = 'off')",
    ),
    "context": (
        f"workcell.bench.selection.select({BOX}.id); "
        "void (workcell.bench.context = {x: innerWidth / 2, y: innerHeight / 2, thing: true, from: document.body})",
        "[role=menu]",
        "void (workcell.bench.context = undefined)",
    ),
    "several": (
        f"workcell.bench.layout.show('inspector'); workcell.bench.selection.choose([{BOX}.id, {TABLE}.id])",
        "[aria-label='Selection'] button",
        "",
    ),
    "panes": (
        "void (workcell.bench.panes.shown = 4)",
        "[data-view]",
        "void (workcell.bench.panes.shown = 1)",
    ),
    "paused": (
        "workcell.bench.layout.show('programs'); void workcell.bench.log.press('debug turns')",
        ".state.paused",
        "workcell.bench.log.press('stop-run')",
    ),
    "verdicts": (
        "workcell.bench.layout.show('checks'); workcell.bench.checks.check()",
        "[aria-label='Checked moves'] li",
        "",
    ),
}
"""Dialogs, cards and states that take more than an action: how each is made, what shows that it is there, how it ends."""
ADDED = ("Shape", "Robot", "Tool", "More")
"""The pages of the dialog that adds things."""


def prepared(bench: Bench) -> None:
    """Give every panel something to show, and select the robot."""
    for line in CONTENT:
        bench.type(line)
        assert bench.answer()["state"] == ("error" if line == "wrong" else "done"), bench.answer()
    bench.until("workcell.bench.time.duration > 0 && !workcell.bench.time.playing")
    bench.ask("workcell.bench.programs.show('turns')")
    bench.ask("workcell.bench.selection.select(workcell.bench.scene.picture.robots.keys().next().value)")
    bench.ask("workcell.bench.messages.list.forEach((one) => workcell.bench.messages.dismiss(one.id))")


@contextmanager
def shown(bench: Bench, name: str) -> Iterator[None]:
    """Show a state while the block lasts."""
    page = bench.page
    kind, _, which = name.partition(" ")
    if kind == "panel":
        if not bench.ask(f"workcell.bench.actions.get('window.{which}').on()"):
            bench.ask(f"workcell.bench.actions.run('window.{which}')")
        page.get_by_role("tabpanel").first.wait_for()
        bench.until(LOADED)
        page.wait_for_timeout(200)
        yield
        return
    if kind == "dialog":
        bench.ask(f"workcell.bench.actions.run('{which}')")
        page.get_by_role("dialog").wait_for()
        bench.until(LOADED)
    elif kind == "add":
        bench.ask("workcell.bench.actions.run('edit.add')")
        page.get_by_role("dialog").get_by_role("tab", name=which).click()
        page.wait_for_timeout(200)
    elif kind == "tool":
        bench.ask(f"workcell.bench.actions.run('workshop.{which}')")
        page.get_by_role("region", name=TOOLS[which]).locator("footer").wait_for()
        if which == "arm":
            page.get_by_role("button", name="Begin").click()
            page.get_by_role("table").wait_for()
    elif kind == "card":
        bench.ask(f"workcell.bench.actions.run('view.{which}')")
        page.get_by_role("button", name="Remove the section").wait_for()
    elif kind == "made":
        bench.ask(f"workcell.bench.actions.run('make.{which}')")
        page.get_by_role("form").filter(has=page.get_by_role("heading", name=MADE[which])).wait_for()
        page.wait_for_timeout(200)
    elif kind == "selected":
        before = bench.ask("workcell.bench.selection.id")
        lines = "workcell.bench.scene.tree.flatMap((one) => one.children)"
        found = f"{lines}.find((one) => one.name === '{which}')"
        bench.until(f"!!{found}")  # loose things come a little later than the rest
        bench.ask(f"workcell.bench.selection.select({found}.id)")
        bench.ask("workcell.bench.layout.show('inspector')")
        facts = page.get_by_label("Selection", exact=True)
        facts.get_by_role("button", name="Remove", exact=True).wait_for()
        facts.get_by_label(SELECTED[which], exact=True).wait_for()
        page.wait_for_timeout(300)
        yield
        bench.ask(f"workcell.bench.selection.select('{before}')")
        page.wait_for_timeout(200)
        return
    elif kind == "menu":
        page.get_by_role("button", name=which, exact=True).click()
        page.get_by_role("menu").wait_for()
    elif kind == "asked":
        begin, there, _ = ASKED[which]
        bench.ask(begin)
        page.locator(there).first.wait_for()
        page.wait_for_timeout(200)
    elif kind == "company":
        bench.ask("workcell.bench.layout.show('programs')")
        page.get_by_role("button", name="Together with other programs").click()
        page.get_by_role("group", name="Programs that start together").wait_for()
    elif kind == "faces":
        bench.ask("workcell.bench.actions.run('make.choose-spot')")
        page.get_by_role("form", name="Choose from a list").wait_for()
    elif kind == "completion":
        bench.ask("workcell.bench.layout.show('console')")
        page.get_by_label("Command", exact=True).fill("create ")
        page.keyboard.press("Tab")
        page.get_by_role("listbox", name="What may come next").wait_for()
    elif kind == "message":
        bench.ask("workcell.bench.messages.error('Refused: wrong', 'There is no command wrong.')")
        page.wait_for_timeout(400)
    elif kind == "job":
        bench.ask(
            "workcell.bench.jobs.note({job: 'j1', title: 'film', label: '', fraction: null, done: false, who: 'me'})"
        )
    yield
    if kind == "asked" and ASKED[which][2]:
        bench.ask(ASKED[which][2])
    bench.ask("workcell.bench.jobs.clear()")
    bench.ask("workcell.bench.workshop.close()")
    bench.ask("workcell.bench.making.close()")
    bench.ask("void (workcell.bench.panes.now.section = null)")
    page.keyboard.press("Escape")
    page.wait_for_timeout(50)
    bench.ask("workcell.bench.help.step >= 0 && workcell.bench.help.tour(-1)")
    bench.ask("workcell.bench.messages.list.forEach((one) => workcell.bench.messages.dismiss(one.id))")
    if kind == "asked":  # Escape let go of what was selected
        bench.ask("workcell.bench.selection.select(workcell.bench.scene.picture.robots.keys().next().value)")
    page.wait_for_timeout(200)


def states(bench: Bench) -> list[str]:
    """The names of all states of a page, by what it has."""
    dialogs = bench.ask("workcell.bench.actions.list.map((one) => one.id)")
    opening = ("file.gallery", "file.save-as", "file.export", "file.export-film", "window.preferences")
    menus = bench.page.get_by_role("navigation", name="Menu").get_by_role("button").all_inner_texts()
    found = [f"panel {panel}" for panel in bench.ask(PANELS)]
    found += [f"dialog {one}" for one in dialogs if one in opening or one.startswith("help.")]
    found += [f"add {one}" for one in ADDED]
    found += [f"tool {one}" for one in TOOLS]
    found += [f"made {one}" for one in MADE]
    found += [f"selected {one}" for one in SELECTED]
    found += [f"menu {one}" for one in menus]
    found += [f"asked {one}" for one in ASKED]
    return [*found, "card section", "faces", "company", "completion", "message", "job"]
