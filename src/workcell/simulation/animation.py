"""Recordings as animated glTF: one node per body, with position and rotation sampled over time if it moves."""

from __future__ import annotations

import base64
import json
import math
import os
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workcell.cost import FRAMES
from workcell.errors import Cancelled, FileProblem, InvalidValue, UnknownName
from workcell.geometry.formats.gltf import pack, shaded
from workcell.geometry.mesh import Mesh
from workcell.simulation.playback import body_poses
from workcell.simulation.recording import Recording
from workcell.spatial import quaternions
from workcell.world.absence import out_of_sight
from workcell.world.snapshot import Snapshot

Array = NDArray[np.float64]
Progress = Callable[[float, str], None]

RATE = 30.0
"""Samples per second by default."""
_FLOAT, _UNSIGNED = 5126, 5125
_ARRAY, _ELEMENTS = 34962, 34963
_STILL = 1e-9
_Y_UP = [-math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)]
"""The rotation (x, y, z, w) from our z-up to glTF's y-up; the root node has it."""


@dataclass(frozen=True)
class Animated:
    """What was written: how many bodies, how many of them move, and how many samples in time."""

    bodies: int
    moving: int
    samples: int
    duration: float


def save_animation(
    snapshot: Snapshot,
    recording: Recording,
    path: str | Path,
    *,
    rate: float = RATE,
    tolerance: float = 1e-3,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> Animated:
    """Write a recording as .glb or .gltf. If this fails, no file is left behind.

    Args:
        snapshot: what exists.
        recording: what happened.
        path: the file.
        rate: samples per second; instants at which parts are taken or put down are sampled too.
        tolerance: of the meshes [m].
        progress: called with the fraction done and a few words.
        cancel: set by another thread to stop.
    """
    target = Path(path)
    if target.suffix.lower() not in (".glb", ".gltf"):
        raise UnknownName.among("kind of animation file", target.suffix or target.name, (".glb", ".gltf"))
    if not (math.isfinite(rate) and rate > 0.0):
        raise InvalidValue(f"The number of samples per second must be more than zero; found {rate}.")
    times = sample_times(recording, rate)
    report = progress or (lambda _fraction, _text: None)
    report(0.0, "following bodies")
    poses = body_poses(snapshot, recording, times)
    document = _Document()
    root = document.node({"name": snapshot.scene or "cell", "rotation": _Y_UP, "children": []})
    channels: list[dict[str, Any]] = []
    samplers: list[dict[str, Any]] = []
    clock = document.scalars(times - times[0]) if len(times) > 1 else -1
    moving = 0
    for number, body in enumerate(snapshot.bodies):
        if cancel is not None and cancel.is_set():
            raise Cancelled("The animation was cancelled; no file was written.")
        report(number / max(len(snapshot.bodies), 1), body.name)
        own, shown = poses[:, number], _shown(poses[:, number])
        if not shown.any():
            continue
        # An absent part is hidden by its scale, at the place where it appears next or was last.
        at = np.arange(len(own))
        there = at[shown]
        own = own[np.where(shown, at, there[np.minimum(np.searchsorted(there, at), len(there) - 1)])]
        quaternions = _quaternions(own[:, :3, :3])
        node: dict[str, Any] = {
            "name": body.name,
            "translation": own[0, :3, 3].tolist(),
            "rotation": quaternions[0].tolist(),
        }
        drawn = [document.primitive(piece.solid.mesh(tolerance), piece.colour, piece.opacity) for piece in body.pieces]
        primitives = [one for one in drawn if one is not None]
        if primitives:
            node["mesh"] = document.mesh(body.name, primitives)
        scales = np.repeat(shown.astype(np.float64)[:, None], 3, axis=1)
        if not shown[0]:
            node["scale"] = [0.0, 0.0, 0.0]
        place = document.node(node)
        document.nodes[root]["children"].append(place)
        for path_name, values in (("translation", own[:, :3, 3]), ("rotation", quaternions), ("scale", scales)):
            if clock >= 0 and np.abs(values - values[0]).max() > _STILL:
                between = "STEP" if path_name == "scale" else "LINEAR"
                samplers.append({"input": clock, "output": document.vectors(values), "interpolation": between})
                channels.append({"sampler": len(samplers) - 1, "target": {"node": place, "path": path_name}})
        moving += bool(channels and channels[-1]["target"]["node"] == place)
    animations = [{"name": "recording", "channels": channels, "samplers": samplers}] if channels else []
    _write(target, document.whole(root, animations, target.suffix.lower() == ".glb"))
    report(1.0, target.name)
    return Animated(len(document.nodes) - 1, moving, len(times), float(times[-1] - times[0]))


def sample_times(recording: Recording, rate: float) -> Array:
    """Return even times from the start to the end of a recording, and every instant of a change (N,) [s]."""
    start, end = recording.start.time, recording.end
    count = math.ceil((end - start) * rate - 1e-9)
    FRAMES.check(count, f"{end - start:g} s at {rate:g} samples per second")
    changes = np.array([change.time for change in recording.changes])
    # A carried part jumps to another carrier at an instant, so it is also sampled just before.
    before = changes - 1e-4
    times = np.concatenate([start + np.arange(count) / rate, [start, end], changes, before])
    times = np.unique(np.clip(times, start, end))
    kept = np.concatenate([[True], np.diff(times) > 1e-5])
    return np.asarray(times[kept])


def _shown(poses: Array) -> NDArray[np.bool_]:
    """Return at which samples (N,) a body with poses (N, 4, 4) is present."""
    return np.array([not out_of_sight(float(z)) for z in poses[:, 2, 3]])


def _quaternions(rotations: Array) -> Array:
    """Return unit quaternions (N, 4) as x, y, z, w; of two equal ones, the nearer to the one before."""
    return np.roll(quaternions.continuous(quaternions.of_rotations(rotations)), -1, axis=1)


class _Document:
    """A glTF document that grows, with its binary data."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self._meshes: list[dict[str, Any]] = []
        self._materials: dict[tuple[float, ...], int] = {}
        self._known: dict[int, tuple[Mesh, tuple[int, int, int]]] = {}
        self._data = bytearray()
        self._views: list[dict[str, Any]] = []
        self._accessors: list[dict[str, Any]] = []

    def node(self, node: dict[str, Any]) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def mesh(self, name: str, primitives: list[dict[str, Any]]) -> int:
        self._meshes.append({"name": name, "primitives": primitives})
        return len(self._meshes) - 1

    def primitive(self, mesh: Mesh, colour: tuple[float, float, float], opacity: float) -> dict[str, Any] | None:
        if not len(mesh.triangles):
            return None
        if id(mesh) not in self._known:
            positions, normals, triangles = shaded(mesh)
            where = (self._shown(positions), self._shown(normals), self._indices(triangles.reshape(-1)))
            self._known[id(mesh)] = (mesh, where)
        positions_at, normals_at, indices_at = self._known[id(mesh)][1]
        key = tuple(float(part) for part in (*colour, opacity))
        material = self._materials.setdefault(key, len(self._materials))
        attributes = {"POSITION": positions_at, "NORMAL": normals_at}
        return {"attributes": attributes, "indices": indices_at, "material": material, "mode": 4}

    def scalars(self, values: Array) -> int:
        array = values.astype("<f4")
        limits = {"min": [float(array.min())], "max": [float(array.max())]}
        return self._add(array.tobytes(), _FLOAT, "SCALAR", len(array), None, limits)

    def vectors(self, values: Array) -> int:
        kind = "VEC3" if values.shape[1] == 3 else "VEC4"
        return self._add(values.astype("<f4").tobytes(), _FLOAT, kind, len(values), None, {})

    def whole(self, root: int, animations: list[dict[str, Any]], binary: bool) -> bytes:
        """Return the whole document as the bytes of a file."""
        document: dict[str, object] = {
            "asset": {"version": "2.0", "generator": "Workcell"},
            "scene": 0,
            "scenes": [{"nodes": [root]}],
            "nodes": [{k: v for k, v in node.items() if k != "children" or v} for node in self.nodes],
        }
        buffer: dict[str, Any] = {"byteLength": len(self._data)}
        if not binary:
            buffer["uri"] = "data:application/octet-stream;base64," + base64.b64encode(self._data).decode()
        rest = {
            "meshes": self._meshes,
            "materials": [_material(colour) for colour in self._materials],
            "animations": animations,
            "accessors": self._accessors,
            "bufferViews": self._views,
            "buffers": [buffer] if self._data else [],
        }
        document.update({name: values for name, values in rest.items() if values})
        return pack(document, bytes(self._data)) if binary else json.dumps(document, indent=1).encode()

    def _shown(self, values: Array) -> int:
        array = values.astype("<f4")
        limits = {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()}
        return self._add(array.tobytes(), _FLOAT, "VEC3", len(array), _ARRAY, limits)

    def _indices(self, values: NDArray[np.int64]) -> int:
        return self._add(values.astype("<u4").tobytes(), _UNSIGNED, "SCALAR", len(values), _ELEMENTS, {})

    def _add(
        self, data: bytes, component: int, kind: str, count: int, target: int | None, limits: dict[str, list[float]]
    ) -> int:
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self._data), "byteLength": len(data)}
        self._views.append(view if target is None else {**view, "target": target})
        self._data += data
        accessor = {"bufferView": len(self._views) - 1, "componentType": component, "count": count, "type": kind}
        self._accessors.append({**accessor, **limits})
        return len(self._accessors) - 1


def _material(paint: tuple[float, ...]) -> dict[str, Any]:
    """Return a material of red, green, blue in sRGB and opacity. glTF stores the colour as linear light."""
    *colour, opacity = paint
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    shine = {"baseColorFactor": [*linear, opacity], "metallicFactor": 0.0, "roughnessFactor": 0.55}
    blending = {"alphaMode": "BLEND"} if opacity < 1.0 else {}
    return {"pbrMetallicRoughness": shine, "doubleSided": True, **blending}


def _write(path: Path, data: bytes) -> None:
    part = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        part.write_bytes(data)
        os.replace(part, path)
    except OSError as error:
        raise FileProblem(f"{path.name} cannot be written: {error.strerror or error}.", path=str(path)) from error
    finally:
        part.unlink(missing_ok=True)
