"""Writing glTF 2.0, as GLB or text: each mesh has one primitive of triangles and one of feature edges."""

from __future__ import annotations

import base64
import json
import math
import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workcell.errors import InvalidValue
from workcell.geometry.assembly import Assembly, Instance
from workcell.geometry.formats.face_marks import face_marks
from workcell.geometry.mesh import Mesh

Colour = tuple[float, float, float]

_MAGIC, _VERSION, _JSON, _BIN = 0x46546C67, 2, 0x4E4F534A, 0x004E4942
_FLOAT, _UNSIGNED = 5126, 5125
_ARRAY, _ELEMENTS = 34962, 34963
_CREASE = math.cos(math.radians(40.0))
_Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
_TURN = np.eye(4)
_TURN[:3, :3] = _Y_UP


def mesh_to_glb(
    mesh: Mesh, colour: Colour = (0.7, 0.7, 0.72), y_up: bool = False, binary: bool = True, marked: bool = False
) -> bytes:
    """Write the mesh as GLB: smooth within a face, sharp between faces, feature edges as a second primitive of lines.

    Args:
        mesh: the mesh to write.
        colour: red, green, blue in 0…1, as seen on a screen; the file gets linear light, as glTF requires.
        y_up: whether to turn z-up into y-up, as files for others need; the page works in z-up.
        binary: GLB if true, otherwise the text form (.gltf) with the data inside.
        marked: whether ``extras.faces`` of the mesh has the faces of its triangles and edges.
    """
    if not all(0.0 <= channel <= 1.0 for channel in colour):
        raise InvalidValue(f"A colour is red, green, blue between 0 and 1; found {colour}.")
    writer = _Writer()
    primitives = writer.primitives(mesh, y_up, 0, 1)
    extras = {"deviation": mesh.deviation, **({"faces": face_marks(mesh)} if marked else {})}
    document: dict[str, object] = {
        "asset": {"version": "2.0", "generator": "Workcell"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": primitives, "extras": extras}],
        "materials": [_material(colour, _SURFACE), _LINES],
        "accessors": writer.accessors,
        "bufferViews": writer.views,
        "buffers": [{"byteLength": len(writer.data)}],
    }
    if not primitives:
        for unused in ("meshes", "accessors", "bufferViews", "buffers"):
            del document[unused]
        document["nodes"] = [{}]
    return pack(document, bytes(writer.data)) if binary else _text(document, bytes(writer.data))


def assembly_to_gltf(assembly: Assembly, meshes: Sequence[Mesh], binary: bool = True) -> bytes:
    """Write an assembly as GLB or text, y-up. Its nodes are the tree, with names; each part is one mesh per colour.

    Args:
        assembly: the tree.
        meshes: the meshes of its parts.
        binary: GLB if true, otherwise the text form (.gltf) with the data inside.
    """
    tree = _Tree(assembly, meshes)
    document: dict[str, object] = {
        "asset": {"version": "2.0", "generator": "Workcell"},
        "scene": 0,
        "scenes": [{"name": assembly.name, "nodes": [tree.node(one, None) for one in assembly.instances]}],
        "nodes": tree.nodes,
        "meshes": tree.meshes,
        "materials": tree.materials,
        "accessors": tree.writer.accessors,
        "bufferViews": tree.writer.views,
        "buffers": [{"byteLength": len(tree.writer.data)}],
    }
    data = bytes(tree.writer.data)
    return pack(document, data) if binary else _text(document, data)


class _Tree:
    """The nodes, meshes and materials of an assembly."""

    def __init__(self, assembly: Assembly, meshes: Sequence[Mesh]) -> None:
        self._assembly, self._given = assembly, meshes
        self.writer = _Writer()
        self.nodes: list[dict[str, object]] = []
        self.meshes: list[dict[str, object]] = []
        self.materials: list[dict[str, object]] = [_LINES]
        self._painted: dict[tuple[Colour | None, float], int] = {}
        self._made: dict[int, list[dict[str, object]]] = {}
        self._shown: dict[tuple[int, Colour | None, float], int] = {}

    def node(self, one: Instance, colour: Colour | None) -> int:
        """The number of the node of an instance, with all below it; ``colour`` comes from above."""
        number, shown = len(self.nodes), one.colour or colour
        node: dict[str, object] = {"name": one.name} if one.name else {}
        self.nodes.append(node)
        place = _TURN @ one.pose @ _TURN.T
        if not np.array_equal(place, np.eye(4)):
            node["matrix"] = (place.T.reshape(-1) + 0.0).tolist()
        if one.group:
            group = self._assembly.groups[one.part]
            if group.name != one.name:
                node["extras"] = {EXTRA: group.name}
            node["children"] = [self.node(below, shown or group.colour) for below in group.instances]
        else:
            node["mesh"] = self._mesh(one.part, shown or self._assembly.parts[one.part].colour, one.opacity)
        return number

    def _mesh(self, number: int, colour: Colour | None, opacity: float) -> int:
        key = (number, colour, opacity)
        if key not in self._shown:
            if number not in self._made:
                self._made[number] = self.writer.primitives(self._given[number], True, 0, 0)
            first, *lines = self._made[number]
            painted = {**first, "material": self._material(colour, opacity)}
            self._shown[key] = len(self.meshes)
            self.meshes.append({"name": self._assembly.parts[number].name, "primitives": [painted, *lines]})
        return self._shown[key]

    def _material(self, colour: Colour | None, opacity: float) -> int:
        key = (colour, opacity)
        if key not in self._painted:
            self._painted[key] = len(self.materials)
            self.materials.append(_material(colour, _SURFACE, opacity))
        return self._painted[key]


def _text(document: dict[str, object], data: bytes) -> bytes:
    """A document in the text form, with its data inside."""
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

    Within a face, a normal is the mean over the triangles around the vertex, weighted by their angles there, except
    where they turn by more than 40° (the apex of a cone, a mesh without faces): there each triangle keeps its own.
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
    # A triangle without area has no normal, but glTF requires unit vectors.
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


def _material(colour: Colour | None, roughness: float, opacity: float = 1.0) -> dict[str, object]:
    look: dict[str, object] = {"metallicFactor": 0.0, "roughnessFactor": roughness}
    if colour is not None:
        linear = [channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in colour]
        look["baseColorFactor"] = [*linear, opacity]
    elif opacity < 1.0:
        look["baseColorFactor"] = [1.0, 1.0, 1.0, opacity]
    blending = {"alphaMode": "BLEND"} if opacity < 1.0 else {}
    return {"pbrMetallicRoughness": look, "doubleSided": True, **blending}


EXTRA = "assembly"
"""The extra of a node that names the group that it uses; the name of the node is that of the instance."""
_SURFACE = 0.55
_LINES = _material((0.1, 0.1, 0.12), 1.0)


class _Writer:
    """Collects arrays into one binary chunk."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.views: list[dict[str, object]] = []
        self.accessors: list[dict[str, object]] = []

    def primitives(self, mesh: Mesh, y_up: bool, surface: int, line: int) -> list[dict[str, object]]:
        """The triangles and feature edges of a mesh, with their materials; either may be missing."""
        positions, normals, triangles = shaded(mesh)
        lines = mesh.vertices[np.unique(mesh.edges)] if len(mesh.edges) else np.empty((0, 3))
        line_ids = np.unique(mesh.edges, return_inverse=True)[1].reshape(-1)
        if y_up:
            positions, normals, lines = positions @ _Y_UP.T, normals @ _Y_UP.T, lines @ _Y_UP.T
        made: list[dict[str, object]] = []
        if len(triangles):
            attributes = {"POSITION": self.vectors(positions), "NORMAL": self.vectors(normals)}
            indices = self.indices(triangles.reshape(-1))
            made.append({"attributes": attributes, "indices": indices, "material": surface, "mode": 4})
        if len(line_ids):
            place = {"POSITION": self.vectors(lines)}
            made.append({"attributes": place, "indices": self.indices(line_ids), "material": line, "mode": 1})
        return made

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
