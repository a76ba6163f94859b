"""A URDF with its meshes as one ZIP archive: the same robot gives the same bytes, whenever it is written."""

from __future__ import annotations

import io
import zipfile

from workcell.robots.formats.urdf_write import UrdfText

_WRITTEN = (1980, 1, 1, 0, 0, 0)
"""The time of every file in an archive: the earliest that the format has."""
_READABLE = 0o100644 << 16
"""A plain file that its owner may change and everybody may read."""


def packed(made: UrdfText, name: str) -> bytes:
    """Return the archive of a URDF, which is called NAME.urdf there, with the meshes at the paths that it names."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in {f"{name}.urdf": made.text.encode(), **dict(sorted(made.meshes.items()))}.items():
            entry = zipfile.ZipInfo(path, _WRITTEN)
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, _READABLE
            archive.writestr(entry, content)
    return data.getvalue()
