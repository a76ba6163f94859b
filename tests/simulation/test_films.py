"""Recordings as animated glTF and as films."""

from __future__ import annotations

import base64
import dataclasses
import json
import struct
import threading

import numpy as np
import pytest
from PIL import Image

import workcell as wc
from workcell.errors import Cancelled, FileProblem, InvalidValue, MissingDependency, Refused, UnknownName
from workcell.pictures.camera import Camera
from workcell.pictures.floor import grid_step
from workcell.pictures.render import render
from workcell.pictures.scene import scene_of
from workcell.pictures.style import FAST
from workcell.simulation import film as films
from workcell.simulation.animation import sample_times, save_animation
from workcell.simulation.film import frame_times, frames, overview, save_film, save_recording_film

PICK = """
create robot Puma puma560
add solid table box 600 800 100 at 550,0,-50
add solid cube box 40 40 40 at 500,-150,20 --movable
move-end-effector Puma 500,-150,150 euler fanuc_wpr 180,0,180 of grip
move-straight-line Puma 500,-150,20 euler fanuc_wpr 180,0,180 of grip
close-gripper Puma
move-hand Puma 0,0,150 along world
wait 0.2
move-hand Puma 0,150,-100 along world
open-gripper Puma --settle
move-hand Puma 0,0,100 along world
"""


@pytest.fixture(scope="module")
def picked():
    """A cell in which a cube was carried, with its snapshot and recording."""
    with wc.Cell() as cell:
        for line in PICK.strip().splitlines():
            cell.do(line)
        yield cell, cell.snapshot(), cell.session.recording


def read(path):
    """The document of a glTF file and its binary data."""
    data = path.read_bytes()
    if path.suffix == ".gltf":
        document = json.loads(data)
        return document, base64.b64decode(document["buffers"][0]["uri"].partition(",")[2])
    magic, version, length = struct.unpack_from("<III", data)
    assert (magic, version, length) == (0x46546C67, 2, len(data))
    size, kind = struct.unpack_from("<II", data, 12)
    assert kind == 0x4E4F534A
    document = json.loads(data[20 : 20 + size])
    binary, kind = struct.unpack_from("<II", data, 20 + size)
    assert kind == 0x004E4942
    assert document["buffers"][0]["byteLength"] <= binary
    return document, data[28 + size :]


