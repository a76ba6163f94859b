"""Reading glTF 2.0: GLB files, and .gltf files with their data inside or in files beside them."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from workcell.errors import FileProblem
from workcell.geometry.assembly import Assembly, AssemblyGroup, AssemblyPart, Builder, Instance, rows_of, split
from workcell.geometry.formats.foreign import other_format
from workcell.geometry.formats.gltf import EXTRA
from workcell.geometry.mesh import Mesh, feature_edges, weld
from workcell.geometry.recipe import Triangles
from workcell.spatial.rotations import from_quaternion

Floats = NDArray[np.float64]
_Known = dict[tuple[int, int, tuple[float, ...]], int | None]

_KINDS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
_Z_UP = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
_CREASE = 0.5
_ROUNDING = 1e-6
"""The greatest distance of a single-precision matrix from a rigid one."""
_SURFACES = (_LIST, _STRIP, _FAN) = (4, 5, 6)
_DEEPEST = 100
_MOST_NODES, _MOST_TRIANGLES = 100_000, 5_000_000
_TOO_MANY = "The nodes of the glTF file form a circle, or use each other too often."
"""The most nodes and triangles that a file may show; nodes that use other nodes multiply."""


def read(data: bytes, y_up: bool = True) -> Mesh:
    """The triangles of all meshes in the scene, in metres, turned to z-up; each node becomes a face with its name."""
    try:
        document, binary = _parts(data)
        return _Reader(document, binary).mesh(_Z_UP if y_up else np.eye(4))
    except (KeyError, IndexError, TypeError, ValueError, struct.error, AttributeError, RecursionError) as error:
        raise FileProblem(f"The glTF file is damaged: {_why(error)}.") from error


def read_assembly(data: bytes, fetch: Callable[[str], bytes] | None = None) -> Assembly:
    """The tree of nodes that have triangles, with names and colours, each mesh once, turned to z-up.

    ``fetch`` returns the bytes of a file that a .gltf refers to; without it, such a file is refused.
    """
    try:
        document, binary = _parts(data)
        return _Reader(document, binary, fetch).assembly(_Z_UP)
    except (KeyError, IndexError, TypeError, ValueError, struct.error, AttributeError, RecursionError) as error:
        raise FileProblem(f"The glTF file is damaged: {_why(error)}.") from error


def _why(error: Exception) -> str:
    """What is wrong with a file, from the error that reading it raised."""
    match error:
        case KeyError(args=[str(name)]):
            return f"{name!r} is missing in it"
        case KeyError(args=[value]):
            return f"it has the value {value!r} where glTF allows others"
        case IndexError():
            return "it refers by number to something that it does not have"
        case json.JSONDecodeError() | UnicodeDecodeError():
            return f"its text is not JSON ({error})"
        case struct.error() | RecursionError():
            return "it is cut short, or nested too deeply"
        case _:
            return f"a value in it has the wrong form ({error})"


def _parts(data: bytes) -> tuple[dict[str, Any], bytes]:
    if data[:4] != b"glTF":
        document = json.loads(data)
        if not isinstance(document, dict) or "asset" not in document:
            raise other_format("not a glTF file: it has no 'asset'.")
        return document, b""
    _, version, length = struct.unpack_from("<4sII", data)
    if version != 2:
        raise other_format(f"glTF version {version}; only version 2 can be read.")
    if length != len(data):
        raise FileProblem(f"The GLB file is cut short: it claims {length} bytes and has {len(data)}.")
    chunks: dict[int, bytes] = {}
    at = 12
    while at + 8 <= len(data):
        size, kind = struct.unpack_from("<II", data, at)
        chunks.setdefault(kind, data[at + 8 : at + 8 + size])
        at += 8 + size
    if 0x4E4F534A not in chunks:
        raise FileProblem("The glTF file is damaged: its description (the JSON chunk) is missing.")
    return json.loads(chunks[0x4E4F534A]), chunks.get(0x004E4942, b"")


class _Reader:
    def __init__(self, document: dict[str, Any], binary: bytes, fetch: Callable[[str], bytes] | None = None) -> None:
        self.document = document
        self.binary = binary
        self.fetch = fetch
        self.vertices: list[Floats] = []
        self.triangles: list[NDArray[np.int64]] = []
        self.owners: list[NDArray[np.int64]] = []
        self.names: list[str] = []
        self.colours: list[tuple[float, float, float] | None] = []
        self.count = 0
        self.extents: dict[int, tuple[int, int]] = {}

    def assembly(self, turn: Floats) -> Assembly:
        """The tree of nodes: each primitive becomes one part; a node with several things below it becomes a group."""
        builder, known = Builder(), _Known()
        roots = [self._placed(builder, known, turn, number, np.eye(4)) for number in self._roots()]
        instances = [one for one in roots if one is not None]
        if not instances:
            raise FileProblem("The glTF file holds no triangles.")
        scenes = self.document.get("scenes") or [{}]
        return builder.made(str(scenes[self.document.get("scene", 0)].get("name") or ""), instances)

    def _placed(self, builder: Builder, known: _Known, turn: Floats, number: int, above: Floats) -> Instance | None:
        """A node with all below it; ``above`` is the scale, shear and mirror of the nodes above."""
        node = self._node_at(number)
        place, rest = split(above @ turn @ _local(node) @ turn.T, _ROUNDING)
        name, found = str(node.get("name") or ""), []
        if "mesh" in node:
            mesh = self.document["meshes"][node["mesh"]]
            for count, primitive in enumerate(mesh["primitives"]):
                if primitive.get("mode", 4) not in _SURFACES:
                    continue
                key = (int(node["mesh"]), count, rows_of(rest))
                if key not in known:
                    part = self._part(primitive, rest @ turn, str(mesh.get("name") or name))
                    known[key] = None if part is None else builder.part(part)
                if (at := known[key]) is not None:
                    found.append(Instance(at, name))
        below = [self._placed(builder, known, turn, child, rest) for child in node.get("children", [])]
        alone = "children" not in node
        found += [one for one in below if one is not None]
        if not found:
            return None
        if alone and len(found) == 1:
            return Instance(found[0].part, name, rows_of(place))
        called = str((node.get("extras") or {}).get(EXTRA) or name)
        return Instance(builder.group(AssemblyGroup(called, tuple(found))), name, rows_of(place), group=True)

    def _part(self, primitive: dict[str, Any], matrix: Floats, name: str) -> AssemblyPart | None:
        """The triangles of one primitive; None if all of them are points."""
        start = len(self.names)
        self._primitive(primitive, matrix, name)
        points, triangles = self.vertices[start], self.triangles[start] - (self.count - len(self.vertices[start]))
        if not np.isfinite(points).all():
            raise FileProblem("The glTF file holds numbers that are not finite.")
        vertices, welded = weld(points[triangles])
        if not len(welded):
            return None
        edges = feature_edges(vertices, welded, np.arange(len(welded)), _CREASE)
        mesh = Mesh(vertices, welded, np.zeros(len(welded), dtype=np.int32), (name or "surface",), edges)
        return AssemblyPart(name, Triangles.of(mesh), self.colours[start])

    def _roots(self) -> list[int]:
        scenes = self.document.get("scenes") or [{"nodes": list(range(len(self.document.get("nodes", []))))}]
        roots = list(scenes[self.document.get("scene", 0)].get("nodes", []))
        if sum(self._extent(number, 0)[0] for number in roots) > _MOST_NODES:
            raise FileProblem(_TOO_MANY)
        return roots

    def _extent(self, number: int, depth: int) -> tuple[int, int]:
        """How many nodes a node shows, itself and all below it, each as often as it is used; and in how many levels."""
        if depth <= _DEEPEST and number not in self.extents:
            below = [self._extent(child, depth + 1) for child in self._node_at(number).get("children", [])]
            self.extents[number] = (
                1 + sum(count for count, _ in below),
                1 + max((levels for _, levels in below), default=0),
            )
        if depth > _DEEPEST or depth + self.extents[number][1] > _DEEPEST:
            raise FileProblem(_TOO_MANY)
        return self.extents[number]

    def _node_at(self, number: int) -> dict[str, Any]:
        node: dict[str, Any] = self.document["nodes"][number]
        return node

    def mesh(self, turn: Floats) -> Mesh:
        for node in self._roots():
            self._node(node, turn)
        if not self.triangles:
            raise FileProblem("The glTF file holds no triangles.")
        points = np.concatenate(self.vertices)
        if not np.isfinite(points).all():
            raise FileProblem("The glTF file holds numbers that are not finite.")
        triangles, owners = np.concatenate(self.triangles), np.concatenate(self.owners)
        # Vertices are duplicated where normals differ. Their positions are equal, so they can be merged again.
        points, index = np.unique(points + 0.0, axis=0, return_inverse=True)
        triangles = index.reshape(-1)[triangles]
        a, b, c = triangles.T
        good = (a != b) & (b != c) & (c != a)
        edges = feature_edges(points, triangles[good], np.arange(int(good.sum())), _CREASE)
        return Mesh(points, triangles[good], owners[good], tuple(self.names), edges)

    def _node(self, number: int, above: Floats) -> None:
        node = self._node_at(number)
        matrix = above @ _local(node)
        if "mesh" in node:
            name = str(node.get("name") or self.document["meshes"][node["mesh"]].get("name") or f"node{number}")
            for primitive in self.document["meshes"][node["mesh"]]["primitives"]:
                if primitive.get("mode", 4) in _SURFACES:
                    self._primitive(primitive, matrix, name)
        for child in node.get("children", []):
            self._node(child, matrix)

    def _primitive(self, primitive: dict[str, Any], matrix: Floats, name: str) -> None:
        points = self._accessor(primitive["attributes"]["POSITION"]).astype(np.float64)
        if "indices" in primitive:
            indices = self._accessor(primitive["indices"]).reshape(-1).astype(np.int64)
        else:
            indices = np.arange(len(points))
        if indices.size and indices.max() >= len(points):
            raise FileProblem(f"A triangle of the glTF file refers to vertex {indices.max()} of {len(points)}.")
        triangles = _triangles(indices, primitive.get("mode", 4))
        if sum(map(len, self.triangles)) + len(triangles) > _MOST_TRIANGLES:
            raise FileProblem(f"The glTF file shows more than {_MOST_TRIANGLES:,} triangles, which is the limit.")
        if np.linalg.det(matrix[:3, :3]) < 0.0:
            triangles = triangles[:, ::-1]
        self.vertices.append(points @ matrix[:3, :3].T + matrix[:3, 3])
        self.triangles.append(triangles + self.count)
        self.owners.append(np.full(len(triangles), len(self.names)))
        self.names.append(name)
        self.colours.append(self._colour(primitive))
        self.count += len(points)

    def _colour(self, primitive: dict[str, Any]) -> tuple[float, float, float] | None:
        """The colour as seen on a screen; the file contains linear light."""
        if "material" not in primitive:
            return None
        material = self.document["materials"][primitive["material"]].get("pbrMetallicRoughness", {})
        if "baseColorFactor" not in material:
            return None
        red, green, blue = (
            round(12.92 * v if v <= 0.0031308 else 1.055 * v ** (1.0 / 2.4) - 0.055, 6)
            for v in (min(max(float(v), 0.0), 1.0) for v in material["baseColorFactor"][:3])
        )
        return red, green, blue

    def _accessor(self, number: int) -> NDArray[Any]:
        accessor = self.document["accessors"][number]
        view = self.document["bufferViews"][accessor["bufferView"]]
        data = self._buffer(view["buffer"])
        kind, width = np.dtype(_KINDS[accessor["componentType"]]), _WIDTHS[accessor["type"]]
        count = int(accessor["count"])
        start = int(view.get("byteOffset", 0)) + int(accessor.get("byteOffset", 0))
        step = int(view.get("byteStride", 0)) or kind.itemsize * width
        if count < 0 or start < 0 or (count and start + (count - 1) * step + kind.itemsize * width > len(data)):
            raise FileProblem(f"The glTF file is cut short: it claims {count} values and has {len(data)} bytes.")
        shape, strides = (count, width), (step, kind.itemsize)
        return np.ndarray(shape, kind, data, start, strides).copy()

    def _buffer(self, number: int) -> bytes:
        uri = self.document["buffers"][number].get("uri")
        if uri is None:
            return self.binary
        if not uri.startswith("data:") and self.fetch is not None:
            return self.fetch(unquote(uri))
        if not uri.startswith("data:"):
            raise FileProblem(f"The glTF file keeps its data in another file ({uri}); save it as GLB.")
        try:
            return base64.b64decode(uri.split(",", 1)[1])
        except binascii.Error as error:
            raise FileProblem("The data inside the glTF file is damaged.") from error


def _triangles(indices: NDArray[np.int64], mode: int) -> NDArray[np.int64]:
    """The corners (t, 3) of separate triangles, a strip or a fan."""
    if mode == _LIST:
        return indices[: len(indices) // 3 * 3].reshape(-1, 3)
    if mode == _STRIP:
        strip = np.stack([indices[:-2], indices[1:-1], indices[2:]], axis=1)
        strip[1::2] = strip[1::2, [1, 0, 2]]
        return strip
    return np.stack([np.full(max(len(indices) - 2, 0), indices[0]), indices[1:-1], indices[2:]], axis=1)


def _local(node: dict[str, Any]) -> Floats:
    if "matrix" in node:
        return np.array(node["matrix"], dtype=np.float64).reshape(4, 4).T
    result = np.eye(4)
    x, y, z, w = node.get("rotation", (0.0, 0.0, 0.0, 1.0))
    result[:3, :3] = from_quaternion((w, x, y, z)) * np.array(node.get("scale", (1.0, 1.0, 1.0)))
    result[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return result
