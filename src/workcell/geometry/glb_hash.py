"""The names of shapes for clients: the hash of the GLB that a server makes of a solid."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workcell.geometry.solid import Solid

TOLERANCE = 5e-4
"""How far triangles may be from the true surface [m]; the same as elsewhere, so that meshes are shared."""
GLB_VERSION = 2
"""Part of the hash of a shape; increased when the same mesh would be written differently."""


def glb_hash(solid: Solid) -> str:
    """Return the hash of the GLB of a solid; the same recipe and tolerance always give the same bytes."""
    return hashlib.sha256(f"{solid.hash} {TOLERANCE} {GLB_VERSION}".encode()).hexdigest()[:32]
