"""glTF 2.0, in its binary form (GLB) or as text: one primitive of triangles, one of feature edges."""

from __future__ import annotations

import base64
import json
import math
import struct

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.geometry.mesh import Mesh

Colour = tuple[float, float, float]

_MAGIC, _VERSION, _JSON, _BIN = 0x46546C67, 2, 0x4E4F534A, 0x004E4942
_FLOAT, _UNSIGNED = 5126, 5125
_ARRAY, _ELEMENTS = 34962, 34963
_CREASE = math.cos(math.radians(40.0))
_Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])


def mesh_to_glb(mesh: Mesh, colour: Colour = (0.7, 0.7, 0.72), y_up: bool = False, binary: bool = True) -> bytes:
    """The mesh as GLB: smooth within a face, sharp between faces, feature edges as a second primitive of lines.

    Args:
        mesh: what to write.
        colour: red, green, blue in 0…1 (as seen on a screen; written as linear light, as glTF wants).
        y_up: turn z-up into y-up, as files for others need it; the page works in z-up.
        binary: GLB, or the text form (.gltf) with the data inside.
    """
    red, green, blue = colour
    if not all(0.0 <= channel <= 1.0 for channel in colour):
        raise InvalidValue(f"A colour is red, green, blue between 0 and 1; found {colour}.")
    positions, normals, triangles = shaded(mesh)
    lines = mesh.vertices[np.unique(mesh.edges)] if len(mesh.edges) else np.empty((0, 3))
    line_ids = np.unique(mesh.edges, return_inverse=True)[1].reshape(-1)
    if y_up:
        positions, normals, lines = positions @ _Y_UP.T, normals @ _Y_UP.T, lines @ _Y_UP.T
    writer = _Writer()
    primitives: list[dict[str, object]] = []
    if len(triangles):
        primitives.append(
            {
                "attributes": {"POSITION": writer.vectors(positions), "NORMAL": writer.vectors(normals)},
                "indices": writer.indices(triangles.reshape(-1)),
                "material": 0,
                "mode": 4,
            }
        )
    if len(line_ids):
        primitives.append(
            {
                "attributes": {"POSITION": writer.vectors(lines)},
                "indices": writer.indices(line_ids),
                "material": 1,
                "mode": 1,
            }
        )
    document: dict[str, object] = {
        "asset": {"version": "2.0", "generator": "Workcell"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": primitives, "extras": {"deviation": mesh.deviation}}],
        "materials": [
            _material((red, green, blue), 0.55),
            _material((0.1, 0.1, 0.12), 1.0),
        ],
        "accessors": writer.accessors,
        "bufferViews": writer.views,
        "buffers": [{"byteLength": len(writer.data)}],
    }
    if not primitives:
        for unused in ("meshes", "accessors", "bufferViews", "buffers"):
            del document[unused]
        document["nodes"] = [{}]
    return pack(document, bytes(writer.data)) if binary else _text(document, bytes(writer.data))


def _text(document: dict[str, object], data: bytes) -> bytes:
    """A document in the text form, its data inside."""
    if data:
        uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
        document = {**document, "buffers": [{"byteLength": len(data), "uri": uri}]}
    return json.dumps(document, separators=(",", ":")).encode()


def pack(document: dict[str, object], data: bytes) -> bytes:
    """The GLB container around a document and its binary chunk."""
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    chunks = struct.pack("<II", len(text), _JSON) + text
    if data:
        chunks += struct.pack("<II", len(data), _BIN) + data
    return struct.pack("<III", _MAGIC, _VERSION, 12 + len(chunks)) + chunks


def shaded(mesh: Mesh) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Vertices split between faces, their normals, and the triangles over them.

    Within a face a normal is the mean over the triangles around the vertex, weighted by their angle there, except
    where they turn by more than 40° (the apex of a cone, a mesh without faces): there every triangle keeps its own.
    """
    count = len(mesh.vertices)
    corner = mesh.triangles.astype(np.int64).reshape(-1)
    face = np.repeat(mesh.face_of_triangle.astype(np.int64), 3)
    _, first, group = np.unique(face * count + corner, return_index=True, return_inverse=True)
    own = np.repeat(mesh.normals, 3, axis=0)
    weight = _angles(mesh).reshape(-1, 1)
    mean = np.zeros((len(first), 3))
    np.add.at(mean, group, own * weight)
    length = np.linalg.norm(mean, axis=1, keepdims=True)
    mean = np.divide(mean, length, out=np.zeros_like(mean), where=length > 0.0)
    sharp = np.flatnonzero(np.einsum("ij,ij->i", mean[group], own) < _CREASE)
    positions = np.concatenate([mesh.vertices[corner[first]], mesh.vertices[corner[sharp]]])
    normals = np.concatenate([mean, own[sharp]])
    indices = group.copy()
    indices[sharp] = len(first) + np.arange(len(sharp))
    # A triangle without area has no normal; glTF wants unit vectors all the same.
    normals[np.linalg.norm(normals, axis=1) < 0.5] = (0.0, 0.0, 1.0)
    return positions, normals, indices.reshape(-1, 3)


def _angles(mesh: Mesh) -> NDArray[np.float64]:
    corners = mesh.vertices[mesh.triangles]
    result = np.empty((len(corners), 3))
    for i in range(3):
        u = corners[:, (i + 1) % 3] - corners[:, i]
        v = corners[:, (i + 2) % 3] - corners[:, i]
        result[:, i] = np.arctan2(np.linalg.norm(np.cross(u, v), axis=1), np.einsum("ij,ij->i", u, v))
    return result


def _material(colour: Colour, roughness: float) -> dict[str, object]:
    linear = [channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in colour]
    return {
        "pbrMetallicRoughness": {
            "baseColorFactor": [*linear, 1.0],
            "metallicFactor": 0.0,
            "roughnessFactor": roughness,
        },
        "doubleSided": True,
    }


class _Writer:
    """Collects arrays into one binary chunk."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.views: list[dict[str, object]] = []
        self.accessors: list[dict[str, object]] = []

    def vectors(self, values: NDArray[np.float64]) -> int:
        array = values.astype("<f4")
        limits = {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()}
        return self._add(array.tobytes(), _FLOAT, "VEC3", len(array), _ARRAY, limits)

    def indices(self, values: NDArray[np.int64]) -> int:
        return self._add(values.astype("<u4").tobytes(), _UNSIGNED, "SCALAR", len(values), _ELEMENTS, {})

    def _add(
        self, data: bytes, component: int, kind: str, count: int, target: int, limits: dict[str, list[float]]
    ) -> int:
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data), "target": target})
        self.data += data
        self.accessors.append(
            {"bufferView": len(self.views) - 1, "componentType": component, "count": count, "type": kind, **limits}
        )
        return len(self.accessors) - 1
