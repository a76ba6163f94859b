"""Make the images of the README and docs: the workbench in a real browser, the rest without a screen.

``python tools/pictures.py examples`` makes only those of the examples, ``python tools/pictures.py page`` those of the
page, and ``python tools/pictures.py page gallery tour`` only some of them.
"""

from __future__ import annotations

import importlib.util
import io
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from browser import MISSING, found, launch
from page_pictures import take
from workcell.commands.pictures import picture
from workcell.pictures.images import contact_sheet, save_png
from workcell.simulation.events import kind_of
from workcell.simulation.film import frames, save_recording_film
from workcell.simulation.recording import Recording
from workcell.workbench.samples import sample
from workcell.world.snapshot import Snapshot

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"


def main() -> int:
    IMAGES.mkdir(parents=True, exist_ok=True)
    wanted, *names = sys.argv[1:] or ["all"]
    if wanted in ("all", "examples"):
        examples()
    if wanted == "all":
        with sample() as cell:
            picture(cell.session, IMAGES / "puma.png", ("iso",), (1280, 720))
        print("puma.png")
    return page_scenes(names) if wanted in ("all", "page") else 0


def page_scenes(names: list[str]) -> int:
    """Make the pictures of the page."""
    from playwright.sync_api import sync_playwright

    if found() is None:
        print(f"The pictures of the page were not made. {MISSING}")
        return 1
    with sync_playwright() as play:
        browser = launch(play)
        take(browser, IMAGES, names)
        browser.close()
    return 0


def examples() -> None:
    """Make a strip of three moments for every example, and a film of the last two."""
    for number, (name, recorded) in enumerate(RECORDED.items(), start=1):
        with redirect_stdout(io.StringIO()):
            snapshot, recording, moments = recorded()
        if name not in FILMS:
            strip(snapshot, recording, moments, IMAGES / f"example_{number:02}.png")
            print(f"example_{number:02}.png: {name}")
        else:
            factor = FILMS[name]
            file = IMAGES / f"example_{number:02}.gif"
            made = save_recording_film(snapshot, recording, file, rate=8, factor=factor, size=(400, 225), clock=True)
            print(f"{file.name}: {made.pictures} pictures, {made.size / 1e3:.0f} kB")
    palletising()


def palletising() -> None:
    """Make a film and a Gantt chart of the first run, and a picture of the last one."""
    made = example("10_palletising")
    with made.built() as cell:
        for number, lines in enumerate(made.EDITS.values()):
            for line in (*lines, "run palletise"):
                cell.do(line)
            if number == 0:
                cell.do(f"gantt {IMAGES / 'palletising_gantt.svg'}")
                film = IMAGES / "palletising.gif"
                cell.do(f"film {film} factor 10 fps 6 size 360 202 --clock")
                print(f"{film.name}: {film.stat().st_size / 1e3:.0f} kB")
        cell.do(f"render {IMAGES / 'palletising.png'} size 720 480")


def strip(snapshot: Snapshot, recording: Recording, moments: Sequence[float], file: Path) -> None:
    """Write pictures of moments side by side, by one camera."""
    times = np.array(moments)
    images = list(frames(snapshot, recording, times, size=(480, 320)))
    save_png(contact_sheet(images, [f"{time:.2f} s" for time in times], columns=len(images)), file)


def example(name: str) -> Any:
    """Return the module of an example."""
    spec = importlib.util.spec_from_file_location(name, IMAGES.parent.parent / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


Recorded = tuple[Snapshot, Recording, Sequence[float]]


def three_moves() -> Recorded:
    with example("01_thesis_example_one").sample() as cell:
        return cell.snapshot(), cell.session.recording, (0.0, 4.0724, 6.3995)


def pick_and_place() -> Recorded:
    with example("02_pick_and_place").main() as cell:
        recording = cell.session.recording
        return cell.snapshot(), recording, (*_events(recording, "grip", "release"), recording.end)


def hand_over() -> Recorded:
    with example("03_hand_over").main() as cell:
        recording = cell.session.recording
        return cell.snapshot(), recording, _events(recording, "grip", "grip", "settle")


def along_an_edge() -> Recorded:
    sim, _ = example("04_along_an_edge").main()
    edge = [move for move in sim.recording.moves if move.kind == "line"]
    return sim.snapshot, sim.recording, (edge[0].start, edge[2].start, edge[-1].end)


def welding_cell() -> Recorded:
    cell, _ = example("05_welding_cell").main()
    with cell:
        return cell.snapshot(), cell.session.recording, ()


def conveyor_line() -> Recorded:
    sim = example("06_conveyor_pick_line").main()
    return sim.snapshot, sim.recording, ()


RECORDED = {
    "three moves": three_moves,
    "pick and place": pick_and_place,
    "hand over": hand_over,
    "along an edge": along_an_edge,
    "welding cell": welding_cell,
    "conveyor line": conveyor_line,
}
FILMS = {"welding cell": 8.0, "conveyor line": 5.0}
"""Simulated seconds per second of a film."""


def _events(recording: Recording, *kinds: str) -> list[float]:
    """Return when the first events of these kinds happened, in order."""
    found: list[float] = []
    events = iter(recording.events)
    for kind in kinds:
        found.append(next(event.time for event in events if kind_of(event) == kind))
    return found


if __name__ == "__main__":
    raise SystemExit(main())
