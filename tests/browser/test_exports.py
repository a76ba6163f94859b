"""Exports of a run, by the menu of the page: each downloaded file is opened, and holds what the recording holds."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import struct
import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from page_bench import PATIENCE, Bench
from PIL import Image
from playwright.sync_api import Page, expect

from workcell.service.client import connect
from workcell.simulation.comparison import first_difference
from workcell.simulation.recording import Recording

pytestmark = pytest.mark.browser
MOVES = ("move-joints-relative Puma 40,0,0,0,0,0", "move-joints-relative Puma 0,-20,0,0,10,0")
FLOATS = 5126
SVG = "{http://www.w3.org/2000/svg}"


def moved(open_bench: Callable[..., Bench]) -> Bench:
    """A window on a cell with two motions."""
    bench = open_bench(width=1366, height=768)
    for line in ("speed Puma 0.9rad/s", *MOVES):
        bench.type(line)
        assert bench.answer()["state"] == "done", bench.answer()
    bench.until("workcell.bench.time.duration > 0 && !workcell.bench.time.playing")
    return bench


def exported(page: Page, entry: str, ending: str) -> bytes:
    """The bytes that an entry of the menu File downloads."""
    page.get_by_role("button", name="File", exact=True).click()
    with page.expect_download(timeout=1e3 * PATIENCE) as download:
        page.get_by_role("menuitem", name=entry).click()
    assert download.value.suggested_filename.endswith(ending)
    return Path(download.value.path()).read_bytes()


def test_nothing_is_exported_before_something_is_recorded(open_bench: Callable[..., Bench]) -> None:
    page = open_bench(width=1366, height=768).page
    page.get_by_role("button", name="File", exact=True).click()
    entries = page.get_by_role("menuitem", name=re.compile("^Export (a|an|the) "))
    expect(entries).to_have_count(6)
    for number in range(6):
        expect(entries.nth(number)).to_be_disabled()


def test_the_table_the_recording_and_the_report_hold_the_run(open_bench: Callable[..., Bench], tmp_path: Path) -> None:
    bench = moved(open_bench)
    with connect(bench.url) as client:
        there = client.recording
        report = client.call("report", limits=True).text
    table = exported(bench.page, "Export a table (CSV)", ".csv")
    names, *rows = csv.reader(io.StringIO(table.decode()))
    assert names == ["time [s]", *(f"Puma.{joint} [deg]" for joint in range(1, 7))]
    numbers = np.array(rows, dtype=float)
    assert numbers[[0, -1], 0] == pytest.approx([there.start.time, there.end])
    assert (np.diff(numbers[:, 0]) > 0).all()
    for row in numbers:
        np.testing.assert_allclose(np.radians(row[1:]), there.state_at(row[0]).joints["Puma"], atol=1e-9)
    file = tmp_path / "run.rec"
    file.write_bytes(exported(bench.page, "Export the recording", ".rec"))
    assert first_difference(Recording.load(file), there, 0.0) is None
    text = exported(bench.page, "Export the report (text)", ".txt").decode()
    assert text == report + "\n"
    assert f"cycle time {there.duration:.4f} s" in text
    assert bench.faults == []


class Animation:
    """A binary glTF file: its description and its numbers."""

    def __init__(self, data: bytes) -> None:
        kind, version, length = struct.unpack_from("<4sII", data)
        assert (kind, version, length) == (b"glTF", 2, len(data))
        size, word = struct.unpack_from("<I4s", data, 12)
        assert word == b"JSON"
        self.tree: dict[str, Any] = json.loads(data[20 : 20 + size])
        self.numbers = data[20 + size + 8 :]
        assert self.tree["buffers"][0]["byteLength"] <= len(self.numbers)

    def floats(self, accessor: int) -> np.ndarray:
        """The values of an accessor, a row for each."""
        one = self.tree["accessors"][accessor]
        assert one["componentType"] == FLOATS
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[one["type"]]
        begin = self.tree["bufferViews"][one["bufferView"]].get("byteOffset", 0) + one.get("byteOffset", 0)
        return np.frombuffer(self.numbers, "<f4", one["count"] * width, begin).reshape(-1, width)

    def tracks(self) -> dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]:
        """The times and values of each animated node, by its name and by what changes."""
        (run,) = self.tree["animations"]
        found = {}
        for channel in run["channels"]:
            sampler = run["samplers"][channel["sampler"]]
            name = self.tree["nodes"][channel["target"]["node"]]["name"]
            found[name, channel["target"]["path"]] = (
                self.floats(sampler["input"])[:, 0],
                self.floats(sampler["output"]),
            )
        return found


def test_the_animation_moves_as_the_recording_does(open_bench: Callable[..., Bench]) -> None:
    bench = moved(open_bench)
    found = Animation(exported(bench.page, "Export an animation (glTF)", ".glb"))
    with connect(bench.url) as client:
        duration = client.recording.duration
        picture = client.look().picture
        assert picture is not None
        bodies = {body.name: number for number, body in picture.bodies.items()}
        assert {node["name"] for node in found.tree["nodes"]} == {"cell", *bodies}
        tracks = found.tracks()
        moving = {f"Puma/link {link}" for link in range(1, 7)}
        assert moving <= {name for name, _ in tracks} < set(bodies)
        for (name, path), (times, values) in tracks.items():
            assert (times[0], times[-1]) == pytest.approx((0.0, duration), abs=1e-5)
            assert len(times) == len(values) > 20 * duration
            for time, value in list(zip(times, values, strict=True))[::7]:
                there = client.poses(float(time), 1.0, 1, [bodies[name]])[0][0]
                expected = there[:3] if path == "translation" else there[[4, 5, 6, 3]]
                sense = 1.0 if path == "translation" else np.sign(value @ expected)
                np.testing.assert_allclose(sense * value, expected, atol=1e-4)
    assert bench.faults == []


def test_the_gantt_chart_and_the_picture_show_the_run(open_bench: Callable[..., Bench]) -> None:
    bench = moved(open_bench)
    drawn = ElementTree.fromstring(exported(bench.page, "Export the Gantt chart (SVG)", ".svg"))
    with connect(bench.url) as client:
        (row,) = client.call("gantt-rows").value["rows"]
    texts = {one.text: one for one in drawn.iter(f"{SVG}text")}
    assert row["label"] in texts
    ticks = sorted((float(text), float(one.get("x", ""))) for text, one in texts.items() if is_number(text))
    (first, left), (last, right) = ticks[0], ticks[-1]
    size = (right - left) / (last - first)  # pixels for a second
    titled = [one for one in drawn.iter(f"{SVG}rect") if "," in one.findtext(f"{SVG}title", "")]
    bars = [(float(one.get("x", "")), float(one.get("width", "")), one.findtext(f"{SVG}title")) for one in titled]
    assert [text for _, _, text in bars] == [bar["text"] for bar in row["bars"]]
    for (x, width, _), bar in zip(bars, row["bars"], strict=True):
        assert first + (x - left) / size == pytest.approx(bar["begin"], abs=0.2 / size)
        assert width / size == pytest.approx(bar["end"] - bar["begin"], abs=1.2 / size)  # bars are a pixel apart

    page = bench.page
    page.get_by_role("button", name="File", exact=True).click()
    page.get_by_role("menuitem", name="Export …").click()
    dialog = page.get_by_role("dialog", name="Export")
    dialog.get_by_label("What to export").select_option(label="The cell")
    dialog.get_by_label("Format of the file").select_option(label="Picture (.png)")
    dialog.get_by_label("Size of the picture").select_option(label="640 × 360")
    with page.expect_download(timeout=1e3 * PATIENCE) as download:
        dialog.get_by_role("button", name="Export", exact=True).click()
    with Image.open(download.value.path()) as picture:
        assert (picture.format, picture.size) == ("PNG", (640, 360))
        pixels = np.asarray(picture.convert("RGB")).reshape(-1, 3).astype(int)
    orange = (pixels[:, 0] > 150) & (pixels[:, 2] < 0.5 * pixels[:, 0]) & (pixels[:, 1] > 60)
    assert orange.sum() > 50  # the box
    assert len(np.unique(pixels, axis=0)) > 500  # a shaded arm
    assert bench.faults == []


def is_number(text: str | None) -> bool:
    return text is not None and text.replace(".", "", 1).isdigit()


def test_a_film_as_mp4_has_its_pictures_or_is_refused_by_a_sentence(open_bench: Callable[..., Bench]) -> None:
    bench = moved(open_bench)
    page = bench.page
    page.get_by_role("button", name="File", exact=True).click()
    page.get_by_role("menuitem", name="Export a film").click()
    dialog = page.get_by_role("dialog", name="Export a film")
    dialog.get_by_label("Format of the film").select_option("mp4")
    dialog.get_by_label("Frames per second").select_option("5")
    make = dialog.get_by_role("button", name="Make the film")
    if not shutil.which("ffmpeg") and find_spec("imageio_ffmpeg") is None:
        make.click()
        expect(
            page.get_by_role("alert").get_by_text("An .mp4 film needs ffmpeg, which is not installed")
        ).to_be_visible()
        pytest.skip("No encoder here: the refusal was read, no film was made (apt-get install ffmpeg).")
    with page.expect_download(timeout=1e3 * PATIENCE) as download:
        make.click()
    assert Path(download.value.path()).read_bytes()[4:8] == b"ftyp"
    if probe := shutil.which("ffprobe"):
        command = [probe, "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames,width,height"]
        told = subprocess.run(
            [*command, "-of", "json", str(download.value.path())], capture_output=True, text=True, check=True
        ).stdout
        (stream,) = json.loads(told)["streams"]
        assert (stream["width"], stream["height"]) == (640, 360)
        assert int(stream["nb_read_frames"]) == pytest.approx(5 * bench.ask("workcell.bench.time.duration"), abs=2)
    assert bench.faults == []