def accessor(document, data, number):
    own = document["accessors"][number]
    view = document["bufferViews"][own["bufferView"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[own["type"]]
    kind = {5126: "<f4", 5125: "<u4"}[own["componentType"]]
    values = np.frombuffer(data, kind, own["count"] * width, view["byteOffset"]).reshape(own["count"], width)
    assert view["byteOffset"] % 4 == 0
    if "min" in own:
        assert values.min(axis=0).tolist() == own["min"]
        assert values.max(axis=0).tolist() == own["max"]
    return values.astype(np.float64)


def matrix(translation, quaternion):
    x, y, z, w = quaternion
    out = np.eye(4)
    out[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    out[:3, 3] = translation
    return out


@pytest.mark.parametrize("name", ["run.glb", "run.gltf"])
def test_an_animation_read_back_has_every_body_where_it_was(picked, tmp_path, name):
    _, snapshot, recording = picked
    made = save_animation(snapshot, recording, tmp_path / name, rate=20)
    times = sample_times(recording, 20)
    document, data = read(tmp_path / name)
    (root,) = document["scenes"][0]["nodes"]
    assert matrix((0, 0, 0), document["nodes"][root]["rotation"]) @ [0, 0, 1, 1] == pytest.approx([0, 1, 0, 1])
    (animation,) = document["animations"]
    moving: dict[int, dict[str, np.ndarray]] = {}
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        clock = accessor(document, data, sampler["input"])[:, 0]
        assert clock == pytest.approx(times - times[0], abs=1e-5)
        assert (np.diff(clock) > 0).all()
        values = accessor(document, data, sampler["output"])
        moving.setdefault(channel["target"]["node"], {})[channel["target"]["path"]] = values
    expected = np.array([snapshot.body_poses(recording.state_at(float(time))) for time in times])
    children = document["nodes"][root]["children"]
    assert [document["nodes"][child]["name"] for child in children] == [body.name for body in snapshot.bodies]
    for number, child in enumerate(children):
        node, own = document["nodes"][child], moving.get(child, {})
        translations = own.get("translation", np.tile(node["translation"], (len(times), 1)))
        rotations = own.get("rotation", np.tile(node["rotation"], (len(times), 1)))
        assert np.linalg.norm(rotations, axis=1) == pytest.approx(np.ones(len(times)), abs=1e-6)
        # Half a turn apart they would be shown the long way round.
        assert ((rotations[1:] * rotations[:-1]).sum(axis=1) >= 0).all()
        got = np.array([matrix(*both) for both in zip(translations, rotations, strict=True)])
        assert np.abs(got - expected[:, number]).max() < 1e-5, node["name"]
    names = {document["nodes"][node]["name"] for node in moving}
    assert "cube" in names
    assert names.isdisjoint({"table", "Puma/base"})
    assert made.moving == len(names)
    assert (made.bodies, made.samples) == (len(snapshot.bodies), len(times))


def test_the_shapes_of_an_animation_are_those_of_the_bodies(picked, tmp_path):
    _, snapshot, recording = picked
    save_animation(snapshot, recording, tmp_path / "run.glb")
    document, data = read(tmp_path / "run.glb")
    for node in document["nodes"][1:]:
        body = snapshot.body(node["name"])
        corners = []
        for primitive, piece in zip(document["meshes"][node["mesh"]]["primitives"], body.pieces, strict=True):
            positions = accessor(document, data, primitive["attributes"]["POSITION"])
            indices = accessor(document, data, primitive["indices"])
            assert indices.max() < len(positions)
            assert len(indices) == 3 * len(piece.solid.mesh(1e-3).triangles)
            corners.append(positions)
        mesh = np.concatenate([piece.solid.mesh(1e-3).vertices for piece in body.pieces])
        assert np.concatenate(corners).min(axis=0) == pytest.approx(mesh.min(axis=0), abs=1e-6)


def test_another_reader_takes_an_animation(picked, tmp_path):
    trimesh = pytest.importorskip("trimesh")
    _, snapshot, recording = picked
    save_animation(snapshot, recording, tmp_path / "run.glb")
    scene = trimesh.load(tmp_path / "run.glb")
    cube, _ = scene.graph["cube"]
    wanted = snapshot.body_poses(recording.start)[[body.name for body in snapshot.bodies].index("cube")]
    turned = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1.0]])
    assert cube == pytest.approx(turned @ wanted, abs=1e-6)


def test_the_same_run_gives_the_same_bytes(picked, tmp_path):
    _, snapshot, recording = picked
    for name in ("one.glb", "two.glb"):
        save_animation(snapshot, recording, tmp_path / name)
    assert (tmp_path / "one.glb").read_bytes() == (tmp_path / "two.glb").read_bytes()


# ---- films ----------------------------------------------------------------------------------------------


def test_frames_are_even_and_the_last_one_is_the_end(picked):
    _, _, recording = picked
    for rate, factor in ((25, 1.0), (10, 3.0), (7, 0.5)):
        times = frame_times(recording, rate, factor)
        assert times[0] == recording.start.time
        assert times[-1] == recording.end
        assert np.diff(times)[:-1] == pytest.approx(np.full(len(times) - 2, factor / rate))
        assert np.diff(times)[-1] <= factor / rate + 1e-12


