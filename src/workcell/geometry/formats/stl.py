"""STL, binary and ASCII. The format has no units: whoever reads or writes it must give them."""

from __future__ import annotations

import re

import numpy as np

from workcell.errors import FileProblem
from workcell.geometry.formats.foreign import other_format
from workcell.geometry.mesh import Mesh, feature_edges, weld

_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_NUMBER = rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_VERTEX = re.compile(rb"\bvertex\s+(" + _NUMBER + rb")\s+(" + _NUMBER + rb")\s+(" + _NUMBER + rb")", re.IGNORECASE)
_CREASE = 0.5
_LOOK = 4096
"""The number of bytes that are examined to distinguish text from numbers."""


def read(data: bytes, scale: float) -> Mesh:
    """The mesh in an STL file; ``scale`` is the size of its unit [m]."""
    if len(data) >= 84:
        claimed = int.from_bytes(data[80:84], "little")
        # Some binary files begin with "solid" too; only the length distinguishes them.
        if 84 + 50 * claimed == len(data):
            records = np.frombuffer(data, _RECORD, count=claimed, offset=84)
            if not np.isfinite(records["corners"]).all():  # a signalling NaN is not even converted without a warning
                raise _not_finite()
            return _mesh(records["corners"].astype(np.float64), scale)
        if data.lstrip()[:5].lower() != b"solid":
            if _is_text(data[:_LOOK]):
                raise other_format("not an STL file: it is text that does not begin with 'solid'.")
            raise FileProblem(
                f"The STL file is cut short or damaged: its header claims {claimed} triangles "
                f"({84 + 50 * claimed} bytes), the file has {len(data)} bytes.",
                claimed=claimed,
                found=(len(data) - 84) // 50,
            )
    if not data.lstrip()[:5].lower() == b"solid":
        raise other_format(f"not an STL file: {len(data)} bytes that begin with neither a header nor 'solid'.")
    found = _VERTEX.findall(data)
    if data.lower().count(b"vertex") != len(found) or len(found) % 3 or b"endsolid" not in data.lower():
        raise FileProblem(
            f"The ASCII STL file is cut short or damaged: {len(found)} readable vertices, "
            f"{data.lower().count(b'vertex')} announced, 'endsolid' {'found' if b'endsolid' in data else 'missing'}."
        )
    return _mesh(np.array(found, dtype=np.float64).reshape(-1, 3, 3), scale)


def _is_text(data: bytes) -> bool:
    """Whether these are only letters and line ends; the count and numbers of a binary file never are."""
    return all(byte >= 32 or byte in b"\t\r\n" for byte in data) and b"\x7f" not in data


def _not_finite() -> FileProblem:
    return FileProblem("The STL file holds numbers that are not finite.")


def _mesh(corners: np.ndarray[tuple[int, ...], np.dtype[np.float64]], scale: float) -> Mesh:
    if not len(corners):
        raise FileProblem("The STL file holds no triangles.")
    if not np.isfinite(corners).all():
        raise _not_finite()
    vertices, triangles = weld(corners)
    faces = np.zeros(len(triangles), dtype=np.int32)
    edges = feature_edges(vertices, triangles, np.arange(len(triangles)), _CREASE)
    return Mesh(vertices * scale, triangles, faces, ("surface",), edges)


def write(mesh: Mesh, scale: float, ascii_text: bool = False) -> bytes:
    """The mesh as STL, numbers in units of ``scale`` [m]."""
    corners = mesh.vertices[mesh.triangles] / scale
    if ascii_text:
        lines = ["solid workcell"]
        for normal, triangle in zip(mesh.normals, corners, strict=True):
            lines.append("facet normal {:.9g} {:.9g} {:.9g}\n outer loop".format(*normal))
            lines += ["  vertex {:.17g} {:.17g} {:.17g}".format(*corner) for corner in triangle]
            lines.append(" endloop\nendfacet")
        return "\n".join([*lines, "endsolid workcell\n"]).encode()
    records = np.zeros(len(corners), _RECORD)
    records["normal"] = mesh.normals
    records["corners"] = corners
    header = b"Workcell".ljust(80, b" ") + len(corners).to_bytes(4, "little")
    return header + records.tobytes()
