"""Reading COLLADA (.dae): triangles, polylists, polygons, fans and strips with their nodes, unit and colours."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from workcell.errors import FileProblem
from workcell.geometry.assembly import Assembly, AssemblyPart, Instance, Rgb
from workcell.geometry.formats.foreign import other_format
from workcell.geometry.mesh import Mesh, feature_edges, weld
from workcell.geometry.recipe import Triangles
from workcell.spatial.rotations import about_vector

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

UP_AXES = {
    "X_UP": np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    "Y_UP": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]),
    "Z_UP": np.eye(3),
}
"""The possible up axes of a file, and the turn that makes each one z; the default of the standard is Y_UP."""
_CREASE = 0.5
_DEEPEST = 100
_MOST_NODES, _MOST_TRIANGLES = 10_000, 5_000_000
"""The most nodes and triangles that a file may show; nodes that use other nodes multiply."""


class Document(NamedTuple):
    """A COLLADA file: its parts in metres in its own axes, and its up axis."""

    corners: tuple[Floats, ...]
    names: tuple[str, ...]
    colours: tuple[Rgb | None, ...]
    up_axis: str

    def assembly(self, turn: Floats) -> Assembly:
        """One part for each run of triangles with one material, turned."""
        parts = []
        for corners, name, colour in zip(self.corners, self.names, self.colours, strict=True):
            mesh = _mesh(corners @ turn.T, (name,), np.zeros(len(corners), dtype=np.int32))
            parts.append(AssemblyPart(name, Triangles.of(mesh), colour))
        return Assembly("", tuple(parts), tuple(Instance(i, part.name) for i, part in enumerate(parts)))


def read(data: bytes) -> Mesh:
    """All triangles of the scene in metres, turned to z-up; each geometry becomes a face with its name."""
    found = parse(data)
    owners = np.concatenate([np.full(len(c), i, dtype=np.int32) for i, c in enumerate(found.corners)])
    return _mesh(np.concatenate(found.corners) @ UP_AXES[found.up_axis].T, found.names, owners)


def read_assembly(data: bytes) -> Assembly:
    """The geometries of the scene, turned to z-up; each run with one material becomes a part with its colour."""
    found = parse(data)
    return found.assembly(UP_AXES[found.up_axis])


def parse(data: bytes) -> Document:
    """Read the content of a COLLADA file, in metres but in its own axes."""
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise FileProblem("The COLLADA file declares XML entities. They are not needed, so the file is refused.")
    try:
        root = ET.fromstring(data)
    except ET.ParseError as error:
        raise FileProblem(f"The COLLADA file is cut short or damaged: {error}.") from error
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    if root.tag != "COLLADA":
        raise other_format(f"not a COLLADA file: its outermost element is <{root.tag}>.")
    try:
        return _Reader(root).document()
    except (LookupError, TypeError, ValueError, AttributeError, StopIteration, OverflowError) as error:
        raise FileProblem(f"The COLLADA file is damaged: {type(error).__name__}: {error}.") from error


def _mesh(corners: Floats, names: tuple[str, ...], owners: NDArray[np.int32]) -> Mesh:
    vertices, triangles = weld(corners)
    edges = feature_edges(vertices, triangles, np.arange(len(triangles)), _CREASE)
    return Mesh(vertices, triangles, owners, names, edges)


class _Reader:
    def __init__(self, root: ET.Element) -> None:
        self.root = root
        self.by_id = {element.get("id", ""): element for element in root.iter() if element.get("id")}
        self.corners: list[Floats] = []
        self.names: list[str] = []
        self.colours: list[Rgb | None] = []
        self._uses = 0

    def document(self) -> Document:
        unit = self.root.find("asset/unit")
        scale = float(unit.get("meter", "1")) if unit is not None else 1.0
        if not (math.isfinite(scale) and scale > 0.0):
            raise FileProblem(f"The unit of the COLLADA file is {scale:g} m; it must be above zero.")
        up = (self.root.findtext("asset/up_axis") or "Y_UP").strip()
        if up not in UP_AXES:
            raise FileProblem(f"The up axis of the COLLADA file is {up!r}; it must be one of {', '.join(UP_AXES)}.")
        start = np.diag([scale, scale, scale, 1.0])
        scene = self.root.find("scene/instance_visual_scene")
        if scene is not None:
            for node in self._at(scene).findall("node"):
                self._node(node, start, 0)
        else:
            for geometry in self.root.findall("library_geometries/geometry"):
                self._geometry(geometry, start, {})
        if not self.corners:
            raise FileProblem("The COLLADA file holds no triangles.")
        return Document(tuple(self.corners), tuple(self.names), tuple(self.colours), up)

    def _at(self, element: ET.Element, key: str = "url") -> ET.Element:
        """The element that another element refers to."""
        name = (element.get(key) or "").removeprefix("#")
        if name not in self.by_id:
            raise FileProblem(
                f"The COLLADA file refers to {element.get(key)!r} in <{element.tag}>, but does not contain it."
            )
        return self.by_id[name]

    # ---- nodes ----------------------------------------------------------------------------------------

    def _node(self, node: ET.Element, above: Floats, depth: int) -> None:
        self._uses += 1
        if depth > _DEEPEST or self._uses > _MOST_NODES:
            raise FileProblem("The nodes of the COLLADA file form a circle, or use each other too often.")
        matrix = above
        for element in node:
            if element.tag in _TRANSFORMS:
                matrix = matrix @ _TRANSFORMS[element.tag](_floats(element.text))
            elif element.tag in ("lookat", "skew"):
                raise FileProblem(f"The COLLADA file places something by <{element.tag}>, which is not supported.")
        for element in node:
            if element.tag == "node":
                self._node(element, matrix, depth + 1)
            elif element.tag == "instance_node":
                self._node(self._at(element), matrix, depth + 1)
            elif element.tag == "instance_geometry":
                uses = {one.get("symbol", ""): one for one in element.iter("instance_material")}
                self._geometry(self._at(element), matrix, uses)
            elif element.tag == "instance_controller":
                raise FileProblem("The COLLADA file holds a skinned or morphing mesh, which is not supported.")

    # ---- geometries -----------------------------------------------------------------------------------

    def _geometry(self, geometry: ET.Element, matrix: Floats, uses: Mapping[str, ET.Element]) -> None:
        mesh = geometry.find("mesh")
        name = geometry.get("name") or geometry.get("id") or "geometry"
        if mesh is None:
            raise FileProblem(f"The geometry {name!r} of the COLLADA file is not a mesh; only meshes are supported.")
        for primitive in mesh:
            if primitive.tag not in _PRIMITIVES:
                continue
            if sum(map(len, self.corners)) > _MOST_TRIANGLES:
                raise FileProblem(
                    f"The COLLADA file shows more than {_MOST_TRIANGLES:,} triangles, which is the limit."
                )
            placed = self._corners(mesh, primitive, name) @ matrix[:3, :3].T + matrix[:3, 3]
            if not np.isfinite(placed).all():
                raise FileProblem("The COLLADA file holds numbers that are not finite.")
            if np.linalg.det(matrix[:3, :3]) < 0.0:
                placed = placed[:, ::-1]
            a, b, c = placed[:, 0], placed[:, 1], placed[:, 2]
            placed = placed[(a != b).any(axis=1) & (b != c).any(axis=1) & (c != a).any(axis=1)]
            if not len(placed):
                continue
            self.corners.append(placed)
            self.names.append(name)
            self.colours.append(self._colour(primitive.get("material", ""), uses))

    def _corners(self, mesh: ET.Element, primitive: ET.Element, name: str) -> Floats:
        """The corners (t, 3, 3) of the triangles of one run."""
        inputs = {one.get("semantic"): one for one in primitive.findall("input")}
        width = 1 + max(int(one.get("offset", "0")) for one in primitive.findall("input"))
        at = int(inputs["VERTEX"].get("offset", "0"))
        points = self._points(self._at(inputs["VERTEX"], "source"))
        triangles = [self._indices(run, width, at, primitive, name) for run in _runs(primitive)]
        index = np.concatenate([np.empty((0, 3), dtype=np.int64), *triangles])
        if index.size and not 0 <= int(index.min()) <= int(index.max()) < len(points):
            raise FileProblem(f"A triangle of {name!r} in the COLLADA file refers to a vertex that does not exist.")
        return np.asarray(points[index])

    def _points(self, vertices: ET.Element) -> Floats:
        position = next(one for one in vertices.findall("input") if one.get("semantic") == "POSITION")
        source = self._at(position, "source")
        accessor = source.find("technique_common/accessor")
        values = np.array(_floats(source.findtext("float_array")))
        if accessor is None:
            return values.reshape(-1, 3)
        count, stride = int(accessor.get("count", "0")), int(accessor.get("stride", "1"))
        offset = int(accessor.get("offset", "0"))
        if stride < 3 or count < 0 or offset < 0 or offset + count * stride > len(values):
            raise FileProblem(f"The COLLADA file is cut short: it claims {count} points and has {len(values)} numbers.")
        return values[offset : offset + count * stride].reshape(count, stride)[:, :3]

    def _indices(self, run: Ints, width: int, at: int, primitive: ET.Element, name: str) -> Ints:
        kind = primitive.tag
        if len(run) % width:
            raise FileProblem(f"The COLLADA file is cut short: a run of {name!r} has {len(run)} numbers.")
        corners = run.reshape(-1, width)[:, at]
        if kind == "triangles":
            return corners[: len(corners) // 3 * 3].reshape(-1, 3)
        if kind == "tristrips":
            strip = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=1)
            strip[1::2] = strip[1::2, [1, 0, 2]]
            return strip
        if kind in ("trifans", "polygons"):
            return _fan(corners)
        counts = np.array((primitive.findtext("vcount") or "").split(), dtype=np.int64)
        if counts.sum() != len(corners) or (counts < 0).any():
            raise FileProblem(f"The COLLADA file is damaged: <vcount> of {name!r} does not fit its corners.")
        ends = np.cumsum(counts)
        if (counts == 3).all():
            return corners.reshape(-1, 3)
        return np.concatenate([_fan(corners[end - count : end]) for end, count in zip(ends, counts, strict=True)])

    def _colour(self, symbol: str, uses: Mapping[str, ET.Element]) -> Rgb | None:
        """The diffuse colour of a material, if it is a plain one."""
        target = uses[symbol].get("target", "") if symbol in uses else symbol
        material = self.by_id.get(target.removeprefix("#"))
        effect = None if material is None else material.find("instance_effect")
        if effect is None:
            return None
        shown = next((one.find("color") for one in self._at(effect).iter("diffuse")), None)
        if shown is None:
            return None
        red, green, blue = (min(max(value, 0.0), 1.0) for value in _floats(shown.text)[:3])
        return red, green, blue


_PRIMITIVES = ("triangles", "polylist", "polygons", "trifans", "tristrips")


def _runs(primitive: ET.Element) -> Iterator[Ints]:
    """The index lists of a primitive."""
    if primitive.find("ph") is not None:
        raise FileProblem("The COLLADA file has polygons with holes, which are not supported.")
    for element in primitive.findall("p"):
        yield np.array((element.text or "").split(), dtype=np.int64)


def _fan(corners: Ints) -> Ints:
    if len(corners) < 3:
        return np.empty((0, 3), dtype=np.int64)
    return np.stack([np.full(len(corners) - 2, corners[0]), corners[1:-1], corners[2:]], axis=1)


def _floats(text: str | None) -> list[float]:
    return [float(word) for word in (text or "").split()]


def _matrix(values: list[float]) -> Floats:
    return np.array(values).reshape(4, 4)


def _translate(values: list[float]) -> Floats:
    result = np.eye(4)
    result[:3, 3] = values
    return result


def _rotate(values: list[float]) -> Floats:
    x, y, z, angle = values
    result = np.eye(4)
    if math.hypot(x, y, z) > 0.0:
        result[:3, :3] = about_vector(np.array([x, y, z]), math.radians(angle))
    return result


def _scale(values: list[float]) -> Floats:
    x, y, z = values
    return np.diag([x, y, z, 1.0])


_TRANSFORMS = {"matrix": _matrix, "translate": _translate, "rotate": _rotate, "scale": _scale}