def test_a_gif_has_its_pictures_and_its_pace(picked, tmp_path):
    _, snapshot, recording = picked
    size = (160, 96)
    made = save_recording_film(snapshot, recording, tmp_path / "run.gif", rate=8, factor=2.0, size=size)
    times = frame_times(recording, 8, 2.0)
    assert made.pictures == len(times)
    assert made.size == (tmp_path / "run.gif").stat().st_size
    camera = Camera.named("iso", overview(snapshot, recording), size[0] / size[1])
    with Image.open(tmp_path / "run.gif") as film:
        assert film.size == size
        assert film.info["loop"] == 0
        shown, delays = [], []
        for number in range(film.n_frames):
            film.seek(number)
            shown.append(np.array(film.convert("RGB"), dtype=int))
            delays.append(film.info["duration"])
    # A picture that does not differ from the one before it only makes that one longer.
    assert sum(delays) == pytest.approx(1000 * made.duration, abs=10)
    assert len(shown) <= made.pictures
    for image, time in ((shown[0], times[0]), (shown[-1], times[-1])):
        wanted = render(scene_of(snapshot, recording.state_at(float(time))), camera, size).astype(int)
        assert np.abs(image - wanted).mean() < 6  # 255 colours for all
    assert np.abs(shown[0] - shown[-1]).mean() > 0.5  # something moved
    still = np.ptp(np.array(shown), axis=0).max(axis=2)
    assert (still[:8, :8] <= 8).all()  # the camera stands still


def test_everything_that_happens_is_in_the_picture(picked):
    _, snapshot, recording = picked
    size = (160, 90)
    for view in ("iso", "top", "front"):
        camera = Camera.named(view, overview(snapshot, recording), size[0] / size[1])
        for time in np.linspace(recording.start.time, recording.end, 7):
            points = scene_of(snapshot, recording.state_at(float(time))).points
            x, y = camera.project(points, size)[:, :2].T
            assert x.min() >= 0
            assert y.min() >= 0
            assert x.max() <= size[0]
            assert y.max() <= size[1]


def test_a_cancelled_film_leaves_no_file(picked, tmp_path):
    _, snapshot, recording = picked
    cancel, reported = threading.Event(), []

    def progress(fraction, text):
        reported.append((fraction, text))
        if len(reported) == 3:
            cancel.set()

    times = frame_times(recording, 5)
    images = frames(snapshot, recording, times, size=(64, 48), progress=progress, cancel=cancel)
    with pytest.raises(Cancelled, match="no file was written"):
        save_film(images, tmp_path / "run.gif", 5)
    assert list(tmp_path.iterdir()) == []
    assert [fraction for fraction, _ in reported] == pytest.approx([0, 1 / len(times), 2 / len(times)])
    with pytest.raises(Cancelled):
        save_animation(snapshot, recording, tmp_path / "run.glb", cancel=cancel)
    assert list(tmp_path.iterdir()) == []


FAKE = """#!/bin/sh
for last; do :; done
echo "$@" > "{args}"
{action}
"""


def fake_ffmpeg(tmp_path, monkeypatch, action):
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "ffmpeg"
    program.write_text(FAKE.format(args=tmp_path / "args", action=action))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_an_mp4_goes_through_ffmpeg_picture_by_picture(picked, tmp_path, monkeypatch):
    _, snapshot, recording = picked
    fake_ffmpeg(tmp_path, monkeypatch, 'cat > "$last"')
    made = save_recording_film(snapshot, recording, tmp_path / "run.mp4", rate=4, size=(65, 49))
    data = (tmp_path / "run.mp4").read_bytes()
    assert len(data) == made.pictures * 64 * 48 * 3
    args = (tmp_path / "args").read_text()
    assert "-s 64x48" in args
    assert "-r 4" in args
    assert "yuv420p" in args


def test_errors_of_ffmpeg_are_reported(picked, tmp_path, monkeypatch):
    _, snapshot, recording = picked
    fake_ffmpeg(tmp_path, monkeypatch, 'echo "no such encoder" >&2; exit 3')
    with pytest.raises(FileProblem, match="ffmpeg could not write the film: no such encoder"):
        save_recording_film(snapshot, recording, tmp_path / "run.mp4", rate=4, size=(64, 48))
    assert not (tmp_path / "run.mp4").exists()


def test_missing_ffmpeg_is_reported_before_any_picture(picked, tmp_path, monkeypatch):
    _, snapshot, recording = picked
    monkeypatch.setattr(films.shutil, "which", lambda _: None)
    monkeypatch.setattr(films, "import_module", lambda name: (_ for _ in ()).throw(ImportError(name)))
    monkeypatch.setattr(films, "render", lambda *_: pytest.fail("a picture was made"))
    with pytest.raises(MissingDependency, match=r"install it \(`apt-get install ffmpeg`.*or write a \.gif"):
        save_recording_film(snapshot, recording, tmp_path / "run.mp4")


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        (lambda s, r, t: save_recording_film(s, r, t / "run.avi"), UnknownName, r"\.gif"),
        (lambda s, r, t: save_recording_film(s, r, t / "run.gif", rate=0.0), InvalidValue, "more than zero"),
        (lambda s, r, t: save_recording_film(s, r, t / "run.gif", factor=-1.0), InvalidValue, "more than zero"),
        (lambda s, r, t: save_recording_film(s, r, t / "run.gif", factor=np.nan), InvalidValue, "more than zero"),
        (lambda s, r, t: save_recording_film(s, r, t / "run.gif", factor=1e-6), InvalidValue, "at most 20000"),
        (lambda s, r, t: save_recording_film(s, r, t / "none/run.gif", rate=1), FileProblem, "there is no folder"),
        (lambda s, r, t: save_recording_film(s, r, t / "run.gif", "sideways"), UnknownName, "view"),
        (lambda s, r, t: save_animation(s, r, t / "run.fbx"), UnknownName, r"\.glb"),
        (lambda s, r, t: save_animation(s, r, t / "run.glb", rate=np.inf), InvalidValue, "more than zero"),
        (lambda s, r, t: save_animation(s, r, t / "none/run.glb"), FileProblem, "cannot be written"),
    ],
)
def test_what_cannot_be_written_is_refused(picked, tmp_path, asked, error, message):
    _, snapshot, recording = picked
    with pytest.raises(error, match=message):
        asked(snapshot, recording, tmp_path)
    assert list(tmp_path.iterdir()) == []


# ---- the commands ---------------------------------------------------------------------------------------


def test_the_commands_write_their_files(picked, tmp_path):
    cell, *_ = picked
    assert "bodies" in str(cell.do(f"export-animation {tmp_path / 'run.glb'} rate 5"))
    assert "pictures" in str(cell.do(f"film {tmp_path / 'run.gif'} fps 2 size 96 64 --clock"))
    cell.do("look mine front")
    cell.do("display cube in mine")
    assert "pictures" in str(cell.do(f"film {tmp_path / 'mine.gif'} view mine fps 1 size 64 48"))
    assert {path.name for path in tmp_path.iterdir()} == {"run.glb", "run.gif", "mine.gif"}


def test_an_empty_recording_is_refused(tmp_path):
    with wc.Cell() as cell:
        with pytest.raises(Refused, match="The scene is empty"):
            cell.do(f"film {tmp_path / 'run.gif'}")
        cell.do("create robot Puma puma560")
        with pytest.raises(Refused, match="Nothing was recorded"):
            cell.do(f"export-animation {tmp_path / 'run.glb'}")


def test_pictures_drawn_side_by_side_are_those_drawn_one_by_one_in_order(picked):
    _, snapshot, recording = picked
    times = frame_times(recording, 4)
    camera = Camera.named("iso", overview(snapshot, recording), 80 / 60)
    seen = list(frames(snapshot, recording, times, camera, (80, 60), style=FAST))
    assert len(seen) == len(times)
    low = float(overview(snapshot, recording)[:, 2].min())
    for time, image in zip(times, seen, strict=True):
        scene = scene_of(snapshot, recording.state_at(float(time)))
        grid = grid_step(float(np.linalg.norm(np.ptp(overview(snapshot, recording), axis=0))) / 2.0)[0]
        alone = render(scene, camera, (80, 60), dataclasses.replace(FAST, floor=low, grid=grid))
        assert (alone == image).all()


def test_a_film_that_nobody_wants_any_more_leaves_no_thread(picked):
    _, snapshot, recording = picked
    images = frames(snapshot, recording, frame_times(recording, 5), size=(64, 48), style=FAST)
    next(images)
    images.close()
    assert not [one.name for one in threading.enumerate() if one.name.startswith("workcell-film")]
